"""Informers: their cache converges to the server's state, and handlers receive each change once."""

from collections.abc import Callable
from typing import Any

import pytest
import simpy
from hypothesis import given, strategies as st
from msgspec.structs import replace

from kschedlab.build import pod
from kschedlab.objects.model import Node, ObjectMeta, Pod
from kschedlab_simulation.informers import BACKOFF, Informer, Informers, pod_informer
from kschedlab_simulation.log import Log
from kschedlab_simulation.server.api import BOOKMARKS, ApiServer
from kschedlab_simulation.server.store import WatchEvent
from kschedlab_simulation.status import ApiError
from tests.verdicts import model

NOON = 1_700_000_000_000_000
SECOND = 1_000_000


class Recorder:
    """A handler that records its calls, and checks that the cache was updated before."""

    def __init__(self, informer: Informer[Any], filter: Callable[[Any], bool] | None = None) -> None:
        self.calls: list[str] = []
        self.times: list[int] = []
        self._informer = informer
        informer.add_handler(self._add, self._update, self._delete, filter)

    def take(self) -> list[str]:
        calls, self.calls = self.calls, []
        return calls

    def _add(self, new: Any) -> None:
        self._record("+", new)

    def _update(self, old: Any, new: Any) -> None:
        assert old.metadata.name == new.metadata.name
        self._record("=" if old is new else "~", new)

    def _delete(self, old: Any) -> None:
        assert self._informer.get(old.key) is None or self._informer.get(old.key).metadata != old.metadata
        self.calls.append(f"-{old.metadata.name}")

    def _record(self, what: str, new: Any) -> None:
        assert self._informer.get(new.key) is new
        self.calls.append(f"{what}{new.metadata.name}")
        self.times.append(self._informer._env.now - NOON)


class Harness:
    """A clock and an API server; informers on request."""

    def __init__(self, history: int = 1000) -> None:
        self.env = simpy.Environment(initial_time=NOON)
        self.api = ApiServer(self.env, Log(), history=history)

    def wait(self, microseconds: int = 1) -> None:
        self.env.run(until=self.env.now + microseconds)

    def create(self, *names: str, **spec: Any) -> None:
        for name in names:
            self.api.create(model(pod(name, **spec)))

    def phase(self, name: str, phase: str) -> None:
        self.api.patch_status(Pod, "default", name, phase=phase)

    def delete(self, *names: str) -> None:
        for name in names:
            self.api.delete(Pod, "default", name, 0)

    def informer(self, **more: Any) -> Informer[Pod]:
        informer = Informer(self.env, self.api, Pod, **more)
        informer.start()
        return informer


@pytest.fixture
def world() -> Harness:
    return Harness()


def end_watches(api: ApiServer) -> None:
    """End all watches, as a restarting server does; clients watch again."""
    for store in api._stores.values():
        for watch in list(store.watches):
            watch.stop()


def names(informer: Informer[Any]) -> list[str]:
    return [one.metadata.name for one in informer.list()]


def test_the_first_list_fills_the_cache(world: Harness) -> None:
    world.create("b", "a")
    informer = Informer(world.env, world.api, Pod)
    recorder = Recorder(informer)
    informer.start()
    informer.start()
    assert (informer.synced.triggered, names(informer)) == (False, [])
    world.env.run(until=informer.synced)
    assert (informer.synced.triggered, names(informer), len(informer)) == (True, ["a", "b"], 2)
    assert recorder.take() == ["+a", "+b"]
    assert informer.get("default/a") is world.api.get(Pod, "default", "a")
    assert informer.get("default/c") is None


def test_changes_come_in_order_and_not_within_the_write(world: Harness) -> None:
    informer = world.informer()
    recorder = Recorder(informer)
    world.wait()
    world.create("a", "b")
    world.phase("a", "Running")
    world.delete("b")
    assert recorder.calls == []
    world.wait()
    # Deleting with no grace first marks, then removes, as the real server does.
    assert recorder.take() == ["+a", "+b", "~a", "~b", "-b"]


