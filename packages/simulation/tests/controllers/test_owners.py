from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import (
    Deployment,
    Job,
    JobStatus,
    PersistentVolumeClaim,
    Pod,
    PodCondition,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicationController,
    StatefulSet,
)
from kschedlab_simulation.controllers import stateful_sets
from kschedlab_simulation.controllers.kubelet import KubeletSettings
from kschedlab_simulation.controllers.owners import OwnersSettings
from kschedlab_simulation.controllers.replicas import scale as scale_writes
from kschedlab_simulation.controllers.stateful_sets import Revisions, ordinal
from kschedlab_simulation.controllers.writes import Delete
from packages.simulation.tests.controllers.stage import LABELS, NODE, SECOND, Stage, documents, owner, phase, template

QUICK = KubeletSettings(start=SECOND, stop=SECOND)
REPLICATED = {"ReplicaSet": ReplicaSet, "ReplicationController": ReplicationController, "Deployment": Deployment}


def scale(stage: Stage, kind: type, replicas: int, name: str = "web") -> None:
    found = stage.get(kind, name)
    stage.api.update(replace(found, spec=replace(found.spec, replicas=replicas)), by="test")


@pytest.mark.parametrize(("replicas", "pods"), [(3, 3), (None, 1)])
@pytest.mark.parametrize("kind", [*REPLICATED, "StatefulSet"])
def test_an_owner_creates_its_replicas_one_by_default(kind: str, replicas: int | None, pods: int):
    stage = Stage(NODE, owner(kind, replicas=replicas)).run()
    assert stage.phases() == {"Running": pods}
    references = {each.kind for pod in stage.all(Pod) for each in pod.metadata.ownerReferences if each.controller}
    assert references == {"ReplicaSet" if kind == "Deployment" else kind}
    status = stage.get(REPLICATED.get(kind, StatefulSet), "web").status
    assert (status.replicas, status.readyReplicas, status.availableReplicas) == (pods, pods, pods)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("web-0", 0),
        ("web-12", 12),
        ("web", -1),
        ("web-", -1),
        ("web-a", -1),
        ("7", -1),
        ("web-007", 7),
        ("web-2147483647", 2**31 - 1),
        ("web-2147483648", -1),
    ],
)
def test_a_stateful_set_knows_its_pods_by_their_ordinals(name: str, number: int):
    """v1.37: stateful_set_utils.go, getParentNameAndOrdinal."""
    (stateful,) = documents(owner("StatefulSet"))
    assert ordinal(stateful, name) == number


def test_of_a_replica_set_without_a_deployment_its_own_pods_decide_which_goes():
    """Two pods of web, the younger on n2; a pod of another ReplicaSet on n1 does not make n1 the fuller node."""

    def running(name: str, on: str, app: str, hour: int) -> Manifest:
        made, since = pod(name, on, labels={"app": app}), f"2023-11-14T{hour}:00:00Z"
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "uid": app, "controller": True}
        made["metadata"] |= {"ownerReferences": [reference], "creationTimestamp": since}
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": since}
        made["status"] = {"phase": "Running", "conditions": [ready]}
        return made

    other = owner("ReplicaSet", "other", 1, selector={"matchLabels": {"app": "other"}})
    other["spec"]["template"] = template(labels={"app": "other"})
    owners = [owner("ReplicaSet", replicas=2), other]
    for each in owners:
        each["metadata"]["uid"] = each["metadata"]["name"]
    pods = [running("old", "n1", "web", 10), running("young", "n2", "web", 22), running("x", "n1", "other", 10)]
    stage = Stage(NODE, node("n2"), *owners, *pods, kubelet=QUICK).run(5)
    assert sorted(stage.names()) == ["old", "x", "young"]
    scale(stage, ReplicaSet, 1)
    stage.run(30)
    assert sorted(stage.names()) == ["old", "x"]


