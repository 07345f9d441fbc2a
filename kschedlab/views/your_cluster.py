"""A whole cluster at a glance: its pools, every node as a bar, and one pod's decision by pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.objects.model import Node
from kschedlab.preemption.stage import Preemption
from kschedlab.views.html import Html, element, join, visible
from kschedlab.views.ladder import columns, ladder_text
from kschedlab.views.picture import scarcest
from kschedlab.views.style import CHOSEN, DECIDES, KINDS, MONO
from kschedlab.views.svg import label, svg
from kschedlab.views.tables import row, table
from kschedlab.views.text import CANDIDATES, candidates_clock, fates, ranking
from kschedlab.views.words import aligned, broken, count, listing, refusals

POOL_LABELS = (
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "node.kubernetes.io/instance-type",
)
"""Labels that name a node's pool; the first one that any node has is used."""
POOLS = 12
"""Maximum number of pools; the smallest ones are merged."""
OTHERS = "others"
BARS = 400
"""Maximum number of bars; on larger clusters a bar stands for several nodes."""
WIDE, TALL, STEP, LEFT, PER_ROW, LINE = 6, 32, 8, 112, 66, 54
"""Width and height of a bar, distance between bars, left margin, bars in a row, distance between rows; in pixels."""
PALE = "#F0E442"
"""Yellow, whose thin lines are invisible on white."""
FITS, UNASKED = "feasible", "not looked at"


# -- pools
_words = partial(label, limit=80)


def pools(cluster: Cluster) -> dict[str, list[int]]:
    """Indices of each pool's nodes, the largest pool first. Pools follow labels, or taints without such labels."""
    has = Counter(key for node in cluster.nodes for key in node.metadata.labels)
    label = next((key for key in POOL_LABELS if has[key]), "")
    found: dict[str, list[int]] = {}
    for place, node in enumerate(cluster.nodes):
        found.setdefault(_pool(node, label), []).append(place)
    largest = sorted(found, key=lambda name: (-len(found[name]), name))
    kept = largest if len(largest) <= POOLS else largest[: POOLS - 1]
    rest = [place for name in largest[len(kept) :] for place in found[name]]
    return {name: found[name] for name in kept} | ({OTHERS: rest} if rest else {})


def _pool(node: Node, label: str) -> str:
    if label:
        return node.metadata.labels.get(label, OTHERS)
    return ", ".join(sorted({taint.key for taint in node.spec.taints})) or "nodes"


def pool_rows(cluster: Cluster) -> list[list[str]]:
    """For each pool: name, number of nodes, their taints, requested share of cpu and memory, number of pods."""
    rows = []
    for name, places in pools(cluster).items():
        taints = Counter(taint for place in places for taint in _taints(cluster.nodes[place]))
        described = [f"{taint} ({number})" if number < len(places) else taint for taint, number in taints.items()]
        shares = []
        for resource in ("cpu", "memory"):
            line = cluster.resources[resource]
            room = int(cluster.allocatable[line, places].sum())
            shares.append(f"{100 * int(cluster.requested[line, places].sum()) // max(room, 1)} %")
        running = str(int(cluster.pods_on[places].sum()))
        rows.append([name, str(len(places)), listing(described, 3) or "none", *shares, running])
    return rows


POOL_HEAD = ("pool", "nodes", "taints", "cpu asked for", "memory asked for", "pods")


def _taints(node: Node) -> list[str]:
    return list(dict.fromkeys(f"{t.key}={t.value}" if t.value else t.key for t in node.spec.taints))


class Overview:
    """The pools of a cluster as a table."""

    def __init__(self, cluster: Cluster) -> None:
        self.rows = pool_rows(cluster)

    def __repr__(self) -> str:
        return "\n".join(map(visible, aligned([POOL_HEAD, *self.rows], "")))

    def _repr_html_(self) -> str:
        return str(table(POOL_HEAD, (row(*each) for each in self.rows)))


def by_pool(cluster: Cluster, names: Sequence[str]) -> str:
    """ "general 95, spot 20": the pools of these nodes."""
    wanted = {cluster.index[name] for name in names}
    shares = {pool: len(wanted.intersection(places)) for pool, places in pools(cluster).items()}
    return ", ".join(f"{pool} {number}" for pool, number in shares.items() if number)


# -- the bars


class Run(NamedTuple):
    """Adjacent bars of one pool with the same verdict: how full each is (0 to 1), and the index of the chosen one."""

    verdict: str
    used: tuple[float, ...]
    chosen: int | None


