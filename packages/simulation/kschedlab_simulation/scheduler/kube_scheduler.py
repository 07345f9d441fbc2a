"""Wires kube-scheduler together: informers, handlers, cache, queue, framework and loop.

v1.37: pkg/scheduler/scheduler.go (New). v1.13: pkg/scheduler/factory/factory.go (NewConfigFactory, CreateFromConfig).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

import simpy

from kschedlab.generations import Generation, Profiles
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Node, Pod
from kschedlab.queue.with_events import WithEvents
from kschedlab_simulation.clock import now
from kschedlab_simulation.events import Broadcaster
from kschedlab_simulation.informers import Informer, Informers, pod_informer
from kschedlab_simulation.log import Log, Moved
from kschedlab_simulation.scheduler.cache import SchedulerCache
from kschedlab_simulation.scheduler.changes import loop_messages, loop_rules
from kschedlab_simulation.scheduler.context import Context, Latencies
from kschedlab_simulation.scheduler.cycle_orders import ORDERS
from kschedlab_simulation.scheduler.device_binding import on_clock
from kschedlab_simulation.scheduler.failure import Failures
from kschedlab_simulation.scheduler.framework import Framework
from kschedlab_simulation.scheduler.handlers import Handlers
from kschedlab_simulation.scheduler.metrics import Metrics
from kschedlab_simulation.scheduler.parts import parts_for
from kschedlab_simulation.scheduler.queues import queue_for
from kschedlab_simulation.scheduler.rules import LoopRules
from kschedlab_simulation.scheduler.volume_binding import VolumeBinding
from kschedlab_simulation.scheduler.waiting_pods import WaitingPods
from kschedlab_simulation.scheduler.watched_kinds import OTHER_KINDS
from kschedlab_simulation.server.interface import Api

DEFAULT_LATENCIES = Latencies()


class KubeScheduler:
    """A scheduler that runs against an API server.

    ``generation``: one, or one for each schedulerName (profiles). ``name``: the schedulerName, if there is only one;
    ``percentage``: percentageOfNodesToScore (None: the generation's). ``rng`` breaks ties; without it, ties go to the
    node whose name sorts first. ``plugins``: the user's, added to every profile. ``latencies``: of operations.
    ``rules``: of the loop, in place of the generation's. ValueError if a plugin cannot be added.

    :meth:`start` starts it (:mod:`startup` has all steps of the real program's start).
    """

    def __init__(
        self,
        env: simpy.Environment,
        api: Api,
        generation: Profiles,
        log: Log,
        *,
        name: str = DEFAULT_SCHEDULER,
        percentage: int | None = None,
        rng: random.Random | None = None,
        plugins: Iterable[object] = (),
        latencies: Latencies = DEFAULT_LATENCIES,
        rules: LoopRules | None = None,
    ) -> None:
        profiles = {name: generation} if isinstance(generation, Generation) else dict(generation)
        first = next(iter(profiles.values()))
        rules, messages, clock = rules or loop_rules(first), loop_messages(first), partial(now, env)
        self.parts = parts = parts_for(first)
        own = (*parts.plugins, *plugins)
        generations = {profile: on_clock(each.plus(*own), clock) for profile, each in profiles.items()}
        self.informers = Informers(env, api, latency=latencies.watch)
        pods = self.informers.register(_pods(env, api, rules, latencies))
        cache = SchedulerCache(first.api, rules.cache, clock, messages.provisioning_failed)
        self.context = context = Context(
            env=env,
            api=api,
            log=log,
            name=next(iter(profiles)),
            rules=rules,
            messages=messages,
            latencies=latencies,
            generations=generations,
            frameworks={
                profile: Framework(profile, [p for _, p in each.plugins], rules, messages)
                for profile, each in generations.items()
            },
            queue=None,  # type: ignore[arg-type]  # set below: its gates need the parts that share the context
            cache=cache,
            pods=pods,
            waiting=WaitingPods(),
            broadcaster=Broadcaster(clock, log),
            metrics=Metrics(self._pending_counts, cache.sizes),
        )
        volumes, failures = VolumeBinding(context), Failures(context)
        binding = ORDERS[rules.cycle](context, failures, volumes)
        preempting = parts.preempting(context, binding)
        context.queue = queue_for(context, preempting.is_running, self._moved, self._nominated)
        parts.watch_gates(context, preempting.is_running)
        self.loop = parts.loop(context, parts.engine(first, percentage, rng), failures, binding, preempting)
        for each in generations.values():
            for _, plugin in each.plugins:
                with suppress(AttributeError):  # a plugin without this attribute does not use it
                    plugin.handle = PluginHandle(context)  # type: ignore[attr-defined]
        self._handle(parts.handlers(context, self.informers, first))
        self._paused_timers: list[simpy.Event] = []
        self.running = False

    @property
    def log(self) -> Log:
        return self.context.log

    def _handle(self, handlers: Handlers) -> None:
        """Register the handlers with one informer per kind."""
        self.informers.of(Node).add_handler(handlers.add_node, handlers.update_node, handlers.delete_node)
        for kind in OTHER_KINDS:
            self.informers.of(kind).add_handler(handlers.add, handlers.update, handlers.delete)
        self.informers.of(Pod).add_handler(handlers.add_pod, handlers.update_pod, handlers.delete_pod)

    # -- callbacks of the queue

    def _nominated(self, pod: Pod, node: str | None) -> None:
        if node is None:
            self.context.cache.remove_nomination(pod)
        else:
            self.context.cache.nominate(pod, node)

    def _moved(self, pod: Pod, origin: str, to: str, why: str) -> None:
        context = self.context
        now = context.now
        context.log.write(Moved(at=now, pod=pod.key, origin=origin, to=to, event=why))
        if not origin:
            context.queued_since.setdefault(pod.metadata.uid, now)
        if to in ("active", "backoff", "unschedulable"):
            context.metrics.entered_queue(to, why)
            if to != "unschedulable":
                self.loop.wake()
        if to != "active" and self._paused_timers:
            paused, self._paused_timers = self._paused_timers, []
            for timer in paused:
                timer.succeed()

    def _pending_counts(self) -> dict[str, int]:
        queue = self.context.queue
        counts = dict.fromkeys(("active", "backoff", "unschedulable", "gated"), 0)
        for place in list(queue.places().values()):
            counts[place.part] += 1
        if isinstance(queue, WithEvents):
            counts["gated"] = sum(1 for waiting in queue.unschedulable if waiting.gate)
            counts["unschedulable"] -= counts["gated"]
        return counts

    # -- running

    def start(self) -> None:
        """Start the informers; run once they have synced."""
        self.informers.start()
        self.context.broadcaster.start()
        self.context.env.process(self._start())

    def _start(self) -> Generator[Any, Any, None]:
        yield self.informers.synced
        yield from self.run()

    def run(self) -> Generator[Any, Any, None]:
        """Start the queue's timers, then schedule without end."""
        for period, flush in self.context.queue.flushes:
            self.context.env.process(self._flush(period, flush))
        if self.context.cache.rules.assumed_pod_ttl:
            self.context.env.process(self._expire())
        self.running = True
        yield from self.loop.run()

    def _flush(self, period: int, flush: Callable[[], None]) -> Generator[Any, Any, None]:
        """Call ``flush`` in each period, counted from a whole second; pause while the queue is empty."""
        context = self.context
        began = context.now - context.now % SECOND
        while True:
            if not len(context.queue):
                self._paused_timers.append(timer := context.env.event())
                yield timer
            yield context.env.timeout(period - (context.now - began) % period)
            flush()

    def _expire(self) -> Generator[Any, Any, None]:
        """Every second while there are assumed pods, remove the expired ones (cleanupAssumedPods)."""
        context = self.context
        while True:
            if not context.cache.sizes()["assumed_pods"]:
                self._paused_timers.append(timer := context.env.event())
                yield timer
            yield context.env.timeout(SECOND)
            for pod in context.cache.expire():
                context.note("cache", f"assumed pod {pod.key} expired")


def _pods(env: simpy.Environment, api: Api, rules: LoopRules, latencies: Latencies) -> Informer[Pod]:
    """The scheduler's informer of pods."""
    if rules.sees_terminating_pods:
        return pod_informer(env, api, latency=latencies.watch)
    return Informer(env, api, Pod, _is_active, latency=latencies.watch)


def _is_active(pod: Pod) -> bool:
    return pod.status.phase not in ("Succeeded", "Failed") and pod.metadata.deletionTimestamp is None


class PluginHandle:
    """Gives plugins the clock, the API server, the pods that wait on Permit and the queue.

    It is a :class:`~kschedlab.plugins.framework.Handle`.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.api = context.api

    @property
    def now(self) -> int:
        """Microseconds since 1970."""
        return self._context.now

    @property
    def waiting_pods(self) -> WaitingPods:
        """The pods that wait on Permit; a plugin can allow or reject them."""
        return self._context.waiting

    def sleep(self, seconds: float) -> simpy.Event:
        """An event to yield in PreBind and Bind: it lets that much virtual time pass."""
        return self._context.env.timeout(int(seconds * SECOND))

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move these pods to the active queue, wherever they wait."""
        self._context.queue.activate(pods)