@pytest.mark.parametrize("kind", [*REPLICATED, "StatefulSet"])
def test_a_pod_that_is_deleted_is_replaced(kind: str):
    stage = Stage(NODE, owner(kind), kubelet=QUICK).run()
    before = {each.metadata.uid for each in stage.all(Pod)}
    stage.delete(stage.names()[1])
    stage.run()
    after = {each.metadata.uid for each in stage.all(Pod)}
    assert stage.phases() == {"Running": 3}
    assert len(after - before) == 1


def test_a_replica_set_replaces_a_terminating_pod():
    stage = Stage(NODE, owner("ReplicaSet")).run()
    stage.delete(stage.names()[0])
    assert stage.run(3).phases() == {"Running": 3, "Terminating": 1}


def test_a_pod_that_has_failed_is_replaced_and_stays():
    stage = Stage(NODE, owner("ReplicaSet")).run()
    name = stage.names()[0]
    stage.api.patch_status(Pod, "default", name, phase="Failed", reason="Evicted")
    assert stage.run().phases() == {"Running": 3, "Failed": 1}


@pytest.mark.parametrize("kind", [*REPLICATED, "StatefulSet"])
def test_an_owner_scales_up_and_down(kind: str):
    stage = Stage(NODE, owner(kind), kubelet=QUICK).run()
    scale(stage, REPLICATED.get(kind, StatefulSet), 7)
    assert stage.run().phases() == {"Running": 7}
    scale(stage, REPLICATED.get(kind, StatefulSet), 2)
    assert stage.run(200).phases() == {"Running": 2}


def test_scaling_down_deletes_pods_in_removal_order():
    stage = Stage(NODE, owner("ReplicaSet", replicas=2)).run()
    running = set(stage.names())
    scale(stage, ReplicaSet, 4)
    stage.run(1)
    scale(stage, ReplicaSet, 2)
    stage.run(1)
    assert set(stage.names()) == running


def test_more_pods_than_fit_in_one_burst_are_made_in_several():
    stage = Stage(NODE, owner("ReplicaSet", replicas=1203), latency=1000).run(10)
    assert stage.phases() == {"Running": 1203}
    made = [entry for entry in stage.changes("Pod") if entry.type == "ADDED"]
    assert list(Counter(entry.at for entry in made).values()) == [500, 500, 203]


def test_late_informers_do_not_cause_duplicate_pods():
    stage = Stage(NODE, owner("ReplicaSet", replicas=5), owner("StatefulSet", "db"), latency=3 * SECOND).run(200)
    assert stage.phases() == {"Running": 8}
    stage.delete("db-1")
    scale(stage, ReplicaSet, 4)
    assert stage.run(300).phases() == {"Running": 7}
    made = [entry for entry in stage.changes("Pod") if entry.type == "ADDED"]
    assert len(made) == 9


def test_matching_pods_are_adopted_and_counted():
    strays = [pod("stray", "n1", labels=LABELS), pod("other", "n1", labels={"app": "db"})]
    stage = Stage(NODE, *strays, owner("ReplicaSet")).run()
    names = stage.names()
    assert len(names) == 4 and {"stray", "other"} < set(names)
    assert [each.name for each in stage.get(Pod, "stray").metadata.ownerReferences] == ["web"]
    assert stage.get(Pod, "other").metadata.ownerReferences == ()


def test_pods_of_another_owner_are_left_alone():
    taken = pod("taken", "n1", labels=LABELS)
    taken["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "x", "uid": "u", "controller": True}
    ]
    stage = Stage(NODE, taken, owner("ReplicaSet")).run()
    assert stage.phases() == {"Running": 3, "Pending": 1} or stage.phases() == {"Running": 4}
    assert stage.get(Pod, "taken").metadata.ownerReferences[0].name == "x"


def test_a_pod_that_stops_matching_is_released_and_replaced():
    stage = Stage(NODE, owner("ReplicaSet")).run()
    found = stage.all(Pod)[0]
    stage.api.update(replace(found, metadata=replace(found.metadata, labels={"app": "debug"})), by="test")
    stage.run()
    assert stage.get(Pod, found.metadata.name).metadata.ownerReferences == ()
    assert stage.phases() == {"Running": 4}
    stage.delete("web", ReplicaSet)
    assert stage.run().names() == [found.metadata.name]


