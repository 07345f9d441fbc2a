"""scheduler_perf's operations: reading, errors, and runs."""

import json
from pathlib import Path

import pytest

import benchmarks.perf  # noqa: F401  # reads scheduler_perf
from kschedlab.objects.model import CSINode, Namespace, Node, PersistentVolumeClaim, ResourceClaim, Service
from kschedlab.objects.problems import ManifestError
from kschedlab_simulation.log import Acted, Changed, Measured
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import load_scenario, loads_scenario

FILE = Path(__file__).parent / "performance-config.yaml"
SECOND = 1_000_000


def ran(workload, **more):
    simulation = Simulation.of(load_scenario(FILE, workload=workload), **more)
    simulation.run()
    return simulation


def ran_ops(*ops, params=None, folder=None):
    text = json.dumps({"timeline": [{"at": "0s", "ops": ops, **({"params": params} if params else {})}]})
    simulation = Simulation.of(loads_scenario(text, str(folder / "run.yaml") if folder else "run.yaml"))
    simulation.run()
    return simulation


def changed(simulation, kind, type):
    return [e for e in simulation.log if isinstance(e, Changed) and e.kind == kind and e.type == type]


def namespaces(simulation):
    return [one.metadata.name for one in simulation.api.list(Namespace)[0]]


# -- carried out


@pytest.mark.parametrize("generation", ["v1.13", "v1.16", "v1.20", "v1.37"])
def test_filling_a_cluster(generation):
    simulation = ran("Filling/5Nodes", generation=generation)
    assert namespaces(simulation) == ["namespace-1", "namespace-2"]
    nodes = simulation.api.list(Node)[0]
    assert len(nodes) == 5
    for node in nodes:
        assert node.metadata.name.startswith("node-0-")
        assert node.metadata.labels == {"kubernetes.io/hostname": node.metadata.name}
    assert {pod.metadata.labels["signature"] for pod in simulation.pods()} == {
        f"signature-label-{i}" for i in range(10)
    }
    assert all(pod.spec.nodeName for pod in simulation.pods())
    (measured,) = simulation.report().throughput
    assert (measured.name, measured.pods) == ("namespace-2", 10)


