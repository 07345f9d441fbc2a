"""Your plugins on four racks: settings -> labels and a weight -> Decision -> thermometers, points and the chosen rack.

The panel runs the plugins that it is given; without any, v1.37 knows nothing of temperatures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.columns import CPU
from kschedlab.decision import Decision
from kschedlab.generations import V1_37, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.plugins import CheckReport, check_plugin, node_filter
from kschedlab.plugins.functions import NodeFilter
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.tables import LIMITS, folded, html
from kschedlab.text.words import listing
from kschedlab_lab.exercises.limits import EndlessError, alarm
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Nothing, Restorable, slider
from kschedlab_lab.views.before_after import Moment, draw_moments
from kschedlab_lab.views.picture import colours, decided_and_why, tied
from kschedlab_lab.views.racks import NO_LABEL, STEP, Points, Rack, stage, stage_before
from kschedlab_lab.views.svg import Room

MOST = 3
"""The largest weight."""
DEGREES = range(20, 90 + STEP, STEP)
LABEL = "celsius"


def _celsius(label: str, default: int) -> Any:
    return slider(label, (NO_LABEL, *DEGREES), default, lambda v: later("no label") if v < 0 else str(v))


@dataclass(frozen=True)
class Settings(Restorable):
    """The temperature of each rack, or no label; the weight of your score, 0 to leave it out; web's priority."""

    a: int = _celsius(later("celsius of rack-a"), 75)
    b: int = _celsius(later("celsius of rack-b"), 50)
    c: int = _celsius(later("celsius of rack-c"), 40)
    d: int = _celsius(later("celsius of rack-d"), 35)
    weight: int = slider("weight of your score", range(MOST + 1), 1, lambda v: str(v) if v else later("off"))
    priority: int = slider(later("priority of web"), (0, 9), 0)


FIRST = Settings()
RACKS = {f"rack-{name}": name for name in "abcd"}
"""By name of the node: the setting of its temperature."""


def manifests(settings: Settings = FIRST) -> list[Manifest]:
    """Four racks of 8 CPU with their labels, what runs there, and the pod ``web``."""
    labels = {name: _labels(getattr(settings, setting)) for name, setting in RACKS.items()}
    return [
        *(node(name, 8, "32Gi", each) for name, each in labels.items()),
        pod("api", "rack-b", 2, 0, 9 * HOUR, memory="4Gi"),
        pod("db", "rack-c", 5, 0, 8 * HOUR, memory="4Gi"),
        pod("etl", "rack-d", 6, 0, 8 * HOUR, memory="4Gi"),
        pod("web", "", 1, settings.priority, memory="1Gi"),
    ]


def _labels(degrees: int) -> dict[str, str]:
    return {} if degrees == NO_LABEL else {LABEL: str(degrees)}


def generation(plugins: Sequence[object], weight: int) -> Generation:
    """v1.37 with these plugins; their scores have this weight."""
    made = V1_37.plus(*plugins)
    own = own_scores(made)
    return made.weighted(**dict.fromkeys(own, weight)) if own else made


def own_scores(generation: Generation) -> list[str]:
    """The names of the added plugins that score."""
    added = dict(generation.plugins)
    usual = {score.name for score, _ in V1_37.scores}
    return [score.name for score, _ in generation.scores if score.name in added or score.name not in usual]


