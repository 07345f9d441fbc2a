"""What plugin arguments change."""

import pytest

from kschedlab import Cluster, schedule
from kschedlab.build import node, pod
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.generations import V1_37, Generation
from kschedlab.generations.feature_gates import FeatureGateError
from kschedlab.manifests.loading import ManifestError
from kschedlab.score.node_resources import NodeResourcesFitScore, RequestedToCapacityRatio, most_allocated
from kschedlab_configuration import load_configuration
from kschedlab_devices.allocator import steps_in
from tests.verdicts import refused, scored

V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def configured(plugin: str, args: str, more: str = "") -> Generation:
    text = f"{V1}{more}profiles:\n- pluginConfig:\n  - name: {plugin}\n    args: {{{args}}}\n"
    return load_configuration(text)["default-scheduler"]


def score(generation: Generation, name: str):
    return next(score for score, _ in generation.scores if score.name == name)


def filter_(generation: Generation, name: str):
    return next(plugin for plugin in generation.filters if plugin.name == name)


def test_a_scoring_strategy_with_its_resources():
    args = "scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}, {name: example.com/gpu}]}"
    plugin = score(configured("NodeResourcesFit", args), "NodeResourcesFit")
    assert plugin == NodeResourcesFitScore(strategy=most_allocated, resources=(("cpu", 3), ("example.com/gpu", 1)))


def test_a_scoring_strategy_by_shape():
    shape = "[{utilization: 20, score: 10}, {utilization: 80, score: 0}]"
    args = f"scoringStrategy: {{type: RequestedToCapacityRatio, requestedToCapacityRatio: {{shape: {shape}}}}}"
    plugin = score(configured("NodeResourcesFit", args), "NodeResourcesFit")
    assert plugin == NodeResourcesFitScore(strategy=RequestedToCapacityRatio(((20, 10), (80, 0))))


def test_ignored_resources_and_groups():
    args = "ignoredResources: [example.com/a, cpu], ignoredResourceGroups: [b.example.com, memory]"
    plugin = filter_(configured("NodeResourcesFit", args), "NodeResourcesFit")
    requests = {name: "1" for name in ("example.com/a", "b.example.com/b", "c.example.com/c", "cpu", "memory")}
    empty = node("n", allocatable={"pods": "1", "cpu": "0", "memory": "0"})
    reasons = ["Insufficient cpu", "Insufficient memory", "Insufficient c.example.com/c"]
    assert refused(plugin, pod("p", requests=requests), empty) == {"n": reasons}


def test_resources_of_an_extender_replace_the_ignored_ones():
    more = "extenders: [{managedResources: [{name: example.com/b, ignoredByScheduler: true}, {name: example.com/c}]}]\n"
    args = "ignoredResources: [example.com/a], ignoredResourceGroups: [d.example.com]"
    plugin = filter_(configured("NodeResourcesFit", args, more), "NodeResourcesFit")
    assert plugin == NodeResourcesFit(ignored=frozenset({"example.com/b", "d.example.com"}))


def test_added_affinity_applies_to_every_pod():
    term = "{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}"
    required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{term}]}}"
    preferred = f"preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 2, preference: {term}}}]"
    generation = configured("NodeAffinity", f"addedAffinity: {{{required}, {preferred}}}")
    nodes = [node("fast", labels={"disk": "ssd"}), node("slow", labels={"disk": "hdd"})]
    reason = "node(s) didn't match scheduler-enforced node affinity"
    assert refused(filter_(generation, "NodeAffinity"), pod("p"), *nodes)["slow"][0] == reason
    assert scored(score(generation, "NodeAffinity"), pod("p"), *nodes) == {"fast": 100, "slow": 0}


@pytest.mark.parametrize(("field", "passes"), [("metadata.name, operator: NotIn", True), ("any, operator: In", False)])
def test_added_affinity_may_name_any_field_with_any_value(field, passes):
    """nodeSelectorRequirementsAsFieldSelector asks for an operator and one value, not for the name of a node."""
    term = f"{{matchFields: [{{key: {field}, values: [No name]}}]}}"
    required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{term}]}}"
    generation = configured("NodeAffinity", f"addedAffinity: {{{required}}}")
    preferred = f"preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 1, preference: {term}}}]"
    preferring = score(configured("NodeAffinity", f"addedAffinity: {{{preferred}}}"), "NodeAffinity")
    assert scored(preferring, pod("p"), node("n")) == {"n": 100 if passes else 0}
    assert ("n" not in refused(filter_(generation, "NodeAffinity"), pod("p"), node("n"))) is passes


def test_custom_default_constraints_or_none():
    generation = configured("PodTopologySpread", "defaultingType: List, defaultConstraints: []")
    assert filter_(generation, "PodTopologySpread").defaults == ()
    constraint = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}"
    generation = configured("PodTopologySpread", f"defaultingType: List, defaultConstraints: [{constraint}]")
    plugin = filter_(generation, "PodTopologySpread")
    assert [(c.topologyKey, c.maxSkew) for c in plugin.defaults] == [("zone", 1)]
    assert score(generation, "PodTopologySpread").defaults == plugin.defaults


