"""Plugins in the other places that show or use a generation."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from kschedlab.build import node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_37
from kschedlab.manifests.loading import decode_objects
from kschedlab.plugins import ArrayFilter, Refusal, Scored, node_filter, node_score
from kschedlab.scheduler import schedule
from kschedlab.whatif import what_if
from kschedlab.whatif.compare import changes, compare
from kschedlab_lab.panels import preemption, your_cluster
from kschedlab_lab.views.arithmetic import steps
from kschedlab_simulation.simulation import Simulation
from tests.course import GENERATIONS


@node_filter("ColdNode")
def cold(pod: Any, node: Any) -> str | None:
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were <too> hot"


@node_score("Cooler", weight=5, formula="100 - {celsius}")
def cooler(pod: Any, node: Any) -> tuple[int, dict[str, int]]:
    celsius = int(node.metadata.labels.get("celsius", 0))
    return 100 - celsius, {"celsius": celsius}


class Quiet(ArrayFilter):
    def refuse(self, pod: Any, snapshot: Any) -> Refusal:
        return Refusal(snapshot.pods_on() > 5, "node(s) were loud")


class Even:
    name = "Even"
    formula = "the number {number} times {times}"

    def score(self, pod: Any, cluster: Any, nodes: Any) -> Scored:
        return Scored(nodes, nodes * 2, {"number": nodes, "times": 2})


OBJECTS = (
    node("a", labels={"celsius": "70"}),
    node("b", labels={"celsius": "55"}),
    node("c", labels={"celsius": "20"}),
    node("d", cpu=1),
    pod("web", cpu=2),
)
PLUGINS = (cold, cooler, Quiet(), Even())
PLUS = [generation.plus(*PLUGINS) for generation in GENERATIONS.values()]


@pytest.mark.parametrize(("earlier", "later"), [*pairwise(PLUS)], ids=lambda each: str(each.name))
def test_a_plugin_in_both_generations_is_never_a_cause(earlier: Any, later: Any) -> None:
    own = {"ColdNode", "Cooler", "Quiet", "Even"}
    assert not [change.rule for change in changes(earlier, later) if any(name in change.rule for name in own)]


def test_generations_with_plugins_are_compared() -> None:
    comparison = compare("default/web", Cluster(decode_objects(OBJECTS)), PLUS)
    assert {decision.node for decision in comparison.decisions.values()} == {"c"}
    assert "Cooler" not in str(comparison)
    named = compare("default/web", Cluster(decode_objects(OBJECTS)), [V1_37, V1_37.plus(cold), V1_37, V1_37.plus(cold)])
    assert list(named.decisions) == ["v1.37", "v1.37 with ColdNode", "v1.37 (3)", "v1.37 with ColdNode (2)"]
    with_and_without = changes(V1_37, V1_37.plus(cold))
    assert [change.rule for change in with_and_without] == ["with the filter ColdNode"]


def test_what_if_moves_the_weight_of_a_plugin() -> None:
    found = what_if("default/web", Cluster(decode_objects(OBJECTS)), V1_37.plus(cold, cooler))
    assert found.decision.node == "c" and "Cooler" in {*found.decision.scores.plugins}  # type: ignore[union-attr]
    assert str(found)
    nowhere = what_if(
        "default/web", Cluster(decode_objects((node("a", labels={"celsius": "99"}), OBJECTS[-1]))), PLUS[3]
    )
    assert nowhere.decision.node is None and "fits on none of 1 node" in str(nowhere)


@pytest.mark.parametrize("generation", PLUS, ids=lambda each: str(each.name))
def test_plugins_of_every_kind_take_part_in_a_simulation(generation: Any) -> None:
    simulation = Simulation(decode_objects(OBJECTS), generation)
    simulation.run()
    assert [pod.spec.nodeName for pod in simulation.pods()] == ["c"]


def test_views_write_out_the_arithmetic_of_a_plugin() -> None:
    decision = schedule("default/web", Cluster(decode_objects(OBJECTS)), PLUS[3])
    told = [str(step) for step in steps(decision, "Cooler", "c")]
    assert told == ["100 - 20 = 80", "80", "80 × 5 = 400"]
    assert [str(step) for step in steps(decision, "Even", "c")][0] == "the number 2 times 2 = 2"
    page = decision._repr_html_()
    assert "&lt;too&gt;" in page and "<too>" not in page


def test_panels_take_plugins() -> None:
    nowhere = node_filter("Nowhere")(lambda pod, node: "node(s) were <closed>")
    view = preemption.panel([nowhere]).view
    assert view is not None and "also refused by Nowhere" in view.text and "<closed>" not in str(view.picture)
    asked = your_cluster.panel(decode_objects(OBJECTS), [cold, cooler], pod="default/web", generation="v1.20")
    assert "ColdNode" in repr(asked) and "too" in repr(asked)
    assert "web goes to c" in repr(asked.move(pod="default/web"))


@dataclass
class Listed:
    """A plugin that cannot be hashed."""

    names: list[str]
    limit: int = 3
    name: str = "Listed"

    def score(self, pod: Any, cluster: Any, nodes: Any) -> Scored:
        return Scored(nodes, nodes * 0)


def test_a_plugin_that_cannot_be_hashed_is_compared_by_its_settings() -> None:
    one, other = (V1_37.plus(Listed(["a"], limit)) for limit in (3, 4))
    assert [change.rule for change in changes(one, other)] == ["score Listed.plugin.limit"]
    assert not changes(one, V1_37.plus(Listed(["a"])))
