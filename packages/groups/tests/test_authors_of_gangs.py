"""Kubernetes' own cases of what makes a group, when it has enough pods, and which events help it.

v1.37: pkg/scheduler/schedule_one_podgroup_test.go (ValidatePodGroup) and
pkg/scheduler/framework/plugins/gangscheduling/gangscheduling_test.go (PlacementFeasible and the queueing hints). Those
of composite groups are left out.
"""

from typing import Any

import pytest

from kschedlab.build import pod
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.events import ASSIGNED_POD_ADD, UNSCHEDULED_POD_ADD
from kschedlab_groups.cycle import fault
from kschedlab_groups.group import SUCCESS, UNSCHEDULABLE, WAIT, feasible
from kschedlab_groups.simulated.plugin import POD_GROUP_ADD, POD_GROUP_UPDATE, GangScheduling, GroupStates
from packages.groups.tests.test_cycle import group, member

NEVER, LOWER = {"preemptionPolicy": "Never"}, {"preemptionPolicy": "PreemptLowerPriority"}
NAMES, PRIORITIES, POLICIES = ".spec.schedulerName", "priority", "preemption policy"


def a_pod(name: str = "p", of: str = "g", namespace: str = "default", **fields: Any) -> Pod:
    made = member(name, of=of, **fields) if of else pod(name, **fields)
    made["metadata"]["namespace"] = namespace
    found, _ = decode(made, "Pod")
    assert isinstance(found, Pod)
    return found


def a_group(name: str = "g", namespace: str = "default", minimum: int | None = None, **fields: Any) -> PodGroup:
    made = group(name, minimum, **fields)
    made["metadata"]["namespace"] = namespace
    found, _ = decode(made, "PodGroup")
    assert isinstance(found, PodGroup)
    return found


# (the group, the waiting pods, the running pods, whether the group's preemption policy counts, what differs)
Together = tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]], bool, str]
ONE, OTHER = {"schedulerName": "sched1"}, {"schedulerName": "sched2"}
TEN = {"priority": 10}
GROUPS: dict[str, Together] = {
    "the same scheduler": ({}, [ONE, ONE], [], False, ""),
    "different schedulers": ({}, [ONE, OTHER], [], False, NAMES),
    "the same priority": (TEN, [TEN, TEN], [], False, ""),
    "pods with different priorities": (TEN, [{"priority": 9}, TEN], [], False, PRIORITIES),
    "a group with another priority": ({"priority": 9}, [TEN, TEN], [], False, PRIORITIES),
    "a pod like the running one": (TEN, [TEN | ONE], [TEN | ONE], False, ""),
    "another scheduler than the running pod's": (TEN, [TEN | ONE], [TEN | OTHER], False, NAMES),
    "another priority than the running pod's": (TEN, [TEN], [{"priority": 9}], False, PRIORITIES),
    "the same policy": (NEVER, [NEVER, NEVER], [], True, ""),
    "pods with different policies": (NEVER, [LOWER, NEVER], [], True, POLICIES),
    "a group with another policy": (NEVER, [LOWER, LOWER], [], True, POLICIES),
    "a group with another policy that does not count": (NEVER, [LOWER, LOWER], [], False, ""),
    "pods with different policies where the group's does not count": (NEVER, [LOWER, NEVER], [], False, POLICIES),
}


@pytest.mark.parametrize("name", GROUPS)
def test_pods_that_belong_together(name: str) -> None:
    spec, waiting, running, group_decides, differs = GROUPS[name]
    pods = [a_pod(f"p{i}", **fields) for i, fields in enumerate(waiting)]
    why = fault(a_group(**spec), pods, [a_pod("old", **fields) for fields in running], group_decides)
    assert differs in why and bool(why) == bool(differs)


