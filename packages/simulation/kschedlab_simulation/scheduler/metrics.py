"""The scheduler's metrics, under their real names. Durations are those of the virtual clock.

v1.37: pkg/scheduler/metrics/metrics.go. The text is in Prometheus' exposition format, version 0.0.4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

from kschedlab.objects.meta import SECOND

SCHEDULED, UNSCHEDULABLE, ERROR = "scheduled", "unschedulable", "error"

Numbers = Callable[[], Mapping[str, int]]
"""Computes a gauge's values, by its only label, when the metrics are read."""


def _buckets(start: float, count: int) -> list[float]:
    """Exponential upper bounds with factor 2."""
    return [start * 2**power for power in range(count)]


class Metric:
    """Numbers under one name, by the values of their labels."""

    kind = "counter"

    def __init__(self, name: str, text: str, *labels: str) -> None:
        self.name, self.text, self.labels = f"scheduler_{name}", text, labels
        self.values: dict[tuple[str, ...], float] = {} if labels else {(): 0.0}

    def add(self, *labels: str, amount: float = 1) -> None:
        """Add to the number with these labels."""
        self.values[labels] = self.values.get(labels, 0.0) + amount

    def lines(self) -> Iterator[str]:
        """The metric in Prometheus' text format."""
        yield f"# HELP {self.name} {self.text}"
        yield f"# TYPE {self.name} {self.kind}"
        yield from self.samples()

    def samples(self) -> Iterator[str]:
        """One line for each number."""
        for labels, value in list(self.values.items()):
            yield _sample(self.name, zip(self.labels, labels, strict=True), value)


class Gauge(Metric):
    """A metric whose numbers rise and fall."""

    kind = "gauge"


class ComputedGauge(Metric):
    """A gauge that is computed when the metrics are read."""

    kind = "gauge"

    def __init__(self, name: str, text: str, label: str, numbers: Numbers) -> None:
        super().__init__(name, text, label)
        self.numbers = numbers

    def samples(self) -> Iterator[str]:
        """One line for each number."""
        self.values = {(value,): number for value, number in self.numbers().items()}
        return super().samples()


class Histogram(Metric):
    """Counts of observations up to each bound, and the observations' sum."""

    kind = "histogram"

    def __init__(self, name: str, text: str, *labels: str, bounds: list[float]) -> None:
        super().__init__(name, text, *labels)
        self.bounds = bounds
        self.counts: dict[tuple[str, ...], list[int]] = {} if labels else {(): [0] * (len(bounds) + 1)}

    def observe(self, value: float, *labels: str) -> None:
        counts = self.counts.setdefault(labels, [0] * (len(self.bounds) + 1))
        counts[bisect_left(self.bounds, value)] += 1
        self.add(*labels, amount=value)

    def samples(self) -> Iterator[str]:
        """For each set of labels, a line for each bound, the count and the sum."""
        bounds = [*map(_number, self.bounds), "+Inf"]
        for labels, counts in list(self.counts.items()):
            named = list(zip(self.labels, labels, strict=True))
            for bound, count in zip(bounds, accumulate(counts), strict=True):
                yield _sample(f"{self.name}_bucket", [*named, ("le", bound)], count)
            yield _sample(f"{self.name}_count", named, sum(counts))
            yield _sample(f"{self.name}_sum", named, self.values[labels])


def _sample(name: str, labels: Iterable[tuple[str, str]], value: float) -> str:
    pairs = ",".join(f'{label}="{_escaped(text)}"' for label, text in sorted(labels))
    return f"{name}{{{pairs}}} {_number(value)}" if pairs else f"{name} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return repr(float(value))


class Metrics:
    """All metrics of one scheduler.

    ``pending``: returns the number of pods in each part of the queue; ``cached``: of nodes, pods and assumed pods in
    the cache. Both are called when the metrics are read.
    """

    def __init__(self, pending: Numbers, cached: Numbers) -> None:
        pending_pods = ComputedGauge("pending_pods", "Number of pending pods, by the queue.", "queue", pending)
        sizes = ComputedGauge("cache_size", "Number of nodes and pods in the cache.", "type", cached)
        self._attempts = Metric(
            "schedule_attempts_total", "Number of attempts to schedule pods, by the result.", "result", "profile"
        )
        self._durations = Histogram(
            "scheduling_attempt_duration_seconds",
            "Scheduling attempt latency (scheduling algorithm + binding).",
            "result",
            "profile",
            bounds=_buckets(0.001, 15),
        )
        self._incoming = Metric(
            "queue_incoming_pods_total",
            "Number of pods added to scheduling queues by event and queue type.",
            "queue",
            "event",
        )
        self._waits = Histogram(
            "permit_wait_duration_seconds", "Duration of waiting on permit.", "result", bounds=_buckets(0.001, 15)
        )
        self._sli = Histogram(
            "pod_scheduling_sli_duration_seconds",
            "Latency of a pod being scheduled, from the time it enters the queue, over all attempts.",
            "attempts",
            bounds=_buckets(0.01, 20),
        )
        self._tries = Histogram(
            "pod_scheduling_attempts",
            "Number of attempts to successfully schedule a pod.",
            bounds=_buckets(1, 5),
        )
        self._preemptions = Metric("preemption_attempts_total", "Total preemption attempts till now.")
        self._victims = Histogram("preemption_victims", "Number of selected preemption victims.", bounds=_buckets(1, 7))
        self._goroutines = Gauge(
            "goroutines", "Number of running tasks split by the work they do such as binding.", "operation"
        )
        self.binding(0)
        self._all: tuple[Metric, ...] = (
            pending_pods,
            sizes,
            self._attempts,
            self._durations,
            self._incoming,
            self._waits,
            self._sli,
            self._tries,
            self._preemptions,
            self._victims,
            self._goroutines,
        )

    def attempted(self, result: str, profile: str, duration: int) -> None:
        """An attempt to schedule a pod ended after ``duration`` microseconds."""
        self._attempts.add(result, profile)
        self._durations.observe(duration / SECOND, result, profile)

    def scheduled(self, attempts: int, duration: int) -> None:
        """A pod was bound after ``attempts`` attempts and ``duration`` microseconds."""
        self._tries.observe(attempts)
        self._sli.observe(duration / SECOND, "15+" if attempts >= 15 else str(attempts))

    def entered_queue(self, queue: str, event: str) -> None:
        """A pod entered that part of the queue because of the event."""
        self._incoming.add(queue, event)

    def waited(self, result: str, duration: int) -> None:
        """A pod waited on Permit for ``duration`` microseconds."""
        self._waits.observe(duration / SECOND, result)

    def preempting(self) -> None:
        """Preemption is tried for a pod."""
        self._preemptions.add()

    def preempted(self, victims: int) -> None:
        """Preemption chose this number of victims."""
        self._victims.observe(victims)

    def binding(self, change: int) -> None:
        """The number of running binding cycles changes."""
        self._goroutines.add("binding", amount=change)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return "".join(f"{line}\n" for metric in self._all for line in metric.lines()).encode()
