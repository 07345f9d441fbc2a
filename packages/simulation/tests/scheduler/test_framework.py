"""Users' plugins at every extension point, and the handling of faulty ones."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace as put

from kschedlab.build import node, pod
from kschedlab.generations import Generation
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import (
    POINTS,
    SKIP,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    NodeView,
    Nominate,
    Plugin,
    Skip,
    Status,
    Wait,
)
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ClusterEvent
from packages.simulation.tests.plane import Plane
from tests.storage import storage_class

SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}


class Everywhere(Plugin):
    """Implements every extension point of a binding and records the calls."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def pre_enqueue(self, pod: Pod) -> None:
        self.seen.append("pre_enqueue")

    def pre_filter(self, pod: Pod) -> None:
        self.seen.append("pre_filter")

    def filter(self, pod: Pod, node: NodeView) -> None:
        self.seen.append(f"filter {node.name}")

    def pre_score(self, pod: Pod, nodes: list[str]) -> None:
        self.seen.append(f"pre_score {' '.join(nodes)}")

    def score(self, pod: Pod, node: NodeView) -> int:
        self.seen.append(f"score {node.name}")
        return {"n1": 1, "n2": 50}[node.name]

    def normalize(self, scores: dict[str, int]) -> dict[str, int]:
        self.seen.append("normalize")
        return {name: score * 2 for name, score in scores.items()}

    def reserve(self, pod: Pod, node: str) -> None:
        self.seen.append(f"reserve {node}")

    def permit(self, pod: Pod, node: str) -> None:
        self.seen.append(f"permit {node}")

    def pre_bind(self, pod: Pod, node: str) -> None:
        self.seen.append(f"pre_bind {node}")

    def bind(self, pod: Pod, node: str) -> Skip:
        self.seen.append(f"bind {node}")
        return SKIP

    def post_bind(self, pod: Pod, node: str) -> None:
        self.seen.append(f"post_bind {node}")


def test_a_plugin_is_called_at_every_point_in_order() -> None:
    plugin = Everywhere()
    plane = Plane(node("n1"), node("n2"), plugins=[plugin])
    plane.create(pod("web"))
    plane.run()
    before = "pre_enqueue|pre_filter|filter n1|filter n2|pre_score n1 n2|score n1|score n2|normalize"
    after = "reserve n2|permit n2|pre_bind n2|bind n2|post_bind n2"
    assert plugin.seen == f"{before}|{after}".split("|")
    assert plane.where() == {"web": "n2"}


def test_any_class_with_these_methods_is_a_plugin() -> None:
    class OnlySecond:
        def filter(self, pod: Pod, node: NodeView) -> str | None:
            return None if node.name == "n2" else "not the second"

    plane = Plane(node("n1"), node("n2"), plugins=[OnlySecond()])
    plane.create(pod("web"))
    plane.run()
    assert plane.where() == {"web": "n2"}


def test_a_filter_sees_the_pods_on_a_node_and_preemption_frees_it() -> None:
    class AtMostOne(Plugin):
        def filter(self, pod: Pod, node: NodeView) -> str | None:
            return "taken" if node.pods else None

    plane = Plane(node("n1"), plugins=[AtMostOne()])
    plane.create(pod("first"))
    plane.run()
    plane.create(pod("second"))
    plane.run()
    wanted = "0/1 nodes are available: 1 taken. preemption: 0/1 nodes are available: 1 No preemption victims found"
    assert plane.condition("second")[2].startswith(wanted)
    plane.create(pod("third", priority=9))
    plane.run()
    assert plane.pod("third").status.nominatedNodeName == "n1"
    assert plane.pod("first").metadata.deletionTimestamp is not None


def test_an_unresolvable_rejection_does_not_cause_preemption() -> None:
    class Never(Plugin):
        def filter(self, pod: Pod, node: NodeView) -> Status | None:
            return Status(UNRESOLVABLE, "never") if pod.spec.priority else None

    plane = Plane(node("n1"), pod("old", "n1"), plugins=[Never()])
    plane.create(pod("web", priority=9))
    plane.run()
    assert plane.condition("web")[2].endswith("1 Preemption is not helpful for scheduling.")