def test_writes_of_a_handler_are_delivered_later(world: Harness) -> None:
    informer = world.informer()
    depth, order = [], []

    def on_add(new: Pod) -> None:
        depth.append(1)
        order.append((new.metadata.name, len(depth)))
        if new.metadata.name == "a":
            world.create("b")
        depth.pop()

    informer.add_handler(on_add)
    world.wait()
    world.create("a")
    world.wait()
    assert order == [("a", 1), ("b", 1)]


def test_handler_errors_are_not_treated_as_watch_errors(world: Harness) -> None:
    informer = world.informer()
    informer.add_handler(lambda new: world.api.create(new))
    world.wait()
    world.create("a")
    with pytest.raises(ApiError, match="resourceVersion should not be set"):
        world.wait()


def test_latency_delays_lists_and_events(world: Harness) -> None:
    world.create("a")
    informer = world.informer(latency=500)
    recorder = Recorder(informer)
    world.wait(1000)
    world.create("b")
    world.wait(100)
    world.create("c")
    world.wait(1000)
    assert list(zip(recorder.take(), recorder.times, strict=True)) == [("+a", 500), ("+b", 1500), ("+c", 1600)]


def test_a_late_handler_first_receives_cached_objects(world: Harness) -> None:
    informer = world.informer()
    world.create("a")
    world.wait()
    recorder = Recorder(informer)
    assert recorder.calls == []
    world.create("b")
    world.wait()
    world.create("c")
    world.wait()
    assert recorder.take() == ["+a", "+b", "+c"]


def test_a_filtered_handler_sees_objects_start_and_stop_matching(world: Harness) -> None:
    informer = world.informer()
    recorder = Recorder(informer, filter=lambda one: one.status.phase == "Running")
    world.create("a", "b")
    for phase in ("Running", "Running", "Succeeded"):
        world.phase("a", phase)
        world.wait()
    world.delete("a", "b")
    world.wait()
    assert recorder.take() == ["+a", "-a"]


def test_a_server_side_filter_deletes_objects_that_stop_matching(world: Harness) -> None:
    informer = pod_informer(world.env, world.api)
    recorder = Recorder(informer)
    informer.start()
    world.create("a", "b", "c")
    world.phase("c", "Failed")
    world.wait()
    assert names(informer) == ["a", "b"]
    world.phase("a", "Succeeded")
    world.phase("b", "Running")
    world.wait()
    assert recorder.take() == ["+a", "+b", "-a", "~b"]
    assert names(informer) == ["b"]


def test_a_terminating_pod_stays_until_it_is_deleted(world: Harness) -> None:
    informer = pod_informer(world.env, world.api)
    recorder = Recorder(informer)
    informer.start()
    world.create("a")
    world.api.bind("default", "a", "", "n")
    world.api.delete(Pod, "default", "a")
    world.wait()
    assert names(informer) == ["a"]
    world.delete("a")
    world.wait()
    assert (recorder.take(), names(informer)) == (["+a", "~a", "-a"], [])


def test_a_broken_connection_is_resumed_where_it_was(world: Harness) -> None:
    informer = world.informer()
    recorder = Recorder(informer)
    world.create("a", "b")
    world.wait()
    recorder.take()
    informer.disconnect(5 * SECOND)
    world.create("c")
    world.delete("a")
    world.wait(4 * SECOND)
    assert (recorder.take(), names(informer)) == ([], ["a", "b"])
    world.wait(2 * SECOND)
    assert (recorder.take(), names(informer)) == (["+c", "~a", "-a"], ["b", "c"])
    assert informer.list_calls == 1


def test_events_in_transit_when_the_connection_breaks_are_resent(world: Harness) -> None:
    informer = world.informer(latency=1000)
    recorder = Recorder(informer)
    world.wait(2000)
    world.create("a")
    world.wait(500)
    informer.disconnect()
    world.wait(5000)
    assert recorder.take() == ["+a"]


