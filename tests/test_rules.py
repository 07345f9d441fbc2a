"""Every setting in which two neighbouring generations differ, and a small cluster where it alone changes the verdict.

``rules/GENERATION.jsonl`` has a scenario for each setting that the generation after that one changed: ``rule``;
``pod`` and ``objects``, as in the conformance vectors; ``with``: another rule, if it has no effect without that one;
``verdict``: the decision of that generation's real scheduler, which did not receive kinds that its API lacks.
"""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
import simpy

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.filter.plugin import StaticFilter
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.generations import COURSE, GENERATIONS, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod, TopologySpreadConstraint
from kschedlab.plugins.framework import NodeView
from kschedlab.program.decide import decide_line
from kschedlab.scheduler import Scheduler, schedule
from kschedlab.score.image_locality import ImageLocality
from kschedlab.whatif.compare import changes
from kschedlab.whatif.comparison import SettingChange
from kschedlab_simulation.log import Log
from kschedlab_simulation.server.api import ApiServer
from packages.devices.tests.device_manifests import (
    GPU,
    device,
    device_class,
    exactly,
    resource_claim,
    resource_slice,
    taint_rule,
)
from tests.affinity import affinity, by, selector
from tests.conformance.compare import differences
from tests.verdicts import model

WEB = {"app": "web"}


class Line(msgspec.Struct):
    rule: str
    pod: str
    objects: list[msgspec.Raw]
    verdict: dict[str, Any]
    partner: str = msgspec.field(name="with", default="")


def read(generation: str) -> dict[str, bytes]:
    path = Path(__file__).parent / "rules" / f"{generation}.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    return {msgspec.json.decode(line, type=Line).rule: line for line in lines}


LINES = {name: read(name) for name in GENERATIONS}
STEPS = list(pairwise(map(Generation.named, COURSE)))
NAMED = [(earlier, later, change) for earlier, later in STEPS for change in changes(earlier, later)]