@pytest.mark.parametrize("code", [UNSCHEDULABLE, UNRESOLVABLE])
def test_prefilter_says_whether_preemption_could_help(code: str) -> None:
    class Never(Plugin):
        def pre_filter(self, pod: Pod) -> Status | None:
            return Status(code, "never") if pod.spec.priority else None

    plane = Plane(node("n1"), pod("old", "n1"), plugins=[Never()])
    plane.create(pod("web", priority=9))
    plane.run()
    assert ("Preemption is not helpful" in plane.condition("web")[2]) == (code == UNRESOLVABLE)


def test_prefilter_may_reject_the_pod_restrict_nodes_or_skip() -> None:
    class Choosy(Plugin):
        def pre_filter(self, pod: Pod) -> Any:
            return {"refused": "not you", "narrowed": {"n2"}, "skipped": SKIP}[pod.metadata.name]

        def filter(self, pod: Pod, node: NodeView) -> str | None:
            return None if node.name == "n2" else "not there"

    plane = Plane(node("n1"), node("n2"), plugins=[Choosy()])
    plane.create(pod("refused"), pod("narrowed"), pod("skipped"))
    plane.run()
    assert plane.where() == {"narrowed": "n2", "refused": "", "skipped": "n1"}
    assert plane.condition("refused")[2].startswith("0/2 nodes are available: not you.")


def test_queue_sort_orders_the_active_queue() -> None:
    class ByName(Plugin):
        def less(self, one: Any, other: Any) -> bool:
            return bool(one.pod.metadata.name < other.pod.metadata.name)

    plane = Plane(node("n1"), plugins=[ByName()])
    plane.create(pod("c", priority=9), pod("a"), pod("b"))
    plane.run()
    assert [entry.pod for entry in plane.log if getattr(entry, "step", "") == "pop"] == [
        "default/a",
        "default/b",
        "default/c",
    ]


def test_a_queue_sort_plugin_that_fails_keeps_the_order_and_is_named() -> None:
    class Broken(Plugin):
        def less(self, one: Any, other: Any) -> bool:
            raise ValueError("no order")

    plane = Plane(node("n1"), plugins=[Broken()])
    plane.run(1)
    for name in "cab":
        plane.create(pod(name, priority=ord(name)))
    plane.run()
    popped = [entry.pod for entry in plane.log if getattr(entry, "step", "") == "pop"]
    assert popped == ["default/c", "default/a", "default/b"]
    said = {entry.detail for entry in plane.log if getattr(entry, "step", "") == "less"}
    assert len(said) == 1 and said.pop().startswith("Broken: ")


def test_preenqueue_holds_a_pod_until_an_event_that_it_registers_for() -> None:
    class Gate(Plugin):
        open = False

        def pre_enqueue(self, pod: Pod) -> str | None:
            return None if self.open else "closed"

        def events_to_register(self) -> list[ClusterEvent]:
            return [ClusterEvent("Node", frozenset(["Add"]))]

    gate = Gate()
    plane = Plane(node("n1"), plugins=[gate])
    plane.create(pod("web"))
    plane.run()
    assert plane.steps("web") == []
    gate.open = True
    plane.run()
    assert plane.steps("web") == []
    plane.create(node("n2"))
    plane.run()
    assert plane.where()["web"]


def test_a_hint_decides_which_events_requeue_the_pod() -> None:
    class Labelled(Plugin):
        tries = 0

        def filter(self, pod: Pod, node: NodeView) -> str | None:
            self.tries += 1
            return None if "right" in node.node.metadata.labels else "wrong"

        def events_to_register(self) -> Any:
            return [(ClusterEvent("Node", frozenset(["Add"])), lambda pod, old, new: "right" in new.metadata.labels)]

    plugin = Labelled()
    plane = Plane(node("n1"), plugins=[plugin])
    plane.create(pod("web"))
    plane.run()
    tried = plugin.tries
    plane.create(node("n2"))
    plane.run(60)
    assert plugin.tries == tried
    plane.create(node("n3", labels={"right": ""}))
    plane.run(10)
    assert plane.where() == {"web": "n3"}


