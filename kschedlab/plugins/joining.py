"""Add plugins to a generation, after its own filters and scores."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

from kschedlab.filter.plugin import Filter
from kschedlab.messages import later, listed, meant, say
from kschedlab.objects.problems import InputTypeError, InputValueError
from kschedlab.plugins.arrays import CheckedFilter, CheckedScore
from kschedlab.plugins.framework import POINTS, method, name_of
from kschedlab.plugins.one_node import PRE_SCORE_FAILED, OneNodeFilter, OneNodeScore
from kschedlab.score.plugin import MAX_NODE_SCORE, Score

OWN = "kschedlab."
IGNORED_EARLIER = frozenset({"events_to_register"})
"""Methods that generations without the extension point simply do not call."""


class JoinedGeneration(NamedTuple):
    """The generation that plugins join. ``points``: its extension points; ``highest``: its largest score."""

    name: str
    points: tuple[str, ...] = POINTS
    highest: int = MAX_NODE_SCORE
    pre_score_failed: str = PRE_SCORE_FAILED


class Members(NamedTuple):
    """Filters, scores with their weights, and third-party plugins by name."""

    filters: tuple[Filter, ...] = ()
    scores: tuple[tuple[Score, int], ...] = ()
    plugins: tuple[tuple[str, object], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        filters, scores = (each.name for each in self.filters), (each.name for each, _ in self.scores)
        return tuple(dict.fromkeys((*filters, *scores, *(name for name, _ in self.plugins))))


def joined(generation: JoinedGeneration, members: Members, plugins: Iterable[object]) -> Members:
    """The members, followed by these plugins.

    ValueError if a name is taken or the generation lacks an extension point; TypeError if an object is not a plugin.
    """
    for plugin in plugins:
        filters, scores, named = (_by_arrays if is_array_plugin(plugin) else _by_node)(plugin, generation, members)
        members = Members(members.filters + filters, members.scores + scores, members.plugins + named)
    return members


def is_array_plugin(plugin: Any) -> bool:
    """Whether it answers for all nodes at once: it has ``prepare``, or a ``score`` with three parameters."""
    if isinstance(plugin, type):
        return False
    if callable(getattr(plugin, "prepare", None)):
        return True
    score = getattr(plugin, "score", None)
    try:
        return callable(score) and len(inspect.signature(score).parameters) == 3
    except (TypeError, ValueError):
        return False


def is_plugin(plugin: object) -> bool:
    if isinstance(plugin, type) or inspect.ismodule(plugin):
        return False
    return is_array_plugin(plugin) or any(method(plugin, point) for point in POINTS)


def explain_no_plugin(plugin: Any) -> str:
    if isinstance(plugin, type):
        return say("{name} is a class: a plugin is an object of it, {name}()", name=plugin.__name__)
    if inspect.isfunction(plugin):
        message = later('{name} is a plain function: put @node_filter("Name") or @node_score("Name") above it')
        return say(message, name=plugin.__name__)
    if isinstance(plugin, str):
        return say('"{plugin}" is a text: load_plugin("{plugin}") finds a plugin by its name', plugin=plugin)
    if isinstance(plugin, list | tuple):
        return say("a list is not a plugin: give the plugins one by one, plus(cold, pack) or plus(*plugins)")
    methods = listed(("prepare", *POINTS))
    message = later('"{name}" is not a plugin (see kschedlab.plugins): it needs one of the methods {methods}')
    return say(message, name=name_of(plugin), methods=methods)


def checked_weight(weight: Any, name: str, least: int = 1) -> int:
    """The weight. ValueError, which names the plugin, unless it is an integer of at least ``least``."""
    if isinstance(weight, bool) or not isinstance(weight, int) or weight < least:
        message = later('plugin "{name}": its weight is {weight!r}, where an integer from {least} is expected')
        raise InputValueError(message, name=name, weight=weight, least=least)
    return weight


def _weight_of(plugin: object) -> int:
    return checked_weight(getattr(plugin, "weight", 1), name_of(plugin))


def _by_arrays(plugin: Any, generation: JoinedGeneration, members: Members) -> Members:
    own, name = type(plugin).__module__.startswith(OWN), name_of(plugin)
    filters: tuple[Filter, ...] = ()
    scores: tuple[tuple[Score, int], ...] = ()
    if callable(getattr(plugin, "prepare", None)):
        filters = (plugin if own else CheckedFilter(plugin),)
    if callable(getattr(plugin, "score", None)):
        scores = ((plugin if own else CheckedScore(plugin, generation.highest), _weight_of(plugin)),)
    for what, known, more in (
        (meant("filter", "plugin"), members.filters, filters),
        (meant("score", "plugin"), [s for s, _ in members.scores], scores),
    ):
        if more and name in [each.name for each in known]:
            raise InputValueError(_twice(generation.name, what, name))
    return Members(filters, scores, () if own else ((name, plugin),))


def _by_node(plugin: Any, generation: JoinedGeneration, members: Members) -> Members:
    name = name_of(plugin)
    points = [] if isinstance(plugin, type) else [point for point in POINTS if method(plugin, point)]
    if not points:
        raise InputTypeError(explain_no_plugin(plugin))
    if name in members.names:
        raise InputValueError(_twice(generation.name, later("plugin"), name))
    for point in points:
        if point not in generation.points and point not in IGNORED_EARLIER:
            there = listed(generation.points)
            message = later('plugin "{name}": {generation} has no extension point {point}; it has {there}')
            raise InputValueError(message, name=name, generation=generation.name, point=point, there=there)
    weight = _weight_of(plugin)
    filters = (OneNodeFilter(plugin),) if {"filter", "pre_filter"} & {*points} else ()
    score = OneNodeScore(plugin, generation.highest, generation.pre_score_failed)
    scores = ((score, weight),) if {"score", "pre_score"} & {*points} else ()
    return Members(filters, scores, ((name, plugin),))


def _twice(generation: str, what: str, name: str) -> str:
    message = later(
        '{generation} already has a {what} "{name}": give yours another name, '
        'or replace it: .without("{name}").plus(...)'
    )
    return say(message, generation=generation, what=say(what), name=name)