def test_an_owner_without_a_template_makes_and_deletes_nothing():
    bare = ReplicaSet(spec=ReplicaSetSpec(replicas=2))
    assert scale_writes(bare, [], [], 0) == scale_writes(bare, [Pod()] * 5, [], 0) == []


def test_recreate_false_replaces_no_pods():
    stage = Stage(NODE, owner("ReplicaSet"), pod("p", "n1", labels=LABELS), owners=OwnersSettings(recreate=False))
    assert stage.run().names() == ["p"]


def test_the_same_seed_gives_the_same_names_and_another_one_others():
    def names(seed: int) -> list[str]:
        return Stage(NODE, owner("ReplicaSet"), owner("Deployment", "api"), seed=seed).run().names()

    assert names(1) == names(1) != names(2)


def test_dependents_of_a_deleted_owner_are_deleted():
    stage = Stage(NODE, owner("Deployment"), owner("StatefulSet", "db"), kubelet=QUICK).run()
    assert stage.phases() == {"Running": 6}
    stage.delete("web", Deployment)
    assert stage.run().names() == ["db-0", "db-1", "db-2"]
    assert stage.all(ReplicaSet) == []


# -- Deployments


def test_a_deployment_takes_over_the_replica_set_of_its_template():
    its = owner("ReplicaSet", "web-abc", 2)
    its["metadata"]["labels"] = LABELS
    stage = Stage(NODE, its, owner("Deployment")).run()
    assert stage.names(ReplicaSet) == ["web-abc"]
    assert stage.get(ReplicaSet, "web-abc").spec.replicas == 3
    assert stage.phases() == {"Running": 3}


def change_template(stage: Stage, kind: type, name: str = "web", version: str = "2") -> None:
    found = stage.get(kind, name)
    changed = replace(found.spec.template, metadata=replace(found.spec.template.metadata, annotations={"v": version}))
    stage.api.update(replace(found, spec=replace(found.spec, template=changed)), by="test")


def progress(stage: Stage, seconds: float = 20, name: str = "web") -> list[tuple[int, ...]]:
    """The different (replicas, updated, available, unavailable) of the Deployment's status, in order."""
    seen = []
    for _ in range(int(seconds * 10)):
        status = stage.run(0.1).get(Deployment, name).status
        seen.append((status.replicas, status.updatedReplicas, status.availableReplicas, status.unavailableReplicas))
    return list(dict.fromkeys(seen))


def conditions(stage: Stage, name: str = "web") -> dict[str, tuple[str, str]]:
    found = stage.get(Deployment, name).status.conditions
    return {each.type: (each.status, each.reason) for each in found}


def test_recreate_replaces_all_pods_the_old_ones_first():
    stage = Stage(NODE, owner("Deployment", strategy={"type": "Recreate"}), kubelet=QUICK).run()
    old = set(stage.names())
    change_template(stage, Deployment)
    most = max(sum(stage.run(0.1).phases().values()) for _ in range(100))
    assert most == 3
    assert stage.phases() == {"Running": 3} and not old & set(stage.names())
    assert sorted(each.spec.replicas for each in stage.all(ReplicaSet)) == [0, 3]


@pytest.mark.parametrize(
    ("surge", "unavailable", "fewest", "most"),
    [("25%", "25%", 8, 13), (0, 3, 7, 10), ("100%", 0, 10, 20), (1, 1, 9, 11)],
)
def test_a_rolling_update_keeps_within_its_limits(surge: int | str, unavailable: int | str, fewest: int, most: int):
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    stage = Stage(NODE, owner("Deployment", replicas=10, strategy={"rollingUpdate": rolling}), kubelet=QUICK).run()
    old = set(stage.names())
    change_template(stage, Deployment)
    seen = progress(stage, 60)
    assert (min(available for _, _, available, _ in seen), max(replicas for replicas, *_ in seen)) == (fewest, most)
    assert seen[-1] == (10, 10, 10, 0) and not old & set(stage.names())
    assert conditions(stage) == {"Available": ("True", "MinimumReplicasAvailable"), "Progressing": DONE}


