"""Reports: each figure worked out by hand from a log."""

import json

import pytest

from kschedlab.objects.model import (
    Container,
    Node,
    NodeStatus,
    ObjectMeta,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    ResourceRequirements,
)
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.log import Acted, Began, Changed, Log, Measured, Step
from kschedlab_simulation.report import WaitTimes, report_of
from tests.saying import says

SECOND = 1_000_000


def a_node(name="n1", cpu="4", memory="8Gi"):
    room = {"cpu": Quantity(cpu), "memory": Quantity(memory)}
    return Node(metadata=ObjectMeta(name=name), status=NodeStatus(allocatable=room))


def a_pod(name="web", node="", cpu="1", memory="1Gi", priority=0, phase="Pending", condition=None, labels=None):
    requests = {"cpu": Quantity(cpu), "memory": Quantity(memory)}
    return Pod(
        metadata=ObjectMeta(name=name, namespace="default", labels=labels or {}),
        spec=PodSpec(
            nodeName=node,
            priority=priority,
            containers=(Container(name="c", resources=ResourceRequirements(requests=requests)),),
        ),
        status=PodStatus(phase=phase, conditions=(condition,) if condition else ()),
    )


def change(at, old, new):
    one = new if new is not None else old
    key = one.key if isinstance(one, Pod) else one.metadata.name
    type = "ADDED" if old is None else "DELETED" if new is None else "MODIFIED"
    return Changed(at=int(at * SECOND), type=type, kind=one.__class__.__name__, key=key, old=old, new=new)


def scheduled(since, at, pod, node="n1"):
    """The pod is created, and bound later."""
    spec = pod.spec
    bound = Pod(metadata=pod.metadata, spec=PodSpec(node, priority=spec.priority, containers=spec.containers))
    return [change(since, None, pod), change(at, pod, bound)]


def report(*entries, wall=None):
    log = Log()
    for entry in sorted(entries, key=lambda entry: entry.at):
        log.write(entry)
    return report_of(log, wall)


def test_an_empty_log():
    found = report()
    assert (found.created, found.bound, found.pods_per_second, found.seconds) == (0, 0, None, 0)
    assert (found.cpu.mean, found.cpu.final, found.waits, found.unschedulable) == (0, 0, {}, {})


def test_pods_and_how_fast_they_were_bound():
    entries = [entry for i in range(4) for entry in scheduled(i, i + 1, a_pod(f"p{i}"))]
    found = report(Began(at=0, generation="v1.20", seed=9), *entries, change(8, None, a_pod("left")), wall=0.5)
    assert (found.generation, found.seed, found.seconds) == ("v1.20", 9, 8)
    assert (found.created, found.bound) == (5, 4)
    assert found.pods_per_second == 4 / 4
    assert found.wall_pods_per_second == 8


def test_initially_assigned_pods_do_not_count_as_bound():
    found = report(change(0, None, a_pod(node="n1")))
    assert (found.created, found.bound, found.pods_per_second) == (0, 0, None)


def test_waits_by_priority_highest_first():
    entries = [entry for i in range(1, 21) for entry in scheduled(0, i, a_pod(f"low{i}"))]
    entries += scheduled(3, 3.25, a_pod("high", priority=100))
    found = report(*entries)
    assert list(found.waits.items()) == [(100, WaitTimes(1, 0.25, 0.25, 0.25)), (0, WaitTimes(20, 10, 19, 20))]


def test_a_recreated_pod_waits_from_its_new_creation():
    old = a_pod()
    found = report(*scheduled(0, 1, old), change(5, a_pod(node="n1"), None), *scheduled(10, 13, old))
    assert found.waits[0] == WaitTimes(2, 1, 3, 3)
    assert found.deleted == 1


def test_attempts_preemptions_and_skips():
    steps = [("pop", ""), ("schedule", ""), ("preempt", "n1"), ("evict", "n1"), ("evict", "n1"), ("fail", "")]
    steps += [("pop", ""), ("schedule", "n1"), ("bind", "n1"), ("pop", ""), ("skip", ""), ("preempt", "")]
    found = report(*(Step(at=i, pod="default/web", step=step, node=node) for i, (step, node) in enumerate(steps)))
    assert (found.attempts, found.failed_attempts, found.skipped) == (2, 1, 1)
    assert (found.preemptions, found.victims) == (1, 2)


def test_evictions_are_counted_once():
    mark = PodCondition(type="DisruptionTarget", status="True", reason="EvictionByEvictionAPI")
    running, marked = a_pod(node="n1"), a_pod(node="n1", condition=mark)
    found = report(
        change(0, None, running), change(1, running, marked), change(2, marked, marked), change(3, marked, None)
    )
    assert (found.evicted, found.deleted) == (1, 1)


