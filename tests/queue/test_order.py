"""The order of the active queue."""

from msgspec.structs import replace

from kschedlab.build import cluster, pod as manifest
from kschedlab.objects.model import ObjectMeta, Pod, Time
from kschedlab.queue.order import active_q_comp, pod_timestamp, queue_order
from kschedlab.queue.queued_pod import QueuedPodInfo
from tests.queue.pods import moment, pod, scheduled


def test_an_untried_pod_has_its_creation_time() -> None:
    assert pod_timestamp(pod("a", created=3)) == moment(3)


def test_a_tried_pod_has_its_probe_time_or_else_its_transition_time() -> None:
    tried = pod("a", created=3)
    assert pod_timestamp(scheduled(tried, lastTransitionTime=moment(5), lastProbeTime=moment(9))) == moment(9)
    assert pod_timestamp(scheduled(tried, lastTransitionTime=moment(5))) == moment(5)


def test_a_condition_without_times_is_older_than_everything() -> None:
    """In Go a time that is not set is the first moment of the year 1."""
    zero = int(Time.parse("0001-01-01T00:00:00Z"))
    assert pod_timestamp(scheduled(pod("a", created=3))) == zero
    assert pod_timestamp(Pod(metadata=ObjectMeta(name="never created"))) == zero


def test_priority_comes_first_then_the_earlier_time() -> None:
    assert active_q_comp(pod("a", 10, created=9), pod("b", 5, created=1))
    assert active_q_comp(pod("a", 5, created=1), pod("b", 5, created=9))
    assert not active_q_comp(pod("a", 5, created=9), pod("b", 5, created=1))
    assert not active_q_comp(pod("a", 5, created=1), pod("b", 5, created=1))


def test_no_priority_is_priority_zero() -> None:
    none = pod("a", created=1)
    none = replace(none, spec=replace(none.spec, priority=None))
    assert active_q_comp(none, pod("b", 0, created=2))
    assert active_q_comp(none, pod("b", -1))
    assert QueuedPodInfo(none, 0).rank == QueuedPodInfo(pod("b", 0), 0).rank
    assert not active_q_comp(none, pod("b", 1, created=2))


def test_pending_pods_are_taken_by_priority_then_by_creation() -> None:
    made = [
        manifest(name, priority=priority) for name, priority in (("late", 0), ("early", 0), ("vip", 9), ("none", 0))
    ]
    for each, created in zip(
        made, ("2024-01-02T00:00:00Z", "2024-01-01T00:00:00Z", "2024-01-03T00:00:00Z"), strict=False
    ):
        each["metadata"]["creationTimestamp"] = created
    world = cluster(*made, manifest("ends", deleted="2024-01-01T00:00:00Z"))
    assert [each.key for each in queue_order(world.pending.values())] == [
        "default/vip",
        "default/none",
        "default/early",
        "default/late",
    ]
