from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod, term
from kschedlab.cluster.volumes import BOUND, SELECTED_NODE
from kschedlab.objects.model import ApiObject, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota
from kschedlab_simulation.controllers.claim_binding import best_volume, mismatch, plan_for_volume
from kschedlab_simulation.log import Recorded
from kschedlab_simulation.status import ApiError
from kschedlab_simulation.volume_claims import claim_reference
from packages.simulation.tests.controllers.stage import NODE, Stage, documents, owner
from tests.storage import claim, csi_node, ephemeral, storage_class, volume


def phases(stage: Stage, kind: type) -> dict[str, str]:
    return {each.metadata.name: each.status.phase for each in stage.all(kind)}


def bound_to(stage: Stage, name: str) -> str:
    """The volume of a claim that is fully bound, or ""."""
    found = stage.get(PersistentVolumeClaim, name)
    if found.status.phase != "Bound" or BOUND not in found.metadata.annotations:
        return ""
    other = stage.get(PersistentVolume, found.spec.volumeName, "")
    reference = other.spec.claimRef
    assert (other.status.phase, reference.name, reference.uid) == ("Bound", name, found.metadata.uid)
    return other.metadata.name


def annotate(stage: Stage, name: str, **annotations: str) -> None:
    found = stage.get(PersistentVolumeClaim, name)
    metadata = replace(found.metadata, annotations=found.metadata.annotations | annotations)
    stage.api.update(replace(found, metadata=metadata), by="test")


def test_a_claim_gets_the_volume_that_names_it():
    stage = Stage(volume("other"), volume("mine", kept_for="c", size="9Gi"), claim("c"), storage_class("wait")).run(1)
    assert bound_to(stage, "c") == "mine"
    assert phases(stage, PersistentVolume) == {"other": "Available", "mine": "Bound"}
    assert stage.get(PersistentVolumeClaim, "c").status.capacity["storage"].value() == 9 * 2**30


def test_a_wait_for_first_consumer_claim_stays_unbound():
    stage = Stage(volume("v"), claim("c"), storage_class("wait")).run()
    assert phases(stage, PersistentVolumeClaim) == {"c": "Pending"}
    assert stage.events() == [("WaitForFirstConsumer", "waiting for first consumer to be created before binding")]


def test_a_claim_says_for_which_pods_it_waits():
    stage = Stage(NODE, claim("c"), storage_class("wait"), binds=False).run(1)
    stage.create(pod("a", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]))
    assert stage.run(10).events()[-1][0] == "WaitForFirstConsumer"
    assert stage.run(10).events()[-1] == ("WaitForPodScheduled", "waiting for pod a to be scheduled")
    stage.create(pod("b", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]))
    assert stage.run(20).events()[-1] == ("WaitForPodScheduled", "waiting for pods a,b to be scheduled")
    assert {entry.by for entry in stage.log if isinstance(entry, Recorded)} == {"persistentvolume-controller"}


def test_the_volume_chosen_by_the_scheduler_is_bound():
    stage = Stage(volume("v"), claim("c"), storage_class("wait")).run(1)
    found, its = stage.get(PersistentVolume, "v", ""), stage.get(PersistentVolumeClaim, "c")
    stage.api.update(replace(found, spec=replace(found.spec, claimRef=claim_reference(its))), by="scheduler")
    assert bound_to(stage.run(1), "c") == "v"


def test_an_immediate_claim_gets_the_smallest_matching_volume():
    volumes = [volume(f"v{size}", size=f"{size}Gi", of="now") for size in (9, 1, 3, 5)]
    stage = Stage(*volumes, claim("c", size="2Gi", of="now"), storage_class("now", waits=False)).run(1)
    assert bound_to(stage, "c") == "v3"


