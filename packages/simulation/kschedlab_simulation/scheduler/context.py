"""The state that the parts of a running scheduler share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import simpy

from kschedlab.generations import Generation
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab_simulation.clock import now
from kschedlab_simulation.events import NOTE_LENGTH, is_too_long, truncated
from kschedlab_simulation.log import Log, Step
from kschedlab_simulation.scheduler.rules import LoopMessages, LoopRules

if TYPE_CHECKING:
    from kschedlab.queue.interface import SchedulingQueue
    from kschedlab.queue.queued_pod import QueuedPodInfo
    from kschedlab_simulation.events import Broadcaster
    from kschedlab_simulation.informers import Informer
    from kschedlab_simulation.scheduler.cache import SchedulerCache
    from kschedlab_simulation.scheduler.framework import Framework
    from kschedlab_simulation.scheduler.metrics import Metrics
    from kschedlab_simulation.scheduler.waiting_pods import WaitingPods
    from kschedlab_simulation.server.interface import Api


POP, SKIP, SCHEDULE, PREEMPT, FAIL = "pop", "skip", "schedule", "preempt", "fail"
ASSUME_VOLUMES, RESERVE, UNRESERVE = "assumeVolumes", "reserve", "unreserve"
ASSUME, FORGET = "assume", "forget"
PERMIT, WAIT_ON_PERMIT = "permit", "waitOnPermit"
BIND_VOLUMES, PRE_BIND, BIND, POST_BIND = "bindVolumes", "preBind", "bind", "postBind"
NOMINATE, EVICT = "nominate", "evict"
"""The names of the steps in the log."""


@dataclass(frozen=True)
class Latencies:
    """The duration of each operation, in microseconds of the virtual clock.

    ``cycle``: a scheduling cycle; no other runs meanwhile. ``preempt``: the additional time if it searches for victims.
    ``bind``, ``status``, ``delete``: calls to the API server that bind a pod, write its status, delete it.
    ``watch``: the delay until an informer receives a change.
    ``volumes``: the longest that a pod may wait for its volumes (bindTimeoutSeconds).
    """

    cycle: int = 1_000
    preempt: int = 1_000
    bind: int = 2_000
    status: int = 2_000
    delete: int = 2_000
    watch: int = 0
    volumes: int = 600 * SECOND


@dataclass(eq=False)
class Context:
    """The parts of a scheduler. Each part reaches the others through it.

    ``name``: of the client, for the API server; ``generations``, ``frameworks``: by profile (schedulerName); ``pods``:
    the informer of pods; ``queued_since``: when each pod first entered the queue, by uid.
    """

    env: simpy.Environment
    api: Api
    log: Log
    name: str
    rules: LoopRules
    messages: LoopMessages
    latencies: Latencies
    generations: dict[str, Generation]
    frameworks: dict[str, Framework]
    queue: SchedulingQueue
    cache: SchedulerCache
    pods: Informer[Pod]
    waiting: WaitingPods
    broadcaster: Broadcaster
    metrics: Metrics
    queued_since: dict[str, int] = field(default_factory=dict)

    @property
    def generation(self) -> Generation:
        """That of the first profile; all profiles are of one version."""
        return next(iter(self.generations.values()))

    @property
    def now(self) -> int:
        """The virtual clock: microseconds since 1970."""
        return now(self.env)

    def record(self, pod: Pod, type: str, reason: str, message: str, action: str, preemptor: Pod | None = None) -> None:
        """Record an event about the pod; ``preemptor``: the pod it is evicted for.

        v1.16: the API server refuses one that is too long (pkg/apis/core/validation/events.go); v1.13 has no limit.
        """
        if self.rules.truncates_events:
            message = truncated(message)
        elif self.rules.names_actions and is_too_long(message):
            self.note("record", f"{pod.key}: the API server refuses an event of more than {NOTE_LENGTH} characters")
            return
        by = (pod if preemptor is None else preemptor).spec.schedulerName
        action, related = (action, preemptor) if self.rules.names_actions else ("", None)
        self.broadcaster.record(pod, type, reason, message, by, action=action, related=related)

    def note(self, part: str, detail: str) -> None:
        """Log a start-up step, or a problem in a part of the scheduler."""
        self.log.write(Step(at=self.now, pod="", step=part, detail=detail))

    def step(self, pod: Pod, step: str, node: str = "", detail: str = "") -> None:
        """Log a step that the scheduler took for the pod."""
        self.log.write(Step(at=self.now, pod=pod.key, step=step, node=node, detail=detail))


@dataclass(slots=True, eq=False)
class Cycle:
    """One attempt to schedule a pod. ``pod``: as popped; ``assumed``: with its ``node``; ``start``: when it began."""

    queued: QueuedPodInfo
    pod: Pod
    framework: Framework
    start: int
    node: str = ""
    assumed: Pod | None = None
