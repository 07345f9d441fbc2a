"""Plugin sets of a profile: enabled, disabled and weighted, at single extension points and by multiPoint."""

import re
from dataclasses import replace

import pytest

from kschedlab import Cluster, schedule
from kschedlab.build import node, pod
from kschedlab.filter.plugin import Filter
from kschedlab.generations import GENERATIONS, V1_20, V1_37, Generation
from kschedlab.generations.between import minor
from kschedlab.manifests.loading import ManifestError
from kschedlab_configuration import load_configuration
from kschedlab_configuration.loading import Profiles

V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
V1BETA1, V1BETA2, V1BETA3 = (V1.replace("/v1", f"/{version}") for version in ("v1beta1", "v1beta2", "v1beta3"))
V1_22 = GENERATIONS["v1.22"]


def only(text: str) -> Generation:
    """The only generation of a configuration with these plugins (the inside of a YAML map)."""
    (generation,) = load_configuration(f"{text}profiles:\n- schedulerName: mine\n").values()
    return generation


def plugins(inside: str, head: str = V1) -> Generation:
    (generation,) = load_configuration(f"{head}profiles:\n- plugins: {{{inside}}}\n").values()
    return generation


def weights(generation: Generation) -> dict[str, int]:
    return {score.name: weight for score, weight in generation.scores}


def names(filters: tuple[Filter, ...]) -> list[str]:
    return [each.name for each in filters]


@pytest.mark.parametrize(("head", "table"), [(V1, V1_37), (V1BETA1, V1_20)])
def test_an_empty_configuration_is_the_default_table(head, table):
    generation = only(head)
    assert (generation.filters, generation.scores) == (table.filters, table.scores)
    assert (generation.preemption, generation.api, generation.percentage) == (table.preemption, table.api, 0)
    assert generation.name == f"mine ({table.name})"


def test_a_disabled_score_is_left_out():
    assert "ImageLocality" not in weights(plugins("score: {disabled: [{name: ImageLocality}]}"))
    assert weights(plugins("score: {disabled: [{name: '*'}]}")) == {}


def test_a_score_enabled_again_comes_first_with_its_new_weight():
    by_name = weights(plugins("score: {enabled: [{name: ImageLocality, weight: 9}]}"))
    assert list(by_name.items())[0] == ("ImageLocality", 9)
    assert by_name["TaintToleration"] == 3 and len(by_name) == len(V1_37.scores)


@pytest.mark.parametrize("weight", ["", ", weight: 0"])
def test_a_score_enabled_again_without_a_weight_has_weight_1(weight):
    assert weights(plugins(f"score: {{enabled: [{{name: TaintToleration{weight}}}]}}"))["TaintToleration"] == 1


def test_multi_point_changes_weights_in_place():
    by_name = weights(plugins("multiPoint: {enabled: [{name: NodeAffinity, weight: 7}]}"))
    assert by_name == {**weights(V1_37), "NodeAffinity": 7} and list(by_name) == list(weights(V1_37))


def test_multi_point_disables_a_plugin_everywhere():
    generation = plugins("multiPoint: {disabled: [{name: NodeAffinity}]}")
    assert "NodeAffinity" not in weights(generation) and "NodeAffinity" not in names(generation.filters)


def test_a_point_s_set_overrides_multi_point():
    both = (
        "score: {enabled: [{name: NodeAffinity, weight: 5}]}, multiPoint: {enabled: [{name: NodeAffinity, weight: 7}]}"
    )
    assert weights(plugins(both))["NodeAffinity"] == 5


def test_every_plugin_can_be_replaced():
    chosen = ["PrioritySort", "DefaultBinder", "NodeResourcesFit", "TaintToleration"]
    listed = ", ".join(f"{{name: {name}}}" for name in chosen)
    generation = plugins(f"multiPoint: {{disabled: [{{name: '*'}}], enabled: [{listed}]}}")
    assert names(generation.filters) == ["NodeResourcesFit", "TaintToleration"]
    assert weights(generation) == {"NodeResourcesFit": 1, "TaintToleration": 1}
    assert not generation.preemption.enabled and not generation.obeys_scheduling_gates


def test_the_order_of_filters_can_be_changed():
    order = names(plugins("filter: {enabled: [{name: InterPodAffinity}, {name: NodePorts}]}").filters)
    assert order[:3] == ["InterPodAffinity", "NodePorts", "NodeName"] and len(order) == len(V1_37.filters)


def test_in_v1_20_enabled_plugins_follow_the_defaults():
    changed = "score: {disabled: [{name: ImageLocality}], enabled: [{name: ImageLocality, weight: 4}]}"
    assert list(weights(plugins(changed, V1BETA1)).items())[-1] == ("ImageLocality", 4)


