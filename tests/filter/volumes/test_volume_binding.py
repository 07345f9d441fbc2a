"""VolumeBinding: rows in the manner of v1.37's volume_binding_test.go and binder_test.go."""

import pytest

from kschedlab.build import cluster, node, pod, term
from kschedlab.filter.volumes.matching import match
from kschedlab.filter.volumes.volume_binding import (
    BIND_CONFLICT,
    NODE_CONFLICT,
    NOT_ENOUGH_SPACE,
    UNBOUND_IMMEDIATE,
    VOLUME_MISSING,
    VolumeBinding,
)
from kschedlab.scheduler import schedule
from tests.storage import claim, csi_driver, csi_node, ephemeral, mount, storage_capacity, storage_class, volume
from tests.verdicts import judged, refused

PLUGIN = VolumeBinding()
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
WANTED = pod("p", volumes=[mount("c")])
SELECTED = "volume.kubernetes.io/selected-node"
NO_ROOM = {"a": [BIND_CONFLICT], "b": [BIND_CONFLICT]}


def host(name, **labels):
    return node(name, labels={HOST: name} | labels)


def at(*names):
    return term(f"{HOST} In {','.join(names)}")


NODES = [host("a"), host("b")]
LOCAL = [*NODES, storage_class("wait", "kubernetes.io/no-provisioner")]
MADE = [*NODES, storage_class("wait")]


# -- PreFilter


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([], 'persistentvolumeclaim "c" not found'),
        ([claim("c", "pv", phase="Lost")], 'persistentvolumeclaim "c" bound to non-existent persistentvolume "pv"'),
        ([claim("c", "pv", deleted="2024-01-01T00:00:00Z")], 'persistentvolumeclaim "c" is being deleted'),
        ([claim("c"), storage_class("wait", waits=False)], UNBOUND_IMMEDIATE),
        ([claim("c")], UNBOUND_IMMEDIATE),
        ([claim("c", of="")], UNBOUND_IMMEDIATE),
        ([claim("c", volumeName="pv"), storage_class("wait")], UNBOUND_IMMEDIATE),
    ],
)
def test_claims_that_reject_the_pod(objects, reason):
    assert refused(PLUGIN, WANTED, *NODES, *objects) == {"*": [reason]}


def owner(uid):
    wanted = pod("p", volumes=[ephemeral("v")])
    wanted["metadata"]["uid"] = uid
    return wanted


def test_an_ephemeral_volumes_claim_must_exist_and_belong_to_the_pod():
    waiting = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"'
    assert refused(PLUGIN, owner("u"), *NODES) == {"*": [waiting]}
    foreign = "PVC default/p-v was not created for pod default/p (pod is not owner)"
    assert refused(PLUGIN, owner("u"), *NODES, claim("p-v", "pv", owner="other")) == {"*": [foreign]}
    own = [claim("p-v", "pv", owner="u"), volume("pv", at("a"))]
    assert refused(PLUGIN, owner("u"), *NODES, *own) == {"b": [NODE_CONFLICT]}


def test_it_skips_pods_without_claims():
    world = cluster(*NODES, pod("p", volumes=[{"name": "v", "projected": {}}]))
    assert PLUGIN.prepare(world.pending["default/p"], world) is None


# -- bound claims


def test_a_bound_volume_must_be_usable_on_the_node():
    assert refused(PLUGIN, WANTED, *NODES, claim("c", "pv"), volume("pv")) == {}
    found = refused(PLUGIN, WANTED, *NODES, claim("c", "pv"), volume("pv", at("a")))
    assert found == {"b": [NODE_CONFLICT]}
    assert refused(PLUGIN, WANTED, *NODES, claim("c", "pv"), volume("pv", at("a"), at("b"))) == {}


def test_conditions_on_the_nodes_name_are_ignored():
    mixed = term(f"{HOST} In a,b", "metadata.name In b")
    assert refused(PLUGIN, WANTED, *NODES, claim("c", "pv"), volume("pv", mixed)) == {}


