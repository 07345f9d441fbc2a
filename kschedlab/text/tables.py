"""A Decision as tables for a notebook or a page. Many nodes are folded into ``<details>``; everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedlab.decision import Decision
from kschedlab.messages import listed, say, terms
from kschedlab.preemption.stage import Attempt, Preemption
from kschedlab.text.html import Child, Html, element, join
from kschedlab.text.ladder import columns, ladder_html
from kschedlab.text.plain import CANDIDATES, answer_text, candidates_clock, device_lines, ranking
from kschedlab.text.style import CELL, DECIDES, EVICTED, GREY, HEAD, MONO, NOWRAP, NUMBER, TABLE
from kschedlab.text.words import Clock, choice, count, listing, outcome, refusals, request_text

NODES = 10
"""Number of best nodes shown before the fold."""


def decision_html(decision: Decision) -> str:
    """The decision as an HTML fragment."""
    return str(decision_tables(decision))


def decision_tables(decision: Decision) -> Html:
    """The outcome in a sentence, and a table for each stage with results."""
    sections = (
        part for stage in (_refused, _devices, _extended, _scored, _preempted, _event) for part in stage(decision)
    )
    title = element("p", element("b", decision.pod.key), f" {request_text(decision)}")
    return element("div", title, element("p", outcome(decision)), *sections)


def table(head: Sequence[str], rows: Iterable[Html]) -> Html:
    """A table; the rows are ``<tr>``."""
    cells = [element("th", text, scope="col", style=HEAD) for text in head]
    return element("table", element("thead", element("tr", *cells)), element("tbody", *rows), style=TABLE)


def row(*cells: Child, style: str = "", wraps: bool = False) -> Html:
    """A table row: numbers are right-aligned, everything else left; short text does not wrap, unless all ``wraps``."""
    written = (element("td", cell, style=CELL if wraps else _style(cell)) for cell in cells)
    return element("tr", *written, style=style or None)


def _style(cell: Child) -> str:
    if isinstance(cell, int):
        return NUMBER
    return CELL + NOWRAP if isinstance(cell, str) and len(cell) < 40 else CELL


def folded(summary: str, *inside: Child) -> Html:
    """A ``<details>`` element that opens on a click."""
    return element("details", element("summary", summary), *inside)


def _refused(decision: Decision) -> Iterator[Html]:
    rows = []
    for refusal in refusals(decision):
        plugins = listing([f"{plugin} ({nodes:,})" for plugin, nodes in refusal.also])
        also = say("also refused by {plugins}", plugins=plugins)
        reasons = [element("div", reason) for reason in [*refusal.reasons, *([also] if refusal.also else [])]]
        helps = say("does not help") if refusal.unresolvable else say("may help")
        rows.append(row(len(refusal.nodes), refusal.plugin, join(reasons), helps, _names(refusal.nodes)))
    if rows:
        yield element("p", element("b", say("Refused by filters")))
        yield table(terms("Nodes", "Plugin", "Reasons", "Evicting", "Which"), rows)


def _devices(decision: Decision) -> Iterator[Html]:
    for line in device_lines(decision):
        yield element("div", line.strip()) if line.startswith(" ") else element("p", element("b", line))


def _extended(decision: Decision) -> Iterator[Html]:
    if decision.calls:
        yield element("p", element("b", say("Extenders")))
        rows = (row(call.extender, call.verb, answer_text(call)) for call in decision.calls)
        yield table(terms("Extender", "Is asked to", "Answer"), rows)


def _names(names: Sequence[str]) -> Child:
    return listed(names) if len(names) <= NODES else folded(listing(names, 3), listed(names))


def _scored(decision: Decision) -> Iterator[Html]:
    scores = decision.scores
    if scores is None:
        return
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    order = ranking(scores, names, decision.node)
    plugins = [f"{plugin} ×{weight}" for plugin, weight in zip(scores.plugins, scores.weights, strict=True)]
    yield element(
        "p",
        element("b", say("Scores of {nodes}", nodes=count(len(names), "feasible node"))),
        " " + say("raw → normalised × weight"),
    )
    best = []
    for i in order[:NODES]:
        sums = zip(scores.weights, scores.rows, scores.results, strict=True)
        cells = [f"{each.raw[i]} → {each.normalized[i]} × {weight} = {result[i]}" for weight, each, result in sums]
        chosen = names[i] == decision.node
        best.append(row(names[i], *cells, int(scores.total[i]), style=DECIDES if chosen else ""))
    yield table([say("Node"), *plugins, say("Total")], best)
    if rest := order[NODES:]:
        results, totals = scores.results.T.tolist(), scores.total.tolist()
        plain = (element("tr", *(element("td", cell) for cell in (names[i], *results[i], totals[i]))) for i in rest)
        yield folded(
            say("{nodes}, weighted scores", nodes=count(len(rest), "more node")),
            table([say("Node"), *plugins, say("Total")], plain),
        )


def _preempted(decision: Decision) -> Iterator[Html]:
    preemption = decision.preemption
    if preemption is None or not len(preemption.positions):
        return
    found, potential = len(preemption.positions), len(preemption.potential)
    summary = say(
        "{candidates} among {nodes} where evicting may help",
        candidates=count(found, "candidate"),
        nodes=count(potential, "node"),
    )
    yield element("p", element("b", say("Preemption: ")), summary)
    yield candidates_table(preemption)
    yield element("p", choice(preemption))
    if found > 1:
        yield ladder_html(preemption)


def candidates_table(preemption: Preemption) -> Html:
    """The candidates that survived most rules, with their potential victims in the order of reprieve."""
    nodes = columns(preemption, CANDIDATES)
    moment = candidates_clock(preemption, nodes)
    rows = []
    for node in nodes:
        candidate = preemption.candidates[node]
        fates = [_fate(attempt, moment) for attempt in candidate.attempts]
        shown = (
            fates
            if len(fates) <= NODES
            else [*fates[:NODES], folded(say("{number:,} more", number=len(fates) - NODES), *fates[NODES:])]
        )
        style = DECIDES if node == preemption.nominated_node else ""
        rows.append(row(node, len(candidate.victims), candidate.violations, join(shown), style=style))
    if hidden := len(preemption.positions) - len(nodes):
        rows.append(row(say("{number:,} more", number=hidden), "", "", "", style=GREY))
    return table(terms("Node", "Victims", "Violations", "Reprieve, in this order"), rows)


def _fate(attempt: Attempt, moment: Clock) -> Html:
    budget = say(", its eviction breaks a budget") if attempt.violates else ""
    about = say(
        " priority {priority}, started {start}{budget}: ",
        priority=attempt.pod.priority,
        start=moment(attempt.pod.start),
        budget=budget,
    )
    if attempt.reprieved:
        return element("div", attempt.pod.key, about, element("b", say("stays")))
    why = say("evicted ({plugin} would fail otherwise)", plugin=attempt.refused_by)
    return element("div", element("s", attempt.pod.key), about, element("b", why, style=f"color:{EVICTED}"))


def _event(decision: Decision) -> Iterator[Html]:
    if event := decision.event:
        yield element("p", element("b", say("Event: ")), element("code", event, style=MONO))
