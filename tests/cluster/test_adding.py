"""Clusters from manifests, and nodes and pods that are added and removed one by one."""

import pytest

from kschedlab.build import cluster, deployment, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_13
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Deployment, Pod
from kschedlab.objects.problems import ManifestError
from kschedlab.scheduler import schedule
from tests.cluster.checking import check

NODES = node("n1", 2), node("n2", 2)
IMPORTANT = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "important"},
    "value": 1000,
}


def test_a_cluster_of_dicts_is_one_of_their_objects() -> None:
    manifests = [*NODES, pod("a", "n1", 1), pod("b", cpu=1)]
    world = Cluster.from_dicts(manifests)
    assert world.names == ["n1", "n2"] and world.pod_keys() == ["default/b", "default/a"]
    assert repr(world) == "<Cluster: 2 nodes, 1 running pod, 1 pending>"
    with pytest.raises(ManifestError, match=r"objects\[0\]"):
        Cluster.from_dicts([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "N"}}])


def test_what_is_added_is_as_if_it_had_been_there() -> None:
    manifests = [*NODES, pod("a", "n1", 1), pod("b", cpu=1), pod("c", "n9", 1)]
    world = cluster().add(*manifests[2:]).add(*manifests[:2])
    check(world)
    assert world.requested[0].tolist() == [1000, 0] and world.pod_keys() == ["default/b", "default/a", "default/c"]
    assert schedule("default/b", world).to_dict() == schedule("default/b", cluster(*manifests)).to_dict()


def test_what_is_added_again_is_replaced() -> None:
    world = cluster(*NODES, pod("a", "n1", 1), pod("b", cpu=1))
    world.add(node("n1", 4), pod("a", "n2", 2), pod("b", "n1", 1))
    check(world)
    assert world.allocatable[0].tolist() == [4000, 2000] and world.requested[0].tolist() == [1000, 2000]
    assert list(world.pending) == []
    world.add(pod("a", cpu=1))
    assert list(world.pending) == ["default/a"] and world.requested[0].tolist() == [1000, 0]


def test_objects_and_the_classes_of_the_cluster_are_used() -> None:
    world = cluster(*NODES, IMPORTANT)
    world.add(pod("a", priorityClassName="important"), *decode_objects([pod("b"), node("n3")]).nodes)
    assert world.pending["default/a"].priority == 1000 and world.names == ["n1", "n2", "n3"]
    with pytest.raises(ManifestError, match="unimportant"):
        world.add(pod("b", priorityClassName="unimportant"))


def test_removing_pods_and_nodes() -> None:
    world = cluster(*NODES, pod("a", "n1", 1), pod("b", cpu=1), pod("c", "n9"), pod("d", nominated="n1"))
    before = world.fork()
    world.remove("default/a", "default/b", "default/c", "default/d", "n2")
    check(world)
    assert world.names == ["n1"] and world.pod_keys() == [] and not world.nominated.row_of
    assert len(before.pod_keys()) == 4 and before.names == ["n1", "n2"]
    with pytest.raises(KeyError) as missing:
        before.remove("default/aa")
    assert str(missing.value) == 'no pod "default/aa"; there are 4: default/a, default/d, default/c, default/b'
    with pytest.raises(KeyError, match='no node "n3"; there are 2: n1, n2'):
        before.remove("n3")


def test_a_pending_pod_is_removed_from_one_fork_alone() -> None:
    world = cluster(*NODES, pod("b", cpu=1))
    fork = world.fork().remove("default/b")
    assert fork.pod_keys() == [] and world.pod_keys() == ["default/b"]


def test_nothing_is_removed_if_a_name_is_wrong() -> None:
    world = cluster(*NODES, pod("a", "n1", 1))
    for names in (("n1", "default/aa"), ("default/a", "n3"), ("n1", "n1")):
        with pytest.raises(KeyError):
            world.remove(*names)
        assert world.names == ["n1", "n2"] and world.pod_keys() == ["default/a"]
    with pytest.raises(TypeError, match="expected names of nodes or namespace/name of pods, got dict"):
        world.remove(node("n1"))  # type: ignore[arg-type]


def test_what_is_no_manifest() -> None:
    for wrong in (None, [node("n3")], "n3"):
        with pytest.raises(TypeError, match="expected manifests or objects one by one, got "):
            cluster().add(wrong)  # type: ignore[arg-type]
    for single in (node("n1"), None, "n1"):
        with pytest.raises(TypeError, match="expected a list of manifests, got "):
            Cluster.from_dicts(single)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"expected Objects, .* \(manifests: Cluster.from_dicts.*, got list"):
        Cluster([node("n1")])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a path, an open file or -, got list"):
        Cluster.from_files(["a.yaml"])  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="objects of kind Pod are not stored here"):
        cluster().objects_of(Pod)


def test_the_cluster_under_another_api() -> None:
    world = cluster(node("n1", labels={"topology.kubernetes.io/zone": "a"}), pod("a", "n1", overhead={"cpu": "1"}))
    older = world.under(V1_13.api)
    assert older.api is V1_13.api and world.under(world.api) is world
    assert (world.requested[0, 0], older.requested[0, 0]) == (1000, 0)


def test_a_kind_that_no_decision_reads_is_refused_and_nothing_changes():
    world = cluster(node("n1"))
    for each in (deployment("web", 2), Deployment()):
        with pytest.raises(ValueError, match="Deployment"):
            world.add(node("n2"), each)
    assert world.names == ["n1"]
