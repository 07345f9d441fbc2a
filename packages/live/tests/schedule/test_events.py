"""Events: written once, then counted as a series."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from kschedlab.objects.model import ObjectMeta, Pod
from kschedlab_live.schedule import events as module
from kschedlab_live.schedule.events import EventSink
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.log import Recorded
from packages.live.tests.schedule.fakes import FakeClient, run

PODS = {
    name: Pod(metadata=ObjectMeta(name, "default", uid=f"u-{name}", resourceVersion="5")) for name in ("web", "big")
}


def find(kind: str, key: str) -> Any:
    return PODS.get(key.rpartition("/")[2])


def failed(pod: str = "web", message: str = "0/3 nodes are available.") -> Recorded:
    return Recorded(
        at=0,
        kind="Pod",
        key=f"default/{pod}",
        type="Warning",
        reason="FailedScheduling",
        message=message,
        by="kschedlab",
        action="Scheduling",
    )


def written(*steps: Any, answers: Any = lambda *_: {}, notes: list[str] | None = None) -> list[tuple[str, str, Any]]:
    """(method, path, body) of what the sink asks for; a step is an event, or something to do with the sink."""
    client = FakeClient(answers)

    async def write() -> None:
        sink = EventSink(client, "host", find, [].append if notes is None else notes.append)
        sink.start()
        for step in steps:
            sink(step) if isinstance(step, Recorded) else step(sink)
            await sink._queue.join()
        await sink.close(1.0)

    run(write())
    return [(method, path, body) for method, path, body, _ in client.asked]


def test_an_event_says_all_that_the_real_one_says() -> None:
    ((method, path, event),) = written(failed())
    assert (method, path) == ("POST", "/apis/events.k8s.io/v1/namespaces/default/events")
    assert event.pop("metadata")["name"].startswith("web.") and event.pop("eventTime").endswith("Z")
    assert event == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "type": "Warning",
        "reason": "FailedScheduling",
        "action": "Scheduling",
        "note": "0/3 nodes are available.",
        "regarding": {
            "kind": "Pod",
            "apiVersion": "v1",
            "name": "web",
            "namespace": "default",
            "uid": "u-web",
            "resourceVersion": "5",
        },
        "reportingController": "kschedlab",
        "reportingInstance": "kschedlab-host",
    }


def test_a_preemption_names_who_came() -> None:
    event = Recorded(
        at=0, kind="Pod", key="default/web", type="Normal", reason="Preempted", message="x", related="Pod default/big"
    )
    ((_, _, body),) = written(event)
    assert body["related"]["name"] == "big" and body["related"]["uid"] == "u-big"


def test_repetitions_become_a_series_that_is_written_when_it_begins_and_ends() -> None:
    end = time.monotonic() + 1000
    asked = written(failed(), failed(), failed(), failed(), failed("big"), lambda sink: sink.finish(end), failed())
    assert [(method, (body.get("series") or {}).get("count")) for method, _, body in asked] == [
        ("POST", None),
        ("PATCH", 2),
        ("POST", None),
        ("PATCH", 4),
        ("POST", None),
    ]
    assert asked[1][1] == f"/apis/events.k8s.io/v1/namespaces/default/events/{asked[0][2]['metadata']['name']}"


def test_a_series_whose_event_is_gone_is_written_anew() -> None:
    def answer(method: str, *_: Any) -> Any:
        return failure(404, "NotFound", "gone") if method == "PATCH" else {}

    asked = written(failed(), failed(), answers=answer)
    assert [each[0] for each in asked] == ["POST", "PATCH", "POST"]
    assert asked[2][2]["series"]["count"] == 2


def test_a_refused_event_is_said_and_one_without_an_answer_is_tried_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)
    notes: list[str] = []
    answers = [failure(403, "Forbidden", "no"), failure(503, "", "away"), {}]
    asked = written(failed(), failed("big"), answers=lambda *_: answers.pop(0), notes=notes)
    assert notes == ["an event was refused: no"] and len(asked) == 3


def slept(monkeypatch: Any) -> list[float]:
    """How long the sink sleeps, which takes no time."""
    waits, sleep = list[float](), asyncio.sleep

    async def turn(seconds: float) -> None:
        for _ in range(20):
            await sleep(0)
        waits.append(seconds)

    monkeypatch.setattr(module, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": turn}))
    return waits


@pytest.mark.parametrize(
    ("code", "tries", "told"), [(409, 1, 0), (400, 1, 1), (403, 1, 1), (499, 1, 1), (500, 12, 0), (503, 12, 0)]
)
def test_a_server_in_trouble_is_asked_twelve_times_at_most(code: int, tries: int, told: int, monkeypatch: Any) -> None:
    """v1.37: client-go tools/events/event_broadcaster.go, maxTriesPerEvent, defaultSleepDuration."""
    waits = slept(monkeypatch)
    notes: list[str] = []
    asked = written(failed(), answers=lambda *_: failure(code, "", "no"), notes=notes)
    assert (len(asked), len(notes)) == (tries, told)
    assert [each for each in waits if 0 < each < 60][: tries - 1] == [10.0] * (tries - 1)


def test_a_series_ends_after_six_quiet_minutes_and_one_that_goes_on_is_written_each_half_hour(monkeypatch: Any) -> None:
    """v1.37: the same file, finishTime, refreshTime."""
    asked: list[tuple[float, str]] = []
    waits = slept(monkeypatch)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: sum(waits), time_ns=time.time_ns))

    def answer(method: str, path: str, *_: Any) -> Any:
        asked.append((sum(waits) / 60, path.rpartition("/")[2].partition(".")[0] if method == "PATCH" else method))
        return {}

    async def repeat() -> None:
        sink = EventSink(FakeClient(answer), "host", find, [].append)
        for pod in ("web", "web", "big", "big"):
            sink(failed(pod))
        sink.start()
        while sum(waits) < 61 * 60:
            sink(failed("web"))
            await asyncio.sleep(0)
        await sink.close(1.0)

    run(repeat())
    assert [each for each in asked if each[0] > 0] == [(12, "big"), (30, "web"), (60, "web")]


def test_a_series_that_comes_back_meanwhile_is_counted_again(monkeypatch: Any) -> None:
    """v1.37: the same file, recordEvent: an Event of a series that exists already is patched once more."""
    monkeypatch.setattr(module, "PAUSE", 0.0)
    answers: list[Any] = [{}, failure(404, "NotFound", "gone"), failure(409, "AlreadyExists", "there"), {}]
    asked = written(failed(), failed(), answers=lambda *_: answers.pop(0))
    assert [method for method, _, _ in asked] == ["POST", "PATCH", "POST", "PATCH"]


def test_too_many_at_once_are_dropped() -> None:
    """v1.37: the same file, maxQueuedEvents."""

    async def flood() -> int:
        sink = EventSink(FakeClient(lambda *_: {}), "host", find, print)
        for number in range(1_007):
            sink(failed(f"pod-{number}"))
        return sink.dropped

    assert run(flood()) == 7
