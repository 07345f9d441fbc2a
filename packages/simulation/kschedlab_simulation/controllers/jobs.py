"""Computes a Job's next writes, and when it is finished.

v1.37: pkg/controller/job/job_controller.go (syncJob, manageJob), backoff_utils.go. Jobs with indices or policies
are not modelled; finished pods are tracked by uid instead of by a finalizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace as replace_record

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Condition, Job, JobStatus, Pod, Time
from kschedlab_simulation.controllers.replicas import job_pods_to_delete, pod_from, template_of
from kschedlab_simulation.controllers.writes import Create, Delete, RecordEvent, UpdateStatus, Write
from kschedlab_simulation.pods import READY, TERMINAL, condition_of, is_active, is_ready

BATCH_PERIOD = SECOND
"""Microseconds for which a Job batches changes of its pods (syncJobBatchPeriod)."""

BASE_BACKOFF, MAX_BACKOFF = 10 * SECOND, 600 * SECOND
BACKOFF_LIMIT, BURST = 6, 500
NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")
UID_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")


@dataclass(frozen=True)
class JobRecord:
    """The controller's memory of a Job's pods.

    ``counted``: the uids that the status already counts or never will; ``failures``: how many pods failed after the
    last success, the latest of them at ``failed_at``.
    """

    counted: dict[str, None] = field(default_factory=dict)
    failures: int = 0
    failed_at: int = 0

    def remaining(self, now: int) -> int:
        """Microseconds until new pods may be created."""
        if not self.failures:
            return 0
        wait = min(BASE_BACKOFF << min(self.failures - 1, 10), MAX_BACKOFF)
        return max(0, wait - (now - self.failed_at))


@dataclass(frozen=True)
class JobSync:
    """The writes, the record to keep once they succeed, and microseconds until the next sync (0: none)."""

    writes: list[Write]
    record: JobRecord
    requeue_after: int = 0


def is_finished(job: Job) -> bool:
    """Whether the Job is complete or has permanently failed."""
    return any(
        condition.type in ("Complete", "Failed") and condition.status == "True" for condition in job.status.conditions
    )


def initial_record(job: Job, pods: Sequence[Pod]) -> JobRecord:
    """The record of a newly observed Job: its status may already count its finished pods."""
    counts = job.status.succeeded or job.status.failed
    return JobRecord({pod.metadata.uid: None for pod in pods if counts and pod.status.phase in TERMINAL})


def plan(job: Job, pods: Sequence[Pod], record: JobRecord, now: int, expectations_met: bool = True) -> JobSync:
    """``pods``: all of the Job's pods, including those just deleted; ``expectations_met``: whether the informers show
    the earlier creations and deletions; until then, no more follow.
    """
    if is_finished(job):
        return JobSync([], record)
    uncounted = [pod for pod in pods if pod.metadata.uid not in record.counted]
    succeeded = [pod for pod in uncounted if pod.status.phase == "Succeeded"]
    failed = [pod for pod in uncounted if _has_failed(pod)]
    record = _updated_record(record, succeeded, failed)
    status = replace(
        job.status,
        succeeded=job.status.succeeded + len(succeeded),
        failed=job.status.failed + len(failed),
        startTime=job.status.startTime or (None if job.spec.suspend else Time.whole_second(now)),
    )
    active = [pod for pod in pods if is_active(pod)]
    writes: list[Write] = []
    requeue_after, managed = 0, False
    backoff_limit = BACKOFF_LIMIT if job.spec.backoffLimit is None else job.spec.backoffLimit
    if status.failed > backoff_limit:
        writes = [Delete(pod) for pod in active]
        message = "Job has reached the specified backoff limit"
        status = _finished_status(status, now, "Failed", "BackoffLimitExceeded", message)
    elif managed := expectations_met and job.metadata.deletionTimestamp is None:
        writes, requeue_after = _manage(job, status, active, record, now)
        unwanted = {pod.metadata.uid: None for pod in active if Delete(pod) in writes}
        record = replace_record(record, counted=record.counted | unwanted)
    count = len(active) + sum(1 if isinstance(write, Create) else -1 for write in writes)
    terminating = sum(pod.metadata.deletionTimestamp is not None and pod.status.phase not in TERMINAL for pod in pods)
    status = replace(status, active=count, ready=sum(map(is_ready, active)), terminating=terminating)
    if not is_finished(replace(job, status=status)) and _is_complete(job, status):
        message = "Reached expected number of succeeded pods"
        status = _finished_status(status, now, "Complete", "CompletionsReached", message)
    elif managed:
        status = _suspended_or_resumed(job, status, now)
    if status != job.status:
        writes.append(UpdateStatus(replace(job, status=status)))
    if _is_suspended(status) != _is_suspended(job.status):
        reason = "Suspended" if job.spec.suspend else "Resumed"
        writes.append(RecordEvent(job, "Normal", reason, f"Job {reason.lower()}", "job-controller"))
    if is_finished(replace(job, status=status)):
        writes.append(_report(job, status.conditions[-1]))
    return JobSync(writes, record, requeue_after)


def _manage(job: Job, status: JobStatus, active: Sequence[Pod], record: JobRecord, now: int) -> tuple[list[Write], int]:
    """(pods to create or delete, microseconds until backoff allows more)."""
    template = template_of(job)
    if template is None:
        return [], 0
    if job.spec.suspend:
        return [Delete(pod) for pod in active], 0
    missing = _desired_active(job, status, len(active)) - len(active)
    if missing < 0:
        return [Delete(pod) for pod in job_pods_to_delete(active, min(-missing, BURST))], 0
    if missing and (wait := record.remaining(now)):
        return [], wait
    labels = dict.fromkeys(NAME_LABELS, job.metadata.name) | dict.fromkeys(UID_LABELS, job.metadata.uid)
    return [Create(pod_from(job, template, labels))] * min(missing, BURST), 0


def _desired_active(job: Job, status: JobStatus, active: int) -> int:
    """The desired number of active pods."""
    parallelism = 1 if job.spec.parallelism is None else job.spec.parallelism
    completions = _completions(job)
    if completions is None:
        return active if status.succeeded else parallelism
    return max(0, min(completions - status.succeeded, parallelism))


def _completions(job: Job) -> int | None:
    """None: one success is enough. Defaults to 1 if neither completions nor parallelism is set."""
    return 1 if job.spec.completions is None and job.spec.parallelism is None else job.spec.completions


def _suspended_or_resumed(job: Job, status: JobStatus, now: int) -> JobStatus:
    """The status once the Job's ``suspend`` has been followed: each resumption starts it anew."""
    if bool(job.spec.suspend) == _is_suspended(status):
        return status
    words, began = ("True", "JobSuspended", "Job suspended"), None
    if not job.spec.suspend:
        words, began = ("False", "JobResumed", "Job resumed"), Time.whole_second(now)
    others = tuple(condition for condition in status.conditions if condition.type != "Suspended")
    condition = Condition("Suspended", *words, lastTransitionTime=Time.whole_second(now))
    return replace(status, startTime=began, conditions=(*others, condition))


