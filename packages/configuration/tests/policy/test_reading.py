"""A Policy of v1.13 or v1.16: predicates and priorities by name."""

import json

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.general_predicates import GeneralPredicates
from kschedlab.generations import V1_13, V1_16, V1_20, Generation
from kschedlab.manifests.loading import ManifestError
from kschedlab.scheduler import schedule
from kschedlab.score.node_resources import RequestedToCapacityRatio
from kschedlab_configuration import load_configuration
from kschedlab_configuration.older.node_label import NodeLabel, NodeLabelScore
from kschedlab_configuration.older.service_affinity import ServiceAffinity
from kschedlab_configuration.older.service_anti_affinity import ServiceAntiAffinity
from tests.verdicts import refused

MANDATORY = ["CheckNodeUnschedulable", "PodToleratesNodeTaints"]


def read(base: Generation = V1_13, **policy):
    return load_configuration(json.dumps({"kind": "Policy", "apiVersion": "v1"} | policy), base)


def generation(base: Generation = V1_13, **policy) -> Generation:
    return read(base, **policy)["default-scheduler"]


def names(policy: Generation) -> list[str]:
    return [predicate.name for predicate in policy.filters]


def faults(**policy) -> list[str]:
    with pytest.raises(ManifestError) as error:
        generation(**policy)
    return [problem.message for problem in error.value.problems]


@pytest.mark.parametrize("base", [V1_13, V1_16])
def test_absent_lists_mean_the_defaults(base):
    policy = generation(base, predicates=None)
    assert (policy.filters, policy.scores) == (base.filters, base.scores)
    assert policy.name == f"default-scheduler ({base.name})"


def test_v1_13_reads_a_policy_by_default():
    assert load_configuration('{"kind": "Policy", "apiVersion": "v1"}')["default-scheduler"].api == V1_13.api
    with pytest.raises(ManifestError, match="Policy is read by v1.13 or v1.16, not by v1.20"):
        read(V1_20)


def test_a_policy_may_be_yaml():
    text = "apiVersion: v1\nkind: Policy\npriorities:\n- {name: EqualPriority, weight: 3}\n"
    policy = load_configuration(text)["default-scheduler"]
    assert [(score.name, weight) for score, weight in policy.scores] == [("EqualPriority", 3)]


def test_empty_lists_leave_only_the_mandatory_predicates():
    policy = generation(predicates=[], priorities=[])
    assert (names(policy), policy.scores) == (MANDATORY, ())


def test_the_order_of_predicates_is_fixed():
    policies = [{"name": name} for name in ("MatchInterPodAffinity", "NoDiskConflict", "HostName", "GeneralPredicates")]
    assert names(generation(predicates=policies)) == [
        "CheckNodeUnschedulable",
        "GeneralPredicates",
        "HostName",
        "NoDiskConflict",
        "PodToleratesNodeTaints",
        "MatchInterPodAffinity",
    ]


def test_priorities_are_sorted_by_name_and_the_last_weight_counts():
    policies = [("TaintTolerationPriority", 1), ("EqualPriority", 2), ("TaintTolerationPriority", 5)]
    policy = generation(priorities=[{"name": name, "weight": weight} for name, weight in policies])
    assert [(s.name, w) for s, w in policy.scores] == [("EqualPriority", 2), ("TaintTolerationPriority", 5)]


def test_condition_predicates_replace_the_mandatory_ones():
    profiles = read(predicates=[{"name": "CheckNodeMemoryPressure"}])
    assert names(profiles["default-scheduler"]) == ["CheckNodeCondition", "CheckNodeMemoryPressure"]
    assert "TaintNodesByCondition is off, as is assumed here" in profiles.warnings[0]


@pytest.mark.parametrize("presence", [True, False])
def test_labels_that_must_be_present_or_absent(presence):
    argument = {"labelsPresence": {"labels": ["disk"], "presence": presence}}
    policy = generation(predicates=[{"name": "CheckNodeLabelPresence", "argument": argument}])
    (label,) = [f for f in policy.filters if isinstance(f, NodeLabel)]
    refuses = refused(label, pod("p"), node("with", labels={"disk": "x"}), node("without"))
    assert list(refuses) == (["without"] if presence else ["with"])


