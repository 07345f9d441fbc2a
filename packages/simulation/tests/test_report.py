"""Reports: each figure worked out by hand from a log."""

import csv
import json
import re
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest

from kschedlab.build import deployment, node, pod
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import (
    Container,
    Node,
    NodeStatus,
    ObjectMeta,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    ResourceClaim,
    ResourceRequirements,
    ResourceSlice,
)
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.log import Acted, Began, Changed, Log, Measured, Step
from kschedlab_simulation.report import Report, WaitTimes, cause_of, csv_of, percentile, report_of
from kschedlab_simulation.rollouts import Rollouts
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.usage import Amounts, Shapes
from tests.saying import says

DOCS = Path(__file__).parents[3] / "docs"

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
    assert (found.generation, found.seed) == ("", 0)
    assert (found.resources, found.usage, found.pending, found.stuck) == ((), (), (), ())
    assert (found.waits, found.unschedulable) == ({}, {})


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


@pytest.mark.parametrize(
    ("count", "percent", "expected"),
    [(1, 50, 1), (2, 50, 1), (3, 50, 2), (100, 95, 95), (101, 50, 51), (101, 95, 96), (101, 100, 101), (7, 100, 7)],
)
def test_a_percentile_is_the_nearest_rank(count, percent, expected):
    assert percentile([seconds * SECOND for seconds in range(count, 0, -1)], percent) == expected


def test_a_recreated_pod_waits_from_its_new_creation():
    old = a_pod()
    found = report(*scheduled(0, 1, old), change(5, a_pod(node="n1"), None), *scheduled(10, 13, old))
    assert found.waits[0] == WaitTimes(2, 1, 3, 3)
    assert found.deleted == 1


def test_a_pod_that_is_deleted_without_a_node_is_forgotten():
    gone = a_pod("gone")
    deleted = [change(0, None, gone), change(5, gone, None)]
    assert report(*deleted).unschedulable == {}
    assert report(*deleted, *scheduled(10, 13, gone)).waits[0] == WaitTimes(1, 3, 3, 3)


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


def over_time(found, resource="cpu", pool=""):
    """(seconds, requested share) wherever the share changes."""
    points = []
    for each in found.usage:
        if (each.pool, each.resource) == (pool, resource):
            share = each.amounts.requested / each.amounts.allocatable if each.amounts.allocatable else 0
            if not points or points[-1][1] != share:
                points.append((each.at, share))
    return tuple(points)


def ends(seconds=49):
    """The last entry of a run in which each of the 50 moments is a whole second."""
    return Step(at=seconds * SECOND, pod="", step="end")


def of(found, resource, scope="cluster", name=""):
    [use] = [each for each in found.resources if (each.scope, each.name, each.resource) == (scope, name, resource)]
    return use


def test_requested_amounts_over_time():
    first, second = a_pod("a", cpu="1", memory="4Gi"), a_pod("b", cpu="3", memory="0")
    found = report(
        change(0, None, a_node()),
        *scheduled(0, 2, first),
        *scheduled(0, 4, second),
        change(6, a_pod("a", "n1", "1", "4Gi"), None),
        ends(),
    )
    assert over_time(found) == ((0, 0), (2, 0.25), (4, 1), (6, 0.75))
    assert of(found, "cpu").mean.requested == pytest.approx((1000 * 2 + 4000 * 2 + 3000 * 43) / 49)
    assert of(found, "cpu").final.requested == 3000
    assert over_time(found, "memory") == ((0, 0), (2, 0.5), (6, 0))
    assert of(found, "memory").mean.requested == pytest.approx(4 * 1024**3 * 4 / 49)


def test_finished_pods_use_no_resources():
    running, ended = a_pod(node="n1", phase="Running"), a_pod(node="n1", phase="Succeeded")
    found = report(change(0, None, a_node()), change(0, None, running), change(5, running, ended), ends())
    assert over_time(found) == ((0, 0.25), (5, 0))


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
        ends(),
    )
    assert over_time(found) == ((0, 0.25), (1, 0.125), (2, 1 / 12), (3, 0), (5, 0.125))


