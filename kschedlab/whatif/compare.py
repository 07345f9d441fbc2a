"""The same decision in several generations, and the named rules that cause the differences.

Nothing is guessed: a rule counts as a cause only if the earlier generation decides differently with that one rule
switched.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import partial
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, checked_cluster
from kschedlab.decision import Decision
from kschedlab.explanation import explain
from kschedlab.generations import COURSE, GENERATIONS, LATEST, Generation
from kschedlab.generations.messages import OF_DECISIONS, Messages
from kschedlab.messages import later
from kschedlab.objects.api import Api
from kschedlab.objects.problems import InputTypeError, InputValueError
from kschedlab.whatif.comparison import Cause, Comparison, Difference, SettingChange

FILTER, SCORE = "filter", "score"

ComparedParts = dict[str, object]
"""The parts of a decision: ``feasible nodes``, ``best nodes``, ``victims``, ``chosen for preemption`` and ``message``,
the FailedScheduling message without the part about preemption."""


def compare(
    pod: AnyPod, cluster: Cluster, generations: str | Generation | Iterable[str | Generation] = COURSE
) -> Comparison:
    """Decide for the pod in each generation, on the cluster as that generation's API server has it.

    ``generations``: names or Generations; each is compared with the next, and a single one with the newest. A running
    pod is taken off its node first.
    KeyError if there is no such pod or generation; ValueError if there are no generations.
    """
    if isinstance(generations, str | Generation):
        generations = dict.fromkeys((Generation.named(generations), GENERATIONS[LATEST]))
    if not isinstance(generations, Iterable):
        raise InputTypeError('expected a list of generations, such as ["v1.13", "v1.37"]')
    decide = partial(decider(checked_cluster(cluster)), pod)
    chosen = distinctly_named([Generation.named(generation) for generation in generations])
    if not chosen:
        raise InputValueError('expected generations to compare, such as ["v1.13", "v1.37"]; got none')

    decisions = {generation.name: decide(generation) for generation in chosen}
    steps = (_step(a, b, decisions, decide) for a, b in zip(chosen, chosen[1:], strict=False))
    return Comparison(decisions, tuple(steps))


class ClustersByApi(dict[Api, Cluster]):
    def __init__(self, cluster: Cluster) -> None:
        super().__init__({cluster.api: cluster})
        self._cluster = cluster

    def __missing__(self, api: Api) -> Cluster:
        alike = (each for each in self.values() if each.api.counts_alike(api))
        self[api] = next(alike, self._cluster).under(api)
        return self[api]


Decide = Callable[[AnyPod, Generation], Decision]


def decider(cluster: Cluster) -> Decide:
    """Decides on the cluster as each generation's API server has it."""
    clusters = ClustersByApi(cluster)

    def decide(pod: AnyPod, generation: Generation) -> Decision:
        return explain(pod, clusters[generation.api], generation).decision

    return decide


def distinctly_named(generations: Sequence[Generation]) -> list[Generation]:
    """The generations; one whose name came before gets a longer one: "v1.37 with ColdNode", "v1.37 (2)"."""
    by_name: dict[str, Generation] = {}
    for generation in generations:
        name = generation.name
        if name in by_name and generation.plugins:
            name = f"{name} with {', '.join(dict(generation.plugins))}"
        if name in by_name:
            name = f"{name} ({1 + sum(each.startswith(name) for each in by_name)})"
        by_name[name] = generation if name == generation.name else replace(generation, name=name)
    return list(by_name.values())


def outcome(decision: Decision) -> ComparedParts:
    """The parts of a decision in which generations are compared. Scores are not: their names and scales differ."""
    preemption = decision.preemption
    candidates = preemption.candidates if preemption is not None else {}
    return {
        later("feasible nodes"): frozenset(decision.names),
        later("best nodes"): frozenset(decision.best),
        later("victims"): {node: frozenset(v.key for v in c.victims) for node, c in candidates.items()},
        later("chosen for preemption"): frozenset(preemption.tied) if preemption is not None else frozenset(),
        later("message"): decision.message,
    }


def _step(
    earlier: Generation, later: Generation, decisions: dict[str, Decision], decide: Callable[[Generation], Decision]
) -> Difference:
    before, after = outcome(decisions[earlier.name]), outcome(decisions[later.name])
    causes = []
    if before != after:
        for change in changes(earlier, later):
            switched = outcome(decide(change.switched))
            if switched != before:
                causes.append(Cause(change, _differing(before, switched), switched == after))
    return Difference(earlier.name, later.name, _differing(before, after), tuple(causes))


