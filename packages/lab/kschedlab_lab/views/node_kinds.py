"""What a decision says of each node: how many obstacles are in the way, which one, and the colour that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kschedlab.decision import Decision
from kschedlab.filter.plugin import Refusals
from kschedlab.filter.stage import EXCLUDED
from kschedlab.messages import later
from kschedlab.objects.meta import controller_of
from kschedlab_lab.views.obstacles import SIGNS
from kschedlab_lab.views.style import CHOSEN, KINDS, mixed, themed

FITS, UNASKED, UNDECIDED, REFUSED = later("feasible"), later("not looked at"), later("not looked at yet"), "refused by "
CHOSEN_ONE, GOOD, EVICTS, ONE, TWO, MORE, OPEN = "chosen", FITS, "evicting", "one-away", "two-away", "further", "open"
"""The kinds of nodes: chosen; the pod fits; it fits if others leave; so many obstacles are in the way; not decided."""
SHADES = tuple(
    themed(mixed("#C6EADD", "#2F8F72", n / 4), mixed("#183F34", "#38AC8A", n / 4))  # towards CHOSEN
    for n in range(5)
)
"""The colours of nodes on which the pod fits, from the fewest points to the most."""
TOLLS = tuple(themed(mixed("#F7C4AF", "#CB5522", n / 4), mixed("#63321F", "#E07440", n / 4)) for n in range(5))
"""The colours of nodes on which it fits if others leave, from the fewest of them to the most: towards EVICTED."""
CAUSES = {
    "taint": KINDS[1],
    "full": themed("#DE9CBC", "#7E4A68"),
    "label": themed("#9F7AD3", "#7A4FC0"),  # the most frequent one: far from TOLLS, also for who is colour-blind
    "pods": KINDS[3],
    **dict.fromkeys(("disk", "zone"), KINDS[5]),
    "cordon": themed("#9C7B60", "#A98F76"),
}
"""The colours of nodes that are one obstacle away, by the sign of what is in the way; others have that of OTHER."""
OTHER = KINDS[0]
FILLS = {
    CHOSEN_ONE: CHOSEN,
    GOOD: SHADES[2],
    EVICTS: TOLLS[2],
    ONE: OTHER,
    TWO: themed("#A9B0BC", "#59626F"),
    MORE: themed("#7F8998", "#8A94A3"),
    OPEN: themed("#D5D9E0", "#343D4B"),
}
"""By kind, those that are nearest first: the colour of its square."""
SIZES = {TWO: 0.64, MORE: 0.36}
"""By kind, the size of its square: what more than one change keeps from the pod recedes."""
RAMPS = {GOOD: SHADES, EVICTS: TOLLS}
"""By kind, the colours of its nodes where they differ in an amount."""


def kinds(decision: Decision) -> list[str]:
    """By position of a node: its kind. Each filter that refuses it is an obstacle, asked or not."""
    verdicts, nodes = decision.verdicts, len(decision.cluster.nodes)
    if verdicts is None or verdicts.rejected is not None:
        return [OPEN] * nodes
    many = (verdicts.refused_by == EXCLUDED).astype(int)
    for found in filter(None, verdicts.refusals):
        many += found.mask
    result = [GOOD if n == 0 else ONE if n == 1 else TWO if n == 2 else MORE for n in many.tolist()]
    if decision.preemption is not None:
        for place in decision.preemption.positions.tolist():
            result[place] = EVICTS
    if (star := starred(decision)) >= 0:
        result[star] = CHOSEN_ONE
    return result


def counted(decision: Decision) -> Decision:
    """The same before anything but the event is known: of each node, the refusal for which the event counts it."""
    verdicts = decision.verdicts
    if verdicts is None:
        return decision
    firsts = tuple(
        found and Refusals(replace(part, mask=part.mask & (verdicts.refused_by == number)) for part in found.parts)
        for number, found in enumerate(verdicts.refusals)
    )
    return replace(decision, verdicts=replace(verdicts, refusals=firsts), preemption=None)


def starred(decision: Decision) -> int:
    """The position of the chosen node, or of the nominated one; -1 for none."""
    return decision.cluster.index.get(decision.node or decision.nominated_node or "", -1)


def siblings(decision: Decision) -> Counter[int]:
    """By position of a node, how many pods with the pod's controller run there."""
    own, pods, found = controller_of(decision.pod.pod.metadata), decision.cluster.pods, Counter[int]()
    for row in np.flatnonzero(pods.node >= 0).tolist() if own is not None else ():
        if controller_of(pods.info(row).pod.metadata) == own:
            found[int(pods.node[row])] += 1
    return found


def one_away(decision: Decision, kinds: Sequence[str]) -> dict[str, list[int]]:
    """By plugin, the nodes of these kinds on which it alone is in the way; the most frequent plugin first."""
    found: dict[str, list[int]] = {}
    for place, kind in enumerate(kinds):
        if kind == ONE:
            found.setdefault(verdict_of(decision, place).removeprefix(REFUSED), []).append(place)
    return dict(sorted(found.items(), key=lambda each: -len(each[1])))


def cause_fill(plugin: str) -> str:
    """The colour of nodes on which this plugin alone is in the way: the same in every picture."""
    return CAUSES.get(SIGNS.get(plugin, ""), OTHER)


def verdict_of(decision: Decision, place: int) -> str:
    """ "feasible", "refused by NodeAffinity", "not looked at", or before a decision "not looked at yet"."""
    verdicts = decision.verdicts
    if verdicts is None:
        return UNDECIDED
    if verdicts.rejected is not None:
        return UNASKED
    plugin = verdicts.plugin(place)
    return FITS if plugin is None else f"{REFUSED}{plugin}"


def totals(decision: Decision) -> dict[int, int]:
    """By position of a node that was scored: its points."""
    scores = decision.scores
    return dict(zip(scores.nodes.tolist(), scores.total.tolist(), strict=True)) if scores else {}


def tolls(decision: Decision) -> dict[int, int]:
    """By position of a node on which the pod fits if others leave: how many do."""
    preemption = decision.preemption
    if preemption is None or preemption.run is None:
        return {}
    if preemption.extended is not None:
        return {offer.node: len(offer.rows) for offer in preemption.extended}
    victims = np.bincount(preemption.run.node[preemption.run.evicted], minlength=len(decision.cluster.nodes))
    return {place: int(victims[place]) for place in preemption.positions.tolist()}


def node_fills(decision: Decision) -> list[str]:
    """By position, the colour of a node: its kind's, that of what is in the way, or that of its amount."""
    kind_of = kinds(decision)
    fills = [FILLS[kind] for kind in kind_of]
    for plugin, places in one_away(decision, kind_of).items():
        for place in places:
            fills[place] = cause_fill(plugin)
    for kind, amounts in ((GOOD, totals(decision)), (EVICTS, tolls(decision))):
        low, high = min(amounts.values(), default=0), max(amounts.values(), default=0)
        for place, amount in amounts.items() if high > low else ():
            if kind_of[place] == kind:
                fills[place] = RAMPS[kind][round(4 * (amount - low) / (high - low))]
    return fills
