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


def test_the_age_follows_the_clock():
    pod = Pod(metadata=ObjectMeta(name="web", creationTimestamp=Time(0)), status=PodStatus(phase="Pending"))
    ages = [PodTable().lines([pod], now * SECOND)[1].split()[4] for now in (0, 59, 150, 7200)]
    assert ages == ["0s", "59s", "2m30s", "120m"]


def test_a_moment_in_the_future_is_invalid():
    assert [human_duration(int(s * SECOND)) for s in (-1.9, -2)] == ["0s", "<invalid>"]


def test_a_status_cannot_move_the_cursor():
    pod = Pod(metadata=ObjectMeta(name="web"), status=PodStatus(phase="Failed", reason="\x1b[2Jgone"))
    table = "\n".join(PodTable().lines([pod], 0))
    assert "\x1b" not in table
    assert "[U+001B][2Jgone" in table