def test_a_bound_volume_that_does_not_exist():
    missing = {"a": [VOLUME_MISSING], "b": [VOLUME_MISSING]}
    assert refused(PLUGIN, WANTED, *NODES, claim("c", "pv")) == missing


def test_the_first_claim_that_fails_decides():
    both = pod("p", volumes=[mount("c"), mount("d", "w")])
    found = refused(PLUGIN, both, *NODES, claim("c", "pv"), volume("pv", at("a")), claim("d", "gone"))
    assert found == {"a": [VOLUME_MISSING], "b": [NODE_CONFLICT]}


def test_no_preemption_for_a_volume():
    without_space = [*MADE, claim("c"), csi_driver(storageCapacity=True), storage_capacity("r", "a", "99Gi")]
    for objects in (
        [*NODES, claim("c", "pv"), volume("pv", at("a"))],
        [*LOCAL, claim("c"), volume("pv", at("a"))],
        without_space,
    ):
        _, verdicts = judged(PLUGIN, WANTED, *objects)
        assert verdicts.unresolvable().sum() == 1


EBS_ZONE = "topology.ebs.csi.aws.com/zone"


def test_where_a_driver_replaced_the_plugin_its_labels_count():
    nodes = [
        host("old", **{ZONE: "z"}),
        host("moved", **{ZONE: "y", EBS_ZONE: "z"}),
        host("elsewhere", **{ZONE: "z", EBS_ZONE: "y"}),
    ]
    csi_nodes = [csi_node(name, ["kubernetes.io/aws-ebs"]) for name in ("moved", "elsewhere")]
    held = volume("pv", term(f"{ZONE} In z"), awsElasticBlockStore={"volumeID": "vol-1"})
    found = refused(PLUGIN, WANTED, *nodes, *csi_nodes, claim("c", "pv"), held)
    assert found == {"elsewhere": [NODE_CONFLICT]}


def test_a_volume_that_cannot_be_translated_is_an_error():
    held = volume("pv", awsElasticBlockStore={"volumeID": "aws://zone/disk-1"})
    objects = [*NODES, csi_node("a", ["kubernetes.io/aws-ebs"]), claim("c", "pv"), held]
    decision = schedule("default/p", cluster(*objects, WANTED))
    assert decision.error == (
        'running "VolumeBinding" filter plugin: could not translate pv: failed to translate Kubernetes ID to EBS '
        "Volume ID Invalid format for AWS volume (aws://zone/disk-1)"
    )


# -- unbound claims: existing volumes


def test_a_claim_gets_a_volume_that_the_node_can_use():
    assert refused(PLUGIN, WANTED, *LOCAL, claim("c")) == NO_ROOM
    assert refused(PLUGIN, WANTED, *LOCAL, claim("c"), volume("pv", at("b"))) == {"a": [BIND_CONFLICT]}


@pytest.mark.parametrize(
    ("of_claim", "of_volume", "fits"),
    [
        ({"size": "5Gi"}, {"size": "5Gi"}, True),
        ({"size": "5Gi"}, {"size": "5120Mi"}, True),
        ({"size": "5Gi"}, {"size": "5G"}, False),
        ({}, {"of": "other"}, False),
        ({}, {"of": "other", "annotations": {"volume.beta.kubernetes.io/storage-class": "wait"}}, True),
        ({}, {"phase": "Released"}, False),
        ({}, {"deleted": "2024-01-01T00:00:00Z"}, False),
        ({"volumeMode": "Block"}, {}, False),
        ({"volumeMode": "Block"}, {"volumeMode": "Block"}, True),
        ({"accessModes": ["ReadWriteMany"]}, {}, False),
        ({"accessModes": ["ReadWriteMany"]}, {"accessModes": ["ReadWriteOnce", "ReadWriteMany"]}, True),
        ({"volumeAttributesClassName": "fast"}, {}, False),
        ({"volumeAttributesClassName": "fast"}, {"volumeAttributesClassName": "fast"}, True),
        ({}, {"volumeAttributesClassName": "fast"}, False),
        ({"selector": {"matchLabels": {"tier": "gold"}}}, {"labels": {"tier": "iron"}}, False),
        ({"selector": {"matchLabels": {"tier": "gold"}}}, {"labels": {"tier": "gold"}}, True),
        ({}, {"kept_for": "c"}, True),
        ({}, {"kept_for": "c", "phase": "Pending"}, True),
        ({}, {"kept_for": "other"}, False),
        ({"size": "5Gi"}, {"kept_for": "c"}, False),
    ],
)
def test_which_volume_fits_which_claim(of_claim, of_volume, fits):
    found = refused(PLUGIN, WANTED, *LOCAL, claim("c", **of_claim), volume("pv", **of_volume))
    assert found == ({} if fits else NO_ROOM)