DONE = ("True", "NewReplicaSetAvailable")


def test_a_rollout_that_is_stuck_is_scaled_in_proportion():
    """The documentation's example (concepts/workloads/controllers/deployment, Proportional scaling)."""

    def sizes() -> list[int]:
        return sorted(each.spec.replicas or 0 for each in stage.run(30).all(ReplicaSet))

    rolling = {"maxSurge": 3, "maxUnavailable": 2}
    stage = Stage(NODE, owner("Deployment", replicas=10, strategy={"rollingUpdate": rolling}), kubelet=QUICK).run()
    found = stage.get(Deployment, "web")
    stuck = replace(found.spec.template, spec=replace(found.spec.template.spec, nodeSelector={"node": "missing"}))
    stage.api.update(replace(found, spec=replace(found.spec, template=stuck)), by="test")
    assert sizes() == [5, 8]
    found = stage.get(Deployment, "web")
    stage.api.update(replace(found, spec=replace(found.spec, replicas=15)), by="test")
    assert sizes() == [7, 11]
    found = stage.get(Deployment, "web")
    stage.api.update(replace(found, spec=replace(found.spec, replicas=5)), by="test")
    stage.run(30)
    said = [message for _, message in stage.events()]
    assert any("from 11 to 5" in each for each in said) and any("from 7 to 3" in each for each in said)


def test_a_deployment_reports_its_progress():
    stage = Stage(NODE, owner("Deployment"), kubelet=QUICK)
    early = stage.run(0.2).get(Deployment, "web")
    assert (early.status.unavailableReplicas, early.status.updatedReplicas) == (3, 3)
    assert conditions(stage)["Available"] == ("False", "MinimumReplicasUnavailable")
    assert conditions(stage)["Progressing"] == ("True", "ReplicaSetUpdated")
    late = stage.run(10).get(Deployment, "web")
    assert conditions(stage)["Progressing"] == DONE
    assert late.metadata.annotations == {"deployment.kubernetes.io/revision": "1"}
    assert late.status.observedGeneration == late.metadata.generation
    reasons = [reason for reason, _ in stage.events()]
    assert reasons.count("ScalingReplicaSet") == 1 and reasons.count("SuccessfulCreate") == 3


def test_a_deployment_whose_pods_never_come_misses_its_deadline():
    stage = Stage(NODE, owner("Deployment", progressDeadlineSeconds=100), binds=False).run(90)
    assert conditions(stage)["Progressing"] == ("True", "ReplicaSetUpdated")
    stage.run(20)
    assert conditions(stage)["Progressing"] == ("False", "ProgressDeadlineExceeded")


def test_a_paused_deployment_does_not_roll_out_but_scales():
    stage = Stage(NODE, owner("Deployment"), kubelet=QUICK).run()
    found = stage.get(Deployment, "web")
    stage.api.update(replace(found, spec=replace(found.spec, paused=True)), by="test")
    stage.run(1)
    change_template(stage, Deployment)
    scale(stage, Deployment, 5)
    stage.run()
    assert len(stage.all(ReplicaSet)) == 1 and stage.phases() == {"Running": 5}
    assert conditions(stage)["Progressing"] == ("Unknown", "DeploymentPaused")
    found = stage.get(Deployment, "web")
    stage.api.update(replace(found, spec=replace(found.spec, paused=False)), by="test")
    assert progress(stage, 60)[-1] == (5, 5, 5, 0)
    assert conditions(stage)["Progressing"] == DONE


