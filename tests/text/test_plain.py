"""A decision for the terminal."""

from dataclasses import replace

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_37
from kschedlab.plugins import node_score
from kschedlab.scheduler import schedule
from kschedlab.text.plain import plain
from kschedlab.text.sections import Limits, Names, Section
from kschedlab_lab.panels.preemption import Settings, decide

PREEMPTION = """\
default/urgent fits on none of 4 nodes; it preempts shop-a on node-a.
  asks for 3 CPU; priority 500

Refused by filters
  nodes  plugin            reasons                         evicting
      4  NodeResourcesFit  Insufficient cpu                may help
                           node-a, node-b, node-c, node-d

Preemption: 3 candidates among 4 nodes where evicting may help
                       pod             priority  started  else refused by
  node-a  keeps        default/logs-a       150  07:00
          evicts       default/shop-a       100  09:30    NodeResourcesFit
  node-b  keeps (PDB)  default/jobs-b         0  09:30
          evicts       default/logs-b       150  07:00    NodeResourcesFit
          evicts       default/shop-b       100  09:00    NodeResourcesFit
  node-c  keeps        default/logs-c       150  07:00
          evicts       default/mail-c       100  10:00    NodeResourcesFit
          evicts       default/jobs-c         0  08:30    NodeResourcesFit
  Of 3 candidates, rule 3 (smallest sum of victim priorities) chooses node-a over node-c.
       rule                                   node-a       node-b  node-c       result
    1  fewest PodDisruptionBudget violations  0            0       0            leaves all
    2  lowest first victim priority           100          150     100          leaves node-a, node-c
  ▶ 3  smallest sum of victim priorities      100 + 1×2³¹  -       100 + 2×2³¹  decides: node-a
    4  fewest victims                         1            -       -            not asked
    5  latest start                           09:30        -       -            not asked

Event
  0/4 nodes are available: 4 Insufficient cpu. preemption: found a potential placement for pod on node node-a, \
preempting 1 victims"""


def test_a_preemption_from_request_to_event() -> None:
    decision = decide(Settings(generation="v1.37", allowed=1))
    assert str(decision) == PREEMPTION == repr(decision)


def test_scores_of_the_best_nodes_and_then_the_others() -> None:
    nodes = [node(f"n{i}", allocatable={"cpu": str(4 + i), "memory": "8Gi", "pods": "10"}) for i in range(9)]
    decision = schedule("default/web", cluster(*nodes, pod("web", cpu="1", memory="1Gi")))
    assert decision.scores is not None
    totals = dict(zip((decision.cluster.names[n] for n in decision.scores.nodes), decision.scores.total, strict=True))
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    lines = str(decision).splitlines()
    start = lines.index("Scores of 9 feasible nodes (raw → normalised × weight)")
    assert lines[start + 1].split()[1:] == ranked[:4]
    fit = next(line for line in lines if line.startswith("  NodeResourcesFit"))
    place = decision.scores.plugins.index("NodeResourcesFit")
    raw = decision.scores.rows[place].raw[list(totals).index(ranked[0])]
    assert fit.split()[1:8] == [str(raw), "→", str(raw), "×", "1", "=", str(raw)]
    total = next(line for line in lines if line.startswith("  total"))
    assert total.split()[1:] == [str(totals[name]) for name in ranked[:4]]
    rest = [line.split(maxsplit=2) for line in lines[lines.index("  total  nodes") + 1 :]]
    named = {name: int(points) for points, nodes, names in rest if nodes.isdigit() for name in names.split(", ")}
    assert named == {name: totals[name] for name in ranked[4:]}


def test_the_last_row_of_scores_says_how_many_are_left_and_down_to_which() -> None:
    sizes = [1, 1, *range(2, 17)]
    nodes = [
        node(f"n{i}", allocatable={"cpu": str(size), "memory": "8Gi", "pods": "10"}) for i, size in enumerate(sizes)
    ]
    decision = schedule("default/web", cluster(*nodes, pod("web", cpu="1", memory="1Gi")))
    assert decision.scores is not None
    (last,) = (line for line in str(decision).splitlines() if line.startswith("  …"))
    assert last.split() == ["…", "2", "down", "to", str(decision.scores.total.min()), "of", "n1"]


