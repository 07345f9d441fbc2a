"""What a Deployment says about its rollout, and how many pods more and fewer it may have (v1.37, pkg/controller)."""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import deployment
from kschedlab.objects.model import (
    Condition,
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ObjectMeta,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaStatus,
)
from kschedlab_simulation.controllers.deployment_status import (
    Rollout,
    counted_status,
    discovered,
    max_surge,
    max_unavailable,
    paused_conditions,
    progress_check_in,
    rollout_status,
)
from packages.simulation.tests.controllers.stage import documents

SECOND = 1_000_000
NO_DEADLINE = 2**31 - 1
NEW, UPDATED, PAUSED, LATE = (
    "NewReplicaSetAvailable",
    "ReplicaSetUpdated",
    "DeploymentPaused",
    "ProgressDeadlineExceeded",
)


def rollout(reason: str, deadline: int = 600, desired: int = 1, **status: int) -> Deployment:
    """A Deployment of one pod that made its last progress at second 100."""
    (made,) = documents(deployment("web", desired))
    assert isinstance(made, Deployment)
    condition = DeploymentCondition(
        "Progressing", "True", reason, lastUpdateTime=100 * SECOND, lastTransitionTime=50 * SECOND
    )
    return replace(
        made,
        spec=replace(made.spec, progressDeadlineSeconds=deadline),
        status=DeploymentStatus(conditions=(condition,) if reason else (), **status),
    )


@pytest.mark.parametrize(
    ("owner", "now", "expected"),
    [
        (rollout("ReplicaSetUpdated"), 100, 601),
        (rollout("ReplicaSetUpdated"), 600, 101),
        (rollout("ReplicaSetUpdated"), 800, 1),
        (rollout("ReplicaSetUpdated", replicas=1, updatedReplicas=1), 600, 101),
        (rollout("ReplicaSetUpdated", replicas=1, updatedReplicas=1, availableReplicas=1), 600, None),
        (rollout("ReplicaSetUpdated", NO_DEADLINE), 600, None),
        (rollout("ProgressDeadlineExceeded"), 800, None),
        (rollout(""), 600, None),
    ],
)
def test_a_rollout_is_looked_at_a_second_after_its_deadline(owner: Deployment, now: int, expected: int | None) -> None:
    wait = progress_check_in(owner, now * SECOND)
    assert wait == (None if expected is None else expected * SECOND)


@pytest.mark.parametrize(
    ("desired", "rolling", "surge", "unavailable"),
    [
        (10, None, 3, 2),
        (101, {"maxSurge": "100%", "maxUnavailable": "100%"}, 101, 101),
        (10, {"maxSurge": "1%", "maxUnavailable": "1%"}, 1, 0),
        (10, {"maxSurge": 0, "maxUnavailable": "1%"}, 0, 1),
        (10, {"maxSurge": 0, "maxUnavailable": 20}, 0, 10),
        (0, {"maxSurge": 0, "maxUnavailable": 2}, 0, 0),
        (10, "Recreate", 0, 0),
    ],
)
def test_how_many_pods_more_and_fewer_a_rollout_may_have(desired: int, rolling: Any, surge: int, unavailable: int):
    """deployment_util.go: ResolveFenceposts (a surge is rounded up, the other down), MaxUnavailable, MaxSurge."""
    strategy = {"type": "Recreate"} if rolling == "Recreate" else {"rollingUpdate": rolling} if rolling else {}
    manifest = deployment("web", desired)
    manifest["spec"]["strategy"] = strategy
    (owner,) = documents(manifest)
    assert (max_surge(owner), max_unavailable(owner)) == (surge, unavailable)


