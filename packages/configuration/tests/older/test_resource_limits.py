"""ResourceLimitsPriority: rows of v1.13's resource_limits_test.go, and more; EqualPriority."""

import pytest

from kschedlab.build import node, pod
from kschedlab_configuration.older.resource_limits import EqualPriority, ResourceLimits
from tests.verdicts import scored


def limited(*limits, init=()):
    """A pod with a container for each (cpu, memory)."""

    def containers(kind, amounts):
        return [
            {"name": f"{kind}{i}", "image": "i", "resources": {"limits": {"cpu": cpu, "memory": memory}}}
            for i, (cpu, memory) in enumerate(amounts)
        ]

    return pod("p", containers=containers("c", limits), initContainers=containers("i", init))


def sized(*sizes):
    return [node(f"n{i}", allocatable={"cpu": cpu, "memory": memory}) for i, (cpu, memory) in enumerate(sizes)]


CPU_AND_MEMORY = limited(("1", "2000"), ("2", "3000"))


@pytest.mark.parametrize(
    ("asking", "nodes", "want"),
    [
        (pod("p"), sized(("4", "10000"), ("4", "0"), ("0", "10000"), ("0", "0")), [0, 0, 0, 0]),
        (limited(("1", "0"), ("2", "0")), sized(("3", "10000"), ("2", "10000")), [1, 0]),
        (limited(("0", "2000"), ("0", "3000")), sized(("4", "4000"), ("5", "10000")), [0, 1]),
        (CPU_AND_MEMORY, sized(("4", "4000"), ("5", "10000")), [1, 1]),
        (CPU_AND_MEMORY, sized(("0", "0")), [0]),
        (limited(("1", "0"), init=[("3", "0")]), sized(("3", "0"), ("2", "0")), [1, 0]),
    ],
    ids=[
        "pod does not specify its resource limits",
        "pod only specifies cpu limits",
        "pod only specifies mem limits",
        "pod specifies both cpu and mem limits",
        "node does not advertise its allocatables",
        "a larger init container",
    ],
)
def test_resource_limits(asking, nodes, want):
    assert list((scored(ResourceLimits(), asking, *nodes) or {}).values()) == want


def test_equal_priority():
    assert scored(EqualPriority(), pod("p"), node("a"), node("b")) == {"a": 1, "b": 1}
