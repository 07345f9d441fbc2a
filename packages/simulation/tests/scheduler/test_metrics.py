"""The metrics have their real names and the right values."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kschedlab.build import node, pod
from kschedlab.plugins.framework import Plugin, Wait
from kschedlab_simulation.scheduler.metrics import Metrics
from packages.simulation.tests.plane import Plane

SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}
PROFILE = ("profile", "default-scheduler")


def numbers(plane: Plane) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample by name and labels, except histogram buckets."""
    text = plane.scheduler.context.metrics.text().decode()
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {(one.name, frozenset(one.labels.items())): one.value for one in samples if "le" not in one.labels}


def number(plane: Plane, name: str, *labels: tuple[str, str]) -> float:
    return numbers(plane).get((f"scheduler_{name}", frozenset(labels)), 0)


def test_attempts_and_durations_by_result() -> None:
    plane = Plane(node("n1", allocatable=SMALL))
    plane.create(pod("fits"), pod("big", cpu="5"))
    plane.run()
    for result in ("scheduled", "unschedulable"):
        labels = (PROFILE, ("result", result))
        assert number(plane, "schedule_attempts_total", *labels) == 1
        assert number(plane, "scheduling_attempt_duration_seconds_count", *labels) == 1
    seconds = number(plane, "scheduling_attempt_duration_seconds_sum", PROFILE, ("result", "scheduled"))
    assert seconds == 0.003, "a cycle of one millisecond and a binding of two, by the virtual clock"
    assert number(plane, "goroutines", ("operation", "binding")) == 0, "its binding has ended"


def test_errors_are_counted_separately() -> None:
    class Broken(Plugin):
        def reserve(self, pod: object, node: str) -> None:
            raise ValueError

    plane = Plane(node("n1"), plugins=[Broken()])
    plane.create(pod("web"))
    plane.run(0.5)
    assert number(plane, "schedule_attempts_total", PROFILE, ("result", "error")) == 1


def test_pending_and_incoming_pods() -> None:
    plane = Plane(node("n1", allocatable=SMALL))
    plane.create(pod("big", cpu="5"), pod("gated", schedulingGates=[{"name": "wait"}]))
    plane.run()
    assert number(plane, "pending_pods", ("queue", "unschedulable")) == 1
    assert number(plane, "pending_pods", ("queue", "gated")) == 1
    assert number(plane, "pending_pods", ("queue", "active")) == 0
    incoming = "queue_incoming_pods_total"
    assert number(plane, incoming, ("queue", "active"), ("event", "UnscheduledPodAdd")) == 1
    assert number(plane, incoming, ("queue", "unschedulable"), ("event", "ScheduleAttemptFailure")) == 1


def test_preemption_and_attempts_per_pod() -> None:
    plane = Plane(
        node("n1", allocatable=SMALL),
        pod("a", "n1", cpu="500m"),
        pod("b", "n1", cpu="500m"),
    )
    plane.create(pod("high", cpu="1", priority=9))
    plane.run()
    plane.delete("a", grace=0)
    plane.delete("b", grace=0)
    plane.run(5)
    assert plane.where() == {"high": "n1"}
    assert number(plane, "preemption_attempts_total") == 1
    assert number(plane, "preemption_victims_sum") == 2
    assert number(plane, "pod_scheduling_attempts_sum") == 2
    assert number(plane, "pod_scheduling_sli_duration_seconds_count", ("attempts", "2")) == 1


@pytest.mark.parametrize("generation", ["v1.13", "v1.16", "v1.20", "v1.37"])
def test_the_victims_are_counted_in_every_version(generation: str) -> None:
    running = (pod(name, "n1", cpu="500m") for name in "ab")
    plane = Plane(node("n1", allocatable=SMALL), *running, generation=generation)
    plane.create(pod("high", cpu="1", priority=9))
    plane.run(1)
    assert number(plane, "preemption_victims_sum") == 2


