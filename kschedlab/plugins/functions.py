"""Plain functions of a pod and a node as plugins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kschedlab.messages import later
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import InputTypeError
from kschedlab.plugins.framework import UNRESOLVABLE, UNSCHEDULABLE, Answer, NodeView, Plugin, Status
from kschedlab.queue.events import checked_event
from kschedlab.queue.interface import ClusterEvent
from kschedlab.score.plugin import MAX_NODE_SCORE

QueueingHint = Callable[[Pod, Any, Any], bool]
"""(pending pod, object before the event, object after it) -> whether to requeue the pod."""
Judge = Callable[[Pod, NodeView], Answer]
Rate = Callable[[Pod, NodeView], "int | tuple[int, Mapping[str, Any]]"]


class NodeFilter(Plugin):
    """A function ``(pod, node) -> None or a reason`` as a filter, from :func:`node_filter`."""

    def __init__(self, name: str, judge: Judge, unresolvable: bool, depends_on_pods: bool, monotonic: bool) -> None:
        self.name, self._judge, self._code = name, judge, UNRESOLVABLE if unresolvable else UNSCHEDULABLE
        self.depends_on_pods, self.monotonic = depends_on_pods, monotonic
        self.__doc__ = judge.__doc__

    def __call__(self, pod: Pod, node: NodeView) -> Answer:
        return self._judge(pod, node)

    def filter(self, pod: Pod, node: NodeView) -> Answer:
        answer = self._judge(pod, node)
        return Status(self._code, answer) if isinstance(answer, str) and answer else answer

    def __repr__(self) -> str:
        return f"node_filter({self.name!r})"


class NodeFilterWithEvents(NodeFilter):
    events: tuple[tuple[ClusterEvent, QueueingHint | None], ...] = ()

    def events_to_register(self) -> Iterable[ClusterEvent | tuple[ClusterEvent, QueueingHint]]:
        return [event if hint is None else (event, hint) for event, hint in self.events]


class FunctionScore(Plugin):
    """A function ``(pod, node) -> 0..100`` as a score without NormalizeScore, from :func:`node_score`."""

    highest = MAX_NODE_SCORE
    """Divided by 10 in generations that score from 0 to 10."""

    def __init__(self, name: str, rate: Rate, weight: int, formula: str) -> None:
        self.name, self._rate, self.weight, self.formula = name, rate, weight, formula
        self.__doc__ = rate.__doc__

    def __call__(self, pod: Pod, node: NodeView) -> int | tuple[int, Mapping[str, Any]]:
        return self._rate(pod, node)

    score = __call__

    def __repr__(self) -> str:
        return f"node_score({self.name!r}, weight={self.weight})"


def node_filter(
    name: str,
    *,
    unresolvable: bool = False,
    depends_on_pods: bool = True,
    monotonic: bool = False,
    events: Iterable[ClusterEvent] | None = None,
    hint: QueueingHint | None = None,
) -> Callable[[Judge], NodeFilter]:
    """Decorate a function ``(pod, node) -> None if the pod may run there, else the reason`` to make it a filter.

    ``unresolvable``: evicting pods cannot help where the filter refuses. ``depends_on_pods``, ``monotonic``: see
    :class:`~kschedlab.plugins.framework.Plugin`. ``events``: those that requeue a pod that the filter
    refused, unless ``hint(pod, old, new)`` returns False; None: every event.
    """
    _check_name(name, "node_filter")
    if hint is not None:
        _check_function(hint, name, "node_filter", "pod, old, new")
        if events is None:
            message = later('@node_filter("{name}"): a hint needs events=[...], those for which it is asked')
            raise InputTypeError(message, name=name)
    try:
        registered = None if events is None else tuple((checked_event(event), hint) for event in events)
    except (TypeError, ValueError) as error:
        raise InputTypeError('@node_filter("{name}"): events: {error}', name=name, error=error) from None

    def decorate(judge: Judge) -> NodeFilter:
        _check_function(judge, name, "node_filter")
        if registered is None:
            return NodeFilter(name, judge, unresolvable, depends_on_pods, monotonic)
        plugin = NodeFilterWithEvents(name, judge, unresolvable, depends_on_pods, monotonic)
        plugin.events = registered
        return plugin

    return decorate


def node_score(name: str, *, weight: int = 1, formula: str = "") -> Callable[[Rate], FunctionScore]:
    """Decorate a function ``(pod, node) -> 0 to 100`` to make it a score.

    It may return ``(score, terms)``; ``formula``: how views explain the score, e.g. ``"100 - {celsius}"``.
    """
    _check_name(name, "node_score")

    def decorate(rate: Rate) -> FunctionScore:
        _check_function(rate, name, "node_score")
        return FunctionScore(name, rate, weight, formula)

    return decorate


def _check_name(name: object, decorator: str) -> None:
    if not isinstance(name, str) or not name:
        raise InputTypeError('the plugin needs a name: @{decorator}("MyPlugin")', decorator=decorator)


def _check_function(function: Any, name: str, decorator: str, arguments: str = "pod, node") -> None:
    try:
        inspect.signature(function).bind(*arguments.split(", "))
    except TypeError:
        own = getattr(function, "__name__", repr(function))
        message = later('@{decorator}("{name}"): {own} must be a function of ({arguments})')
        raise InputTypeError(message, decorator=decorator, name=name, own=own, arguments=arguments) from None
