"""The scores of the feasible nodes, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.messages import later, listed, say, terms
from kschedlab.score.stage import Scores, Ties
from kschedlab.text.sections import DECIDES, Limits, Names, Part, Row, Section, Table
from kschedlab.text.words import count, listing

SPREADING = frozenset(("PodTopologySpread", "EvenPodsSpreadPriority"))


def scores_section(
    scores: Scores, pod: PodInfo, cluster: Cluster, chosen: str | None, limits: Limits, choice: str
) -> Section:
    names = [cluster.names[n] for n in scores.nodes.tolist()]
    order = ranking(scores, names, chosen)
    best, rest = order[: limits.nodes], order[limits.nodes :]
    rows = []
    for i in best:
        mark = DECIDES if names[i] == chosen else ""
        rows.append(Row([Names([names[i]]), *sums_of(scores, i), int(scores.total[i])], mark))
    parts: list[Part] = [Table([say("node"), *scores.plugins, say("total")], rows, turned=True)]
    if rest:
        parts.append(_lower([(int(scores.total[i]), names[i]) for i in rest], limits.totals))
    if choice:
        tied = scores.best_names(cluster.names)
        shared = say("{number:,} nodes share the highest score; {choice}:", number=len(tied), choice=choice)
        parts += [shared, Names(tied)]
    if ignored := without_key_text(scores, pod, cluster):
        parts.append(ignored)
    title = say("Scores of {nodes}", nodes=count(len(names), "feasible node"))
    totals = len({int(scores.total[i]) for i in rest})
    return Section(title, parts, say("(raw → normalised × weight)"), cut=totals > limits.totals)


def tie_break(scores: Scores, ties: Ties) -> str:
    """How one of the nodes with the highest score is chosen; "" if only one has it.

    v1.13 and v1.16: core/generic_scheduler.go, selectHost; v1.34: pkg/scheduler/schedule_one.go, selectHost. v1.37:
    pkg/scheduler/framework/sorted_nodes.go, and where a search begins: pkg/scheduler/schedule_one.go,
    findNodesThatPassFilters (nextStartNodeIndex).
    """
    if len(scores.best) == 1:
        return ""
    if ties is Ties.IN_TURN:
        return say("they take turns")
    if ties is Ties.HEAP and not scores.drawn_best.size:
        return say("the order of the search decides (it begins elsewhere each time and takes the zones in turn)")
    return say("one of them is picked at random")


def ranking(scores: Scores, names: Sequence[str], chosen: str | None) -> list[int]:
    """Indices of the nodes: highest total first, the chosen node first among equals, then by name."""
    totals = scores.total.tolist()
    return sorted(range(len(names)), key=lambda i: (-totals[i], names[i] != chosen, names[i]))


def sums_of(scores: Scores, i: int) -> list[str]:
    columns = zip(scores.weights, scores.rows, scores.results, strict=True)
    return [f"{row.raw[i]} → {row.normalized[i]} × {weight} = {result[i]}" for weight, row, result in columns]


def _lower(nodes: Sequence[tuple[int, str]], limit: int) -> Table:
    groups = [(total, [name for _, name in same]) for total, same in groupby(nodes, key=lambda node: node[0])]
    shown, hidden = groups[:limit], groups[limit:]
    rows = [Row([total, len(equal), Names(equal)]) for total, equal in shown]
    if hidden:
        total, equal = hidden[-1]
        more = sum(len(equal) for _, equal in hidden)
        rows.append(Row(["…", more, Names(equal[-1:], say("down to {total} of ", total=total))]))
    return Table([*terms("total", "nodes"), ""], rows)


def without_key_text(scores: Scores, pod: PodInfo, cluster: Cluster) -> str:
    """Which feasible nodes a ScheduleAnyway constraint ignores because they lack its label; "" if none.

    They are not counted and get no points (v1.37: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go,
    IgnoredNodes), although "anyway" suggests otherwise.
    """
    constraints = pod.pod.spec.topologySpreadConstraints
    keys = dict.fromkeys(each.topologyKey for each in constraints if each.whenUnsatisfiable == "ScheduleAnyway")
    if not keys or SPREADING.isdisjoint(scores.plugins):
        return ""
    nodes = [cluster.nodes[position] for position in scores.nodes.tolist()]
    lacking = [node.metadata.name for node in nodes if not keys.keys() <= node.metadata.labels.keys()]
    if not 0 < len(lacking) < len(nodes):
        return ""
    message = later("{nodes} without the label {keys} ({names}): the ScheduleAnyway constraint gives them no points.")
    return say(message, nodes=count(len(lacking), "node"), keys=listed([*keys]), names=listing(lacking, 3))
