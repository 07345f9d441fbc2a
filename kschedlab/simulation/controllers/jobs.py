"""What a Job does next, and when it is done.

v1.37: pkg/controller/job/job_controller.go (syncJob, manageJob), backoff_utils.go. Only Jobs without indices, policies
and suspension are known; finished pods are remembered by their uids instead of by a finalizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Condition, Job, JobStatus, Pod, Time
from kschedlab.simulation.controllers.replicas import oldest_last, pod_from, template_of
from kschedlab.simulation.controllers.writes import Create, Delete, UpdateStatus, Write
from kschedlab.simulation.pods import READY, TERMINAL, condition_of, is_active

BATCH_PERIOD = SECOND
"""What happens to a Job's pods is looked at once in this time."""

FIRST_BACKOFF, LONGEST_BACKOFF = 10 * SECOND, 600 * SECOND
BACKOFF_LIMIT, BURST = 6, 500
NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")
UID_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")


@dataclass(frozen=True)
class Record:
    """What is remembered of a Job's pods.

    ``counted``: the uids of those that its status counts; ``failures``: how many failed after the last success, the
    last of them at ``failed_at``.
    """

    counted: dict[str, None] = field(default_factory=dict)
    failures: int = 0
    failed_at: int = 0

    def remaining(self, now: int) -> int:
        """Microseconds until pods may be made again."""
        if not self.failures:
            return 0
        wait = min(FIRST_BACKOFF << min(self.failures - 1, 10), LONGEST_BACKOFF)
        return max(0, wait - (now - self.failed_at))


@dataclass(frozen=True)
class Step:
    """The writes, what is to be remembered once they are made, and in how many microseconds to look again (0: not)."""

    writes: list[Write]
    record: Record
    again: int = 0


def is_finished(job: Job) -> bool:
    """Whether the Job is complete or has failed for good."""
    return any(each.type in ("Complete", "Failed") and each.status == "True" for each in job.status.conditions)


def first_record(job: Job, pods: Sequence[Pod]) -> Record:
    """What is known of a Job that is seen for the first time: its status may count pods that have ended already."""
    counts = job.status.succeeded or job.status.failed
    return Record({pod.metadata.uid: None for pod in pods if counts and pod.status.phase in TERMINAL})


def next_step(job: Job, pods: Sequence[Pod], record: Record, now: int, settled: bool = True) -> Step:
    """``pods``: all of the Job's, those that have just vanished included; ``settled``: whether what was made and
    deleted before has been seen, without which nothing more is made or deleted.
    """
    if is_finished(job):
        return Step([], record)
    fresh = [pod for pod in pods if pod.metadata.uid not in record.counted]
    succeeded = [pod for pod in fresh if pod.status.phase == "Succeeded"]
    failed = [pod for pod in fresh if _has_failed(pod)]
    record = _recorded(record, succeeded, failed)
    status = replace(
        job.status,
        succeeded=job.status.succeeded + len(succeeded),
        failed=job.status.failed + len(failed),
        startTime=job.status.startTime or Time.second(now),
    )
    active = [pod for pod in pods if is_active(pod)]
    writes: list[Write] = []
    again = 0
    limit = BACKOFF_LIMIT if job.spec.backoffLimit is None else job.spec.backoffLimit
    if status.failed > limit:
        writes = [Delete(pod) for pod in active]
        status = _ended(status, now, "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    elif settled and job.metadata.deletionTimestamp is None:
        writes, again = _manage(job, status, active, record, now)
    count = len(active) + sum(1 if isinstance(write, Create) else -1 for write in writes)
    status = replace(status, active=count)
    if not is_finished(replace(job, status=status)) and _is_complete(job, status):
        message = "Reached expected number of succeeded pods"
        status = _ended(status, now, "Complete", "CompletionsReached", message)
    if status != job.status:
        writes.append(UpdateStatus(replace(job, status=status)))
    return Step(writes, record, again)


def _manage(job: Job, status: JobStatus, active: Sequence[Pod], record: Record, now: int) -> tuple[list[Write], int]:
    """(pods to make or to delete, in how many microseconds pods may be made that can't be now)."""
    template = template_of(job)
    if template is None:
        return [], 0
    missing = _wanted(job, status, len(active)) - len(active)
    if missing < 0:
        return [Delete(pod) for pod in oldest_last(active, min(-missing, BURST))], 0
    if missing and (wait := record.remaining(now)):
        return [], wait
    labels = dict.fromkeys(NAME_LABELS, job.metadata.name) | dict.fromkeys(UID_LABELS, job.metadata.uid)
    return [Create(pod_from(job, template, labels))] * min(missing, BURST), 0


def _wanted(job: Job, status: JobStatus, active: int) -> int:
    """How many pods should be active."""
    parallelism = 1 if job.spec.parallelism is None else job.spec.parallelism
    completions = _completions(job)
    if completions is None:
        return active if status.succeeded else parallelism
    return max(0, min(completions - status.succeeded, parallelism))


def _completions(job: Job) -> int | None:
    """None: one success is enough. One is the default where neither this nor the parallelism is given."""
    return 1 if job.spec.completions is None and job.spec.parallelism is None else job.spec.completions


def _is_complete(job: Job, status: JobStatus) -> bool:
    completions = _completions(job)
    enough = status.succeeded > 0 if completions is None else status.succeeded >= completions
    return enough and status.active == 0


def _ended(status: JobStatus, now: int, type: str, reason: str, message: str) -> JobStatus:
    """The conditions that end a Job come in two steps, the first for whoever waits for its pods; here both at once."""
    first = "SuccessCriteriaMet" if type == "Complete" else "FailureTarget"
    ends = tuple(
        Condition(each, "True", reason, message, lastTransitionTime=Time.second(now)) for each in (first, type)
    )
    completed = Time.second(now) if type == "Complete" else None
    return replace(status, conditions=(*status.conditions, *ends), completionTime=completed)


# -- failures


def _has_failed(pod: Pod) -> bool:
    """A pod that is deleted before it has succeeded counts as one that failed."""
    phase = pod.status.phase
    return phase == "Failed" or (pod.metadata.deletionTimestamp is not None and phase != "Succeeded")


def _recorded(record: Record, succeeded: Sequence[Pod], failed: Sequence[Pod]) -> Record:
    """Counts these pods too; failures before the last success are forgiven (newBackoffRecord)."""
    if not succeeded and not failed:
        return record
    counted = record.counted | {pod.metadata.uid: None for pod in (*succeeded, *failed)}
    since = max(map(_finished_at, succeeded)) if succeeded else None
    times = [moment for moment in map(_finished_at, failed) if since is None or moment > since]
    failures = (record.failures if since is None else 0) + len(times)
    return Record(counted, failures, max(times) if times else record.failed_at if since is None else 0)


def _finished_at(pod: Pod) -> int:
    """When the pod ended, by what is known: its containers, its Ready condition, its deletion, its creation."""
    ends = [status.state.terminated for status in pod.status.containerStatuses]
    moments = [end.finishedAt for end in ends if end is not None and end.finishedAt is not None]
    if ends and len(moments) == len(ends):
        return max(moments)
    ready = condition_of(pod.status.conditions, READY)
    if ready is not None and ready.status == "False" and ready.lastTransitionTime is not None:
        return ready.lastTransitionTime
    if pod.metadata.deletionTimestamp is not None:
        return pod.metadata.deletionTimestamp - (pod.metadata.deletionGracePeriodSeconds or 0) * SECOND
    return pod.metadata.creationTimestamp or 0
