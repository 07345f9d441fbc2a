"""What each generation changed in one decision, with the version of the change."""

from kschedlab.build import cluster, node, pod
from kschedlab.generations import GENERATIONS
from kschedlab.whatif.timeline import timeline

SOFT = [{"key": "old", "value": "yes", "effect": "PreferNoSchedule"}]


def test_each_stop_names_its_causes_with_their_versions() -> None:
    full = {"requests": {"example.com/gpu": "4"}}
    stops = timeline("default/p", cluster(node("a"), pod("p", **full)))
    assert [stop.generation for stop in stops] == list(GENERATIONS)
    assert all(stop.decision.node is None for stop in stops)
    changed = {stop.generation: stop.causes for stop in stops if stop.parts}
    assert "v1.22" not in changed
    assert all(each.entry is not None for causes in changed.values() for each in causes)


def test_the_weight_of_taints() -> None:
    term = {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
    liking = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}
    liked = node("a", cpu="4", memory="8Gi", labels={"disk": "ssd"}, taints=SOFT)
    busy = pod("w", "b", cpu="1", memory="2Gi")
    world = cluster(liked, node("b", cpu="4", memory="8Gi"), busy, pod("p", cpu="100m", affinity=liking))
    before, after = timeline("default/p", world, ("v1.22", "v1.24"))
    assert (before.decision.node, after.decision.node) == ("a", "b")
    (cause,) = (each for each in after.causes if each.cause.change.rule == "weight of TaintToleration")
    assert cause.cause.whole and cause.entry is not None and cause.entry.version == "v1.23"
