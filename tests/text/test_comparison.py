"""One decision in several generations, as text and as HTML."""

from dataclasses import replace

from kschedlab import Cluster, schedule
from kschedlab.build import Manifest, budget, cluster, node, node_affinity, pod, term
from kschedlab.filter.taint_toleration import UNTOLERATED, UNTOLERATED_BY_NAME
from kschedlab.generations import GENERATIONS, V1_20, V1_37, Generation
from kschedlab.text.comparison import Answer, answer, cells, comparison_html, comparison_text, picked
from kschedlab.text.style import DECIDES
from kschedlab.whatif.compare import Comparison, compare
from tests.text.test_tables import Balanced

FULL = {"cpu": "1", "memory": "8Gi", "pods": "9"}
DEDICATED = {"key": "dedicated", "effect": "NoSchedule"}
GATED = pod("p", schedulingGates=[{"name": "wait"}])
CLAIMING = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])


def compared(*objects: Manifest) -> Comparison:
    return compare("default/p", cluster(*objects), (V1_20, V1_37))


def lines(comparison: Comparison) -> list[list[str]]:
    """The lines of the text, each cut where its columns are."""
    return [
        [cell.strip() for cell in line.strip().split("  ") if cell] for line in comparison_text(comparison).split("\n")
    ]


def test_a_difference_that_one_rule_makes() -> None:
    comparison = compared(node("a", taints=[DEDICATED]), node("b", taints=[DEDICATED]), pod("p"))
    *found, why = comparison_text(comparison).split("\n")
    assert found == [
        "default/p in 2 generations",
        "  v1.20: default/p fits on none of 2 nodes, and preemption does not help.",
        "  v1.37: default/p fits on none of 2 nodes, and preemption does not help.",
        "",
        "  node  v1.20".ljust(56) + "v1.37",
        "  a     TaintToleration: node(s) had taint {dedicated:  TaintToleration: node(s) had untolerated",
        "        }, that the pod didn't tolerate".ljust(56) + "taint(s)",
        "  b     TaintToleration: node(s) had taint {dedicated:  TaintToleration: node(s) had untolerated",
        "        }, that the pod didn't tolerate".ljust(56) + "taint(s)",
        "",
        "v1.20 -> v1.37: differs in message",
    ]
    assert why.startswith("  filter TaintToleration.reason (node(s) had taint ")
    assert why.endswith(" -> node(s) had untolerated taint(s)), switched alone in v1.20, gives the whole difference")


def test_a_difference_that_no_rule_makes_alone() -> None:
    comparison = compared(node("a", taints=[DEDICATED]), node("b"), pod("p", nodeSelector={"disk": "ssd"}))
    text = comparison_text(comparison)
    assert text.count("switched alone in v1.20, changes message") == 2
    assert text.endswith("\n  no single rule gives the whole of it")


def test_the_same_outcome() -> None:
    text = comparison_text(compared(node("a"), node("b", allocatable=FULL), pod("p")))
    assert text.endswith("\n\nv1.20 -> v1.37: the same outcome")


def test_what_the_generations_say_of_a_node() -> None:
    busy = pod("w", "b", cpu="900m")
    comparison = compared(node("a"), node("b", allocatable=FULL), busy, pod("p", "", cpu="50m"))
    scores = [decision.scores for decision in comparison.decisions.values()]
    a, b = ([f"score {score.total[i]}" for score in scores if score is not None] for i in (0, 1))
    assert ["a", *(f"{text} (best)" for text in a)] in lines(comparison)
    assert ["b", *b] in lines(comparison)
    alone = lines(compared(node("a"), node("b", unschedulable=True), pod("p")))
    assert ["a", "the only one", "the only one"] in alone
    cordoned = "NodeUnschedulable: node(s) were unschedulable"
    assert ["b", cordoned, cordoned] in alone


