from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest
from kschedlab.objects.meta import Time
from kschedlab.objects.model import (
    ContainerState,
    ContainerStateTerminated,
    ContainerStatus,
    Job,
    ObjectMeta,
    Pod,
    PodCondition,
    PodStatus,
)
from kschedlab_simulation.controllers.jobs import JobRecord, JobSync, plan
from kschedlab_simulation.controllers.kubelet import EXIT_CODE, RUN_SECONDS, KubeletSettings
from kschedlab_simulation.controllers.writes import Create, Delete, UpdateStatus
from packages.simulation.tests.controllers.stage import NODE, NOON, SECOND, Stage, documents, owner, template

QUICK = KubeletSettings(start=0, stop=0, run=10 * SECOND)


def job(seconds: int = 10, code: int = 0, **spec: Any) -> Manifest:
    """A Job whose pods run for that long and end with this exit code."""
    annotations = {RUN_SECONDS: str(seconds), EXIT_CODE: str(code)}
    return owner("Job", template=template(labels={}, annotations=annotations, restartPolicy="Never"), **spec)


def ends(stage: Stage) -> list[tuple[str, str]]:
    return [(each.type, each.reason) for each in stage.get(Job, "web").status.conditions]


def test_a_job_runs_its_completions_with_its_parallelism():
    stage = Stage(NODE, job(completions=5, parallelism=2), kubelet=QUICK)
    most = max(stage.run(1).phases().get("Running", 0) for _ in range(60))
    assert most == 2
    assert stage.phases() == {"Succeeded": 5}
    status = stage.get(Job, "web").status
    assert (status.succeeded, status.failed, status.active) == (5, 0, 0)
    assert ends(stage) == [("SuccessCriteriaMet", "CompletionsReached"), ("Complete", "CompletionsReached")]
    assert status.completionTime > status.startTime


def test_a_job_defaults_to_one_pod():
    assert Stage(NODE, job(), kubelet=QUICK).run(60).phases() == {"Succeeded": 1}


def test_without_completions_one_success_is_enough_and_the_others_may_finish():
    stage = Stage(NODE, job(parallelism=3), kubelet=QUICK).run(5)
    name = stage.names()[0]
    stage.api.patch_status(Pod, "default", name, phase="Succeeded")
    assert stage.run(2).phases() == {"Running": 2, "Succeeded": 1}
    assert ends(stage) == []
    assert stage.run(10).phases() == {"Succeeded": 3}
    assert ends(stage)[-1][0] == "Complete"


def test_failures_are_retried_with_backoff_up_to_the_limit():
    stage = Stage(NODE, job(seconds=0, code=1, backoffLimit=3), kubelet=QUICK)
    made: dict[str, float] = {}
    for _ in range(200):
        stage.run(1)
        made |= {name: stage.now for name in stage.names() if name not in made}
    moments = list(made.values())
    gaps = [later - earlier for earlier, later in zip(moments, moments[1:], strict=False)]
    assert [round(gap) for gap in gaps] == [10, 20, 40]
    assert stage.phases() == {"Failed": 4}
    assert ends(stage) == [("FailureTarget", "BackoffLimitExceeded"), ("Failed", "BackoffLimitExceeded")]


def test_a_failed_job_deletes_its_active_pods():
    stage = Stage(NODE, job(seconds=1000, parallelism=3, completions=3, backoffLimit=0), kubelet=QUICK).run(5)
    stage.api.patch_status(Pod, "default", stage.names()[0], phase="Failed")
    assert stage.run(10).phases() == {"Failed": 1}
    assert stage.get(Job, "web").status.active == 0


def test_an_evicted_pod_counts_as_failed_and_is_replaced():
    stage = Stage(NODE, job(seconds=30), kubelet=QUICK).run(5)
    stage.delete(stage.names()[0])
    stage.run(1)
    assert stage.names() == []
    assert stage.run(60).phases() == {"Succeeded": 1}
    assert (stage.get(Job, "web").status.failed, stage.get(Job, "web").status.succeeded) == (1, 1)


def test_every_pod_is_counted_once():
    stage = Stage(NODE, job(completions=40, parallelism=40), kubelet=QUICK, latency=300_000).run(60)
    status = stage.get(Job, "web").status
    assert (status.succeeded, status.failed) == (40, 0)
    assert stage.phases() == {"Succeeded": 40}