def test_a_volume_reserved_for_a_claim_with_another_uid_is_not_used():
    reference = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "c", "uid": "other"}
    assert refused(PLUGIN, WANTED, *LOCAL, claim("c"), volume("pv", claimRef=reference)) == NO_ROOM


def test_a_volume_reserved_for_the_claim_is_preferred():
    volumes = [volume("free"), volume("kept", at("a"), size="9Gi", kept_for="c")]
    assert refused(PLUGIN, WANTED, *LOCAL, claim("c"), *volumes) == {"b": [BIND_CONFLICT]}


def chosen(objects, *claims):
    """The volumes that the claims get, by claim and node."""
    world = cluster(*objects)
    found = match(world, [world.volumes.claims["default", name] for name in claims])
    return {
        m.claim.metadata.name: {
            node: m.candidates.volumes[number].metadata.name if number >= 0 else None
            for node, number in zip(world.names, m.choice.tolist(), strict=True)
        }
        for m in found.matched
    }


def test_each_of_two_claims_gets_the_volume_that_is_reserved_for_it():
    volumes = [volume("free"), volume("kept-c", size="9Gi", kept_for="c"), volume("kept-d", size="9Gi", kept_for="d")]
    got = chosen([*LOCAL, claim("c"), claim("d"), *volumes], "c", "d")
    assert got == {"c": {"a": "kept-c", "b": "kept-c"}, "d": {"a": "kept-d", "b": "kept-d"}}


def test_the_smallest_volume_that_fits_is_taken():
    volumes = [volume("big", size="9Gi"), volume("small", at("a"), size="3Gi"), volume("tiny", size="1Gi")]
    assert chosen([*LOCAL, claim("c", size="2Gi"), *volumes], "c") == {"c": {"a": "small", "b": "big"}}


def test_no_volume_is_taken_twice_and_small_claims_choose_first():
    volumes = [volume("big", size="9Gi"), volume("small", size="3Gi")]
    claims = [claim("large", size="2Gi"), claim("little", size="1Gi")]
    assert chosen([*LOCAL, *claims, *volumes], "large", "little") == {
        "little": {"a": "small", "b": "small"},
        "large": {"a": "big", "b": "big"},
    }
    both = pod("p", volumes=[mount("large"), mount("little", "w")])
    assert refused(PLUGIN, both, *LOCAL, *claims, volumes[0]) == NO_ROOM


def test_equal_volumes_satisfy_as_many_claims():
    alike = [volume(f"pv{i}") for i in range(3)]
    claims = [claim("c"), claim("d")]
    found = chosen([*LOCAL, *claims, *alike], "c", "d")
    assert all(found["c"][name] != found["d"][name] is not None for name in ("a", "b"))
    three = pod("p", volumes=[mount("c"), mount("d", "w"), mount("e", "x")])
    assert refused(PLUGIN, three, *LOCAL, *claims, claim("e"), *alike) == {}
    assert refused(PLUGIN, three, *LOCAL, *claims, claim("e"), *alike[1:]) == NO_ROOM


