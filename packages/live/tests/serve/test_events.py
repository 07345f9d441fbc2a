"""What the server writes of the simulation's events, and how it counts repetitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time
from kschedlab_live.serve import events, kept
from kschedlab_live.serve.events import EventWriter
from kschedlab_live.serve.kept import KeptObjects
from kschedlab_live.serve.kinds import EVENTS, SERVED
from kschedlab_live.serve.server import Server, Serving
from kschedlab_simulation.log import Recorded
from kschedlab_simulation.status import ApiError
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.live.tests.serve.served import TWO_NODES

START = Time.parse("2001-09-09T01:46:40Z")
MINUTE = 60 * SECOND


@pytest.fixture
def store(tmp_path: Path) -> KeptObjects:
    return Server(loads_scenario(TWO_NODES), Serving(tmp_path / "kubeconfig")).objects.kept


def event(at: int, action: str = "Scheduling", pod: str = "a") -> Recorded:
    return Recorded(
        at=START + at,
        kind="Pod",
        key=f"default/{pod}",
        type="Warning",
        reason="FailedScheduling",
        message="no",
        by="default-scheduler",
        action=action,
    )


def stored(store: KeptObjects) -> list[dict[str, Any]]:
    return [store.json(each) for each in store.store(EVENTS).objects.values()]


@pytest.mark.parametrize(
    ("minutes", "counts"),
    [
        ([0], [1]),
        ([0, 6], [2]),
        ([0, 6.01], [1, 1]),
        ([0, 7], [1, 1]),
        ([0, 5, 10, 16], [4]),
        ([0, 5, 12], [2, 1]),
        ([0, 5, 12, 13], [2, 2]),
    ],
)
def test_a_series_ends_after_six_minutes_without_the_event(
    store: KeptObjects, minutes: list[float], counts: list[int]
) -> None:
    """v1.37: client-go tools/events/event_broadcaster.go, finishSeries."""
    EventWriter(store).follow([event(int(each * MINUTE)) for each in minutes])
    found = stored(store)
    assert [each.get("series", {"count": 1})["count"] for each in found] == counts
    for each in found:
        if series := each.get("series"):
            assert series["lastObservedTime"] > each["eventTime"]


def test_an_event_of_the_older_api_is_counted(store: KeptObjects) -> None:
    EventWriter(store).follow([event(each * MINUTE, action="") for each in (0, 5, 20)])
    (found,) = stored(store)
    assert (found["count"], found["lastTimestamp"]) == (3, "2001-09-09T02:06:40Z")


def test_an_event_has_a_name_of_its_own_that_ends_with_its_nanosecond(store: KeptObjects) -> None:
    """v1.37: client-go tools/record/event.go and tools/events/event_recorder.go, makeEvent."""
    EventWriter(store).follow([event(7, pod=pod) for pod in "ab"] + [event(7, action=each, pod="a") for each in "xy"])
    names = [each["metadata"]["name"].rsplit(".", 1) for each in stored(store)]
    assert [name for name, _ in names] == ["a", "b", "a", "a"]
    assert {int(moment, 16) // 1000 for _, moment in names} == {START + 7}
    assert len({moment for _, moment in names}) == 4


def test_an_event_is_in_the_namespace_of_what_it_is_about(store: KeptObjects) -> None:
    EventWriter(store).follow([replace(event(0), key="team/a")])
    assert [each["metadata"]["namespace"] for each in stored(store)] == ["team"]


def test_an_event_about_what_has_no_namespace_is_in_the_default_one(store: KeptObjects) -> None:
    """v1.37: the same makeEvent."""
    about = replace(event(0), kind="Node", key="n1")
    EventWriter(store).follow([about, replace(about, at=START + MINUTE)])
    (found,) = stored(store)
    assert (found["metadata"]["namespace"], found["series"]["count"]) == ("default", 2)
    assert found["involvedObject"] == {"kind": "Node", "name": "n1", "apiVersion": "v1"}


def test_an_event_whose_count_a_client_takes_away_is_counted_from_one(store: KeptObjects) -> None:
    writer = EventWriter(store)
    writer.follow([event(0, action="")])
    (old,) = store.store(EVENTS).objects.values()
    assert stored(store)[0]["count"] == 1
    store.update(EVENTS, old, {name: each for name, each in store.json(old).items() if name != "count"}, "")
    writer.follow([event(MINUTE, action="")])
    assert [each["count"] for each in stored(store)] == [2]


@pytest.mark.parametrize("action", ["", "Scheduling"])
def test_an_event_that_a_client_deletes_is_written_again(store: KeptObjects, action: str) -> None:
    writer = EventWriter(store)
    writer.follow([event(0, action)])
    (old,) = store.store(EVENTS).objects.values()
    store.delete(EVENTS, old, {})
    writer.follow([event(MINUTE, action)])
    (found,) = stored(store)
    assert found["metadata"]["name"] != old.metadata.name and "series" not in found and found.get("count", 1) == 1


def test_only_recent_events_are_counted_with(store: KeptObjects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_REMEMBERED", 2)
    EventWriter(store).follow([event(each, pod=pod) for each, pod in enumerate("abacab")])  # b is forgotten for c
    counted = [(each["involvedObject"]["name"], each.get("series", {"count": 1})["count"]) for each in stored(store)]
    assert counted == [("a", 3), ("b", 1), ("c", 1), ("b", 1)]


def test_a_new_event_takes_the_oldest_one_s_place_and_other_kinds_are_refused(
    store: KeptObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    EventWriter(store).follow([event(each, pod=pod) for each, pod in enumerate("abc")])
    assert [each["involvedObject"]["name"] for each in stored(store)] == ["b", "c"]
    maps = SERVED["v1", "configmaps"]
    for name in "ab":
        store.create(maps, {"metadata": {"name": name, "namespace": "default"}})
    with pytest.raises(ApiError, match="at most 2 ConfigMaps"):
        store.create(maps, {"metadata": {"name": "c", "namespace": "default"}})