def test_churn_runs_until_the_operations_end():
    simulation = ran("Churning/Short")
    nodes = [node for node in changed(simulation, "Node", "ADDED") if node.key.startswith("extra-")]
    gone = changed(simulation, "Node", "DELETED")
    assert [(e.at - simulation.start) // 1000 for e in nodes] == [100, 300, 500]
    assert [(e.at - simulation.start) // 1000 for e in gone] == [200, 400, 600]
    assert len(changed(simulation, "Service", "ADDED")) == 3
    assert simulation.api.list(Service)[0] == []
    steady = [pod for pod in simulation.pods() if pod.metadata.namespace == "steady"]
    assert len(steady) == 12


def test_templates_get_their_index_and_parameters():
    simulation = ran("Churning/Short")
    nodes = {node.metadata.name: node for node in simulation.api.list(Node)[0]}
    assert list(nodes) == ["node-0-of-3", "node-1-of-3", "node-2-of-3"]
    zones = [node.metadata.labels.get("zone") for node in nodes.values()]
    assert zones == ["zone-0", "zone-1", "zone-2"]
    assert [node.metadata.labels.get("first") for node in nodes.values()] == ["true", None, None]
    assert nodes["node-0-of-3"].status.allocatable["cpu"].milli() == 4000


def test_preemption():
    report = ran("Preempting/2Nodes").report()
    assert (report.preemptions, report.victims, report.bound) == (2, 6, 10)
    assert [waits.pods for waits in report.waits.values()] == [2, 8]


def test_sets_of_pods_in_namespaces_and_slow_deletion():
    simulation = ran("Namespaces/Two")
    assert namespaces(simulation) == ["team-0", "team-1"]
    assert simulation.api.get(Namespace, "", "team-0").metadata.labels["team"] == "some"
    assert sorted(node.metadata.labels["zone"] for node in simulation.api.list(Node)[0]) == ["a", "a", "b", "b"]
    marked = [
        e
        for e in changed(simulation, "Pod", "MODIFIED")
        if e.new.metadata.deletionTimestamp is not None and e.old.metadata.deletionTimestamp is None
    ]
    assert {e.key.partition("/")[0] for e in marked} == {"team-0"}
    first, second, third = (e.at for e in marked)
    assert second - first == third - second == SECOND // 10
    remain = {(pod.metadata.namespace, pod.metadata.deletionTimestamp is not None) for pod in simulation.pods()}
    assert remain == {("team-0", True), ("team-1", False)}


@pytest.mark.parametrize("before", [False, True])
def test_kubelets_run_only_if_the_settings_name_them(tmp_path, before):
    """scheduler_perf has none, so a deleted pod with a grace period stays."""
    settings = tmp_path / "settings.yaml"
    for text, phases in (
        ("simulation: {kubelet: {start: 1s}}", {"team-1": "Running"}),
        ("simulation: {seed: 3}", {"team-0": "Pending", "team-1": "Pending"}),
    ):
        settings.write_text(text)
        files = (settings, FILE) if before else (FILE, settings)
        simulation = Simulation.of(load_scenario(*files, workload="Namespaces/Two"))
        simulation.run()
        assert {pod.metadata.namespace: pod.status.phase for pod in simulation.pods()} == phases


def test_volumes_are_bound_and_limited():
    simulation = ran("Volumes/6Pods")
    assert all(claim.status.phase == "Bound" for claim in simulation.api.list(PersistentVolumeClaim)[0])
    nodes = [pod.spec.nodeName for pod in simulation.pods()]
    assert sorted(map(nodes.count, set(nodes))) == [3, 3]
    assert [one.spec.drivers[0].name for one in simulation.api.list(CSINode)[0]] == ["disk.example.com"] * 2
    assert simulation.api.list(Node)[0][0].status.allocatable["example.com/gpu"].value() == 8


def test_updates_requeue_waiting_pods():
    simulation = ran("Updating/2Nodes")
    assert sorted(pod.spec.nodeName for pod in simulation.pods()) == ["node-0", "node-0", "node-1", "node-1"]
    windows = [(e.name, e.on) for e in simulation.log if isinstance(e, Measured)]
    assert windows == [("opened", True), ("opened", False)]
    (measured,) = simulation.report().throughput
    assert (measured.name, measured.pods) == ("opened", 4)
    assert simulation.report().failed_attempts >= 4


def test_the_first_failure_ends_the_workload():
    node = {"opcode": "createNodes", "count": 1}
    pods = {"opcode": "createPods", "count": 200, "namespace": "full"}
    simulation = ran_ops(node, pods, node)
    assert simulation.report().failures == (
        'run.yaml:1: createPods: namespace "full": 40 of 200 pods are scheduled after 10 minutes',
    )
    assert len(simulation.api.list(Node)[0]) == 1
    (failed,) = [e for e in simulation.log if isinstance(e, Acted) and e.error]
    assert 600 * SECOND <= failed.at - simulation.start < 602 * SECOND


def test_an_unknown_namespace_and_a_stray_measurement():
    barrier = ran_ops({"opcode": "barrier", "namespaces": ["lost"]})
    assert barrier.report().failures == ("run.yaml:1: barrier: unknown namespace lost",)
    stop = ran_ops({"opcode": "stopCollectingMetrics"})
    assert stop.report().failures == ("run.yaml:1: stopCollectingMetrics: no measurement is in progress",)
    start = {"opcode": "startCollectingMetrics", "name": "a", "namespaces": ["b"]}
    again = ran_ops(start, start)
    assert again.report().failures == ("run.yaml:1: startCollectingMetrics: a measurement is already in progress",)


def test_rejected_requests_carry_their_status(tmp_path):
    template = '{apiVersion: v1, kind: Node, metadata: {name: "n{{Mod .Index 2}}"}}'
    (tmp_path / "node.yaml").write_text(template)
    simulation = ran_ops({"opcode": "createNodes", "count": 3, "nodeTemplatePath": "node.yaml"}, folder=tmp_path)
    failed = [e for e in simulation.log if isinstance(e, Acted) and e.error]
    assert [(e.status.code, e.error) for e in failed] == [(409, 'nodes "n0" already exists')]


def test_a_template_that_fails_later_is_reported_with_its_file(tmp_path):
    (tmp_path / "node.yaml").write_text('kind: Node\nmetadata: {name: "n{{DivideInt 1 (SubtractInt 1 .Index)}}"}')
    simulation = ran_ops({"opcode": "createNodes", "count": 3, "nodeTemplatePath": "node.yaml"}, folder=tmp_path)
    assert simulation.report().failures == (
        f"{tmp_path}/run.yaml:1: createNodes: {tmp_path}/node.yaml:2: division by zero",
    )


def test_fields_of_a_template_may_be_written_in_any_case(tmp_path):
    template = "kind: Node\nmetadata: {name: n1, Labels: {Zone: a}}\nspec: {Taints: [{KEY: k, effect: NoSchedule}]}"
    (tmp_path / "node.yaml").write_text(template)
    ran = ran_ops({"opcode": "createNodes", "count": 1, "nodeTemplatePath": "node.yaml"}, folder=tmp_path)
    (node,), _ = ran.api.list(Node)
    assert node.metadata.labels["Zone"] == "a" and [each.key for each in node.spec.taints] == ["k"]
    (tmp_path / "node.yaml").write_text("kind: Node\nmetadata: {name: n1}\nspec: {tains: []}")
    text = case("{opcode: createNodes, nodeTemplatePath: node.yaml}")
    assert any("spec.tains: is not a field" in line for line in refused(text, name=str(tmp_path / "perf.yaml")))


def test_namespaced_and_cluster_scoped_objects(tmp_path):
    (tmp_path / "node.yaml").write_text("{kind: Node, metadata: {name: n1}}")
    wrong = ran_ops({"opcode": "createAny", "namespace": "a", "templatePath": "node.yaml"}, folder=tmp_path)
    assert wrong.report().failures[0].endswith("createAny: Node is cluster-scoped: remove namespace")


SLICE = """
kind: ResourceSlice
apiVersion: resource.k8s.io/v1
metadata: {name: "slice-{{.Index}}"}
spec:
  pool: {name: "pool-{{.Index}}", generation: 1, resourceSliceCount: 1}
  driver: gpu.example.com
  nodeName: node-{{.Index}}
  devices:{{range 2}}
  - name: gpu-{{.}}{{end}}
"""
CLASS = "{kind: DeviceClass, apiVersion: resource.k8s.io/v1, metadata: {name: gpu}}"
CLAIM = """
kind: ResourceClaim
apiVersion: resource.k8s.io/v1
metadata: {name: "claim-{{.Index}}"}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
"""
POD = "{kind: Pod, metadata: {generateName: p-}, spec: {containers: [{name: c}]}}"


def files(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def test_claims_are_allocated_without_pods(tmp_path):
    node = '{kind: Node, metadata: {name: "node-{{.Index}}"}, status: {allocatable: {cpu: 1, pods: 9}}}'
    files(tmp_path, node=node, slice=SLICE, gpu=CLASS, claim=CLAIM)
    ops = [
        {"opcode": "createNodes", "nodeTemplatePath": "node.yaml", "count": 2},
        {"opcode": "createAny", "templatePath": "slice.yaml", "count": 2},
        {"opcode": "createAny", "templatePath": "gpu.yaml"},
        {"opcode": "createResourceClaims", "namespace": "a", "templatePath": "claim.yaml", "count": 4},
        {"opcode": "allocResourceClaims", "namespace": "a"},
    ]
    simulation = ran_ops(*ops, folder=tmp_path)
    assert not simulation.report().failures
    claims = simulation.api.list(ResourceClaim, "a")[0]
    devices = [(each.pool, each.device) for claim in claims for each in claim.status.allocation.devices.results]
    assert sorted(devices) == [(f"pool-{i}", f"gpu-{k}") for i in range(2) for k in range(2)]
    assert not simulation.api.list(ResourceClaim, "b")[0]
    more = {"opcode": "createResourceClaims", "namespace": "b", "templatePath": "claim.yaml", "count": 1}
    full = ran_ops(*ops, more, {"opcode": "allocResourceClaims"}, folder=tmp_path)
    assert full.report().failures[0].endswith("allocResourceClaims: Could not allocate claim 4 out of 5")


def test_a_steady_state_replaces_each_scheduled_pod(tmp_path):
    files(tmp_path, pod=POD)
    pods = {"opcode": "createPods", "namespace": "a", "podTemplatePath": "pod.yaml", "count": 3}
    steady = {**pods, "steadyState": True, "durationParam": "$long", "collectMetrics": True}
    simulation = ran_ops({"opcode": "createNodes", "count": 1}, steady, params={"long": "500ms"}, folder=tmp_path)
    report = simulation.report()
    assert not report.failures
    assert len(changed(simulation, "Pod", "DELETED")) > 20
    assert len(simulation.pods()) == 3
    (measured,) = report.throughput
    assert measured.pods > 20
    idle = ran_ops(steady, params={"long": "200ms"}, folder=tmp_path)
    assert "no pod at all got scheduled" in idle.report().failures[0]


def test_a_resized_pod_makes_room_for_another_one(tmp_path):
    pod = '{kind: Pod, metadata: {name: NAME}, spec: {containers: [{name: c, resources: {requests: {cpu: "SIZE"}}}]}}'
    files(tmp_path, large=pod.replace("NAME", "first").replace("SIZE", "3"))
    files(tmp_path, small=pod.replace("NAME", "first").replace("SIZE", "1"))
    files(tmp_path, other=pod.replace("NAME", "second").replace("SIZE", "2"))
    simulation = ran_ops(
        {"opcode": "createNodes", "count": 1},
        {"opcode": "createPods", "namespace": "a", "podTemplatePath": "large.yaml", "count": 1},
        {
            "opcode": "createPods",
            "namespace": "b",
            "podTemplatePath": "other.yaml",
            "count": 1,
            "skipWaitToCompletion": True,
        },
        {"opcode": "barrier", "stageRequirement": "Attempted", "namespaces": ["b"]},
        {"opcode": "updateAny", "namespace": "a", "templatePath": "small.yaml", "subresources": ["resize"]},
        {"opcode": "barrier"},
        folder=tmp_path,
    )
    assert not simulation.report().failures
    assert all(pod.spec.nodeName for pod in simulation.pods())
    moved = [entry for entry in simulation.log if getattr(entry, "event", "") == "AssignedPodUpdatePodScaleDown"]
    assert moved


def test_nodes_declare_as_many_features_as_the_workload_says():
    simulation = ran_ops({"opcode": "createNodes", "count": 1}, params={"numNodeDeclaredFeatures": 11})
    (node,) = simulation.api.list(Node)[0]
    assert node.status.declaredFeatures[:3] == ("Feature1", "Feature10", "Feature11")
    assert len(node.status.declaredFeatures) == 11


@pytest.mark.parametrize(("gate", "needed"), [("true", True), ("false", False)])
def test_pods_with_resources_of_their_own_need_the_mocked_features(tmp_path, gate, needed):
    (tmp_path / "pod.yaml").write_text(
        "kind: Pod\nmetadata: {generateName: p-}\nspec: {containers: [{name: c}], resources: {requests: {cpu: 1}}}"
    )
    node = "{apiVersion: v1, kind: Node, metadata: {name: old}, status: {allocatable: {cpu: 99, pods: 99}}}"
    text = case(
        "{opcode: createNodes, count: 1}",
        "{opcode: createPods, count: 2, podTemplatePath: pod.yaml}",
        params="{numNodeDeclaredFeatures: 2}",
        more=f"  featureGates: {{NodeDeclaredFeatures: {gate}}}\n",
    )
    (tmp_path / "perf.yaml").write_text(text)
    (tmp_path / "node.yaml").write_text(node)
    simulation = Simulation.of(load_scenario(tmp_path / "node.yaml", tmp_path / "perf.yaml"))
    simulation.run()
    names = {pod.spec.nodeName.partition("-")[0] for pod in simulation.pods()}
    assert names == {"node" if needed else "old"}, "the old one has more room"


# -- chosen and refused


def refused(text, workload="", name="perf.yaml"):
    with pytest.raises(ManifestError) as error:
        loads_scenario(text, name, workload)
    return str(error.value).splitlines()


def case(*ops, params="{}", more=""):
    lines = "".join(f"  - {op}\n" for op in ops)
    return f"- name: T\n  workloadTemplate:\n{lines}  workloads:\n  - {{name: W, params: {params}}}\n{more}"


@pytest.mark.parametrize("path", ["/etc/hostname", "../../pod.yaml", "../templates/../../pod.yaml"])
def test_a_template_lies_in_the_folder_or_beside_it(path):
    (problem,) = refused(case(f"{{opcode: createPods, count: 1, podTemplatePath: {path}}}"))
    assert f'podTemplatePath: "{path}" is outside of the scenario' in problem


def test_a_workload_must_be_selected():
    names = "Filling/5Nodes, Filling/50Nodes, Churning/Short, Preempting/2Nodes"
    names += ", Namespaces/Two, Volumes/6Pods, Updating/2Nodes"
    text = FILE.read_text()
    assert refused(text) == [f"perf.yaml:2: select a workload: {names}"]
    assert refused(text, "Filling/1Node") == [f'perf.yaml:2: there is no workload "Filling/1Node": {names}']


def test_the_only_workload_need_not_be_named():
    (entry,) = loads_scenario(case("{opcode: barrier}")).entries
    assert entry.at == 0


MOST = "more than 200,000, the most that a simulation creates at once"


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("{opcode: createPodGroups, templatePath: a}", "namespace: is missing"),
        (
            "{opcode: deleteNodes}",
            "opcode: expected one of createNodes, createNamespaces, createPods, createPodSets, createAny, "
            "createPodGroups, updateAny, createResourceClaims, allocResourceClaims, deletePods, churn, barrier, sleep, "
            "startCollectingMetrics or stopCollectingMetrics",
        ),
        ("{opcode: createNodes, cuont: 3}", 'cuont: unknown field "cuont"'),
        ("{opcode: createNodes, count: -3}", "count: -3 is negative"),
        (
            "{opcode: createNodes, countParam: nodes}",
            'countParam: "nodes" is not a parameter: it must start with $',
        ),
        ("{opcode: createNodes, countParam: $nodes}", 'countParam: there is no parameter "nodes"'),
        ("{opcode: sleep, durationParam: $size}", 'durationParam: the parameter "size" has the wrong type'),
        ("{opcode: sleep, duration: 5}", 'duration: "5" has no unit: one of ns, us, ms, s, m, h, as in 5s'),
        ("{opcode: sleep, duration: 876000h}", 'duration: "876000h" is longer than 87840h, the longest time'),
        ("{opcode: churn, mode: shake, templatePaths: [a]}", "mode: expected create or recreate"),
        ("{opcode: churn, mode: recreate, templatePaths: [a]}", "number: is 0, which recreates nothing"),
        ("{opcode: churn, mode: create}", "templatePaths: is empty"),
        ("{opcode: barrier, stageRequirement: Done}", "stageRequirement: expected Scheduled or Attempted"),
        ("{opcode: createPods, steadyState: true}", "duration: is missing"),
        ("{opcode: createResourceClaims, templatePath: a}", "namespace: is missing"),
        ("{opcode: createResourceClaims, namespace: a}", "templatePath: is missing"),
        (
            "{opcode: createPods, collectMetrics: true, skipWaitToCompletion: true}",
            "collectMetrics: cannot be combined with skipWaitToCompletion",
        ),
        ("{opcode: createAny}", "templatePath: is missing"),
        ("{opcode: startCollectingMetrics}", "namespaces: is missing"),
        ("{opcode: createNodes, nodeTemplatePath: lost.yaml}", 'nodeTemplatePath: "lost.yaml" cannot be used'),
        (
            "{opcode: createNodes, labelNodePrepareStrategy: {labelKey: a}}",
            "labelNodePrepareStrategy.labelValues: is empty",
        ),
        ("{opcode: createNodes, templateParams: {a: $lost}}", 'templateParams.a: there is no parameter "lost"'),
        ("{opcode: createNodes, count: 2147483647}", f"count: 2147483647 is {MOST}"),
        ("{opcode: createPods, countParam: $size, countMultiplierParam: $large}", f"count: 6442450941 is {MOST}"),
        ("{opcode: churn, mode: create, number: 2147483647, templatePaths: [a]}", f"number: 2147483647 is {MOST}"),
        ("{opcode: createPodSets, count: 2147483647}", f"count: 2147483647 is {MOST}"),
        (
            "{opcode: createPodSets, count: 1000, createPodsOp: {count: 1000}}",
            f"count: with all sets, 1000000 is {MOST}",
        ),
        (
            "{opcode: createPodSets, count: 1, createPodsOp: {opcode: churn}}",
            "createPodsOp.opcode: expected createPods",
        ),
        ("{opcode: [createPods]}", "opcode: expected one of createNodes"),
        ("{opcode: {a: b}}", "opcode: expected one of createNodes"),
        ("nothing", f"opcode: expected one of {', '.join(['createNodes', 'createNamespaces'])}"),
    ],
)
def test_invalid_operations(op, expected):
    found = refused(case(op, params="{size: 3, large: 2147483647}"))
    assert any(line.startswith(f"perf.yaml:3: {expected}") for line in found)


def test_sets_of_pods_are_created_in_namespaces_of_their_own():
    (entry,) = loads_scenario(
        case("{opcode: createPodSets, count: 3, namespacePrefix: s, createPodsOp: {count: 2}}")
    ).entries
    found = [(each.opcode, each.fields.namespace, each.fields.count) for each in entry.action.operations]
    assert found == [("createPods", f"s-{i}", 2) for i in range(3)]


def test_unused_parameters_are_errors():
    assert refused(case("{opcode: barrier}", params="{size: 3, nodes: 2}")) == [
        "perf.yaml:5: workloads[0].params.nodes: is not used by any operation",
        "perf.yaml:5: workloads[0].params.size: is not used by any operation",
    ]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{kind: Service, metadata: {name: a}}", "expected a Node in the template, found a Service"),
        ("{kind: Lease, apiVersion: coordination.k8s.io/v1}", "Lease.coordination.k8s.io is not supported"),
        (
            "{kind: Node, metadata: {name: a}}\n---\n{kind: Node, metadata: {name: b}}",
            "expected one object in the template, found 2",
        ),
        ("\n{{with .x}}{{end}}", "{{with}} is not supported in templates"),
        ("\nkind: [", "not valid YAML"),
        ("kind: Node\nspec: {taints: [{key: a, effect: No}]}", "Node (without a name): spec.taints[0].effect"),
    ],
)
def test_unusable_templates(tmp_path, template, expected):
    (tmp_path / "node.yaml").write_text(template)
    found = refused(case("{opcode: createNodes, nodeTemplatePath: node.yaml}"), name=str(tmp_path / "perf.yaml"))
    (told,) = [line for line in found if line.startswith(f"{tmp_path}/node.yaml") and expected in line]
    assert told
    assert f'{tmp_path}/perf.yaml:3: nodeTemplatePath: "node.yaml" cannot be used' in found