def _is_suspended(status: JobStatus) -> bool:
    return any(condition.type == "Suspended" and condition.status == "True" for condition in status.conditions)


def _is_complete(job: Job, status: JobStatus) -> bool:
    completions = _completions(job)
    enough = status.succeeded > 0 if completions is None else status.succeeded >= completions
    return enough and status.active == 0


def _finished_status(status: JobStatus, now: int, type: str, reason: str, message: str) -> JobStatus:
    """Add both final conditions at once; the real controller adds the second when the Job's pods have terminated."""
    first = "SuccessCriteriaMet" if type == "Complete" else "FailureTarget"
    terminations = tuple(
        Condition(condition, "True", reason, message, lastTransitionTime=Time.whole_second(now))
        for condition in (first, type)
    )
    completed = Time.whole_second(now) if type == "Complete" else None
    return replace(status, conditions=(*status.conditions, *terminations), completionTime=completed)


def _report(job: Job, end: Condition) -> RecordEvent:
    """The event that the Job has ended."""
    if end.type == "Complete":
        return RecordEvent(job, "Normal", "Completed", "Job completed", "job-controller")
    return RecordEvent(job, "Warning", end.reason, end.message, "job-controller")


# -- failures


def _has_failed(pod: Pod) -> bool:
    """A pod deleted before it succeeds counts as failed."""
    phase = pod.status.phase
    return phase == "Failed" or (pod.metadata.deletionTimestamp is not None and phase != "Succeeded")


def _updated_record(record: JobRecord, succeeded: Sequence[Pod], failed: Sequence[Pod]) -> JobRecord:
    """Count these pods too; a success resets the failures before it (newBackoffRecord)."""
    if not succeeded and not failed:
        return record
    counted = record.counted | {pod.metadata.uid: None for pod in (*succeeded, *failed)}
    last_success = max(map(_finished_at, succeeded)) if succeeded else None
    times = [moment for moment in map(_finished_at, failed) if last_success is None or moment > last_success]
    failures = (record.failures if last_success is None else 0) + len(times)
    return JobRecord(counted, failures, max(times, default=record.failed_at))


def _finished_at(pod: Pod) -> int:
    """When the pod ended: by its containers, else its Ready condition, else its deletion, else its creation."""
    terminations = [status.state.terminated for status in pod.status.containerStatuses]
    finish_times = [end.finishedAt for end in terminations if end is not None and end.finishedAt is not None]
    if terminations and len(finish_times) == len(terminations):
        return max(finish_times)
    ready = condition_of(pod.status.conditions, READY)
    if ready is not None and ready.status == "False" and ready.lastTransitionTime is not None:
        return ready.lastTransitionTime
    if pod.metadata.deletionTimestamp is not None:
        return pod.metadata.deletionTimestamp - (pod.metadata.deletionGracePeriodSeconds or 0) * SECOND
    return pod.metadata.creationTimestamp or 0