def test_a_waiting_claim_gets_a_new_volume_at_the_next_resync():
    stage = Stage(claim("c", of="")).run(20)
    stage.create(volume("v", of=""))
    assert bound_to(stage.run(9), "c") == ""
    assert bound_to(stage.run(2), "c") == "v"


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"size": "1Mi"}, "requested PV is too small"),
        ({"of": "fast"}, "storageClassName does not match"),
        ({"volumeMode": "Block"}, "incompatible volumeMode"),
        ({"accessModes": ["ReadOnlyMany"]}, "incompatible accessMode"),
        ({"volumeAttributesClassName": "gold"}, "volumeAttributesClassName does not match"),
        ({}, ""),
    ],
)
def test_a_requested_volume_must_match(fields: dict[str, Any], fault: str):
    asking = claim("c", volumeName="v")
    found, its = documents(volume("v", **fields), asking)
    assert mismatch(found, its) == fault
    stage = Stage(volume("v", **fields), asking, storage_class("wait")).run(1)
    assert bound_to(stage, "c") == ("" if fault else "v")
    assert stage.events() == ([("VolumeMismatch", f'Cannot bind to requested volume "v": {fault}')] if fault else [])


def test_a_volume_of_another_claim_is_not_bound():
    stage = Stage(volume("v", kept_for="b"), claim("b"), claim("c", volumeName="v"), storage_class("wait")).run(1)
    assert (bound_to(stage, "b"), bound_to(stage, "c")) == ("v", "")
    assert ("FailedBinding", 'volume "v" already bound to a different claim.') in stage.events()


def test_volumes_with_fewer_access_modes_come_before_smaller_ones():
    wide = volume("wide", size="1Gi", of="now", accessModes=["ReadWriteOnce", "ReadOnlyMany"])
    *volumes, its = documents(wide, volume("narrow", size="8Gi", of="now"), claim("c", of="now"))
    assert best_volume(its, volumes, delayed=False).metadata.name == "narrow"


@pytest.mark.parametrize("not_free", [{"phase": "Released"}, {"labels": {"disk": "hdd"}}, {"of": "fast"}])
def test_unavailable_and_unselected_volumes_are_skipped(not_free: dict[str, Any]):
    fitting = {"labels": {"disk": "ssd"}, "of": "now", "size": "9Gi"}
    its = claim("c", of="now", selector={"matchLabels": {"disk": "ssd"}})
    *volumes, its = documents(volume("bad", **fitting | not_free | {"size": "1Gi"}), volume("good", **fitting), its)
    assert best_volume(its, volumes, delayed=False).metadata.name == "good"


# -- volumes that are made


def test_a_volume_is_provisioned_for_the_selected_node():
    zoned = node("n1", labels={"zone": "a", "rack": "7"})
    driver = csi_node("n1", csi_example_com=None)
    driver["spec"]["drivers"][0]["topologyKeys"] = ["zone"]
    stage = Stage(zoned, driver, claim("c", size="3Gi"), storage_class("wait")).run(5)
    assert stage.all(PersistentVolume) == []
    annotate(stage, "c", **{SELECTED_NODE: "n1"})
    assert stage.run(0.5).all(PersistentVolume) == []
    name = bound_to(stage.run(1), "c")
    made = stage.get(PersistentVolume, name, "")
    assert name == f"pvc-{stage.get(PersistentVolumeClaim, 'c').metadata.uid}"
    assert (made.spec.capacity["storage"].value(), made.spec.csi.driver) == (3 * 2**30, "csi.example.com")
    terms = made.spec.nodeAffinity.required.nodeSelectorTerms
    assert [(each.key, each.values) for each in terms[0].matchExpressions] == [("zone", ("a",))]
    assert ("ProvisioningSucceeded", f"Successfully provisioned volume {name}") in stage.events()


def test_without_driver_topology_the_class_decides():
    topologies = [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]
    zoned = node("n1", labels={"zone": "b"})
    classes = [storage_class(name, waits=name == "wait", allowedTopologies=topologies) for name in ("wait", "now")]
    chosen = claim("c", annotations={SELECTED_NODE: "n1"})
    stage = Stage(zoned, *classes, chosen, claim("d", of="now")).run(5)
    where = {}
    for name in ("c", "d"):
        affinity = stage.get(PersistentVolume, bound_to(stage, name), "").spec.nodeAffinity
        where[name] = affinity.required.nodeSelectorTerms[0].matchExpressions[0].values
    assert where == {"c": ("b",), "d": ("a",)}