def test_a_predicate_that_is_missing_from_the_order_never_runs():
    argument = {"labelsPresence": {"labels": ["disk"], "presence": True}}
    profiles = read(predicates=[{"name": "mine", "argument": argument}, {"name": "PodFitsPorts"}])
    assert names(profiles["default-scheduler"]) == MANDATORY
    assert [w.split(": ", 1)[1] for w in profiles.warnings] == [
        'predicates[0].name: "mine" is missing from the order of predicates, so it never runs',
        'predicates[1].name: "PodFitsPorts" is missing from the order of predicates, so it never runs',
    ]


def test_an_argument_can_replace_a_predicate_by_name():
    argument = {"labelsPresence": {"labels": ["disk"], "presence": True}}
    policies = [{"name": "PodToleratesNodeTaints", "argument": argument}, {"name": "PodToleratesNodeTaints"}]
    policy = generation(predicates=policies)
    assert policy.filters[1] == NodeLabel("PodToleratesNodeTaints", present=("disk",))


def test_priorities_with_arguments():
    shape = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
    resources = [{"name": "cpu", "weight": 0}, {"name": "example.com/gpu", "weight": 3}]
    arguments = {
        "anti": {"serviceAntiAffinity": {"label": "zone"}},
        "label": {"labelPreference": {"label": "disk", "presence": True}},
        "ratio": {"requestedToCapacityRatioArguments": {"shape": shape, "resources": resources}},
    }
    policies = [{"name": name, "weight": 2, "argument": argument} for name, argument in arguments.items()]
    anti, label, ratio = (score for score, _ in generation(V1_16, priorities=policies).scores)
    assert anti == ServiceAntiAffinity("anti", "zone", highest=10)
    assert label == NodeLabelScore("label", present=("disk",), highest=10)
    assert ratio.strategy == RequestedToCapacityRatio(((0, 0), (100, 10)), rounds_utilization_up=True)
    assert ratio.resources == (("cpu", 1), ("example.com/gpu", 3))
    old = read(V1_13, priorities=policies)
    assert old["default-scheduler"].scores[2][0].resources == (("cpu", 1), ("memory", 1))
    assert old.warnings[0].endswith(".resources: is ignored by v1.13")


def test_hard_pod_affinity_symmetric_weight():
    policy = generation(hardPodAffinitySymmetricWeight=30)
    assert {getattr(score, "hard_pod_affinity_weight", None) for score, _ in policy.scores} == {None, 30}


def test_all_predicates_run_and_give_all_their_reasons():
    policy = generation(alwaysCheckAllPredicates=True)
    (united,) = policy.filters
    assert isinstance(united, GeneralPredicates) and united.filters == V1_13.filters
    small = node("n", allocatable={"cpu": "1", "pods": "9"}, unschedulable=True)
    assert refused(united, pod("p", cpu="2"), small) == {"n": ["node(s) were unschedulable", "Insufficient cpu"]}


def test_extenders_are_read_and_their_resources_ignored():
    managed = [{"name": "example.com/a", "ignoredByScheduler": True}, {"name": "example.com/b"}]
    verbs = {"filterVerb": "f", "BindVerb": "b", "httpTimeout": 2_000_000_000, "enableHttps": True}
    profiles = read(extenders=[{"urlPrefix": "https://x/y", "managedResources": managed} | verbs])
    assert profiles.warnings == ()
    (extender,) = profiles["default-scheduler"].extenders
    assert extender.name == "https://x/y" and extender.filters and extender.binds and not extender.prioritizes
    assert extender.managed_resources == {"example.com/a", "example.com/b"}
    general = next(f for f in profiles["default-scheduler"].filters if f.name == "GeneralPredicates")
    incoming = pod("p", requests={"example.com/a": "1", "example.com/b": "1"})
    assert refused(general, incoming, node("n")) == {"n": ["Insufficient example.com/b"]}