def test_feature_gates_are_settings_and_a_warning_names_each_that_is_not_modelled():
    gates = "{NodeDeclaredFeatures: false, WatchListCompression: false, StorageCapacityScoring: false, WatchList: true}"
    scenario = loads_scenario(case("{opcode: barrier}", more=f"  featureGates: {gates}\n"), "perf.yaml")
    assert scenario.options.feature_gates == {"NodeDeclaredFeatures": False, "StorageCapacityScoring": False}
    assert scenario.report.warnings == [
        "perf.yaml:6: featureGates: the feature gate WatchListCompression is not modelled, and stays on"
    ]
    generation = Simulation.of(scenario).scheduler.context.generations["default-scheduler"]
    assert "NodeDeclaredFeatures" not in generation.plugin_names


def test_an_unknown_feature_gate_is_an_error():
    (told,) = refused(case("{opcode: barrier}", more="  featureGates: {Some: true}\n"))
    assert 'featureGates: no feature gate "Some"; there are 242: ' in told


def test_pod_groups_are_created_from_a_template(tmp_path):
    (tmp_path / "group.yaml").write_text(
        "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: 'gang-{{.Index}}'}\n"
        "spec: {schedulingPolicy: {gang: {minCount: {{.size}}}}}\n"
    )
    (tmp_path / "pod.yaml").write_text(
        "kind: Pod\napiVersion: v1\nmetadata: {name: 'pod-{{.Index}}'}\n"
        "spec:\n  schedulingGroup: {podGroupName: 'gang-{{DivideInt .Index .size}}'}\n"
        "  containers: [{name: c, image: i}]\n"
    )
    ops = (
        "{opcode: createNodes, count: 2}",
        "{opcode: createPodGroups, count: 2, namespace: ai, templatePath: group.yaml, templateParams: {size: $size}}",
        "{opcode: createPods, count: 4, namespace: ai, podTemplatePath: pod.yaml, templateParams: {size: $size}}",
    )
    text = case(*ops, params="{size: 2}", more="  featureGates: {GenericWorkload: true}\n")
    scenario = loads_scenario(text, str(tmp_path / "perf.yaml"))
    assert scenario.report.warnings == []
    simulation = Simulation.of(scenario)
    simulation.run()
    assert all(pod.spec.nodeName for pod in simulation.pods()) and len(simulation.pods()) == 4
    assert simulation.now - simulation.start < 10_000_000, "no timer of Permit keeps the run going"
