"""Pod after pod: sampling, round robin, nominations, forks."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS, V1_37, Generation
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import InputValueError
from kschedlab.plugins.framework import NodeView, Plugin
from kschedlab.preemption.stage import lower_nominations
from kschedlab.scheduler import Scheduler, schedule
from kschedlab.score.stage import Ties
from tests.cluster.checking import check
from tests.saying import says

SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}


def nodes(count: int) -> Cluster:
    return cluster(*(node(f"n{i:03}") for i in range(count)), pod("web"))


def test_a_small_cluster_is_evaluated_completely() -> None:
    decision = schedule("default/web", nodes(99), percentage=5, exhaustive=False)
    assert (len(decision.feasible), decision.evaluated) == (99, 99)


def test_the_search_of_a_large_cluster_starts_where_the_last_one_ended() -> None:
    scheduler = Scheduler(nodes(200), V1_37, percentage=50)
    web = scheduler.cluster.pending["default/web"]
    found = [scheduler.decide(web).names for _ in range(3)]
    assert [(len(f), f[0], f[-1]) for f in found] == [
        (100, "n000", "n099"),
        (100, "n100", "n199"),
        (100, "n000", "n099"),
    ]


def test_schedule_checks_every_node_and_obeys_a_percentage_only_without_that() -> None:
    assert len(schedule("default/web", nodes(300)).feasible) == 300
    assert len(schedule("default/web", nodes(300), percentage=50, exhaustive=False).feasible) == 150
    with pytest.raises(InputValueError, match="exhaustive=False"):
        schedule("default/web", nodes(300), percentage=50)


@pytest.mark.parametrize("percentage", [-1, 101, 500])
def test_a_percentage_is_from_0_to_100(percentage: int) -> None:
    with pytest.raises(InputValueError, match=f"{percentage}.*100"):
        Scheduler(nodes(1), percentage=percentage)


def test_without_score_plugins_the_first_feasible_node_is_enough() -> None:
    unscored = replace(V1_37, scores=())
    assert schedule("default/web", nodes(5), unscored, exhaustive=False).names == ["n000"]
    ranked = replace(unscored, sampling=replace(V1_37.sampling, one_node_if_no_scores=False))
    decision = schedule("default/web", nodes(5), ranked, exhaustive=False)
    assert decision.scores is not None and decision.scores.total.tolist() == [1] * 5


def test_its_own_nominated_node_is_tried_first() -> None:
    world = cluster(node("n1"), node("n2"), pod("web", nominated="n2"))
    decision = schedule("default/web", world, exhaustive=False)
    assert (decision.names, decision.node, decision.scores) == (["n2"], "n2", None)
    later = replace(V1_37, nominated_node_first=False)
    assert schedule("default/web", world, later, exhaustive=False).names == ["n1", "n2"]


def test_if_the_nominated_node_refuses_the_others_are_tried() -> None:
    world = cluster(node("n1"), node("n2", unschedulable=True), pod("web", nominated="n2"))
    assert schedule("default/web", world, exhaustive=False).node == "n1"


def test_ties_are_drawn_evenly_with_a_seed_and_by_name_without() -> None:
    world = cluster(*(node(f"n{i}") for i in range(4)), pod("web"))
    assert schedule("default/web", world).node == "n0"
    rng, drawing = random.Random(7), replace(V1_37, ties=Ties.DRAWN)
    drawn = Counter(schedule("default/web", world, drawing, rng=rng).node for _ in range(400))
    assert set(drawn) == {"n0", "n1", "n2", "n3"} and min(drawn.values()) > 70


def test_of_equal_nodes_v1_37_takes_the_head_of_its_heap() -> None:
    world = cluster(*(node(f"n{i}") for i in range(6)), pod("web"))
    assert {schedule("default/web", world, rng=random.Random(seed)).node for seed in range(20)} == {"n0"}


@pytest.mark.parametrize(
    ("generation", "fits", "refused"), [("v1.22", 0, 101), ("v1.24", 0, 101), ("v1.28", 144, 45), ("v1.37", 144, 45)]
)
def test_where_the_next_search_starts_after_a_nominated_node(generation: str, fits: int, refused: int) -> None:
    """The status of a nominated node that the search does not reach counts: 100 nodes are feasible, and one refuses."""
    nodes = [node(f"n{i}", unschedulable=i == 130) for i in range(200)]
    world = cluster(*nodes, pod("web", nominated="n7"), pod("next", nominated="n130"))
    scheduler = Scheduler(world, generation, percentage=50)
    for name, start in (("web", fits), ("next", refused)):
        scheduler.next_start_node_index = 144
        assert scheduler.decide(world.pending[f"default/{name}"]).node
        assert scheduler.next_start_node_index == start


class Broken(Plugin):
    """Filter fails on the last of 200 nodes."""

    def filter(self, pod: Pod, node: NodeView) -> None:
        if node.name == "n199":
            raise ValueError("broken")


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_filter_that_fails_on_a_node_which_the_search_does_not_reach_is_no_error(generation: str) -> None:
    world = cluster(*(node(f"n{i}") for i in range(200)), pod("web"), pod("next"))
    broken = GENERATIONS[generation].plus(Broken())
    assert "broken" in schedule("default/web", world, broken).error, "an exhaustive search examines all nodes"
    scheduler = Scheduler(world, broken)
    decision = scheduler.decide(world.pending["default/web"])
    assert (decision.error, decision.node) == ("", "n0")
    scheduler.next_start_node_index = 150
    assert "broken" in scheduler.decide(world.pending["default/web"]).error


def test_a_filter_that_fails_elsewhere_does_not_keep_a_pod_from_its_nominated_node() -> None:
    """v1.37: schedule_one.go, evaluateNominatedNode."""
    world = cluster(*(node(f"n{i}") for i in range(200)), pod("web", nominated="n3"), pod("other", nominated="n199"))
    scheduler = Scheduler(world, V1_37.plus(Broken()))
    assert scheduler.decide(world.pending["default/web"]).node == "n3"
    assert scheduler.decide(world.pending["default/other"]).node == "n0", "where it fails, the search goes on"


def test_equal_nodes_that_the_pod_names_come_in_the_order_of_a_go_map() -> None:
    """v1.37: schedule_one.go, findNodesThatFitPod: any of them may be at the head."""
    fields = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]} for name in ("n1", "n3")]
    only = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": fields}}}
    world = cluster(*(node(f"n{i}") for i in range(6)), pod("web", affinity=only))
    decisions = [schedule("default/web", world, rng=random.Random(seed)) for seed in range(20)]
    assert {each.node for each in decisions} == {"n1", "n3"}
    assert says(decisions[0].tie_break, "random")


@pytest.mark.parametrize("name", GENERATIONS)
def test_equal_nodes_are_drawn_from_v1_16_until_v1_34(name: str) -> None:
    world = cluster(*(node(f"n{i}") for i in range(3)), pod("web"))
    firsts = {schedule("default/web", world, GENERATIONS[name], rng=random.Random(seed)).node for seed in range(30)}
    drawn = name in ("v1.16", "v1.20", "v1.22", "v1.24", "v1.28", "v1.30", "v1.32", "v1.34")
    assert firsts == ({"n0", "n1", "n2"} if drawn else {"n0"})


def test_ties_can_be_broken_round_robin() -> None:
    in_turn = replace(V1_37, ties=Ties.IN_TURN)
    scheduler = Scheduler(cluster(*(node(f"n{i}") for i in range(3)), pod("web")), in_turn, rng=random.Random(0))
    web = scheduler.cluster.pending["default/web"]
    assert [scheduler.decide(web).node for _ in range(4)] == ["n0", "n1", "n2", "n0"]


def test_a_decision_changes_nothing_and_is_not_changed_later() -> None:
    world = cluster(node("n1", allocatable=SMALL), pod("a", cpu="1"), pod("b", cpu="1"))
    decision = schedule("default/a", world)
    world.bind(world.pending["default/a"], "n1")
    assert decision.cluster.pods_on.tolist() == [0] and world.pods_on.tolist() == [1]
    assert schedule("default/b", world).node is None


def test_committing_a_preemption_evicts_nominates_and_clears_lower_nominations() -> None:
    world = cluster(
        node("n1", allocatable=SMALL),
        pod("victim", "n1", priority=1, cpu="1"),
        pod("waiting", priority=5, cpu="1", nominated="n1"),
        pod("vip", priority=9, cpu="1"),
    )
    scheduler = Scheduler(world, V1_37)
    vip = world.pending["default/vip"]
    assert [info.key for info in lower_nominations(world, vip, "n1")] == ["default/waiting"]
    scheduler.commit(scheduler.decide(vip))
    assert world.pods.row_of == {}
    assert list(world.nominated.row_of) == ["default/vip"]
    check(world)


def test_a_nominated_pod_keeps_its_resources_against_lower_priority() -> None:
    world = cluster(
        node("n1", allocatable=SMALL),
        pod("vip", priority=9, cpu="1", nominated="n1"),
        pod("low", priority=1, cpu="1"),
        pod("high", priority=10, cpu="1"),
    )
    assert schedule("default/low", world).node is None
    assert schedule("default/high", world).node == "n1"


@pytest.mark.parametrize(
    ("name", "objects", "message"),
    [
        ("no nodes", [pod("web")], "no nodes available to schedule pods"),
        (
            "gates",
            [node("n1"), pod("web", schedulingGates=[{"name": "a"}, {"name": "b"}])],
            "waiting for scheduling gates: [a b]",
        ),
    ],
)
def test_pods_for_which_no_node_is_evaluated(name: str, objects: list[dict[str, object]], message: str) -> None:
    decision = schedule("default/web", cluster(*objects))
    assert (decision.message, decision.node) == (message, None), name
    assert decision.to_dict()["feasible"] == []


def test_a_generation_is_accepted_by_its_name() -> None:
    assert schedule("default/web", nodes(2), "v1.20").generation is Generation.named("v1.20")
    with pytest.raises(KeyError, match=r"no generation v1.21: .* the nearest is v1.2"):
        schedule("default/web", nodes(2), "v1.21")


def test_a_missing_claim_is_noticed_before_nodes_are_counted() -> None:
    """v1.16: core/generic_scheduler.go, Schedule: podPassesBasicChecks, then NumNodes. v1.20: the snapshot first."""
    web = pod("web", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    for generation, message in (
        ("v1.13", 'persistentvolumeclaim "data" not found'),
        ("v1.16", 'persistentvolumeclaim "data" not found'),
        ("v1.20", "no nodes available to schedule pods"),
        ("v1.37", "no nodes available to schedule pods"),
    ):
        assert schedule("default/web", cluster(web), generation).message == message


def test_of_a_gated_pod_no_node_is_looked_at() -> None:
    decision = schedule("default/web", cluster(node("n1"), pod("web", schedulingGates=[{"name": "wait"}])))
    assert (decision.evaluated, decision.names, decision.gates) == (0, [], ("wait",))


def test_where_dynamic_resources_post_filter_finds_no_state_preemption_is_not_asked() -> None:
    world = cluster(node("n1"), pod("web", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}]))
    decision = schedule("default/web", world, exhaustive=False)
    assert decision.preemption is None
    assert decision.event == '0/1 nodes are available: persistentvolumeclaim "gone" not found. not found'
    before = V1_37.without("DynamicResources")
    assert schedule("default/web", world, before).event.endswith(
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )


def test_a_rejection_by_the_last_pre_filters_leaves_preemption_its_say() -> None:
    world = cluster(node("n1"), pod("low", "n1", cpu="100"), pod("web", cpu="100", priority=5))
    assert schedule("default/web", world).post_filter_error == ""


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_pod_that_is_placed_has_no_message_and_no_event(generation: str) -> None:
    nodes = cluster(node("a", cpu="4"), node("small", cpu="2"), pod("web", cpu="3"))
    decision = schedule("default/web", nodes, generation)
    assert (decision.node, decision.message, decision.event) == ("a", "", "")