def test_a_client_that_missed_too_much_lists_again() -> None:
    world = Harness(history=2)
    informer = world.informer()
    recorder = Recorder(informer)
    world.create("a", "b", "c")
    world.wait()
    recorder.take()
    informer.disconnect(SECOND)
    world.delete("a")
    world.phase("b", "Running")
    world.create("d")
    world.wait(SECOND + BACKOFF - 10)
    assert (recorder.take(), informer.list_calls) == ([], 1)
    world.wait(20)
    assert recorder.take() == ["-a", "~b", "+d"]  # as processReplacedAllInfo: deletions first, nothing of c
    assert informer.list_calls == 2
    world.phase("c", "Running")
    world.wait()
    assert recorder.take() == ["~c"]


def test_an_error_event_ends_the_watch(world: Harness) -> None:
    informer = world.informer()
    world.wait()
    (watch,) = world.api._stores[Pod].watches
    watch.send(world.env.now, WatchEvent("ERROR", ApiError.expired(1, 2).status))
    world.create("a")
    world.wait(BACKOFF + 10)
    assert (informer.list_calls, names(informer)) == (2, ["a"])
    assert len(world.api._stores[Pod].watches) == 1


def test_the_server_may_end_the_watch(world: Harness) -> None:
    informer = world.informer()
    recorder = Recorder(informer)
    world.wait()
    world.create("a")
    end_watches(world.api)
    world.create("b")
    world.wait()
    assert (recorder.take(), informer.list_calls) == (["+a", "+b"], 1)


def test_a_connection_that_is_down_from_the_start_is_waited_for(world: Harness) -> None:
    world.create("a")
    informer = world.informer()
    informer.disconnect(SECOND)
    world.wait(SECOND - 1)
    assert not informer.synced.triggered
    world.wait(2)
    assert names(informer) == ["a"]


def test_bookmarks_carry_a_filtered_watch_over_what_it_does_not_see() -> None:
    world = Harness(history=3)
    informer = world.informer(filter=lambda one: one.metadata.name == "mine")
    world.create("mine")
    world.wait()
    for i in range(5):
        world.wait(BOOKMARKS)
        world.create(f"other-{i}")
    world.wait()
    assert informer.version == str(world.api.version)
    informer.disconnect(SECOND)
    world.create("late")
    world.wait(2 * SECOND)
    assert (informer.list_calls, names(informer)) == (1, ["mine"])


def test_resyncs_send_every_object_again(world: Harness) -> None:
    informer = world.informer(resync=30 * SECOND)
    recorder = Recorder(informer)
    world.create("a", "b")
    world.wait(31 * SECOND)
    assert recorder.take() == ["+a", "+b", "=a", "=b"]
    world.delete("a")
    world.wait(30 * SECOND)
    assert recorder.take() == ["~a", "-a", "=b"]


def test_objects_by_index(world: Harness) -> None:
    informer = world.informer()
    informer.index_by("node", lambda one: [one.spec.nodeName])
    world.create("a", "b", labels={"app": "web"})
    world.create("c", namespace="other")
    world.api.bind("default", "a", "", "n1")
    world.wait()
    informer.index_by("label", lambda one: one.metadata.labels.values())
    assert [p.metadata.name for p in informer.by_index("label", "web")] == ["a", "b"], "an index that came later"
    assert [p.metadata.name for p in informer.by_index("node", "")] == ["b", "c"]
    assert (sorted(informer.index_values("node")), informer.count("node", ""), informer.count("node", "n2")) == (
        ["", "n1"],
        2,
        0,
    )
    assert [p.metadata.name for p in informer.by_index("node", "n1")] == ["a"]
    assert [p.metadata.name for p in informer.list("other")] == ["c"]
    world.api.bind("default", "b", "", "n1")
    world.delete("a")
    world.wait()
    assert [p.metadata.name for p in informer.by_index("node", "n1")] == ["b"]
    assert [p.metadata.name for p in informer.by_index("label", "web")] == ["b"]
    world.delete("b")
    world.wait()
    assert informer.by_index("label", "web") == informer.by_index("node", "n1") == []


def test_cluster_scoped_objects_have_their_name_as_key(world: Harness) -> None:
    informer = Informer(world.env, world.api, Node)
    informer.start()
    world.api.create(Node(metadata=ObjectMeta(name="n")))
    world.wait()
    assert informer.get("n") is world.api.get(Node, "", "n")


