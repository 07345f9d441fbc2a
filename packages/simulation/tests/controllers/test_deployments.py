"""How a Deployment scales its ReplicaSets, in the cases of its authors.

v1.37: pkg/controller/deployment/sync_test.go (TestScale, TestDeploymentController_cleanupDeployment), rolling_test.go.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import deployment
from kschedlab.objects.meta import Time
from kschedlab.objects.model import Deployment, DeploymentStatus, ObjectMeta, ReplicaSet, ReplicaSetSpec, ReplicaStatus
from kschedlab_simulation.controllers.deployments import next_writes
from kschedlab_simulation.controllers.writes import Create, Delete, RecordEvent, Update, UpdateStatus
from packages.simulation.tests.controllers.stage import NOON, SECOND, documents

NO_LIMIT = 2**31 - 1
PREFIX = "deployment.kubernetes.io"


def web(replicas: int, surge: int = 0, unavailable: int = 0, **spec: Any) -> Deployment:
    """A Deployment whose progress is not judged by time."""
    manifest = deployment("web", replicas)
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    manifest["spec"] |= {"progressDeadlineSeconds": NO_LIMIT, "strategy": {"rollingUpdate": rolling}} | spec
    (made,) = documents(manifest)
    assert isinstance(made, Deployment)
    return made


def sets(owner: Deployment, new: int | None, *old: int, desired: int = 0, most: int = 0) -> list[ReplicaSet]:
    """ReplicaSets with so many pods, all available: that of the template, if any, then older and older ones."""
    template = owner.spec.template
    assert template is not None
    other = replace(template, spec=replace(template.spec, priority=7))
    sizes = {f"{PREFIX}/desired-replicas": str(desired), f"{PREFIX}/max-replicas": str(most or desired)}
    made = []
    for i, size in enumerate((new, *old)):
        if size is not None:
            revision = {f"{PREFIX}/revision": str(9 - i)}
            made.append(
                ReplicaSet(
                    metadata=ObjectMeta(
                        name=f"v{9 - i}",
                        creationTimestamp=Time(NOON - i * SECOND),
                        annotations=sizes | revision,
                        generation=1,
                    ),
                    spec=ReplicaSetSpec(replicas=size, template=other if i else template),
                    status=ReplicaStatus(replicas=size, availableReplicas=size, observedGeneration=1),
                )
            )
    return made


def sizes_after(owner: Deployment, given: list[ReplicaSet]) -> list[int | None]:
    """The sizes of these ReplicaSets after the next writes."""
    sizes = {each.metadata.name: each.spec.replicas for each in given}
    for write in next_writes(owner, given, (), NOON):
        if isinstance(write, Update) and isinstance(write.obj, ReplicaSet):
            sizes[write.obj.metadata.name] = write.obj.spec.replicas
    return list(sizes.values())


@pytest.mark.parametrize(
    ("before", "after", "surges", "new", "old", "expected"),
    [
        (10, 12, (0, 0), 10, [], [12]),
        (10, 5, (0, 0), 10, [], [5]),
        (5, 10, (0, 0), 2, [3], [4, 6]),
        (5, 3, (0, 0), 2, [3], [1, 2]),
        (9, 4, (0, 0), 8, [1], [4, 0]),
        (7, 10, (0, 0), 2, [3, 2], [3, 4, 3]),
        (13, 8, (0, 0), 2, [8, 3], [1, 5, 2]),
        (3, 4, (0, 0), 1, [1, 1], [2, 1, 1]),
        (3, 2, (0, 0), 1, [1, 1], [1, 1, 0]),
        (4, 5, (0, 0), None, [2, 2], [3, 2]),
        (6, 0, (0, 0), 3, [2, 1], [0, 0, 0]),
        (6, 6, (0, 0), 0, [0, 0], [6, 0, 0]),
        (6, 6, (0, 0), None, [0, 0, 0], [6, 0, 0]),
        (10, 20, (2, 2), 6, [6], [11, 11]),
        (10, 50, (3, 6), 5, [8], [22, 34]),
        (10, 14, (0, 0), None, [7, 3], [10, 4]),
    ],
)
def test_a_deployment_scales_all_its_replica_sets_in_proportion(
    before: int, after: int, surges: tuple[int, int], new: int | None, old: list[int], expected: list[int]
):
    """TestScale. A paused Deployment only scales."""
    owner = web(after, surge=surges[1], paused=True)
    given = sets(owner, new, *old, desired=before, most=before + surges[0])
    assert sizes_after(owner, given) == expected


@pytest.mark.parametrize(("available", "expected"), [(2, [2, 0]), (0, [2, 1])])
def test_a_new_replica_set_that_is_complete_takes_the_place_of_the_old_ones(available: int, expected: list[int]):
    owner = web(2, surge=1, unavailable=1, paused=True)
    new, old = sets(owner, 2, 1, desired=2, most=3)
    new = replace(new, status=replace(new.status, availableReplicas=available))
    assert sizes_after(owner, [new, old]) == expected
    tampered = replace(new, metadata=replace(new.metadata, annotations={}))
    assert sizes_after(owner, [tampered, old]) == [2, 1], "without its annotation it is not known to be complete"


@pytest.mark.parametrize(("existing", "expected"), [(10, [4, 6]), (0, [2, 8])])
def test_without_its_annotation_the_present_size_decides_about_the_proportion(existing: int, expected: list[int]):
    """deployment_util.go, getReplicaSetFraction: what is left over goes to the largest."""
    owner = web(10, paused=True)
    owner = replace(owner, status=replace(owner.status, replicas=existing and 5))
    given = [replace(each, metadata=replace(each.metadata, annotations={})) for each in sets(owner, 2, 3)]
    assert sizes_after(owner, given) == expected


def test_all_replica_sets_of_a_rollout_know_the_new_size():
    """sync.go, scale: the annotations change also where the size stays."""
    owner = web(4, surge=1, paused=True)
    given = sets(owner, 1, 1, 1, desired=3)
    written = [write.obj for write in next_writes(owner, given, (), NOON) if isinstance(write, Update)]
    assert len(written) == 3
    for each in written:
        assert each.metadata.annotations[f"{PREFIX}/desired-replicas"] == "4"
        assert each.metadata.annotations[f"{PREFIX}/max-replicas"] == "5"
    alone = sets(owner, 4, desired=3)
    assert not [write for write in next_writes(owner, alone, (), NOON) if isinstance(write, Update)]


@pytest.mark.parametrize(
    ("desired", "surge", "old", "new", "expected"),
    [(10, 0, 10, 0, 0), (10, 2, 10, 0, 2), (10, 2, 5, 0, 7), (10, 2, 10, 2, 2), (10, 2, 2, 11, 10)],
)
def test_a_new_replica_set_grows_as_far_as_the_surge_allows(
    desired: int, surge: int, old: int, new: int, expected: int
):
    """TestDeploymentController_reconcileNewReplicaSet."""
    owner = web(desired, surge=surge)
    assert sizes_after(owner, sets(owner, new, old, desired=desired, most=desired + surge))[0] == expected


@pytest.mark.parametrize(
    ("unavailable", "old", "new", "ready", "expected"),
    [(1, 10, 0, 10, 9), (2, 10, 0, 10, 8), (2, 10, 0, 8, 8), (2, 10, 0, 9, 8), (2, 8, 2, 8, 8), (2, 10, 0, 1, 8)],
)
def test_old_replica_sets_shrink_as_far_as_pods_may_be_missing(
    unavailable: int, old: int, new: int, ready: int, expected: int
):
    """TestDeploymentController_reconcileOldReplicaSets: pods that are not available go first."""
    owner = web(10, unavailable=unavailable)
    fresh, former = sets(owner, new, old, desired=10)
    fresh = replace(fresh, status=replace(fresh.status, availableReplicas=0))
    former = replace(former, status=replace(former.status, availableReplicas=ready))
    assert sizes_after(owner, [fresh, former]) == [new, expected]


@pytest.mark.parametrize(
    ("limit", "old", "deleted"),
    [
        (1, [(0, 0), (0, 0), (0, 0)], ["v6", "v7"]),
        (0, [(0, 0), (0, 1), (1, 0), (1, 1)], ["v8"]),
        (2, [(0, 0), (0, 0)], []),
        (1, [(0, 0), (0, 0)], ["v7"]),
        (0, [(1, 1)], []),
        (NO_LIMIT, [(0, 0), (0, 0)], []),
    ],
)
def test_old_replica_sets_without_pods_go_the_oldest_first(limit: int, old: list[tuple[int, int]], deleted: list[str]):
    """TestDeploymentController_cleanupDeployment; ``old``: wanted and existing pods."""
    owner = web(1, revisionHistoryLimit=limit, paused=True)
    new, *others = sets(owner, 1, *(wanted for wanted, _ in old), desired=1)
    others = [
        replace(each, status=replace(each.status, replicas=existing))
        for each, (_, existing) in zip(others, old, strict=True)
    ]
    assert [
        write.obj.metadata.name for write in next_writes(owner, [new, *others], (), NOON) if isinstance(write, Delete)
    ] == deleted


def test_a_replica_set_that_its_controller_has_not_seen_yet_stays():
    owner = web(1, revisionHistoryLimit=0, paused=True)
    new, old = sets(owner, 1, 0, desired=1)
    unseen = replace(old, metadata=replace(old.metadata, generation=2))
    assert not any(isinstance(write, Delete) for write in next_writes(owner, [new, unseen], (), NOON))


def test_a_first_replica_set_has_all_pods_at_once():
    owner = web(3, surge=1)
    created, told, *_ = next_writes(owner, (), (), NOON)
    assert isinstance(created, Create) and isinstance(created.obj, ReplicaSet) and isinstance(told, RecordEvent)
    name, annotations = created.obj.metadata.name, created.obj.metadata.annotations
    assert created.obj.spec.replicas == 3
    assert told.message == f"Scaled up replica set {name} from 0 to 3"
    assert annotations == {
        f"{PREFIX}/desired-replicas": "3",
        f"{PREFIX}/max-replicas": "4",
        f"{PREFIX}/revision": "1",
    }


def test_a_further_replica_set_has_as_many_pods_as_the_surge_allows():
    owner = web(10, surge=2, progressDeadlineSeconds=600)
    owner = replace(owner, status=DeploymentStatus(replicas=10, availableReplicas=10))
    (old,) = sets(owner, None, 10, desired=10, most=12)
    created, told, *_, updated = next_writes(owner, [old], (), NOON)
    assert isinstance(created, Create) and isinstance(created.obj, ReplicaSet) and isinstance(told, RecordEvent)
    assert created.obj.spec.replicas == 2
    assert told.message.endswith(" from 0 to 2")
    assert isinstance(updated, UpdateStatus) and isinstance(updated.obj, Deployment)
    reasons = {each.type: each.reason for each in updated.obj.status.conditions}
    assert reasons["Progressing"] == "NewReplicaSetCreated"


def test_a_replica_set_that_is_used_again_remembers_its_revisions():
    """deployment_util.go, SetNewReplicaSetAnnotations."""
    owner = web(3)
    new, old = sets(owner, 0, 3, desired=3)
    again = {f"{PREFIX}/revision": "4", f"{PREFIX}/revision-history": "1,2"}
    new = replace(new, metadata=replace(new.metadata, annotations=new.metadata.annotations | again))
    written = next(write.obj for write in next_writes(owner, [new, old], (), NOON) if isinstance(write, Update))
    assert written.metadata.annotations[f"{PREFIX}/revision"] == "9"
    assert written.metadata.annotations[f"{PREFIX}/revision-history"] == "1,2,4"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("9", "10"),
        ("9999999999", "10000000000"),
        ("9223372036854775806", "9223372036854775807"),
        ("9223372036854775808", "1"),
        ("10000000000000000000", "1"),
        ("two", "1"),
    ],
)
def test_the_next_revision_follows_the_last_one_if_that_is_a_number_of_64_bits(old: str, new: str):
    """deployment_util.go, Revision, MaxRevision."""
    owner = web(3)
    (given,) = sets(owner, None, 3, desired=3)
    given = replace(given, metadata=replace(given.metadata, annotations={f"{PREFIX}/revision": old}))
    made = next(write.obj for write in next_writes(owner, [given], (), NOON) if isinstance(write, Create))
    assert made.metadata.annotations[f"{PREFIX}/revision"] == new


@pytest.mark.parametrize(("desired", "expected"), [(4, [2, 3]), (3, [1, 4]), (2**31 - 1, [1, 4]), (2**31, [2, 3])])
def test_a_rollout_goes_on_unless_its_replica_sets_know_another_size(desired: int, expected: list[int]):
    """deployment_util.go, getNonNegativeInt32FromAnnotation: what is no such number is not known."""
    owner = web(4, surge=1)
    assert sizes_after(owner, sets(owner, 1, 3, desired=desired, most=4)) == expected