def test_usage_is_a_mean_since_the_first_entry():
    found = report(Step(at=0, pod="", step="begin"), change(20, None, a_node()), ends(40))
    assert of(found, "cpu").mean.allocatable == of(found, "cpu").final.allocatable / 2 == 2000


def test_only_pods_that_run_use_what_they_request():
    starting, running = a_pod(node="n1"), a_pod(node="n1", phase="Running")
    found = report(change(0, None, a_node()), change(0, None, starting), change(10, starting, running), ends(20))
    assert of(found, "cpu").final.used == 1000 and of(found, "cpu").mean.used == 500
    assert of(found, "cpu").mean.requested == 1000


def gpus(number, cpu):
    room = {"cpu": Quantity(cpu), "memory": Quantity("8Gi"), "nvidia.com/gpu": Quantity(str(number))}
    return Node(metadata=ObjectMeta(name="n1", labels={"pool": "gpu"}), status=NodeStatus(allocatable=room))


def trains(name, number, node="", cpu="1"):
    requests = {"cpu": Quantity(cpu), "nvidia.com/gpu": Quantity(str(number))}
    containers = (Container(name="c", resources=ResourceRequirements(requests=requests)),)
    return Pod(metadata=ObjectMeta(name=name, namespace="default"), spec=PodSpec(nodeName=node, containers=containers))


def test_what_is_stranded_no_pod_of_the_run_can_use():
    found = report(
        change(0, None, gpus(8, "4")),
        change(0, None, trains("a", 2, "n1", cpu="4")),
        change(0, None, trains("b", 1)),
        change(0, None, a_pod("small", cpu="0", memory="1Gi")),
        ends(),
    )
    gpu = of(found, "nvidia.com/gpu")
    assert (gpu.final.allocatable, gpu.final.requested) == (8, 2)
    assert (gpu.final.stranded, gpu.final.fragmented) == (6, 6)  # without cpu no pod that asks for GPUs fits
    assert of(found, "memory").final.stranded == 0


def test_of_a_full_node_nothing_is_stranded_and_each_pod_takes_a_place():
    pods = [change(0, None, a_pod(name, "n1", cpu="2", memory="4Gi")) for name in ("a", "b")]
    there, _ = decode(node("n1", cpu=4, memory="16Gi"), "Node")
    found = report(change(0, None, there), *pods, ends())
    cpu = of(found, "cpu").final
    assert (cpu.allocatable, cpu.requested, cpu.stranded, cpu.fragmented) == (4000, 4000, 0, 0)
    assert of(found, "pods").final.requested == 2


def test_what_is_fragmented_some_pods_of_the_run_cannot_use():
    pods = [change(0, None, trains(f"one{i}", 1)) for i in range(3)]
    found = report(
        change(0, None, gpus(4, "8")),
        change(0, None, trains("two", 2, "n1")),
        change(0, None, trains("three", 3)),
        *pods,
        ends(),
    )
    gpu = of(found, "nvidia.com/gpu").final
    assert (gpu.allocatable - gpu.requested, gpu.stranded) == (2, 0)
    assert gpu.fragmented == pytest.approx(2 * 1 / 5)  # one of the five pods that ask for GPUs needs three


def test_amounts_by_node_and_pool():
    small = [Node(metadata=ObjectMeta(name=f"s{i}", labels={"pool": "s"}), status=a_node().status) for i in (1, 2)]
    found = report(
        *(change(0, None, each) for each in (*small, gpus(4, "8"))), change(0, None, a_pod(node="s1")), ends()
    )
    assert of(found, "cpu", "pool", "s").final.allocatable == 8000
    assert of(found, "cpu", "node", "s1").final.requested == 1000
    assert of(found, "nvidia.com/gpu", "pool", "gpu").final.allocatable == 4
    assert [each.name for each in found.resources if each.scope == "node" and each.resource == "nvidia.com/gpu"] == [
        "n1"
    ]
    assert over_time(found, pool="s") == ((0, 0.125),)


