"""The order of victims where the real schedulers leave it open."""

import numpy as np

from kschedlab.build import cluster, node, pod
from kschedlab.preemption.victims import by_importance


def test_of_pods_that_started_at_once_the_first_to_arrive_is_the_most_important() -> None:
    old = pod("old", "n", start="2026-01-01T00:00:00Z")
    world = cluster(node("n"), *(pod(name, "n", start="2026-01-02T00:00:00Z") for name in "abc"), old)
    world.bind(world.evict("default/a"), "n")
    rows = by_importance(world.pods, np.array(sorted(world.pods.row_of.values())), older_first=True)
    assert [world.pods.info(row).key for row in rows] == ["default/old", "default/b", "default/c", "default/a"]