def test_a_paused_rollout_waits_but_once_all_new_pods_are_there_the_old_ones_go():
    """v1.37: pkg/controller/deployment/sync.go, scale (IsSaturated)."""
    rolling = {"maxSurge": "100%", "maxUnavailable": 0}
    slow = KubeletSettings(start=30 * SECOND, stop=0)
    stage = Stage(NODE, owner("Deployment", strategy={"rollingUpdate": rolling}), kubelet=slow).run(60)
    change_template(stage, Deployment)
    found = stage.run(5).get(Deployment, "web")
    stage.api.update(replace(found, spec=replace(found.spec, paused=True)), by="test")
    assert [each.spec.replicas for each in stage.run(10).all(ReplicaSet)] == [3, 3]
    stage.run(60)
    assert {each.spec.template.metadata.annotations.get("v"): each.spec.replicas for each in stage.all(ReplicaSet)} == {
        None: 0,
        "2": 3,
    }


@pytest.mark.parametrize(("replicas", "scaled"), [(20, [10, 15]), (5, [3, 4]), (1, [1, 1]), (0, [0, 0])])
def test_scaling_during_a_rollout_scales_old_and_new_in_proportion(replicas: int, scaled: list[int]):
    stage = Stage(NODE, owner("Deployment", replicas=10), kubelet=KubeletSettings(start=30 * SECOND, stop=0)).run(90)
    change_template(stage, Deployment)
    stage.run(10)
    assert sorted(each.spec.replicas for each in stage.all(ReplicaSet)) == [5, 8]
    scale(stage, Deployment, replicas)
    stage.run(0.5)
    assert sorted(each.spec.replicas for each in stage.all(ReplicaSet)) == scaled
    assert progress(stage, 200)[-1] == (replicas, replicas, replicas, 0)


def test_an_earlier_template_reuses_its_replica_set_and_old_ones_go():
    stage = Stage(NODE, owner("Deployment", revisionHistoryLimit=1), kubelet=QUICK).run()
    for version in ("2", "3", "2"):
        change_template(stage, Deployment, version=version)
        stage.run()
    sets = {each.spec.template.metadata.annotations["v"]: each for each in stage.all(ReplicaSet)}
    assert {version: each.spec.replicas for version, each in sets.items()} == {"2": 3, "3": 0}
    assert sets["2"].metadata.annotations["deployment.kubernetes.io/revision-history"] == "2"
    assert stage.get(Deployment, "web").metadata.annotations["deployment.kubernetes.io/revision"] == "4"


@pytest.mark.parametrize("kind", REPLICATED)
def test_a_pod_is_available_once_it_has_been_ready_long_enough(kind: str):
    stage = Stage(NODE, owner(kind, minReadySeconds=30), kubelet=QUICK).run(25)
    status = stage.get(REPLICATED[kind], "web").status
    assert (status.readyReplicas, status.availableReplicas) == (3, 0)
    assert stage.run(10).get(REPLICATED[kind], "web").status.availableReplicas == 3


def test_a_replica_set_reports_why_it_cannot_create_pods():
    unknown = template()
    unknown["spec"]["priorityClassName"] = "none"
    stage = Stage(NODE, owner("Deployment", template=unknown)).run(1)
    why = 'pods "web-'
    condition = stage.all(ReplicaSet)[0].status.conditions[0]
    assert (condition.type, condition.reason) == ("ReplicaFailure", "FailedCreate") and why in condition.message
    assert conditions(stage)["ReplicaFailure"] == ("True", "FailedCreate")
    reason, message = stage.events()[-1]
    assert reason == "FailedCreate" and message.startswith(f"Error creating: {why}")


