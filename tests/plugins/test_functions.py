"""Plain functions as filters and scores."""

import json
import re
from typing import Any

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, V1_37, Generation
from kschedlab.plugins import ClusterEvent, Plugin, Status, node_filter, node_score
from kschedlab.scheduler import schedule
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.simulation.tests.plane import Plane
from tests.course import GENERATIONS


@node_filter("ColdNode")
def cold(pod: Any, node: Any) -> str | None:
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"


@node_score("PackByLabel", weight=5)
def pack(pod: Any, node: Any) -> int:
    return 100 if node.metadata.labels.get("pool") == pod.metadata.labels.get("pool") else 0


OBJECTS = (
    node("hot", labels={"celsius": "80", "pool": "web"}),
    node("mild", labels={"celsius": "20"}),
    node("near", labels={"pool": "web"}),
    pod("web", labels={"pool": "web"}),
)
LISTED = json.dumps({"apiVersion": "v1", "kind": "List", "items": OBJECTS})
ALL = pytest.mark.parametrize("generation", GENERATIONS.values(), ids=lambda g: str(g.name))


def decided(*plugins: object, generation: Generation = V1_37) -> Decision:
    return schedule("default/web", cluster(*OBJECTS), generation.plus(*plugins))


@ALL
def test_functions_take_part_in_every_generation(generation: Generation) -> None:
    decision = decided(cold, pack, generation=generation)
    assert decision.node == "near" and decision.verdict("hot").plugin == "ColdNode"
    assert decision.scores is not None and "PackByLabel" in decision.scores.plugins
    row = decision.scores.rows[decision.scores.plugins.index("PackByLabel")]
    highest = 10 if generation.name in ("v1.13", "v1.16") else 100
    assert row.raw.tolist() == [0, 100] and row.normalized.tolist() == [0, highest]


@ALL
def test_functions_take_part_in_a_simulation_of_every_generation(generation: Generation) -> None:
    simulation = Simulation.of(loads_scenario(LISTED), generation.plus(cold, pack))
    simulation.run()
    assert [each.spec.nodeName for each in simulation.pods()] == ["near"]


def test_a_decorated_function_is_still_a_function() -> None:
    world = cluster(*OBJECTS)
    assert cold(world.pending["default/web"].pod, world.nodes[world.index["hot"]]) == "node(s) were too hot"  # type: ignore[arg-type]
    assert (repr(cold), repr(pack)) == ("node_filter('ColdNode')", "node_score('PackByLabel', weight=5)")


def test_a_function_sees_the_node_its_pods_and_its_resources() -> None:
    seen: dict[str, Any] = {}

    @node_filter("Look")
    def look(pod: Any, node: Any) -> None:
        seen[node.name] = (node.spec.unschedulable, node.status.conditions, len(node.pods))
        seen["free"] = node.allocatable["cpu"] - node.requested["cpu"]
        assert node.node.metadata == node.metadata

    world = cluster(node("n1", "4", "8Gi"), pod("x", "n1", "1"), pod("web"))
    schedule("default/web", world, V1_37.plus(look))
    assert seen == {"n1": (False, (), 1), "free": 3000}


def test_a_filter_may_say_that_no_eviction_helps() -> None:
    @node_filter("Never", unresolvable=True)
    def never(pod: Any, node: Any) -> str:
        return "never"

    assert decided(never).verdict("mild").code == "UnschedulableAndUnresolvable"

    @node_filter("Often")
    def often(pod: Any, node: Any) -> Status:
        return Status("UnschedulableAndUnresolvable", "not here")

    assert decided(often).verdict("mild").reasons == ("not here",)


def alone(pod: Any, node: Any) -> str | None:
    return "taken" if node.pods else None


class Alone(Plugin):
    def filter(self, pod: Any, node: Any) -> str | None:
        return alone(pod, node)


@pytest.mark.parametrize("plugin", [node_filter("Alone")(alone), Alone()], ids=["a function", "a class"])
def test_a_filter_asks_about_running_pods_and_preemption_frees_the_node(plugin: object) -> None:
    world = cluster(node("n1"), pod("old", "n1"), pod("web", priority=9))
    assert schedule("default/web", world, V1_37.plus(plugin)).nominated_node == "n1"


def beside(pod: Any, node: Any) -> str | None:
    return None if node.pods else "nobody is there"


