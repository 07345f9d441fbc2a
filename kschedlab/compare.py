"""The same decision in several generations, and which named rule makes each difference.

Nothing is guessed: a rule is named as a cause only if the earlier generation, with that one rule switched, decides
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import Generation
from kschedlab.objects.api import Api
from kschedlab.objects.manifests import Objects
from kschedlab.scheduler import schedule

Outcome = dict[str, object]
"""What was decided, by part: ``feasible nodes``, ``best nodes``, ``victims``, ``chosen for preemption``, and
``message``: the FailedScheduling message without what preemption adds."""


@dataclass(frozen=True)
class Change:
    """One setting in which two generations differ, and the earlier one with that setting alone switched.

    ``rule``: its name, e.g. ``preemption.victims.sorted_again``; ``before``, ``after``: its values as text.
    """

    rule: str
    before: str
    after: str
    switched: Generation


@dataclass(frozen=True)
class Cause:
    """A change that alone alters the outcome. ``parts``: which; ``whole``: it alone gives all of the later outcome."""

    change: Change
    parts: tuple[str, ...]
    whole: bool


@dataclass(frozen=True)
class Step:
    """From one generation to the next: the parts of the outcome that differ, and the causes found."""

    earlier: str
    later: str
    parts: tuple[str, ...]
    causes: tuple[Cause, ...]


@dataclass(frozen=True)
class Comparison:
    """The decisions by generation, in the order given, and the steps between neighbours."""

    decisions: dict[str, Decision]
    steps: tuple[Step, ...]


def compare(objects: Objects, pod: str, generations: Sequence[Generation]) -> Comparison:
    """Decide for the pending pod ``namespace/name`` in each generation. KeyError if there is no such pod."""
    clusters: dict[Api, Cluster] = {}

    def decide(generation: Generation) -> Decision:
        if generation.api not in clusters:
            clusters[generation.api] = Cluster(objects, generation.api)
        return schedule(pod, clusters[generation.api], generation)

    decisions = {generation.name: decide(generation) for generation in generations}
    steps = (_step(a, b, decisions, decide) for a, b in zip(generations, generations[1:], strict=False))
    return Comparison(decisions, tuple(steps))


def outcome(decision: Decision) -> Outcome:
    """The parts of a decision that two generations can be compared in. Names and scales of scores differ anyway."""
    preemption = decision.preemption
    candidates = preemption.candidates if preemption is not None else {}
    return {
        "feasible nodes": frozenset(decision.names),
        "best nodes": frozenset(decision.best),
        "victims": {node: frozenset(v.key for v in c.victims) for node, c in candidates.items()},
        "chosen for preemption": frozenset(preemption.tied) if preemption is not None else frozenset(),
        "message": decision.message,
    }


def _step(
    earlier: Generation, later: Generation, decisions: dict[str, Decision], decide: Callable[[Generation], Decision]
) -> Step:
    before, after = outcome(decisions[earlier.name]), outcome(decisions[later.name])
    causes = []
    if before != after:
        for change in changes(earlier, later):
            switched = outcome(decide(change.switched))
            if switched != before:
                causes.append(Cause(change, _differing(before, switched), switched == after))
    return Step(earlier.name, later.name, _differing(before, after), tuple(causes))


def _differing(one: Outcome, other: Outcome) -> tuple[str, ...]:
    return tuple(part for part in one if one[part] != other[part])


def changes(earlier: Generation, later: Generation) -> list[Change]:
    """Every setting in which the two differ, each switched alone in the earlier one."""
    plugins = frozenset({"filters", "scores", "name"})
    found = list(_settings(earlier, later, "", lambda generation: generation, skip=plugins))
    found += _filters(earlier, later)
    return found + _scores(earlier, later)


def _settings(
    one: Any,
    other: Any,
    path: str,
    rebuilt: Callable[[Any], Generation],
    skip: frozenset[str] = frozenset(),
) -> Iterator[Change]:
    """The fields in which two dataclasses of one class differ; dataclasses among them field by field."""
    for field in fields(one):
        before, after = getattr(one, field.name), getattr(other, field.name)
        if field.name in skip or before == after:
            continue
        name = f"{path}{field.name}"

        def put(value: object, field_name: str = field.name) -> Generation:
            return rebuilt(replace(one, **{field_name: value}))

        if is_dataclass(before) and type(before) is type(after):
            yield from _settings(before, after, f"{name}.", put)
        else:
            yield Change(name, *_contrast(before, after), put(after))


def _contrast(before: object, after: object) -> tuple[str, str]:
    """Both values as text; of two lists only what the other lacks."""
    if isinstance(before, tuple) and isinstance(after, tuple) and set(before) != set(after):
        return shown(tuple(b for b in before if b not in after)), shown(tuple(a for a in after if a not in before))
    return shown(before), shown(after)


def _filters(earlier: Generation, later: Generation) -> list[Change]:
    """Filters that were changed, dropped, added or asked in another order."""

    def with_filters(filters: Sequence[Any]) -> Generation:
        return replace(earlier, filters=tuple(filters))

    return list(_plugins("filter", list(earlier.filters), list(later.filters), with_filters))


def _scores(earlier: Generation, later: Generation) -> list[Change]:
    """Scores that were changed, dropped, added or weighed otherwise."""
    weights = {type(score): weight for score, weight in (*later.scores, *earlier.scores)}

    def with_scores(scores: Sequence[Any]) -> Generation:
        return replace(earlier, scores=tuple((score, weights[type(score)]) for score in scores))

    found = list(_plugins("score", [s for s, _ in earlier.scores], [s for s, _ in later.scores], with_scores))
    theirs = {type(score): weight for score, weight in later.scores}
    for place, (score, weight) in enumerate(earlier.scores):
        new = theirs.get(type(score), weight)
        if new != weight:
            scores = (*earlier.scores[:place], (score, new), *earlier.scores[place + 1 :])
            found.append(Change(f"weight of {score.name}", str(weight), str(new), replace(earlier, scores=scores)))
    return found


def _plugins(
    stage: str, one: list[Any], other: list[Any], rebuilt: Callable[[Sequence[Any]], Generation]
) -> Iterator[Change]:
    """Plugins are matched by their class; their names changed over the years, which alone decides nothing."""
    theirs, ours = {type(p): p for p in other}, {type(p): p for p in one}
    for place, plugin in enumerate(one):
        rest = [*one[:place], *one[place + 1 :]]
        if type(plugin) not in theirs:
            yield Change(f"without the {stage} {plugin.name}", plugin.name, "-", rebuilt(rest))
            continue

        def put(new: object, place: int = place) -> Generation:
            return rebuilt([*one[:place], new, *one[place + 1 :]])

        yield from _settings(plugin, theirs[type(plugin)], f"{stage} {plugin.name}.", put, skip=frozenset({"name"}))
    for place, plugin in enumerate(other):
        if type(plugin) not in ours:
            yield Change(
                f"with the {stage} {plugin.name}", "-", plugin.name, rebuilt([*one[:place], plugin, *one[place:]])
            )
    if stage == "filter":
        kept = [p for p in one if type(p) in theirs]
        moved = [ours[type(p)] for p in other if type(p) in ours]
        if kept != moved:
            order = iter(moved)
            reordered = [next(order) if type(p) in theirs else p for p in one]
            yield Change("order of filters", _names(kept), _names(moved), rebuilt(reordered))


def _names(plugins: Sequence[Any]) -> str:
    return ", ".join(plugin.name for plugin in plugins)


def shown(value: object) -> str:
    """A setting's value as text: functions and rules by their names."""
    if isinstance(value, tuple):
        return ", ".join(shown(each) for each in value) or "-"
    return str(getattr(value, "__name__", None) or getattr(value, "name", None) or value)