@pytest.mark.parametrize(
    ("kind", "quota", "said"),
    [
        ("ReplicaSet", "pods", ['Error creating: pods "web-']),
        ("Job", "pods", ['Error creating: pods "web-']),
        ("StatefulSet", "pods", ['Create Pod web-0 in StatefulSet web failed error: pods "web-0"']),
        (
            "StatefulSet",
            "persistentvolumeclaims",
            [
                'Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: persistentvolumeclaims "',
                "Create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: persistentvolumecl",
            ],
        ),
    ],
)
def test_an_owner_says_what_a_quota_refuses_it_and_keeps_its_status(kind: str, quota: str, said: list[str]):
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    more = {
        "StatefulSet": {"volumeClaimTemplates": [claim]},
        "Job": {"template": template(labels={}, restartPolicy="Never")},
    }
    full: Manifest = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    full |= {"spec": {"hard": {quota: "0"}}, "status": {"hard": {quota: "0"}, "used": {quota: "0"}}}
    stage = Stage(NODE, full, owner(kind, **more.get(kind, {}))).run(1)
    told = [message for reason, message in stage.events() if reason == "FailedCreate"]
    assert [text[: len(start)] for text, start in zip(told, said, strict=False)] == said
    assert stage.names() == []
    status = stage.all({"Job": Job, "StatefulSet": StatefulSet, "ReplicaSet": ReplicaSet}[kind])[0].status
    assert status.startTime if isinstance(status, JobStatus) else status.observedGeneration


def test_two_templates_have_different_replica_sets_and_equal_ones_the_same():
    def hashed(**spec: object) -> str:
        return Stage(NODE, owner("Deployment", template=template(**spec))).run(1).names(ReplicaSet)[0]

    assert hashed() == hashed() != hashed(nodeSelector={"disk": "ssd"})


# -- StatefulSets


def test_stateful_set_pods_are_created_in_order():
    stage = Stage(NODE, owner("StatefulSet"))
    seen = [tuple(stage.run(0.5).names()) for _ in range(20)]
    assert list(dict.fromkeys(seen)) == [("web-0",), ("web-0", "web-1"), ("web-0", "web-1", "web-2")]
    assert stage.get(Pod, "web-1").metadata.labels["apps.kubernetes.io/pod-index"] == "1"


def test_stateful_set_pods_are_deleted_in_reverse_order():
    stage = Stage(NODE, owner("StatefulSet")).run()
    scale(stage, StatefulSet, 0)
    seen = [tuple(stage.run(5).names()) for _ in range(30)]
    assert list(dict.fromkeys(seen)) == [("web-0", "web-1", "web-2"), ("web-0", "web-1"), ("web-0",), ()]


def revisions(stage: Stage) -> dict[str, str]:
    return {each.metadata.name: each.metadata.labels["controller-revision-hash"] for each in stage.all(Pod)}


def test_a_changed_template_replaces_the_pods_of_a_stateful_set_from_the_last():
    stage = Stage(NODE, owner("StatefulSet"), kubelet=QUICK).run()
    status = stage.get(StatefulSet, "web").status
    assert status.currentRevision == status.updateRevision and set(revisions(stage).values()) == {status.updateRevision}
    change_template(stage, StatefulSet)
    seen = []
    for _ in range(300):
        update = stage.run(0.1).get(StatefulSet, "web").status.updateRevision
        seen.append(tuple(name for name, revision in revisions(stage).items() if revision == update))
    assert list(dict.fromkeys(seen)) == [(), ("web-2",), ("web-1", "web-2"), ("web-0", "web-1", "web-2")]
    new = stage.get(StatefulSet, "web").status
    assert new.currentRevision == new.updateRevision != status.updateRevision
    assert (new.currentReplicas, new.updatedReplicas, new.observedGeneration) == (3, 3, 2)


def test_a_partition_keeps_pods_on_the_template_that_they_have():
    strategy = {"rollingUpdate": {"partition": 2}}
    stage = Stage(NODE, owner("StatefulSet", updateStrategy=strategy), kubelet=QUICK).run()
    old = revisions(stage)["web-0"]
    change_template(stage, StatefulSet)
    stage.run().delete("web-0")
    now = revisions(stage.run())
    assert now["web-0"] == now["web-1"] == old != now["web-2"]
    assert stage.get(Pod, "web-0").metadata.annotations == {} != stage.get(Pod, "web-2").metadata.annotations


