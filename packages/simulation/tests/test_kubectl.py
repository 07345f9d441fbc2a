"""Against the tables that kubectl v1.37 printed of the same pods (vectors/kubectl.jsonl: random pods, watches)."""

import json
from pathlib import Path

import msgspec
import pytest

from kschedlab.manifests.schema import decode_value
from kschedlab.objects.meta import Time
from kschedlab.objects.model import ObjectMeta, Pod, PodStatus
from kschedlab.text.words import human_duration
from kschedlab_simulation.kubectl import PodTable

VECTORS = [json.loads(line) for line in (Path(__file__).parent / "vectors" / "kubectl.jsonl").open()]
SECOND = 1_000_000


def pods(given):
    return [msgspec.convert(pod, Pod, dec_hook=decode_value) for pod in given]


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_prints_what_kubectl_prints(vector):
    table, now = PodTable(vector["namespaces"]), Time.parse(vector["now"])
    printed = [line for step in vector["steps"] for line in table.lines(pods(step), now)]
    assert "\n".join(printed) + "\n" == vector["text"]


def test_nothing_to_print():
    assert PodTable().lines([], 0) == []


@pytest.mark.parametrize(
    ("first", "status", "restarts"),
    [
        ({"terminated": {"exitCode": 0}}, "Init:CrashLoopBackOff", "7"),
        ({"terminated": {"exitCode": 1}}, "Init:ExitCode:1", "2"),
        ({"waiting": {"reason": "ErrImagePull"}}, "Init:ErrImagePull", "2"),
        ({"running": {}}, "Init:0/2", "2"),
    ],
)
def test_restarts_count_up_to_the_init_container_that_blocks_the_pod(first, status, restarts):
    """v1.37: pkg/printers/internalversion/printers.go, printPod."""
    states = [{"name": "a", "restartCount": 2, "state": first}]
    states += [{"name": "b", "restartCount": 5, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]
    manifest = {
        "metadata": {"name": "web"},
        "spec": {"initContainers": [{"name": "a"}, {"name": "b"}], "containers": [{"name": "c"}]},
        "status": {"phase": "Pending", "initContainerStatuses": states},
    }
    _, line = PodTable().lines(pods([manifest]), 0)
    assert line.split()[2:4] == [status, restarts]


def test_the_age_follows_the_clock():
    pod = Pod(metadata=ObjectMeta(name="web", creationTimestamp=Time(0)), status=PodStatus(phase="Pending"))
    ages = [PodTable().lines([pod], now * SECOND)[1].split()[4] for now in (0, 59, 150, 7200)]
    assert ages == ["0s", "59s", "2m30s", "120m"]


S, MIN, HOUR, DAY, YEAR = SECOND, 60 * SECOND, 3600 * SECOND, 24 * 3600 * SECOND, 365 * 24 * 3600 * SECOND
MS = SECOND // 1000


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (70 * S, "70s"),
        (190 * S, "3m10s"),
        (70 * MIN, "70m"),
        (47 * HOUR, "47h"),
        (49 * HOUR, "2d1h"),
        (8 * DAY + 2 * HOUR, "8d"),
        (367 * DAY, "367d"),
        (2 * YEAR + 25 * HOUR, "2y1d"),
        (8 * YEAR + 2 * HOUR, "8y"),
        (-2 * S, "<invalid>"),
        (-2 * S + 1, "0s"),
        (0, "0s"),
        (S - MS, "0s"),
        (2 * MIN - MS, "119s"),
        (2 * MIN, "2m"),
        (2 * MIN + S, "2m1s"),
        (10 * MIN - MS, "9m59s"),
        (10 * MIN, "10m"),
        (10 * MIN + S, "10m"),
        (3 * HOUR - MS, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + MIN, "3h1m"),
        (8 * HOUR - MS, "7h59m"),
        (8 * HOUR, "8h"),
        (8 * HOUR + 59 * MIN, "8h"),
        (2 * DAY - MS, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + HOUR, "2d1h"),
        (8 * DAY - MS, "7d23h"),
        (8 * DAY, "8d"),
        (8 * DAY + 23 * HOUR, "8d"),
        (2 * YEAR - MS, "729d"),
        (2 * YEAR, "2y"),
        (2 * YEAR + DAY, "2y1d"),
        (8 * YEAR - MS, "7y364d"),
        (8 * YEAR, "8y"),
        (8 * YEAR + 364 * DAY, "8y"),
        (9 * YEAR, "9y"),
    ],
)
def test_durations_as_kubectl_shows_them(microseconds, text):
    """The authors' cases (v1.37: k8s.io/apimachinery pkg/util/duration, duration_test.go)."""
    assert human_duration(microseconds) == text


def test_a_status_cannot_move_the_cursor():
    pod = Pod(metadata=ObjectMeta(name="web"), status=PodStatus(phase="Failed", reason="\x1b[2Jgone"))
    table = "\n".join(PodTable().lines([pod], 0))
    assert "\x1b" not in table
    assert "[U+001B][2Jgone" in table
