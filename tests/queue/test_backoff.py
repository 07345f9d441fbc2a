"""In which order pods leave backoff.

v1.37: pkg/scheduler/backend/queue/backoff_queue_test.go, TestBackoffQueueOrdering, has these pods. Its second case
keeps the whole seconds that its first case has set, so it is the third one here.
"""

import pytest

from kschedlab.objects.model import ObjectMeta, Pod, PodSpec
from kschedlab.queue.backoff import Backoff
from kschedlab.queue.queued_pod import QueuedPodInfo

SECOND = 1_000_000
NOW = 1_000_000 * SECOND
PODS = (("pod0", 1, 0), ("pod1", 1, -1), ("pod2", 2, -1.999), ("pod3", 1, -2), ("pod4", 2, -2), ("pod5", 1, -3))


def order(window: int, rejected: bool) -> list[str]:
    """The pods whose backoff has ended, as they leave."""
    backoff = Backoff(SECOND, 10 * SECOND, window=window)
    for sequence, (name, priority, seconds) in enumerate(PODS):
        pod = Pod(metadata=ObjectMeta(name=name, namespace="default"), spec=PodSpec(priority=priority))
        queued = QueuedPodInfo(pod, NOW + round(seconds * SECOND), sequence, unschedulable_count=1)
        queued.unschedulable_plugins = {"plugin"} if rejected else set()
        backoff.set(queued)
        backoff.add_or_update(queued)
    return [each.pod.metadata.name for each in backoff.pop_completed(NOW)]


@pytest.mark.parametrize(
    ("window", "rejected", "expected"),
    [
        (SECOND, True, ["pod5", "pod4", "pod2", "pod3"]),
        (1, True, ["pod5", "pod4", "pod3", "pod2"]),
        (SECOND, False, ["pod5", "pod3", "pod4", "pod2"]),
    ],
    ids=["of one second, as in the active queue", "without the gate, as in the heap", "after errors, as in the heap"],
)
def test_pods_whose_backoff_ends_together(window: int, rejected: bool, expected: list[str]) -> None:
    assert order(window, rejected) == expected
