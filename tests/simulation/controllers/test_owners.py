from collections.abc import Iterable

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from kschedlab.objects.model import (
    Deployment,
    PersistentVolumeClaim,
    Pod,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicationController,
    StatefulSet,
)
from kschedlab.simulation.controllers.kubelet import KubeletSettings
from kschedlab.simulation.controllers.owners import OwnersSettings
from kschedlab.simulation.controllers.replicas import scale as scale_writes
from kschedlab.testing import Manifest, pod
from tests.simulation.controllers.stage import LABELS, NODE, SECOND, Stage, owner, phase, template

QUICK = KubeletSettings(start=SECOND, stop=SECOND)
REPLICATED = {"ReplicaSet": ReplicaSet, "ReplicationController": ReplicationController, "Deployment": Deployment}


def scale(stage: Stage, kind: type, replicas: int, name: str = "web") -> None:
    found = stage.get(kind, name)
    stage.api.update(replace(found, spec=replace(found.spec, replicas=replicas)), by="test")


@pytest.mark.parametrize("kind", [*REPLICATED, "StatefulSet"])
def test_an_owner_creates_its_replicas(kind: str):
    stage = Stage(NODE, owner(kind)).run()
    assert stage.phases() == {"Running": 3}
    references = {each.kind for pod in stage.all(Pod) for each in pod.metadata.ownerReferences if each.controller}
    assert references == {"ReplicaSet" if kind == "Deployment" else kind}
    status = stage.get(REPLICATED.get(kind, StatefulSet), "web").status
    assert (status.replicas, status.readyReplicas, status.availableReplicas) == (3, 3, 3)


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
    assert len(made) == 1203
    assert len({entry.at for entry in made}) == 3


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


def test_a_changed_template_replaces_all_pods_the_old_ones_first():
    stage = Stage(NODE, owner("Deployment"), kubelet=QUICK).run()
    found = stage.get(Deployment, "web")
    changed = replace(found.spec.template, metadata=replace(found.spec.template.metadata, annotations={"v": "2"}))
    old = set(stage.names())
    stage.api.update(replace(found, spec=replace(found.spec, template=changed)), by="test")
    most = max(sum(stage.run(0.1).phases().values()) for _ in range(100))
    assert most == 3
    assert stage.phases() == {"Running": 3} and not old & set(stage.names())
    assert sorted(each.spec.replicas for each in stage.all(ReplicaSet)) == [0, 3]


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