def test_an_eviction_that_was_marked_before_the_pod_was_seen_counts():
    mark = PodCondition(type="DisruptionTarget", status="True", reason="EvictionByEvictionAPI")
    marked, plain = a_pod(node="n1", condition=mark), a_pod(node="n1")
    assert report(change(0, None, marked), change(1, marked, marked)).evicted == 1
    assert report(change(0, None, plain), change(1, plain, plain)).evicted == 0
    assert report(change(0, None, plain), change(1, plain, marked)).evicted == 1


def test_utilisation_over_time():
    first, second = a_pod("a", cpu="1", memory="4Gi"), a_pod("b", cpu="3", memory="0")
    found = report(
        change(0, None, a_node()),
        *scheduled(0, 2, first),
        *scheduled(0, 4, second),
        change(6, a_pod("a", "n1", "1", "4Gi"), None),
        Step(at=10 * SECOND, pod="", step="end"),
    )
    assert found.cpu.over_time == ((0, 0), (2, 0.25), (4, 1), (6, 0.75))
    assert found.cpu.mean == pytest.approx((0 * 2 + 0.25 * 2 + 1 * 2 + 0.75 * 4) / 10)
    assert found.cpu.final == 0.75
    assert found.memory.over_time == ((0, 0), (2, 0.5), (6, 0))
    assert found.memory.mean == pytest.approx(0.5 * 4 / 10)


def test_finished_pods_use_no_resources():
    running, ended = a_pod(node="n1", phase="Running"), a_pod(node="n1", phase="Succeeded")
    found = report(change(0, None, a_node()), change(0, None, running), change(5, running, ended))
    assert found.cpu.over_time == ((0, 0.25), (5, 0))


def test_nodes_are_added_updated_and_deleted():
    node = a_node()
    found = report(
        change(0, None, node),
        change(0, None, a_pod(node="n1")),
        change(1, None, a_node("n2")),
        change(2, node, a_node(cpu="8")),
        change(3, a_node(cpu="8"), None),
        change(4, None, a_pod("lost", node="n9")),
        change(5, None, a_node()),
    )
    assert found.cpu.over_time == ((0, 0.25), (1, 0.125), (2, 1 / 12), (3, 0), (5, 0.125))


def test_measurements():
    bound = scheduled(1, 3, a_pod("a", labels={"x": "y"})) + scheduled(1, 4, a_pod("b"))
    found = report(
        Measured(at=2 * SECOND, name="all", on=True, namespaces=("default",)),
        *bound,
        Measured(at=9 * SECOND, name="all", on=False, namespaces=("default",)),
        Measured(at=2 * SECOND, name="open", on=True, namespaces=("default",), labels={"x": "y"}),
        Measured(at=2 * SECOND, name="none", on=True, namespaces=("other",)),
    )
    told = {each.name: (each.pods, each.seconds, each.pods_per_second) for each in found.throughput}
    assert told == {"all": (2, 2, 1), "open": (1, 1, 1), "none": (0, 0, None)}


def test_unschedulable_pods_and_failed_entries():
    why = PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message="0/1 nodes are available")
    gated = PodCondition(type="PodScheduled", status="False", reason="SchedulingGated")
    found = report(
        change(0, None, a_pod("b", condition=why)),
        change(0, None, a_pod("a", condition=gated)),
        change(0, None, a_pod("c")),
        change(0, None, a_pod("d", phase="Failed")),
        Acted(at=1, act="drain node n1", place="run.yaml:3"),
        Acted(at=2, act="delete pod default/x", place="run.yaml:5", error="not found"),
        Acted(at=2, act="churn", error="why not"),
    )
    assert found.unschedulable == {
        "default/a": "SchedulingGated",
        "default/b": "0/1 nodes are available",
        "default/c": "",
    }
    assert found.failures == ("run.yaml:5: delete pod default/x: not found", "churn: why not")


def test_a_pod_in_its_binding_cycle_has_been_tried():
    created = [change(0, None, a_pod("web"))]
    steps = [
        Step(at=i, pod="default/web", step=step, node="n1") for i, step in enumerate(("pop", "schedule", "preBind"))
    ]
    assert says(report(*created, *steps).unschedulable["default/web"], "n1", "PreBind")
    failed = Step(at=9, pod="default/web", step="fail", node="n1", detail="timed out")
    assert report(*created, *steps, failed).unschedulable == {"default/web": ""}


def test_as_plain_data():
    found = report(change(0, None, a_node()), *scheduled(0, 2, a_pod(priority=5)))
    data = found.to_dict()
    assert json.loads(json.dumps(data)) == json.loads(json.dumps(found.to_dict()))
    assert data["waits"] == {"5": {"pods": 1, "p50": 2.0, "p95": 2.0, "longest": 2.0}}
    assert data["cpu"]["final"] == 0.25
