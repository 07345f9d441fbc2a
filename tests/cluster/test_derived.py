"""Derived values are computed once, and dropped when, and only when, their sources change."""

import msgspec
import numpy as np
import pytest

from kschedlab.build import budget, cluster, node, pod
from kschedlab.cluster.derived import (
    ALLOCATABLE,
    ANNOTATIONS,
    ATTACHMENTS,
    CAPACITIES,
    CLAIMS,
    CLASSES,
    CONDITIONS,
    CORDONS,
    CSI_DRIVERS,
    CSI_NODES,
    EVERY_FIELD,
    IMAGES,
    LABELS,
    LIMIT,
    NAMESPACES,
    OWNERS,
    PERSISTENT_VOLUMES,
    TAINTS,
    VOLUMES,
    DerivedValues,
    bindable,
)
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    PriorityClass,
    ReplicaSet,
    Service,
    StorageClass,
    VolumeAttachment,
)
from tests.cluster.checking import check
from tests.storage import attachment, claim, csi, csi_driver, csi_node, storage_capacity, storage_class, volume
from tests.verdicts import PLENTY

OBJECTS = (*OWNERS, NAMESPACES, CLAIMS, PERSISTENT_VOLUMES, CLASSES, CSI_NODES, CSI_DRIVERS, CAPACITIES, ATTACHMENTS)
SOURCES = (*sorted(EVERY_FIELD), *OBJECTS, VOLUMES, bindable("wait"), bindable("other"))


def dropped(world, change):
    """The sources whose derived values the change drops; a value without sources must stay."""
    for source in SOURCES:
        world.derived(source, object, source)
    known = {source: world.derived(source, object, source) for source in SOURCES}
    constant = world.derived("constant", object)
    change()
    assert world.derived("constant", object) is constant
    return {source for source, derived in known.items() if world.derived(source, object, source) is not derived}


def apply(world, *manifests):
    objects = decode_objects(manifests)
    world.change_nodes((each.metadata.name, each) for each in objects.nodes)
    kinds = (PodDisruptionBudget, PriorityClass, Namespace, Service, ReplicaSet, PersistentVolume)
    kinds += (PersistentVolumeClaim, StorageClass, CSINode, CSIDriver, CSIStorageCapacity, VolumeAttachment)
    for kind in kinds:
        world.change_objects(objects.of(kind))


NODE = node("a", labels={"zone": "z"})


@pytest.mark.parametrize(
    ("after", "want"),
    [
        (NODE, set()),
        (node("a", labels={"zone": "z", "disk": "ssd"}), {LABELS}),
        (NODE | {"metadata": NODE["metadata"] | {"annotations": {"a": "b"}}}, {ANNOTATIONS}),
        (NODE | {"metadata": NODE["metadata"] | {"resourceVersion": "7"}}, set()),
        (NODE | {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}, {TAINTS}),
        (NODE | {"spec": {"unschedulable": True}}, {CORDONS}),
        (NODE | {"status": NODE["status"] | {"conditions": [{"type": "Ready", "status": "True"}]}}, {CONDITIONS}),
        (NODE | {"status": NODE["status"] | {"images": [{"names": ["i"], "sizeBytes": 1}]}}, {IMAGES}),
        (NODE | {"status": NODE["status"] | {"allocatable": PLENTY | {"cpu": "7"}}}, {ALLOCATABLE}),
        (node("a", labels={"topology.kubernetes.io/zone": "new"}), set(EVERY_FIELD)),
        (node("b"), set(EVERY_FIELD)),
    ],
)
def test_a_changed_node_drops_values_derived_from_the_changed_fields(after, want):
    world = cluster(NODE)
    assert dropped(world, lambda: apply(world, after)) == want


WEB, DB = {"app": "web"}, {"app": "db"}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x", "labels": WEB}}
HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s", "namespace": "x"},
    "spec": {"selector": WEB},
}
SET = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "r", "namespace": "x"}}
SET |= {"spec": {"selector": {"matchLabels": WEB}, "template": {"metadata": {"labels": WEB}}}}
FREE, KEPT = volume("v", csi=csi("v")), volume("v", csi=csi("v"), kept_for="c")


