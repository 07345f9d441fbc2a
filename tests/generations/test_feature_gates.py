"""Feature gates: which are known, what the modelled ones change, and what is refused."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from kschedlab.build import node, pod
from kschedlab.generations import V1_20, V1_37, Generation
from kschedlab.generations.feature_gates import EFFECTS, NEEDS, FeatureGateError, chosen, known_gates
from kschedlab.objects.api import GROUPS, LISTS
from kschedlab.objects.model import Device, ResourceSlice
from kschedlab.objects.problems import ManifestError
from kschedlab.program.decide import decide_lines
from kschedlab_groups.queue import WithGroups
from kschedlab_simulation.scheduler.changes import loop_rules
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.devices.tests.device_manifests import device, device_class, resource_slice
from packages.simulation.tests.plane import Plane


def test_all_gates_of_the_version_are_known_once() -> None:
    lists = json.loads(files("kschedlab.generations").joinpath("feature_gates.json").read_text())
    assert sum(map(len, lists.values())) == len(known_gates()) == 242
    assert EFFECTS.keys() | NEEDS.keys() <= known_gates().keys()


def test_a_default_changes_nothing() -> None:
    gates = {name: gate.default for name, gate in known_gates().items()}
    assert chosen(gates).modelled == {} and V1_37.with_feature_gates(gates) == V1_37


def test_a_gate_changes_what_it_names() -> None:
    changed = V1_37.with_feature_gates({"StorageCapacityScoring": False, "NominatedNodeNameForExpectation": False})
    assert changed.feature_gates == (("NominatedNodeNameForExpectation", False), ("StorageCapacityScoring", False))
    assert loop_rules(V1_37).nominates_before_binding and not loop_rules(changed).nominates_before_binding
    assert len(changed.scores) == len(V1_37.scores) - 1 and changed.filters == V1_37.filters


REFUSED = {
    "unknown": ({"Gang": True}, 'no feature gate "Gang"; there are 242: '),
    "locked": (
        {"NodeDeclaredFeatures": False},
        "cannot set feature gate NodeDeclaredFeatures to false, feature is locked",
    ),
    "not modelled": ({"WatchList": False}, "the feature gate WatchList is not modelled, and stays on"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_gate_that_cannot_be_set_is_an_error(case: str) -> None:
    gates, said = REFUSED[case]
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        V1_37.with_feature_gates(gates)


def test_a_gate_is_set_once() -> None:
    changed = V1_37.with_feature_gates({"StorageCapacityScoring": False})
    assert changed.with_feature_gates({"StorageCapacityScoring": False}) == changed


def test_older_generations_have_no_gates() -> None:
    with pytest.raises(FeatureGateError, match=r"settings of v1.37: v1.20 has none"):
        V1_20.with_feature_gates({"StorageCapacityScoring": False})


def decided(gates: dict[str, bool]) -> dict[str, object]:
    nodes = [node("n1"), node("n2", cpu="64")]
    asked = {"id": "g", "objects": [*nodes, pod("web")], "pod": "default/web", "featureGates": gates}
    (answer,) = map(json.loads, decide_lines([json.dumps(asked)]))
    return answer


def test_a_scenario_of_decide_has_gates() -> None:
    with_note = decided({"WatchList": False, "StorageCapacityScoring": False})
    assert with_note["notModelled"] == ["the feature gate WatchList is not modelled, and stays on"]
    assert "VolumeBinding" not in json.dumps(with_note) and "VolumeBinding" in json.dumps(decided({}))
    assert str(decided({"Gang": True})["error"]).startswith('line 1: featureGates: no feature gate "Gang"')


def test_a_simulation_has_gates() -> None:
    text = "simulation: {featureGates: {NominatedNodeNameForExpectation: false, WatchList: false}}"
    scenario = loads_scenario(text, "gates.yaml")
    (warning,) = scenario.report.warnings
    assert warning.endswith("featureGates: the feature gate WatchList is not modelled, and stays on")
    assert not Simulation.of(scenario).scheduler.context.rules.nominates_before_binding
    with pytest.raises(ManifestError, match=r"featureGates: feature gates are settings of v1.37: v1.20 has none"):
        Simulation.of(scenario, "v1.20")
    with pytest.raises(ManifestError, match="feature is locked to true"):
        loads_scenario("simulation: {featureGates: {NodeDeclaredFeatures: false}}")


def test_a_configuration_and_gates_go_together(tmp_path: Path) -> None:
    head = "apiVersion: kubescheduler.config.k8s.io/{}\nkind: KubeSchedulerConfiguration\n"
    (tmp_path / "new.yaml").write_text(head.format("v1") + "profiles: [{schedulerName: mine}]")
    (tmp_path / "old.yaml").write_text(head.format("v1beta1") + "profiles: [{schedulerName: mine}]")

    def rules(file: str) -> Any:
        text = f"simulation: {{config: {file}, featureGates: {{NominatedNodeNameForExpectation: false}}}}"
        return Simulation.of(loads_scenario(text, str(tmp_path / "run.yaml"))).scheduler.context.rules

    assert not rules("new.yaml").nominates_before_binding
    with pytest.raises(ManifestError, match=r"settings of v1.37: mine \(v1.20\) has none"):
        rules("old.yaml")


def tolerating(operator: str, bound: str, gates: dict[str, bool]) -> str:
    """The answer for a pod with this toleration, on a node whose taint has the value 950."""
    tainted = node("n1", taints=[{"key": "sla", "value": "950", "effect": "NoSchedule"}])
    tolerations = [{"key": "sla", "operator": operator, "value": bound, "effect": "NoSchedule"}]
    objects = [tainted, pod("web", tolerations=tolerations)]
    asked = {"id": "t", "objects": objects, "pod": "default/web", "featureGates": gates}
    (answer,) = map(json.loads, decide_lines([json.dumps(asked)]))
    return "".join(answer["feasible"]) or "none"


@pytest.mark.parametrize(
    ("operator", "bound", "fits"),
    [
        ("Gt", "900", True),
        ("Gt", "950", False),
        ("Lt", "1000", True),
        ("Lt", "900", False),
        ("Gt", "0900", False),
        ("Gt", "+1", False),
        ("Gt", "-5", True),
        ("Lt", "99999999999999999999", False),
    ],
)
def test_tolerations_compare_numbers_behind_their_gate(operator: str, bound: str, fits: bool) -> None:
    gate = "TaintTolerationComparisonOperators"
    assert tolerating(operator, bound, {gate: True}) == ("n1" if fits else "none")
    assert tolerating(operator, bound, {}) == tolerating(operator, bound, {gate: False}) == "none"


def test_the_api_server_refuses_a_bound_that_is_no_number() -> None:
    on = V1_37.with_feature_gates({"TaintTolerationComparisonOperators": True})
    plane = Plane(node("n1"), generation=on)
    with pytest.raises(ApiError, match=r"spec.tolerations\[0\].value: .*whole number"):
        plane.create(pod("web", tolerations=[{"key": "a", "operator": "Gt", "value": "007"}]))


def test_a_gate_needs_others() -> None:
    needs = "is enabled, but depends on features that are disabled: "
    with pytest.raises(FeatureGateError, match=rf"Scheduling {needs}\[GenericWorkload\]"):
        V1_37.with_feature_gates({"TopologyAwareWorkloadScheduling": True})
    with pytest.raises(FeatureGateError, match=rf"Groups {needs}\[DRAPartitionableDevices\]"):
        V1_37.with_feature_gates({GROUPS: True, "DRAPartitionableDevices": False})
    on = V1_37.with_feature_gates({"GenericWorkload": True}).with_feature_gates({GROUPS: True, LISTS: True})
    assert on.with_feature_gates({"TopologyAwareWorkloadScheduling": True}).api.gates == (GROUPS, LISTS)


def devices_of(generation: Generation) -> tuple[Device, ...]:
    """What the API server keeps of a device with a compatibility group and a list."""
    consumed = {"counterSet": "s", "counters": {"c": {"value": "1"}}, "compatibilityGroups": ["a"]}
    grouped, listed = device("d", consumesCounters=[consumed]), device("e", attributes={"root": ["a", "b"]})
    plane = Plane(node("n1"), resource_slice("n1", [grouped]), generation=generation)
    plane.create(resource_slice("n1", [listed], name="next"))
    return tuple(each for kept in plane.api.list(ResourceSlice)[0] for each in kept.spec.devices)


def test_the_api_server_keeps_what_its_gates_allow() -> None:
    both = devices_of(V1_37.with_feature_gates({GROUPS: True, LISTS: True}))
    assert both[0].consumesCounters[0].compatibilityGroups == ("a",)
    assert both[1].attributes["root"].stringValues == ("a", "b")
    assert devices_of(V1_37.with_feature_gates({LISTS: True}))[0].consumesCounters[0].compatibilityGroups == ()
    with pytest.raises(ApiError, match=r"attributes.root: .*needs the feature gate DRAListTypeAttributes"):
        devices_of(V1_37)


def test_the_api_server_compiles_selectors_as_its_gates_say() -> None:
    asked = device_class("gpu", 'device.attributes["a"].root.exists(x, x == 1)')
    with pytest.raises(ApiError, match=r"selectors\[0\].cel.expression: .*needs the feature gate DRAListTypeAttr"):
        Plane(node("n1")).create(asked)
    Plane(node("n1"), generation=V1_37.with_feature_gates({LISTS: True})).create(asked)


def test_a_simulation_warns_of_what_its_gates_lack() -> None:
    manifest = json.dumps(resource_slice("n1", [device("d", attributes={"root": ["a", "b"]})]))
    (warning,) = loads_scenario(manifest).report.warnings
    assert "needs the feature gate DRAListTypeAttributes" in warning
    gates = '{"simulation": {"featureGates": {"DRAListTypeAttributes": true}}}'
    assert loads_scenario(f"{manifest}\n---\n{gates}").report.warnings == []


def test_gates_of_the_queue_do_not_undo_each_other() -> None:
    one = V1_37.with_feature_gates({"SchedulerPopFromBackoffQ": False}).with_feature_gates({"GenericWorkload": True})
    other = V1_37.with_feature_gates({"GenericWorkload": True}).with_feature_gates({"SchedulerPopFromBackoffQ": False})
    for generation in (one, other):
        queue = generation.queue(lambda: 0)
        assert isinstance(queue, WithGroups) and not queue._pops_backoff and queue._backoff.window == 1
