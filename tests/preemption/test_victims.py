"""The order of victims where the real schedulers leave it open."""

import numpy as np

from kschedlab.build import cluster, node, pod
from kschedlab.preemption.victims import by_importance


def test_of_pods_that_started_at_once_the_first_to_arrive_is_the_most_important() -> None:
    world = cluster(node("n"), pod("a", "n"), pod("b", "n"), pod("c", "n"))
    world.bind(world.evict("default/a"), "n")
    rows = by_importance(world.pods, np.array(sorted(world.pods.row_of.values())), older_first=True)
    assert [world.pods.info(row).key for row in rows] == ["default/b", "default/c", "default/a"]
