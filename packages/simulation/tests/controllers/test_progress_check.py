"""When a controller looks again whether a rollout is stuck."""

import pytest
from msgspec.structs import replace

from kschedlab.build import deployment
from kschedlab.objects.model import Deployment, DeploymentCondition, DeploymentStatus
from kschedlab_simulation.controllers.deployment_status import progress_check_in
from packages.simulation.tests.controllers.stage import documents

SECOND = 1_000_000
NO_DEADLINE = 2**31 - 1


def rollout(reason: str, deadline: int = 600, **status: int) -> Deployment:
    """A Deployment of one pod that made its last progress at second 100."""
    (made,) = documents(deployment("web", 1))
    assert isinstance(made, Deployment)
    condition = DeploymentCondition("Progressing", "True", reason, lastUpdateTime=100 * SECOND)
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
