"""Plugins that are enabled at only some of their extension points."""

import pytest

from kschedlab.build import cluster, node, node_affinity, pod, term
from kschedlab.generations import V1_37
from kschedlab.scheduler import schedule
from kschedlab_configuration import load_configuration

V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def decided(plugins: str, the_pod, *objects):
    """The decision for the pod with these plugins (the inside of a YAML map)."""
    generation = load_configuration(f"{V1}profiles:\n- plugins: {{{plugins}}}\n")["default-scheduler"]
    name = the_pod["metadata"]["name"]
    return schedule(f"default/{name}", cluster(the_pod, *objects), generation)


def without(point: str, name: str) -> str:
    return f"{point}: {{disabled: [{{name: {name}}}]}}"


TWO = (node("a"), node("b"))


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        ("NodePorts", 'reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("VolumeRestrictions", 'cannot read "PreFilterVolumeRestrictions" from cycleState'),
        ("VolumeBinding", "not found"),
        ("PodTopologySpread", 'reading "PreFilterPodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
    ],
)
def test_a_filter_that_needs_its_pre_filter_fails(plugin, message):
    decision = decided(without("preFilter", plugin), pod("p"), *TWO)
    assert decision.error == f'running "{plugin}" filter plugin: {message}'


@pytest.mark.parametrize("plugin", ["NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "VolumeZone"])
def test_a_filter_that_works_without_its_pre_filter(plugin):
    decision = decided(without("preFilter", plugin), pod("p"), *TWO)
    assert not decision.error and decision.names == ["a", "b"]


def test_node_affinity_without_pre_filter_refuses_the_nodes_that_it_would_exclude():
    by_name = pod("p", affinity=node_affinity(term("metadata.name In a")))
    assert decided("", by_name, *TWO).verdict("b").plugin == "PreFilter"
    assert decided(without("preFilter", "NodeAffinity"), by_name, *TWO).verdict("b").plugin == "NodeAffinity"


def test_node_affinity_without_filter_still_excludes_nodes():
    by_name = pod("p", affinity=node_affinity(term("metadata.name In a", "disk In ssd")))
    assert decided(without("filter", "NodeAffinity"), by_name, *TWO).names == ["a"]


def test_volume_binding_without_filter_still_rejects_and_scores_zero():
    lost = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}])
    decision = decided(without("filter", "VolumeBinding"), lost, *TWO)
    assert decision.message.endswith('persistentvolumeclaim "none" not found.')
    row = decided(without("filter", "VolumeBinding"), pod("q"), *TWO).scores
    assert row.rows[row.plugins.index("VolumeBinding")].normalized.tolist() == [0, 0]


def test_volume_zone_without_pre_filter_refuses_each_node():
    lost = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}])
    alone = ", ".join(f"{{name: {name}}}" for name in ("VolumeBinding", "VolumeRestrictions", "NodeVolumeLimits"))
    decision = decided(f"multiPoint: {{disabled: [{alone}]}}, {without('preFilter', 'VolumeZone')}", lost, *TWO)
    assert decision.verdict("a").reasons == ('persistentvolumeclaim "none" not found',)


def test_a_plugin_that_is_disabled_everywhere_has_no_effect():
    generation = load_configuration(
        f"{V1}profiles:\n- plugins: {{{without('preFilter', 'NodePorts')}, {without('filter', 'NodePorts')}}}\n"
    )["default-scheduler"]
    assert [f.name for f in generation.filters] == [f.name for f in V1_37.filters if f.name != "NodePorts"]


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        ("TaintToleration", 'failed to read "PreScoreTaintToleration" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreScorePodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'),
    ],
)
def test_a_score_that_needs_its_pre_score_fails(plugin, message):
    decision = decided(without("preScore", plugin), pod("p"), *TWO)
    assert decision.error == f'running Score plugins: plugin "{plugin}" failed with: {message}'


@pytest.mark.parametrize("plugin", ["NodeAffinity", "NodeResourcesBalancedAllocation"])
def test_a_score_without_its_pre_score_skips_no_pod(plugin):
    assert plugin not in decided("", pod("p"), *TWO).scores.plugins
    scores = decided(without("preScore", plugin), pod("p"), *TWO).scores
    assert scores.rows[scores.plugins.index(plugin)].normalized.tolist() == [0, 0]


def test_volume_binding_s_score_needs_its_pre_filter():
    off = f"{without('preFilter', 'VolumeBinding')}, {without('filter', 'VolumeBinding')}"
    assert decided(off, pod("p"), *TWO).error == 'running PreScore plugin "VolumeBinding": not found'
    decision = decided(f"{off}, {without('preScore', 'VolumeBinding')}", pod("p"), *TWO)
    assert decision.error == 'running Score plugins: plugin "VolumeBinding" failed with: not found'


def test_without_default_preemption_no_pod_is_evicted():
    small = {"cpu": "1", "memory": "1Gi", "pods": "9"}
    world = [node("a", allocatable=small), pod("low", "a", cpu="1")]
    high = pod("high", cpu="1", priority=9)
    assert decided("", high, *world).nominated_node == "a"
    decision = decided(without("postFilter", "DefaultPreemption"), high, *world)
    assert (
        decision.nominated_node is None
        and decision.event == decision.message == "0/1 nodes are available: 1 Insufficient cpu."
    )


def test_without_scheduling_gates_a_gated_pod_is_scheduled():
    gated = pod("p", schedulingGates=[{"name": "wait"}])
    assert decided("", gated, *TWO).gates == ("wait",)
    assert decided(without("preEnqueue", "SchedulingGates"), gated, *TWO).names == ["a", "b"]


class Fifty:
    """Gives each node 50 points; it has no weight of its own."""

    def score(self, pod, node):
        return 50


@pytest.mark.parametrize("weight, points", [("", 50), (", weight: 2", 100)])
def test_a_plugin_of_your_own_without_a_weight_counts_once(weight, points):
    text = f"{V1}profiles:\n- plugins: {{multiPoint: {{enabled: [{{name: Fifty{weight}}}]}}}}\n"
    generation = load_configuration(text, plugins=[Fifty()])["default-scheduler"]
    decision = schedule("default/p", cluster(pod("p"), *TWO), generation)
    scores = dict(zip(decision.scores.plugins, decision.scores.results.tolist(), strict=True))
    assert scores["Fifty"] == [points, points]