@pytest.mark.parametrize("args", ["", "defaultingType: System"])
def test_the_system_s_default_constraints(args):
    generation = configured("PodTopologySpread", args)
    assert (generation.filters, generation.scores) == (V1_37.filters, V1_37.scores)


def test_the_system_s_default_constraints_written_out_require_all_keys():
    written = "[{maxSkew: 3, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}]"
    args = f"defaultingType: List, defaultConstraints: {written}"
    assert not score(configured("PodTopologySpread", args), "PodTopologySpread").system_defaulted


def test_inter_pod_affinity():
    args = "hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true"
    plugin = score(configured("InterPodAffinity", args), "InterPodAffinity")
    assert (plugin.hard_pod_affinity_weight, plugin.ignores_preferred_terms_of_existing_pods) == (0, True)
    labels = {"app": "web"}
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": term}]}
    world = [node(n, labels={"kubernetes.io/hostname": n}) for n in "ab"]
    world.append(pod("other", "a", affinity={"podAffinity": preferred}))
    assert scored(plugin, pod("p", labels=labels), *world) is None
    own = pod("q", labels=labels, affinity={"podAffinity": preferred})
    assert scored(plugin, own, *world) == {"a": 100, "b": 0}


@pytest.mark.parametrize(
    "plugin",
    ["DefaultPreemption", "DynamicResources", "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation"]
    + ["NodeResourcesFit", "PodTopologySpread", "VolumeBinding"],
)
def test_arguments_that_say_nothing_change_nothing(plugin: str):
    generation = configured(plugin, "")
    for part in ("filters", "scores", "preemption", "sampling", "queue", "ties", "percentage", "feature_gates"):
        assert getattr(generation, part) == getattr(V1_37, part)


def test_preemption_and_volumes():
    generation = configured("DefaultPreemption", "minCandidateNodesPercentage: 20, minCandidateNodesAbsolute: 5")
    assert (generation.preemption.min_candidate_percentage, generation.preemption.min_candidates) == (20, 5)
    generation = configured("VolumeBinding", "shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]")
    assert score(generation, "VolumeBinding").shape == RequestedToCapacityRatio(((0, 0), (100, 10)))


def test_the_arguments_of_v1_20():
    head = V1.replace("/v1", "/v1beta1")
    text = """profiles:
    - plugins:
        score: {enabled: [{name: NodeLabel}, {name: RequestedToCapacityRatio}]}
        filter: {enabled: [{name: NodeLabel}]}
      pluginConfig:
      - {name: NodeLabel, args: {presentLabels: [a], absentLabels: [b], presentLabelsPreference: [c]}}
      - {name: RequestedToCapacityRatio, args: {shape: [{utilization: 0, score: 10}]}}
      - {name: NodeResourcesLeastAllocated, args: {resources: [{name: memory, weight: 5}]}}
      - {name: PodTopologySpread, args: {defaultConstraints: []}}
    """
    generation = load_configuration(head + text)["default-scheduler"]
    label = filter_(generation, "NodeLabel")
    assert (label.present, label.absent, score(generation, "NodeLabel").present) == (("a",), ("b",), ("c",))
    ratio = score(generation, "RequestedToCapacityRatio").strategy
    assert ratio == RequestedToCapacityRatio(((0, 10),), rounds_utilization_up=True)
    assert score(generation, "NodeResourcesLeastAllocated").resources == (("memory", 5),)
    assert score(generation, "PodTopologySpread").system_defaulted


def test_time_limits_of_devices():
    generation = configured("DynamicResources", "bindingTimeout: 1m30s, filterTimeout: 500ms")
    plugin = filter_(generation, "DynamicResources")
    assert (plugin.binding_timeout, plugin.filter_timeout) == (90_000_000, 500_000)
    assert score(generation, "DynamicResources").filter.filter_timeout == 500_000
    plugin = filter_(configured("DynamicResources", 'filterTimeout: "0"'), "DynamicResources")
    assert (plugin.binding_timeout, plugin.filter_timeout) == (600_000_000, 0)
    plugin = filter_(load_configuration(V1)["default-scheduler"], "DynamicResources")
    assert (plugin.binding_timeout, plugin.filter_timeout) == (600_000_000, 10_000_000)


@pytest.mark.parametrize(
    ("timeout", "steps"), [("10s", 2_000_000), ("1s", 200_000), ("0s", 12_000_000), ("5h", 12_000_000)]
)
def test_a_time_limit_is_a_number_of_steps(timeout, steps):
    plugin = filter_(configured("DynamicResources", f"filterTimeout: {timeout}"), "DynamicResources")
    assert steps_in(plugin.filter_timeout) == steps


def fit_with_shape(base: str, version: str, kind: str, points: str) -> Generation:
    strategy = f"{{type: {kind}, requestedToCapacityRatio: {{shape: {points}}}}}"
    args = f"{{scoringStrategy: {strategy}}}"
    text = f"profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {args}\n"
    return load_configuration(V1.replace("/v1\n", f"/{version}\n") + text, base)["default-scheduler"]


