"""The handle that plugins receive: see :class:`~kschedlab.plugins.framework.Handle`."""

from __future__ import annotations

from collections.abc import Iterable

import simpy

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.waiting_pods import WaitingPods


class PluginHandle:
    """The clock, the API server, the pods that wait on Permit, the queue."""

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