def test_without_any_topology_the_volume_is_accessible_everywhere():
    stage = Stage(claim("d", of="now"), storage_class("now", waits=False)).run(5)
    assert stage.get(PersistentVolume, bound_to(stage, "d"), "").spec.nodeAffinity is None


@pytest.mark.parametrize(
    ("provisioner", "driver", "where"),
    [
        ("ebs.csi.aws.com", "ebs.csi.aws.com", None),
        ("kubernetes.io/aws-ebs", "ebs.csi.aws.com", ("topology.kubernetes.io/zone", "a")),
        ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", ("topology.kubernetes.io/zone", "a")),
        ("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", None),
        ("rancher.io/local-path", None, ("kubernetes.io/hostname", "n1")),
        ("k8s.io/minikube-hostpath", None, None),
        ("example.com/nfs", None, None),
    ],
)
def test_any_provisioner_makes_volumes(provisioner: str, driver: str | None, where: tuple[str, str] | None):
    zoned = node("n1", labels={"topology.kubernetes.io/zone": "a", "kubernetes.io/hostname": "n1"})
    stage = Stage(zoned, storage_class("wait", provisioner), claim("c", annotations={SELECTED_NODE: "n1"})).run(5)
    spec = stage.get(PersistentVolume, bound_to(stage, "c"), "").spec
    assert spec.csi.driver == driver if driver else spec.hostPath.path.startswith("/opt/")
    terms = spec.nodeAffinity.required.nodeSelectorTerms if spec.nodeAffinity is not None else ()
    assert [(e.key, e.values) for term in terms for e in term.matchExpressions] == (
        [(where[0], (where[1],))] if where else []
    )


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], 'storageclass.storage.k8s.io "now" not found'),
        (
            [storage_class("now", "kubernetes.io/no-provisioner", waits=False)],
            "no volume plugin matched name: kubernetes.io/no-provisioner",
        ),
        ([storage_class("now", "rancher.io/local-path", waits=False)], "configuration error, no node was specified"),
    ],
)
def test_failed_provisioning_is_reported(classes: list[Manifest], message: str):
    stage = Stage(*classes, claim("c", of="now")).run(60)
    assert stage.events() == [("ProvisioningFailed", message)]
    assert phases(stage, PersistentVolumeClaim) == {"c": "Pending"}


def test_a_claim_gets_a_volume_once_its_class_is_made_and_names_the_driver():
    """v1.37: pkg/controller/volume/persistentvolume, setClaimProvisioner (both annotations); a look each 15 seconds."""
    stage = Stage(claim("c", of="now")).run(20)
    stage.create(storage_class("now", waits=False))
    stage.run(20)
    assert bound_to(stage, "c")
    annotations = stage.get(PersistentVolumeClaim, "c").metadata.annotations
    assert annotations["volume.kubernetes.io/storage-provisioner"] == "csi.example.com"
    assert annotations["volume.beta.kubernetes.io/storage-provisioner"] == "csi.example.com"


def test_a_volume_that_the_api_server_refuses_is_reported(monkeypatch: pytest.MonkeyPatch):
    stage = Stage(claim("d", of="now"), storage_class("now", waits=False))
    create = stage.api.create

    def refuses(made: ApiObject, **more: Any) -> ApiObject:
        if isinstance(made, PersistentVolume):
            raise ApiError.conflict(PersistentVolume, made.metadata.name)
        return create(made, **more)

    monkeypatch.setattr(stage.api, "create", refuses)
    assert "ProvisioningFailed" in dict(stage.run(5).events())


