"""How long a failed pod waits before its next attempt: 1 s, doubled each time, up to 10 s.

v1.16 counts failures by the pod's name: pkg/scheduler/internal/queue/pod_backoff.go. v1.20 computes the backoff from
the queued pod's attempts: pkg/scheduler/internal/queue/scheduling_queue.go (getBackoffTime).
"""

from __future__ import annotations

from typing import Protocol

from kschedlab.queue.interface import Now
from kschedlab.queue.older.queued_pod import QueuedPodInfo
from kschedlab.queue.order import ZERO


class PodBackoff(Protocol):
    """Computes when a pod's backoff ends."""

    def failed(self, queued: QueuedPodInfo) -> None:
        """The pod's attempt has just failed."""
        ...

    def end(self, queued: QueuedPodInfo) -> int:
        """When its backoff ends, in microseconds since 1970."""
        ...

    def clear(self, key: str) -> None:
        """Clear the backoff of the pod ``namespace/name``: it is deleted or has changed."""
        ...


def backoff_duration(attempts: int, initial: int, maximum: int) -> int:
    """Microseconds of backoff after this many attempts (calculateBackoffDuration)."""
    duration = initial
    for _ in range(1, attempts):
        duration *= 2
        if duration > maximum:
            return maximum
    return duration


class PodBackoffMap:
    """Backoff by name (v1.16): a pod that is deleted and recreated with the same name keeps its backoff.

    ``pod_attempts``: failures, except those during an earlier backoff. ``pod_last_update_time``: when the last one was
    counted, oldest first. Entries older than twice the maximum are removed when the next pod fails.
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
        """When the pod's backoff ends; Go's zero time if it has none."""
        return self.end_of(queued.key)

    def end_of(self, key: str) -> int:
        """When the backoff of the pod ``namespace/name`` ends; Go's zero time if it has none (GetBackoffTime)."""
        attempts = self.pod_attempts.get(key)
        if attempts is None:
            return ZERO
        return self.pod_last_update_time[key] + backoff_duration(attempts, self._initial, self._maximum)

    def clear(self, key: str) -> None:
        """Forget the pod's failures (ClearPodBackoff)."""
        self.pod_attempts.pop(key, None)
        self.pod_last_update_time.pop(key, None)

    def _cleanup(self) -> None:
        """Remove old entries (CleanupPodsCompletesBackingoff)."""
        oldest = self._now() - 2 * self._maximum
        stale = []
        for key, updated in self.pod_last_update_time.items():
            if updated >= oldest:
                break
            stale.append(key)
        for key in stale:
            self.clear(key)


class AttemptsBackoff:
    """Backoff from the queued pod's attempts and timestamp (v1.20); nothing resets the attempts."""

    def __init__(self, now: Now, initial: int, maximum: int) -> None:
        self._initial, self._maximum = initial, maximum

    def failed(self, queued: QueuedPodInfo) -> None:
        """Nothing to do: the attempt was counted when the pod was popped."""

    def end(self, queued: QueuedPodInfo) -> int:
        """When the pod's backoff ends (getBackoffTime)."""
        return queued.timestamp + backoff_duration(queued.attempts, self._initial, self._maximum)

    def clear(self, key: str) -> None:
        """A changed pod keeps its attempts."""
