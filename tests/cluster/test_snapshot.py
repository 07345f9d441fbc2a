"""Each node has its own snapshot: pods added or removed there change nothing elsewhere."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.clues import Clue
from kschedlab.cluster.cluster import CPU, Cluster
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.snapshot import Overlay, Snapshot

ZONES = ["a", "a", "b", None]
NODES = [node(f"n{i}", labels={"zone": zone} if zone else {}) for i, zone in enumerate(ZONES)]


@dataclass(frozen=True)
class Weighs:
    """Answers 0, 1 or 2, by the pod's label."""

    clues: tuple[Clue, ...] = ()

    def of(self, kind: Signature) -> int:
        return int(kind.labels["weight"])


def build(pods: list[tuple[int, int, int]]) -> Cluster:
    """Pods of (node, weight in the query, cpu), running and, with a node of 4 and more, nominated."""
    running = [
        pod(f"p{i}", f"n{on}", labels={"weight": str(weight)}, cpu=str(cpu))
        if on < 4
        else pod(f"p{i}", labels={"weight": str(weight)}, cpu=str(cpu), nominated=f"n{on - 4}")
        for i, (on, weight, cpu) in enumerate(pods)
    ]
    # In the order of the objects' names, so that node i of the cluster is NODES[i].
    world = cluster(*NODES, *running)
    assert sorted(world.names) == ["n0", "n1", "n2", "n3"]
    return world


PODS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2), st.integers(0, 3)), max_size=12)


@given(PODS, st.data())
def test_a_snapshot_equals_a_cluster_with_that_nodes_changes(pods, data):
    world_of = build(pods)
    columns, waiting = world_of.pods, world_of.nominated
    rows, coming = np.flatnonzero(columns.live()), np.flatnonzero(waiting.live())
    leaving, arriving = Overlay(world_of, columns, rows), Overlay(world_of, waiting, coming)
    asked_early = data.draw(st.booleans())
    world = Snapshot(world_of).with_overlay(leaving).with_overlay(arriving)
    if asked_early:
        world.count(Weighs())
    gone = choose(data, leaving, len(rows), -1)
    came = choose(data, arriving, len(coming), +1)
    world = Snapshot(world_of).with_overlay(leaving).with_overlay(arriving)

    for n, name in enumerate(world_of.names):
        present = [columns.info(r) for k, r in enumerate(rows) if not (columns.node[r] == n and k in gone)]
        node_of = {i.key: int(columns.node[columns.row_of[i.key]]) for i in present}
        extra = [waiting.info(r) for k, r in enumerate(coming) if waiting.node[r] == n and k in came]
        node_of |= {i.key: n for i in extra}
        everyone = present + extra
        here = [i for i in everyone if node_of[i.key] == n]
        weight = {i.key: int(i.pod.metadata.labels["weight"]) for i in everyone}
        assert world.count(Weighs())[n] == sum(weight[i.key] for i in here)
        assert world.requested(CPU)[n] == sum(i.request.get("cpu", 0) for i in here)
        assert world.pods_on()[n] == len(here)
        zone = ZONES[int(name[1:])]
        same = {m for m, other in enumerate(world_of.names) if zone and ZONES[int(other[1:])] == zone}
        assert world.count_in_domain(Weighs(), "zone")[n] == sum(
            weight[i.key] for i in everyone if node_of[i.key] in same
        )


def choose(data: st.DataObject, overlay: Overlay, size: int, weight: int) -> set[int]:
    """Set the weight of some of the overlay's pods, reset some, and return the rest."""
    first = data.draw(st.sets(st.integers(0, size - 1))) if size else set()
    back = data.draw(st.sets(st.sampled_from(sorted(first)))) if first else set()
    overlay.set(np.array(sorted(first), np.int64), weight)
    overlay.set(np.array(sorted(back), np.int64), 0)
    return first - back


def test_without_overlays_a_snapshot_is_the_cluster_itself():
    world_of = build([(0, 1, 2), (0, 2, 1), (2, 1, 1)])
    world = Snapshot(world_of)
    assert world.requested(CPU) is not None and np.shares_memory(world.requested(CPU), world_of.requested[CPU])
    assert world.pods_on() is world_of.pods_on
    assert world.count(Weighs()).tolist() == world_of.count(Weighs()).tolist()


class TestHolds:
    """Host ports are kept in a set: v1.37: kube-scheduler/framework/types.go, HostPortInfo."""

    @dataclass(frozen=True)
    class Has:
        clues: tuple[Clue, ...] = ()

        def of(self, kind: Signature) -> int:
            return int(kind.labels["weight"] == "1")

    def worlds(self, *pods):
        world_of = build([(*p, 0) for p in pods])
        rows = np.flatnonzero(world_of.pods.live())
        rows = rows[np.argsort([world_of.pods.info(r).key for r in rows])]
        return world_of, Overlay(world_of, world_of.pods, rows)

    def held(self, world_of, overlay):
        return bool(Snapshot(world_of).with_overlay(overlay).contains(self.Has())[world_of.index["n0"]])

    def test_removing_the_only_pod_removes_the_port(self):
        world_of, overlay = self.worlds((0, 1), (0, 0))
        assert self.held(world_of, overlay)
        overlay.set(np.array([0]), -1)
        assert not self.held(world_of, overlay)

    def test_removing_one_of_two_pods_removes_the_port(self):
        world_of, overlay = self.worlds((0, 1), (0, 1), (0, 1))
        running = Overlay(world_of, world_of.pods, np.array([world_of.pods.row_of["default/p0"]]))
        running.set(np.array([0]), -1)
        assert not self.held(world_of, running)

    def test_a_reprieved_pod_restores_the_port(self):
        world_of, overlay = self.worlds((0, 1), (0, 1))
        overlay.set(np.array([0, 1]), -1)
        overlay.set(np.array([1]), 0)
        assert self.held(world_of, overlay)

    def test_removing_a_pod_without_the_port_changes_nothing(self):
        world_of, overlay = self.worlds((0, 1), (0, 0))
        overlay.set(np.array([1]), -1)
        assert self.held(world_of, overlay)

    def test_removing_a_pod_on_another_node_changes_nothing(self):
        world_of, overlay = self.worlds((0, 1), (1, 1))
        overlay.set(np.array([1]), -1)
        assert self.held(world_of, overlay)

    def test_a_nominated_pod_adds_the_port(self):
        world_of = build([(4, 1, 0)])
        overlay = Overlay(world_of, world_of.nominated, np.flatnonzero(world_of.nominated.live()))
        assert not self.held(world_of, overlay)
        overlay.set(np.array([0]), 1)
        assert self.held(world_of, overlay)

    @pytest.mark.parametrize("nominated_first", [True, False])
    def test_a_nominated_pod_adds_the_port_after_its_removal(self, nominated_first):
        world_of = build([(0, 1, 0), (4, 1, 0)])
        leaving = Overlay(world_of, world_of.pods, np.flatnonzero(world_of.pods.live()))
        coming = Overlay(world_of, world_of.nominated, np.flatnonzero(world_of.nominated.live()))
        leaving.set(np.array([0]), -1)
        coming.set(np.array([0]), 1)
        first, second = (coming, leaving) if nominated_first else (leaving, coming)
        assert Snapshot(world_of).with_overlay(first).with_overlay(second).contains(self.Has())[world_of.index["n0"]]