def test_a_claim_without_a_class_gets_the_default_class():
    usual = storage_class("usual", waits=False)
    usual["metadata"]["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    bare = claim("c")
    bare["spec"]["storageClassName"] = None
    stage = Stage(usual, bare).run(5)
    assert stage.get(PersistentVolumeClaim, "c").spec.storageClassName == "usual"
    assert bound_to(stage, "c") != ""


# -- claims and volumes that go


def test_a_provisioned_volume_is_deleted_or_retained_by_its_reclaim_policy():
    kept = storage_class("kept", waits=False, reclaimPolicy="Retain")
    stage = Stage(kept, storage_class("now", waits=False), claim("c", of="now"), claim("d", of="kept")).run(5)
    volume_of_d = bound_to(stage, "d")
    stage.delete("c", PersistentVolumeClaim)
    stage.delete("d", PersistentVolumeClaim)
    assert set(phases(stage.run(0.5), PersistentVolume).values()) == {"Released"}
    assert phases(stage.run(5), PersistentVolume) == {volume_of_d: "Released"}


def test_a_released_volume_is_not_bound_again():
    stage = Stage(volume("v", of="", kept_for="c"), claim("c", of="")).run(1)
    stage.delete("c", PersistentVolumeClaim)
    stage.run(1)
    stage.create(claim("c", of=""))
    assert phases(stage.run(60), PersistentVolumeClaim) == {"c": "Pending"}


def test_a_claim_without_its_volume_is_lost():
    stage = Stage(volume("v", of="", kept_for="c"), claim("c", of="")).run(1)
    stage.api.delete(PersistentVolume, "", "v")
    assert phases(stage.run(1), PersistentVolumeClaim) == {"c": "Lost"}


def test_an_initially_bound_claim_stays_bound():
    bound = volume("v", phase="Bound", claimRef={"namespace": "default", "name": "c", "uid": "uid-of-c"})
    stage = Stage(bound, claim("c", "v")).run(1)
    assert bound_to(stage, "c") == "v"
    assert stage.changes("PersistentVolume")[1:] == []


def test_ephemeral_claims_are_created_and_deleted_with_their_pod():
    fast = ephemeral("data")
    fast["ephemeral"]["volumeClaimTemplate"]["spec"] |= {"storageClassName": "now"}
    stage = Stage(NODE, pod("p", volumes=[fast]), storage_class("now", waits=False)).run(10)
    assert bound_to(stage, "p-data") != ""
    assert stage.get(PersistentVolumeClaim, "p-data").metadata.ownerReferences[0].name == "p"
    stage.delete("p")
    stage.run(60)
    assert stage.all(PersistentVolumeClaim) == stage.all(PersistentVolume) == []


def test_a_refused_ephemeral_claim_is_made_once_there_is_room():
    """v1.37: pkg/controller/volume/ephemeral/controller.go, handleVolume: an error puts the pod back into the queue."""
    hard = {"persistentvolumeclaims": "0"}
    metadata = {"name": "q", "namespace": "default"}
    full = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}}
    stage = Stage(NODE, full, pod("p", volumes=[ephemeral("data")])).run(10)
    assert stage.names(PersistentVolumeClaim) == []
    stage.delete("q", ResourceQuota)
    assert stage.run(60).names(PersistentVolumeClaim) == ["p-data"]


def test_claims_of_a_stateful_set_get_volumes():
    template = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "now"}}
    template["spec"]["resources"] = {"requests": {"storage": "1Gi"}}
    stage = Stage(NODE, owner("StatefulSet", volumeClaimTemplates=[template]), storage_class("now", waits=False)).run(
        30
    )
    assert set(phases(stage, PersistentVolumeClaim).values()) == {"Bound"}
    assert len(stage.all(Pod)) == len(stage.all(PersistentVolume)) == 3


def test_volume_node_affinity_stays_unchanged():
    local = volume("v", term("disk In ssd"), kept_for="c")
    stage = Stage(local, claim("c"), storage_class("wait")).run(1)
    assert bound_to(stage, "c") == "v"
    assert stage.get(PersistentVolume, "v", "").spec.nodeAffinity is not None


# -- the default class at creation (v1.37: plugin/pkg/admission/storage/storageclass/setdefault/admission_test.go)


