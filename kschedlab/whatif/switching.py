"""Named rules that differ between generations, switched one at a time in any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.changes import NAMES

Take: TypeAlias = Callable[[Generation, Generation], Generation]
"""From two generations: the first one, with one rule as in the second."""


@dataclass(frozen=True)
class Switch:
    """One rule that generations from ``since`` on have and earlier ones do not.

    ``settings``: a regular expression for the settings that it consists of, by their names in
    :func:`kschedlab.whatif.compare.changes`; names of plugins differ between generations.
    """

    name: str
    since: str
    settings: str
    take: Take

    def is_on(self, version: str) -> bool:
        """Whether the generation of this name has the rule."""
        return NAMES.index(version) >= NAMES.index(self.since)

    def other(self, version: str) -> str:
        """The nearest generation that decides this rule the other way."""
        first = NAMES.index(self.since)
        return NAMES[first - 1] if self.is_on(version) else NAMES[first]


def _setting(*path: str) -> Take:
    """A field, or a field of a field."""
    return lambda generation, towards: _with(generation, towards, path)


def _with(record: Any, towards: Any, path: tuple[str, ...]) -> Any:
    name, *rest = path
    value = getattr(towards, name)
    return replace(record, **{name: _with(getattr(record, name), value, tuple(rest)) if rest else value})


def _api_field(generation: Generation, towards: Generation, field: str) -> Generation:
    """Whether the API server stores the field."""
    others = tuple(name for name in generation.api.unknown if name != field)
    unknown = (*others, field) if field in towards.api.unknown else others
    return replace(generation, api=replace(generation.api, unknown=unknown))


def _spreading(generation: Generation, towards: Generation) -> Generation:
    """The field topologySpreadConstraints, and the filter that obeys it, before the last one."""
    stored = _api_field(generation, towards, "topologySpreadConstraints")
    others = [each for each in stored.filters if each.name != "PodTopologySpread"]
    added = [each for each in towards.filters if each.name == "PodTopologySpread"]
    return replace(stored, filters=(*others[:-1], *added, others[-1]))


def _highest_score(generation: Generation, towards: Generation) -> Generation:
    """The highest score of every plugin."""
    highest = towards.max_node_score

    def scaled(score: Any) -> Any:
        has = any(each.name == "highest" for each in fields(score))
        return replace(score, highest=highest) if has else score

    scores = tuple((scaled(score), weight) for score, weight in generation.scores)
    return replace(generation, max_node_score=highest, scores=scores)


def _weight(generation: Generation, towards: Generation, plugin: str) -> Generation:
    """The weight of a plugin; the older generations call it a Priority."""
    weight = next(weight for score, weight in towards.scores if score.name.startswith(plugin))
    scores = ((score, weight if score.name.startswith(plugin) else own) for score, own in generation.scores)
    return replace(generation, scores=tuple(scores))


def _scored_by(generation: Generation, towards: Generation, plugin: str) -> Generation:
    """Whether this plugin scores."""
    others = (pair for pair in generation.scores if not pair[0].name.startswith(plugin))
    added = (pair for pair in towards.scores if pair[0].name.startswith(plugin))
    return replace(generation, scores=(*others, *added))


SWITCHES = (
    Switch("start_times", "v1.16", r"preemption\.ladder", _setting("preemption", "ladder")),
    Switch(
        "older_stays",
        "v1.16",
        r"preemption\.victims\.older_is_more_important",
        _setting("preemption", "victims", "older_is_more_important"),
    ),
    Switch(
        "counted_down",
        "v1.20",
        r"preemption\.victims\.budgets\.counted_down",
        _setting("preemption", "victims", "budgets", "counted_down"),
    ),
    Switch("policy_stored", "v1.20", r"api\.unknown: preemptionPolicy", partial(_api_field, field="preemptionPolicy")),
    Switch(
        "policy_obeyed",
        "v1.20",
        r"preemption\.obeys_preemption_policy",
        _setting("preemption", "obeys_preemption_policy"),
    ),
    Switch(
        "spread_obeyed",
        "v1.20",
        r"api\.unknown: topologySpreadConstraints|with(out)? the filter PodTopologySpread",
        _spreading,
    ),
    Switch("hundred_points", "v1.20", r"max_node_score|score .*\.highest", _highest_score),
    Switch(
        "sorted_again",
        "v1.37",
        r"preemption\.victims\.sorted_again",
        _setting("preemption", "victims", "sorted_again"),
    ),
    Switch(
        "taints_count", "v1.37", r"weight of TaintToleration(Priority)?", partial(_weight, plugin="TaintToleration")
    ),
    Switch("nominated_first", "v1.37", r"nominated_node_first", _setting("nominated_node_first")),
    Switch(
        "avoid_ignored",
        "v1.37",
        r"with(out)? the score NodePreferAvoidPods(Priority)?",
        partial(_scored_by, plugin="NodePreferAvoidPods"),
    ),
)
"""The rules that lesson 06 switches, the oldest first."""


@lru_cache(maxsize=512)
def switched(version: str, flipped: frozenset[str] = frozenset()) -> Generation:
    """The generation of this name in which the named rules are decided the other way. KeyError if there is none."""
    generation = Generation.named(version)
    for rule in SWITCHES:
        if rule.name in flipped:
            generation = rule.take(generation, GENERATIONS[rule.other(version)])
    return replace(generation, name=" + ".join([version, *sorted(flipped)])) if flipped else generation