def test_plugins_that_only_a_configuration_enables():
    more = "score: {enabled: [{name: NodeResourcesMostAllocated}, {name: SelectorSpread}]}"
    more += ", preScore: {enabled: [{name: SelectorSpread}]}, filter: {enabled: [{name: CinderLimits}]}"
    generation = plugins(more, V1BETA1)
    assert weights(generation).keys() >= {"NodeResourcesMostAllocated", "SelectorSpread"}
    assert "CinderLimits" in names(generation.filters)


def test_a_profile_s_percentage_overrides_the_global_one():
    text = V1 + "percentageOfNodesToScore: 30\nprofiles:\n- {schedulerName: a}\n"
    generations = load_configuration(text + "- {schedulerName: b, percentageOfNodesToScore: 0}\n")
    assert {name: generation.percentage for name, generation in generations.items()} == {"a": 30, "b": 0}


def test_a_custom_base_keeps_the_settings_that_the_file_does_not_name():
    base = replace(V1_37, name="mine", nominated_node_first=False)
    generation = load_configuration(V1, base)["default-scheduler"]
    assert generation.name == "default-scheduler (mine)" and not generation.nominated_node_first


def beta(inside: str, base: str, head: str = V1BETA2) -> Profiles:
    return load_configuration(f"{head}profiles:\n- plugins: {{{inside}}}\n", base)


def test_v1beta2_without_profiles_is_v1_22():
    (profile,) = load_configuration(V1BETA2, "v1.22").values()
    assert profile.filters == V1_22.filters and set(profile.scores) == set(V1_22.scores)


def test_v1beta2_of_v1_24_has_the_weights_of_v1_22():
    (profile,) = load_configuration(V1BETA2).values()
    assert profile.version == "v1.24" and weights(profile) == weights(V1_22)


def test_v1beta1_of_v1_22_has_the_scores_of_v1_20():
    (profile,) = load_configuration(V1BETA1, "v1.22").values()
    assert list(weights(profile).items()) == list(weights(V1_20).items())
    assert names(profile.filters) == names(V1_22.filters)


def test_v1beta1_of_v1_22_counts_whole_cpus_of_overhead_as_millis():
    (profile,) = load_configuration(V1BETA1, "v1.22").values()
    heavy = pod("web", cpu=1, memory=1000)
    heavy["spec"]["overhead"] = {"cpu": "1500m", "memory": "3000"}
    nodes = (node(name, cpu=4, memory=10000) for name in ("a", "b"))
    scores = schedule("default/web", Cluster.from_dicts([*nodes, heavy]), profile).scores
    assert scores is not None
    # (4000 - 1000 - 2) * 100 // 4000 = 74 of cpu, (10000 - 1000 - 3000) * 100 // 10000 = 60 of memory
    assert list(scores.rows[scores.plugins.index("NodeResourcesLeastAllocated")].raw) == [67, 67]


def test_v1beta2_changes_a_weight_in_place():
    (profile,) = beta("score: {enabled: [{name: ImageLocality, weight: 4}]}", "v1.22").values()
    assert list(weights(profile).items())[:2] == [("NodeResourcesBalancedAllocation", 1), ("ImageLocality", 4)]


@pytest.mark.parametrize(
    ("base", "head", "inside", "expected"),
    [
        ("v1.22", V1BETA2, "filter: {enabled: [{name: NodeLabel}]}", 'NodeLabel": was removed in version "v1beta2"'),
        ("v1.24", V1BETA2, "filter: {enabled: [{name: NodeLabel}]}", 'FilterPlugin "NodeLabel" does not exist'),
        ("v1.22", V1BETA2, "multiPoint: {}", 'unknown field "multiPoint"'),
        ("v1.24", V1BETA2, "preEnqueue: {}", 'unknown field "preEnqueue"'),
        (
            "v1.22",
            V1BETA1,
            "score: {enabled: [{name: NodeResourcesFit}]}",
            '"NodeResourcesFit": conflicts with NodeResourcesLeastAllocated',
        ),
    ],
)
def test_plugins_that_a_beta_refuses(base, head, inside, expected):
    with pytest.raises(ManifestError, match=re.escape(expected)):
        beta(inside, base, head)


POINTS = [
    ("preEnqueue", "v1.28"),
    ("placementGenerate", "v1.36"),
    ("placementScore", "v1.36"),
    ("podGroupPostFilter", "v1.37"),
]