def test_postfilter_may_nominate_or_return_a_reason() -> None:
    class Advice(Plugin):
        def post_filter(self, pod: Pod, refused: Any) -> Any:
            assert (refused["n1"].message, refused["n1"].plugin) == ("Too many pods", "NodeResourcesFit")
            if pod.metadata.name == "doomed":
                raise ZeroDivisionError("division by zero")
            if pod.metadata.name == "silent":
                return None
            return Nominate("n1") if pod.metadata.name == "lucky" else "ask somebody else"

    plane = Plane(node("n1", allocatable={"cpu": "1", "memory": "1Gi", "pods": "0"}), plugins=[Advice()])
    plane.create(pod("lucky"), pod("unlucky"), pod("doomed"), pod("silent"))
    plane.run()
    assert plane.pod("lucky").status.nominatedNodeName == "n1"
    assert plane.condition("lucky")[2] == "0/1 nodes are available: 1 Too many pods."
    assert plane.condition("unlucky")[2].endswith(", ask somebody else")
    doomed = plane.condition("doomed")[2]
    assert "division by zero" in doomed and "preemption:" not in doomed
    assert plane.condition("silent")[2] == "0/1 nodes are available: 1 Too many pods."


# -- faulty plugins


def error_of(method: str, answer: Callable[..., Any], generation: str = "v1.37") -> tuple[str, str, str]:
    """The condition of a pod after the plugin ``Bad`` returned this."""

    def asked(self: object, *arguments: Any) -> Any:
        return answer(*arguments)

    bad = type("Bad", (), {method: asked})()
    plane = Plane(node("n1"), node("n2"), generation=generation, plugins=[bad])
    plane.create(pod("web"))
    plane.run(0.5)
    assert plane.where() == {"web": ""}
    assert plane.scheduler.context.cache.sizes()["pods"] == 0, "what was assumed is forgotten"
    return plane.condition("web")


def raises(*arguments: Any) -> Any:
    raise ZeroDivisionError("division by zero")


WRONG = [
    ("pre_filter", 'running PreFilter plugin "Bad": '),
    ("filter", 'running "Bad" filter plugin: '),
    ("pre_score", 'running PreScore plugin "Bad": '),
    ("score", 'running Score plugins: plugin "Bad" failed with: '),
    ("reserve", 'running Reserve plugin "Bad": '),
    ("permit", 'running Permit plugin "Bad": '),
    ("pre_bind", 'running PreBind plugin "Bad": '),
    ("bind", 'running Bind plugin "Bad": '),
]


@pytest.mark.parametrize(("method", "words"), WRONG, ids=[method for method, _ in WRONG])
def test_an_exception_is_an_error_of_the_pod(method: str, words: str) -> None:
    status, reason, message = error_of(method, raises)
    assert (status, reason) == ("False", "SchedulerError")
    assert message.startswith(f"{words}ZeroDivisionError: division by zero (in raises, line ")
    if method in ("filter", "score"):
        assert re.search(r"; (Bad )?on node n1$", message)


@pytest.mark.parametrize(("method", "words"), WRONG, ids=[method for method, _ in WRONG])
def test_a_wrong_return_value_is_an_error_of_the_pod(method: str, words: str) -> None:
    status, reason, message = error_of(method, lambda *arguments: 3.5)
    assert (status, reason) == ("False", "SchedulerError")
    assert message.startswith(f"{words}returned 3.5, where ")


@pytest.mark.parametrize("score", [-1, 101, 2**40])
def test_a_score_out_of_range_is_an_error_of_the_pod(score: int) -> None:
    wanted = (
        'applying score defaultWeights on Score plugins: plugin "Bad" returns an invalid score '
        f"{score}, it should in the range of [0, 100] after normalizing; on node n1: "
        "return less, or bring the scores into the range with normalize"
    )
    assert error_of("score", lambda *arguments: score) == ("False", "SchedulerError", wanted)


