"""Facts are worked out once, and dropped when what they follow from changes: that, and nothing else."""

import msgspec
import numpy as np
import pytest

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
from kschedlab.testing import PLENTY, budget, cluster, node, pod
from tests.storage import attachment, claim, csi, csi_driver, csi_node, room, storage_class, volume

OBJECTS = (*OWNERS, NAMESPACES, CLAIMS, PERSISTENT_VOLUMES, CLASSES, CSI_NODES, CSI_DRIVERS, CAPACITIES, ATTACHMENTS)
SOURCES = (*sorted(EVERY_FIELD), *OBJECTS, VOLUMES, bindable("wait"), bindable("other"))


def dropped(world, change):
    """Which facts, each of one source, the change drops; also without a source nothing must be."""
    for source in SOURCES:
        world.derived(source, object, source)
    known = {source: world.derived(source, object, source) for source in SOURCES}
    for_ever = world.derived("for ever", object)
    change()
    assert world.derived("for ever", object) is for_ever
    return {source for source, derived in known.items() if world.derived(source, object, source) is not derived}


def told(world, *manifests):
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
def test_a_node_that_changes_drops_what_follows_from_those_fields(after, want):
    world = cluster(NODE)
    assert dropped(world, lambda: told(world, after)) == want


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
        ([], [room("r", "a", "1Gi")], {"CSIStorageCapacity"}),
        ([], [attachment("a", "v", "a")], {"VolumeAttachment"}),
    ],
)
def test_an_object_that_changes_drops_what_follows_from_its_kind(before, after, want):
    world = cluster(node("a"), *before)
    assert dropped(world, lambda: told(world, *after)) == want


def test_pods_drop_nothing():
    world = cluster(node("a"), pod("p"), pod("q", "a"))

    def change():
        world.bind(world.pending["default/p"], "a")
        world.nominate(world.evict("default/q"), "a")
        world.withdraw("default/q")

    assert dropped(world, change) == set()


def test_what_a_fork_drops_the_others_keep():
    world = cluster(node("a"))
    labels, taints = world.derived("l", object, LABELS), world.derived("t", object, TAINTS)
    fork = world.fork()
    told(fork, node("a", labels={"zone": "z"}))
    assert fork.derived("l", object, LABELS) is not labels and world.derived("l", object, LABELS) is labels
    assert fork.derived("t", object, TAINTS) is taints
    later = fork.derived("later", object, LABELS)
    assert world.derived("later", object, LABELS) is not later


def test_facts_do_not_pile_up_for_ever():
    facts = DerivedValues()
    for number in range(3 * LIMIT):
        assert facts.find(number, lambda n=number: n + 1, (LABELS,)) == number + 1
    assert len(facts) <= LIMIT


def test_objects_that_a_decision_refers_to_are_left_as_they_were():
    world = cluster(node("a"), budget("b", 1, WEB), FREE, claim("c"), SERVICE)
    fork = world.fork()
    for kind in (PodDisruptionBudget, PersistentVolume, PersistentVolumeClaim, Service):
        (only,) = world.objects_of(kind)
        fork.change_objects(removed=[only])
        assert not fork.objects_of(kind) and list(world.objects_of(kind)) == [only]
    assert "v" in world.volumes.volumes and "v" not in fork.volumes.volumes


def test_an_object_that_is_replaced_keeps_its_place_and_one_that_is_not_there_cannot_go():
    world = cluster(node("a"), budget("b", 1, WEB), budget("c", 1, WEB))
    first, second = world.objects_of(PodDisruptionBudget)
    fewer = msgspec.structs.replace(first, status=msgspec.structs.replace(first.status, disruptionsAllowed=0))
    world.change_objects([fewer])
    assert list(world.objects_of(PodDisruptionBudget)) == [fewer, second]
    world.change_objects(removed=[second])
    with pytest.raises(KeyError, match=r"there is no PodDisruptionBudget \('default', 'c'\)"):
        world.change_objects(removed=[second])


def test_a_node_that_is_not_there_cannot_go_and_then_nothing_is_changed():
    world = cluster(node("a"))
    (other,) = decode_objects([node("b")]).nodes
    for changes in ([("b", other), ("c", None)], [("a", None), ("a", None)]):
        with pytest.raises(KeyError, match="there is no node"):
            world.change_nodes(changes)
    assert world.names == ["a"]
    world.check()


def test_columns_of_many_nodes_lie_row_by_row():
    """NumPy's work along rows is several times faster so."""
    world = cluster(*(node(f"n{i}") for i in range(9)), pod("p", "n1"))
    told(world, node("new"), node("n3", labels={"topology.kubernetes.io/zone": "z"}))
    for column in ("allocatable", "requested", "nonzero"):
        assert getattr(world, column).flags.c_contiguous
    assert np.array_equal(world.ranks, [sorted(world.names).index(name) for name in world.names])