def test_a_claim_that_is_mounted_twice_needs_two_volumes():
    """v1.37: binder.go, findMatchingVolumes, goes through the pod's volumes, not through its claims."""
    twice = pod("p", volumes=[mount("c"), mount("c", "w")])
    assert refused(PLUGIN, twice, *LOCAL, claim("c"), volume("pv")) == NO_ROOM
    assert refused(PLUGIN, twice, *LOCAL, claim("c"), volume("pv"), volume("pw")) == {}


# -- unbound claims: new volumes


def test_a_class_provisions_volumes_only_in_its_topologies():
    allowed = [{"matchLabelExpressions": [{"key": HOST, "values": ["a", "c"]}]}]
    objects = [*NODES, storage_class("wait", allowedTopologies=allowed), claim("c")]
    assert refused(PLUGIN, WANTED, *objects) == {"b": [BIND_CONFLICT]}
    assert refused(PLUGIN, WANTED, *MADE, claim("c")) == {}


@pytest.mark.parametrize(
    ("rooms", "want"),
    [
        ([], {"a": [NOT_ENOUGH_SPACE], "b": [NOT_ENOUGH_SPACE]}),
        ([storage_capacity("r", "a", "5Gi")], {"b": [NOT_ENOUGH_SPACE]}),
        ([storage_capacity("r", "a", "4Gi"), storage_capacity("s", "b", "6Gi")], {"a": [NOT_ENOUGH_SPACE]}),
        (
            [storage_capacity("r", "a", "9Gi", largest="4Gi"), storage_capacity("s", "b", None, largest="5Gi")],
            {"a": [NOT_ENOUGH_SPACE]},
        ),
        ([storage_capacity("r", "a", "9Gi", of="other"), storage_capacity("s", "b", "9Gi")], {"a": [NOT_ENOUGH_SPACE]}),
        ([storage_capacity("r", "a", None), storage_capacity("s", "b", "9Gi")], {"a": [NOT_ENOUGH_SPACE]}),
    ],
)
def test_a_driver_that_reports_capacity_must_have_enough(rooms, want):
    objects = [*MADE, claim("c", size="5Gi"), *rooms]
    assert refused(PLUGIN, WANTED, *objects, csi_driver(storageCapacity=True)) == want
    assert refused(PLUGIN, WANTED, *objects, csi_driver(storageCapacity=False)) == {}


def test_a_node_that_was_selected_for_the_new_volume_is_the_only_one():
    assert refused(PLUGIN, WANTED, *MADE, claim("c", annotations={SELECTED: "b"})) == {"a": [BIND_CONFLICT]}
    assert refused(PLUGIN, WANTED, *MADE, claim("c", annotations={SELECTED: "gone"})) == NO_ROOM
    local = [*LOCAL, claim("c", annotations={SELECTED: "b"}), volume("pv")]
    assert refused(PLUGIN, WANTED, *local) == NO_ROOM


def test_in_v1_28_only_the_nodes_that_all_local_volumes_name_are_looked_at():
    """volumebinding/binder.go, GetEligibleNodes."""
    both = pod("p", volumes=[mount("c"), mount("d", "w")])
    volumes = [volume("pv", at("a", "b"), phase="Bound"), volume("pw", at("b", "c"), phase="Bound")]
    claims = [claim("c", "pv"), claim("d", "pw")]
    found = refused(VolumeBinding(names_local_nodes=True), both, *LOCAL, host("c"), *claims, *volumes)
    assert found == {"a": ["excluded"], "c": ["excluded"]}


def test_bound_and_unbound_claims_both_give_reasons():
    both = pod("p", volumes=[mount("c"), mount("d", "w")])
    found = refused(PLUGIN, both, *LOCAL, claim("c", "pv"), volume("pv", at("a"), phase="Bound"), claim("d"))
    assert found == {"a": [BIND_CONFLICT], "b": [NODE_CONFLICT, BIND_CONFLICT]}