def default(name: str, key: str = "storageclass.kubernetes.io/is-default-class", value: str = "true", **metadata: Any):
    made = storage_class(name, waits=False)
    made["metadata"] |= {"annotations": {key: value}} | metadata
    return made


BETA = "storageclass.beta.kubernetes.io/is-default-class"


@pytest.mark.parametrize(
    ("classes", "named", "expected"),
    [
        ([], None, None),
        ([default("default1")], None, "default1"),
        ([default("default2", BETA)], None, "default2"),
        ([default("nondefault1", value="false")], None, None),
        ([storage_class("nondefault2")], None, None),
        ([default("default1")], "foo", "foo"),
        ([default("default1")], "", ""),
        (
            [
                default("old", creationTimestamp="2022-01-01T00:00:00Z"),
                default("new", creationTimestamp="2022-02-02T00:00:00Z"),
            ],
            None,
            "new",
        ),
        ([default("b"), default("a")], None, "a"),
    ],
)
def test_a_new_claim_gets_the_default_class(classes: list[Manifest], named: str | None, expected: str | None):
    made = claim("c", of="x")
    made["spec"].pop("storageClassName")
    del made["metadata"]["uid"]
    if named is not None:
        made["spec"]["storageClassName"] = named
    stage = Stage(*classes)
    stage.create(made)
    assert stage.get(PersistentVolumeClaim, "c").spec.storageClassName == expected


@pytest.mark.parametrize(
    ("annotations", "policy", "made_for_it"),
    [
        ({"pv.kubernetes.io/provisioned-by": "p"}, "Delete", True),
        ({"pv.kubernetes.io/provisioned-by": "p"}, "Retain", False),
        ({}, "Delete", False),
    ],
)
def test_a_volume_whose_claim_took_another_one_goes_if_it_was_made_for_it(
    annotations: dict[str, str], policy: str, made_for_it: bool
):
    """v1.37: pkg/controller/volume/persistentvolume/pv_controller.go, syncVolume."""
    mine = claim("c", "other")
    spare = volume("spare", annotations=annotations, kept_for="c", persistentVolumeReclaimPolicy=policy)
    spare["spec"]["claimRef"]["uid"] = mine["metadata"]["uid"]
    stage = Stage(mine, volume("other", kept_for="c"), spare)
    planned = plan_for_volume(
        stage.get(PersistentVolume, "spare", ""), {"default/c": stage.get(PersistentVolumeClaim, "c")}
    )
    assert planned.reclaim is made_for_it


@pytest.mark.parametrize(("by_controller", "reference"), [(True, None), (False, "")])
def test_a_volume_whose_claim_took_another_one_is_given_back(by_controller: bool, reference: str | None):
    """v1.37: pv_controller.go, unbindVolume. Whoever reserved it for the claim by hand still has it reserved."""
    annotations = {"keep": "me"} | ({"pv.kubernetes.io/bound-by-controller": "yes"} if by_controller else {})
    spare = volume("spare", annotations=annotations, kept_for="c")
    spare["spec"]["claimRef"]["uid"] = claim("c")["metadata"]["uid"]
    stage = Stage(claim("c", "other"), volume("other", kept_for="c"), spare).run(1)
    left = stage.get(PersistentVolume, "spare", "")
    assert (left.spec.claimRef and left.spec.claimRef.uid) == reference
    assert (left.metadata.annotations, left.status.phase) == ({"keep": "me"}, "Available")


@pytest.mark.parametrize(("uid", "phase"), [(None, "Bound"), ("uid-of-c", "Bound"), ("another", "Lost")])
def test_a_bound_claim_is_lost_once_its_volume_has_another(uid: str | None, phase: str):
    """v1.37: pv_controller.go, syncBoundClaim."""
    taken = volume("v")
    if uid is not None:
        taken["spec"]["claimRef"] = {"namespace": "default", "name": "c", "uid": uid}
    stage = Stage(taken, claim("c", "v")).run(1)
    assert stage.get(PersistentVolumeClaim, "c").status.phase == phase
