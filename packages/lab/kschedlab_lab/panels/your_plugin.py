"""Your plugins on four racks: settings -> labels and a weight -> Decision -> thermometers, points and the chosen rack.

The panel runs the plugins that it is given; without any, v1.37 knows nothing of temperatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_37, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.tables import LIMITS, folded, html
from kschedlab.text.words import listing
from kschedlab_lab.exercises.limits import EndlessError, alarm
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.picture import NO_HANDLES, Boxes, boxes_before
from kschedlab_lab.views.racks import NO_LABEL, STEP, Points, Rack, points_height, stage, stage_before
from kschedlab_lab.views.svg import Room

MOST = 4
"""The largest weight."""
DEGREES = range(20, 91, STEP)
LABEL = "celsius"


def _celsius(label: str, default: int) -> Any:
    return slider(label, (NO_LABEL, *DEGREES), default, lambda v: later("no label") if v < 0 else str(v))


@dataclass(frozen=True)
class Settings(Restorable):
    """The temperature of each rack, or no label, and the weight of your score, 0 to leave it out."""

    a: int = _celsius(later("celsius of rack-a"), 75)
    b: int = _celsius(later("celsius of rack-b"), 50)
    c: int = _celsius(later("celsius of rack-c"), 40)
    d: int = _celsius(later("celsius of rack-d"), 35)
    weight: int = slider("weight of your score", range(MOST + 1), 1, lambda v: str(v) if v else later("off"))


FIRST = Settings()
RACKS = {f"rack-{name}": name for name in "abcd"}
"""By name of the node: the setting of its temperature."""


def manifests(settings: Settings = FIRST) -> list[Manifest]:
    """Four racks of 8 CPU with their labels, what runs there, and the pod ``web``."""
    labels = {name: _labels(getattr(settings, setting)) for name, setting in RACKS.items()}
    return [
        *(node(name, 8, "32Gi", each) for name, each in labels.items()),
        pod("api", "rack-b", 2, 0, 8 * HOUR, memory="4Gi"),
        pod("db", "rack-c", 5, 0, 8 * HOUR, memory="4Gi"),
        pod("etl", "rack-d", 6, 0, 8 * HOUR, memory="4Gi"),
        pod("web", "", 1, 0, memory="1Gi"),
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
    """By rack: the temperatures at which a filter among the plugins refuses it, found by asking; -1: no label."""
    found: dict[str, list[int]] = {name: [] for name in RACKS}
    made = V1_37.plus(*plugins)
    for degrees in (NO_LABEL, *DEGREES):
        same = Settings(*(degrees,) * len(RACKS))
        decision = schedule("default/web", Cluster(decode_objects(manifests(same))), made)
        for name in RACKS:
            if decision.verdicts is not None and not decision.verdict(name).passes:
                found[name].append(degrees)
    return {name: tuple(each) for name, each in found.items()}


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
    """The weighted scores that are not the same for all feasible racks; None if nothing was scored."""
    scores = decision.scores
    if scores is None:
        return None
    made = V1_37.plus(*plugins)
    own = own_scores(made)
    names = [decision.cluster.names[place] for place in scores.nodes.tolist()]
    parts, same = dict[str, dict[str, int]](), dict[str, int]()
    for plugin, weight, results in zip(scores.plugins, scores.weights, scores.results.tolist(), strict=True):
        if plugin in own or len(set(results)) > 1:
            parts[f"{plugin} ×{weight}"] = dict(zip(names, results, strict=True))
        elif results[0]:
            same[plugin] = results[0]
    totals = dict(zip(names, scores.total.tolist(), strict=True))
    once = {name: 0 for name in names}
    if own:
        alone = made.plugin(own[-1]).score(decision.pod.key, decision.cluster, nodes=names)
        once = {name: score.normalized for name, score in alone.items()}
    most = 200 + (100 * MOST if own else 0)
    return Points(parts, totals, decision.best, same, most, own[-1] if own else "", once)


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    decision = decide(settings, plugins)
    said = sentence(decision)
    own = own_scores(V1_37.plus(*plugins))
    draw = partial(stage, decision, racks(settings, plugins), points(decision, plugins))
    return View(
        lambda room: draw(room, said),
        said,
        folded(say("the numbers"), html(decision.sections(LIMITS))),
        said,
        names={} if decision.node is None else {decision.node: "chosen"},
        idle={} if own else {"weight": ""},
        story=partial(story, settings, plugins) if plugins and decision.scores is not None else None,
    )


def sentence(decision: Decision) -> str:
    """Where the pod goes, and which racks are out."""
    if decision.error:
        return say("One of your functions failed. {error}", error=decision.error)
    if decision.scores is None and decision.node is None:
        return decision.outcome.replace(decision.pod.key, decision.pod.pod.metadata.name, 1)
    refused = [name for name in RACKS if not decision.verdict(name).passes]
    out = say("{nodes}: {reasons}.", nodes=listing(refused), reasons=_reasons(decision, refused[0])) if refused else ""
    one = decision.scores is None or len(decision.best) == 1
    message = later("web goes to {nodes}." if one else "{nodes} tie.")
    return sentences((say(message, nodes=decision.node if one else listing(decision.best)), out))


def _reasons(decision: Decision, rack: str) -> str:
    return ", ".join(decision.verdict(rack).reasons)


def _refusal(decision: Decision, refused: Sequence[str]) -> str:
    """Which filter refuses these racks, and why: as it refuses the first."""
    plugin, reasons = decision.verdict(refused[0]).plugin, _reasons(decision, refused[0])
    return say("{plugin} refuses {node}: {reason}.", plugin=plugin, node=listing(refused), reason=reasons)


def story(settings: Settings, plugins: Sequence[object], room: Room) -> list[Frame]:
    """The pod waits; the filters refuse; the points come without your score, then with it; the pod goes."""
    decision, shown = decide(settings, plugins), racks(settings, plugins)
    without = decide(settings.changed(weight=0), plugins)
    said, all_points, filtered = sentence(decision), points(decision, plugins), Boxes(decision, NO_HANDLES).tried()
    frames = [Frame(stage(decision, shown, None, room, said, boxes_before(decision)), say("web waits."))]
    refused = [name for name in RACKS if not decision.verdict(name).passes]
    if refused:
        frames.append(Frame(stage(decision, shown, None, room, said, filtered), _refusal(decision, refused)))
    own = stage(without, shown, points(without, plugins), room, said, filtered)
    frames.append(Frame(own, say("v1.37's own points.")))
    if all_points is not None and all_points.own:
        frames.append(Frame(stage(decision, shown, all_points, room, said, filtered), say("With your score.")))
    return [*frames, Frame(stage(decision, shown, all_points, room, said), said)]


def where(plugins: object = ()) -> Question[Settings]:
    """The question before the picture, with the same plugins as the panel."""
    added = several(plugins)
    names = [name for name, _ in V1_37.plus(*added).plugins]
    both = later("Where does web go with {first} and {second}?")
    with_them = say(both, first=names[0], second=names[1]) if len(names) == 2 else ""
    if names and not with_them:
        with_them = say("Where does web go with {plugins}?", plugins=listing(names))

    def right(settings: Settings) -> str:
        return str(decide(settings, added).node)

    def why(settings: Settings, answer: str) -> str:
        decision = decide(settings, added)
        if decision.verdict(answer).passes:
            return advantage(decision, added, answer)
        return _refusal(decision, [answer])

    def before(settings: Settings, room: Room) -> Html:
        shown = racks(settings, added)
        return stage_before(decide(settings, added), shown, room, high=points_height(shown))

    return Question(
        with_them or say("Where does web go?"),
        (*RACKS,),
        right,
        why,
        lambda settings: partial(before, settings),
    )


def advantage(decision: Decision, plugins: Sequence[object], other: str) -> str:
    """The plugin that most prefers the chosen rack to this one, or to the next best; "" without a choice.

    If your score prefers the other rack, by how much, and both totals.
    """
    found, chosen = points(decision, plugins), decision.node
    if found is None or chosen is None:
        return ""
    if other == chosen:
        other = max((name for name in found.totals if name != chosen), key=found.totals.__getitem__)
    plugin, each = max(found.parts.items(), key=lambda part: part[1][chosen] - part[1][other])
    name = plugin.partition(" ")[0]
    own = next((gains for key, gains in found.parts.items() if key.partition(" ")[0] == found.own), None)
    if own is not None and own[other] > own[chosen]:
        return say(
            "{own} gives {other} {more} points more, {plugin} {less} less: {total} against {best}.",
            own=found.own,
            other=other,
            more=own[other] - own[chosen],
            plugin=name,
            less=each[chosen] - each[other],
            total=found.totals[other],
            best=found.totals[chosen],
        )
    return say(
        "{plugin} gives {node} {most} points, {other} {less}.",
        plugin=name,
        node=chosen,
        most=each[chosen],
        other=other,
        less=each[other],
    )


def lightest(rack: str, plugins: object) -> Question[Settings]:
    """From which weight of the score on does ``web`` go to this rack? A number is typed. KeyError for no rack."""
    added = several(plugins)
    if rack not in RACKS:
        raise unknown("node", rack, RACKS)

    def right(settings: Settings) -> str:
        weights = range(MOST + 1)
        enough = (weight for weight in weights if decide(settings.changed(weight=weight), added).node == rack)
        return str(next(enough, "none"))

    def why(settings: Settings, answer: str) -> str:
        need = right(settings)
        if need == "none":
            return say("No weight up to {most} is enough.", most=MOST)
        weight = min(int(answer), int(need))
        decision = decide(settings.changed(weight=weight), added)
        found = points(decision, added)
        assert found is not None
        totals = found.totals
        if weight == int(need):
            others = max(total for name, total in totals.items() if name != rack)
            message = later("Weight {weight} is enough: {most} against {less} points.")
            return say(message, weight=weight, most=totals[rack], less=others)
        return say(
            "With weight {weight}, {node} still leads: {most} against {less} points.",
            weight=weight,
            node=decision.node,
            most=totals[str(decision.node)],
            less=totals.get(rack, 0),
        )

    def before(settings: Settings, room: Room) -> Html:
        plain = decide(settings, added)
        still = {name: replace(each, control="", toggle="") for name, each in racks(settings, added).items()}
        found = points(plain, added)
        return stage(plain, still, replace(found, own="") if found is not None else None, room, sentence(plain))

    def there(settings: Settings) -> Settings:
        need = right(settings)
        return settings.changed(weight=int(need)) if need.isdecimal() else settings

    score = (own_scores(V1_37.plus(*added)) or [say("your score")])[-1]
    text = say("From which weight of {score} on does web go to {rack}?", score=score, rack=rack)
    drawn = partial(partial, before)
    return Question(text, (), right, why, drawn, MOST, shows=there)


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


def several(plugins: object) -> tuple[object, ...]:
    """One plugin, or those in a list or a tuple."""
    return tuple(plugins) if isinstance(plugins, list | tuple) else (plugins,)