@pytest.mark.parametrize(
    ("paused", "reason", "deadline", "after"),
    [
        (True, "", 600, [("Unknown", PAUSED)]),
        (True, UPDATED, 600, [("Unknown", PAUSED)]),
        (True, PAUSED, 600, [("True", PAUSED)]),
        (True, LATE, 600, [("True", LATE)]),
        (True, UPDATED, NO_DEADLINE, [("True", UPDATED)]),
        (True, "", NO_DEADLINE, []),
        (False, PAUSED, 600, [("Unknown", "DeploymentResumed")]),
        (False, UPDATED, 600, [("True", UPDATED)]),
    ],
)
def test_a_pause_and_its_end_are_conditions(paused: bool, reason: str, deadline: int, after: list[tuple[str, str]]):
    """sync.go, checkPausedConditions."""
    owner = rollout(reason, deadline)
    owner = replace(owner, spec=replace(owner.spec, paused=paused))
    assert [(each.status, each.reason) for each in paused_conditions(owner, 0)] == after


@pytest.mark.parametrize(
    ("reason", "deadline", "created", "after"),
    [
        ("", 600, True, ["NewReplicaSetCreated"]),
        (UPDATED, 600, True, ["NewReplicaSetCreated"]),
        ("", 600, False, ["FoundNewReplicaSet"]),
        (UPDATED, 600, False, [UPDATED]),
        ("", NO_DEADLINE, True, []),
    ],
)
def test_a_new_replica_set_is_made_or_found(reason: str, deadline: int, created: bool, after: list[str]):
    """sync.go, getNewReplicaSet."""
    conditions = discovered(rollout(reason, deadline), NEXT, created, 0)
    assert [each.reason for each in conditions] == after


@pytest.mark.parametrize(("before", "since"), [("Unknown", 50), ("True", 200)])
def test_a_condition_keeps_its_time_as_long_as_its_status(before: str, since: int):
    """deployment_util.go, SetDeploymentCondition."""
    owner = rollout(UPDATED)
    known = tuple(replace(each, status=before) for each in owner.status.conditions)
    owner = replace(owner, spec=replace(owner.spec, paused=True), status=replace(owner.status, conditions=known))
    (condition,) = paused_conditions(owner, 200 * SECOND)
    assert (condition.reason, condition.lastUpdateTime) == (PAUSED, 200 * SECOND)
    assert condition.lastTransitionTime == since * SECOND


def replica_set(name: str, wanted: int, **status: Any) -> ReplicaSet:
    observed = ReplicaStatus(observedGeneration=1, **status)
    return ReplicaSet(metadata=ObjectMeta(name=name), spec=ReplicaSetSpec(replicas=wanted), status=observed)


OLD = replica_set("old", 3, replicas=3, readyReplicas=3, availableReplicas=2, terminatingReplicas=1)
NEXT = replica_set("new", 2, replicas=2, readyReplicas=1, availableReplicas=1, terminatingReplicas=4)


def test_a_status_counts_the_pods_of_all_replica_sets():
    """sync.go, calculateStatus."""
    owner = rollout("", desired=4)
    status = counted_status(Rollout(owner, NEXT, [OLD]), 0)
    assert (status.replicas, status.updatedReplicas, status.readyReplicas) == (5, 2, 4)
    assert (status.availableReplicas, status.unavailableReplicas, status.terminatingReplicas) == (3, 2, 5)
    without = counted_status(Rollout(owner, None, [OLD]), 0)
    assert (without.replicas, without.updatedReplicas, without.unavailableReplicas) == (3, 0, 1)
    shrunk = replica_set("old", 1, replicas=3, availableReplicas=3, terminatingReplicas=0)
    assert counted_status(Rollout(owner, None, [shrunk]), 0).unavailableReplicas == 0


@pytest.mark.parametrize(
    ("sets", "terminating"),
    [
        ([OLD, NEXT], 5),
        ([OLD, replica_set("silent", 1)], None),
        ([OLD, ReplicaSet(metadata=ObjectMeta(name="unseen"))], 1),
    ],
)
def test_terminating_pods_are_counted_if_all_replica_sets_report_them(sets: list[ReplicaSet], terminating: int | None):
    """deployment_util.go, GetTerminatingReplicaCountForReplicaSets."""
    assert counted_status(Rollout(rollout(""), None, sets), 0).terminatingReplicas == terminating


