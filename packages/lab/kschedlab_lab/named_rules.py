"""Named rules in which generations differ. Each can be switched on its own; rules.yaml describes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.between import minor
from kschedlab.generations.changes import NAMES
from kschedlab.score.plugin import MAX_NODE_SCORE, Score, Scored
from kschedlab.whatif.compare import changes
from kschedlab.whatif.titles import SETTINGS


class SourceLine(msgspec.Struct, frozen=True):
    """A line of the real scheduler, or some: their version, file and function."""

    version: str
    file: str
    function: str
    line: str


class NamedRule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule that versions from ``since`` on have and earlier ones do not.

    ``title``: what it changes; ``before``, ``after``: what happens without it, and with it; ``old``, ``new``: the
    lines of the last of the course's versions without the rule, and of the first one with it.
    """

    name: str
    since: str
    title: str
    before: str
    after: str
    old: SourceLine
    new: SourceLine

    @property
    def settings(self) -> str:
        """A regular expression for the settings that it consists of."""
        return SETTINGS[self.title]

    def is_on(self, version: str) -> bool:
        """Whether the generation of this name has the rule."""
        return minor(version) >= minor(self.since)

    def first_of(self, versions: Sequence[str]) -> str:
        """The first of these generations, oldest first, that has the rule."""
        return next(version for version in versions if self.is_on(version))

    def other(self, version: str) -> str:
        """The nearest generation that decides this rule the other way."""
        first = self.first_of(NAMES)
        return NAMES[NAMES.index(first) - 1] if self.is_on(version) else first

    def taken(self, generation: Generation, other: Generation) -> Generation:
        for change in changes(generation, other):
            if re.fullmatch(self.settings, change.rule):
                return self.taken(change.switched, other)
        return generation


NAMED_RULES = msgspec.convert(
    yaml.load(files("kschedlab_lab").joinpath("rules.yaml").read_text("utf-8"), yaml.CSafeLoader),
    tuple[NamedRule, ...],
)
"""In the order of the course's versions that have them."""


@lru_cache(maxsize=512)
def switched(version: str, flipped: frozenset[str] = frozenset()) -> Generation:
    """The generation of this name in which the named rules are decided the other way. KeyError if there is none."""
    generation = Generation.named(version)
    for rule in NAMED_RULES:
        if rule.name in flipped:
            generation = _on_one_scale(rule.taken(generation, GENERATIONS[rule.other(version)]))
    return replace(generation, name=" + ".join([version, *sorted(flipped)])) if flipped else generation


def _on_one_scale(generation: Generation) -> Generation:
    """All scores, also those that only one of two generations has, go up to the generation's highest score."""
    highest = generation.max_node_score

    def scaled(score: Any) -> Any:
        has = any(field.name == "highest" for field in fields(score))
        return replace(score, highest=highest) if has else score

    return replace(generation, scores=tuple((scaled(score), weight) for score, weight in generation.scores))


@dataclass(frozen=True)
class Scaled:
    """A score of later versions only, from 0 to ``highest`` in place of 100."""

    given: Score
    highest: int

    @property
    def name(self) -> str:
        return self.given.name

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        found = self.given.score(pod, cluster, nodes)
        if found is None:
            return None
        return replace(found, normalized=found.normalized * self.highest // MAX_NODE_SCORE)


def scaled(generation: Generation) -> Generation:
    """The generation in which the scores that always went up to 100, too, go up to its highest score."""
    highest = generation.max_node_score
    if highest == MAX_NODE_SCORE:
        return generation
    scores = (
        (each if hasattr(each, "highest") else Scaled(each, highest), weight) for each, weight in generation.scores
    )
    return replace(generation, scores=tuple(scores))