def node_bars(decision: Decision, sentence: str) -> Html:
    """Every node as a bar, by pool, filled by its requested share; the letter below gives the verdict."""
    resource, cluster = scarcest(decision), decision.cluster
    each = -(-len(cluster.nodes) // BARS)
    drawn = {pool: _runs(decision, resource, places, each) for pool, places in pools(cluster).items()}
    verdicts = list(dict.fromkeys(run.verdict for runs in drawn.values() for run in runs))
    verdicts.sort(key=lambda verdict: verdict != FITS)
    style = {v: (chr(ord("A") + i), CHOSEN if v == FITS else COLOURS[i % len(COLOURS)]) for i, v in enumerate(verdicts)}
    shapes: list[Html] = []
    y = 10.0
    for pool, runs in drawn.items():
        shapes.append(_words(pool, 0, y + 14, font_weight="bold"))
        shapes.append(_words(count(len(pools(cluster)[pool]), "node"), 0, y + 29, opacity=0.7))
        y = _pool_bars(runs, style, y, shapes)
    numbers = _numbers(decision)
    for verdict, (letter, colour) in style.items():
        shapes.append(element("rect", x=0, y=y - 2, width=12, height=12, fill=colour))
        shapes.append(_words(f"{letter}  {verdict}: {count(numbers[verdict], 'node')}", 18, y + 8))
        y += 18
    scale = f"Bars are filled as far as {resource} is asked for."
    shapes.append(_words(scale + (f" Each stands for {each} nodes." if each > 1 else ""), 0, y + 8, opacity=0.7))
    width, height = LEFT + PER_ROW * STEP, y + 18
    return svg(shapes, width, height, sentence)


COLOURS = tuple(colour for colour in KINDS if colour not in (CHOSEN, PALE))


def _verdict(decision: Decision, place: int) -> str:
    verdicts = decision.verdicts
    if verdicts is None or verdicts.rejected is not None:
        return UNASKED
    plugin = verdicts.plugin(place)
    return FITS if plugin is None else f"refused by {plugin}"


def _numbers(decision: Decision) -> Counter[str]:
    return Counter(_verdict(decision, place) for place in range(len(decision.cluster.nodes)))


def _runs(decision: Decision, resource: str, places: list[int], each: int) -> list[Run]:
    """A pool's nodes by verdict, the fullest first, in bars of ``each`` nodes."""
    cluster = decision.cluster
    line = cluster.resources.get(resource, 0)
    share = cluster.requested[line] / np.maximum(cluster.allocatable[line], 1)
    star = cluster.index.get(decision.node or decision.nominated_node or "")
    found: dict[str, list[int]] = {}
    for place in sorted(places, key=lambda place: (-share[place], cluster.names[place])):
        found.setdefault(_verdict(decision, place), []).append(place)
    runs = []
    for verdict, mine in sorted(found.items(), key=lambda item: (item[0] != FITS, item[0])):
        groups = [mine[i : i + each] for i in range(0, len(mine), each)]
        used = tuple(min(float(share[group].mean()), 1.0) for group in groups)
        runs.append(Run(verdict, used, next((i for i, group in enumerate(groups) if star in group), None)))
    return runs


def _pool_bars(runs: list[Run], style: dict[str, tuple[str, str]], y: float, shapes: list[Html]) -> float:
    """Draw a pool's bars from ``y`` down; return the ``y`` below them."""
    slot = 0
    for run in runs:
        letter, colour = style[run.verdict]
        outline, fill = [], []
        for number, used in enumerate(run.used):
            x, top = LEFT + slot % PER_ROW * STEP, y + slot // PER_ROW * LINE
            outline.append(f"M{x} {top:g}h{WIDE}v{TALL}h-{WIDE}z")
            filled = round(TALL * used)
            fill.append(f"M{x} {top + TALL:g}v-{filled}h{WIDE}v{filled}z")
            if number == run.chosen:
                shapes.append(_words("★", x - 3, top - 1, fill=CHOSEN, font_size=13))
                shapes.append(element("rect", x=x - 2, y=top - 2, width=WIDE + 4, height=TALL + 4, **CHOSEN_FRAME))
            if number == 0 or slot % PER_ROW == 0:
                shapes.append(_words(letter, x, top + TALL + 13, font_size=11))
            slot += 1
        shapes.append(element("path", d="".join(fill), fill=colour))
        shapes.append(element("path", d="".join(outline), fill="none", stroke=colour, stroke_width=1))
    return y + -(-slot // PER_ROW) * LINE


CHOSEN_FRAME: dict[str, str | float | None] = {"fill": "none", "stroke": "currentColor", "stroke_width": 2}


# -- why pending


def refusal_rows(decision: Decision) -> list[list[str]]:
    """Refused nodes grouped by plugin and reasons, with their pools."""
    rows = []
    for refusal in refusals(decision):
        also = [f"also refused by {listing([f'{plugin} ({nodes:,})' for plugin, nodes in refusal.also])}"]
        reasons = "; ".join([*refusal.reasons, *(also if refusal.also else [])])
        evicting = "is no help" if refusal.unresolvable else "may help"
        pools_of = by_pool(decision.cluster, refusal.nodes)
        rows.append([str(len(refusal.nodes)), refusal.plugin, reasons, pools_of, evicting])
    return rows


REFUSAL_HEAD = ("nodes", "plugin", "reasons", "pools", "evicting")


# -- why there


class Compared(NamedTuple):
    """One plugin's weighted scores: of the chosen node, and of each node compared with it."""

    plugin: str
    chosen: int
    others: tuple[int, ...]


def compared(decision: Decision, was_on: str | None) -> tuple[list[str], list[Compared]]:
    """The chosen node against the best node with a lower score, and against the running pod's current node.

    Returns their names and each plugin's scores; empty lists if no node was scored.
    """
    scores = decision.scores
    if scores is None:
        return [], []
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    order = [names[i] for i in ranking(scores, names, decision.node)]
    behind = [name for name in order if name not in decision.best] or order[1:]
    shown = list(dict.fromkeys([order[0], behind[0], *([was_on] if was_on in names else [])]))
    columns = [names.index(name) for name in shown]
    lines = [
        Compared(f"{plugin} ×{weight}", int(result[columns[0]]), tuple(int(result[i]) for i in columns[1:]))
        for plugin, weight, result in zip(scores.plugins, scores.weights, scores.results, strict=True)
    ]
    total = scores.total
    return shown, [*lines, Compared("total", int(total[columns[0]]), tuple(int(total[i]) for i in columns[1:]))]


def margin(decision: Decision) -> str:
    """The chosen node's lead, and the plugins that give it; "" if no node was scored."""
    names, lines = compared(decision, None)
    if not lines:
        return ""
    by = lines[-1].chosen - lines[-1].others[0]
    gains = [f"{each.plugin} {each.chosen - each.others[0]:+d}" for each in lines[:-1] if each.chosen != each.others[0]]
    drawn = "One of the best is drawn. " if len(decision.best) > 1 else ""
    return f"{drawn}It is {by} ahead of {names[1]}: {', '.join(gains)}." if by else drawn.rstrip()


def again(decision: Decision, was_on: str | None) -> str:
    """Whether a running pod would land on its node again; "" for a pending pod."""
    if was_on is None or decision.node is None:
        return ""
    if was_on in decision.best:
        sure = "would" if len(decision.best) == 1 else "may"
        return f"So it {sure} land on the node where it runs."
    verdict = decision.verdict(was_on)
    if verdict.plugin is not None:
        return f"The node where it runs is refused now, by {verdict.plugin}."
    names, lines = compared(decision, was_on)
    return f"The node where it runs is {lines[-1].chosen - lines[-1].others[names.index(was_on) - 1]} behind."


def score_head(names: Sequence[str], was_on: str | None) -> list[str]:
    """Headings of :func:`score_rows`: the plugin, the chosen node, the others with the difference to them."""
    marked = [f"{name} (it runs here)" if name == was_on else name for name in names]
    return ["weighted score", f"★ {marked[0]}", *(part for name in marked[1:] for part in (name, "difference"))]


def score_rows(lines: Sequence[Compared]) -> Iterator[list[str]]:
    """Rows with a plugin's score of the chosen node, and of the others with the difference to them."""
    for each in lines:
        pairs = ((str(other), f"{each.chosen - other:+d}") for other in each.others)
        yield [each.plugin, str(each.chosen), *(cell for pair in pairs for cell in pair)]


# -- both


def why_table(decision: Decision, was_on: str | None) -> Html:
    """Why the pod goes to its node, or why it is pending."""
    names, lines = compared(decision, was_on)
    parts: list[Html] = []
    if lines:
        rows = list(score_rows(lines))
        parts.append(table(score_head(names, was_on), (row(*r, style=DECIDES if r is rows[-1] else "") for r in rows)))
    if event := decision.event:
        parts.append(element("p", element("b", "Event: "), element("code", event, style=MONO)))
    if found := refusal_rows(decision):
        parts.append(table(REFUSAL_HEAD, (row(*each) for each in found)))
    return join(parts)


def why_text(decision: Decision, was_on: str | None) -> list[str]:
    """The same as :func:`why_table`, as lines of text."""
    names, lines = compared(decision, was_on)
    said = aligned([score_head(names, was_on), *score_rows(lines)], "") if lines else []
    if event := decision.event:
        said += ["", *broken(f"Event: {event}", 120)]
    if found := refusal_rows(decision):
        said += ["", *aligned([REFUSAL_HEAD, *found], "")]
    return said


def whom_text(preemption: Preemption) -> list[str]:
    """The victims on the candidates that survived most rules, and how the scheduler chooses one, as lines of text."""
    nodes = columns(preemption, CANDIDATES)
    moment = candidates_clock(preemption, nodes)
    rows = [["node", "violations", "evicts", "keeps"]]
    for node in nodes:
        evicts, keeps = fates(preemption.candidates[node], moment)
        rows.append([node, str(preemption.candidates[node].violations), listing(evicts, 3), listing(keeps, 1) or "-"])
    found = count(len(preemption.positions), "candidate")
    return [f"{found}, of which these came furthest:", *aligned(rows), *ladder_text(preemption)]