def test_service_affinity_is_a_predicate_with_an_argument():
    """The second pod of a Service goes where the labels are those of the first pod's node."""
    affinity = {"name": "CheckServiceAffinity", "argument": {"serviceAffinity": {"labels": ["rack"]}}}
    policy = generation(predicates=[affinity, {"name": "HostName"}])
    (predicate,) = [each for each in policy.filters if isinstance(each, ServiceAffinity)]
    assert (predicate.name, predicate.labels) == ("CheckServiceAffinity", ("rack",))
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"app": "web"}}}
    nodes = [node(name, labels={"rack": rack}) for name, rack in (("a", "1"), ("b", "2"), ("c", "2"))]
    first, second = pod("first", "b", labels={"app": "web"}), pod("second", labels={"app": "web"})
    decision = schedule("default/second", cluster(*nodes, service, first, second, api=policy.api), policy)
    assert decision.names == ["b", "c"] and decision.verdict("a").plugin == "CheckServiceAffinity"


def test_unknown_fields_are_ignored():
    profiles = read(foo=1, predicates=[{"name": "HostName", "bar": 2}])
    assert [warning.split(": ", 1)[1] for warning in profiles.warnings] == [
        'foo: unknown field "foo": it is ignored',
        'predicates[0].bar: unknown field "bar": it is ignored',
    ]


def test_the_resource_limits_gate_is_assumed_to_be_on():
    (warning,) = read(priorities=[{"name": "ResourceLimitsPriority", "weight": 1}]).warnings
    assert "ResourceLimitsPriorityFunction is on, as is assumed here" in warning


def test_faults():
    two = {"labelsPresence": {"labels": ["a"]}, "serviceAffinity": {"labels": ["a"]}}
    assert faults(
        predicates=[{"name": "Foo"}, {"name": "CheckNodeLabelPresence"}, {"name": "mine", "argument": two}],
        priorities=[
            {"name": "Foo", "weight": 1},
            {"name": "EqualPriority"},
            {"name": "x", "weight": 1, "argument": {}},
        ],
        hardPodAffinitySymmetricWeight=101,
    ) == [
        "hardPodAffinitySymmetricWeight: invalid hardPodAffinitySymmetricWeight: 101, must be in the range 1-100",
        "predicates[0].name: Invalid configuration: Predicate type not found for Foo",
        "predicates[1].name: Invalid configuration: Predicate type not found for CheckNodeLabelPresence",
        "predicates[2].argument: Exactly 1 predicate argument is required, numArgs: 2, Predicate: mine",
        "priorities[0].name: Invalid configuration: Priority type not found for Foo",
        "priorities[1].weight: Priority EqualPriority should have a positive weight applied to it or it has overflown",
        "priorities[2].argument: Exactly 1 priority argument is required, numArgs: 0, Priority: x",
    ]


def test_a_shape_is_validated():
    shape = [{"utilization": 50, "score": 20}, {"utilization": 10, "score": 1}]
    argument = {"requestedToCapacityRatioArguments": {"shape": shape}}
    start = "priorities[0].argument.requestedToCapacityRatioArguments.shape"
    assert faults(priorities=[{"name": "x", "weight": 1, "argument": argument}]) == [
        f"{start}[0].score: Invalid value: 20: not in valid range [0, 10]",
        f"{start}[1].utilization: Invalid value: 10: values must be sorted in increasing order",
    ]


def test_weights_that_overflow():
    half = {"weight": 2**62 // 10}
    policies = [{"name": name} | half for name in ("EqualPriority", "LeastRequestedPriority", "MostRequestedPriority")]
    assert faults(priorities=policies) == ["priorities: Total priority of priority functions has overflown"]


def test_faults_of_extenders():
    with pytest.raises(ManifestError) as error:
        read(
            extenders=[
                {"urlPrefix": "http://x", "prioritizeVerb": "p", "bindVerb": "b"},
                {
                    "bindVerb": "b",
                    "managedResources": [{"name": name} for name in ("cpu", "a.com/b", "a.com/b", "a b")],
                },
            ]
        )
    for message in (
        "Only one extender can implement bind, found 2",
        "extenders[0].weight: Priority for extender http://x should have a positive weight applied to it",
        "extenders[1].managedResources[0].name: cpu is an invalid extended resource name",
        "extenders[1].managedResources[2].name: Duplicate extender managed resource name a.com/b",
        'extenders[1].managedResources[3].name: "a b" is not a valid key',
    ):
        assert message in str(error.value)
    with pytest.raises(ManifestError, match="is not the URL of an extender: write http://HOST:PORT/PATH"):
        read(extenders=[{"urlPrefix": "ftp://x", "filterVerb": "f"}])