def _differing(before: ComparedParts, after: ComparedParts) -> tuple[str, ...]:
    return tuple(part for part in before if before[part] != after[part])


def changes(earlier: Generation, later: Generation) -> list[SettingChange]:
    """Every setting of a decision in which the two differ, each switched alone in the earlier one.

    The queue and what follows a decision are left out: they say when a pod is scheduled, not how. So are the rules for
    extenders, if there are none.
    """
    skip = {"filters", "scores", "name", "queue", "extension_points", "plugins", "extenders", "extending.binder"}
    skip |= set() if earlier.extenders else {"extending"}
    skip |= {f"messages.{field.name}" for field in fields(Messages) if field.name not in OF_DECISIONS}
    settings = _settings(earlier, later, "", lambda generation: generation, skip=skip)
    return [*settings, *_filters(earlier, later), *_scores(earlier, later)]


def _settings(
    earlier: Any, later: Any, path: str, rebuilt: Callable[[Any], Generation], skip: Set[str] = frozenset()
) -> Iterator[SettingChange]:
    """The fields in which two dataclasses of the same class differ; nested dataclasses are compared field by field.

    Each entry of a list of names (``api.unknown``) is a setting. ``rebuilt``: the generation with this value instead.
    """
    for field in fields(earlier):
        before, after, name = getattr(earlier, field.name), getattr(later, field.name), f"{path}{field.name}"
        if name in skip or not field.compare or before == after:
            continue

        def put(value: object, field_name: str = field.name) -> Generation:
            return rebuilt(replace(earlier, **{field_name: value}))

        if is_dataclass(before) and type(before) is type(after):
            yield from _settings(before, after, f"{name}.", put, skip)
        elif _are_names(before) and _are_names(after):
            yield from _entries(before, after, f"{name}: ", put)
        else:
            yield SettingChange(name, *_contrast(before, after), put(after))


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(name, str) for name in value)


def _entries(
    before: tuple[str, ...], after: tuple[str, ...], path: str, put: Callable[[object], Generation]
) -> Iterator[SettingChange]:
    for removed in before:
        if removed not in after:
            fewer = tuple(name for name in before if name != removed)
            yield SettingChange(f"{path}{removed}", later("yes"), "-", put(fewer))
    for added in after:
        if added not in before:
            yield SettingChange(f"{path}{added}", "-", later("yes"), put((*before, added)))


def _contrast(before: object, after: object) -> tuple[str, str]:
    """Both values as text; of two lists, only the entries that the other lacks."""
    if isinstance(before, tuple) and isinstance(after, tuple) and set(before) != set(after):
        before, after = tuple(b for b in before if b not in after), tuple(a for a in after if a not in before)
    return setting_text(before), setting_text(after)


def _filters(earlier: Generation, newer: Generation) -> Iterator[SettingChange]:
    """Filters that are changed, removed, added, reordered, or no longer grouped into one."""

    def with_filters(filters: Iterable[Any]) -> Generation:
        return replace(earlier, filters=tuple(filters))

    old, new = list(_ungrouped(earlier.filters)), list(_ungrouped(newer.filters))
    yield from _plugins(FILTER, old, new, lambda filters: with_filters(_grouped(filters, earlier.filters)))
    pairs = _pairs(old, new)
    in_old_order = [old[i] for i in pairs]
    in_new_order = [old[i] for i in sorted(pairs, key=pairs.__getitem__)]
    following = iter(in_new_order)
    reordered = with_filters([next(following) if i in pairs else plugin for i, plugin in enumerate(old)])
    groups = [p for p in earlier.filters if _members(p) and identity(p) not in map(identity, newer.filters)]
    for group in groups:
        members = [plugin for plugin in in_new_order if plugin in _members(group)]
        yield SettingChange(later("{name} checked one by one", name=group.name), group.name, _names(members), reordered)
    differing = [i for i, (a, b) in enumerate(zip(in_old_order, in_new_order, strict=True)) if a is not b]
    if differing and not groups:
        span = slice(differing[0], differing[-1] + 1)
        yield SettingChange(
            later("order of filters"), _names(in_old_order[span]), _names(in_new_order[span]), reordered
        )


def _members(plugin: Any) -> tuple[Any, ...]:
    members: tuple[Any, ...] = getattr(plugin, "filters", ())
    return members


