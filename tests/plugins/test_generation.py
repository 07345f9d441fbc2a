"""A generation with other plugins, and one plugin that is asked about one pod."""

from dataclasses import dataclass

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.generations import V1_13, V1_37
from kschedlab.scheduler import schedule
from kschedlab.score.plugin import Scored
from tests.course import GENERATIONS


@dataclass(frozen=True)
class ColdNode:
    name: str = "ColdNode"

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter:
        hot = np.array([int(node.metadata.labels.get("celsius", 0)) >= 60 for node in cluster.nodes], np.bool_)
        return StaticFilter(Refusals([Refusal(hot, "node(s) were too hot")]))


@dataclass(frozen=True)
class ByName:
    name: str = "ByName"
    weight: int = 1

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        raw = np.array([int(cluster.names[n][1:]) for n in nodes], np.int64)
        return Scored(raw, raw * 10, {"number": raw, "times": 10})


WORLD = cluster(
    node("n1"),
    node("n2", labels={"celsius": "70"}),
    node("n3"),
    pod("web"),
    pod("db", "n3", cpu="1"),
)


def test_plugins_are_added_behind_those_that_are_there() -> None:
    generation = V1_37.plus(ColdNode(), ByName(weight=50))
    decision = schedule("default/web", WORLD, generation)
    assert decision.node == "n3" and decision.verdict("n2").reasons == ("node(s) were too hot",)
    assert generation.filters[-1].name == "ColdNode" and generation.scores[-1][1] == 50
    assert generation.plugins == (("ColdNode", ColdNode()), ("ByName", ByName(weight=50)))
    assert generation.without("ColdNode", "ByName") == V1_37
    assert V1_37.plugin_names == V1_37.plus().plugin_names


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=lambda g: g.name)
def test_plugins_are_taken_out_by_name(generation: object) -> None:
    assert isinstance(generation, type(V1_37))
    for name in generation.plugin_names:
        assert generation.only(name).plugin_names == (name,)
        assert name not in generation.without(name).plugin_names
        assert len(generation.without(name).plugin_names) == len(generation.plugin_names) - 1


def test_weights_are_changed_by_name_and_0_drops_a_score() -> None:
    generation = V1_37.weighted(InterPodAffinity=5, ImageLocality=0)
    weights = {score.name: weight for score, weight in generation.scores}
    assert weights["InterPodAffinity"] == 5 and "ImageLocality" not in weights and weights["NodeAffinity"] == 2


def test_errors_say_what_there_is_and_what_helps() -> None:
    with pytest.raises(KeyError, match=r'v1.37 has no plugin "Imagelocality"; it has NodeName, .*; .plus\(...\)'):
        V1_37.without("Imagelocality")
    with pytest.raises(KeyError, match='v1.37 has no plugin "A'):
        V1_37.only("ImageLocality", "A")
    with pytest.raises(KeyError, match='has no plugin "B'):
        V1_37.plugin("B")
    with pytest.raises(KeyError, match='v1.37 has no score "NodePorts"; it has TaintToleration, '):
        V1_37.weighted(NodePorts=3)
    for wrong in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match='"ImageLocality": its weight is .*, where an integer from 0 is expected'):
            V1_37.weighted(ImageLocality=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r'already has a filter "ColdNode".*\.without\("ColdNode"\)\.plus'):
        V1_37.plus(ColdNode(), ColdNode())
    with pytest.raises(ValueError, match='already has a score "ImageLocality"'):
        V1_37.plus(ByName(name="ImageLocality"))
    with pytest.raises(ValueError, match='"ByName": its weight is 0, where an integer from 1'):
        V1_37.plus(ByName(weight=0))
    with pytest.raises(TypeError, match=r"ColdNode is a class: a plugin is an object of it, ColdNode\(\)"):
        V1_37.plus(ColdNode)
    with pytest.raises(TypeError, match='"mine:cold" is a text: load_plugin'):
        V1_37.plus("mine:cold")
    with pytest.raises(TypeError, match=r"give the plugins one by one, plus\(cold, pack\)"):
        V1_37.plus([7])
    with pytest.raises(TypeError, match="is not a generation, .* plugins join one: Generation.named"):
        schedule("default/web", cluster(pod("web")), [7])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='"int" is not a plugin'):
        V1_37.plus(7)


