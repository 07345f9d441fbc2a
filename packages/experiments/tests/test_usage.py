"""What is requested of nodes, what is free, and which nodes could be emptied: read off small clusters."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab_experiments.usage import NodeUse

GPU = "x.io/gpu"


def used(**nodes: tuple[int, list[int]]) -> NodeUse:
    """Nodes with so many CPUs, and the CPUs that each of their pods asks for."""
    use = NodeUse(["cpu", "memory", GPU], nodes)
    for name, (cpus, asked) in nodes.items():
        use.node(name, cluster(node(name, cpu=cpus, memory="8Gi")).nodes[0])
        for number, cpu in enumerate(asked):
            made = cluster(pod(f"{name}-{number}", cpu=cpu)).objects.pods[0]
            use.pod(f"{name}-{number}", name, made)
    return use


@pytest.mark.parametrize(
    ("nodes", "number"),
    [
        ({"a": (4, [1]), "b": (4, [1]), "c": (4, [1])}, 2),
        ({"a": (4, [2]), "b": (4, [3])}, 0),
        ({"a": (4, [2]), "b": (4, [2]), "c": (2, [2])}, 1),
        ({"a": (4, [1]), "b": (4, [])}, 0),  # it would fill another one
        ({"a": (4, [1, 2]), "b": (4, [1, 1, 1])}, 0),  # one of its pods fits, the other does not
        ({"a": (4, [1]), "b": (8, [5])}, 1),
        ({"a": (5, [4]), "b": (3, [1])}, 1),  # a cannot be emptied, but has room for the pod of b
        ({"a": (2, [2]), "b": (4, [1]), "c": (3, [3])}, 1),  # a keeps its pod, b has no place left for c
        # the largest of its pods is moved first
        ({"a": (5, [1, 2, 2]), "b": (6, [1, 1, 1, 1]), "c": (7, [1, 1, 1, 1])}, 1),
        # to the fullest node, so that the other one has room for the three CPUs of d
        ({"a": (1, [1]), "c": (5, [1, 1]), "b": (4, [1, 1, 1]), "d": (3, [3])}, 2),
        # what a has got from b must leave with its own pods
        ({"a": (4, [1, 1]), "b": (2, [2]), "c": (7, [1, 1, 1])}, 2),
    ],
)
def test_a_node_can_be_emptied_if_its_pods_fit_on_others_that_have_pods(
    nodes: dict[str, tuple[int, list[int]]], number: int
) -> None:
    assert used(**nodes).emptiable() == number


def test_what_is_requested_is_counted_on_the_nodes_that_are_there() -> None:
    use = used(a=(4, [1]), b=(8, [1, 1]), c=(4, []))
    assert use.shares().tolist() == pytest.approx([3 / 16, 0, 0, 3 / 330])
    assert use.imbalance()[:3].tolist() == pytest.approx([(1 / 72) ** 0.5, 0, 0])
    assert use.empty() == 1
    assert use.free.tolist()[0] == [3000, 6000, 4000]
    use.pod("b-1", "a", cluster(pod("b-1", cpu=2)).objects.pods[0])  # it is on another node, and asks for more
    assert use.free.tolist()[0] == [1000, 7000, 4000] and use.free.tolist()[-1] == [108, 109, 110]
    use.node("b", None)
    assert use.free.tolist()[0] == [1000, 4000] and use.shares()[0] == pytest.approx(3 / 8)
    use.pod("a-0", "", None)
    use.pod("b-1", "gone", cluster(pod("b-1", cpu=2)).objects.pods[0])
    assert use.empty() == 2 and use.shares().tolist() == [0, 0, 0, 0]


def test_a_resource_that_one_node_has_is_measured_there_alone() -> None:
    use = used(a=(4, [4]), b=(4, []), c=(4, []))
    for name, number in (("b", 1), ("c", 2)):
        room = {"cpu": 4, "memory": "8Gi", "pods": 9, GPU: number}
        use.node(name, cluster(node(name, allocatable=room)).nodes[0])
    assert use.free[2].tolist() == [0, 1, 2] and use.free[0].tolist() == [0, 4000, 4000]
    use.pod("train", "b", cluster(pod("train", requests={GPU: 1})).objects.pods[0])
    assert use.imbalance()[2] == 0.5, "all of b's, none of c's"
    use.node("c", None)
    assert (use.shares()[2], use.imbalance()[2], use.free[2].tolist()) == (1, 0, [0, 0])


def test_what_the_next_pods_cannot_use_is_fragmented() -> None:
    """Half of the pods ask for 4 CPUs, which only b has; all that is free of what none asks for is of use."""
    use = used(a=(4, [1]), b=(8, [2]), full=(1, [1]))
    found = use.fragmentation(use.shapes([{"cpu": 4000}, {"cpu": 1000}]))
    assert found.tolist()[:3] == pytest.approx([0.5 * 3000 / 9000, 0, 0])
    none = used(full=(1, [1]))
    assert none.fragmentation(none.shapes([{"cpu": 4000}])).tolist()[0] == 0