def decide(settings: Settings, plugins: Sequence[object] = ()) -> Decision:
    """The decision for ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings))), generation(plugins, settings.weight))


@lru_cache(maxsize=64)
def refused_degrees(plugins: tuple[object, ...]) -> dict[str, tuple[int, ...]]:
    """By rack: the temperatures at which a filter among the plugins refuses it, found by asking; -1: no label.

    A filter that refuses a rack at any temperature does not look at it, and counts for nothing here.
    """
    found: dict[str, set[int]] = {name: set() for name in RACKS}
    every = (NO_LABEL, *DEGREES)
    for plugin in plugins:
        asked = {degrees: decide(Settings(*(degrees,) * len(RACKS)), [plugin]) for degrees in every}
        for name, all_refused in found.items():
            refused = {at for at, each in asked.items() if each.verdicts is not None and not each.verdict(name).passes}
            all_refused |= refused if len(refused) < len(every) else set()
    return {name: tuple(sorted(each)) for name, each in found.items()}


def racks(settings: Settings, plugins: Sequence[object]) -> dict[str, Rack]:
    """The thermometers; a click on a label takes it off, or puts the first one on again."""
    refused, found = refused_degrees(tuple(plugins)), {}
    for name, setting in RACKS.items():
        degrees = getattr(settings, setting)
        toggle = f"{setting}: {getattr(FIRST, setting) if degrees == NO_LABEL else 'no label'}"
        celsius = None if degrees == NO_LABEL else degrees
        found[name] = Rack(celsius, setting, STEP, DEGREES[-1], refused[name], toggle)
    return found


def points(decision: Decision, plugins: Sequence[object]) -> Points | None:
    """What is added up for each feasible rack; None if nothing was scored."""
    made = V1_37.plus(*plugins)
    own, scores = own_scores(made), decision.scores
    if scores is None:
        return None
    names = [decision.cluster.names[place] for place in scores.nodes.tolist()]
    rows = zip(scores.plugins, scores.weights, scores.results, strict=True)
    yours = {f"{plugin} ×{weight}": results for plugin, weight, results in rows if plugin in own}
    usual = scores.total - sum(yours.values())
    same = _everywhere(decision)
    parts = {"v1.37": usual - same, **yours}
    alone = made.plugin(own[-1]).score(decision.pod.key, decision.cluster, nodes=names) if own else {}
    return Points(
        {part: dict(zip(names, results.tolist(), strict=True)) for part, results in parts.items()},
        decision.best,
        same,
        100 * MOST + 50,
        MOST,
        own[-1] if own else "",
        {name: score.normalized for name, score in alone.items()},
    )


def _everywhere(decision: Decision) -> int:
    """What v1.37 alone gives every rack, also one that a filter refuses."""
    scores = schedule(decision.pod.key, decision.cluster).scores
    return int(scores.total.min()) if scores is not None else 0


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    decision = decide(settings, plugins)
    said = sentence(decision)
    own = own_scores(V1_37.plus(*plugins))
    found = points(decision, plugins) if own else None
    return View(
        lambda room: stage(decision, racks(settings, plugins), room, said, found, bool(own)),
        said,
        folded(say("the numbers"), html(decision.sections(LIMITS))),
        said,
        names=colours(decision),
        idle={"priority": "", **({} if own else {"weight": ""})},
    )


def sentence(decision: Decision) -> str:
    """Where the pod goes, and which racks are out."""
    if decision.error:
        failed = say("One of your functions failed. {error}.", error=decision.error.rstrip("."))
        return sentences((failed, _refusals(decision)))
    what, why = decided_and_why(decision)
    out = _no_eviction(decision) if decision.node is None else _refusals(decision)
    leaves = why if decision.node is None and tied(decision) else ""
    return sentences((what, leaves, out))


def _refuses(plugin: str | None, node: str, reason: str) -> str:
    return say("{plugin} refuses {node}: {reason}.", plugin=plugin, node=node, reason=reason)


def _refusals(decision: Decision) -> str:
    """Which filters refuse which racks."""
    refused: dict[tuple[str | None, str], list[str]] = {}
    for name in RACKS:
        if reasons := decision.verdict(name).reasons:
            refused.setdefault((decision.verdict(name).plugin, ", ".join(reasons)), []).append(name)
    return sentences(_refuses(plugin, listing(each), reason) for (plugin, reason), each in refused.items())


def _no_eviction(decision: Decision) -> str:
    """What is refused, and which filter keeps preemption from asking it again; "" where a pod has to leave."""
    names = [verdict.plugin for verdict in map(decision.verdict, RACKS) if verdict.unresolvable]
    if decision.nominated_node is not None:
        return ""
    last = later("{name} says that evicting does not help, so preemption does not ask it again.")
    return sentences((_refusals(decision), say(last, name=names[0]) if names else ""))


def where(plugins: object = ()) -> Question[Settings]:
    """The question before the picture, with the same plugins as the panel."""
    added, waits = several(plugins), say("it waits")
    names = [name for name, _ in V1_37.plus(*added).plugins]
    text = say("Where does web go?")
    if names:
        text = say("Where does web go with {plugins}?", plugins=say(" and ").join(names))

    def right(settings: Settings) -> str:
        decision = decide(settings, added)
        return decision.node or decision.nominated_node or waits

    def why(settings: Settings, answer: str) -> str:
        decision = decide(settings, added)
        rack = decision.node if answer == waits else answer
        found = decision.preemption.candidates if decision.preemption is not None else {}
        if rack is None or rack in found or decision.verdict(rack).unresolvable:
            return _no_eviction(decision) or sentences((decided_and_why(decision)[1], say("Lesson 05 has the rules.")))
        verdict = decision.verdict(rack)
        if not verdict.passes:
            return _refuses(verdict.plugin, rack, ", ".join(verdict.reasons))
        return compared(decision, added, rack)

    def before(settings: Settings, room: Room) -> Html:
        known = points(decide(settings), ()) if own_scores(V1_37.plus(*added)) else None
        known = replace(known, best=()) if known is not None else None
        return stage_before(decide(settings, added), racks(settings, added), room, points=known)

    return Question(text, (*RACKS, waits), right, why, lambda settings: partial(before, settings))


def compared(decision: Decision, plugins: Sequence[object], rack: str) -> str:
    """The sums of the chosen rack and of this one, or of the next best, or without a score of your own, their free CPU
    if it says the same; "" without a choice."""
    scores = decision.scores
    if scores is None or decision.node is None:
        return ""
    names = [decision.cluster.names[place] for place in scores.nodes.tolist()]
    sums = {name: str(total) for name, total in zip(names, scores.total.tolist(), strict=True)}
    told = later("v1.37's scores give {node} {most} points, {other} {less}.")
    own = own_scores(V1_37.plus(*plugins))
    if own and (found := points(decision, plugins)) is not None:
        told = later("Points: {node} {most}, {other} {less}.")
        sums = {name: f"{' + '.join(map(str, found.of(name)))} = {sum(found.of(name))}" for name in names}
    if rack == decision.node:
        totals = dict(zip(names, scores.total.tolist(), strict=True))
        rack = max((name for name in names if name != rack), key=totals.__getitem__)
    free = [_free_cpu(decision, name) for name in (decision.node, rack)]
    if not own and free[0] > free[1]:
        told = later("v1.37's scores prefer room: {node} has {most:g} CPU free, {other} {less:g}.")
        return say(told, node=decision.node, most=free[0], other=rack, less=free[1])
    return say(told, node=decision.node, most=sums[decision.node], other=rack, less=sums[rack])


def _free_cpu(decision: Decision, node: str) -> float:
    """The CPU that is free on a node before the decision."""
    cluster, place = decision.cluster, decision.cluster.index[node]
    return int(cluster.allocatable[CPU, place] - cluster.requested[CPU, place]) / 1000


class Racks(Panel[Settings]):
    """The panel of these plugins, which asks nothing while one of them fails."""

    plugins: tuple[object, ...] = ()

    def ask(self, question: Question[Settings]) -> Self:
        """A copy that asks first; if a function fails, the panel itself, which says how."""
        _, error = self._compute(self.settings)
        return self if error or decide(self.settings, self.plugins).error else super().ask(question)


def panel(plugins: object = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, one or several, which join v1.37."""
    added = several(plugins)

    def view(settings: Settings) -> View:
        try:
            with alarm():
                return show(settings, added)
        except EndlessError:
            raise InputValueError("one of your functions ran too long, and was stopped") from None

    made = Racks(Settings().changed(**settings), view, manifests, "your_plugin.panel()")
    made.plugins = added
    return made