# (minCount, how many pods have a node, how many wait, what becomes of each, the status after each)
PLACED, FAILED = True, False
PROGRESS: dict[str, tuple[int | None, int, int, list[bool], list[str]]] = {
    "all succeed": (2, 0, 2, [PLACED, PLACED], [WAIT, SUCCESS]),
    "the first fails": (3, 0, 3, [FAILED], [UNSCHEDULABLE]),
    "the second fails": (2, 0, 2, [PLACED, FAILED], [WAIT, UNSCHEDULABLE]),
    "without a gang, none": (None, 0, 1, [FAILED], [UNSCHEDULABLE]),
    "without a gang, one": (None, 0, 1, [PLACED], [SUCCESS]),
    "without a gang, one that runs": (None, 1, 1, [FAILED], [SUCCESS]),
    "more than enough, all succeed": (2, 0, 3, [PLACED, PLACED, PLACED], [WAIT, SUCCESS, SUCCESS]),
    "more than enough, the first fails": (2, 0, 3, [FAILED, PLACED, PLACED], [WAIT, WAIT, SUCCESS]),
    "more than enough, two fail": (2, 0, 3, [FAILED, FAILED], [WAIT, UNSCHEDULABLE]),
    "with one that runs": (3, 1, 2, [PLACED, PLACED], [WAIT, SUCCESS]),
    "enough that run": (2, 2, 1, [FAILED], [SUCCESS]),
    "one that runs is not enough": (3, 1, 2, [FAILED], [UNSCHEDULABLE]),
}


@pytest.mark.parametrize("name", PROGRESS)
def test_enough_pods(name: str) -> None:
    minimum, scheduled, remaining, results, codes = PROGRESS[name]
    found = []
    for placed in results:
        remaining, scheduled = remaining - 1, scheduled + placed
        found.append(feasible(a_group(minimum=minimum), scheduled, remaining).code)
    assert found == codes


HINTS: dict[str, tuple[Any, Pod, Any, Any, bool]] = {
    "a pod of the group": (UNSCHEDULED_POD_ADD, a_pod(), None, a_pod("q"), True),
    "a pod of the group on a node": (ASSIGNED_POD_ADD, a_pod(), None, a_pod("q", on="n1"), True),
    "a pod in another namespace": (UNSCHEDULED_POD_ADD, a_pod(), None, a_pod("q", namespace="foo"), False),
    "a pod of another group": (UNSCHEDULED_POD_ADD, a_pod(of="g1"), None, a_pod("q", of="g2"), False),
    "the group": (POD_GROUP_ADD, a_pod(), None, a_group(minimum=1), True),
    "another group": (POD_GROUP_ADD, a_pod(of="g1"), None, a_group("g2", minimum=1), False),
    "a group in another namespace": (POD_GROUP_ADD, a_pod(), None, a_group(namespace="foo", minimum=1), False),
    "a smaller minCount": (POD_GROUP_UPDATE, a_pod(), a_group(minimum=4), a_group(minimum=3), True),
    "a basic group": (POD_GROUP_UPDATE, a_pod(), a_group(), a_group(), False),
    "a larger minCount": (POD_GROUP_UPDATE, a_pod(), a_group(minimum=3), a_group(minimum=4), False),
    "the same minCount": (POD_GROUP_UPDATE, a_pod(), a_group(minimum=3), a_group(minimum=3), False),
    "a smaller minCount of another group": (
        POD_GROUP_UPDATE,
        a_pod(of="other"),
        a_group(minimum=4),
        a_group(minimum=3),
        False,
    ),
    "a smaller minCount in another namespace": (
        POD_GROUP_UPDATE,
        a_pod(namespace="foo"),
        a_group(minimum=4),
        a_group(minimum=3),
        False,
    ),
    "a pod without group": (POD_GROUP_UPDATE, a_pod(of=""), a_group(minimum=4), a_group(minimum=3), False),
}


@pytest.mark.parametrize("name", HINTS)
def test_events_that_help(name: str) -> None:
    event, waiting, old, new, helps = HINTS[name]
    hints = dict(GangScheduling(GroupStates()).events_to_register())
    assert hints[event](waiting, old, new) == helps
