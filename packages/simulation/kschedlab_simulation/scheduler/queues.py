"""Creates the queue of a generation, with its hints, gates and callbacks.

v1.37: pkg/scheduler/scheduler.go (New: NewSchedulingQueue with its options, buildQueueingHintMap).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kschedlab.filter.stage import EXTENDER
from kschedlab.objects.model import Pod, ResourceClaim
from kschedlab.objects.problems import InputValueError
from kschedlab.plugins.framework import PluginError, call, method, name_of, status
from kschedlab.queue.events import Hint, Registration, checked_event
from kschedlab.queue.interface import ClusterEvent, OnMoved, OnNominated, SchedulingQueue
from kschedlab.queue.pre_enqueue import GATES, Gate
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.hints.table import ANY_EVENT, by_profile, queueing_hints

DEFAULT_PREEMPTION, DYNAMIC_RESOURCES = "DefaultPreemption", "DynamicResources"


def queue_for(
    context: Context, preempts: Callable[[Pod], bool], on_moved: OnMoved, on_nominated: OnNominated
) -> SchedulingQueue:
    """The generation's queue. ``preempts``: whether the pod's victims are still being evicted."""
    make = next(iter(context.generations.values())).queue
    more: dict[str, Any] = {"get_pod": context.pods.get, "on_nominated": on_nominated, "on_moved": on_moved}
    if (less := queue_sort(context)) is not None:
        more["less"] = less
    if make.hints:
        more["hints"] = tuple(hints(context))
    if make.gates:
        more["gates"] = gates(context, preempts)
    return make(lambda: context.now, **more)


def user_plugins(context: Context) -> list[tuple[object, frozenset[str]]]:
    """The users' plugins, each once, with the profiles (schedulerName) that have it."""
    by_id: dict[int, tuple[object, frozenset[str]]] = {}
    for profile, generation in context.generations.items():
        for _, plugin in generation.plugins:
            known = by_id.get(id(plugin), (plugin, frozenset[str]()))[1]
            by_id[id(plugin)] = plugin, known | {profile}
    return list(by_id.values())


def queue_sort(context: Context) -> Callable[[Any, Any], bool] | None:
    """The user's QueueSort plugin, if any. ValueError if there are several."""
    sorting = [plugin for plugin, _ in user_plugins(context) if method(plugin, "less")]
    if len(sorting) > 1:
        raise InputValueError("only one queue sort plugin is allowed, not {sorting}", sorting=[*map(name_of, sorting)])
    if not sorting:
        return None
    plugin, function = sorting[0], method(sorting[0], "less")
    assert function is not None

    def less(one: Any, other: Any) -> bool:
        try:
            return bool(call(function, one, other))
        except PluginError as error:
            context.note("less", f"{name_of(plugin)}: {error}")
            return False

    return less


def gates(context: Context, preempts: Callable[[Pod], bool]) -> Mapping[str, Gate]:
    """PreEnqueue, which keeps pods out of the active queue: the default profile's plugins, then the users'."""
    by_name = dict(GATES) | {DYNAMIC_RESOURCES: _claims_gate(context), DEFAULT_PREEMPTION: preempts}
    for plugin, profiles in user_plugins(context):
        if (function := method(plugin, "pre_enqueue")) is not None:
            by_name[name_of(plugin)] = _gate(context, name_of(plugin), function, profiles)
    return by_name


def _claims_gate(context: Context) -> Gate:
    """DynamicResources keeps out pods whose claims are not ready, in the profiles that have it."""
    profiles = {name for name, each in context.generations.items() if DYNAMIC_RESOURCES in each.plugin_names}

    def gate(pod: Pod) -> bool:
        if not pod.spec.resourceClaims or pod.spec.schedulerName not in profiles:
            return False
        from kschedlab_devices.claims import claims_fault

        cluster = context.cache.cluster()
        return bool(claims_fault(pod, lambda key: cluster.find(ResourceClaim, key), cluster.api.group_claims))

    return gate


def _gate(context: Context, name: str, function: Callable[..., Any], profiles: frozenset[str]) -> Gate:
    """A user's PreEnqueue in these profiles; an error keeps the pod out."""
    everywhere = profiles == context.generations.keys()

    def gate(pod: Pod) -> bool:
        if not everywhere and pod.spec.schedulerName not in profiles:
            return False
        try:
            return status(call(function, pod), name) is not None
        except PluginError as error:
            context.note("preEnqueue", f"{name}: {error}")
            return True

    return gate


def hints(context: Context) -> Iterator[Registration]:
    """The events that plugins register for; a user's plugin that can reject pods but registers none gets all events.

    So do extenders, which have no way to register.

    v1.37: pkg/scheduler/framework/runtime/framework.go, fillEnqueueExtensions.
    """
    cluster, profiles = context.cache.cluster, context.generations
    own = {
        name_of(plugin): list(_registrations(context, plugin))
        for plugin, _ in user_plugins(context)
        if _can_refuse(plugin)
    }
    known = by_profile({name: queueing_hints(each.filters, cluster) for name, each in profiles.items()})
    yield from (one for one in known if one.plugin not in own)
    if any(profile.extenders for profile in profiles.values()):
        yield from (Registration(EXTENDER, *one) for one in ANY_EVENT)
    for registrations in own.values():
        yield from registrations


def _can_refuse(plugin: object) -> bool:
    return any(
        method(plugin, point) for point in ("prepare", "pre_enqueue", "pre_filter", "filter", "reserve", "permit")
    )


def _registrations(context: Context, plugin: object) -> Iterator[Registration]:
    """The events that a user's plugin registers for. ValueError if events_to_register fails."""
    name, function = name_of(plugin), method(plugin, "events_to_register")
    if function is None:
        yield from (Registration(name, *one) for one in ANY_EVENT)
        return
    try:
        answer = list(call(function))
    except (PluginError, TypeError) as error:
        raise InputValueError('plugin "{name}": events_to_register failed: {error}', name=name, error=error) from error
    for one in answer:
        pair = isinstance(one, tuple) and not isinstance(one, ClusterEvent) and len(one) == 2
        event, hint = one if pair else (one, None)
        try:
            yield Registration(name, checked_event(event), _hint(context, name, hint))
        except ValueError as error:
            raise InputValueError('plugin "{name}": events_to_register: {error}', name=name, error=error) from None


def _hint(context: Context, name: str, hint: Hint | None) -> Hint:
    """The user's hint; without one, or if it fails, the pod is requeued."""

    def guarded(pod: Pod, old: Any, new: Any) -> bool:
        if hint is None:
            return True
        try:
            return bool(call(hint, pod, old, new))
        except PluginError as error:
            context.note("queueingHint", f"{name}: {error}")
            return True

    return guarded