def test_on_delete_waits_until_somebody_deletes_the_pod():
    stage = Stage(NODE, owner("StatefulSet", updateStrategy={"type": "OnDelete"}), kubelet=QUICK).run()
    old = revisions(stage)["web-0"]
    change_template(stage, StatefulSet)
    stage.run().delete("web-1")
    now = revisions(stage.run())
    assert now["web-0"] == now["web-2"] == old != now["web-1"]


@pytest.mark.parametrize("most", [2, "40%", "59%"])
def test_several_pods_of_a_parallel_set_are_replaced_at_once(most: int | str):
    """Percentages are rounded down (v1.37: pkg/controller/statefulset, getStatefulSetMaxUnavailable)."""
    strategy = {"rollingUpdate": {"maxUnavailable": most}}
    spec = {"podManagementPolicy": "Parallel", "updateStrategy": strategy, "replicas": 5}
    stage = Stage(NODE, owner("StatefulSet", **spec), kubelet=QUICK).run()
    change_template(stage, StatefulSet)
    assert stage.run(0.5).phases() == {"Running": 3, "Terminating": 2}
    assert set(revisions(stage.run()).values()) == {stage.get(StatefulSet, "web").status.currentRevision}


def test_pods_without_a_revision_are_taken_to_be_of_the_current_one():
    stray = pod("web-0", "n1", labels=LABELS)
    stage = Stage(NODE, stray, owner("StatefulSet"), kubelet=QUICK)
    uid = stage.get(Pod, "web-0").metadata.uid
    assert stage.run().get(Pod, "web-0").metadata.uid == uid
    change_template(stage, StatefulSet)
    assert stage.run().get(Pod, "web-0").metadata.uid != uid


@pytest.mark.parametrize(
    ("healthy", "gone"),
    [
        ("111", ["web-2"]),
        ("110", ["web-2"]),
        ("101", ["web-2"]),
        ("100", []),
        ("010", []),
        ("000", []),
        ("1", ["web-0"]),
    ],
)
def test_a_set_that_shrinks_waits_for_its_first_unhealthy_pod(healthy: str, gone: list[str]):
    """v1.37: stateful_set_control.go, processCondemned: the pods go from the last on; ``healthy``: each by ordinal."""
    (shrunk,) = documents(owner("StatefulSet", replicas=0))
    pods = documents(*(pod(f"web-{i}", "n1") for i in range(len(healthy))))
    for i, is_healthy in enumerate(healthy):
        ready = PodCondition("Ready", str(is_healthy == "1"))
        pods[i] = replace(pods[i], status=replace(pods[i].status, conditions=(ready,)))
    writes = stateful_sets.next_writes(shrunk, pods, Revisions("r", "r", {}), lambda _: None, 0)
    assert [write.obj.metadata.name for write in writes if isinstance(write, Delete)] == gone


def test_a_failed_pod_of_a_set_is_replaced_before_the_next_one_is_made():
    failed = pod("web-0", "n1", labels=LABELS)
    failed["status"]["phase"] = "Failed"
    stage = Stage(NODE, failed, owner("StatefulSet", replicas=2)).run()
    made = [entry.key for entry in stage.changes("Pod") if entry.type == "ADDED"]
    assert made[-2:] == ["default/web-0", "default/web-1"] and stage.phases() == {"Running": 2}


def test_the_next_pod_of_a_set_is_made_once_the_one_before_was_ready_long_enough():
    stage = Stage(NODE, owner("StatefulSet", minReadySeconds=30), kubelet=QUICK)
    assert stage.run(30).names() == ["web-0"]
    assert stage.run(30).names() == ["web-0", "web-1"]
    assert stage.run(60).get(StatefulSet, "web").status.availableReplicas == 3


