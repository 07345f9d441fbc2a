"""A cluster whose nodes, pods and objects change always equals one that is rebuilt."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.cluster import counts, interning
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import DerivedValues
from kschedlab.cluster.object_store import RELEVANT_PART
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.budgets import MatchesBudget, Protection
from tests.changing import PROBES, TESTED_GENERATIONS, ChangingCluster, decide, shown
from tests.cluster.checking import check
from tests.samples import sampled

RUNS, STEPS, PHASE = 100, 1000, 100
"""100,000 random changes in all; after each phase everything is compared. In a sample each generation comes thrice."""


def by_name(cluster: Cluster, column: str) -> dict[str, list[int]]:
    """A column of resources by name, without resources that no node has and no pod requests."""
    rows = {name: getattr(cluster, column)[row].tolist() for name, row in cluster.resources.items()}
    return {name: row for name, row in rows.items() if any(row)}


def contents(cluster: Cluster) -> dict[str, object]:
    """The contents of a cluster's columns, by names."""
    pods, nominated = cluster.pods, cluster.nominated
    order = sorted(pods.row_of, key=lambda key: pods.arrival[pods.row_of[key]])
    return {
        "names": cluster.names,
        "nodes": cluster.nodes,
        "allocatable": by_name(cluster, "allocatable"),
        "requested": by_name(cluster, "requested"),
        "nonzero": cluster.nonzero.tolist(),
        "max_pods": cluster.max_pods.tolist(),
        "pods_on": cluster.pods_on.tolist(),
        "ranks": cluster.ranks.tolist(),
        "pods": [
            (key, cluster.names[pods.node[row := pods.row_of[key]]], *row_of(cluster, pods, row)) for key in order
        ],
        "nominated": {
            key: (cluster.names[nominated.node[row]], *row_of(cluster, nominated, row))
            for key, row in nominated.row_of.items()
        },
        "without node": {key: node for key, (_, node) in cluster.without_node.items()},
        "nominated without node": {key: node for key, (_, node) in cluster.nominated_without_node.items()},
        "objects": {kind.__name__: list(cluster.objects_of(kind)) for kind in RELEVANT_PART},
        "offers": {name: [o.volume.metadata.name for o in cluster.volumes.bindable(name)] for name in ("wait", "ebs")},
        "kept for": {
            key: sorted(v.metadata.name for v in cluster.volumes.reserved_for(key)) for key in cluster.volumes.claims
        },
        "claims on": {name: sorted(cluster.volumes.claims_on(name)) for name in cluster.volumes.volumes},
    }


def row_of(cluster, pods, row):
    request = {name: int(pods.request[at, row]) for name, at in cluster.resources.items() if pods.request[at, row]}
    signature = pods.info(row).signature
    return int(pods.priority[row]), int(pods.start[row]), request, signature.namespace, dict(signature.labels)


def alike(one, other):
    """Whether two derived values are equal, including the arrays in them."""
    if one is other:
        return True
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(alike, one, other))
    if type(one) is type(other) and dataclasses.is_dataclass(one):
        return all(alike(getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one))
    if type(one) is type(other) and hasattr(one, "__dict__"):
        known = (vars(one).keys() & vars(other).keys()) - {"_numbered"}  # not what is worked out when it is asked for
        return all(alike(vars(one)[name], vars(other)[name]) for name in known)
    return one == other


def compare(changing: ChangingCluster, probes: list) -> None:
    """The cluster, one built from the expected objects, and one built from ``cluster.objects`` are equal."""
    cluster, fresh = changing.cluster, changing.rebuilt()
    check(cluster)
    assert contents(cluster) == contents(fresh)
    blank = cluster.fork()
    blank._derived = DerivedValues()
    for probe in probes:
        decision = shown(decide(cluster, probe, changing.generation))
        assert decision == shown(decide(fresh, probe, changing.generation))
        assert decision == shown(decide(blank, probe, changing.generation))
    kept = dict(blank._derived.items())
    for key, derived in cluster._derived.items():
        if isinstance(key, tuple) and key[0] == "recent matches":
            assert isinstance(derived, dict)
            assert all(
                alike(derived[claims], match) for claims, match in kept.get(key, {}).items() if claims in derived
            )
        elif key == "protection":
            assert isinstance(derived, Protection)
            derived.update(cluster.signatures)
            budgets = [MatchesBudget.of_budget(each) for each in cluster.objects_of(PodDisruptionBudget)]
            for signature in cluster.signatures.living():
                covering = [place for place, budget in enumerate(budgets) if budget.of(signature)]
                assert derived.of(np.array([signature.number]))[1].tolist() == covering
        else:
            assert key not in kept or alike(derived, kept[key]), f"the fact {key} is out of date"


@pytest.mark.parametrize("run", sampled(range(RUNS), 4))
def test_after_random_changes_the_columns_equal_those_of_a_rebuilt_cluster(run, monkeypatch):
    """1,000 changes of a cluster and of its independent forks, with decisions in between.

    In one generation few queries keep a column, as in small clusters; in the others many do.
    """
    part, draw = run % 4, random.Random(run)
    monkeypatch.setattr(counts, "FEW", (64, 4, 1, 0)[part])
    monkeypatch.setattr(interning, "FEW", 16)
    worlds = [ChangingCluster.empty(TESTED_GENERATIONS[part])]
    for _ in range(STEPS // PHASE):
        world = draw.choice(worlds)
        compare(world, world.phase(draw, PHASE))
        if len(worlds) == 3:
            worlds.remove(draw.choice(worlds))
        worlds.append(world.fork())
    for world in worlds:
        compare(world, [draw.choice(variants) for variants in PROBES])
        restored = Cluster(world.cluster.objects, world.generation.api)
        assert contents(restored) == contents(world.cluster)


@given(st.randoms(use_true_random=False), st.integers(0, 3), st.integers(1, 30))
def test_random_changes_that_hypothesis_shrinks(draw, part, steps):
    world = ChangingCluster.empty(TESTED_GENERATIONS[part])
    compare(world, world.phase(draw, steps))