def test_lower_parallelism_deletes_surplus_pods():
    stage = Stage(NODE, job(seconds=1000, parallelism=4, completions=9), kubelet=QUICK).run(5)
    found = stage.get(Job, "web")
    stage.api.update(replace(found, spec=replace(found.spec, parallelism=1)))
    assert stage.run(20).phases() == {"Running": 1}
    assert stage.get(Job, "web").status.failed == 0, "deleted by the Job itself"


def test_a_suspended_job_has_no_pods_and_starts_anew_once_resumed():
    stage = Stage(NODE, job(seconds=30, parallelism=2, completions=2, suspend=True), kubelet=QUICK)

    def status(suspend: bool | None = None, seconds: int = 5) -> tuple[int, int | None, int, int]:
        """(pods, when it began, active ones, failed ones), some seconds after this change."""
        found = stage.get(Job, "web")
        if suspend is not None:
            stage.api.update(replace(found, spec=replace(found.spec, suspend=suspend)))
        now = stage.run(seconds).get(Job, "web").status
        return len(stage.names()), now.startTime and (now.startTime - NOON) // SECOND, now.active, now.failed

    assert status() == (0, None, 0, 0)
    assert status(suspend=False) == (2, 5, 2, 0)
    assert status(suspend=True) == (0, None, 0, 0)
    assert ends(stage) == [("Suspended", "JobSuspended")]
    assert status(suspend=False) == (2, 15, 2, 0)
    assert status(seconds=60) == (2, 15, 0, 0)
    assert [(each.type, each.status) for each in stage.get(Job, "web").status.conditions] == [
        ("Suspended", "False"),
        ("SuccessCriteriaMet", "True"),
        ("Complete", "True"),
    ]
    told = [reason for reason, _ in stage.events("job-controller") if not reason.startswith("Successful")]
    assert told == ["Suspended", "Resumed", "Suspended", "Resumed", "Completed"]


def test_a_finished_job_of_a_manifest_is_left_alone():
    done = job()
    done["status"] = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
    assert Stage(NODE, done, kubelet=QUICK).run().names() == []


def test_its_pods_carry_its_name_and_uid():
    stage = Stage(NODE, job(), kubelet=QUICK).run(1)
    labels = stage.all(Pod)[0].metadata.labels
    assert labels["batch.kubernetes.io/job-name"] == "web"
    assert labels["batch.kubernetes.io/controller-uid"] == stage.get(Job, "web").metadata.uid


def running(count: int) -> list[Pod]:
    return [of_job(f"p{i}") for i in range(count)]


def of_job(name: str, **status: Any) -> Pod:
    """A pod of the Job, made a minute ago."""
    return Pod(
        metadata=ObjectMeta(name=name, uid=name, creationTimestamp=Time(NOON - 60 * SECOND)),
        status=PodStatus(**{"phase": "Running"} | status),
    )


FRESH = JobRecord()


def planned(pods: list[Pod], record: JobRecord = FRESH, **fields: Any) -> JobSync:
    """What the Job does now; ``status`` is its status before."""
    status = fields.pop("status", {})
    (made,) = documents(job(**fields) | {"status": status})
    return plan(made, pods, record, NOON)


@pytest.mark.parametrize(
    ("spec", "succeeded", "active", "change"),
    [
        ({}, 0, 0, 1),
        ({"parallelism": 3}, 0, 1, 2),
        ({"parallelism": 3}, 1, 2, 0),
        ({"parallelism": 0}, 0, 2, -2),
        ({"completions": 5}, 0, 0, 1),
        ({"completions": 5, "parallelism": 2}, 0, 0, 2),
        ({"completions": 5, "parallelism": 2}, 4, 0, 1),
        ({"completions": 5, "parallelism": 2}, 4, 2, -1),
        ({"parallelism": 1203}, 0, 0, 500),
        ({"parallelism": 0}, 0, 1203, -500),
        ({"suspend": True}, 0, 2, -2),
    ],
)
def test_how_many_pods_a_job_makes_or_deletes(spec: dict[str, int], succeeded: int, active: int, change: int):
    """v1.37: pkg/controller/job/job_controller.go, manageJob; at most MaxPodCreateDeletePerSync at once."""
    sync = planned(running(active), status={"succeeded": succeeded}, **spec)
    writes = sync.writes
    assert sync.requeue_after == 0
    made, gone = (sum(isinstance(write, kind) for write in writes) for kind in (Create, Delete))
    assert made - gone == change
    (status,) = (write.obj.status for write in writes if isinstance(write, UpdateStatus))
    assert status.active == active + change


