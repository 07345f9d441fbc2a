"""One decision in several generations, as text and as HTML."""

from dataclasses import replace

from kschedlab import Cluster, schedule
from kschedlab.build import Manifest, budget, cluster, node, node_affinity, pod, term
from kschedlab.filter.taint_toleration import UNTOLERATED, UNTOLERATED_BY_NAME
from kschedlab.generations import V1_20, V1_37, Generation
from kschedlab.preemption.ladder import RULES
from kschedlab.text.plain import LIMITS
from kschedlab.text.sections import DECIDES, Lines, Names, Table
from kschedlab.whatif.compare import compare
from kschedlab.whatif.comparison import Comparison, cells
from tests.course import GENERATIONS
from tests.text.test_tables import Balanced

FULL = {"cpu": "1", "memory": "8Gi", "pods": "9"}
DEDICATED = {"key": "dedicated", "effect": "NoSchedule"}
GATED = pod("p", schedulingGates=[{"name": "wait"}])
CLAIMING = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])


def compared(*objects: Manifest) -> Comparison:
    return compare("default/p", cluster(*objects), (V1_20, V1_37))


def said(comparison: Comparison) -> dict[str, list[tuple[str, list[str], bool]]]:
    """What is shown of each node: the generations, what they say in lines, and whether they may choose it."""
    (*_, section) = comparison.sections(LIMITS)
    (table,) = (part for part in section.parts if isinstance(part, Table))
    nodes: dict[str, list[tuple[str, list[str], bool]]] = {}
    for (name, generations, result), mark in table.rows:
        if isinstance(name, Names):
            group = nodes.setdefault(", ".join(name.names), [])
        assert isinstance(generations, str) and isinstance(result, Lines)
        group.append((generations, [*map(str, result.lines)], mark == DECIDES))
    return nodes


def test_a_difference_that_one_rule_makes() -> None:
    comparison = compared(node("a", taints=[DEDICATED]), node("b", taints=[DEDICATED]), pod("p"))
    assert str(comparison).splitlines() == [
        "default/p in 2 generations",
        "  generation    decision",
        "  v1.20, v1.37  default/p fits on none of 2 nodes, and preemption does not",
        "                help.",
        "",
        "v1.20 → v1.37: differs in message",
        "  rule switched alone                                        effect",
        "  filter TaintToleration.reason                              gives the whole difference",
        "  node(s) had taint {{{key}: {value}}}, that the pod didn't",
        "  tolerate → node(s) had untolerated taint(s)",
        "",
        "node by node: 2 nodes",
        "  node  generation  result",
        "  a, b  v1.20       TaintToleration: node(s) had taint {dedicated: }, that the",
        "                    pod didn't tolerate",
        "        v1.37       TaintToleration: node(s) had untolerated taint(s)",
    ]


def test_a_difference_that_no_rule_makes_alone() -> None:
    comparison = compared(node("a", taints=[DEDICATED]), node("b"), pod("p", nodeSelector={"disk": "ssd"}))
    text = str(comparison)
    assert text.count("changes message") == 2
    assert "\n  no single rule gives the whole of it\n" in text


def test_the_same_outcome() -> None:
    text = str(compared(node("a"), node("b", allocatable=FULL), pod("p")))
    assert "\n\nv1.20 → v1.37: the same outcome\n" in text


def test_what_the_generations_say_of_a_node() -> None:
    busy = pod("w", "b", cpu="900m")
    comparison = compared(node("a"), node("b", allocatable=FULL), busy, pod("p", "", cpu="50m"))
    scores = [decision.scores for decision in comparison.decisions.values()]
    a, b = ([f"score {score.total[i]}" for score in scores if score is not None] for i in (0, 1))
    nodes = said(comparison)
    assert [line for _, lines, _ in nodes["a"] for line in lines] == [f"{text} (best)" for text in a]
    assert [line for _, lines, _ in nodes["b"] for line in lines] == b
    alone = said(compared(node("a"), node("b", unschedulable=True), pod("p")))
    assert alone["a"] == [("v1.20, v1.37", ["the only one"], True)]
    assert alone["b"] == [("v1.20, v1.37", ["NodeUnschedulable: node(s) were unschedulable"], False)]