def test_one_informer_per_kind_is_shared(world: Harness) -> None:
    informers = Informers(world.env, world.api)
    mine = informers.register(pod_informer(world.env, world.api))
    assert informers.of(Pod) is mine
    assert informers.of(Node) is informers.of(Node)
    informers.start()
    world.env.run(until=informers.synced)
    assert mine.synced.triggered
    assert informers.of(Node).synced.triggered


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), st.sampled_from("abcde")),
        st.tuples(st.just("delete"), st.sampled_from("abcde")),
        st.tuples(st.just("bind"), st.sampled_from("abcde")),
        st.tuples(st.just("phase"), st.sampled_from("abcde"), st.sampled_from(["Running", "Succeeded", "Failed"])),
        st.tuples(st.just("label"), st.sampled_from("abcde"), st.sampled_from("xyz")),
        st.tuples(st.just("cut"), st.integers(0, 3_000_000)),
        st.tuples(st.just("end")),
        st.tuples(st.just("wait"), st.integers(1, 2_000_000)),
    ),
    max_size=40,
)


def act(world: Harness, informer: Informer[Pod], step: tuple[Any, ...]) -> None:
    try:
        match step:
            case ("create", name):
                world.create(name)
            case ("delete", name):
                world.api.delete(Pod, "default", name)
                world.delete(name)
            case ("bind", name):
                world.api.bind("default", name, "", "n")
            case ("phase", name, phase):
                world.phase(name, phase)
            case ("label", name, value):
                old = world.api.get(Pod, "default", name)
                world.api.update(replace(old, metadata=replace(old.metadata, labels={"l": value})))
            case ("cut", duration):
                informer.disconnect(duration)
            case ("end",):
                end_watches(world.api)
            case ("wait", duration):
                world.wait(duration)
    except ApiError:
        pass


@given(STEPS, st.sampled_from([1, 3, 1000]), st.sampled_from([0, 250_000]), st.booleans())
def test_the_cache_converges_to_the_servers_state(steps, history: int, latency: int, filtered: bool) -> None:
    world = Harness(history)
    informer = (
        pod_informer(world.env, world.api, latency=latency)
        if filtered
        else Informer(world.env, world.api, Pod, latency=latency)
    )
    mirror: dict[str, Pod] = {}

    def on_add(new: Pod) -> None:
        assert new.key not in mirror
        mirror[new.key] = new

    def on_update(old: Pod, new: Pod) -> None:
        assert mirror[old.key] is old
        mirror[new.key] = new

    informer.add_handler(on_add, on_update, lambda old: mirror.pop(old.key))
    informer.start()
    for step in steps:
        act(world, informer, step)
    world.wait(20 * SECOND)
    expected = [p for p in world.api.list(Pod)[0] if not filtered or p.status.phase not in ("Succeeded", "Failed")]
    assert sorted(informer.list(), key=lambda p: p.key) == expected
    assert sorted(mirror.values(), key=lambda p: p.key) == expected


@given(STEPS)
def test_runs_are_reproducible(steps) -> None:
    def story() -> list[str]:
        world = Harness(3)
        informer = world.informer(latency=100)
        recorder = Recorder(informer)
        for step in steps:
            act(world, informer, step)
        world.wait(20 * SECOND)
        return recorder.calls

    assert story() == story()


def test_every_change_of_ten_thousand_pods_reaches_both_informers_once(world: Harness) -> None:
    template = model(pod("x", cpu="100m"))
    informers = [world.informer(), pod_informer(world.env, world.api)]
    informers[1].start()
    recorder = [0, 0]

    def count(i: int) -> Callable[..., None]:
        def one(*_: Pod) -> None:
            recorder[i] += 1

        return one

    for i, informer in enumerate(informers):
        informer.add_handler(count(i), count(i), count(i))
    world.wait()
    for i in range(10_000):
        name = f"p{i}"
        world.api.create(replace(template, metadata=ObjectMeta(name=name, namespace="default")))
        world.api.bind("default", name, "", "n")
        world.phase(name, "Running")
        if i % 10 == 0:
            world.wait(100)
    world.wait()
    assert recorder == [30_000, 30_000]
    assert len(informers[0]) == len(informers[1]) == 10_000
