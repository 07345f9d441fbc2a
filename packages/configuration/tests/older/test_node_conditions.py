"""CheckNodeCondition and the predicates of pressure: rows of v1.13's predicates_test.go, and more."""

import pytest

from kschedlab.build import node, pod
from kschedlab.filter.node import UNSCHEDULABLE
from kschedlab_configuration.older.node_conditions import (
    DISK_PRESSURE,
    MEMORY_PRESSURE,
    NETWORK_UNAVAILABLE,
    NOT_READY,
    OUT_OF_DISK,
    PID_PRESSURE,
    CheckNodeCondition,
)
from kschedlab_configuration.older.registry import REGISTRY_1_13, REGISTRY_1_16
from tests.verdicts import judged, refused


def stating(*conditions, **spec):
    """The node n with these conditions, each ``Type=Status``."""
    pairs = (condition.split("=") for condition in conditions)
    made = node("n", **spec)
    made["status"]["conditions"] = [{"type": kind, "status": status} for kind, status in pairs]
    return made


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (stating(), []),
        (stating("Ready=True"), []),
        (stating("Ready=False"), [NOT_READY]),
        (stating("Ready=Unknown"), [NOT_READY]),
        (stating("OutOfDisk=True"), [OUT_OF_DISK]),
        (stating("OutOfDisk=Unknown"), [OUT_OF_DISK]),
        (stating("OutOfDisk=False"), []),
        (stating("Ready=True", "OutOfDisk=True"), [OUT_OF_DISK]),
        (stating("Ready=False", "OutOfDisk=True"), [NOT_READY, OUT_OF_DISK]),
        (stating("NetworkUnavailable=Unknown"), [NETWORK_UNAVAILABLE]),
        (stating("NetworkUnavailable=False"), []),
        (stating(unschedulable=True), [UNSCHEDULABLE]),
        (stating("Ready=False", "NetworkUnavailable=True", unschedulable=True), None),
        (stating("MemoryPressure=True"), []),
    ],
)
def test_check_node_condition(found, reasons):
    everything = [NOT_READY, NETWORK_UNAVAILABLE, UNSCHEDULABLE]
    want = everything if reasons is None else reasons
    plugin = REGISTRY_1_13.predicates["CheckNodeCondition"]
    assert refused(plugin, pod("p"), found) == ({"n": want} if want else {})


def test_out_of_disk_is_ignored_since_it_was_removed():
    assert refused(CheckNodeCondition(), pod("p"), stating("OutOfDisk=True")) == {}


def test_an_unschedulable_node_is_refused_whatever_the_pod_tolerates():
    tolerant = pod("p", tolerations=[{"operator": "Exists"}])
    assert refused(CheckNodeCondition(), tolerant, stating(unschedulable=True)) == {"n": [UNSCHEDULABLE]}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("CheckNodeCondition", stating("Ready=False")),
        ("CheckNodeCondition", stating("OutOfDisk=True")),
        ("CheckNodeCondition", stating(unschedulable=True)),
        ("CheckNodeMemoryPressure", stating("MemoryPressure=True")),
        ("CheckNodeDiskPressure", stating("DiskPressure=True")),
        ("CheckNodePIDPressure", stating("PIDPressure=True")),
    ],
)
def test_evicting_pods_makes_no_node_healthy(name, found):
    """v1.16: pkg/scheduler/core/generic_scheduler.go, unresolvablePredicateFailureErrors."""
    _, verdicts = judged(REGISTRY_1_13.predicates[name], pod("p"), found)
    assert verdicts.unresolvable().tolist() == [True]


BEST_EFFORT, BURSTABLE = pod("p"), pod("p", memory="100")


@pytest.mark.parametrize(
    ("name", "asking", "condition", "reason"),
    [
        ("CheckNodeMemoryPressure", BEST_EFFORT, "Ready=True", None),
        ("CheckNodeMemoryPressure", BEST_EFFORT, "MemoryPressure=True", MEMORY_PRESSURE),
        ("CheckNodeMemoryPressure", BEST_EFFORT, "MemoryPressure=Unknown", None),
        ("CheckNodeMemoryPressure", BURSTABLE, "MemoryPressure=True", None),
        ("CheckNodeMemoryPressure", pod("p", cpu="0"), "MemoryPressure=True", MEMORY_PRESSURE),
        ("CheckNodeMemoryPressure", pod("p", cpu="1n"), "MemoryPressure=True", None),
        ("CheckNodeMemoryPressure", pod("p", requests={"a/b": "1"}), "MemoryPressure=True", MEMORY_PRESSURE),
        ("CheckNodeDiskPressure", BURSTABLE, "DiskPressure=True", DISK_PRESSURE),
        ("CheckNodeDiskPressure", BURSTABLE, "DiskPressure=False", None),
        ("CheckNodePIDPressure", BURSTABLE, "PIDPressure=True", PID_PRESSURE),
        ("CheckNodePIDPressure", BURSTABLE, "PIDPressure=False", None),
    ],
)
def test_pressure(name, asking, condition, reason):
    want = {"n": [reason]} if reason else {}
    for registry in (REGISTRY_1_13, REGISTRY_1_16):
        assert refused(registry.predicates[name], asking, stating(condition)) == want


def test_of_duplicate_conditions_the_last_one_counts():
    plugin = REGISTRY_1_16.predicates["CheckNodeDiskPressure"]
    assert refused(plugin, pod("p"), stating("DiskPressure=True", "DiskPressure=False")) == {}


@pytest.mark.parametrize(("registry", "stopped"), [(REGISTRY_1_13, True), (REGISTRY_1_16, False)])
def test_requests_of_init_containers_make_a_pod_burstable_since_v1_16(registry, stopped):
    asking = pod("p", initContainers=[{"name": "i", "image": "i", "resources": {"limits": {"cpu": "1"}}}])
    plugin = registry.predicates["CheckNodeMemoryPressure"]
    assert bool(refused(plugin, asking, stating("MemoryPressure=True"))) == stopped
