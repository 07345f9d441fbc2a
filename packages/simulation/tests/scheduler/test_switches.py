"""Each rule of the loop, switched alone, has its documented effect, and changes nothing in an uneventful run."""

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace as put

from kschedlab.build import Manifest, node, pod
from kschedlab.generations import V1_13, V1_16, V1_20, V1_37, Generation
from kschedlab.generations.changes import NAMES, rules_of
from kschedlab.generations.queues import QueueMaker
from kschedlab.objects.model import PersistentVolumeClaim, Pod
from kschedlab.plugins.framework import UNRESOLVABLE, NodeView, Nominate, Plugin, Status, Wait
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ClusterEvent
from kschedlab.queue.with_events import WithEvents
from kschedlab_simulation.log import LogEntry, Recorded, Step
from kschedlab_simulation.scheduler import changes, kube_scheduler
from kschedlab_simulation.scheduler.cache import CacheError
from kschedlab_simulation.scheduler.changes import loop_messages, loop_rules
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.handlers import HandlersMovingAll
from kschedlab_simulation.scheduler.rules import BinderRules, CacheRules, CycleOrder, Eviction, LoopRules, SkippedPods
from packages.simulation.tests.plane import Plane
from tests.course import GENERATIONS
from tests.storage import claim, mount, storage_class

V1_28, V1_32 = map(Generation.named, ("v1.28", "v1.32"))
SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}
LATE = Latencies(watch=500_000)
"""Informers receive changes after half a second."""


SWITCHED: dict[str, LoopRules] = {}
"""The rules of generations that :func:`switched` made, by name."""


def switched(generation: Generation, path: str, value: object) -> Generation:
    """The generation with only this rule of the loop changed, when :func:`run_by` runs it."""

    def inside(holder: Any, names: list[str]) -> Any:
        name, *rest = names
        return replace(holder, **{name: inside(getattr(holder, name), rest) if rest else value})

    changed = replace(generation, name=f"{generation.name} with {path} {value}")
    SWITCHED[changed.name] = inside(loop_rules(generation), path.split("."))
    return changed


def run_by(*manifests: Manifest, generation: Generation, **more: Any) -> Plane:
    """A control plane with the generation's loop."""
    return Plane(*manifests, generation=generation, rules=SWITCHED.get(generation.name), **more)


class Gate(Plugin):
    """Permit: every pod waits."""

    def __init__(self, seconds: float = 60, name: str = "Gate") -> None:
        self.name, self.seconds = name, seconds

    def permit(self, pod: Pod, node: str) -> Wait:
        return Wait(self.seconds)

    def events_to_register(self) -> list[ClusterEvent]:
        return [NODE_ADD]

    def only_waiting(self) -> Any:
        (found,) = self.handle.waiting_pods
        return found


class Meanwhile(Plugin):
    """Something happens while the pod is first filtered; then every node is rejected."""

    def __init__(self, happens: Callable[[Plane, Pod], object]) -> None:
        self.happens, self.plane, self.seen = happens, None, False

    def filter(self, pod: Pod, node: NodeView) -> str:
        if not self.seen:
            self.seen = True
            self.happens(self.plane, pod)
        return "not good enough"


def during_the_cycle(generation: Generation, happens: Callable[[Plane, Pod], object], **more: Any) -> Plane:
    """The pod ``web`` fails on the only node, and this happens meanwhile."""
    plugin = Meanwhile(happens)
    plane = run_by(node("n1"), generation=generation, plugins=[plugin], **more)
    plugin.plane = plane
    plane.create(pod("web"))
    return plane


def gated(generation: Generation, *plugins: Plugin, seconds: float = 0.5) -> Plane:
    plane = run_by(node("n1"), generation=generation, plugins=plugins or [Gate()])
    plane.create(pod("web"))
    plane.run(seconds)
    return plane


