"""Plugins join a generation: filters and scores behind those that are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.filter.plugin import Filter
from kschedlab.score.plugin import Score

Filters = tuple[Filter, ...]
Scores = tuple[tuple[Score, int], ...]


def joined(generation: str, filters: Filters, scores: Scores, plugins: Iterable[object]) -> tuple[Filters, Scores]:
    """The filters and scores of the generation of that name, and these plugins behind them.

    ValueError if two filters or two scores would have one name; TypeError for an object that is neither.
    """
    for plugin in plugins:
        more_filters, more_scores = _parts(plugin)
        for what, known, more in (
            ("filter", [each.name for each in filters], [each.name for each in more_filters]),
            ("score", [each.name for each, _ in scores], [each.name for each, _ in more_scores]),
        ):
            if twice := [name for name in more if name in known]:
                raise ValueError(
                    f'{generation} already has a {what} "{twice[0]}": '
                    f'give yours another name, or replace it: .without("{twice[0]}").plus(...)'
                )
        filters, scores = filters + more_filters, scores + more_scores
    return filters, scores


def weight_of(plugin: object) -> int:
    """The weight of its score, 1 unless it says otherwise. ValueError unless it is an integer from 1."""
    return checked_weight(getattr(plugin, "weight", 1), getattr(plugin, "name", type(plugin).__name__), 1)


def checked_weight(weight: Any, name: str, least: int) -> int:
    """The weight, if it is an integer from ``least``; else ValueError, which names the plugin."""
    if isinstance(weight, bool) or not isinstance(weight, int) or weight < least:
        raise ValueError(f'plugin "{name}": its weight is {weight!r}, where an integer from {least} is expected')
    return weight


def _parts(plugin: Any) -> tuple[Filters, Scores]:
    filters: Filters = (plugin,) if callable(getattr(plugin, "prepare", None)) else ()
    scores: Scores = ((plugin, weight_of(plugin)),) if callable(getattr(plugin, "score", None)) else ()
    if isinstance(plugin, type) or not (filters or scores):
        what = f"{plugin.__name__}, a class: plus({plugin.__name__}())" if isinstance(plugin, type) else repr(plugin)
        raise TypeError(f"a filter or a score is expected (see kschedlab.plugins), not {what}")
    return filters, scores
