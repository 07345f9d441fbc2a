"""CronJobs: a Job at each scheduled time.

v1.37: pkg/controller/cronjob/cronjob_controllerv2.go (syncCronJob), utils.go (mostRecentScheduleTime, getJobName). The
next time alone does not keep a simulation running: one that has settled before ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time, controller_of
from kschedlab.objects.model import CronJob, Job, ObjectMeta
from kschedlab_simulation.controllers.jobs import is_finished
from kschedlab_simulation.controllers.ownership import by_owner, owned_by
from kschedlab_simulation.controllers.replicas import reference_to
from kschedlab_simulation.controllers.schedules import Schedule, parse_schedule, time_zone
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue
from kschedlab_simulation.controllers.writes import Create, Delete, apply_writes
from kschedlab_simulation.events import Record
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError

NAME = "cronjob-controller"
Key: TypeAlias = tuple[str, str]


def due_time(owner: CronJob, now: int) -> int | None:
    """The latest scheduled time that has passed and has no Job yet; ValueError for an invalid schedule."""
    schedule = _schedule_of(owner)
    last = owner.status.lastScheduleTime or owner.metadata.creationTimestamp or 0
    deadline = owner.spec.startingDeadlineSeconds
    if deadline is not None:
        last = max(last, now - deadline * SECOND)
    due, moment = None, schedule.next(last)
    while moment is not None and moment <= now:
        due, moment = moment, schedule.next(moment)
    return due


def _schedule_of(owner: CronJob) -> Schedule:
    return parse_schedule(owner.spec.schedule, time_zone(owner.spec.timeZone))


def job_of(owner: CronJob, at: int) -> Job:
    """The Job of that time, named after the minute (getJobName)."""
    template = owner.spec.jobTemplate
    metadata = ObjectMeta(
        name=f"{owner.metadata.name}-{at // (60 * SECOND)}",
        namespace=owner.metadata.namespace,
        labels=template.metadata.labels,
        annotations=template.metadata.annotations | {"batch.kubernetes.io/cronjob-scheduled-timestamp": str(Time(at))},
        ownerReferences=(reference_to(owner),),
    )
    return Job(metadata=metadata, spec=template.spec)


def surplus(owner: CronJob, jobs: Sequence[Job]) -> list[Job]:
    """The oldest finished Jobs beyond the history limits (cleanupFinishedJobs)."""
    removed: list[Job] = []
    limits = {"Complete": owner.spec.successfulJobsHistoryLimit, "Failed": owner.spec.failedJobsHistoryLimit}
    for end, limit in limits.items():
        ended = [job for job in jobs if any((c.type, c.status) == (end, "True") for c in job.status.conditions)]
        ended.sort(key=lambda job: (job.status.startTime or math.inf, job.metadata.name))
        removed += ended[: max(0, len(ended) - limit)]
    return removed


class CronJobs:
    """The controller of all CronJobs."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        record: Record,
        latency: Latency,
    ) -> None:
        self._api = api
        self._record = record
        self._shared_informers = informers
        self._owners = informers.of(CronJob)
        self._jobs = by_owner(informers, Job)
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        """Begin to watch."""
        self._owners.add_handler(self._changed, lambda _, owner: self._changed(owner), lambda _: None)
        self._jobs.add_handler(lambda _: None, lambda _, job: self._job_changed(job), self._job_changed)
        self._queue.start(self._shared_informers.synced)

    def _changed(self, owner: CronJob) -> None:
        self._queue.add((owner.metadata.namespace, owner.metadata.name))

    def _job_changed(self, job: Job) -> None:
        for owner in job.metadata.ownerReferences:
            if owner.kind == "CronJob" and owner.controller:
                self._queue.add((job.metadata.namespace, owner.name))

    def _sync(self, key: Key) -> None:
        owner, now = self._api.find(CronJob, *key), self._api.now
        if owner is None or owner.metadata.deletionTimestamp is not None:
            return
        jobs = owned_by(self._jobs, owner)
        apply_writes(self._api, map(Delete, surplus(owner, jobs)), NAME)
        try:
            time_zone(owner.spec.timeZone)
        except ValueError as error:
            message = f'invalid timeZone: "{owner.spec.timeZone}": {error}'
            self._record(owner, "Warning", "UnknownTimeZone", message, NAME)
            return
        if owner.spec.suspend:
            return
        try:
            due = due_time(owner, now)
        except ValueError as error:
            message = f'unparseable schedule: "{owner.spec.schedule}" : {error}'
            self._record(owner, "Warning", "UnparseableSchedule", message, NAME)
            return
        if due is not None and not self._start(owner, [job for job in jobs if not is_finished(job)], due):
            return
        following = _schedule_of(owner).next(now)
        if following is not None:
            self._queue.add(key, following - now, idle=True)

    def _start(self, owner: CronJob, active: Sequence[Job], due: int) -> bool:
        """Create the Job, as the concurrencyPolicy allows. False if another has its name: no later time is awaited."""
        if active and owner.spec.concurrencyPolicy == "Forbid":
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._record(owner, "Normal", "JobAlreadyActive", message, NAME)
            return True
        if owner.spec.concurrencyPolicy == "Replace":
            apply_writes(self._api, map(Delete, active), NAME)
        job = job_of(owner, due)
        try:
            apply_writes(self._api, [Create(job)], NAME)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self._record(owner, "Warning", "FailedCreate", f"Error creating job: {error}", NAME)
                raise
            taken = self._api.get(Job, job.metadata.namespace, job.metadata.name)
            if controller_of(taken.metadata) != controller_of(job.metadata):
                return False
        else:
            self._record(owner, "Normal", "SuccessfulCreate", f"Created job {job.metadata.name}", NAME)
        started = replace(owner, status=replace(owner.status, lastScheduleTime=Time(due)))
        self._api.update_status(started, by=NAME)
        return True