def test_one_filter_is_asked_about_a_pod() -> None:
    mine = V1_37.plus(ColdNode()).plugin("ColdNode")
    answer = {"n1": None, "n2": (("node(s) were too hot",), "Unschedulable"), "n3": None}
    assert mine.filter("default/web", WORLD) == mine.filter("default/db", WORLD) == answer
    assert mine.filter(pod("other"), WORLD) == mine.filter(WORLD.pending["default/web"].pod, WORLD) == answer
    assert repr(mine) == "ColdNode of v1.37: filter(pod, cluster)"
    with pytest.raises(ValueError, match="does not score in v1.37"):
        mine.score("default/web", WORLD)
    with pytest.raises(KeyError, match="there are 2: default/web, default/db"):
        mine.filter("default/wob", WORLD)
    with pytest.raises(ValueError, match="expected the manifest of one pod, got Node"):
        mine.filter(node("n9"), WORLD)


def test_codes_are_those_of_the_framework() -> None:
    world = cluster(node("n1", unschedulable=True), node("n2"), pod("web"))
    closed = V1_37.plugin("NodeUnschedulable").filter("default/web", world)
    assert closed == {"n1": (("node(s) were unschedulable",), "UnschedulableAndUnresolvable"), "n2": None}
    running = V1_37.plugin("NodeName").filter(pod("x", "n1"), world)
    assert running == {"n1": None, "n2": None}, "a pod that is asked about has left its node"


def test_a_plugin_is_asked_under_the_api_of_its_generation() -> None:
    world = cluster(node("n1", 2), pod("web", cpu=1, overhead={"cpu": "2"}))
    assert V1_37.plugin("NodeResourcesFit").filter("default/web", world)["n1"] is not None
    assert GENERATIONS["v1.13"].plugin("GeneralPredicates").filter("default/web", world) == {"n1": None}


def test_terms_are_those_of_the_node() -> None:
    score = V1_37.plugin("NodeResourcesFit").score("default/web", cluster(node("n1", 2), pod("web", cpu=1)))
    assert score["n1"].terms["cpu"] == {"requested": 1000, "capacity": 2000, "score": 50}


def test_one_score_is_asked_also_where_one_node_is_feasible() -> None:
    mine = V1_37.plus(ColdNode(), ByName(weight=3)).plugin("ByName")
    assert mine.score("default/web", WORLD) == {
        "n1": (1, 10, 30, {"number": 1, "times": 10}),
        "n3": (3, 30, 90, {"number": 3, "times": 10}),
    }
    assert list(mine.score("default/web", WORLD, nodes=["n2"])) == ["n2"]
    alone = cluster(node("n1"), node("n2", unschedulable=True), pod("web"))
    assert V1_37.plugin("ImageLocality").score("default/web", alone)["n1"][:3] == (0, 0, 0)
    assert repr(mine) == "ByName of v1.37: score(pod, cluster), weight 3"
    with pytest.raises(ValueError, match="does not filter"):
        mine.filter("default/web", WORLD)
    with pytest.raises(KeyError, match='no node "n7"; there are 3: n1, '):
        mine.score("default/web", WORLD, nodes=["n7"])


def test_a_score_that_skips_the_pod_gives_nothing() -> None:
    assert V1_37.plugin("InterPodAffinity").score("default/web", WORLD) == {}
    assert set(V1_13.plugin("InterPodAffinityPriority").score("default/web", WORLD)) == {"n1", "n2", "n3"}