def test_all_totals_that_have_no_row_share_the_last_one() -> None:
    rank = node_score("Rank")(lambda pod, node: int(node.name[1:]))
    nodes = [node(f"n{i}") for i in range(16)]
    text = str(schedule("default/web", cluster(*nodes, pod("web")), V1_37.plus(rank).only("Rank")))
    (last,) = (line for line in text.splitlines() if line.startswith("  …"))
    assert last.split() == ["…", "4", "down", "to", "0", "of", "n0"]


def test_scores_are_cut_if_totals_have_no_row() -> None:
    for sizes, is_cut in ((3, False), (4, True)):
        nodes = [node(f"n{i}", 2 + 2 * i) for i in range(sizes)]
        decision = schedule("default/web", cluster(*nodes, pod("web", cpu="1", memory="1Gi")))
        few = Limits(nodes=1, totals=2, candidates=2, pods=2, rungs=2, groups=2)
        (scores,) = (each for each in decision.sections(few) if each.title.startswith("Scores"))
        assert scores.cut is is_cut


def test_up_to_five_names_are_listed() -> None:
    for names, listed in (("abcde", "a, b, c, d, e"), ("abcdef", "a, b, c, d, e and 1 more")):
        assert plain([Section("nodes", [Names([*names])])]) == f"nodes\n  {listed}"


def test_up_to_three_nodes_that_a_constraint_gives_no_points_are_named() -> None:
    anyway = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}
    for number, names in ((3, "n0, n1, n2"), (4, "n0, n1, n2 and 1 more")):
        lacking = [node(f"n{i}") for i in range(number)]
        world = cluster(*lacking, node("zoned", labels={"zone": "a"}), pod("web", topologySpreadConstraints=[anyway]))
        assert f"{number} nodes without the label zone ({names}): " in str(schedule("default/web", world))
    zoned = [node(name, labels={"zone": name}) for name in "ab"]
    for more, without in (([node("n0")], "1 node without the label zone (n0): "), ([], "")):
        text = str(schedule("default/web", cluster(*zoned, *more, pod("web", topologySpreadConstraints=[anyway]))))
        assert without in text and ("without the label" in text) is bool(without)


def test_no_constraint_takes_points_where_spreading_has_no_score() -> None:
    anyway = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}
    zoned = [node("n0"), *(node(name, labels={"zone": name}) for name in "ab")]
    world = cluster(*zoned, pod("web", topologySpreadConstraints=[anyway]))
    without = replace(V1_37, scores=tuple(pair for pair in V1_37.scores if pair[0].name != "PodTopologySpread"))
    assert "without the label zone (n0)" in str(schedule("default/web", world))
    assert "without the label" not in str(schedule("default/web", world, without))


def test_five_thousand_nodes_stay_readable() -> None:
    full = [pod(f"p{i}", f"n{i}", cpu="1", priority=i % 7) for i in range(5000)]
    nodes = [node(f"n{i}", allocatable={"cpu": "1", "pods": "10"}) for i in range(5000)]
    decision = schedule("default/web", cluster(*nodes, *full, pod("web", cpu="1", priority=100)))
    text = str(decision)
    assert len(text.splitlines()) < 40 and max(map(len, text.splitlines())) < 200
    assert "Preemption: 5,000 candidates among 5,000 nodes" in text and "  and 4,994 more candidates" in text


def test_sections_without_anything_to_tell_are_left_out() -> None:
    text = str(schedule("default/web", cluster(node("n1"), pod("web"))))
    assert text.splitlines() == [
        "default/web goes to n1, the only feasible node out of 1.",
        "  asks for nothing; priority 0",
    ]


def test_control_characters_cannot_reach_the_terminal() -> None:
    gate = "x\x1b[2Jy"
    decision = schedule("default/web", cluster(node("n1"), pod("web")))
    object.__setattr__(decision, "error", gate)
    assert "could not be decided: x[U+001B][2Jy" in str(decision)