def _ungrouped(filters: Iterable[Any]) -> Iterator[Any]:
    for plugin in filters:
        yield from _members(plugin) or (plugin,)


def _grouped(filters: Sequence[Any], template: Iterable[Any]) -> Iterator[Any]:
    """The filters, grouped as in ``template``. A group is placed where its first member is."""
    group_of = {identity(member): group for group in template for member in _members(group)}
    placed = set()
    for plugin in filters:
        group = group_of.get(identity(plugin))
        if group is None:
            yield plugin
        elif group.name not in placed:
            placed.add(group.name)
            yield replace(group, filters=tuple(p for p in filters if group_of.get(identity(p)) is group))


def _scores(earlier: Generation, newer: Generation) -> Iterator[SettingChange]:
    """Scores that are changed, removed or added, or whose weights differ."""
    old, new = [score for score, _ in earlier.scores], [score for score, _ in newer.scores]
    weights = {(identity(score), score.name): weight for score, weight in (*newer.scores, *earlier.scores)}

    def with_scores(scores: Iterable[Any]) -> Generation:
        return replace(earlier, scores=tuple((score, weights[identity(score), score.name]) for score in scores))

    yield from _plugins(SCORE, old, new, with_scores)
    for i, j in _pairs(old, new).items():
        (score, before), (_, after) = earlier.scores[i], newer.scores[j]
        if before != after:
            scores = (*earlier.scores[:i], (score, after), *earlier.scores[i + 1 :])
            rule = later("weight of {name}", name=score.name)
            yield SettingChange(rule, str(before), str(after), replace(earlier, scores=scores))


def _plugins(
    stage: str, old: list[Any], new: list[Any], rebuilt: Callable[[list[Any]], Generation]
) -> Iterator[SettingChange]:
    """Plugins that differ in a setting or that only one list has; each change is made alone in the old list."""
    pairs = _pairs(old, new)
    for i, plugin in enumerate(old):

        def put(changed: object, i: int = i) -> Generation:
            return rebuilt([*old[:i], changed, *old[i + 1 :]])

        if i in pairs:
            path = f"{stage} {plugin.name}."
            yield from _settings(plugin, new[pairs[i]], path, put, skip=frozenset({f"{path}name"}))
        else:
            rule = later(
                "without the filter {name}" if stage == FILTER else "without the score {name}", name=plugin.name
            )
            yield SettingChange(rule, plugin.name, "-", rebuilt([*old[:i], *old[i + 1 :]]))
    for j, plugin in enumerate(new):
        if j not in pairs.values():
            index = max((i + 1 for i in pairs if pairs[i] < j), default=0)
            with_plugin = rebuilt([*old[:index], plugin, *old[index:]])
            rule = later("with the filter {name}" if stage == FILTER else "with the score {name}", name=plugin.name)
            yield SettingChange(rule, "-", plugin.name, with_plugin)


def _pairs(old: Sequence[Any], new: Sequence[Any]) -> dict[int, int]:
    """For each index in the old list: the index of the same plugin in the new one, preferably with the same name."""
    pairs: dict[int, int] = {}
    for by_name in (True, False):
        for i, plugin in enumerate(old):
            unpaired = (j for j, p in enumerate(new) if identity(p) == identity(plugin) and j not in pairs.values())
            match = next((j for j in unpaired if not by_name or new[j].name == plugin.name), None)
            if i not in pairs and match is not None:
                pairs[i] = match
    return dict(sorted(pairs.items()))


def identity(plugin: Any) -> tuple[object, ...]:
    """The identity of a plugin across generations: its class and its required fields, such as a cloud's disks.

    The name is left out because it changed over the years; fields with defaults are settings and named rules.
    """
    required = (f.name for f in fields(plugin) if f.default is MISSING and f.default_factory is MISSING)
    values = (getattr(plugin, name) for name in required if name != "name")
    return type(plugin), *(identity(value) if is_dataclass(value) else _hashable(value) for value in values)


def _hashable(value: object) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)


def _names(plugins: Sequence[Any]) -> str:
    return ", ".join(plugin.name for plugin in plugins)


def setting_text(value: object) -> str:
    """A setting's value as text; functions and rules appear by name."""
    if isinstance(value, tuple):
        return ", ".join(setting_text(element) for element in value) or "-"
    if isinstance(value, partial):
        return setting_text(value.func)
    return str(getattr(value, "__name__", None) or getattr(value, "name", None) or value)