@pytest.mark.parametrize(("available", "enough"), [(5, True), (4, True), (3, True), (2, False)])
def test_a_deployment_is_available_if_no_more_are_missing_than_may_be(available: int, enough: bool):
    manifest = deployment("web", 4)
    manifest["spec"]["strategy"] = {"rollingUpdate": {"maxUnavailable": 1}}
    (owner,) = documents(manifest)
    status = counted_status(Rollout(owner, replica_set("new", 5, availableReplicas=available), []), 0)
    (condition,) = status.conditions
    assert (condition.type, condition.status) == ("Available", str(enough))


STUCK = {"replicas": 5, "updatedReplicas": 2, "readyReplicas": 4, "availableReplicas": 3}


@pytest.mark.parametrize(
    ("before", "since", "status", "after"),
    [
        ({}, 100, "True", UPDATED),
        ({"updatedReplicas": 1}, 100, "True", UPDATED),
        ({"replicas": 6}, 100, "True", UPDATED),
        ({"readyReplicas": 3}, 100, "True", UPDATED),
        ({"availableReplicas": 2}, 100, "True", UPDATED),
        ({"updatedReplicas": 2}, 700, "True", "before"),
        ({"updatedReplicas": 2}, 700.000001, "False", LATE),
        ({"updatedReplicas": 3}, 700.000001, "False", LATE),
        ({"replicas": 4}, 700.000001, "False", LATE),
        ({"readyReplicas": 5}, 700.000001, "False", LATE),
        ({"availableReplicas": 4}, 700.000001, "False", LATE),
    ],
)
def test_a_rollout_progresses_with_each_pod_or_is_late(before: dict[str, int], since: float, status: str, after: str):
    """progress.go, syncRolloutStatus; deployment_util.go, DeploymentProgressing, DeploymentTimedOut."""
    counts = STUCK | before if before else dict.fromkeys(STUCK, 0)
    owner = rollout("before", desired=4, **counts)
    judged = rollout_status(Rollout(owner, NEXT, [OLD]), int(since * SECOND))
    (condition,) = (each for each in judged.conditions if each.type == "Progressing")
    assert (condition.status, condition.reason) == (status, after)
    assert condition.lastTransitionTime == (50 if status == "True" else 700) * SECOND


def test_a_rollout_that_was_complete_is_judged_again_only_once_there_are_other_pods():
    done = rollout(NEW, **STUCK | {"updatedReplicas": 1})
    for sets, reason in (([], NEW), ([OLD], UPDATED)):
        judged = rollout_status(Rollout(done, NEXT, sets), 200 * SECOND)
        assert [each.reason for each in judged.conditions if each.type == "Progressing"] == [reason]


def test_without_a_deadline_there_is_no_progress_to_report():
    judged = rollout_status(Rollout(rollout(UPDATED, NO_DEADLINE), NEXT, [OLD]), 0)
    assert [each.type for each in judged.conditions] == ["Available"]


def test_the_failure_of_the_new_replica_set_comes_first():
    """deployment_controller.go, getReplicaFailures."""

    def failing(of: ReplicaSet) -> ReplicaSet:
        failure = Condition("ReplicaFailure", "True", "FailedCreate", f"no room for {of.metadata.name}")
        return replace(of, status=replace(of.status, conditions=(failure,)))

    for new, old, message in (
        (failing(NEXT), failing(OLD), "no room for new"),
        (NEXT, failing(OLD), "no room for old"),
    ):
        judged = rollout_status(Rollout(rollout(UPDATED), new, [old]), 0)
        assert [each.message for each in judged.conditions if each.type == "ReplicaFailure"] == [message]
