"""Plugins outside the default tables score as in the version that a configuration is for."""

import pytest

from kschedlab.build import Manifest, node, pod, service, term
from kschedlab.filter.plugin import SchedulingError
from kschedlab.score.plugin import Score
from kschedlab_configuration import load_configuration
from tests.storage import claim, mount, storage_class, volume
from tests.verdicts import scored

HEAD = "apiVersion: kubescheduler.config.k8s.io/{}\nkind: KubeSchedulerConfiguration\n"
SPREAD: list[Manifest] = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]


def enabled(name: str, base: str, version: str = "v1beta1", args: str = "") -> Score:
    """The score that a configuration enables alone."""
    chosen = f"{{disabled: [{{name: '*'}}], enabled: [{{name: {name}}}]}}"
    plugins = f"score: {chosen}" + (f", preScore: {chosen}" if name == "SelectorSpread" else "")
    config = f"\n  pluginConfig: [{{name: {name}, args: {args}}}]" if args else ""
    text = f"{HEAD.format(version)}profiles:\n- plugins: {{{plugins}}}{config}\n"
    ((score, _),) = load_configuration(text, base)["default-scheduler"].scores
    return score


@pytest.mark.parametrize(
    ("base", "version"), [("v1.20", "v1beta1"), ("v1.22", "v1beta1"), ("v1.24", "v1beta2"), ("v1.28", "v1beta3")]
)
def test_selector_spread_leaves_pods_with_constraints_alone(base: str, version: str):
    """v1.20: selectorspread/selector_spread.go, skipSelectorSpread."""
    labels, plugin = {"app": "web"}, enabled("SelectorSpread", base, version)
    world = [node("a"), node("b"), pod("other", "a", labels=labels), service("web", labels)]
    assert scored(plugin, pod("p", labels=labels), *world) == {"a": 0, "b": 100}
    assert scored(plugin, pod("p", labels=labels, topologySpreadConstraints=SPREAD), *world) == {"a": 0, "b": 0}


@pytest.mark.parametrize(("base", "want"), [("v1.20", 34), ("v1.22", 33)])
def test_a_third_of_a_node_is_34_percent_until_v1_22(base: str, want: int):
    """noderesources/requested_to_capacity_ratio.go: v1.20 subtracts the rounded free part, v1.22 divides."""
    shape = "{shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}"
    plugin = enabled("RequestedToCapacityRatio", base, args=shape)
    third = pod("p", requests={"cpu": "1", "memory": "1"})
    assert scored(plugin, third, node("n", allocatable={"cpu": "3", "memory": "3", "pods": "9"})) == {"n": want}


def test_node_label_without_labels_panics_until_v1_22():
    """nodelabel/node_label.go, Score: v1.20 divides by the number of labels."""
    with pytest.raises(SchedulingError, match="integer divide by zero"):
        scored(enabled("NodeLabel", "v1.20"), pod("p"), node("n"))
    assert scored(enabled("NodeLabel", "v1.22"), pod("p"), node("n")) == {"n": 0}


@pytest.mark.parametrize(
    ("base", "version", "want"),
    [("v1.22", "v1beta1", 0), ("v1.24", "v1beta2", 0), ("v1.28", "v1", 0), ("v1.37", "v1", 50)],
)
def test_volume_binding_scores_no_capacity_without_its_gate(base: str, version: str, want: int):
    """v1.22: volumebinding/volume_binding.go, Score: the gate VolumeCapacityPriority is off."""
    host = "kubernetes.io/hostname"
    nodes = [node(name, labels={host: name}) for name in "ab"]
    storage = [storage_class("wait"), claim("c", size="50Gi"), volume("x", term(f"{host} In a"), size="100Gi")]
    asking = pod("p", volumes=[mount("c")])
    assert scored(enabled("VolumeBinding", base, version), asking, *nodes, *storage) == {"a": want, "b": 0}
