"""Why not this node? Every node of the cluster has an answer, and its numbers are those of the decision."""

from dataclasses import replace
from random import Random

import pytest

from kschedlab.build import budget, cluster, node, node_affinity, pod, term
from kschedlab.explanation import again, explain
from kschedlab.generations import LATEST
from kschedlab.scheduler import Scheduler, schedule
from kschedlab.text.plain import plain
from kschedlab.text.sections import DECIDES, Section
from kschedlab.text.tables import html
from kschedlab.text.words import count
from kschedlab.whatif import Case
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_why.why_not import Check, compared, margin, why_not, why_not_table
from tests.course import GENERATIONS
from tests.saying import says

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "10"}
TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
EVIL = "<script>\u202e"


@pytest.fixture(scope="module")
def world():
    return bundled().cluster(LATEST)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_node_has_an_answer_that_the_decision_bears_out(generation):
    world = bundled().cluster(generation)
    for key in (*world.pending, "data/kafka-3"):
        decision = explain(key, world, generation).decision
        for name in world.names[::7]:
            found, verdict = why_not(decision, name), decision.verdict(name)
            assert name in found.sentence or "No node was looked at" in found.sentence
            refusing = {check.plugin for check in found.checks if check.refuses}
            first = [check.plugin for check in found.checks if check.first]
            if verdict.plugin and found.checks:
                assert first == [verdict.plugin] and refusing == {verdict.plugin, *verdict.also}
            if found.points:
                *rows, total = found.points
                assert sum(each.lead for each in rows) == total.lead >= 0
            decides = [row for row in why_not_table(found).rows if row.mark == DECIDES]
            assert len(decides) <= 1


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_volume_s_zone_and_the_node_s_are_named(generation):
    decision = explain("data/postgres-0", bundled().cluster(generation), generation).decision
    checks = [check for check in why_not(decision, "data-02").checks if check.details]
    assert any("volume: eu-1a; node: eu-1b" in check.details for check in checks)


def test_behind_the_chosen_node_plugin_by_plugin(world):
    decision = explain("shop/banner-0", world).decision
    found = why_not(decision, "general-07")
    assert found.winner == decision.node == "general-60"
    gains = "NodeResourcesFit +6, NodeResourcesBalancedAllocation +1"
    assert found.sentence == f"general-07 fits too, but general-60 has 7 points more: {gains}."
    rows = {cells[0]: cells[1:] for cells, _ in why_not_table(found).rows}
    assert rows["NodeResourcesFit ×1"] == [31, 25, "+6"] and rows["total"] == [606, 599, "+7"]
    chosen, (*_, next_best) = why_not(decision, "general-60"), sorted(set(decision.scores.total.tolist()))[:-1]
    assert chosen.sentence == "general-60 is the chosen node."
    assert chosen.points[-1][2:] == (606, (next_best,))


@pytest.mark.parametrize(
    ("pod", "node", "said"),
    [
        ("shop/banner-0", "spot-02", "TaintToleration refuses spot-02: taint spot=true."),
        ("shop/banner-0", "general-41", "NodeUnschedulable refuses general-41: cordoned. TaintToleration too: "),
        ("data/postgres-0", "gpu-01", "NodeAffinity too: wants karpenter.sh/nodepool=data; the node has gpu."),
        ("data/postgres-0", "data-01", "asks for 2 CPU, 1.685 free; asks for 16Gi memory, 11.57Gi free."),
        ("edge/ingress-canary-0", "ingress-01", "edge/ingress-nginx-khclpcwb9-g4bs5 has the host port 443/TCP."),
        ("edge/ingress-canary-0", "ingress-01", "No pod there is less important, so none may be evicted."),
        ("analytics/report-builder-0", "general-48", "Even without its less important pods it would be refused."),
        ("ml/tune-0", "gpu-01", "No node was looked at. ml/tune-0 waits for its scheduling gates: example.com/quota."),
    ],
)
def test_what_is_in_the_way(world, pod, node, said):
    assert said in why_not(explain(pod, world).decision, node).sentence


def test_a_selector_is_named_with_both_values(world):
    found = why_not(explain("data/postgres-0", world).decision, "gpu-01")
    details = {check.plugin: check.details for check in found.checks if check.refuses}
    assert details["NodeAffinity"] == ("wants karpenter.sh/nodepool=data; the node has gpu",)


def test_a_node_that_the_pod_s_affinity_does_not_name_refuses_first():
    affinity = node_affinity(term("metadata.name In a"))
    world = cluster(node("a", cpu=1), node("b"), pod("web", cpu=2, affinity=affinity))
    checks = why_not(explain("default/web", world).decision, "b").checks
    assert checks[0] == ("PreFilter", True, True, ("NodeAffinity names other nodes",))


