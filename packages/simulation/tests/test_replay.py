"""Replay: any position can be reached from any other, with the same state forwards and backwards."""

import copy

import pytest
from hypothesis import given, strategies as st

from kschedlab.objects.model import Node, ObjectMeta, Pod, PodSpec
from kschedlab_simulation.log import Changed, Log, Moved, Recorded, Step, read_log
from kschedlab_simulation.replay import Replay


def a_pod(name, node=""):
    return Pod(metadata=ObjectMeta(name=name, namespace="default"), spec=PodSpec(nodeName=node))


def change(at, name, old, new):
    kind = "ADDED" if old is None else "DELETED" if new is None else "MODIFIED"
    return Changed(at=at, type=kind, kind="Pod", key=f"default/{name}", old=old, new=new)


def log_of(*entries):
    log = Log()
    for entry in entries:
        log.write(entry)
    return log


def state(replay):
    return copy.deepcopy((replay.objects, replay.places, replay.steps, replay.now, replay.entry))


RUN = log_of(
    Changed(at=1, type="ADDED", kind="Node", key="n1", new=Node(metadata=ObjectMeta(name="n1"))),
    change(2, "a", None, a_pod("a")),
    Moved(at=2, pod="default/a", origin="", to="active", event="PodAdd"),
    Moved(at=3, pod="default/a", origin="active", to="in flight", event="Pop"),
    Step(at=3, pod="default/a", step="pop"),
    Step(at=3, pod="", step="run"),
    Step(at=4, pod="default/a", step="bind", node="n1"),
    change(4, "a", a_pod("a"), a_pod("a", "n1")),
    Moved(at=5, pod="default/a", origin="in flight", to="gone", event="bound"),
    Recorded(at=5, kind="Pod", key="default/a", type="Normal", reason="Scheduled", message=""),
    change(9, "a", a_pod("a", "n1"), None),
)


def test_forward_shows_what_happened():
    replay = Replay(RUN)
    assert (replay.now, replay.entry, replay.pods()) == (1, None, [])
    replay.seek(5)
    assert replay.places == {"default/a": "in flight"}
    assert replay.steps["default/a"].step == "pop"
    assert [pod.spec.nodeName for pod in replay.pods()] == [""]
    replay.seek(9)
    assert replay.places == {}
    assert replay.steps["default/a"].node == "n1"
    assert [pod.spec.nodeName for pod in replay.pods()] == ["n1"]
    replay.seek(len(replay))
    assert (replay.pods(), replay.steps, [node.metadata.name for node in replay.of(Node)]) == ([], {}, ["n1"])


def test_each_position_is_after_one_entry_and_at_its_time():
    replay = Replay(RUN)
    for position, entry in enumerate(RUN.entries, start=1):
        replay.seek(position)
        assert replay.entry is entry and replay.now == entry.at


def test_positions_beyond_the_ends():
    replay = Replay(RUN)
    assert replay.back() is None
    replay.seek(len(RUN))
    assert replay.forward() is None
    for position in (-1, len(RUN) + 1):
        with pytest.raises(IndexError, match=f"position {position} does not exist: the log ends at 11"):
            replay.seek(position)


def test_seeking_a_time_includes_all_its_entries():
    replay = Replay(RUN)
    positions = []
    for at in (0, 3, 4, 100, 8):
        replay.seek_time(at)
        positions.append(replay.position)
    assert positions == [0, 6, 8, 11, 10]


def test_an_empty_log():
    replay = Replay(Log())
    assert (replay.now, len(replay), replay.forward(), replay.back(), replay.entry) == (0, 0, None, None, None)


def test_a_log_that_grows_is_followed():
    log = log_of(change(1, "a", None, a_pod("a")))
    replay = Replay(log)
    replay.seek(1)
    assert replay.forward() is None
    log.write(change(2, "b", None, a_pod("b")))
    assert replay.forward() is log.entries[1]
    assert [pod.metadata.name for pod in replay.pods()] == ["a", "b"]


entries = st.lists(
    st.builds(
        lambda name, new: change(0, name, None, new and a_pod(name, new)),
        st.sampled_from("abc"),
        st.sampled_from(["", "n1"]),
    )
    | st.builds(
        Moved,
        at=st.just(0),
        pod=st.sampled_from(["default/a", "default/b"]),
        origin=st.just(""),
        to=st.sampled_from(["active", "backoff", "gone"]),
        event=st.just(""),
    )
    | st.builds(Step, at=st.just(0), pod=st.sampled_from(["", "default/a"]), step=st.sampled_from(["pop", "bind"])),
    max_size=15,
)


@given(entries, st.lists(st.integers(0, 15), max_size=10))
def test_a_position_is_the_same_from_both_sides(found, visits):
    log = log_of(*found)
    replay, states = Replay(log), []
    while True:
        states.append(state(replay))
        if replay.forward() is None:
            break
    for position in [v % len(states) for v in visits] + [0]:
        replay.seek(position)
        assert state(replay) == states[position]


def test_a_log_read_back_replays_the_same():
    one, other = Replay(RUN), Replay(read_log(RUN.lines()))
    for position in (4, 11, 7):
        one.seek(position)
        other.seek(position)
        assert state(one) == state(other)