@pytest.mark.parametrize(
    ("before", "after", "want"),
    [
        ([], [budget("b", 1, WEB)], set()),
        ([budget("b", 1, WEB)], [budget("b", 0, WEB)], set()),
        ([], [HIGH], set()),
        ([], [NAMESPACE], {"Namespace"}),
        ([NAMESPACE], [NAMESPACE], set()),
        ([NAMESPACE], [NAMESPACE | {"metadata": {"name": "x", "labels": DB}}], {"Namespace"}),
        ([], [SERVICE], {"Service"}),
        ([SERVICE], [SERVICE | {"metadata": SERVICE["metadata"] | {"labels": WEB}}], set()),
        ([SERVICE], [SERVICE | {"spec": {"selector": DB}}], {"Service"}),
        ([SET], [SET | {"spec": SET["spec"] | {"replicas": 3}}], set()),
        ([], [FREE], {"PersistentVolume", bindable("wait")}),
        ([FREE], [FREE], set()),
        ([FREE], [volume("v", csi=csi("v"), of="other")], {"PersistentVolume", bindable("wait"), bindable("other")}),
        ([FREE, attachment("a", "v", "a")], [KEPT], {"PersistentVolume", bindable("wait"), "VolumeAttachment"}),
        ([FREE], [claim("c")], {"PersistentVolumeClaim"}),
        ([KEPT], [claim("c")], {"PersistentVolumeClaim", bindable("wait")}),
        ([KEPT, claim("c")], [claim("c", "v")], {"PersistentVolumeClaim", bindable("wait")}),
        ([KEPT, claim("c")], [claim("c", annotations=WEB)], {"PersistentVolumeClaim"}),
        ([storage_class("wait")], [storage_class("wait")], set()),
        ([storage_class("wait")], [storage_class("wait", "other")], {"StorageClass", VOLUMES}),
        ([], [csi_node("a")], {"CSINode"}),
        ([], [csi_driver()], {"CSIDriver"}),
        ([], [storage_capacity("r", "a", "1Gi")], {"CSIStorageCapacity"}),
        ([], [attachment("a", "v", "a")], {"VolumeAttachment"}),
    ],
)
def test_a_changed_object_drops_values_derived_from_its_kind(before, after, want):
    world = cluster(node("a"), *before)
    assert dropped(world, lambda: apply(world, *after)) == want


def test_pods_drop_nothing():
    world = cluster(node("a"), pod("p"), pod("q", "a"))

    def change():
        world.bind(world.pending["default/p"], "a")
        world.nominate(world.evict("default/q"), "a")
        world.withdraw("default/q")

    assert dropped(world, change) == set()


def test_values_that_a_fork_drops_stay_in_other_forks():
    world = cluster(node("a"))
    labels, taints = world.derived("l", object, LABELS), world.derived("t", object, TAINTS)
    fork = world.fork()
    apply(fork, node("a", labels={"zone": "z"}))
    assert fork.derived("l", object, LABELS) is not labels and world.derived("l", object, LABELS) is labels
    assert fork.derived("t", object, TAINTS) is taints
    later = fork.derived("later", object, LABELS)
    assert world.derived("later", object, LABELS) is not later


def test_the_number_of_derived_values_is_limited():
    facts = DerivedValues()
    for number in range(3 * LIMIT):
        assert facts.find(number, lambda n=number: n + 1, (LABELS,)) == number + 1
    assert len(facts.items()) <= LIMIT


def test_changes_do_not_affect_forks():
    world = cluster(node("a"), budget("b", 1, WEB), FREE, claim("c"), SERVICE)
    fork = world.fork()
    for kind in (PodDisruptionBudget, PersistentVolume, PersistentVolumeClaim, Service):
        (only,) = world.objects_of(kind)
        fork.change_objects(removed=[only])
        assert not fork.objects_of(kind) and list(world.objects_of(kind)) == [only]
    assert "v" in world.volumes.volumes and "v" not in fork.volumes.volumes


def test_a_replaced_object_keeps_its_place_and_a_missing_one_cannot_be_removed():
    world = cluster(node("a"), budget("b", 1, WEB), budget("c", 1, WEB))
    first, second = world.objects_of(PodDisruptionBudget)
    fewer = msgspec.structs.replace(first, status=msgspec.structs.replace(first.status, disruptionsAllowed=0))
    world.change_objects([fewer])
    assert list(world.objects_of(PodDisruptionBudget)) == [fewer, second]
    world.change_objects(removed=[second])
    with pytest.raises(KeyError, match=r"there is no PodDisruptionBudget \('default', 'c'\)"):
        world.change_objects(removed=[second])


def test_removing_a_missing_node_is_an_error_and_changes_nothing():
    world = cluster(node("a"))
    (other,) = decode_objects([node("b")]).nodes
    for changes, message in (
        ([("b", other), ("c", None)], 'no node "c"; there are 1: a'),
        ([("a", None), ("a", None)], 'no node "a"; there are 0'),
    ):
        with pytest.raises(KeyError, match=message):
            world.change_nodes(changes)
    assert world.names == ["a"]
    check(world)


def test_columns_are_contiguous_along_nodes():
    """NumPy is several times faster along contiguous rows."""
    world = cluster(*(node(f"n{i}") for i in range(9)), pod("p", "n1"))
    apply(world, node("new"), node("n3", labels={"topology.kubernetes.io/zone": "z"}))
    assert world.nonzero.flags.c_contiguous
    assert all(row.flags.c_contiguous for table in (world.allocatable, world.requested) for row in table)
    assert np.array_equal(world.ranks, [sorted(world.names).index(name) for name in world.names])