def test_a_candidate_loses_by_a_rule(world):
    decision = explain("shop/payment-burst-0", world).decision
    found = why_not(decision, "general-44")
    assert found.sentence == (
        "Evicting would help on general-44 too. Rule 5 (latest start) prefers general-48: "
        "general-48 has 04:45, general-44 has 02:55."
    )
    assert why_not_table(found).rows[4] == (["5 latest start", "04:45", "02:55"], DECIDES)
    fifth = why_not_table(why_not(decision, "general-01")).rows[4]
    assert fifth == (["5 latest start", "04:45", "-"], "")
    assert "the pods in its way are evicted" in why_not(decision, "general-48").sentence


def test_ties_are_called_so():
    twins = cluster(node("a"), node("b"), pod("mine", "", 1))
    decision = explain("default/mine", twins).decision
    other = next(name for name in ("a", "b") if name != decision.node)
    assert f"{other} has the same score as {decision.node}" in why_not(decision, other).sentence
    full = cluster(node("a"), node("b"), pod("p", "a", 4), pod("q", "b", 4), pod("mine", "", 4, 9), budget("x", 0))
    decision = explain("default/mine", full).decision
    other = next(name for name in ("a", "b") if name != decision.nominated_node)
    assert why_not(decision, other).sentence.startswith(
        f"{other} is as good as {decision.nominated_node} by all 5 rules"
    )


def test_a_node_that_there_is_not_and_hostile_text(world):
    with pytest.raises(KeyError):
        why_not(explain("shop/banner-0", world).decision, "nobody")
    found = why_not(explain("shop/banner-0", world).decision, "spot-02")
    found = replace(found, checks=(Check("A", True, True, (EVIL,)),))
    section = Section("Why not?", [found.sentence, why_not_table(found)])
    shown = str(html([section]))
    assert "&lt;script&gt;[U+202E]" in shown and "<script" not in shown
    assert "\u202e" not in plain([section])


def test_the_margin_adds_up(world):
    decision = schedule("shop/banner-0", world)
    names, lines = compared(decision, None)
    assert names[0] == decision.node and names[1] not in decision.best
    total = lines[-1]
    assert total.chosen - total.others[0] == sum(line.chosen - line.others[0] for line in lines[:-1]) > 0
    assert f"It has {count(total.chosen - total.others[0], 'point')} more than {names[1]}: " in margin(decision)


def test_would_it_land_there_again():
    spread = [node("n", allocatable=ROOM), node("m", allocatable=ROOM)]
    stays = Case("default/mine", cluster(*spread, pod("busy", "m", cpu="1"), pod("mine", "n", cpu="1")))
    assert says(again(stays.decide(), "n"), "would", "node where it runs")
    tie = Case("default/mine", cluster(*spread, pod("mine", "n", cpu="1")))
    assert says(again(tie.decide(), "n"), "may", "node where it runs")
    moves = Case("default/mine", cluster(*spread, pod("busy", "n", cpu="1"), pod("mine", "n", cpu="1")))
    names, lines = compared(moves.decide(), "n")
    assert says(again(moves.decide(), "n"), "node where it runs", lines[-1].chosen - lines[-1].others[0], "behind")
    tainted = cluster(
        node("n", allocatable=ROOM, taints=[TAINT]),
        node("m", allocatable=ROOM),
        pod("mine", "n", cpu="1"),
    )
    told = again(Case("default/mine", tainted).decide(), "n")
    assert says(told, "node where it runs", "refused", "TaintToleration")
    assert again(schedule("default/mine", cluster(*spread, pod("mine", ""))), None) == ""


def test_a_node_that_the_search_did_not_reach():
    small = cluster(node("n1"), node("n2"), pod("web", cpu=1, nominated="n1"))
    decision = Scheduler(small, rng=Random(1)).decide(small.pending["default/web"])
    found = why_not(decision, "n2")
    assert says(found.sentence, "n2", "1 of 2") and (found.checks, found.points, found.rules) == ((), (), ())
    large = cluster(*(node(f"n{number:03}") for number in range(300)), pod("web", cpu=1))
    decision = Scheduler(large, rng=Random(1)).decide(large.pending["default/web"])
    unseen = next(name for name in large.names if name not in decision.names)
    assert says(why_not(decision, unseen).sentence, unseen, f"{decision.evaluated} of 300")


def test_the_pod_that_anti_affinity_keeps_apart_is_named():
    term = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    nodes = [node("a", labels={"zone": "z"}), node("b", labels={"zone": "z"})]
    one, other = pod("one", "a", labels={"app": "db"}), pod("mine", "", labels={"app": "db"})
    for pods, said in (
        ([one, {**other, "spec": other["spec"] | {"affinity": apart}}], "it must not share a zone with default/one"),
        ([{**one, "spec": one["spec"] | {"affinity": apart}}, other], "default/one must not share a zone with it"),
    ):
        assert said in why_not(explain("default/mine", cluster(*nodes, *pods)).decision, "b").sentence
