"""Sentences and phrases about a Decision that all views share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from textwrap import wrap
from unicodedata import east_asian_width

import numpy as np
from msgspec.structs import replace

from kschedlab.cluster.pods import NEVER_STARTED, PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.decision import Decision
from kschedlab.filter.stage import EXCLUDED, PASSES, Verdicts, not_satisfied
from kschedlab.messages import later, listed, say, translation
from kschedlab.objects.meta import SECOND
from kschedlab.objects.requests import pod_requests
from kschedlab.preemption.evidence import Preemption
from kschedlab.text.html import visible

SPREADING = frozenset(("PodTopologySpread", "EvenPodsSpreadPriority"))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Clock = Callable[[int], str]


def count(number: int, noun: str) -> str:
    """The number with its noun: "1 node", "2 nodes"; in Chinese the message "{number} node", for any number."""
    known = translation(f"{{number}} {noun}")
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if known is None else known.format(number=f"{number:,}")


def listing(names: Sequence[str], limit: int = 5) -> str:
    """The first names and the number of the others: "a, b, c and 4 more"."""
    rest, first = len(names) - limit, listed(islice(names, limit))
    return say("{names} and {rest:,} more", names=first, rest=rest) if rest > 0 else first


def amount(resource: str, value: int) -> str:
    """A request in common notation: "1.5 CPU", "250m CPU", "2Gi memory", "1 nvidia.com/gpu"."""
    if resource == "cpu":
        return f"{value / 1000:g} CPU" if value >= 1000 and value % 100 == 0 else f"{value}m CPU"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for unit, suffix in ((1 << 40, "Ti"), (1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
            if value >= unit and value * 100 % unit == 0:
                return f"{value / unit:g}{suffix} {resource}"
    return f"{value} {resource}"


def human_duration(microseconds: int) -> str:
    """A duration as kubectl shows it; ``<invalid>`` if it is more than a second in the future.

    v1.37: k8s.io/apimachinery pkg/util/duration (HumanDuration).
    """
    seconds = microseconds // SECOND if microseconds >= 0 else -(-microseconds // SECOND)
    if seconds < -1:
        return "<invalid>"
    if seconds < 2 * 60:
        return f"{max(seconds, 0)}s"
    minutes, hours = microseconds // (60 * SECOND), microseconds // (3600 * SECOND)
    days, years = hours // 24, hours // 24 // 365
    if minutes < 10:
        return f"{minutes}m" + _rest(seconds % 60, "s")
    if minutes < 3 * 60:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + _rest(minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d" + _rest(hours % 24, "h")
    if years < 2:
        return f"{days}d"
    return f"{years}y" + (_rest(days % 365, "d") if years < 8 else "")


def _rest(number: int, unit: str) -> str:
    return f"{number}{unit}" if number else ""


def clock(starts: Iterable[int]) -> Clock:
    """A formatter for these times (microseconds since 1970); it shows dates only if the days differ."""
    moments = [_moment(start) for start in starts if start != NEVER_STARTED]
    whole = all(m.second == m.microsecond == 0 for m in moments)
    pattern = "%H:%M" if whole else "%H:%M:%S"
    if len({m.date() for m in moments}) > 1:
        pattern = "%Y-%m-%d " + pattern
    return lambda start: say("not started") if start == NEVER_STARTED else _moment(start).strftime(pattern)


def _moment(start: int) -> datetime:
    return EPOCH + timedelta(microseconds=start)


@dataclass(frozen=True)
class RefusedNodes:
    """Nodes that one plugin refuses for the same reasons. ``also``: (other plugin, how many it refuses too)."""

    plugin: str
    reasons: tuple[str, ...]
    unresolvable: bool
    nodes: tuple[str, ...]
    also: tuple[tuple[str, int], ...] = ()


def refusals(decision: Decision) -> list[RefusedNodes]:
    """All refused nodes, grouped by plugin and reasons, largest group first. O(nodes x reasons), vectorised."""
    verdicts = decision.verdicts
    if verdicts is None or verdicts.rejected is not None:
        return []
    unresolvable = verdicts.unresolvable()
    folded: dict[tuple[str, tuple[str, ...], bool], list[int]] = {}
    for number in np.unique(verdicts.refused_by[verdicts.refused_by != PASSES]).tolist():
        plugin = "PreFilter" if number == EXCLUDED else verdicts.plugins[number]
        for reasons, nodes in _by_reasons(verdicts, number, unresolvable):
            folded.setdefault((plugin, reasons, bool(unresolvable[nodes[0]])), []).extend(nodes)
    refusals = [_refusal(decision, verdicts, *key, nodes) for key, nodes in folded.items()]
    return sorted(refusals, key=lambda refusal: (-len(refusal.nodes), refusal.plugin, refusal.reasons))


def _by_reasons(
    verdicts: Verdicts, number: int, unresolvable: BoolArray
) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """The nodes that plugin ``number`` refuses, grouped by reasons: (reasons, positions)."""
    mine = np.flatnonzero(verdicts.refused_by == number)
    refused = verdicts.refusals[number] if number >= 0 else None
    if refused is None:
        yield (not_satisfied(verdicts.excluded_by),), mine.tolist()
        return
    columns = np.vstack([part.mask[mine] for part in refused.parts] + [unresolvable[mine]])
    _, groups = np.unique(columns, axis=1, return_inverse=True)
    for group in range(int(groups.max()) + 1):
        positions = mine[groups.ravel() == group].tolist()
        yield tuple(refused.reasons(positions[0])), positions


def _refusal(
    decision: Decision, verdicts: Verdicts, plugin: str, reasons: tuple[str, ...], unresolvable: bool, nodes: list[int]
) -> RefusedNodes:
    too: dict[str, int] = {}
    for name, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        if refused is not None and name != plugin and (hits := int(refused.refused[nodes].sum())):
            too[name] = max(hits, too.get(name, 0))
    names = tuple(sorted(decision.cluster.names[n] for n in nodes))
    return RefusedNodes(plugin, reasons, unresolvable, names, tuple(too.items()))


def request_text(decision: Decision) -> str:
    wants = [amount(name, value) for name, value in decision.pod.request.items() if value]
    requested, priority = listed(wants) or say("nothing"), decision.pod.priority
    return say("asks for {asked}; priority {priority}", asked=requested, priority=priority)


def init_containers_text(decision: Decision) -> str:
    """Which init containers raise the pod's requests above those of its containers; "" if none does.

    The scheduler counts the largest init container as long as the pod lives, and sidecars beside the containers.
    """
    pod, request = decision.pod.pod, decision.pod.request
    init = pod.spec.initContainers
    if not init:
        return ""
    without = pod_requests(replace(pod, spec=replace(pod.spec, initContainers=())))
    raised = [name for name, value in request.items() if value > without.get(name, 0)]
    asked = {each.name: {*each.resources.requests, *each.resources.limits} for each in init}
    names = [name for name, resources in asked.items() if not resources.isdisjoint(raised)]
    if not raised or not names:
        return ""
    alone = listed([amount(name, without.get(name, 0)) for name in raised])
    message = later("Init containers count: {names}; without them it would ask for {asked}.")
    return say(message, names=listing(names), asked=alone)


def outcome(decision: Decision) -> str:
    pod, nodes = decision.pod.key, len(decision.cluster.nodes)
    if decision.error:
        return say("{pod} could not be decided: {error}", pod=pod, error=decision.error)
    if decision.gates:
        return say("{pod} waits for its scheduling gates: {gates}.", pod=pod, gates=listed(decision.gates))
    if decision.node is not None:
        return say("{pod} goes to {node}, {why}.", pod=pod, node=decision.node, why=_why(decision))
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        rejected = decision.verdicts.rejected
        by = say("{plugin} refuses it", plugin=rejected.plugin) if rejected.plugin else say("it is refused")
        reasons = "; ".join(rejected.reasons)
        message = later("{pod} stays pending: {by} before any node is looked at ({reasons}).")
        return say(message, pod=pod, by=by, reasons=reasons)
    stays = say("{pod} fits on none of {nodes}", pod=pod, nodes=count(nodes, "node"))
    return _preempting(decision.preemption, stays) if decision.preemption is not None else say("{stays}.", stays=stays)


def without_key_text(decision: Decision) -> str:
    """Which feasible nodes a ScheduleAnyway constraint ignores because they lack its label; "" if none.

    They are not counted and get no points (v1.37: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go,
    IgnoredNodes), although "anyway" suggests otherwise.
    """
    scores, constraints = decision.scores, decision.pod.pod.spec.topologySpreadConstraints
    keys = dict.fromkeys(each.topologyKey for each in constraints if each.whenUnsatisfiable == "ScheduleAnyway")
    if scores is None or not keys or SPREADING.isdisjoint(scores.plugins):
        return ""
    nodes = [decision.cluster.nodes[position] for position in scores.nodes.tolist()]
    lacking = [node.metadata.name for node in nodes if not keys.keys() <= node.metadata.labels.keys()]
    if not 0 < len(lacking) < len(nodes):
        return ""
    message = later("{nodes} without the label {keys} ({names}): the ScheduleAnyway constraint gives them no points.")
    return say(message, nodes=count(len(lacking), "node"), keys=listed([*keys]), names=listing(lacking, 3))


def _preempting(preemption: Preemption, stays: str) -> str:
    node = preemption.nominated_node
    if node is not None:
        victims = evicted(preemption.victims)
        return say("{stays}; it preempts {victims} on {node}.", stays=stays, victims=victims, node=node)
    if not preemption.eligible:
        return say("{stays} and may not preempt: {reason}.", stays=stays, reason=preemption.reason)
    if preemption.failure:
        return say("{stays}, and preemption fails: {failure}.", stays=stays, failure=preemption.failure)
    return say("{stays}, and preemption does not help.", stays=stays)


def evicted(victims: Sequence[PodInfo]) -> str:
    """The names of up to three victims, otherwise their number."""
    if len(victims) > 3 or not victims:
        return count(len(victims), "pod")
    *others, last = (victim.pod.metadata.name for victim in victims)
    return say("{others} and {last}", others=listed(others), last=last) if others else last


def _why(decision: Decision) -> str:
    scores, nodes = decision.scores, len(decision.cluster.nodes)
    of = say("out of {nodes:,}", nodes=nodes)
    if decision.evaluated < nodes:
        of = say("found by looking at {evaluated:,} of {nodes:,}", evaluated=decision.evaluated, nodes=nodes)
    if scores is None:
        return say("the only feasible node {of}", of=of)
    best, highest, feasible = len(decision.best), scores.total.max(), count(len(scores.nodes), "feasible node")
    if best == 1:
        message = later("which has the highest score ({highest}) of the {feasible} {of}")
    else:
        message = later("one of {best:,} with the highest score ({highest}) of the {feasible} {of}")
    return say(message, best=best, highest=highest, feasible=feasible, of=of)


def choice(preemption: Preemption) -> str:
    """The rule that chose the node, in one sentence; "" if no node was chosen."""
    node, candidates = preemption.nominated_node, len(preemption.positions)
    if node is None:
        return ""
    if preemption.free is not None:
        return say("{node} needs no victims, because only an extender refuses it: no rule is asked.", node=node)
    if candidates == 1:
        return say("{node} is the only candidate, so no rule is asked.", node=node)
    for number, rung in enumerate(preemption.rungs, start=1):
        if rung.decides:
            beaten = preemption.positions[rung.entered & ~rung.kept].tolist()
            over = listing(sorted(preemption.cluster.names[n] for n in beaten), 3)
            message = later("Of {candidates:,} candidates, rule {number} ({rule}) chooses {node} over {others}.")
            return say(message, candidates=candidates, number=number, rule=say(rung.rule.name), node=node, others=over)
    message = later("All {rules} rules leave a tie of {tied}; the scheduler takes any of them, here {node}.")
    return say(message, rules=len(preemption.rungs), tied=listing(preemption.tied), node=node)


def columns_of(text: str) -> int:
    """The width of the text in columns of a terminal: a Chinese character takes two."""
    return len(text) + (0 if text.isascii() else sum(map(_is_wide, text)))


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF"


def broken(text: str, width: int) -> list[str]:
    """The text wrapped to this width in columns of a terminal, between words or wide characters; at least one line."""
    shown = visible(text)
    if columns_of(shown) == len(shown):
        return wrap(shown, width, break_on_hyphens=False) or [""]
    lines = [""]
    for wide, run in groupby(shown, _is_wide):
        for unit in run if wide else re.findall(r"\s*\S+|\s+$", "".join(run)):
            if columns_of(lines[-1] + unit) > width and lines[-1]:
                lines.append("")
            lines[-1] += unit if lines[-1] else unit.lstrip()
    return lines
