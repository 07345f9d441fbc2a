"""Extenders that are Python objects, in all generations."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kschedlab import Decision, schedule
from kschedlab.build import Manifest, budget, cluster, node, pod
from kschedlab.generations import Generation
from kschedlab.objects.model import Node, Pod
from kschedlab.scheduler import Scheduler
from kschedlab_configuration.extenders.extender import Filtered, Victims
from kschedlab_configuration.extenders.plain import as_extender
from tests.course import GENERATIONS

GPU = {"gpu": "yes"}
ALL = pytest.mark.parametrize("version", GENERATIONS)


class NeedsGpu:
    """Refuses nodes without the label."""

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, str]:
        return {node.metadata.name: "no GPU" for node in nodes if "gpu" not in node.metadata.labels}


class Likes:
    """Scores nodes by a table."""

    weight = 2

    def __init__(self, **table: int) -> None:
        self.table = table

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, int]:
        return self.table


class Fails:
    """Fails at everything."""

    def __init__(self, ignorable: bool) -> None:
        self.ignorable = ignorable

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> list[str]:
        raise ValueError("out of order")

    prioritize = preempt = filter


class Answers:
    """Gives fixed answers."""

    def __init__(self, filtered: Any = None, victims: Any = None, **attributes: Any) -> None:
        self.filtered, self.victims = filtered, victims
        self.__dict__ |= attributes
        if filtered is not None:
            self.filter = lambda pod, nodes: filtered
        if victims is not None:
            self.preempt = victims


def decided(version: str, extenders: Sequence[object], *objects: Manifest) -> Decision:
    return schedule("default/p", cluster(*objects), Generation.named(version).extended_by(*map(as_extender, extenders)))


@ALL
def test_a_refused_node_has_the_reason_of_the_extender(version: str) -> None:
    decision = decided(version, [NeedsGpu()], node("a"), node("b", labels=GPU), node("c", cpu=1), pod("p", cpu=2))
    assert decision.node == "b"
    assert decision.verdict("a").plugin == "Extender" and decision.verdict("a").reasons == ("no GPU",)
    assert decision.verdict("c").plugin != "Extender"
    (call,) = decision.calls
    assert (call.verb, call.offered, call.kept) == ("filter", ("a", "b"), ("b",))
    assert "keeps 1 of 2 nodes" in str(decision)


@ALL
def test_the_message_counts_extenders_reasons(version: str) -> None:
    decision = decided(version, [NeedsGpu()], node("a"), node("b"), node("c", cpu=1), pod("p", cpu=2))
    assert decision.message == "0/3 nodes are available: 1 Insufficient cpu, 2 no GPU."
    assert set(decision.rejectors) >= {"Extender"}


@ALL
def test_scores_are_scaled_and_weighted(version: str) -> None:
    decision = decided(version, [Likes(a=3, b=1, z=10)], node("a"), node("b"), pod("p"))
    scores, factor = decision.scores, 1 if version in ("v1.13", "v1.16") else 10
    assert scores is not None and scores.plugins[-1] == "Likes"
    assert scores.results[-1].tolist() == [6 * factor, 2 * factor]
    assert scores.total.tolist() == scores.results.sum(axis=0).tolist() and decision.node == "a"


@ALL
def test_an_extender_that_only_scores_leaves_the_plugins_scores_as_they_are(version: str) -> None:
    objects = (node("a"), node("b"), pod("full", "a", cpu=3), pod("p", cpu=1))
    alone = schedule("default/p", cluster(*objects), Generation.named(version)).scores
    scores = decided(version, [Likes(a=0)], *objects).scores
    assert alone is not None and scores is not None
    assert scores.results[:-1].tolist() == alone.results.tolist()


def test_an_extender_without_a_weight_weighs_1() -> None:
    class Rates:
        def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, int]:
            return {"a": 3}

    scores = decided("v1.37", [Rates()], node("a"), node("b"), pod("p")).scores
    assert scores is not None and scores.weights[-1] == 1 and scores.results[-1].tolist() == [30, 0]


@ALL
def test_only_nodes_that_an_extender_lists_are_drawn_at_random(version: str) -> None:
    scores = decided(version, [Likes(a=0)], node("a"), node("b"), pod("p")).scores
    assert scores is not None and scores.drawn is not None and scores.drawn.tolist() == [True, False]
    scores = decided(version, [NeedsGpu()], node("a", labels=GPU), node("b", labels=GPU), pod("p")).scores
    assert scores is not None and scores.drawn is not None and scores.drawn.all()


@ALL
def test_without_plugins_an_extender_starts_from_zero(version: str) -> None:
    bare = Generation.named(version).only()
    objects = (node("a"), node("b"), pod("p"))
    for generation, total in (
        (bare, 1),
        (bare.extended_by(as_extender(NeedsGpu())), None),
        (bare.extended_by(as_extender(Likes())), 0),
    ):
        scores = schedule("default/p", cluster(*objects), generation).scores
        assert (scores is None) if total is None else (scores is not None and set(scores.total.tolist()) == {total})


@ALL
def test_a_failure_is_an_error_unless_it_is_ignorable(version: str) -> None:
    objects = (node("a"), node("b"), pod("p"))
    assert "ValueError: out of order" in decided(version, [Fails(ignorable=False)], *objects).error
    decision = decided(version, [Fails(ignorable=True)], *objects)
    assert decision.node == "a" and [bool(call.error) for call in decision.calls] == [True, True]
    assert "fails: Fails: ValueError: out of order" in str(decision)


@ALL
def test_ignorable_extenders_come_last_since_v1_16(version: str) -> None:
    extenders = [Answers([], ignorable=True, name="first"), Answers(["a"], name="second")]
    calls = decided(version, extenders, node("a"), node("b"), pod("p")).calls
    assert [call.extender for call in calls] == (["first"] if version == "v1.13" else ["second", "first"])


@ALL
def test_only_pods_with_a_managed_resource_concern_it(version: str) -> None:
    room = {"cpu": "4", "pods": "9", "example.com/gpu": "1"}
    nodes = [node("a", allocatable=room), node("b", allocatable=room)]
    extender = Answers(["b"], managed_resources=["example.com/gpu"])
    assert decided(version, [extender], *nodes, pod("p", requests={"example.com/gpu": "1"})).names == ["b"]
    assert decided(version, [extender], *nodes, pod("p", cpu=1)).names == ["a", "b"]
    with_helper = pod("p", requests={"example.com/gpu": "1"})
    with_helper["spec"]["containers"].append({"name": "helper", "image": "i"})
    assert decided(version, [extender], *nodes, with_helper).names == ["b"]


@ALL
def test_a_node_that_is_dropped_in_silence_has_no_reason(version: str) -> None:
    objects = (node("a"), node("b"), pod("low", "a", priority=1), pod("p", priority=5))
    decision = decided(version, [Answers(["b"]), Answers({"b": "no"})], *objects)
    assert decision.message == "0/2 nodes are available: 1 no."
    assert decision.verdict("a").reasons == () and decision.verdict("a").unresolvable == (version == "v1.37")


@ALL
def test_failed_and_unresolvable_nodes_are_of_v1_37(version: str) -> None:
    answer = Filtered([], {"a": "x"}, {"a": "never", "elsewhere": "never"})
    decision = decided(version, [Answers(answer)], node("a"), pod("p"))
    assert decision.message == f"0/1 nodes are available: {'2 never' if version == 'v1.37' else '1 x'}."
    assert decision.verdict("a").unresolvable == (version == "v1.37")


@ALL
def test_a_name_that_was_not_given_is_an_error(version: str) -> None:
    said = decided(version, [Answers(["a", "z"], name="x")], node("a"), node("b"), pod("p")).error
    assert said == 'extender "x" claims a filtered node "z" which is not found in the input node list'
    tight = [node("a"), node("b", cpu=1), pod("p", cpu=2)]
    assert bool(decided(version, [Answers(["b"])], *tight).error) == (version in ("v1.20", "v1.37"))


# -- preemption


def crowded(*budgets: Manifest) -> list[Manifest]:
    """Two nodes, full of a pod with priority 1 (a) and 2 (b)."""
    running = [pod("low", "a", cpu=4, priority=1, labels={"app": "low"}), pod("mid", "b", cpu=4, priority=2)]
    return [node("a"), node("b"), *running, pod("p", cpu=2, priority=9), *budgets]


@ALL
def test_an_extender_can_remove_a_candidate(version: str) -> None:
    assert decided(version, [], *crowded()).nominated_node == "a"

    def keep_b(pod: Pod, victims: Mapping[str, list[Pod]]) -> dict[str, list[Pod]]:
        return {"b": victims["b"]}

    decision = decided(version, [Answers(victims=keep_b)], *crowded())
    assert decision.nominated_node == "b" and [call.kept for call in decision.calls] == [("b",)]
    assert decision.preemption is not None and list(decision.preemption.candidates) == ["b"]
    assert str(decision)


@ALL
def test_an_extender_can_remove_all_candidates(version: str) -> None:
    decision = decided(version, [Answers(victims=lambda pod, victims: {})], *crowded())
    assert decision.nominated_node is None
    assert ("no candidate node for preemption" in decision.event) == (version == "v1.37")


@ALL
def test_violations_are_forgotten_before_v1_37(version: str) -> None:
    def same(pod: Pod, victims: Mapping[str, list[Pod]]) -> Mapping[str, list[Pod]]:
        return victims

    objects = crowded(budget("low", 0))
    assert decided(version, [], *objects).nominated_node == "b"
    expected = "b" if version == "v1.37" else "a"
    assert decided(version, [Answers(victims=same)], *objects).nominated_node == expected


def test_victims_without_a_number_break_no_budget() -> None:
    def new(pod: Pod, victims: Mapping[str, list[Pod]]) -> dict[str, Any]:
        return {"a": Victims(victims["a"]), "b": victims["b"]}

    assert decided("v1.37", [Answers(victims=new)], *crowded(budget("low", 0))).nominated_node == "a"


@ALL
def test_an_extender_can_name_other_victims(version: str) -> None:
    def both(pod: Pod, victims: Mapping[str, list[Pod]]) -> dict[str, Victims]:
        return {"a": Victims([*victims["a"], *others])}

    objects = [*crowded(), pod("high", "a", priority=20)]
    world = cluster(*objects)
    others = [world.pods.info(world.pods.row_of["default/high"]).pod]
    generation = Generation.named(version).extended_by(as_extender(Answers(victims=both)))
    preemption = schedule("default/p", world, generation).preemption
    assert preemption is not None and [v.key for v in preemption.victims] == ["default/low", "default/high"]
    last = preemption.candidates["a"].attempts[-1]
    assert (last.refused_by, last.violates) == ("Extender", False)


def test_a_node_that_was_not_offered_breaks_no_budget() -> None:
    def another(pod: Pod, victims: Mapping[str, list[Pod]]) -> dict[str, list[Pod]]:
        return {"a": victims["a"], "c": others}

    tainted = node("c", taints=[{"key": "dedicated", "effect": "NoSchedule"}])
    world = cluster(*crowded(budget("low", 0)), tainted, pod("other", "c", priority=5, labels={"app": "low"}))
    others = [world.pods.info(world.pods.row_of["default/other"]).pod]
    generation = Generation.named("v1.37").extended_by(as_extender(Answers(victims=another)))
    assert schedule("default/p", world, generation).nominated_node == "c"


@ALL
def test_an_unknown_victim_is_an_error(version: str) -> None:
    def wrong(pod: Pod, victims: Mapping[str, list[Pod]]) -> dict[str, list[Pod]]:
        return {"a": victims["b"]}

    preemption = decided(version, [Answers(victims=wrong, name="x")], *crowded()).preemption
    assert preemption is not None and preemption.nominated_node is None
    assert preemption.failure == (
        "extender: x claims to preempt pod (UID: &{default/mid}) on node: a, but the pod is not found on that node"
    )


@pytest.mark.parametrize(("extender", "start"), [(NeedsGpu(), 1), (Fails(ignorable=True), 0)])
def test_a_nominated_node_that_an_extender_refuses_counts_twice(extender: object, start: int) -> None:
    """It has a status, and is feasible for the filters. v1.37: schedule_one.go, findNodesThatFitPod."""
    world = cluster(node("a"), node("b", labels=GPU), node("c"), pod("p", nominated="a"))
    scheduler = Scheduler(world, Generation.named("v1.37").extended_by(as_extender(extender)))
    assert scheduler.decide(world.pending["default/p"]).node == ("b" if start else "a")
    assert scheduler.next_start_node_index == start


def only_the_extender_refuses(version: str, *nodes: str) -> Decision:
    running = [pod(f"low-{name}", name, priority=1) for name in nodes]
    return decided(version, [NeedsGpu()], *map(node, nodes), *running, pod("p", priority=9))


@pytest.mark.parametrize("version", ["v1.13", "v1.16"])
def test_a_node_without_victims_is_taken(version: str) -> None:
    decision = only_the_extender_refuses(version, "a", "b")
    assert decision.nominated_node == "a" and decision.preemption is not None and not decision.preemption.victims
    assert decision.preemption.tied == ["a", "b"]
    assert decided(version, [NeedsGpu()], node("a"), pod("p")).nominated_node == "a"


def test_v1_20_panics_when_it_compares_nodes_without_victims() -> None:
    assert only_the_extender_refuses("v1.20", "a").nominated_node == "a"
    assert "index out of range" in only_the_extender_refuses("v1.20", "a", "b").error
    assert decided("v1.20", [NeedsGpu()], node("a"), pod("p")).nominated_node is None


def test_a_node_without_victims_is_an_error_in_v1_37() -> None:
    assert only_the_extender_refuses("v1.37", "a").event == (
        '0/1 nodes are available: 1 no GPU. preemption: expected at least one victim pod on node "a"'
    )
    message = only_the_extender_refuses("v1.37", "a", "b").event
    assert message.endswith(
        '[expected at least one victim pod on node "a", expected at least one victim pod on node "b"]'
    )
    objects = [*crowded(), node("c", labels=GPU), pod("low-c", "c", cpu=4, priority=1), node("d")]
    assert decided("v1.37", [NeedsGpu()], *objects, pod("low-d", "d", priority=1)).nominated_node == "a"


# -- what is no extender


def test_what_is_no_extender_says_so() -> None:
    with pytest.raises(TypeError, match=r"it has none of the methods filter, prioritize, preempt, bind"):
        as_extender("http://127.0.0.1")
    with pytest.raises(TypeError, match=r"got the class NeedsGpu: write NeedsGpu\(\)"):
        as_extender(NeedsGpu)
    with pytest.raises(ValueError, match="weight is 0: it must be positive"):
        as_extender(type("Zero", (Likes,), {"weight": 0})())
    with pytest.raises(TypeError, match="weight is '2': expected a whole number"):
        as_extender(type("Text", (Likes,), {"weight": "2"})())
    with pytest.raises(TypeError, match="managed_resources is 'gpu': expected a list of names"):
        as_extender(Answers([], managed_resources="gpu"))


def test_the_scheduler_takes_extenders_alone_and_says_what_makes_one() -> None:
    with pytest.raises(TypeError, match=r"is not an Extender; as_extender\(...\) of kschedlab-configuration makes one"):
        Generation.named("v1.37").extended_by(NeedsGpu())  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [7, "a"])
def test_a_wrong_answer_says_so(answer: object) -> None:
    said = decided("v1.37", [Answers(answer, name="x")], node("a"), pod("p")).error
    assert said == f"x: filter returned {answer!r}, where names of nodes, or reasons by node are expected"


def test_when_extenders_refuse_all_that_was_found_only_nodes_that_the_search_examined_have_reasons() -> None:
    cordoned = (60, 120)
    nodes = [node(f"n{number}", unschedulable=number in cordoned) for number in range(150)]
    closed = Answers({f"n{number}": "closed" for number in range(150) if number not in cordoned})
    world = cluster(*nodes, pod("p"))
    scheduler = Scheduler(world, Generation.named("v1.37").extended_by(as_extender(closed)))
    # Of 150 nodes it is enough to find 100, and the next search goes on behind them.
    for unseen, seen in (("n120", "n60"), ("n60", "n120")):
        decision = scheduler.decide(world.pending["default/p"])
        assert decision.verdict(seen).plugin == "NodeUnschedulable"
        assert decision.verdict(unseen).plugin != "NodeUnschedulable" and decision.verdict(unseen).reasons == ()
