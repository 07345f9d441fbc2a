"""A generation as what it changed in the one before: settings of plugins, plugins that came or went, and weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kschedlab.filter.plugin import Filter
from kschedlab.generations.changes import column
from kschedlab.generations.generation import Generation
from kschedlab.score.plugin import Score

Settings = Mapping[str, Mapping[str, Any]]
"""By name of a plugin: fields and their new values."""


def after(
    before: Generation,
    name: str,
    *,
    filters: Settings | None = None,
    new_filters: Iterable[Filter] = (),
    scores: Settings | None = None,
    new_scores: Iterable[Score] = (),
    weights: Mapping[str, int] | None = None,
    gone: Iterable[str] = (),
    gone_scores: Iterable[str] = (),
) -> Generation:
    """The generation of that name, with its column of :mod:`kschedlab.generations.changes`.

    ``filters``, ``scores``: what changed in plugins of ``before``. A new plugin takes the place of one of the same
    name, or comes last. ``gone``: names of filters and scores that are no more; ``gone_scores``: of scores alone.
    ``weights``: of scores; a new one has 1.
    """
    kept_filters = [each for each in before.filters if each.name not in gone]
    kept_scores = [pair for pair in before.scores if pair[0].name not in (*gone, *gone_scores)]
    all_filters = {each.name: each for each in _changed(kept_filters, filters)} | {f.name: f for f in new_filters}
    all_scores = {each.name: each for each in _changed([score for score, _ in kept_scores], scores)}
    all_scores |= {each.name: each for each in new_scores}
    all_weights = {score.name: weight for score, weight in kept_scores} | dict(weights or {})
    return Generation(
        name=name,
        filters=tuple(all_filters.values()),
        scores=tuple((score, all_weights.get(score.name, 1)) for score in all_scores.values()),
        **column(name),
    )


def _changed(plugins: Iterable[Any], settings: Settings | None) -> list[Any]:
    changes = settings or {}
    return [replace(each, **changes[each.name]) if each.name in changes else each for each in plugins]