def test_victims_and_the_node_chosen() -> None:
    running = pod("v", "a", cpu="1"), pod("w", "b", cpu="1", priority=3)
    comparison = compared(
        node("a", allocatable=FULL),
        node("b", allocatable=FULL),
        *running,
        pod("p", "", cpu="1", priority=9),
    )
    evicts = "NodeResourcesFit: Insufficient cpuevicts "
    rows = Balanced(markup := comparison_html(comparison)).rows
    assert ["a", f"{evicts}v (chosen)", f"{evicts}v (chosen)"] in rows
    assert markup.count(DECIDES) == 2
    assert ["b", f"{evicts}w", f"{evicts}w"] in rows
    chosen = "Of 2 candidates, rule 2 (lowest highest victim priority) chooses a over b."
    assert ["v1.37", f"default/p fits on none of 2 nodes; it preempts v on a. {chosen}"] in rows


def test_the_answer_that_a_pod_notices() -> None:
    tight = [node(name, allocatable=FULL) for name in ("a", "b")]
    alone = compared(tight[0], pod("v", "a", cpu="1"), pod("p", "", cpu="1", priority=9)).decisions["v1.37"]
    assert answer(alone) == Answer(("a",), (("default/v",),)) and picked(alone) == "a"
    running = [pod("v", "a", cpu="1"), pod("w", "b", cpu="1")]
    tied = compared(*tight, *running, pod("p", "", cpu="1", priority=9)).decisions["v1.37"]
    assert answer(tied) == Answer(("a", "b"), (("default/v",), ("default/w",))) and picked(tied) == "tie: a, b"
    assert picked(compared(node("a"), node("b"), pod("p")).decisions["v1.37"]) == "tie: a, b"
    full = compared(tight[0], pod("p", "", cpu="2")).decisions["v1.37"]
    assert answer(full) == Answer(()) and picked(full) == "no node"
    failed = compare("default/p", cluster(node("a"), CLAIMING), ["v1.13"]).decisions["v1.13"]
    assert picked(failed) == "an error"


def test_candidates_between_which_no_rule_decides_are_tied() -> None:
    running = [pod("v", "a", cpu="1"), pod("w", "b", cpu="1")]
    comparison = compared(
        node("a", allocatable=FULL),
        node("b", allocatable=FULL),
        *running,
        pod("p", "", cpu="1", priority=9),
    )
    rows = Balanced(comparison_html(comparison)).rows
    for name, victim in ("a", "v"), ("b", "w"):
        assert [name, *[f"NodeResourcesFit: Insufficient cpuevicts {victim} (tied)"] * 2] in rows


def test_nodes_that_were_not_looked_at() -> None:
    """Because the pod waits, or a plugin refused it or left the node out beforehand."""
    assert ["a", "the only one", "not looked at"] in lines(compared(node("a"), GATED))
    rows = Balanced(comparison_html(compared(node("a"), CLAIMING))).rows
    missing = 'persistentvolumeclaim "data" not found'
    assert ["a", f"VolumeBinding: {missing}", f"VolumeRestrictions: {missing}"] in rows
    rows = Balanced(
        comparison_html(compared(node("a"), pod("p", affinity=node_affinity(term("metadata.name In b")))))
    ).rows
    assert ["a", "NodeAffinity: node(s) didn't match Pod's node affinity", "PreFilter"] in rows


def test_an_error_instead_of_a_decision() -> None:
    comparison = compare("default/p", cluster(node("a"), CLAIMING), tuple(GENERATIONS)[:2])
    assert ["a", "error", "error"] in lines(comparison)


def test_nodes_on_which_the_generations_differ_come_first() -> None:
    """And no more than 20 nodes have a row."""
    same = [node(f"a{i:02}", unschedulable=True) for i in range(29)]
    sidecar = {"name": "s", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "600m"}}}
    comparison = compared(*same, node("b", allocatable=FULL), pod("p", "", cpu="600m", initContainers=[sidecar]))
    names = [line[0] for line in lines(comparison)[5:26]]
    assert names == ["b", *(f"a{i:02}" for i in range(19)), "and 10 more nodes"]


def first_of(world: Cluster, *generations: Generation) -> str:
    """The node that comes first in a comparison of the decisions."""
    decisions = {str(i): schedule("default/p", world, each) for i, each in enumerate(generations)}
    return next(iter(cells(Comparison(decisions, ()))))


