"""Named rules that differ between generations, switched one at a time in any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.columns import NAMES
from kschedlab.whatif.compare import changes


@dataclass(frozen=True)
class Switch:
    """One rule that generations from ``since`` on have and earlier ones do not.

    ``settings``: a regular expression for the settings that it consists of, by their names in
    :func:`kschedlab.whatif.compare.changes`; names of plugins differ between generations.
    """

    name: str
    since: str
    settings: str

    def is_on(self, version: str) -> bool:
        """Whether the generation of this name has the rule."""
        return NAMES.index(version) >= NAMES.index(self.since)

    def other(self, version: str) -> str:
        """The nearest generation that decides this rule the other way."""
        first = NAMES.index(self.since)
        return NAMES[first - 1] if self.is_on(version) else NAMES[first]


SWITCHES = (
    Switch("start_times", "v1.16", r"preemption\.ladder"),
    Switch("older_stays", "v1.16", r"preemption\.victims\.older_is_more_important"),
    Switch("counted_down", "v1.20", r"preemption\.victims\.budgets\.counted_down"),
    Switch("policy_stored", "v1.20", r"api\.unknown: preemptionPolicy"),
    Switch("policy_obeyed", "v1.20", r"preemption\.obeys_preemption_policy"),
    Switch(
        "spread_obeyed", "v1.20", r"api\.unknown: topologySpreadConstraints|with(out)? the filter PodTopologySpread"
    ),
    Switch("hundred_points", "v1.20", r"max_node_score|score .*\.highest"),
    Switch("sorted_again", "v1.37", r"preemption\.victims\.sorted_again"),
    Switch("taints_count", "v1.37", r"weight of TaintToleration(Priority)?"),
    Switch("nominated_first", "v1.37", r"nominated_node_first"),
    Switch("avoid_ignored", "v1.37", r"with(out)? the score NodePreferAvoidPods(Priority)?"),
)
"""The rules that lesson 06 switches, the oldest first."""


@lru_cache(maxsize=512)
def switched(version: str, flipped: frozenset[str] = frozenset()) -> Generation:
    """The generation of this name in which the named rules are decided the other way. KeyError if there is none."""
    generation = Generation.named(version)
    for rule in SWITCHES:
        if rule.name in flipped:
            generation = flip(generation, rule, GENERATIONS[rule.other(version)])
    return replace(generation, name=" + ".join([version, *sorted(flipped)])) if flipped else generation


def flip(generation: Generation, rule: Switch, towards: Generation) -> Generation:
    """The generation with the rule's settings as in ``towards``."""
    pattern = re.compile(rule.settings)
    for name in [each.rule for each in changes(generation, towards) if pattern.fullmatch(each.rule)]:
        generation = next(each.switched for each in changes(generation, towards) if each.rule == name)
    return generation


def named(names: Iterable[str]) -> list[Switch]:
    """The rules of these names, the oldest first."""
    wanted = set(names)
    return [rule for rule in SWITCHES if rule.name in wanted]
