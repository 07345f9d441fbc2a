"""The order of victims where the real schedulers leave it open."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.preemption.victims import by_importance, lower_priority


@pytest.mark.parametrize(
    ("older", "older_first", "names"),
    [("old", True, ["old", "b", "c", "a"]), ("old", False, ["b", "c", "old", "a"]), ("", True, ["b", "c", "a"])],
)
def test_of_pods_that_started_at_once_the_first_to_arrive_is_the_most_important(
    older: str, older_first: bool, names: list[str]
) -> None:
    old = [pod(older, "n", start="2026-01-01T00:00:00Z")] if older else []
    vip = pod("vip", priority=1)
    world = cluster(node("n"), *(pod(name, "n", start="2026-01-02T00:00:00Z") for name in "abc"), *old, vip)
    world.bind(world.evict("default/a"), "n")
    rows = lower_priority(world.pending["default/vip"], world.pods)
    ordered = by_importance(world.pods, rows, older_first)
    assert [world.pods.info(row).pod.metadata.name for row in ordered] == names