def test_a_node_differs_if_it_is_refused_or_best_or_evicts_in_one_generation_alone() -> None:
    wanted = [{"weight": 9, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}]
    prefers = pod("p", affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": wanted}})
    disks = [node("a"), node("b", labels={"disk": "ssd"}), node("c", taints=[DEDICATED])]
    without = replace(V1_37, filters=tuple(each for each in V1_37.filters if each.name != "TaintToleration"))
    assert first_of(cluster(*disks, prefers), V1_37, without) == "c", "refused, or passes with a low score"
    fewer = tuple(pair for pair in V1_37.scores if pair[0].name == "ImageLocality")
    nodes = [node("a", unschedulable=True), node("b"), node("c", labels={"disk": "ssd"})]
    assert first_of(cluster(*nodes, prefers), V1_37, replace(V1_37, scores=fewer)) == "b", "best in one of them"
    full = [node("a", unschedulable=True), node("b", allocatable=FULL)]
    world = cluster(*full, pod("v", "b", cpu="1"), pod("p", "", cpu="1", priority=9))
    never = replace(V1_37, preemption=replace(V1_37.preemption, enabled=False))
    assert first_of(world, V1_37, never) == "b", "evicts in one of them"
    assert first_of(world, V1_37, V1_37) == "a"


def test_html_tells_the_same_as_the_text() -> None:
    comparison = compared(node("a", taints=[DEDICATED]), pod("p"))
    found = Balanced(markup := comparison_html(comparison))
    named = "node(s) had taint {dedicated: }, that the pod didn't tolerate"
    reason = ["filter TaintToleration.reason", f"{UNTOLERATED_BY_NAME} → {UNTOLERATED}"]
    assert found.rows == [
        ["generation", "decision"],
        ["v1.20", "default/p fits on none of 1 node, and preemption does not help."],
        ["v1.37", "default/p fits on none of 1 node, and preemption does not help."],
        ["step", "differs in", "rule switched alone", "before → after", "effect"],
        ["v1.20 → v1.37", "message", *reason, "gives the whole difference"],
        ["node", "v1.20", "v1.37"],
        ["a", f"TaintToleration: {named}", "TaintToleration: node(s) had untolerated taint(s)"],
    ]
    assert "<summary>node by node: 1 node</summary>" in markup
    assert "<b>default/p</b>" in markup


def test_html_of_steps_without_a_difference_and_without_one_cause() -> None:
    rows = Balanced(comparison_html(compared(node("a"), node("b", allocatable=FULL), pod("p")))).rows
    assert rows[4] == ["v1.20 → v1.37", "the same outcome", "", "", ""]
    several = compared(node("a", taints=[DEDICATED]), node("b"), pod("p", nodeSelector={"disk": "ssd"}))
    first, second, none = Balanced(comparison_html(several)).rows[4:7]
    assert first[:3] == ["v1.20 → v1.37", "message", "filter TaintToleration.reason"]
    assert second[:3] == ["", "", "filter NodeAffinity.reason"]
    assert first[-1] == second[-1] == "changes message"
    assert none == ["", "", "no single rule gives the whole of it", "", ""]


def test_a_rule_has_its_title_beside_its_name() -> None:
    shop = {"app": "shop"}
    pods = [pod(f"{on}-{p}", on, "2", p, labels=shop) for on, ps in (("a", (100, 50)), ("b", (150, 0))) for p in ps]
    urgent = pod("p", "", "4", 1000)
    markup = comparison_html(compared(node("a", 5), node("b", 5), *pods, budget("shop", 1), urgent))
    assert "<b>victims sorted again</b></div><code>preemption.victims.sorted_again</code>" in markup


def test_a_comparison_shows_itself() -> None:
    comparison = compared(node("a"), pod("p"))
    assert str(comparison) == repr(comparison) == comparison_text(comparison)
    assert comparison._repr_html_() == str(comparison.html()) == comparison_html(comparison)


def test_text_of_a_user_is_escaped() -> None:
    comparison = compared(node("a"), pod("p"))
    object.__setattr__(comparison.decisions["v1.37"], "error", "<script>alert(1)</script>\u202e")
    assert "<script>alert(1)</script>[U+202E]" in comparison_text(comparison)
    markup = comparison_html(comparison)
    assert "script" not in Balanced(markup).tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]" in markup