def test_devices_of_drivers_count_as_resources():
    device = {"name": "d0"}, {"name": "d1"}, {"name": "d2"}
    part = {"driver": "gpu.example.com", "pool": {"name": "n1"}, "nodeName": "n1", "devices": list(device)}
    devices = msgspec.convert({"metadata": {"name": "s"}, "spec": part}, ResourceSlice)
    result = {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "d1"}
    taken = {
        "allocation": {"devices": {"results": [result]}},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
    }
    free = msgspec.convert({"metadata": {"name": "c", "namespace": "default"}}, ResourceClaim)
    claimed = msgspec.convert({"metadata": {"name": "c", "namespace": "default"}, "status": taken}, ResourceClaim)

    def changed(at, kind, key, old, new):
        return Changed(at=at * SECOND, type="MODIFIED", kind=kind, key=key, old=old, new=new)

    found = report(
        change(0, None, a_node()),
        changed(0, "ResourceSlice", "s", None, devices),
        changed(0, "ResourceClaim", "default/c", None, free),
        changed(10, "ResourceClaim", "default/c", free, claimed),
        ends(20),
    )
    use = of(found, "gpu.example.com", "node", "n1")
    assert (use.final.allocatable, use.final.requested, use.final.used) == (3, 1, 1)
    assert use.mean.requested == 0.5


def test_devices_come_and_go_and_claims_hold_them():
    """Ten seconds each: two devices; three; one of them allocated; reserved; all given back; no devices; no node."""

    def part(node, *names, pool="n1"):
        devices = [{"name": name} for name in names]
        spec = {"driver": "d.io", "pool": {"name": pool}, "devices": devices} | ({"nodeName": node} if node else {})
        return msgspec.convert({"metadata": {"name": pool}, "spec": spec}, ResourceSlice)

    def a_claim(*devices, reserved=False):
        results = [{"request": "r", "driver": "d.io", "pool": pool, "device": name} for pool, name in devices]
        status = {"allocation": {"devices": {"results": results}}} if devices else {}
        status |= {"reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]} if reserved else {}
        return msgspec.convert({"metadata": {"name": "c", "namespace": "default"}, "status": status}, ResourceClaim)

    lone, two, three = part("", "x", pool="net"), part("n1", "d0", "d1"), part("n1", "d0", "d1", "d2")
    free, held = a_claim(), a_claim(("n1", "d1"), ("net", "x"))
    taken = a_claim(("n1", "d1"), ("net", "x"), reserved=True)
    found = report(
        change(0, None, a_node()),
        change(0, None, a_node("n2")),
        change(0, None, lone),
        change(0, None, two),
        change(0, None, free),
        change(10, two, three),
        change(20, free, held),
        change(30, held, taken),
        change(40, taken, None),
        change(50, three, None),
        change(60, a_node(), None),
        ends(70),
    )
    use = of(found, "d.io", "node", "n1")
    assert use.mean.allocatable == pytest.approx((2 + 4 * 3) / 7)
    assert (use.mean.requested, use.mean.used) == pytest.approx((2 / 7, 1 / 7))
    assert use.final == Amounts(0, 0, 0, 0, 0)
    cluster = of(found, "d.io")
    assert (cluster.mean, cluster.final) == (use.mean, use.final), "the other node has none"
    assert not any((each.name, each.resource) == ("n2", "d.io") for each in found.resources)
    assert of(found, "cpu", "node", "n1").mean.allocatable == pytest.approx(4000 * 6 / 7)


def test_devices_are_stranded_where_no_pod_with_a_claim_fits():
    """Whatever a claim asks for, a pod without one has no use for devices."""
    devices = {"driver": "d.io", "pool": {"name": "n1"}, "nodeName": "n1", "devices": [{"name": "d0"}, {"name": "d1"}]}
    made = msgspec.convert({"metadata": {"name": "s"}, "spec": devices}, ResourceSlice)
    claims = [{"name": "gpu", "resourceClaimName": "c"}]
    for cpu, stranded in (("4", 0), ("5", 2)):
        claiming, _ = decode(pod("p", cpu=cpu, resourceClaims=claims), "Pod")
        small, _ = decode(pod("q", cpu=1), "Pod")
        there, bare = (decode(node(name, cpu=4), "Node")[0] for name in ("n1", "bare"))
        changes = [change(0, None, each) for each in (there, bare, made, claiming, small)]
        found = report(*changes, ends())
        assert of(found, "d.io").final.stranded == stranded
        assert of(found, "cpu", "node", "bare").final.stranded == 0, "which node has devices is not in a request"


def test_what_nobody_asks_for_is_neither_stranded_nor_fragmented():
    found = report(change(0, None, gpus(4, "8")), change(0, None, trains("cpu", 0)), ends())
    assert of(found, "nvidia.com/gpu").final == Amounts(4, 0, 0, 0, 0)
    found = report(change(0, None, gpus(4, "8")), change(0, None, trains("one", 1)), ends())
    assert of(found, "nvidia.com/gpu").final == Amounts(4, 0, 0, 0, 0), "the only pod that asks fits"


def test_a_log_of_one_moment_shows_this_moment():
    samples = report(change(3, None, a_node())).usage
    assert {(each.at, each.resource): each.amounts.allocatable for each in samples if not each.pool} == {
        (0, "cpu"): 4000,
        (0, "memory"): 8 * 1024**3,
    }
    assert len({(each.pool, each.resource) for each in samples}) == len(samples)


def test_without_nodes_nothing_is_used():
    spec = {"driver": "d.io", "pool": {"name": "net"}, "allNodes": True, "devices": [{"name": "d0"}]}
    made = msgspec.convert({"metadata": {"name": "s"}, "spec": spec}, ResourceSlice)
    found = report(change(0, None, made), change(0, None, a_pod()), ends())
    assert (found.resources, found.usage) == ((), ())


def test_a_resource_that_a_node_no_longer_has_counts_no_more():
    less = Node(metadata=gpus(4, "8").metadata, status=a_node(cpu="8").status)
    found = report(change(0, None, gpus(4, "8")), change(10, gpus(4, "8"), less), ends(40))
    gpu = of(found, "nvidia.com/gpu", "node", "n1")
    assert (gpu.mean.allocatable, gpu.final.allocatable) == (1, 0)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("0/5 nodes are available: 2 Insufficient cpu, 3 Too many pods.", "Insufficient cpu, Too many pods"),
        (
            "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No victims.",
            "Insufficient cpu",
        ),
        (
            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
            "pod has unbound immediate PersistentVolumeClaims",
        ),
        (
            "0/2 nodes are available: 2 node(s) had untolerated taint(s), 1 node(s) x, y.",
            "node(s) had untolerated taint(s), node(s) x, y",
        ),
        ("has the node n1 and waits in PreBind", "has a node and waits in PreBind"),
        ("SchedulingGated", "SchedulingGated"),
        ("", "not tried yet"),
    ],
)
def test_a_cause_has_no_numbers(message, cause):
    assert cause_of(message) == cause


