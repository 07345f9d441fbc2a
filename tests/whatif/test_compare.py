"""What separates generations, and which of it makes the difference in one decision."""

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pytest

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.stage import SamplingRules
from kschedlab.generations import V1_13, V1_16, V1_20, V1_37, Generation
from kschedlab.generations.messages import OF_DECISIONS, Messages
from kschedlab.manifests.loading import decode_objects
from kschedlab.preemption.ladder import RULES
from kschedlab.scheduler import schedule
from kschedlab.score.image_locality import ImageLocality
from kschedlab.whatif.compare import changes, compare, identity, outcome, setting_text
from kschedlab.whatif.comparison import Comparison
from kschedlab_configuration.older.registry import REGISTRY_1_16
from tests.course import GENERATIONS

STEPS = list(pairwise(GENERATIONS.values()))


def rules(earlier: Generation, later: Generation) -> list[tuple[str, str, str]]:
    return [(change.rule, change.before, change.after) for change in changes(earlier, later)]


def with_filters(generation: Generation, *filters: Any) -> Generation:
    return replace(generation, filters=filters)


def renamed(plugins: Any, like: Any) -> list[Any]:
    names = {identity(plugin): plugin.name for plugin in like}
    return [replace(plugin, name=names[identity(plugin)]) for plugin in plugins]


# -- what separates two tables


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=GENERATIONS)
def test_nothing_separates_a_generation_from_itself(generation: Generation) -> None:
    assert changes(generation, replace(generation, name="mine")) == []


@pytest.mark.parametrize(("earlier", "later"), STEPS, ids=[f"{a.name}-{b.name}" for a, b in STEPS])
def test_each_change_is_switched_alone(earlier: Generation, later: Generation) -> None:
    for change in changes(earlier, later):
        assert rules(earlier, change.switched) == [(change.rule, change.before, change.after)]


@pytest.mark.parametrize(("earlier", "later"), STEPS, ids=[f"{a.name}-{b.name}" for a, b in STEPS])
def test_all_changes_make_the_later_generation(earlier: Generation, later: Generation) -> None:
    """One after the other: nothing that separates the two is missing, but for the plugins' names."""
    generation, switched = earlier, list[str]()
    while found := changes(generation, later):
        generation = found[0].switched
        switched.append(found[0].rule)
    assert switched == [change.rule for change in changes(earlier, later)] and len(set(switched)) == len(switched)
    assert renamed(generation.filters, later.filters) == list(later.filters)
    weights = {identity(score): weight for score, weight in generation.scores}
    assert weights == {identity(score): weight for score, weight in later.scores}
    apart = {"name": "", "filters": (), "scores": (), "queue": later.queue, "extension_points": later.extension_points}
    apart["extending"] = later.extending
    of_events = {field.name for field in fields(Messages)} - {*OF_DECISIONS}
    messages = replace(generation.messages, **{name: getattr(later.messages, name) for name in of_events})
    assert replace(generation, **apart, messages=messages) == replace(later, **apart)


def first(generation: Generation, name: str) -> Any:
    return next(f for f in generation.filters if f.name == name)