@pytest.mark.parametrize("answer", [{}, {"n1": 1}, {"n1": 1, "n2": "2"}, None])
def test_a_wrong_normalization_is_an_error_of_the_pod(answer: Any) -> None:
    class Bad(Plugin):
        def score(self, pod: Pod, node: NodeView) -> int:
            return 1

        def normalize(self, scores: dict[str, int]) -> dict[str, int]:
            return answer  # type: ignore[no-any-return]

    plane = Plane(node("n1"), node("n2"), plugins=[Bad()])
    plane.create(pod("web"))
    plane.run(0.5)
    start = 'running Normalize on Score plugins: plugin "Bad" failed with: returned '
    assert plane.condition("web")[2].startswith(start)


@pytest.mark.parametrize("method", ["reserve", "permit", "filter"])
def test_a_plugin_without_registrations_gets_all_events(method: str) -> None:
    """A pod that it rejects is retried when its own status is written, and then with every event."""
    refusing = type("Refusing", (), {method: lambda self, *arguments: "not today"})()
    plane = Plane(node("n1"), plugins=[refusing])
    plane.create(pod("web"))
    plane.run(20)
    assert plane.steps("web").count("pop") == 2
    plane.create(storage_class("wait"))
    plane.run(20)
    assert plane.steps("web").count("pop") == 3


@pytest.mark.parametrize("method", ["reserve", "permit"])
def test_a_rejection_on_the_chosen_node_is_reported_like_any_other(method: str) -> None:
    message = "0/1 nodes are available: 1 not today."
    assert error_of(method, lambda *arguments: "not today") == ("False", "Unschedulable", message)


@pytest.mark.parametrize("method", ["pre_bind", "bind"])
def test_a_rejection_in_the_binding_cycle_is_not_an_error(method: str) -> None:
    """v1.37: schedule_one.go, handleSchedulingFailure: the reason is Unschedulable, but no plugin is recorded."""
    assert error_of(method, lambda *arguments: "not today") == ("False", "Unschedulable", "not today")


def test_messages_of_the_first_framework() -> None:
    def said(method: str, answer: Callable[..., Any]) -> tuple[str, str]:
        return error_of(method, answer, "v1.16")[1:]

    assert said("reserve", lambda *a: "no") == (
        "SchedulerError",
        'error while running "Bad" reserve plugin for pod "web": no',
    )
    assert said("permit", lambda *a: "no") == ("Unschedulable", 'rejected by "Bad" at permit: no')
    assert said("pre_bind", raises)[1].startswith('error while running "Bad" prebind plugin for pod "web": Zero')
    assert said("bind", lambda *a: "no")[1] == (
        'Bind failure, code: 1: bind plugin "Bad" failed to bind pod "default/web": no'
    )


@pytest.mark.parametrize("generation", ["v1.28", "v1.30", "v1.37"])
def test_pre_enqueue_keeps_out_the_pods_of_its_profile(generation: str) -> None:
    class Never(Plugin):
        def pre_enqueue(self, pod: Pod) -> str:
            return "not today"

    plain = Generation.named(generation)
    plane = Plane(node("n1"), generation={"default-scheduler": plain, "strict": plain.plus(Never())})
    plane.create(pod("mine"), pod("other", schedulerName="strict"), pod("later", schedulingGates=[{"name": "later"}]))
    plane.run()
    assert plane.where() == {"later": "", "mine": "n1", "other": ""}
    gated = plane.pod("later")
    plane.api.update(put(gated, spec=put(gated.spec, schedulingGates=())))
    plane.run()
    assert plane.where() == {"later": "n1", "mine": "n1", "other": ""}