def test_parallel_pods_are_created_and_deleted_at_once():
    stage = Stage(NODE, owner("StatefulSet", podManagementPolicy="Parallel"))
    assert stage.run(1).names() == ["web-0", "web-1", "web-2"]
    stage.run()
    scale(stage, StatefulSet, 1)
    assert stage.run(1).phases() == {"Running": 1, "Terminating": 2}


def test_a_deleted_stateful_set_pod_is_recreated_with_its_name():
    stage = Stage(NODE, owner("StatefulSet")).run()
    uid = stage.get(Pod, "web-1").metadata.uid
    stage.delete("web-1")
    assert stage.run(29).get(Pod, "web-1").metadata.uid == uid
    again = stage.run(3).get(Pod, "web-1")
    assert again.metadata.uid != uid and phase(again) in ("Pending", "Running")


def test_a_finished_stateful_set_pod_is_recreated():
    stage = Stage(NODE, owner("StatefulSet"), kubelet=QUICK).run()
    uid = stage.get(Pod, "web-0").metadata.uid
    stage.api.patch_status(Pod, "default", "web-0", phase="Failed")
    stage.run()
    assert stage.phases() == {"Running": 3}
    assert stage.get(Pod, "web-0").metadata.uid != uid


def test_each_stateful_set_pod_has_claims_that_outlive_it():
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    stage = Stage(NODE, owner("StatefulSet", replicas=2, volumeClaimTemplates=[claim]), kubelet=QUICK).run()
    assert stage.names(PersistentVolumeClaim) == ["data-web-0", "data-web-1"]
    mounted = stage.get(Pod, "web-1").spec.volumes[0]
    assert (mounted.name, mounted.persistentVolumeClaim.claimName) == ("data", "data-web-1")
    uid = stage.get(PersistentVolumeClaim, "data-web-1").metadata.uid
    stage.delete("web-1")
    stage.run()
    assert stage.get(PersistentVolumeClaim, "data-web-1").metadata.uid == uid


def test_a_pod_waits_while_its_claim_is_terminating():
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    going: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-web-0", "namespace": "default", "finalizers": ["keep/it"]},
        "spec": {"accessModes": ["ReadWriteOnce"]},
    }
    stage = Stage(NODE, going, owner("StatefulSet", volumeClaimTemplates=[claim]))
    stage.delete("data-web-0", PersistentVolumeClaim)
    assert stage.run().names() == []


# -- whatever happens

DEEDS = st.lists(
    st.tuples(st.sampled_from(["kill", "evict", "force", "fail", "scale"]), st.integers(0, 8), st.integers(0, 40)),
    max_size=12,
)


def disturb(stage: Stage, kind: type, deeds: Iterable[tuple[str, int, int]]) -> int:
    """Disturb the owner's pods; returns how many it should have in the end."""
    wanted = 3
    for deed, number, pause in deeds:
        stage.run((pause + 1) / 10)
        if deed == "scale":
            wanted = number
            scale(stage, kind, wanted)
            continue
        pods = [each for each in stage.all(Pod) if each.metadata.deletionTimestamp is None]
        if pods:
            name = pods[number % len(pods)].metadata.name
            if deed == "fail":
                stage.api.patch_status(Pod, "default", name, phase="Failed")
            elif deed == "evict":
                stage.api.evict("default", name)
            else:
                stage.delete(name, grace_seconds=0 if deed == "force" else None)
    return wanted


@pytest.mark.parametrize("kind", [*REPLICATED, "StatefulSet"])
@given(deeds=DEEDS, latency=st.sampled_from([0, 1000, 700_000]))
@settings(max_examples=40)
def test_after_any_disturbance_all_replicas_run(kind: str, deeds: list[tuple[str, int, int]], latency: int):
    stage = Stage(NODE, owner(kind), kubelet=QUICK, latency=latency)
    stage.run(5)
    wanted = disturb(stage, REPLICATED.get(kind, StatefulSet), deeds)
    stage.run(400)
    phases = stage.phases()
    phases.pop("Failed", None)
    assert phases == ({"Running": wanted} if wanted else {})