@pytest.mark.parametrize(("point", "since"), POINTS)
@pytest.mark.parametrize("base", [name for name in GENERATIONS if minor(name) >= 28])
def test_v1_knows_the_extension_points_of_the_version_that_reads_it(base, point, since):
    """k8s.io/kube-scheduler/config/v1/types.go of each version."""
    if minor(base) >= minor(since):
        assert beta(f"{point}: {{}}", base, V1)
    else:
        with pytest.raises(ManifestError, match=f'unknown field "{point}"'):
            beta(f"{point}: {{}}", base, V1)


def test_v1beta3_knows_no_extension_points_of_pod_groups():
    assert beta("preEnqueue: {}", "v1.28", V1BETA3)
    with pytest.raises(ManifestError, match='unknown field "placementScore"'):
        beta("placementScore: {}", "v1.28", V1BETA3)


def test_v1_of_v1_28_refuses_selector_spread():
    with pytest.raises(ManifestError, match='SelectorSpread": was invalid in version "v1"'):
        beta("score: {enabled: [{name: SelectorSpread}]}", "v1.28", V1)


def test_v1beta2_of_v1_24_accepts_multi_point_and_ignores_it():
    profiles = beta("multiPoint: {disabled: [{name: '*'}]}", "v1.24")
    assert weights(profiles["default-scheduler"]) == weights(V1_22)
    (warning,) = profiles.warnings
    assert "does not affect decisions: multiPoint" in warning


def test_v1_24_serves_neither_health_nor_metrics_without_tls():
    with pytest.raises(ManifestError, match="healthzBindAddress: .*explicit 0 port"):
        load_configuration(f'{V1BETA2}healthzBindAddress: "0.0.0.0:10251"\n')
    assert load_configuration(f'{V1BETA2}healthzBindAddress: "0.0.0.0:0"\nmetricsBindAddress: ""\n')


@pytest.mark.parametrize("name", ["v1.22", "v1.24"])
def test_octets_of_an_address_may_begin_with_zeros(name):
    """The Go of these releases reads such an address; that of the recorded answers refuses it."""
    port = "10251" if name == "v1.22" else "0"
    assert load_configuration(f'{V1BETA2}healthzBindAddress: "010.00.0.1:{port}"\n', name)


@pytest.mark.parametrize("name", ["v1.24", "v1.28"])
def test_v1beta3_without_profiles_is_the_version_that_knows_it(name):
    (profile,) = load_configuration(V1BETA3, name).values()
    known = GENERATIONS[name]
    assert {score.name: weight for score, weight in profile.scores} == {s.name: weight for s, weight in known.scores}
    assert {each.name for each in profile.filters} == {each.name for each in known.filters}


def test_v1beta3_sets_plugins_and_their_arguments():
    points = "multiPoint: {disabled: [{name: ImageLocality}]}, score: {enabled: [{name: TaintToleration, weight: 9}]}"
    arguments = "[{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]"
    text = f"{V1BETA3}profiles:\n- plugins: {{{points}}}\n  pluginConfig: {arguments}\n"
    (profile,) = load_configuration(text).values()
    weights = {score.name: weight for score, weight in profile.scores}
    assert profile.version == "v1.28" and weights["TaintToleration"] == 9 and "ImageLocality" not in weights
    nodes = node("full", cpu=4), node("empty", cpu=4)
    cluster = Cluster.from_dicts([*nodes, pod("a", on="full", cpu=2), pod("web", cpu=1)])
    scores = schedule("default/web", cluster, profile).scores
    assert scores is not None
    full, empty = scores.rows[scores.plugins.index("NodeResourcesFit")].raw
    assert full > empty


def test_a_profile_of_v1beta3_has_no_percentage_of_its_own_and_v1_30_does_not_read_it():
    with pytest.raises(ManifestError, match="percentageOfNodesToScore"):
        load_configuration(V1BETA3 + "profiles: [{percentageOfNodesToScore: 10}]")
    with pytest.raises(ManifestError, match="v1.28 or v1.24, not by v1.30"):
        load_configuration(V1BETA3, "v1.30")


def test_v1_24_says_which_scores_it_runs_twice():
    """expandMultiPointPlugins shortens ``score`` while it reads it; ImageLocality is read again."""
    score = "score: {enabled: [{name: NodeAffinity}, {name: TaintToleration}, {name: ImageLocality}]}"
    profiles = beta(score, "v1.24", V1BETA3)
    (warning,) = profiles.warnings
    assert "score" in warning and "ImageLocality twice" in warning
    assert list(weights(profiles["default-scheduler"]))[:2] == ["NodeAffinity", "ImageLocality"]
    assert list(weights(profiles["default-scheduler"]))[-1] == "TaintToleration"
    assert not beta(score, "v1.28", V1BETA3).warnings