def test_pending_pods_by_cause_over_time():
    def waits(number):
        text = f"0/9 nodes are available: {number} Insufficient cpu."
        return PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message=text)

    found = report(
        change(0, None, a_pod("a", condition=waits(9))),
        change(10, None, a_pod("b", condition=waits(8))),
        *scheduled(20, 30, a_pod("c")),
        ends(),
    )
    at = {each.at: each.pods for each in found.pending}
    assert len(at) == 50
    assert (at[0], at[10], at[25], at[49]) == (
        {"Insufficient cpu": 1},
        {"Insufficient cpu": 2},
        {"Insufficient cpu": 2, "not tried yet": 1},
        {"Insufficient cpu": 2},
    )


def test_a_rollout_that_hangs_is_named_with_its_cause():
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    spec = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    nodes = [node(name, labels={"kubernetes.io/hostname": name}) for name in ("a", "b")]
    complete = [deployment("fine", 2), deployment("also", 2) | {"kind": "ReplicaSet"}]
    simulation = Simulation([*nodes, deployment("web", 3, **spec), *complete])
    simulation.run()
    [stuck] = simulation.report().stuck
    assert (stuck.kind, stuck.name, stuck.wanted, stuck.available) == ("Deployment", "default/web", 3, 2)
    assert sum(stuck.pending.values()) == 1 and "anti-affinity" in next(iter(stuck.pending))


DONE = {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 3, "observedGeneration": 1}
LATE = {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}
GOING_ON = {"conditions": [{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}]}