@pytest.mark.parametrize("generation", ["v1.22", "v1.24", "v1.28"])
def test_a_plugin_may_register_events_since_v1_21(generation: str) -> None:
    """v1.21: framework/interface.go, EnqueueExtensions."""

    class Registers(Plugin):
        def events_to_register(self) -> list[ClusterEvent]:
            return [NODE_ADD]

        def filter(self, pod: Pod, node: NodeView) -> None:
            return None

    plane = Plane(node("n1"), generation=Generation.named(generation), plugins=[Registers()])
    plane.create(pod("web"))
    plane.run()
    assert plane.where() == {"web": "n1"}


@pytest.mark.parametrize("method", ["post_bind", "less", "pre_enqueue"])
def test_exceptions_elsewhere_are_harmless(method: str) -> None:
    bad = type("Bad", (), {method: lambda self, *arguments: raises()})()
    plane = Plane(node("n1"), plugins=[bad])
    plane.create(pod("web"), pod("db"))
    plane.run()
    kept_out = method == "pre_enqueue"
    assert set(plane.where().values()) == ({""} if kept_out else {"n1"})


def test_unreserve_that_fails_is_noted_and_the_other_plugins_give_back_too() -> None:
    given_back = []

    class Careful(Plugin):
        def unreserve(self, pod: Pod, node: str) -> None:
            given_back.append(node)

    class Bad(Plugin):
        def reserve(self, pod: Pod, node: str) -> str:
            return "no"

        def unreserve(self, pod: Pod, node: str) -> None:
            raises()

    plane = Plane(node("n1"), plugins=[Careful(), Bad()])
    plane.create(pod("web"))
    plane.run()
    assert set(given_back) == {"n1"}, "Bad gives back first: Unreserve runs in reverse"
    assert plane.details("unreserve")[0].startswith("Bad: ZeroDivisionError: division by zero (in raises, line ")


def test_a_hint_that_fails_is_noted_and_the_pod_is_requeued() -> None:
    """v1.37: scheduling_queue.go, isPodWorthRequeuing: an error counts as Queue."""

    class Full(Plugin):
        def filter(self, pod: Pod, node: NodeView) -> str | None:
            return None if node.name == "n2" else "full"

        def events_to_register(self) -> Any:
            return [(ClusterEvent("Node", frozenset(["Add"])), raises)]

    plane = Plane(node("n1"), plugins=[Full()])
    plane.create(pod("web"))
    plane.run(20)
    plane.create(node("n2"))
    plane.run(20)
    assert plane.where() == {"web": "n2"}
    assert plane.details("queueingHint")[0].startswith("Full: ZeroDivisionError: division by zero (in raises, line ")


def test_invalid_plugins_are_rejected_at_once() -> None:
    class Bad:
        def permit(self, pod: Pod, node: str) -> Wait:
            return Wait(1)

    class Nothing:
        pass

    with pytest.raises(ValueError, match=r'plugin "Bad": v1\.13 has no extension point permit; it has filter, score'):
        Plane(generation="v1.13", plugins=[Bad()])
    with pytest.raises(TypeError, match='"Nothing" is not a plugin .* it needs one of the methods prepare, pre_'):
        Plane(plugins=[Nothing()])
    with pytest.raises(ValueError, match='v1.37 already has a plugin "Bad": give yours another name'):
        Plane(plugins=[Bad(), Bad()])
    with pytest.raises(ValueError, match='v1.37 already has a plugin "NodeAffinity"'):
        Plane(plugins=[type("NodeAffinity", (Bad,), {})()])
    with pytest.raises(ValueError, match='plugin "Heavy": its weight is 0, where'):
        Plane(plugins=[type("Heavy", (Bad,), {"weight": 0})()])
    sorting = [type(name, (), {"less": lambda self, one, other: True})() for name in ("First", "Second")]
    with pytest.raises(ValueError, match="only one queue sort plugin is allowed, not First, Second"):
        Plane(plugins=sorting)


def test_all_extension_points_are_known() -> None:
    wanted = "pre_enqueue less pre_filter filter post_filter pre_score score normalize reserve unreserve permit "
    assert (wanted + "pre_bind bind post_bind events_to_register").split() == list(POINTS)