def test_victims_and_the_node_chosen() -> None:
    running = pod("v", "a", cpu="1"), pod("w", "b", cpu="1", priority=3)
    comparison = compared(
        node("a", allocatable=FULL),
        node("b", allocatable=FULL),
        *running,
        pod("p", "", cpu="1", priority=9),
    )
    full = "NodeResourcesFit: Insufficient cpu"
    nodes = said(comparison)
    assert nodes["a"] == [("v1.20, v1.37", [full, "evicts v (chosen)"], True)]
    assert nodes["b"] == [("v1.20, v1.37", [full, "evicts w"], False)]
    chosen = "Of 2 candidates, rule 2 (lowest first victim priority) chooses a over b."
    rows = Balanced(comparison._repr_html_()).rows
    assert ["v1.20, v1.37", f"default/p fits on none of 2 nodes; it preempts v on a. {chosen}"] in rows


def test_nodes_that_differ_only_in_pods_that_stay_share_a_row() -> None:
    nodes = [node(f"n{i:02}", allocatable=FULL) for i in range(30)]
    running = [pod(f"v{i:02}", f"n{i:02}", cpu="1", priority=min(i, 1)) for i in range(30)]
    comparison = compared(*nodes, *running, pod("p", "", cpu="1", priority=9))
    chosen, *others = said(comparison).items()
    assert chosen[0] == "n00" and chosen[1][0][1][-1] == "evicts v00 (chosen)"
    ((_, [(_, lines, _)]),) = others
    assert lines[-1] == "a candidate for preemption, not chosen"


def test_twenty_groups_of_nodes_fit_with_the_names_of_their_pods() -> None:
    nodes = [node(f"n{i:02}", allocatable=FULL) for i in range(20)]
    running = [pod(f"v{i:02}", f"n{i:02}", cpu="1", priority=min(i, 1)) for i in range(20)]
    shown = said(compared(*nodes, *running, pod("p", "", cpu="1", priority=9)))
    assert [lines[-1] for [(_, lines, _)] in shown.values()][1:] == [f"evicts v{i:02}" for i in range(1, 20)]


def test_the_pods_that_one_generation_evicts_keep_their_names_in_the_other() -> None:
    """Even where most nodes share a row. One generation counts pods, the other compares priorities first."""
    halves = [pod(f"v{i:02}{half}", f"n{i:02}", "500m", int(i > 1)) for i in range(1, 30) for half in "ab"]
    nodes = [node(f"n{i:02}", allocatable=FULL) for i in range(30)]
    world = cluster(*nodes, pod("whole", "n00", "1", 1), *halves, pod("p", "", "1", 9))
    (fewest,) = [rule for rule in RULES if rule.name == "fewest victims"]
    counting = replace(V1_37, name="counting", preemption=replace(V1_37.preemption, ladder=(fewest,)))
    shown = said(compare("default/p", world, (V1_37, counting)))
    full = "NodeResourcesFit: Insufficient cpu"
    assert shown["n00"] == [
        ("v1.37", [full, "evicts whole"], False),
        ("counting", [full, "evicts whole (chosen)"], True),
    ]
    assert [lines[-1] for _, lines, _ in shown["n01"]] == ["evicts v01a, v01b (chosen)", "evicts v01a, v01b"]
    assert len(shown) == 3


def test_a_list_of_one_generation_shows_its_decision() -> None:
    assert str(compare("default/p", cluster(node("a"), pod("p")), ["v1.20"])).startswith("default/p in 1 generation\n")


def test_candidates_between_which_no_rule_decides_are_tied() -> None:
    running = [pod("v", "a", cpu="1"), pod("w", "b", cpu="1")]
    comparison = compared(
        node("a", allocatable=FULL),
        node("b", allocatable=FULL),
        *running,
        pod("p", "", cpu="1", priority=9),
    )
    for name, victim in ("a", "v"), ("b", "w"):
        lines = ["NodeResourcesFit: Insufficient cpu", f"evicts {victim} (tied)"]
        assert said(comparison)[name] == [("v1.20, v1.37", lines, True)]