@pytest.mark.parametrize(
    ("status", "spec", "expected"),
    [
        (DONE, {}, None),
        (DONE | {"replicas": 4}, {}, (3, 3, 1, False)),
        (DONE | {"updatedReplicas": 2}, {}, (2, 3, 1, False)),
        (DONE | {"availableReplicas": 2}, {}, (3, 2, 0, False)),
        (DONE | {"availableReplicas": 2} | LATE, {}, (3, 2, 0, True)),
        (DONE | {"availableReplicas": 2} | GOING_ON, {}, (3, 2, 0, False)),
        (DONE | {"availableReplicas": 2}, {"paused": True}, None),
        (DONE | {"availableReplicas": 2, "observedGeneration": 0}, {}, None),
    ],
)
def test_a_rollout_is_complete_once_all_pods_are_new_and_available(status, spec, expected):
    """Else: how many are updated, available, and of an older template, and whether it is late."""
    manifest = deployment("web", 3)
    manifest["spec"] |= spec
    owner, _ = decode(manifest | {"status": status}, "Deployment")
    rollouts = Rollouts()
    rollouts.take(
        Changed(at=5 * SECOND, type="ADDED", kind="Deployment", key="default/web", old=None, new=owner, by="")
    )
    stuck = rollouts.stuck(2 * SECOND, {})
    assert [(each.updated, each.available, each.old, each.deadline_exceeded) for each in stuck] == [expected] * bool(
        expected
    )
    assert all((each.wanted, each.since) == (3, 3) for each in stuck)


def test_a_rollout_that_is_refused_pods_says_why():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "2"}}}
    simulation = Simulation([node("a"), quota, deployment("web", 3)])
    simulation.run("30s")
    [stuck] = simulation.report().stuck
    assert stuck.available == 2 and not stuck.pending and "exceeded quota: q" in stuck.refused


def test_json_has_the_schema_that_the_documents_show():
    simulation = Simulation([node("a", cpu=1), deployment("web", 2, cpu=1)])
    simulation.run()
    found = simulation.report()
    shown = json.loads((DOCS / "schemas" / "report.json").read_text(encoding="utf-8"))
    assert shown == json.loads(json.dumps(Report.schema()))
    jsonschema.validate(json.loads(json.dumps(found.to_dict())), shown)


def test_csv_has_the_pools_over_time_and_the_nodes_at_the_end():
    found = report(change(0, None, gpus(4, "8")), change(0, None, trains("a", 1, "n1")), ends())
    rows = list(csv.DictReader(csv_of(found).splitlines()))
    assert {row["scope"] for row in rows} == {"cluster", "node", "pool"}
    [last] = [row for row in rows if (row["scope"], row["resource"]) == ("node", "nvidia.com/gpu")]
    assert (last["name"], last["at"], last["allocatable"], last["requested"]) == ("n1", "49.0", "4.0", "1.0")
    assert len([row for row in rows if (row["scope"], row["name"], row["resource"]) == ("pool", "gpu", "cpu")]) == 50


def test_measurements():
    bound = scheduled(1, 3, a_pod("a", labels={"x": "y"})) + scheduled(1, 4, a_pod("b"))
    found = report(
        Measured(at=2 * SECOND, name="all", on=True, namespaces=("default",)),
        *bound,
        Measured(at=9 * SECOND, name="all", on=False, namespaces=("default",)),
        *scheduled(10, 12, a_pod("late")),
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
    assert data["resources"][0]["final"]["requested"] == 1000


def test_the_example_of_the_documents(capsys):
    page = (DOCS / "reports.md").read_text(encoding="utf-8")
    [(code, shown)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == shown


def test_one_pod_that_asks_for_a_resource_is_enough_to_strand_it():
    """A node has 4 GPUs and no cpu left; one pod asks for both, and nine for cpu alone."""
    shapes = Shapes(demand=np.array([[1.0, 2.0], [1.0, 0.0]]), asks=np.array([[1.0, 1.0], [9.0, 0.0]]))
    stranded, fragmented = shapes.lost(np.array([[0.0, 8.0], [4.0, 1.0]]))
    assert stranded.tolist() == [[0, 0], [4, 1]]
    assert fragmented.tolist() == [[0, 8 * (1 - 9 / 10)], [4, 1]]