class Beside:
    name = "Beside"

    def filter(self, pod: Any, node: Any) -> str | None:
        return beside(pod, node)


@pytest.mark.parametrize("plugin", [node_filter("Beside")(beside), Beside()], ids=["a function", "a class"])
def test_a_filter_has_to_accept_a_node_with_its_nominated_pods_and_without(plugin: object) -> None:
    world = cluster(node("n1"), node("n2"), pod("old", "n2"), pod("vip", priority=9, nominated="n1"), pod("web"))
    assert schedule("default/web", world, V1_37.plus(plugin)).feasible.tolist() == [world.index["n2"]]


def test_a_filter_is_asked_once_where_it_does_not_depend_on_pods() -> None:
    asked: list[str] = []

    def count(pod: Any, node: Any) -> str:
        asked.append(node.name)
        return "no"

    world = cluster(node("n1"), pod("old", "n1"), pod("web", priority=9))
    schedule("default/web", world, V1_37.plus(node_filter("Count")(count)))
    often = len(asked)
    asked.clear()
    schedule("default/web", world, V1_37.plus(node_filter("Count", depends_on_pods=False)(count)))
    assert often > len(asked) == 1


def test_a_filter_brings_the_events_that_it_waits_for() -> None:
    tries = []

    @node_filter(
        "Right",
        events=[ClusterEvent("Node", ["Add"])],
        hint=lambda pod, old, new: "right" in new.metadata.labels,
    )
    def right(pod: Any, node: Any) -> str | None:
        tries.append(node.name)
        return None if "right" in node.metadata.labels else "wrong"

    plane = Plane(node("n1"), generation=V1_37.plus(right))
    plane.create(pod("web"))
    plane.run()
    tried = len(tries)
    plane.create(node("n2"))
    plane.run(60)
    assert len(tries) == tried, "the hint says that such a node does not help"
    plane.create(node("n3", labels={"right": ""}))
    plane.run(10)
    assert plane.where() == {"web": "n3"}
    assert all(generation.plus(right).plugins for generation in GENERATIONS.values()), "older ones don't ask for hints"


# -- what is wrong


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: 1 // 0, r"ZeroDivisionError: .* \(in <lambda>, line \d+: .*\); Bad on node hot"),
        (lambda: True, "returned True, where None, a text or a Status is expected; Bad on node hot"),
        (lambda: 7, "returned 7, where None, a text or a Status is expected; Bad on node hot"),
        (lambda: "", "returned '', where None, a text or a Status is expected; Bad on node hot"),
    ],
)
def test_an_error_of_a_filter_names_it_the_node_and_what_helps(answer: Any, words: str) -> None:
    decision = decided(node_filter("Bad")(lambda pod, node: answer()))
    assert decision.node is None and re.fullmatch(f'running "Bad" filter plugin: {words}.*', decision.error)


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=lambda g: str(g.name))
def test_an_error_of_a_filter_names_it_in_every_generation(generation: Generation) -> None:
    error = decided(node_filter("Bad")(lambda pod, node: True), generation=generation).error  # type: ignore[arg-type]
    assert "returned True" in error and "Bad on node hot" in error


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: 1 // 0, r"ZeroDivisionError: .* \(in <lambda>, line \d+: .*\); on node hot"),
        (lambda: 0.5, r"returned 0.5, where an integer is expected: round it.*; on node hot.*"),
        (lambda: True, r"returned True, where an integer is expected: return a number.*; on node hot.*"),
        (lambda: "9", r"returned '9', where an integer is expected: return a number.*; on node hot.*"),
        (lambda: None, r"returned None, where an integer is expected: return a number.*; on node hot.*"),
        (lambda: 2**63, rf"returned {2**63}, which does not fit in 64 bits.*"),
        (lambda: -(2**63) - 1, rf"returned {-(2**63) - 1}, which does not fit in 64 bits.*"),
        (lambda: 101, r"returns an invalid score 101, .* \[0, 100\] .*; on node hot: return less.*"),
        (lambda: -1, r"returns an invalid score -1, .* \[0, 100\] .*; on node hot: return less.*"),
    ],
)
@pytest.mark.parametrize("generation", [V1_16, V1_37], ids=lambda g: str(g.name))
def test_an_error_of_a_score_names_it_the_node_and_what_helps(answer: Any, words: str, generation: Generation) -> None:
    decision = decided(node_score("Bad")(lambda pod, node: answer()), generation=generation)
    assert decision.node is None and re.search(f'plugin "Bad" (failed with: )?{words}$', decision.error)