LEAST, MOST = REGISTRY_1_16.scores(LeastRequestedPriority=1, MostRequestedPriority=2)
UNION, TAINTS = first(V1_16, "GeneralPredicates"), first(V1_16, "PodToleratesNodeTaints")
EBS, GCE = first(V1_16, "MaxEBSVolumeCount"), first(V1_16, "MaxGCEPDVolumeCount")
RESOURCES, HOST, *REST = UNION.filters
CASES = {
    "a constant": (V1_37, replace(V1_37, percentage=10), [("percentage", "0", "10")]),
    "a rule inside rules": (
        V1_37,
        replace(V1_37, sampling=SamplingRules(min_percentage=50)),
        [("sampling.min_percentage", "5", "50")],
    ),
    "a rung of the ladder": (
        V1_37,
        replace(V1_37, preemption=replace(V1_37.preemption, ladder=RULES[1:])),
        [("preemption.ladder", "fewest PodDisruptionBudget violations", "-")],
    ),
    "fields of the API": (
        V1_37,
        replace(V1_37, api=replace(V1_37.api, unknown=("overhead", "tolerations"))),
        [
            ("api.unknown: schedulingGroup", "yes", "-"),
            ("api.unknown: overhead", "-", "yes"),
            ("api.unknown: tolerations", "-", "yes"),
        ],
    ),
    "no field that the API does not know": (
        V1_37,
        replace(V1_37, api=replace(V1_37.api, unknown=())),
        [("api.unknown: schedulingGroup", "yes", "-")],
    ),
    "no ladder at all": (
        V1_37,
        replace(V1_37, preemption=replace(V1_37.preemption, ladder=())),
        [("preemption.ladder", ", ".join(rule.name for rule in RULES), "-")],
    ),
    "disks in another order, under other names": (
        with_filters(V1_16, EBS, GCE),
        with_filters(V1_16, replace(GCE, name="GCEPDLimits"), replace(EBS, name="EBSLimits")),
        [("order of filters", "MaxEBSVolumeCount, MaxGCEPDVolumeCount", "MaxGCEPDVolumeCount, MaxEBSVolumeCount")],
    ),
    "how requests are counted": (
        V1_37,
        replace(V1_37, api=replace(V1_37.api, placed=V1_16.api.placed)),
        [("api.placed", "pod_requests", "rounded_first")],
    ),
    "a filter that is dropped": (
        V1_20,
        with_filters(V1_20, *(f for f in V1_20.filters if f.name != "GCEPDLimits")),
        [("without the filter GCEPDLimits", "GCEPDLimits", "-")],
    ),
    "a filter that is added": (
        with_filters(V1_20, *(f for f in V1_20.filters if f.name != "GCEPDLimits")),
        V1_20,
        [("with the filter GCEPDLimits", "-", "GCEPDLimits")],
    ),
    "a rule of a filter": (
        with_filters(V1_16, TAINTS),
        with_filters(V1_16, replace(TAINTS, name="TaintToleration", reason="no")),
        [("filter PodToleratesNodeTaints.reason", TAINTS.reason, "no")],
    ),
    "the order": (
        V1_20,
        with_filters(V1_20, *V1_20.filters[:3], V1_20.filters[4], V1_20.filters[3], *V1_20.filters[5:]),
        [("order of filters", "NodeAffinity, NodePorts", "NodePorts, NodeAffinity")],
    ),
    "the order of three": (
        V1_20,
        with_filters(V1_20, *V1_20.filters[:2], *V1_20.filters[3:5], V1_20.filters[2], *V1_20.filters[5:]),
        [("order of filters", "TaintToleration, NodeAffinity, NodePorts", "NodeAffinity, NodePorts, TaintToleration")],
    ),
    "filters no longer asked together": (
        with_filters(V1_16, UNION, TAINTS),
        with_filters(V1_16, HOST, TAINTS, RESOURCES),
        [
            ("without the filter PodFitsHostPorts", "PodFitsHostPorts", "-"),
            ("without the filter MatchNodeSelector", "MatchNodeSelector", "-"),
            ("GeneralPredicates checked one by one", "GeneralPredicates", "HostName, PodFitsResources"),
        ],
    ),
    "a rule of a filter that is asked together with others": (
        with_filters(V1_16, UNION),
        with_filters(V1_16, replace(UNION, filters=(replace(RESOURCES, too_many_pods="Too many pods"), HOST, *REST))),
        [("filter PodFitsResources.too_many_pods", "Insufficient pods", "Too many pods")],
    ),
    "a score that is dropped": (
        V1_37,
        replace(V1_37, scores=tuple((s, w) for s, w in V1_37.scores if not isinstance(s, ImageLocality))),
        [("without the score ImageLocality", "ImageLocality", "-")],
    ),
    "a weight": (
        V1_37,
        replace(V1_37, scores=((V1_37.scores[0][0], 7), *V1_37.scores[1:])),
        [("weight of TaintToleration", "3", "7")],
    ),
    "a second score of the same class": (
        replace(V1_16, scores=(LEAST,)),
        replace(V1_16, scores=(MOST, LEAST)),
        [("with the score MostRequestedPriority", "-", "MostRequestedPriority")],
    ),
}


@pytest.mark.parametrize(("earlier", "later", "expected"), CASES.values(), ids=CASES)
def test_what_separates(earlier: Generation, later: Generation, expected: list[tuple[str, str, str]]) -> None:
    assert rules(earlier, later) == expected


def test_an_added_score_has_the_weight_of_the_generation_that_has_it() -> None:
    (change,) = changes(replace(V1_16, scores=(LEAST,)), replace(V1_16, scores=(MOST, LEAST)))
    assert change.switched.scores == (MOST, LEAST)


def test_an_added_filter_stands_behind_the_one_that_it_follows() -> None:
    without = with_filters(V1_20, *(f for f in V1_20.filters if f.name != "GCEPDLimits"))
    (change,) = changes(without, V1_20)
    assert change.switched.filters == V1_20.filters


def test_filters_no_longer_asked_together_take_their_places_in_the_later_order() -> None:
    (change,) = (c for c in changes(V1_16, V1_20) if c.rule == "GeneralPredicates checked one by one")
    names = [f.name for f in change.switched.filters]
    assert names[:6] == [
        "CheckNodeUnschedulable",
        "HostName",
        "PodToleratesNodeTaints",
        "MatchNodeSelector",
        "PodFitsHostPorts",
        "PodFitsResources",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "True"), (50, "50"), (outcome, "outcome"), (RULES[3], "fewest victims"), ((), "-"), (("a", "b"), "a, b")],
)
def test_a_setting_as_text(value: object, text: str) -> None:
    assert setting_text(value) == text