def test_cache_size_and_running_bindings() -> None:
    class Slow(Plugin):
        def permit(self, pod: object, node: str) -> Wait:
            return Wait(10)

    plane = Plane(node("n1"), plugins=[Slow()])
    plane.create(pod("web"))
    plane.run(5)
    assert number(plane, "goroutines", ("operation", "binding")) == 1
    assert number(plane, "cache_size", ("type", "nodes")) == 1
    assert number(plane, "cache_size", ("type", "assumed_pods")) == 1
    plane.run(6)
    waited = number(plane, "permit_wait_duration_seconds_sum", ("result", "Unschedulable"))
    assert waited == 9.998, "ten seconds, of which two milliseconds went to writing the nomination"


def test_the_text_is_in_the_format_that_prometheus_reads() -> None:
    """With buckets that add up, and labels that may hold anything."""
    metrics = Metrics(lambda: {"active": 3}, lambda: {"nodes": 1})
    for milliseconds in (0, 1000, 1001, 2000, 9000):
        metrics.waited("a", milliseconds * 1000)
    metrics.entered_queue("active", 'say "hi"\\n\n')
    found = {family.name: family for family in text_string_to_metric_families(metrics.text().decode())}
    waits = found["scheduler_permit_wait_duration_seconds"]
    counts = {one.labels["le"]: one.value for one in waits.samples if "le" in one.labels}
    assert (waits.type, len(counts)) == ("histogram", 16)
    assert (counts["0.001"], counts["0.512"], counts["1.024"], counts["2.048"]) == (1, 1, 3, 4)
    assert (counts["+Inf"], counts["16.384"], waits.samples[-2].value, waits.samples[-1].value) == (5, 5, 5, 13.001)
    (incoming,) = found["scheduler_queue_incoming_pods"].samples
    assert incoming.labels == {"queue": "active", "event": 'say "hi"\\n\n'} and incoming.value == 1
    assert [one.value for one in found["scheduler_pending_pods"].samples] == [3]
    assert {family.type for family in found.values()} == {"gauge", "counter", "histogram"}
    assert [one.value for one in found["scheduler_preemption_victims"].samples[-2:]] == [0, 0]


BUCKETS = {
    "scheduling_attempt_duration_seconds": (0.001, 15),
    "permit_wait_duration_seconds": (0.001, 15),
    "pod_scheduling_sli_duration_seconds": (0.01, 20),
    "pod_scheduling_attempts": (1, 5),
    "preemption_victims": (1, 7),
}
"""The first bound of each histogram, and how many there are (v1.37: pkg/scheduler/metrics/metrics.go)."""


def test_each_bound_of_a_histogram_is_twice_the_one_before() -> None:
    metrics = Metrics(dict, dict)
    metrics.attempted("scheduled", "p", 0)
    metrics.waited("a", 0)
    metrics.scheduled(1, 0)
    bounds: dict[str, list[float]] = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        if family.type == "histogram":
            bounds[family.name.removeprefix("scheduler_")] = [
                float(each.labels["le"]) for each in family.samples if each.labels.get("le", "+Inf") != "+Inf"
            ]
    assert {name: pytest.approx(each) for name, each in bounds.items()} == {
        name: [first * 2**i for i in range(count)] for name, (first, count) in BUCKETS.items()
    }


@pytest.mark.parametrize(("attempts", "label"), [(1, "1"), (14, "14"), (15, "15+"), (99, "15+")])
def test_many_attempts_share_a_label(attempts: int, label: str) -> None:
    metrics = Metrics(dict, dict)
    metrics.scheduled(attempts, 0)
    assert f'scheduler_pod_scheduling_sli_duration_seconds_count{{attempts="{label}"}} 1' in metrics.text().decode()


def test_metrics_do_not_depend_on_the_wall_clock() -> None:
    def text() -> bytes:
        plane = Plane(node("n1"))
        plane.create(pod("web"))
        plane.run()
        return plane.scheduler.context.metrics.text()

    assert text() == text()