@pytest.mark.parametrize(("limit", "failed", "ends"), [(None, 6, False), (None, 7, True), (0, 0, False), (0, 1, True)])
def test_a_job_fails_once_more_pods_have_failed_than_its_limit(limit: int | None, failed: int, ends: bool):
    """Six by default (v1.37: pkg/apis/batch/v1/defaults.go)."""
    spec = {} if limit is None else {"backoffLimit": limit}
    writes = planned(running(1), status={"failed": failed}, **spec).writes
    (status,) = (write.obj.status for write in writes if isinstance(write, UpdateStatus))
    assert [each.reason for each in status.conditions] == ["BackoffLimitExceeded"] * 2 * ends
    assert status.active == (0 if ends else 1)


def test_a_job_that_fails_is_not_suspended():
    """v1.37: pkg/controller/job/job_controller.go, syncJob: only where it calls manageJob."""
    writes = planned(running(1), status={"failed": 7}, suspend=True).writes
    (status,) = (write.obj.status for write in writes if isinstance(write, UpdateStatus))
    assert [each.type for each in status.conditions] == ["FailureTarget", "Failed"]


def test_without_completions_one_success_completes_a_job_once_no_pod_is_left():
    for active, reasons in ((0, ["CompletionsReached"] * 2), (1, [])):
        writes = planned(running(active), status={"succeeded": 1}, parallelism=3).writes
        (status,) = (write.obj.status for write in writes if isinstance(write, UpdateStatus))
        assert [each.reason for each in status.conditions] == reasons


def ended(seconds: int) -> ContainerStatus:
    return ContainerStatus("c", state=ContainerState(terminated=ContainerStateTerminated(1, finishedAt=at(seconds))))


def at(seconds: int) -> Time:
    """So many seconds before now."""
    return Time(NOON - seconds * SECOND)


UNREADY = (PodCondition("Ready", "False", lastTransitionTime=at(5)),)


@pytest.mark.parametrize(
    ("status", "metadata", "wait"),
    [
        ({"containerStatuses": (ended(7), ended(4)), "conditions": UNREADY}, {}, 6),
        ({"containerStatuses": (ended(4), ContainerStatus("d")), "conditions": UNREADY}, {}, 5),
        ({"conditions": UNREADY}, {"deletionTimestamp": at(3)}, 5),
        ({}, {"deletionTimestamp": at(-27), "deletionGracePeriodSeconds": 30}, 7),
        ({}, {"deletionTimestamp": at(2)}, 8),
        ({}, {"creationTimestamp": at(9)}, 1),
        ({}, {"creationTimestamp": at(10)}, 0),
        ({}, {"creationTimestamp": at(11)}, 0),
    ],
)
def test_a_job_waits_ten_seconds_from_the_end_of_a_failed_pod(status: Any, metadata: Any, wait: int):
    """v1.37: pkg/controller/job/backoff_utils.go, getFinishedTime."""
    pod = of_job("a", phase="Failed", **status)
    pod = replace(pod, metadata=replace(pod.metadata, **metadata))
    sync = planned([pod])
    assert sync.requeue_after == wait * SECOND
    assert any(isinstance(write, Create) for write in sync.writes) is not bool(wait)


@pytest.mark.parametrize(
    ("success", "failures", "wait"),
    [(None, [3], 37), (None, [3, 4], 77), (5, [6, 4, 3], 17), (5, [6], 0), (5, [5], 0), (5, [], 0)],
)
def test_a_success_forgives_the_failures_before_it(success: int | None, failures: list[int], wait: int):
    """v1.37: pkg/controller/job/backoff_utils.go, newBackoffRecord. Two pods had failed long before."""
    pods = [of_job(f"f{each}", phase="Failed", containerStatuses=(ended(each),)) for each in failures]
    pods += [] if success is None else [of_job("s", phase="Succeeded", containerStatuses=(ended(success),))]
    record = JobRecord(failures=2, failed_at=NOON - 1000 * SECOND)
    assert planned(pods, record, completions=9).requeue_after == wait * SECOND


def test_the_wait_after_failures_doubles_up_to_ten_minutes():
    waits = [JobRecord(failures=failures).remaining(0) / SECOND for failures in (0, 1, 2, 3, 6, 7, 50)]
    assert waits == [0, 10, 20, 40, 320, 600, 600]
