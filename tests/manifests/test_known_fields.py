"""Fields, kinds and API versions that Kubernetes does not know: warnings, or errors as for kubectl."""

import json
from pathlib import Path

import pytest

from kschedlab.build import node, pod
from kschedlab.manifests.decoding import KINDS
from kschedlab.manifests.known_fields import known, unknown_fields
from kschedlab.manifests.loading import ManifestError, decode_objects, load
from kschedlab.program.main import main
from kschedlab_simulation.timeline.scenario import load_scenario

MISSPELT = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
spec:
  taints: [{key: dedicated, efect: NoSchedule, effect: NoExecute}]
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeselector: {disk: ssd}
  priorityclassName: high
  containers:
  - name: app
    resources:
      request: {cpu: 1}
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecuton: {}}}
---
apiVersion: v1
kind: pod
metadata: {name: lost}
---
apiVersion: v9
kind: Pod
metadata: {name: old}
spec: {containers: [{name: app}], nodeselector: {}}
---
apiVersion: app/v1
kind: ReplicaSet
metadata: {name: sets}
"""
FOUND = [
    "a.yaml:5: Node n1: spec.taints[0].efect: is not a field of Taint: did you mean effect?",
    "a.yaml:11: Pod default/web: spec.nodeselector: is not a field of PodSpec: did you mean nodeSelector?",
    "a.yaml:12: Pod default/web: spec.priorityclassName: is not a field of PodSpec: did you mean priorityClassName?",
    "a.yaml:16: Pod default/web: spec.containers[0].resources.request: is not a field of ResourceRequirements: "
    "did you mean requests?",
    "a.yaml:17: Pod default/web: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecuton: is not a "
    "field of NodeAffinity: did you mean requiredDuringSchedulingIgnoredDuringExecution?",
    'a.yaml:20: kind: "pod" is not a kind: did you mean Pod?',
    'a.yaml:23: apiVersion: "v9" has no Pod: expected v1',
    'a.yaml:28: apiVersion: "app/v1" has no ReplicaSet: expected apps/v1 or apps/v1beta2',
]
AGAIN = "a.yaml:26: Pod default/old: spec.nodeselector: is not a field of PodSpec: did you mean nodeSelector?"


@pytest.fixture(autouse=True)
def misspelt(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(MISSPELT)


def lines(warnings):
    return [line.removesuffix(" (and 1 more of kind Pod)") for line in warnings]


def test_what_kubernetes_does_not_know_is_named_with_what_may_be_meant():
    objects = load("a.yaml")
    assert lines(objects.report.warnings) == FOUND
    assert lines(load_scenario("a.yaml").report.warnings) == FOUND
    assert [each.metadata.name for each in objects.pods] == ["web", "old"]


@pytest.mark.parametrize("read", [load, load_scenario])
def test_strict_refuses_it_as_kubectl_does(read):
    with pytest.raises(ManifestError) as caught:
        read("a.yaml", strict=True)
    assert str(caught.value).splitlines() == sorted([*FOUND, AGAIN], key=lambda line: int(line.split(":")[1]))


@pytest.mark.parametrize("command", ["explain", "simulate", "compare --pod default/web"])
def test_the_program_warns_and_with_strict_it_refuses(command, capsys):
    assert main([*command.split(), "a.yaml"]) == 0
    assert lines(capsys.readouterr().err.splitlines())[: len(FOUND)] == FOUND
    assert main([*command.split(), "a.yaml", "--strict"]) == 2
    output = capsys.readouterr()
    assert output.out == "" and AGAIN in output.err.splitlines()


def warnings(*manifests):
    return decode_objects(manifests).report.warnings


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ({"kind": "Deployment", "apiVersion": "v1"}, 'apiVersion: "v1" has no Deployment: expected apps/v1, '),
        ({"kind": "StorageClas", "apiVersion": "storage.k8s.io/v1"}, "did you mean StorageClass?"),
        ({"kind": "Ndoe"}, "did you mean Node?"),
        ({"kind": "Role", "apiVersion": "rbak/v1"}, 'apiVersion: "rbak/v1" is not an API version'),
        ({"kind": "Zebra", "apiVersion": "v1"}, 'kind: "Zebra" is not a kind of v1'),
        ({"kind": "PodList", "apiVersion": "v1", "itmes": []}, "items: is missing: a list has items"),
    ],
)
def test_a_kind_or_a_version_in_the_wrong_place(head, said):
    (line,) = warnings(head)
    assert said in line


@pytest.mark.parametrize(
    "head",
    [
        {"kind": "AllowList", "apiVersion": "example.com/v1"},
        {"kind": "Service", "apiVersion": "serving.knative.dev/v1"},
        {"kind": "HorizontalPodAutoscaler", "apiVersion": "autoscaling/v2beta2"},
        {"kind": "ReplicaSet", "apiVersion": "extensions/v1beta1"},
        {"kind": "PodSecurityPolicy", "apiVersion": "policy/v1beta1"},
        {"kind": "ConfigMap", "apiVersion": "v1"},
        {"kind": "CronJob", "apiVersion": "batch/v1"},
        {"kind": "Kustomization"},
    ],
)
def test_other_kinds_are_none_of_its_business(head):
    assert warnings(head) == []


def test_every_kind_that_is_read_is_known():
    table = known()
    assert set(KINDS) <= set(table.types)
    inner = {each.removeprefix("*") for fields in table.types.values() for each in fields.values() if each}
    assert inner <= set(table.types)


def test_fields_that_only_the_api_knows_pass_in_silence():
    """As kubectl prints them: with what the API server, the scheduler and the kubelet wrote."""
    managed = [
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}},
            "manager": "kubectl",
            "operation": "Update",
            "subresource": "status",
            "time": "2026-01-01T00:00:00Z",
        }
    ]
    probe = {"httpGet": {"path": "/", "port": "http", "scheme": "HTTP", "httpHeaders": [{"name": "a", "value": "b"}]}}
    container = {
        "name": "app",
        "image": "app:v1",
        "imagePullPolicy": "IfNotPresent",
        "env": [{"name": "IP", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}}],
        "livenessProbe": probe | {"periodSeconds": 10, "successThreshold": 1},
        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
        "securityContext": {"capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationMessagePath": "/dev/termination-log",
        "volumeMounts": [{"mountPath": "/v", "name": "v", "readOnly": True, "recursiveReadOnly": "Disabled"}],
    }
    volumes = [
        {
            "name": "v",
            "projected": {
                "defaultMode": 420,
                "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
                ],
            },
        }
    ]
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    user = {"linux": {"gid": 0, "supplementalGroups": [0], "uid": 0}}
    status = {
        "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": None, "observedGeneration": 1}],
        "containerStatuses": [{"name": "app", "containerID": "containerd://1", "state": state, "user": user}],
        "hostIPs": [{"ip": "10.0.0.1"}],
        "observedGeneration": 1,
        "qosClass": "BestEffort",
    }
    exported = pod("web", "n1", containers=[container], volumes=volumes, dnsPolicy="ClusterFirst", hostUsers=True)
    exported["metadata"] |= {"managedFields": managed, "selfLink": "/api/v1/pods/web", "clusterName": "", "uid": "u"}
    machine = node("n1")
    machine["metadata"]["managedFields"] = managed
    machine["spec"] = {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"], "providerID": "x://y"}
    machine["status"] |= {
        "addresses": [{"address": "10.0.0.1", "type": "InternalIP"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": {"kernelVersion": "6.1", "swap": {"capacity": 0}, "kubeProxyVersion": "v1.20.15"},
        "runtimeHandlers": [{"name": "runc", "features": {"recursiveReadOnlyMounts": True}}],
        "volumesAttached": [{"name": "v", "devicePath": ""}],
    }
    assert warnings(machine, exported | {"status": status}) == []


def test_a_thousand_misspellings_of_one_object_are_not_all_listed():
    many = pod("web") | {"spec": {f"field{i}": i for i in range(100_000)} | {"containers": [{"name": "c"}]}}
    assert len(warnings(node("n1"), many)) == 100


def test_lists_in_lists_and_json_are_checked_too():
    nested = {"kind": "List", "items": [{"kind": "PodList", "items": [{"metadata": {"name": "a"}, "spce": {}}]}]}
    with pytest.raises(ManifestError, match="needs at least one container"):
        decode_objects([nested])
    misspelt = pod("a")
    misspelt["spec"]["nodename"] = "n1"
    Path("b.json").write_text(json.dumps({"kind": "List", "items": [node("n1"), misspelt]}))
    assert load("b.json").report.warnings == [
        "b.json:1: Pod default/a: spec.nodename: is not a field of PodSpec: did you mean nodeName?"
    ]


def test_labels_that_nodes_must_have_are_named_as_expressions():
    """matchFields is spelt more like it, but has only the node's name."""
    term = {"weight": 1, "preference": {"matchLabels": {"disk": "fast"}}}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [term]}
    found = unknown_fields({"spec": {"affinity": {"nodeAffinity": preferred}}}, "Pod")
    assert [str(each.message) for each in found] == [
        "is not a field of NodeSelectorTerm: did you mean matchExpressions?"
    ]
