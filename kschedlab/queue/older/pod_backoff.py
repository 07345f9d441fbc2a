"""How long a pod that was not scheduled has to wait before it is tried again: 1 s, doubled each time, up to 10 s.

v1.16 counts a pod's failures under its name: pkg/scheduler/internal/queue/pod_backoff.go. v1.20 reckons from what it
remembers with the pod: pkg/scheduler/internal/queue/scheduling_queue.go (getBackoffTime).
"""

from __future__ import annotations

from typing import Protocol

from kschedlab.queue.interface import Now
from kschedlab.queue.older.queued_pod import QueuedPodInfo
from kschedlab.queue.order import ZERO


class PodBackoff(Protocol):
    """When backoff ends."""

    def failed(self, queued: QueuedPodInfo) -> None:
        """The pod was not scheduled, now."""
        ...

    def end(self, queued: QueuedPodInfo) -> int:
        """When it may be tried again, in microseconds since 1970."""
        ...

    def clear(self, key: str) -> None:
        """Nothing holds the pod ``namespace/name`` back any more: it is gone, or another one now."""
        ...


def backoff_duration(attempts: int, initial: int, maximum: int) -> int:
    """Microseconds after so many failures (calculateBackoffDuration)."""
    duration = initial
    for _ in range(1, attempts):
        duration *= 2
        if duration > maximum:
            return maximum
    return duration


class PodBackoffMap:
    """That of v1.16, by name: a pod that is deleted and comes again under its old name goes on waiting.

    ``pod_attempts``: failures; one during the backoff of an earlier one is not counted. ``pod_last_update_time``: when
    the last was counted, oldest first. What is older than twice the maximum is forgotten when the next pod fails.
    """

    def __init__(self, now: Now, initial: int, maximum: int) -> None:
        self._now = now
        self._initial, self._maximum = initial, maximum
        self.pod_attempts: dict[str, int] = {}
        self.pod_last_update_time: dict[str, int] = {}

    def failed(self, queued: QueuedPodInfo) -> None:
        """Count the failure (backoffPod)."""
        self._cleanup()
        key, now = queued.key, self._now()
        if self.end(queued) < now:
            self.pod_attempts[key] = self.pod_attempts.get(key, 0) + 1
            self.pod_last_update_time.pop(key, None)
            self.pod_last_update_time[key] = now

    def end(self, queued: QueuedPodInfo) -> int:
        """When the pod's backoff ends; long ago if it has none."""
        return self.end_of(queued.key)

    def end_of(self, key: str) -> int:
        """When the backoff of the pod ``namespace/name`` ends; long ago if it has none (GetBackoffTime)."""
        attempts = self.pod_attempts.get(key)
        if attempts is None:
            return ZERO
        return self.pod_last_update_time[key] + backoff_duration(attempts, self._initial, self._maximum)

    def clear(self, key: str) -> None:
        """Forget the pod's failures (ClearPodBackoff)."""
        self.pod_attempts.pop(key, None)
        self.pod_last_update_time.pop(key, None)

    def _cleanup(self) -> None:
        """(CleanupPodsCompletesBackingoff.)"""
        oldest = self._now() - 2 * self._maximum
        late = []
        for key, updated in self.pod_last_update_time.items():
            if updated >= oldest:
                break
            late.append(key)
        for key in late:
            self.clear(key)


class AttemptsBackoff:
    """That of v1.20: from the attempts and the timestamp that go with the pod; nothing ever sets them back."""

    def __init__(self, now: Now, initial: int, maximum: int) -> None:
        self._initial, self._maximum = initial, maximum

    def failed(self, queued: QueuedPodInfo) -> None:
        """The attempt was counted when the pod was popped."""

    def end(self, queued: QueuedPodInfo) -> int:
        """When the pod's backoff ends (getBackoffTime)."""
        return queued.timestamp + backoff_duration(queued.attempts, self._initial, self._maximum)

    def clear(self, key: str) -> None:
        """A changed pod keeps its attempts."""