# -- one decision in several generations

FULL = {"cpu": "1", "memory": "8Gi", "pods": "9"}
SPOT = {"key": "spot", "effect": "PreferNoSchedule"}
DEDICATED = {"key": "dedicated", "effect": "NoSchedule"}


def compared(*objects: Manifest, generations: tuple[Generation, ...] = (V1_20, V1_37)) -> Comparison:
    return compare("default/p", cluster(*objects), generations)


def causes(comparison: Comparison) -> dict[str, tuple[tuple[str, ...], bool]]:
    (step,) = comparison.steps
    return {cause.change.rule: (cause.parts, cause.whole) for cause in step.causes}


def test_a_rule_that_gives_the_whole_difference() -> None:
    comparison = compared(node("a", taints=[DEDICATED]), pod("p"))
    assert causes(comparison) == {"filter TaintToleration.reason": (("message",), True)}
    (step,) = comparison.steps
    assert (step.earlier, step.later, step.parts) == ("v1.20", "v1.37", ("message",))
    reasons = ("node(s) had taint {dedicated: }, that the pod didn't tolerate", "node(s) had untolerated taint(s)")
    assert [d.message for d in comparison.decisions.values()] == [f"0/1 nodes are available: 1 {r}." for r in reasons]


def test_a_weight_that_turns_the_choice_round() -> None:
    """The empty node is better by what a taint costs once, but not by what it costs three times."""
    nodes = (
        node("a", allocatable={"cpu": "4", "memory": "8Gi", "pods": "9"}, taints=[SPOT]),
        node("b", allocatable=FULL),
    )
    comparison = compared(*nodes, pod("w", "b", cpu="900m"), pod("p", "", cpu="50m"))
    assert [decision.best for decision in comparison.decisions.values()] == [["a"], ["b"]]
    assert causes(comparison)["weight of TaintToleration"] == (("best nodes",), True)


def test_victims_and_the_node_chosen_are_parts_of_the_outcome() -> None:
    """The victim with the earlier start goes in v1.13, which takes the pods in the order in which they came."""
    running = [
        pod("younger", "a", cpu="500m", start="2024-01-31T10:00:00Z"),
        pod("older", "a", cpu="500m"),
    ]
    running[1]["status"]["startTime"] = "2024-01-31T08:00:00Z"
    coming = pod("p", "", cpu="500m", priority=9)
    comparison = compared(node("a", allocatable=FULL), *running, coming, generations=(V1_13, V1_16))
    assert causes(comparison) == {"preemption.victims.older_is_more_important": (("victims",), True)}
    assert [outcome(decision)["victims"] for decision in comparison.decisions.values()] == [
        {"a": frozenset({"default/older"})},
        {"a": frozenset({"default/younger"})},
    ]


def test_rules_of_which_none_gives_the_whole_difference() -> None:
    """Both nodes' reasons are worded otherwise."""
    nodes = node("a", taints=[DEDICATED]), node("b", labels={"disk": "hdd"})
    comparison = compared(*nodes, pod("p", nodeSelector={"disk": "ssd"}))
    reasons = "filter TaintToleration.reason", "filter NodeAffinity.reason"
    assert causes(comparison) == dict.fromkeys(reasons, (("message",), False))


def test_no_cause_is_named_where_only_rules_together_make_the_difference() -> None:
    """The API has to know sidecars, and requests have to count them."""
    sidecar = {"name": "s", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "600m"}}}
    comparison = compared(node("a", allocatable=FULL), pod("p", "", cpu="600m", initContainers=[sidecar]))
    (step,) = comparison.steps
    assert step.parts == ("feasible nodes", "best nodes", "message") and step.causes == ()


def test_the_same_outcome_has_no_causes() -> None:
    comparison = compared(node("a"), pod("p"))
    (step,) = comparison.steps
    assert step.parts == () and step.causes == ()


def test_each_generation_decides_as_it_does_by_itself() -> None:
    """On its own cluster: the APIs differ."""
    manifests = (
        node("a", allocatable=FULL),
        node("b"),
        pod("w", "a", overhead={"cpu": "1"}),
        pod("p", "", cpu="500m"),
    )
    generations = tuple(GENERATIONS.values())
    comparison = compared(*manifests, generations=generations)
    assert list(comparison.decisions) == list(GENERATIONS)
    assert [(step.earlier, step.later) for step in comparison.steps] == list(pairwise(GENERATIONS))
    for generation in generations:
        alone = schedule("default/p", Cluster(decode_objects(manifests), generation.api), generation)
        assert comparison.decisions[generation.name].to_dict() == alone.to_dict()


def test_a_pod_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="default/p"):
        compared(node("a"))