@pytest.mark.parametrize(("generation", "highest"), [(V1_16, 10), (V1_37, 100)])
def test_a_score_may_be_any_number_of_64_bits_that_normalize_brings_into_the_range(
    generation: Generation, highest: int
) -> None:
    class Wide(Plugin):
        def score(self, pod: Any, node: Any) -> int:
            return 2**63 - 1 if node.name == "hot" else -(2**63)

        def normalize(self, scores: dict[str, int]) -> dict[str, int]:
            return {name: highest if score > 0 else 0 for name, score in scores.items()}

    decision = decided(Wide(), generation=generation)
    assert (decision.error, "hot" in decision.best) == ("", True)


def test_a_wrong_attribute_of_a_node_names_those_that_there_are() -> None:
    error = decided(node_filter("Bad")(lambda pod, node: node.labels["x"])).error  # type: ignore[attr-defined]
    assert 'a node has no "labels"; it has name, metadata, spec,' in error and "as in node.metadata.labels" in error


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"events": ClusterEvent("Node", ["Add"])}, "'Node' is not an event: write [ClusterEvent("),
        ({"events": ["Node/Add"]}, "'Node/Add' is not an event"),
        ({"events": 7}, "'int' object is not iterable"),
        ({"events": [ClusterEvent("Node", "Add")]}, "'Add' are not actions of an event"),  # type: ignore[arg-type]
        ({"events": [ClusterEvent("Node", ["Added"])]}, "there are Add, Delete, UpdateNodeAllocatable"),
        ({"hint": lambda pod, old, new: True}, "a hint needs events=[...]"),
        ({"events": [], "hint": lambda pod: True}, "<lambda> must be a function of (pod, old, new)"),
    ],
)
def test_what_a_filter_waits_for_is_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        node_filter("Bad", **options)


def test_a_plugin_needs_a_name_and_a_weight() -> None:
    with pytest.raises(TypeError, match=re.escape('@node_filter("MyPlugin")')):
        node_filter(cold)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=re.escape('@node_filter("Bad"): <lambda> must be a function of (pod, node)')):
        node_filter("Bad")(lambda pod: None)  # type: ignore[arg-type, misc]
    with pytest.raises(TypeError, match=re.escape('@node_score("Bad"): 7 must be a function of (pod, node)')):
        node_score("Bad")(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='"Bad": its weight is 0'):
        V1_37.plus(node_score("Bad", weight=0)(lambda pod, node: 1))
    with pytest.raises(TypeError, match="told is a plain function: put @node_filter"):

        def told(pod: Any, node: Any) -> None:
            return None

        V1_37.plus(told)
    with pytest.raises(ValueError, match='v1.37 already has a plugin "ColdNode"'):
        V1_37.plus(cold, cold)


def test_a_class_with_more_extension_points_is_in_the_generation() -> None:
    class Gate(Plugin):
        bound: list[str]

        def __init__(self) -> None:
            self.bound = []

        def permit(self, pod: Any, node: str) -> None:
            self.bound.append(f"{pod.metadata.name} to {node}")

    gate = Gate()
    generation = V1_37.plus(gate)
    assert generation.plugin_names[-1] == "Gate" and generation.without("Gate") == V1_37
    assert generation.only("Gate").filters == ()
    Simulation.of(loads_scenario(LISTED), generation).run()
    assert gate.bound and gate.bound[0].startswith("web to ")


def test_a_plugin_of_one_profile_says_nothing_about_pods_of_another() -> None:
    class Closed(Plugin):
        def pre_enqueue(self, pod: Any) -> str | None:
            return "closed" if "keep" in pod.metadata.labels else None

    plane = Plane(node("hot", labels={"celsius": "80"}), generation={"a": V1_37.plus(cold, Closed()), "b": V1_37})
    for name in "ab":
        plane.create(pod(f"web-{name}", schedulerName=name))
        plane.create(pod(f"kept-{name}", schedulerName=name, labels={"keep": ""}))
    plane.run()
    assert plane.where() == {"web-a": "", "web-b": "hot", "kept-a": "", "kept-b": "hot"}
    assert plane.steps("kept-a") == []