def test_nodes_that_were_not_looked_at() -> None:
    """Because the pod waits, or a plugin refused it or left the node out beforehand."""
    gated = said(compared(node("a"), GATED))["a"]
    assert [lines for _, lines, _ in gated] == [["the only one"], ["not looked at"]]
    missing = 'persistentvolumeclaim "data" not found'
    claiming = said(compared(node("a"), CLAIMING))["a"]
    assert [lines for _, lines, _ in claiming] == [[f"VolumeBinding: {missing}"], [f"VolumeRestrictions: {missing}"]]
    elsewhere = said(compared(node("a"), pod("p", affinity=node_affinity(term("metadata.name In b")))))["a"]
    assert [lines for _, lines, _ in elsewhere] == [
        ["NodeAffinity: node(s) didn't match Pod's node affinity"],
        ["PreFilter"],
    ]


def test_an_error_instead_of_a_decision() -> None:
    comparison = compare("default/p", cluster(node("a"), CLAIMING), tuple(GENERATIONS)[:2])
    assert said(comparison)["a"] == [("v1.13, v1.16", ["error"], False)]


def test_nodes_on_which_the_generations_differ_come_first() -> None:
    """And no more than 20 groups of nodes have a row."""
    taints = [[{"key": f"k{i:02}", "effect": "NoSchedule"}] for i in range(29)]
    same = [node(f"a{i:02}", taints=taints[i], unschedulable=True) for i in range(29)]
    sidecar = {"name": "s", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "600m"}}}
    comparison = compared(*same, node("b", allocatable=FULL), pod("p", "", cpu="600m", initContainers=[sidecar]))
    assert list(said(comparison)) == ["b", ", ".join(f"a{i:02}" for i in range(29))]
    apart = [node(f"a{i:02}", taints=taints[i]) for i in range(29)]
    comparison = compared(*apart, node("b", allocatable=FULL), pod("p", "", cpu="600m", initContainers=[sidecar]))
    assert list(said(comparison)) == ["b", *(f"a{i:02}" for i in range(19))]
    assert str(comparison).endswith("  and 10 more nodes")


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
    markup = compared(node("a", taints=[DEDICATED]), pod("p"))._repr_html_()
    named = "node(s) had taint {dedicated: }, that the pod didn't tolerate"
    reason = f"filter TaintToleration.reason{UNTOLERATED_BY_NAME} → {UNTOLERATED}"
    assert Balanced(markup).rows == [
        ["generation", "decision"],
        ["v1.20, v1.37", "default/p fits on none of 1 node, and preemption does not help."],
        ["rule switched alone", "effect"],
        [reason, "gives the whole difference"],
        ["node", "generation", "result"],
        ["a", "v1.20", f"TaintToleration: {named}"],
        ["", "v1.37", "TaintToleration: node(s) had untolerated taint(s)"],
    ]
    assert "<summary>node by node: 1 node</summary>" in markup


def test_a_rule_has_its_title_beside_its_name() -> None:
    shop = {"app": "shop"}
    pods = [pod(f"{on}-{p}", on, "2", p, labels=shop) for on, ps in (("a", (100, 50)), ("b", (150, 0))) for p in ps]
    urgent = pod("p", "", "4", 1000)
    comparison = compared(node("a", 5), node("b", 5), *pods, budget("shop", 1), urgent)
    title = "<b>victims sorted again</b></div><div>preemption.victims.sorted_again</div>"
    assert title in comparison._repr_html_()


def test_a_comparison_shows_itself() -> None:
    comparison = compared(node("a"), pod("p"))
    assert str(comparison) == repr(comparison) and "default/p in 2 generations" in comparison._repr_html_()


def test_text_of_a_user_is_escaped() -> None:
    comparison = compared(node("a"), pod("p"))
    object.__setattr__(comparison.decisions["v1.37"], "error", "<script>alert(1)</script>\u202e")
    assert "<script>alert(1)</script>[U+202E]" in str(comparison)
    markup = comparison._repr_html_()
    assert "script" not in Balanced(markup).tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]" in markup