def preempting(generation: Generation, **more: Any) -> Plane:
    plane = run_by(node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m"), generation=generation, **more)
    plane.create(pod("web", cpu="500m", priority=9))
    return plane


def place(plane: Plane) -> str:
    found = plane.scheduler.context.queue.places().get("default/web")
    return found.part if found else ""


# -- the effect of each


def reason_of_a_rejection_at_reserve(generation: Generation) -> str:
    class Full(Plugin):
        def reserve(self, pod: Pod, node: str) -> str:
            return "full"

    return gated(generation, Full()).condition("web")[1]


def after_a_rejection_in_pre_bind(generation: Generation) -> tuple[int, int]:
    """The number of tries in some seconds without an event that the plugin waits for, and whether its text is alone."""

    class Late(Plugin):
        def pre_bind(self, pod: Pod, node: str) -> str:
            return "not today"

        def permit(self, pod: Pod, node: str) -> None:
            return None

        def events_to_register(self) -> list[ClusterEvent]:
            return [NODE_ADD]

    plane = gated(generation, Late(), seconds=2.5)
    return plane.steps("web").count("schedule"), plane.condition("web")[2] == "not today"


def order_of_steps(generation: Generation) -> list[str]:
    class Reserves(Plugin):
        def reserve(self, pod: Pod, node: str) -> None:
            pass

    plane = gated(generation, Reserves())
    assert plane.where() == {"web": "n1"}
    return [step for step in plane.steps("web") if step in ("assume", "reserve")]


def order_of_eviction(generation: Generation) -> list[str]:
    plane = preempting(generation)
    plane.run(0.5)
    assert plane.pod("web").status.nominatedNodeName == "n1"
    steps = [entry.step for entry in plane.entries(Step)]
    return [step for step in dict.fromkeys(steps) if step in ("fail", "evict")]


def how_the_victims_go(generation: Generation) -> tuple[bool, int]:
    """Whether a victim that waits on Permit stays; at how many moments two victims are evicted."""

    class Slow(Plugin):
        def permit(self, pod: Pod, node: str) -> Wait | None:
            return Wait(60) if pod.metadata.name == "waiting" else None

    plane = run_by(node("n1", allocatable=SMALL), generation=generation, plugins=[Slow()])
    plane.create(pod("waiting", cpu="800m"))
    plane.run(0.5)
    plane.create(pod("web", cpu="500m", priority=9))
    plane.run(0.5)
    evicted = [pod("a", "n1", cpu="500m"), pod("b", "n1", cpu="500m")]
    two = run_by(node("n1", allocatable=SMALL), *evicted, generation=generation)
    two.create(pod("web", cpu="900m", priority=9))
    two.run(0.5)
    moments = {entry.at for entry in two.entries(Step) if entry.step == "evict"}
    return plane.exists("waiting"), len(moments)


def tries_of_an_assumed_pod_that_is_queued_again(generation: Generation) -> int:
    """It has left the queue but is not bound yet."""

    class Slow(Plugin):
        def pre_bind(self, pod: Pod, node: str) -> Any:
            yield self.handle.sleep(60)

    plane = gated(generation, Slow())
    plane.scheduler.context.queue.add(plane.pod("web"))
    plane.run()
    return plane.steps("web").count("schedule")


def tries_of_an_assumed_pod_that_is_annotated(generation: Generation) -> int:
    plane = gated(generation)
    web = plane.pod("web")
    plane.api.update(put(web, metadata=put(web.metadata, annotations={"a": "b"})))
    plane.run()
    return plane.steps("web").count("schedule")


def tries_after_the_node_changed_during_the_cycle(generation: Generation) -> int:
    """Only its heartbeat did."""

    def beats(plane: Plane, _: Pod) -> None:
        n1 = plane.node("n1")
        plane.api.update(put(n1, metadata=put(n1.metadata, annotations={"a": "b"})))

    plane = during_the_cycle(generation, beats)
    plane.run(5)
    return plane.steps("web").count("schedule")


def place_after_an_identical_update(generation: Generation) -> str:
    """For a pod that is not in the queue."""
    plane = run_by(node("n1", allocatable=SMALL | {"pods": "0"}), generation=generation)
    plane.create(pod("web"))
    plane.run(5)
    web = plane.pod("web")
    plane.scheduler.context.queue.delete(web)
    HandlersMovingAll(plane.scheduler.context).update_pod(web, web)
    return place(plane)


def waiting_after_deletion(generation: Generation) -> int:
    plane = gated(generation)
    plane.delete("web", grace=0)
    plane.run()
    return len(list(plane.scheduler.context.waiting))


def place_of_a_pod_that_was_deleted(generation: Generation) -> str:
    plane = during_the_cycle(generation, lambda plane, pod: plane.delete("web", grace=0), latencies=LATE)
    plane.run(0.8)
    return place(plane)


def tries_of_a_pod_that_another_scheduler_bound(generation: Generation) -> int:
    """v1.20 tries it over and over, and it is never assumed: it is in the cache."""
    plane = during_the_cycle(generation, lambda plane, pod: plane.api.bind("default", "web", pod.metadata.uid, "n1"))
    plane.run(2.5)
    assert plane.where() == {"web": "n1"}
    return plane.steps("web").count("schedule")


def failures_of_a_pod_whose_namesake_came(generation: Generation) -> int:
    """The second pod's condition does not mention the first one's failure, which has no event."""

    def replaced(plane: Plane, _: Pod) -> None:
        plane.delete("web", grace=0)
        plane.create(pod("web", cpu="1"))

    plane = during_the_cycle(generation, replaced, latencies=Latencies(cycle=10_000))
    plane.run(0.012)
    return len(plane.events("web"))


def nomination_that_came_during_the_cycle(generation: Generation) -> str:
    def nominated(plane: Plane, _: Pod) -> None:
        plane.api.patch_status(Pod, "default", "web", nominatedNodeName="n1")

    plane = during_the_cycle(generation, nominated)
    plane.run(0.0045)
    assert "fail" in plane.steps("web") and plane.steps("web").count("schedule") == 1
    return plane.pod("web").status.nominatedNodeName


def nominated_in_the_queue_at_once(generation: Generation) -> list[str]:
    plane = preempting(generation, latencies=LATE)
    plane.run(0.55)
    return [pod.metadata.name for pod in plane.scheduler.context.queue.nominated("n1")]


def nomination_of_a_pod_that_fits_nowhere(generation: Generation) -> str:
    there = node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m"), pod("web", cpu="500m", nominated="n1")
    plane = run_by(*there, generation=generation)
    plane.run(0.5)
    return plane.pod("web").status.nominatedNodeName


def nomination_before_binding(generation: Generation) -> str:
    return gated(generation).pod("web").status.nominatedNodeName


def conditions_after_a_change_that_the_informer_missed(generation: Generation) -> list[str]:
    def labelled(plane: Plane, _: Pod) -> None:
        web = plane.pod("web")
        plane.api.update(put(web, metadata=put(web.metadata, labels={"a": "b"})))

    plane = during_the_cycle(generation, labelled, latencies=LATE)
    plane.run(0.8)
    return [condition.type for condition in plane.pod("web").status.conditions]


def probe_time_is_set(generation: Generation) -> bool:
    plane = during_the_cycle(generation, lambda plane, pod: None)
    plane.run(0.5)
    return plane.pod("web").status.conditions[0].lastProbeTime is not None


RECORDED = [
    ("default-scheduler", "Scheduling", ""),
    ("default-scheduler", "Preempting", "Pod default/web"),
]


def who_records_what(generation: Generation) -> list[tuple[str, str, str]]:
    """The component, action and related object of the events, as they first come."""
    plane = preempting(generation)
    plane.run(60)
    return list(dict.fromkeys((each.by, each.action, each.related) for each in plane.entries(Recorded)))


def length_of_a_long_event(generation: Generation) -> list[int]:
    """The lengths of the events about a pod that a filter refuses with 2,000 letters; the condition has them all."""

    class Talkative(Plugin):
        def filter(self, pod: Pod, node: NodeView) -> str:
            return "a" * 2000

    plane = run_by(node("n1"), generation=generation, plugins=[Talkative()])
    plane.create(pod("web"))
    plane.run(0.5)
    assert len(plane.condition("web")[2]) == 2028
    return [len(message) for _, message in plane.events("web")][:1]


def generations_in_conditions(generation: Generation) -> list[int]:
    """Of the conditions that the scheduler writes: PodScheduled of a pod that waits, DisruptionTarget of its victim."""
    plane = preempting(generation)
    plane.run(0.5)
    return [plane.pod(name).status.conditions[0].observedGeneration for name in ("web", "old")]


def conditions_of_a_victim(generation: Generation) -> list[str]:
    plane = preempting(generation)
    plane.run(0.5)
    return [condition.type for condition in plane.pod("old").status.conditions]


def bound_once_one_of_two_allows(generation: Generation) -> bool:
    plane = gated(generation, gate := Gate(60, "First"), Gate(90, "Second"))
    gate.only_waiting().allow("First")
    plane.run(0.5)
    return plane.where() == {"web": "n1"}


def tries_of_a_neighbour_after_a_failed_binding(generation: Generation) -> int:
    """``web`` occupies the whole node until its binding fails; ``next`` fits once it is free."""

    class Slow(Plugin):
        def bind(self, pod: Pod, node: str) -> Any:
            yield self.handle.sleep(5)
            return "not today" if pod.metadata.name == "web" else None

    plane = run_by(node("n1", allocatable=SMALL), generation=generation, plugins=[Slow()])
    plane.create(pod("web", cpu="800m"))
    plane.run(0.5)
    plane.create(pod("next", cpu="500m"))
    plane.run(5)
    return plane.steps("next").count("schedule")


def tries_after_a_waiting_pod_is_deleted(generation: Generation) -> int:
    """``next`` fits once ``web``, which waits on Permit, is gone."""
    plane = run_by(node("n1", allocatable=SMALL), generation=generation, plugins=[Gate()])
    plane.create(pod("web", cpu="800m"))
    plane.run(0.5)
    plane.create(pod("next", cpu="500m", preemptionPolicy="Never"))
    plane.run(5)
    plane.delete("web", grace=0)
    plane.run(0.5)
    return plane.steps("next").count("schedule")


def where_the_room_of_a_terminating_pod_goes(generation: Generation) -> str:
    plane = run_by(node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m"), generation=generation)
    plane.create(pod("web", cpu="500m"))
    plane.run(5)
    plane.delete("old", grace=30)
    plane.run(5)
    return plane.where()["web"]


class Forgetful(Plugin):
    """Bind: claims to have bound the pod."""

    def bind(self, pod: Pod, node: str) -> None:
        pass


def assumed_pods_that_nobody_confirms(generation: Generation) -> int:
    plane = gated(generation, Forgetful(), seconds=60)
    return plane.scheduler.context.cache.sizes()["assumed_pods"]


def removed_while_assumed(generation: Generation) -> bool:
    plane = gated(generation)
    try:
        plane.scheduler.context.cache.remove_pod(plane.pod("web"))
    except CacheError:
        return False
    return True


def forgotten_though_unknown(generation: Generation) -> bool:
    plane = run_by(node("n1"), generation=generation)
    plane.create(pod("web", "n9"))
    try:
        plane.scheduler.context.cache.forget_pod(plane.pod("web"))
    except CacheError:
        return False
    return True


def selected_node_after_a_rejection(generation: Generation) -> dict[str, str]:
    plane = run_by(node("n1"), storage_class("wait"), claim("c"), generation=generation, plugins=[gate := Gate()])
    plane.create(pod("web", volumes=[mount("c")]))
    plane.run(0.5)
    gate.only_waiting().reject("Gate", "not today")
    plane.run(0.5)
    found = plane.scheduler.context.cache.cluster().find(PersistentVolumeClaim, ("default", "c"))
    assert found is not None
    return found.metadata.annotations


NODE = {"volume.kubernetes.io/selected-node": "n1"}
NOT_ANNOTATIONS = tuple(name for name in loop_rules(V1_20).ignored_changes if name != "annotations")


class Hopeless(Plugin):
    def post_filter(self, pod: Pod, refused: object) -> Status:
        return Status(UNRESOLVABLE, "nothing helps")


class Nominating(Plugin):
    def post_filter(self, pod: Pod, refused: object) -> Nominate:
        return Nominate("n1")


def nominated_although_nothing_helps(generation: Generation) -> str:
    plane = run_by(node("n1", allocatable=SMALL), generation=generation, plugins=[Hopeless(), Nominating()])
    plane.create(pod("large", cpu=2))
    plane.run(1)
    return plane.pod("large").status.nominatedNodeName


AFTER_RESERVE = tuple(point for point in loop_rules(V1_37).rejecting_points if point != "reserve")
CASES: list[tuple[Generation, str, object, Callable[[Generation], object], object, object]] = [
    (
        V1_37,
        "rejecting_points",
        AFTER_RESERVE,
        reason_of_a_rejection_at_reserve,
        "Unschedulable",
        "SchedulerError",
    ),
    (V1_32, "pre_bind_rejects_as_filters", False, after_a_rejection_in_pre_bind, (1, 0), (2, 1)),
    (V1_37, "unresolvable_ends_post_filter", False, nominated_although_nothing_helps, "", "n1"),
    (V1_20, "unresolvable_ends_post_filter", True, nominated_although_nothing_helps, "n1", ""),
    (V1_37, "cycle", CycleOrder.RESERVE_FIRST, order_of_steps, ["assume", "reserve"], ["reserve", "assume"]),
    (V1_20, "cycle", CycleOrder.RESERVE_FIRST, order_of_steps, ["assume", "reserve"], ["reserve", "assume"]),
    (V1_37, "eviction", Eviction.IN_POST_FILTER, order_of_eviction, ["fail", "evict"], ["evict", "fail"]),
    (V1_20, "eviction", Eviction.AFTER_FAILURE, order_of_eviction, ["evict", "fail"], ["fail", "evict"]),
    (V1_28, "evicts_at_once", False, how_the_victims_go, (True, 1), (True, 2)),
    (V1_28, "keeps_waiting_victims", False, how_the_victims_go, (True, 1), (False, 1)),
    (V1_37, "skips", SkippedPods.NONE, tries_of_an_assumed_pod_that_is_queued_again, 1, 2),
    (V1_20, "ignored_changes", NOT_ANNOTATIONS, tries_of_an_assumed_pod_that_is_annotated, 1, 2),
    (V1_20, "moves_for_any_node", False, tries_after_the_node_changed_during_the_cycle, 2, 1),
    (V1_20, "ignores_identical_updates", False, place_after_an_identical_update, "", "active"),
    (V1_20, "rejects_deleted_waiting_pods", False, waiting_after_deletion, 0, 1),
    (V1_37, "reads_api", True, place_of_a_pod_that_was_deleted, "unschedulable", ""),
    (V1_20, "requeues_assigned_pods", False, tries_of_a_pod_that_another_scheduler_bound, 2, 1),
    (V1_37, "checks_uid", False, failures_of_a_pod_whose_namesake_came, 0, 1),
    (V1_37, "reports_newest_pod", False, nomination_that_came_during_the_cycle, "", "n1"),
    (V1_28, "reports_newest_pod", True, nomination_that_came_during_the_cycle, "n1", ""),
    (V1_37, "queues_nomination", False, nominated_in_the_queue_at_once, ["web"], []),
    (V1_37, "clears_nomination", False, nomination_of_a_pod_that_fits_nowhere, "", "n1"),
    (V1_37, "nominates_before_binding", False, nomination_before_binding, "n1", ""),
    (
        V1_37,
        "patches_status",
        False,
        conditions_after_a_change_that_the_informer_missed,
        ["PodScheduled"],
        [],
    ),
    (V1_37, "sets_probe_time", True, probe_time_is_set, False, True),
    (V1_37, "names_actions", False, who_records_what, RECORDED, [("default-scheduler", "", "")]),
    (V1_20, "truncates_events", False, length_of_a_long_event, [1024], []),
    (V1_13, "truncates_events", True, length_of_a_long_event, [2028], [1024]),
    (V1_37, "notes_generation", False, generations_in_conditions, [1, 1], [0, 0]),
    (V1_37, "marks_victims", False, conditions_of_a_victim, ["DisruptionTarget"], []),
    (V1_37, "one_permit_timer", True, bound_once_one_of_two_allows, False, True),
    (V1_37, "moves_pods_after_failed_binding", False, tries_of_a_neighbour_after_a_failed_binding, 2, 1),
    (V1_28, "moves_pods_after_failed_binding", False, tries_after_a_waiting_pod_is_deleted, 2, 1),
    (V1_37, "sees_terminating_pods", False, where_the_room_of_a_terminating_pod_goes, "", "n1"),
    (V1_37, "cache.assumed_pod_ttl", 30_000_000, assumed_pods_that_nobody_confirms, 1, 0),
    (V1_37, "cache.removes_assumed_pods", False, removed_while_assumed, True, False),
    (V1_37, "cache.forgets_unknown_pods", False, forgotten_though_unknown, True, False),
    (V1_37, "cache.binder.reverts_assumed_volumes", False, selected_node_after_a_rejection, {}, NODE),
]
ELSEWHERE = {"cache", "cache.binder"} | {
    f"cache.binder.{name}" for name in ("checks_storage_capacity", "translates", "waits_for_informer")
}
"""Records, and rules that ``test_volumes`` covers."""


@pytest.mark.parametrize(
    ("generation", "rule", "value", "look", "before", "after"),
    CASES,
    ids=[f"{case[0].name}-{case[1]}" for case in CASES],
)
def test_the_rule_alone_has_its_documented_effect(
    generation: Generation, rule: str, value: object, look: Any, before: object, after: object
) -> None:
    assert look(generation) == before
    assert look(switched(generation, rule, value)) == after


def calm_day(generation: Generation) -> Plane:
    """Three pods arrive one by one and fit; one of them is deleted."""
    plane = run_by(node("n1"), node("n2"), generation=generation)
    for name in "abc":
        plane.create(pod(name, cpu="100m"))
        plane.run(2)
    plane.delete("b", grace=0)
    plane.run(2)
    return plane


@pytest.mark.parametrize(
    ("generation", "rule", "value"), [case[:3] for case in CASES], ids=[f"{case[0].name}-{case[1]}" for case in CASES]
)
def test_an_uneventful_run_is_unchanged(generation: Generation, rule: str, value: object) -> None:
    """The whole log is equal, except for the order of a cycle and the actions of events."""
    plain, other = calm_day(generation), calm_day(switched(generation, rule, value))
    assert plain.where() == other.where()
    queue = other.scheduler.context.queue
    assert queue.places() == {} and not (isinstance(queue, WithEvents) and list(queue.in_flight.pods()))
    if rule in ("cycle", "pre_bind_rejects_as_filters"):
        return
    assert list(map(without_action, plain.log)) == list(map(without_action, other.log))


def without_action(entry: LogEntry) -> LogEntry:
    return put(entry, action="") if isinstance(entry, Recorded) else entry


def test_every_rule_is_switched() -> None:
    names = {field.name for field in fields(LoopRules)}
    names |= {f"cache.{field.name}" for field in fields(CacheRules)}
    names |= {f"cache.binder.{field.name}" for field in fields(BinderRules)}
    assert {rule for _, rule, *_ in CASES} | ELSEWHERE == names


@pytest.mark.parametrize("queue", [each.queue for each in GENERATIONS.values()], ids=lambda queue: queue.name)
@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=GENERATIONS)
def test_every_queue_works_in_every_generation(generation: Generation, queue: QueueMaker) -> None:
    plane = run_by(node("n1", allocatable=SMALL), generation=replace(generation, queue=queue))
    plane.create(pod("web", cpu="800m"))
    plane.run(2)
    plane.create(pod("next", cpu="500m"))
    plane.run(5)
    assert plane.where() == {"web": "n1", "next": ""}
    plane.delete("web", grace=0)
    plane.run(400)
    assert plane.where() == {"next": "n1"}


def steps_and_nodes(generation: Generation) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """The steps of a run with failures, without their details, and each pod's node."""
    plane = run_by(node("n1", allocatable=SMALL), generation=generation, plugins=[gate := Gate(2)])
    plane.create(pod("web", cpu="800m"), pod("next", cpu="500m"), pod("urgent", cpu="900m", priority=9))
    plane.run(5)
    for waiting in gate.handle.waiting_pods:
        waiting.reject("Gate", "not today")
    plane.run(30)
    return [(entry.pod, entry.step, entry.node) for entry in plane.entries(Step)], plane.where()


def test_a_version_names_its_differences_alone() -> None:
    for older, newer in pairwise(NAMES):
        before = rules_of(older, changes.CHANGES)
        assert [path for path, value in changes.CHANGES.get(newer, {}).items() if before[path] == value] == []


def test_messages_affect_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    before = steps_and_nodes(V1_37)
    monkeypatch.setattr(kube_scheduler, "loop_messages", lambda generation: loop_messages(V1_16))
    assert steps_and_nodes(replace(V1_37, messages=V1_16.messages)) == before


def test_messages_do_not_affect_the_range_of_scores() -> None:
    class Fifty(Plugin):
        def score(self, pod: Pod, node: NodeView) -> int:
            return 50

    plane = run_by(node("n1"), node("n2"), generation=replace(V1_37, messages=V1_16.messages), plugins=[Fifty()])
    plane.create(pod("web"))
    plane.run()
    assert plane.where()["web"]
