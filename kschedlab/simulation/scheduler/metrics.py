"""The scheduler's metrics, under their real names. Durations are those of the virtual clock.

v1.37: pkg/scheduler/metrics/metrics.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily

from kschedlab.objects.meta import SECOND

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would show wall-clock times

SCHEDULED, UNSCHEDULABLE, ERROR = "scheduled", "unschedulable", "error"

Numbers = Callable[[], Mapping[str, int]]


def _buckets(start: float, count: int) -> list[float]:
    """Exponential upper bounds with factor 2."""
    return [start * 2**power for power in range(count)]


class ComputedGauge:
    """Gauges whose values are computed when the metrics are read."""

    def __init__(self, name: str, text: str, label: str, numbers: Numbers) -> None:
        self._name, self._text, self._label, self._numbers = name, text, label, numbers

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The current values."""
        family = GaugeMetricFamily(self._name, self._text, labels=[self._label])
        for value, number in self._numbers().items():
            family.add_metric([value], number)
        yield family


class Metrics:
    """The scheduler's metrics in a registry of their own.

    ``pending``: returns the number of pods in each part of the queue; ``cached``: of nodes, pods and assumed pods in
    the cache. Both are called when the metrics are read.
    """

    def __init__(self, pending: Numbers, cached: Numbers) -> None:
        self.registry = registry = CollectorRegistry()
        registry.register(
            ComputedGauge("scheduler_pending_pods", "Number of pending pods, by the queue.", "queue", pending)
        )
        registry.register(
            ComputedGauge("scheduler_cache_size", "Number of nodes and pods in the cache.", "type", cached)
        )
        attempts = Counter(
            "scheduler_schedule_attempts_total",
            "Number of attempts to schedule pods, by the result.",
            ["result", "profile"],
            registry=registry,
        )
        durations = Histogram(
            "scheduler_scheduling_attempt_duration_seconds",
            "Scheduling attempt latency (scheduling algorithm + binding).",
            ["result", "profile"],
            buckets=_buckets(0.001, 15),
            registry=registry,
        )
        incoming = Counter(
            "scheduler_queue_incoming_pods_total",
            "Number of pods added to scheduling queues by event and queue type.",
            ["queue", "event"],
            registry=registry,
        )
        waits = Histogram(
            "scheduler_permit_wait_duration_seconds",
            "Duration of waiting on permit.",
            ["result"],
            buckets=_buckets(0.001, 15),
            registry=registry,
        )
        sli = Histogram(
            "scheduler_pod_scheduling_sli_duration_seconds",
            "Latency of a pod being scheduled, from the time it enters the queue, over all attempts.",
            ["attempts"],
            buckets=_buckets(0.01, 20),
            registry=registry,
        )
        self._tries = Histogram(
            "scheduler_pod_scheduling_attempts",
            "Number of attempts to successfully schedule a pod.",
            buckets=_buckets(1, 5),
            registry=registry,
        )
        self.preemption_attempts = Counter(
            "scheduler_preemption_attempts_total", "Total preemption attempts till now.", registry=registry
        )
        self._victims = Histogram(
            "scheduler_preemption_victims",
            "Number of selected preemption victims.",
            buckets=_buckets(1, 7),
            registry=registry,
        )
        goroutines = Gauge(
            "scheduler_goroutines",
            "Number of running tasks split by the work they do such as binding.",
            ["operation"],
            registry=registry,
        )
        self.binding = goroutines.labels("binding")
        self._attempts = lru_cache(attempts.labels)
        self._durations = lru_cache(durations.labels)
        self._incoming = lru_cache(incoming.labels)
        self._waits = lru_cache(waits.labels)
        self._sli = lru_cache(sli.labels)

    def attempted(self, result: str, profile: str, duration: int) -> None:
        """An attempt to schedule a pod ended after ``duration`` microseconds."""
        self._attempts(result, profile).inc()
        self._durations(result, profile).observe(duration / SECOND)

    def scheduled(self, attempts: int, duration: int) -> None:
        """A pod was bound after ``attempts`` attempts and ``duration`` microseconds."""
        self._tries.observe(attempts)
        self._sli("15+" if attempts >= 15 else str(attempts)).observe(duration / SECOND)

    def entered_queue(self, queue: str, event: str) -> None:
        """A pod entered that part of the queue because of the event."""
        self._incoming(queue, event).inc()

    def waited(self, result: str, duration: int) -> None:
        """A pod waited on Permit for ``duration`` microseconds."""
        self._waits(result).observe(duration / SECOND)

    def preempted(self, victims: int) -> None:
        """Preemption chose this number of victims."""
        self._victims.observe(victims)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self.registry)