def verdict(line: bytes, generation: Generation) -> dict[str, Any]:
    """The verdict without the name of the generation, as plain JSON."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(decide_line(line, generation)))
    return {part: value for part, value in found.items() if part not in ("id", "version")}


# -- settings that an exhaustive decision does not show


def decided(generation: Generation, *objects: Manifest, **settings: Any) -> Decision:
    """The decision about the pod ``p``, as a running scheduler takes it."""
    cluster = Cluster(decode_objects(objects), generation.api)
    return schedule("default/p", cluster, generation, exhaustive=False, **settings)


def scheduler(generation: Generation, *objects: Manifest, **settings: Any) -> Scheduler:
    return Scheduler(Cluster(decode_objects(objects), generation.api), generation, **settings)


def nodes_found(generation: Generation) -> int:
    return len(decided(generation, *(node(f"n{i}") for i in range(1000)), pod("p")).feasible)


def nodes_found_unscored(generation: Generation) -> int:
    return len(decided(replace(generation, scores=()), node("a"), node("b"), pod("p")).feasible)


def where_the_second_search_begins(generation: Generation) -> str:
    loop = scheduler(generation, *(node(f"n{i}") for i in range(200)), percentage=50)
    loop.cycle(loop.cluster.info(model(pod("p"))))
    return loop.cluster.names[loop.cycle(loop.cluster.info(model(pod("q")))).feasible[0]]


def hosts(generation: Generation) -> str:
    loop = scheduler(generation, node("a"), node("b"), rng=random.Random(1))
    return "".join(str(loop.cycle(loop.cluster.info(model(pod("p")))).node) for _ in range(6))


def missing_claim_alone(generation: Generation) -> bool:
    """Whether a missing claim is an error for NodeVolumeLimits, where no other filter looks at it first."""
    (limits,) = (each for each in generation.filters if each.name == "NodeVolumeLimits")
    alone = replace(generation, filters=(replace(limits, checks_claims=True),))
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "gone"}}
    return bool(decided(alone, node("a"), pod("p", volumes=[volume])).error)


def error_before_preemption(generation: Generation) -> str:
    return decided(generation, node("a"), pod("p", cpu="999")).post_filter_error


def refused_without_a_feature(generation: Generation) -> list[str]:
    restarting = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}
    container = {"name": "c", "image": "i", "restartPolicy": "Never", "restartPolicyRules": [restarting]}
    able = node("a") | {"status": node("a")["status"] | {"declaredFeatures": ["RestartAllContainersOnContainerExits"]}}
    decision = decided(generation, able, node("b"), pod("p", containers=[container]))
    return sorted(set("ab") - set(decision.names))


def rows_of_scores(generation: Generation) -> bool:
    """Whether there is a row for devices, which a pod without claims has, too."""
    scores = decided(generation, node("a"), node("b"), pod("p")).scores
    return scores is not None and "DynamicResources" in scores.plugins


SERVED = {"resources": {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}}


def refused_without_the_resource(generation: Generation) -> list[str]:
    """A resource that no node has and a class serves: the question of fitting is left to DynamicResources."""
    served = device_class("gpu", extendedResourceName="example.com/gpu")
    asking = pod("p", containers=[{"name": "c", "image": "i"} | SERVED])
    decision = decided(generation, node("a"), served, asking)
    return sorted(set("a") - set(decision.names))


def plugin_that_refuses_a_claim(generation: Generation) -> str:
    """The pod has a claim, and no node has devices."""
    claim = resource_claim("c", exactly())
    asking = pod("p", resourceClaims=[{"name": "c", "resourceClaimName": "c"}])
    decision = decided(generation, node("a"), device_class(), claim, asking)
    return str(decision.verdict("a").plugin)


class Broken:
    """A filter that fails on a node without pods, as the dry run has it."""

    def filter(self, pod: Pod, node: NodeView) -> str | None:
        if not node.pods:
            raise ValueError("broken")
        return None


def failure_of_the_dry_run(generation: Generation) -> bool:
    full = node("a", allocatable={"cpu": "1", "pods": "9"})
    coming = pod("p", cpu="1", priority=9)
    decision = decided(generation.plus(Broken()), full, pod("w", "a", cpu="1"), coming)
    assert decision.preemption is not None
    return bool(decision.preemption.failure)


def candidates(generation: Generation) -> int:
    full = [node(f"n{i}", allocatable={"cpu": "1", "pods": "9"}) for i in range(300)]
    running = [pod(f"w{i}", f"n{i}", cpu="1") for i in range(300)]
    preemption = decided(generation, *full, *running, pod("p", "", cpu="1", priority=9)).preemption
    return len(preemption.candidates) if preemption is not None else 0


def raw_affinity(generation: Generation) -> int:
    liking = affinity(rather_near=[(7, by("host", "app In web"))])
    nodes = [node(name, labels={"host": name}) for name in "ab"]
    scores = decided(generation, *nodes, pod("w", "a", labels=WEB), pod("p", affinity=liking)).scores
    assert scores is not None
    (row,) = (row for plugin, row in zip(scores.plugins, scores.rows, strict=True) if "InterPodAffinity" in plugin)
    return int(row.raw.max())


def outcome_with_a_gate(generation: Generation) -> str | None:
    gated = pod("p", schedulingGates=[{"name": "wait"}])
    return decided(generation, node("a"), gated).node


def host_of_a_nominated_pod(generation: Generation) -> str | None:
    return decided(
        generation, node("a"), node("b", allocatable={"cpu": "1", "pods": "9"}), pod("p", nominated="b")
    ).node


def refusal_of_another_host(generation: Generation) -> tuple[str | None, str]:
    """Only the kubelet and tests run this filter for a pod with spec.nodeName, which is no longer pending."""
    loop = scheduler(generation, node("a", unschedulable=True), node("b"))
    decision = loop.cycle(loop.cluster.info(model(pod("p", "b"))))
    said = decision.verdict("a")
    return said.plugin, "; ".join(said.reasons)


def refused_by_hard_defaults(generation: Generation) -> list[str]:
    """Only a configuration can add required spread constraints to pods without any."""
    given = (TopologySpreadConstraint(maxSkew=1, topologyKey="zone", whenUnsatisfiable="DoNotSchedule"),)
    filters = (replace(f, defaults=given) if isinstance(f, PodTopologySpread) else f for f in generation.filters)
    nodes = [node(name, labels={"zone": name}) for name in "ab"]
    controller = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "rs"}}
    controller |= {"spec": {"selector": selector("app In web")}}
    running, coming = pod("w", "a", labels=WEB), pod("p", labels=WEB)
    decision = decided(replace(generation, filters=tuple(filters)), *nodes, controller, running, coming)
    return sorted(set("ab") - set(decision.names))


def fate_of_a_claim_without_class(generation: Generation) -> str:
    """Only the volumes' zones, as a Policy may configure; by default CheckVolumeBinding runs before."""
    filters = tuple(f for f in generation.filters if f.name == "NoVolumeZoneConflict")
    zoned = node("a", labels={"failure-domain.beta.kubernetes.io/zone": "a"})
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}}
    claim |= {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    return decided(replace(generation, filters=filters), zoned, claim, pod("p", volumes=[volume])).message


def nomination_of_a_bound_pod(generation: Generation) -> str:
    api = ApiServer(simpy.Environment(0), Log(), generation.api)
    made = api.create(model(pod("p")))
    nominated = msgspec.structs.replace(made.status, nominatedNodeName="a")
    api.update_status(msgspec.structs.replace(made, status=nominated))
    api.bind("default", "p", made.metadata.uid, "a")
    return api.get(Pod, "default", "p").status.nominatedNodeName


class Named:
    """A filter whose PreFilter leaves one node."""

    def __init__(self, name: str) -> None:
        self.name = name

    def prepare(self, pod: object, cluster: object) -> StaticFilter:
        return StaticFilter(None, frozenset([self.name]))


def may_evict_if_names_conflict(generation: Generation) -> bool:
    """By default only a local volume and a required node name can conflict, in v1.28."""
    conflicting = replace(generation, filters=(Named("a"), Named("b")))
    preemption = decided(conflicting, node("a"), node("b"), pod("p", priority=9)).preemption
    return preemption is not None and bool(len(preemption.potential))


def where_evicting_may_help(generation: Generation) -> list[str]:
    """PreFilter leaves a node that is too small."""
    fit = next(each for each in generation.filters if each.name == "NodeResourcesFit")
    named = replace(generation, filters=(Named("a"), replace(fit, too_small_is_unresolvable=False)))
    decision = decided(named, node("a"), node("b"), pod("p", cpu="999", priority=9))
    assert decision.preemption is not None
    return [decision.cluster.names[position] for position in decision.preemption.potential]


def points_of_two_large_images(generation: Generation) -> int:
    """One of a container, one of a volume, which only later APIs store."""
    scores = tuple(
        (replace(score, counts_image_volumes=True) if isinstance(score, ImageLocality) else score, weight)
        for score, weight in generation.scores
    )
    large = [{"names": [f"{name}:1"], "sizeBytes": 1 << 30} for name in ("img", "model")]
    there = node("a") | {"status": node("a")["status"] | {"images": large}}
    mounting = pod(
        "p", containers=[{"name": "c", "image": "img:1"}], volumes=[{"name": "v", "image": {"reference": "model:1"}}]
    )
    reading = replace(generation, scores=scores, api=GENERATIONS["v1.37"].api)
    found = decided(reading, there, node("b"), mounting).scores
    assert found is not None
    (row,) = (row for plugin, row in zip(found.plugins, found.rows, strict=True) if plugin == "ImageLocality")
    return int(row.raw.max())


def node_with_a_tainted_device(generation: Generation) -> str | None:
    """In v1.37 with this version's API."""
    latest = GENERATIONS["v1.37"]
    reading = replace(latest, api=replace(latest.api, applies_taint_rules=generation.api.applies_taint_rules))
    claim, offered = resource_claim("c", exactly()), resource_slice("a", [device("gpu-0")])
    asking = pod("p", resourceClaims=[{"name": "c", "resourceClaimName": "c"}])
    return decided(reading, node("a"), device_class(), offered, claim, taint_rule("t", driver=GPU), asking).node


class Fifty:
    """A score of 50 for every node."""

    def score(self, pod: Pod, node: NodeView) -> int:
        return 50


def fate_of_a_score_of_50(generation: Generation) -> bool:
    """Whether it is an error."""
    return "[0, 10]" in decided(generation.plus(Fifty()), node("a"), node("b"), pod("p")).error


SEEN: dict[tuple[str, str], tuple[Callable[[Generation], object], object, object]] = {
    ("v1.13", "sampling.min_percentage"): (nodes_found, 500, 420),
    ("v1.13", "ties"): (hosts, "ababab", "baabbb"),
    ("v1.16", "sampling.counts_surplus_node"): (where_the_second_search_begins, "n101", "n100"),
    ("v1.16", "preemption.min_candidate_percentage"): (candidates, 300, 100),
    ("v1.16", "filter NoVolumeZoneConflict.missing_volume_is_error"): (
        fate_of_a_claim_without_class,
        "PersistentVolumeClaim had no pv name and storageClass name",
        "0/1 nodes are available: 1 PersistentVolumeClaim had no pv name and storageClass name.",
    ),
    ("v1.16", "score InterPodAffinityPriority.has_normalize_step"): (raw_affinity, 10, 7),
    ("v1.16", "max_node_score"): (fate_of_a_score_of_50, True, False),
    ("v1.20", "ties"): (hosts, "baabbb", "aaaaaa"),
    ("v1.20", "filter NodeVolumeLimits.missing_claim_is_error"): (missing_claim_alone, True, False),
    ("v1.20", "preemption.after_dynamic_resources"): (error_before_preemption, "", "not found"),
    ("v1.20", "preemption.fails_with_its_filters"): (failure_of_the_dry_run, False, True),
    ("v1.20", "filter NodeResourcesFit.leaves_devices_out"): (refused_without_the_resource, ["a"], []),
    ("v1.20", "with the filter DynamicResources"): (plugin_that_refuses_a_claim, "None", "DynamicResources"),
    ("v1.20", "with the filter NodeDeclaredFeatures"): (refused_without_a_feature, [], ["b"]),
    ("v1.20", "with the score DynamicResources"): (rows_of_scores, False, True),
    ("v1.20", "api.unknown: schedulingGates"): (outcome_with_a_gate, "a", None),
    ("v1.20", "api.bound_pods_stay_nominated"): (nomination_of_a_bound_pod, "a", ""),
    ("v1.20", "sampling.one_node_if_no_scores"): (nodes_found_unscored, 2, 1),
    ("v1.20", "nominated_node_first"): (host_of_a_nominated_pod, "a", "b"),
    ("v1.20", "preemption.excluded_is_unresolvable"): (where_evicting_may_help, ["a", "b"], ["a"]),
    ("v1.20", "score ImageLocality.image_volumes_raise_limit"): (points_of_two_large_images, 100, 50),
    ("v1.20", "api.applies_taint_rules"): (node_with_a_tainted_device, "a", None),
    ("v1.20", "naming.conflict_is_unresolvable"): (may_evict_if_names_conflict, True, False),
    ("v1.20", "filter NodeName.returns_node_names"): (
        refusal_of_another_host,
        ("NodeUnschedulable", "node(s) were unschedulable"),
        ("PreFilter", ""),
    ),
    ("v1.20", "filter NodeName.reason"): (
        lambda generation: refusal_of_another_host(replace(generation, filters=generation.filters[1:])),
        ("NodeName", "node(s) didn't match the requested hostname"),
        ("NodeName", "node(s) didn't match the requested node name"),
    ),
    ("v1.20", "order of filters"): (
        refusal_of_another_host,
        ("NodeUnschedulable", "node(s) were unschedulable"),
        ("NodeName", "node(s) didn't match the requested hostname"),
    ),
    ("v1.20", "filter PodTopologySpread.rules.defaults_follow_owner_reference"): (refused_by_hard_defaults, ["a"], []),
}
"""By the earlier generation and the rule: what is looked at, and what it is without the rule's change and with it."""


# -- the tests


def marked(earlier: Generation, *rest: Any, name: str) -> Any:
    return pytest.param(earlier, *rest, id=f"{earlier.name}-{name}")


@pytest.mark.parametrize(
    ("earlier", "later", "change"),
    [marked(*step, name=step[2].rule) for step in NAMED if (step[0].name, step[2].rule) not in SEEN],
)
def test_the_rule_alone_changes_the_verdict(earlier: Generation, later: Generation, change: SettingChange) -> None:
    """Or the rule together with its partner, if neither has an effect alone."""
    line = LINES[earlier.name].get(change.rule)
    assert line is not None, f"no scenario shows {change.rule}"
    before, after = verdict(line, earlier), verdict(line, change.switched)
    partner = msgspec.json.decode(line, type=Line).partner
    if partner:
        assert after == before, f"{change.rule} has an effect without {partner}"
        (both,) = (c.switched for c in changes(change.switched, later) if c.rule == partner)
        (alone,) = (c.switched for c in changes(earlier, later) if c.rule == partner)
        before, after = verdict(line, alone), verdict(line, both)
    assert after != before


@pytest.mark.parametrize(
    ("earlier", "change", "seen"),
    [
        marked(earlier, change, SEEN[earlier.name, change.rule], name=change.rule)
        for earlier, _, change in NAMED
        if (earlier.name, change.rule) in SEEN
    ],
)
def test_the_rule_alone_changes_what_is_seen(earlier: Generation, change: SettingChange, seen: Any) -> None:
    look, before, after = seen
    assert look(earlier) == before
    assert look(change.switched) == after


@pytest.mark.parametrize(
    ("generation", "line"),
    [marked(GENERATIONS[name], line, name=rule) for name in GENERATIONS for rule, line in LINES[name].items()],
)
def test_the_real_scheduler_decides_the_same(generation: Generation, line: bytes) -> None:
    real = msgspec.json.decode(line, type=Line).verdict
    found = list(
        differences([{"id": "", **real}], [{"id": "", "version": generation.name, **verdict(line, generation)}])
    )
    assert not found, "\n".join(map(str, found))


def test_every_scenario_shows_a_rule() -> None:
    known = {(earlier.name, change.rule) for earlier, _, change in NAMED}
    assert {(name, rule) for name in GENERATIONS for rule in LINES[name]} | SEEN.keys() == known