@pytest.mark.parametrize(("base", "version"), [("v1.22", "v1beta1"), ("v1.22", "v1beta2")])
def test_v1_22_accepts_a_shape_without_points(base, version):
    """v1.22: validation_pluginargs.go, ValidateNodeResourcesFitArgs."""
    assert fit_with_shape(base, version, "RequestedToCapacityRatio", "[]")


def test_v1_22_panics_when_it_scores_with_a_shape_without_points():
    generation = fit_with_shape("v1.22", "v1beta2", "RequestedToCapacityRatio", "[]")
    nodes = [node("a"), node("b")]
    decision = schedule("default/p", Cluster.from_dicts([*nodes, pod("p")]), generation)
    assert "index out of range [-1]" in str(decision.error)
    alone = schedule("default/p", Cluster.from_dicts([node("a"), pod("p")]), generation)
    assert alone.node == "a"


@pytest.mark.parametrize(("base", "version"), [("v1.24", "v1beta2"), ("v1.28", "v1beta3"), ("v1.37", "v1")])
def test_later_versions_refuse_a_shape_without_points(base, version):
    with pytest.raises(ManifestError, match=r"shape: .*at least one point"):
        fit_with_shape(base, version, "RequestedToCapacityRatio", "[]")


def test_a_shape_for_another_strategy_is_refused_from_v1_36_on():
    points = "[{utilization: 0, score: 10}]"
    for base, version in (("v1.22", "v1beta2"), ("v1.35", "v1")):
        assert fit_with_shape(base, version, "LeastAllocated", points)
    with pytest.raises(ManifestError, match="must be nil when type is not RequestedToCapacityRatio"):
        fit_with_shape("v1.36", "v1", "LeastAllocated", points)


def with_argument(base: str | Generation, version: str, name: str, args: str) -> Generation:
    text = f"profiles:\n- pluginConfig:\n  - {{name: {name}, args: {{{args}}}}}\n"
    return load_configuration(V1.replace("/v1\n", f"/{version}\n") + text, base)["default-scheduler"]


@pytest.mark.parametrize(
    ("base", "version"),
    [
        ("v1.28", "v1beta3"),
        *((base, "v1") for base in ("v1.28", "v1.30", "v1.32", "v1.34", "v1.35", "v1.36")),
    ],
)
def test_a_shape_for_volumes_is_refused_until_v1_36(base, version):
    """The gates VolumeCapacityPriority and StorageCapacityScoring are off."""
    gate = "VolumeCapacityPriority" if base < "v1.34" else "StorageCapacityScoring"
    assert with_argument(base, version, "VolumeBinding", "bindTimeoutSeconds: 5, shape: null")
    with pytest.raises(ManifestError, match="should not be a negative value"):
        with_argument(base, version, "VolumeBinding", "bindTimeoutSeconds: -1")
    for shape in ("[]", "[{utilization: 0, score: 0}]"):
        with pytest.raises(ManifestError, match=f"unexpected field `shape`.*turn on the feature gate {gate}"):
            with_argument(base, version, "VolumeBinding", f"shape: {shape}")


UNSCORED = V1_37.with_feature_gates({"StorageCapacityScoring": False})


def test_v1_37_refuses_a_shape_for_volumes_without_its_gate():
    """v1.37: validation_pluginargs.go, ValidateVolumeBindingArgs."""
    assert with_argument(UNSCORED, "v1", "VolumeBinding", "bindTimeoutSeconds: 5")
    with pytest.raises(ManifestError, match="should not be a negative value"):
        with_argument(UNSCORED, "v1", "VolumeBinding", "bindTimeoutSeconds: -1")
    with pytest.raises(ManifestError, match="unexpected field `shape`.*feature gate StorageCapacityScoring"):
        with_argument(UNSCORED, "v1", "VolumeBinding", "shape: [{utilization: 0, score: 0}]")
    profile = with_argument("v1.37", "v1", "VolumeBinding", "shape: [{utilization: 0, score: 0}]")
    with pytest.raises(FeatureGateError, match="shape, which needs the feature gate StorageCapacityScoring"):
        profile.with_feature_gates({"StorageCapacityScoring": False})


def test_a_configuration_leaves_a_gate_s_score_out():
    profile = with_argument(UNSCORED, "v1", "NodeResourcesFit", "ignoredResources: []")
    assert [each.name for each, _ in profile.scores] == [each.name for each, _ in UNSCORED.scores]


@pytest.mark.parametrize("base", ["v1.34", "v1.35"])
def test_a_time_limit_for_binding_devices_is_refused_until_v1_35(base):
    assert with_argument(base, "v1", "DynamicResources", "filterTimeout: 5s")
    with pytest.raises(ManifestError, match="bindingTimeout"):
        with_argument(base, "v1", "DynamicResources", "bindingTimeout: 5s")
    assert with_argument("v1.36", "v1", "DynamicResources", "bindingTimeout: 5s")