def counterexample(plugin: object) -> Panel[Nothing]:
    """The node on which :func:`check_plugin` found that the plugin breaks a rule or fails.

    Of a filter that breaks no rule: a node that it lets the pod in to once preemption takes pods away. Only words if
    there is none, or if no change of pods shows what is wrong.
    """
    report, draw = check_plugin(plugin), None
    said = say("{plugin} breaks no rule.", plugin=report.plugin)
    if not report.ok:
        first = report.wrong[0]
        wrong = say("{node}: {said}.", node=first.node or first.plugin, said=first.what)
        said = sentences((say("{plugin} breaks a rule.", plugin=report.plugin), wrong))
        draw = _before_after(plugin, report)
    elif report.raises:
        draw, node = _failing(report)
        fails = say("{plugin} breaks no rule, but fails on {node}.", plugin=report.plugin, node=node)
        said = sentences((fails, say("A pod that it is asked about there gets no node.")))
    elif isinstance(plugin, NodeFilter):
        declared = node_filter(plugin.name, unresolvable=True)(plugin)  # what would be wrong shows what is right
        draw = _before_after(plugin, check_plugin(declared))
        asked = say("Preemption takes the pods away and asks it again.") if draw is not None else ""
        said = sentences((said, asked))
    view = View(partial(draw, said) if draw is not None else Html(), said, Html(), said)
    return Panel(Nothing(), lambda _: view, call="your_plugin.counterexample(...)")


def _before_after(plugin: object, report: CheckReport) -> Callable[[str, Room], Html] | None:
    """The picture of the first error; None without a change of pods."""
    if report.against is None or report.changed is None:
        return None
    (cluster, pod), node = report.against, report.wrong[0].node
    asked = V1_37.plus(plugin).plugin(report.plugin)
    moments = []
    for title, each in ((later("{node}, before"), cluster), (later("{node}, after"), report.changed)):
        refused, decision = asked.filter(pod, each)[node], schedule(pod, each)
        outcome = later("{plugin} refuses {pod}: {reason}") if refused else later("{plugin} lets {pod} in")
        words = {"pod": decision.pod.pod.metadata.name, "reason": ", ".join(refused.reasons) if refused else ""}
        said = say(outcome, plugin=report.plugin, **words)
        moments.append(Moment(decision, say(title, node=node), said, passes=not refused))
    return partial(draw_moments, moments, node)


def _failing(report: CheckReport) -> tuple[Callable[[str, Room], Html], str]:
    """The picture of the node with an odd label on which the plugin raises an error, and the node's name."""
    assert report.against is not None
    cluster, pod = report.against
    node = report.failed_on or cluster.names[0]
    labels = cluster.nodes[cluster.index[node]].metadata.labels
    odd = (f"{key}: {labels[key]}" for key in report.reads if labels.get(key))
    title = say(", ").join([node, *odd])
    moment = Moment(schedule(pod, cluster), title, say("{plugin} raises an error", plugin=report.plugin))
    return partial(draw_moments, [moment], node), node


def several(plugins: object) -> tuple[object, ...]:
    """One plugin, or those in a list or a tuple."""
    return tuple(plugins) if isinstance(plugins, list | tuple) else (plugins,)
