"""What would change a decision, as a sentence, a table and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.views.html import Html, element, join, visible
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, amount, count, evicted, listing, outcome
from kschedlab.whatif.answers import Eviction, WhatIf
from kschedlab.whatif.case import Boundary
from kschedlab.whatif.fits import Fits

HEAD = ("what", "change", "then", "but")
FITS_HEAD = ("node", "pods", "which")
LIMIT = "requests: most"
VICTIMS = 3
"""Maximum number of pods named in a list."""


class Line(NamedTuple):
    """One answer. ``but``: the decision just short of the change."""

    what: str
    change: str
    then: str
    but: str = ""


class Answer(NamedTuple):
    """One answer as a line, and the decision that proves it."""

    line: Line
    decision: Decision


def whatif_text(whatif: WhatIf) -> str:
    """The answers as plain text."""
    answers = whatif_lines(whatif)
    lines = aligned([HEAD, *answers]) if answers else []
    return "\n".join(map(visible, [whatif_sentence(whatif), *lines, *notes(whatif)]))


def whatif_tables(whatif: WhatIf) -> Html:
    """The summary sentence, then the answers as a table."""
    return join([element("p", element("b", whatif_sentence(whatif))), whatif_table(whatif)])


def whatif_table(whatif: WhatIf) -> Html:
    """The answers as a table."""
    lines = table(HEAD, (row(*line, wraps=True) for line in whatif_lines(whatif)))
    return join([lines, *(element("p", note) for note in notes(whatif))])


def fits_text(fits: Fits) -> str:
    """How many pods fit, the nodes with their new pods, and why others do not fit."""
    rows = list(_fits_rows(fits))
    lines = aligned([FITS_HEAD, *rows]) if rows else []
    return "\n".join(map(visible, [fits_sentence(fits), *lines, *_misfits(fits)]))


def fits_table(fits: Fits) -> Html:
    """The same as a table with the sentence above it."""
    rows = [row(*each) for each in _fits_rows(fits)]
    tables = [table(FITS_HEAD, rows)] if rows else []
    return join([element("p", element("b", fits_sentence(fits))), *tables, *(element("p", m) for m in _misfits(fits))])


def fits_sentence(fits: Fits) -> str:
    """How many of the pods fit."""
    pods = len(fits.placements)
    if pods < 2:
        return "The pod fits." if fits.placed else "The pod does not fit." if pods else "There are no pods to place."
    return f"All {pods:,} pods fit." if fits else f"{len(fits.placed):,} of {pods:,} pods fit."


def _fits_rows(fits: Fits) -> Iterator[tuple[str, str, str]]:
    """Nodes, in the order in which they got their first pod."""
    for node, pods in _grouped(fits.placed).items():
        yield node, f"{len(pods):,}", listing(pods, VICTIMS)


def _misfits(fits: Fits) -> Iterator[str]:
    """Pods that do not fit, by message."""
    for message, pods in _grouped(fits.unplaced).items():
        yield f"{listing(pods, VICTIMS)}: {message}"


def _grouped(values: Mapping[str, str]) -> dict[str, list[str]]:
    """The keys by value."""
    keys: dict[str, list[str]] = {}
    for key, value in values.items():
        keys.setdefault(value, []).append(key)
    return keys


def whatif_lines(whatif: WhatIf) -> list[Line]:
    """All answers, in order."""
    return [answer.line for answer in whatif_answers(whatif)]


def whatif_answers(whatif: WhatIf) -> list[Answer]:
    """All answers with their decisions, in order."""
    return list(_to_fit(whatif) if whatif.decision.node is None else _to_go_elsewhere(whatif))


def whatif_sentence(whatif: WhatIf) -> str:
    """The current decision, and the first answer of each kind; for a pod that fits, where it would go elsewhere."""
    now, fits = outcome(whatif.decision), whatif.decision.node is not None
    first: dict[str, Line] = {}
    for line in whatif_lines(whatif):
        if line.what != LIMIT:
            first.setdefault(line.what, line)
    answers = "; or ".join(f"{line.change} ({line.then})" for line in first.values())
    if fits:
        return f"{now} Another node would be best {answers}." if answers else f"{now} No change tried moves it."
    return f"{now} What would change it: {answers}." if answers else f"{now} Nothing that was tried changes that."


def notes(whatif: WhatIf) -> list[str]:
    """What did not help, and what was not tried."""
    relaxations, said = whatif.relaxations, []
    if whatif.decision.node is None:
        if not whatif.requests and any(whatif.decision.pod.request.values()):
            said.append("Less of one resource alone is not enough.")
        if not relaxations.sufficient:
            tried = (
                f"No change of its constraints is enough: {count(relaxations.tried, 'change')} tried, pairs as well."
            )
            said.append(tried if relaxations.tried else "No change of its constraints is enough: it has none.")
        if relaxations.untried:
            said.append(f"{count(relaxations.untried, 'change')} not tried: there are too many.")
        preemption = whatif.decision.preemption
        if whatif.priority is None and preemption is not None and preemption.eligible and preemption.chosen is None:
            said.append("No priority makes it preempt.")
    elif not whatif.weights:
        said.append("No weight of one score alone, from 0 to 100, changes the node.")
    return said


def _to_fit(whatif: WhatIf) -> Iterator[Answer]:
    for limit in whatif.requests:
        change = f"asking for {amount(limit.name, limit.far)} instead of {amount(limit.name, limit.now)}"
        yield _answer("requests", change, limit.after, f"{amount(limit.name, limit.near)}: still fits nowhere")
    for each in whatif.relaxations.sufficient:
        yield _answer("constraints", " and ".join(each.changes), each.decision)
    if (priority := whatif.priority) is not None:
        change = f"with priority {priority.far} instead of {priority.now}"
        yield _answer("priority", change, priority.after, f"{priority.near}: preempts nobody")
    if (eviction := whatif.eviction) is not None:
        yield _answer("eviction", _evicting(eviction), eviction.decision)
    for more in whatif.nodes:
        yield _answer("nodes", f"one node more of {more.pool}{f' in {more.zone}' if more.zone else ''}", more.decision)


def _answer(what: str, change: str, decision: Decision, but: str = "") -> Answer:
    return Answer(Line(what, change, then(decision), but), decision)


def _evicting(eviction: Eviction) -> str:
    names = [f"{victim.key} ({victim.priority})" for victim in eviction.victims]
    return f"without {listing(names, VICTIMS)} on {eviction.node}"


def _to_go_elsewhere(whatif: WhatIf) -> Iterator[Answer]:
    for limit in whatif.limits:
        change = f"asking for {amount(limit.name, limit.far)}"
        yield _answer(LIMIT, change, limit.after, f"{amount(limit.name, limit.near)}: {then(limit.before)}")
    for boundary in whatif.requests:
        change = f"asking for {amount(boundary.name, boundary.far)}"
        near = f"{amount(boundary.name, boundary.near)}: {_still(whatif, boundary)}"
        yield _answer("requests", change, boundary.after, near)
    for boundary in whatif.weights:
        change = f"with weight {boundary.far} of {boundary.name} instead of {boundary.now}"
        if boundary.far == 0:  # no configuration can say it: kube-scheduler reads a weight of 0 as the default
            change = f"without the score {boundary.name}"
        yield _answer("weights", change, boundary.after, f"{boundary.near}: {_still(whatif, boundary)}")


def _still(whatif: WhatIf, boundary: Boundary) -> str:
    """Says that the current node is still the best, or one of the best."""
    among = "" if len(boundary.before.best) == 1 else f"one of {len(boundary.before.best)} best: "
    return f"{among}{whatif.decision.node}"


def then(decision: Decision) -> str:
    """The outcome for the pod."""
    if decision.node is not None:
        return f"{decision.node}, {count(len(decision.feasible), 'feasible node')}"
    if decision.preemption is not None and decision.nominated_node is not None:
        return f"preempts {evicted(decision.preemption.victims)} on {decision.nominated_node}"
    return "fits nowhere"
