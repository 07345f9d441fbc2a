"""The same decision in several generations, and which named rule makes each difference.

Nothing is guessed: a rule is named as a cause only if the earlier generation, with that one rule switched, decides
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import Generation
from kschedlab.manifests.loading import Objects
from kschedlab.objects.api import Api
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


@dataclass(frozen=True, repr=False)
class Comparison:
    """The decisions by generation, in the order given, and the steps between neighbours."""

    decisions: dict[str, Decision]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        from kschedlab.views.comparison import comparison_text

        return comparison_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from kschedlab.views.comparison import comparison_html

        return comparison_html(self)


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
    """Every setting of a decision in which the two differ, each switched alone in the earlier one.

    The queue and the loop around decisions are left out: they say when a pod is decided on, not how.
    """
    others = frozenset({"filters", "scores", "name", "loop", "queue"})
    found = _settings(earlier, later, "", lambda generation: generation, skip=others)
    return [*found, *_filters(earlier, later), *_scores(earlier, later)]


def _settings(
    one: Any,
    other: Any,
    path: str,
    rebuilt: Callable[[Any], Generation],
    skip: frozenset[str] = frozenset(),
) -> Iterator[Change]:
    """The fields in which two dataclasses of one class differ; dataclasses among them field by field.

    The entries of a list of names (``api.unknown``) are settings of their own.
    """
    for field in fields(one):
        before, after = getattr(one, field.name), getattr(other, field.name)
        if field.name in skip or before == after:
            continue
        name = f"{path}{field.name}"

        def put(value: object, field_name: str = field.name) -> Generation:
            return rebuilt(replace(one, **{field_name: value}))

        if is_dataclass(before) and type(before) is type(after):
            yield from _settings(before, after, f"{name}.", put)
        elif _are_names(before) and _are_names(after):
            yield from _entries(before, after, f"{name}: ", put)
        else:
            yield Change(name, *_contrast(before, after), put(after))


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)


def _entries(
    before: tuple[str, ...], after: tuple[str, ...], path: str, put: Callable[[object], Generation]
) -> Iterator[Change]:
    for gone in before:
        if gone not in after:
            yield Change(f"{path}{gone}", "yes", "-", put(tuple(each for each in before if each != gone)))
    for new in after:
        if new not in before:
            yield Change(f"{path}{new}", "-", "yes", put((*before, new)))


def _contrast(before: object, after: object) -> tuple[str, str]:
    """Both values as text; of two lists only what the other lacks."""
    if isinstance(before, tuple) and isinstance(after, tuple) and set(before) != set(after):
        return shown(tuple(b for b in before if b not in after)), shown(tuple(a for a in after if a not in before))
    return shown(before), shown(after)


def _filters(earlier: Generation, later: Generation) -> Iterator[Change]:
    """Filters that were changed, dropped, added, asked in another order, or no longer asked together as one."""

    def with_filters(filters: Iterable[Any]) -> Generation:
        return replace(earlier, filters=tuple(filters))

    one, other = list(_apart(earlier.filters)), list(_apart(later.filters))
    yield from _plugins("filter", one, other, lambda filters: with_filters(_united(filters, earlier.filters)))
    pairs = _pairs(one, other)
    kept, moved = [one[i] for i in pairs], [one[i] for i in sorted(pairs, key=pairs.__getitem__)]
    places = iter(moved)
    reordered = with_filters([next(places) if i in pairs else plugin for i, plugin in enumerate(one)])
    unions = [p for p in earlier.filters if _parts(p) and what(p) not in map(what, later.filters)]
    for union in unions:
        parts = [part for part in moved if part in _parts(union)]
        yield Change(f"{union.name} asked one by one", union.name, _names(parts), reordered)
    differing = [i for i, (before, after) in enumerate(zip(kept, moved, strict=True)) if before is not after]
    if differing and not unions:
        where = slice(differing[0], differing[-1] + 1)
        yield Change("order of filters", _names(kept[where]), _names(moved[where]), reordered)


def _parts(plugin: Any) -> tuple[Any, ...]:
    """The filters that this one unites, none if it is a filter of its own."""
    parts: tuple[Any, ...] = getattr(plugin, "filters", ())
    return parts


def _apart(filters: Iterable[Any]) -> Iterator[Any]:
    for plugin in filters:
        yield from _parts(plugin) or (plugin,)


def _united(filters: Sequence[Any], like: Iterable[Any]) -> Iterator[Any]:
    """The filters, united again as in the list ``like``: a union stands where its first part does."""
    union_of = {what(part): union for union in like for part in _parts(union)}
    placed = set()
    for plugin in filters:
        union = union_of.get(what(plugin))
        if union is None:
            yield plugin
        elif union.name not in placed:
            placed.add(union.name)
            yield replace(union, filters=tuple(each for each in filters if union_of.get(what(each)) is union))


def _scores(earlier: Generation, later: Generation) -> Iterator[Change]:
    """Scores that were changed, dropped, added or weighed otherwise."""
    one, other = [score for score, _ in earlier.scores], [score for score, _ in later.scores]
    weights = {(what(score), score.name): weight for score, weight in (*later.scores, *earlier.scores)}

    def with_scores(scores: Iterable[Any]) -> Generation:
        return replace(earlier, scores=tuple((score, weights[what(score), score.name]) for score in scores))

    yield from _plugins("score", one, other, with_scores)
    for i, j in _pairs(one, other).items():
        (score, before), (_, after) = earlier.scores[i], later.scores[j]
        if before != after:
            scores = (*earlier.scores[:i], (score, after), *earlier.scores[i + 1 :])
            yield Change(f"weight of {score.name}", str(before), str(after), replace(earlier, scores=scores))


def _plugins(
    stage: str, one: list[Any], other: list[Any], rebuilt: Callable[[list[Any]], Generation]
) -> Iterator[Change]:
    """Plugins that differ in a setting, or that only one of the lists has: each change alone in the first list."""
    pairs = _pairs(one, other)
    for i, plugin in enumerate(one):

        def put(new: object, i: int = i) -> Generation:
            return rebuilt([*one[:i], new, *one[i + 1 :]])

        if i in pairs:
            yield from _settings(plugin, other[pairs[i]], f"{stage} {plugin.name}.", put, skip=frozenset({"name"}))
        else:
            yield Change(f"without the {stage} {plugin.name}", plugin.name, "-", rebuilt([*one[:i], *one[i + 1 :]]))
    for j, plugin in enumerate(other):
        if j not in pairs.values():
            at = max((i + 1 for i in pairs if pairs[i] < j), default=0)
            yield Change(f"with the {stage} {plugin.name}", "-", plugin.name, rebuilt([*one[:at], plugin, *one[at:]]))


def _pairs(one: Sequence[Any], other: Sequence[Any]) -> dict[int, int]:
    """By place in the first list: the place of the same plugin in the second. Of several, that of the same name."""
    pairs: dict[int, int] = {}
    for by_name in (True, False):
        for i, plugin in enumerate(one):
            free = (j for j, p in enumerate(other) if what(p) == what(plugin) and j not in pairs.values())
            found = next((j for j in free if not by_name or other[j].name == plugin.name), None)
            if i not in pairs and found is not None:
                pairs[i] = found
    return dict(sorted(pairs.items()))


def what(plugin: Any) -> tuple[object, ...]:
    """What a plugin is, in whatever generation: its class and what that must be told, such as a cloud's disks.

    Names changed over the years, which alone decides nothing; the other fields are settings and named rules.
    """
    given = (f.name for f in fields(plugin) if f.default is MISSING and f.default_factory is MISSING)
    values = (getattr(plugin, name) for name in given if name != "name")
    return type(plugin), *(what(value) if is_dataclass(value) else value for value in values)


def _names(plugins: Sequence[Any]) -> str:
    return ", ".join(plugin.name for plugin in plugins)


def shown(value: object) -> str:
    """A setting's value as text: functions and rules by their names."""
    if isinstance(value, tuple):
        return ", ".join(shown(each) for each in value) or "-"
    if isinstance(value, partial):
        return shown(value.func)
    return str(getattr(value, "__name__", None) or getattr(value, "name", None) or value)
