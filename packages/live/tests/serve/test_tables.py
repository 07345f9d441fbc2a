"""kubectl's own columns, of kinds that the simulation only keeps. v1.37: pkg/printers/internalversion/printers.go."""

import pytest

from kschedlab.objects.meta import Time
from kschedlab_live.serve.kinds import SERVED, Custom
from kschedlab_live.serve.tables import table
from kschedlab_live.serve.tables.cells import text

GROUPS = "scheduling.k8s.io/v1beta1"
NOW = Time.parse("2001-09-09T01:46:40Z")
CREATED = {"name": "a", "creationTimestamp": "2001-09-09T01:46:00Z"}


def cells(api_version: str, resource: str, wide: bool = False, **data) -> list:
    """What kubectl prints of an object, without its name and age."""
    answer = table(SERVED[api_version, resource], [(None, {"metadata": CREATED} | data)], NOW, "1", "None")
    columns = answer["columnDefinitions"]
    (row,) = answer["rows"]
    shown = {c["name"]: cell for c, cell in zip(columns, row["cells"], strict=True) if wide or not c["priority"]}
    assert shown.pop("Name", "a") == "a" and shown.pop("Age", "40s") == "40s"
    return [*shown.values()]


def metric(kind: str, name: str | None = None, **target) -> dict:
    return {"type": kind, kind[0].lower() + kind[1:]: ({"name": name} if name else {}) | {"target": target}}


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ([], "<none>"),
        ([metric("Resource", "cpu", averageUtilization=50)], "cpu: <unknown>/50%"),
        ([metric("ContainerResource", "memory", averageValue="1Gi")], "memory: <unknown>/1Gi"),
        ([metric("Pods", averageValue="100")], "<unknown>/100"),
        ([metric("Object", averageValue="2"), metric("External", value="7")], "<unknown>/2 (avg), <unknown>/7"),
        ([metric("Resource", "cpu")] * 3, "cpu: <unknown>/<auto>, cpu: <unknown>/<auto> + 1 more..."),
    ],
)
def test_an_autoscaler_shows_its_bounds_and_what_it_aims_at(metrics, expected):
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 4, "metrics": metrics}
    shown = cells("autoscaling/v2", "horizontalpodautoscalers", spec=spec, status={"currentReplicas": 2})
    assert shown == ["Deployment/web", expected, "<unset>", "4", "2"]


@pytest.mark.parametrize(
    ("owners", "shown"),
    [
        ([], "<none>"),
        ([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}], "<none>"),
        ([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": True}], "statefulset.apps/db"),
        ([{"apiVersion": "v1", "kind": "Node", "name": "n1", "controller": True}], "node/n1"),
    ],
)
def test_a_revision_shows_its_controller_with_its_group(owners, shown):
    metadata = CREATED | {"ownerReferences": owners}
    assert cells("apps/v1", "controllerrevisions", metadata=metadata, revision=3) == [shown, 3]


def test_a_selector_shows_its_labels_and_its_rules():
    rules = [
        {"key": "tier", "operator": "In", "values": ["web", "api"]},
        {"key": "zone", "operator": "NotIn", "values": ["b"]},
        {"key": "gpu", "operator": "Exists"},
        {"key": "old", "operator": "DoesNotExist"},
    ]
    spec = {"podSelector": {"matchLabels": {"app": "x"}, "matchExpressions": rules}}
    (shown,) = cells("networking.k8s.io/v1", "networkpolicies", spec=spec)
    assert shown == "app=x,gpu,!old,tier in (api,web),zone notin (b)"


@pytest.mark.parametrize(("added", "shown"), [({}, ""), ({"timeAdded": "2001-09-09T01:46:30Z"}, "10s")])
def test_a_rule_of_taints_shows_since_when(added, shown):
    spec = {"taint": {"key": "broken", "effect": "NoExecute"} | added}
    assert cells("resource.k8s.io/v1", "devicetaintrules", spec=spec) == ["broken", "", "NoExecute", shown]


def test_a_quota_shows_what_is_used_of_requests_and_of_limits():
    status = {"hard": {"pods": "10", "limits.cpu": "4", "cpu": "2"}, "used": {"pods": "3", "limits.cpu": "1"}}
    assert cells("v1", "resourcequotas", status=status) == ["cpu: 0/2, pods: 3/10", "limits.cpu: 1/4"]


def test_an_ingress_shows_three_hosts_and_counts_the_others():
    rules = [{"host": f"{name}.example"} for name in "abcde"]
    spec = {"ingressClassName": "nginx", "rules": rules, "tls": [{}]}
    points = {"loadBalancer": {"ingress": [{"hostname": "b"}, {"ip": "10.0.0.1"}]}}
    shown = cells("networking.k8s.io/v1", "ingresses", spec=spec, status=points)
    assert shown == ["nginx", "a.example,b.example,c.example + 2 more...", "10.0.0.1,b", "80, 443"]
    assert cells("networking.k8s.io/v1", "ingresses", spec={}) == ["<none>", "*", "", "80"]


def test_endpoints_show_addresses_with_ports():
    subset = {"addresses": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}], "ports": [{"port": 80}]}
    assert cells("v1", "endpoints", subsets=[subset]) == ["10.0.0.1:80,[fd00::1]:80"]
    assert cells("v1", "endpoints", subsets=[{"addresses": [{"ip": "10.0.0.1"}]}]) == ["10.0.0.1"]
    assert cells("v1", "endpoints") == ["<none>"]
    slices = {"addressType": "IPv4", "ports": [{"port": 80}, {}], "endpoints": [{"addresses": ["10.0.0.1"]}]}
    assert cells("discovery.k8s.io/v1", "endpointslices", **slices) == ["IPv4", "80,*", "10.0.0.1"]


def test_a_binding_shows_its_subjects_when_wide():
    subjects = [
        {"kind": "User", "name": "me"},
        {"kind": "ServiceAccount", "name": "sa", "namespace": "shop"},
        {"kind": "User", "name": "you"},
        {"kind": "Robot", "name": "arm"},
    ]
    data = {"roleRef": {"kind": "ClusterRole", "name": "edit"}, "subjects": subjects}
    assert cells("rbac.authorization.k8s.io/v1", "rolebindings", **data) == ["ClusterRole/edit"]
    wide = cells("rbac.authorization.k8s.io/v1", "rolebindings", wide=True, **data)
    assert wide == ["ClusterRole/edit", "me, you", "", "shop/sa"]


@pytest.mark.parametrize(
    ("api_version", "resource", "data", "expected"),
    [
        ("rbac.authorization.k8s.io/v1", "roles", {}, [CREATED["creationTimestamp"]]),
        ("v1", "limitranges", {}, [CREATED["creationTimestamp"]]),
        ("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", {"webhooks": [{}, {}]}, [2]),
        ("admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", {"spec": {"mutations": [{}]}}, [1, "<unset>"]),
        ("apiregistration.k8s.io/v1", "apiservices", {"spec": {}}, ["Local", "Unknown"]),
        ("networking.k8s.io/v1", "ingressclasses", {"spec": {"controller": "c"}}, ["c", "<none>"]),
        ("node.k8s.io/v1", "runtimeclasses", {"handler": "runc"}, ["runc"]),
    ],
)
def test_other_kinds_have_their_columns(api_version, resource, data, expected):
    assert cells(api_version, resource, **data) == expected


READY = {"type": "Ready", "status": "True"}
SINCE = "2001-09-09T01:45:40Z"
"""A minute ago."""
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}, {"name": "d", "image": "j"}]}}
WEB = {"matchLabels": {"app": "web"}}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"status": {"conditions": [READY]}}, ["Ready", "<none>", ""]),
        ({"status": {"conditions": [READY | {"status": "Unknown"}]}}, ["NotReady", "<none>", ""]),
        ({"status": {"conditions": [READY | {"type": "DiskPressure"}]}}, ["Unknown", "<none>", ""]),
        (
            {"spec": {"unschedulable": True}, "status": {"conditions": [READY], "nodeInfo": {"kubeletVersion": "v1"}}},
            ["Ready,SchedulingDisabled", "<none>", "v1"],
        ),
    ],
)
def test_a_node_shows_its_state(data, expected):
    assert cells("v1", "nodes", **data) == expected


@pytest.mark.parametrize(
    ("labels", "roles"),
    [
        ({"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": ""}, "control-plane,worker"),
        ({"kubernetes.io/role": "edge", "node-role.kubernetes.io/": ""}, "edge"),
        ({"kubernetes.io/role": "", "app": "web"}, "<none>"),
    ],
)
def test_a_nodes_roles_are_its_labels(labels, roles):
    assert cells("v1", "nodes", metadata=CREATED | {"labels": labels})[1] == roles


def test_a_node_shows_its_system_when_wide():
    info = {"kernelVersion": "6.1", "architecture": "arm64", "osImage": "Linux", "containerRuntimeVersion": "cri"}
    addresses = [{"type": "ExternalIP", "address": "1.2.3.4"}, {"type": "InternalIP", "address": "10.0.0.1"}]
    shown = cells("v1", "nodes", wide=True, status={"nodeInfo": info, "addresses": addresses})
    assert shown[3:] == ["10.0.0.1", "1.2.3.4", "Linux", "6.1 (arm64)", "cri"]
    assert cells("v1", "nodes", wide=True)[3:] == ["<none>", "<none>", *["<unknown>"] * 3]


def test_an_event_shows_how_often_and_since_when():
    about = {"involvedObject": {"kind": "Pod", "name": "web"}, "reason": "Killed", "type": "Normal", "message": " m\n"}
    times = {"firstTimestamp": "2001-09-09T01:44:40Z", "lastTimestamp": SINCE, "count": 3}
    source = {"source": {"component": "kubelet", "host": "n1"}}
    event = ["Normal", "Killed", "pod/web"]
    assert cells("v1", "events", **about, **times) == ["60s", *event, "m"]
    wide = cells("v1", "events", wide=True, **about, **times, **source)
    assert wide == ["60s", *event, "", "kubelet, n1", "m", "2m", "3"]
    series = {"eventTime": "2001-09-09T01:44:40Z", "series": {"count": 7, "lastObservedTime": SINCE}}
    wide = cells("v1", "events", wide=True, **about, **series, reportingComponent="s", reportingInstance="i")
    assert wide == ["60s", *event, "", "s, i", "m", "2m", "7"]
    assert cells("v1", "events", wide=True, **about)[-2:] == ["<unknown>", "1"]


@pytest.mark.parametrize(
    ("api_version", "resource", "data", "expected"),
    [
        (
            "v1",
            "persistentvolumes",
            {
                "spec": {
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                    "persistentVolumeReclaimPolicy": "Retain",
                    "claimRef": {"namespace": "shop", "name": "data"},
                    "storageClassName": "fast",
                    "volumeMode": "Block",
                },
                "status": {"phase": "Bound", "reason": "R"},
            },
            ["1Gi", "RWO,RWX", "Retain", "Bound", "shop/data", "fast", "<unset>", "R", "Block"],
        ),
        ("v1", "persistentvolumes", {"spec": {}}, ["0", "", "", "", "", "", "<unset>", "", "<unset>"]),
        (
            "v1",
            "persistentvolumeclaims",
            {
                "spec": {"volumeName": "v", "storageClassName": "fast"},
                "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadOnlyMany"]},
            },
            ["Bound", "v", "1Gi", "ROX", "fast", "<unset>", "<unset>"],
        ),
        (
            "v1",
            "persistentvolumeclaims",
            {"spec": {}, "status": {"phase": "Pending", "accessModes": ["ReadOnlyMany"]}},
            ["Pending", "", "", "", "", "<unset>", "<unset>"],
        ),
        (
            "storage.k8s.io/v1",
            "storageclasses",
            {"provisioner": "p", "allowVolumeExpansion": True, "volumeBindingMode": "Immediate"},
            ["p", "Delete", "Immediate", True],
        ),
        ("storage.k8s.io/v1", "storageclasses", {"reclaimPolicy": "Retain"}, ["", "Retain", "<unset>", False]),
        (
            "storage.k8s.io/v1",
            "volumeattachments",
            {"spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}}},
            ["d", "v", "n", False],
        ),
        (
            "storage.k8s.io/v1",
            "csidrivers",
            {"spec": {"attachRequired": False, "podInfoOnMount": True, "tokenRequests": [{"audience": "a"}]}},
            [False, True, False, "a", False, "<none>"],
        ),
        (
            "storage.k8s.io/v1",
            "csidrivers",
            {"spec": {"storageCapacity": True, "requiresRepublish": True, "volumeLifecycleModes": ["Persistent"]}},
            [True, False, True, "<unset>", True, "Persistent"],
        ),
        (
            "apps/v1",
            "statefulsets",
            {"spec": {"replicas": 3, "template": TEMPLATE}, "status": {"readyReplicas": 2}},
            ["2/3", "c,d", "i,j"],
        ),
        (
            "apps/v1",
            "daemonsets",
            {
                "spec": {"template": TEMPLATE, "selector": WEB},
                "status": {"desiredNumberScheduled": 5, "currentNumberScheduled": 4, "numberReady": 3},
            },
            [5, 4, 3, 0, 0, "<none>", "c,d", "i,j", "app=web"],
        ),
        (
            "batch/v1",
            "jobs",
            {"spec": {"template": TEMPLATE, "parallelism": 2}, "status": {"succeeded": 1, "startTime": SINCE}},
            ["Running", "1/1 of 2", "60s", "c,d", "i,j", "<none>"],
        ),
        (
            "batch/v1",
            "jobs",
            {
                "spec": {"template": TEMPLATE, "completions": 4, "selector": WEB},
                "status": {
                    "conditions": [{"type": "SuccessCriteriaMet", "status": "True"}, READY | {"type": "Complete"}],
                    "startTime": "2001-09-09T01:45:00Z",
                    "completionTime": SINCE,
                },
            },
            ["Complete", "0/4", "40s", "c,d", "i,j", "app=web"],
        ),
        (
            "batch/v1",
            "cronjobs",
            {
                "spec": {"schedule": "* * * * *", "suspend": True, "jobTemplate": {"spec": {"template": TEMPLATE}}},
                "status": {"active": [{}, {}], "lastScheduleTime": SINCE},
            },
            ["* * * * *", "<none>", True, 2, "60s", "c,d", "i,j", "<none>"],
        ),
        (
            "policy/v1",
            "poddisruptionbudgets",
            {"spec": {"minAvailable": 0}, "status": {"disruptionsAllowed": 2}},
            ["0", "N/A", 2],
        ),
        (
            "v1",
            "services",
            {
                "spec": {
                    "type": "LoadBalancer",
                    "clusterIP": "10.0.0.1",
                    "ports": [{"port": 80, "nodePort": 30080}, {"port": 53, "protocol": "UDP"}],
                    "selector": {"app": "web"},
                }
            },
            ["LoadBalancer", "10.0.0.1", "<pending>", "80:30080/TCP,53/UDP", "app=web"],
        ),
        (
            "v1",
            "services",
            {"spec": {"type": "ExternalName", "externalName": "db.example"}},
            ["ExternalName", "<none>", "db.example", "<none>", "<none>"],
        ),
        ("v1", "services", {"spec": {"clusterIPs": ["a", "b"]}}, ["ClusterIP", "a", "<none>", "<none>", "<none>"]),
    ],
)
def test_kinds_of_the_simulation_have_their_columns_when_wide(api_version, resource, data, expected):
    assert cells(api_version, resource, wide=True, **data) == expected


def test_what_is_being_deleted_says_so():
    going = CREATED | {"deletionTimestamp": SINCE}
    assert cells("v1", "persistentvolumes", metadata=going)[3] == "Terminating"
    assert cells("v1", "persistentvolumeclaims", metadata=going)[0] == "Terminating"
    assert cells("batch/v1", "jobs", metadata=going)[0] == "Terminating"


def test_a_policys_parameters_are_named():
    group, kind = "admissionregistration.k8s.io/v1", {"apiVersion": "v1", "kind": "ConfigMap"}
    spec = {"validations": [{}], "paramKind": kind}
    assert cells(group, "validatingadmissionpolicies", spec=spec) == [1, "v1/ConfigMap"]
    binding = {"policyName": "p", "paramRef": {"name": "c", "namespace": "shop"}}
    assert cells(group, "validatingadmissionpolicybindings", spec=binding) == ["p", "shop/c"]


def test_an_api_service_says_what_serves_it_and_why_not():
    condition = {"type": "Available", "status": "False", "reason": "MissingEndpoints"}
    spec = {"service": {"namespace": "kube-system", "name": "metrics-server"}}
    shown = cells("apiregistration.k8s.io/v1", "apiservices", spec=spec, status={"conditions": [condition]})
    assert shown == ["kube-system/metrics-server", "False (MissingEndpoints)"]


@pytest.mark.parametrize("name", ["", 5, None, {"a": "b"}])
def test_what_has_no_text_shows_what_kubectl_shows_in_its_place(name):
    assert text({"spec": {"name": name}}, "spec", "name", otherwise="<none>") == "<none>"


CUSTOM = {
    "spec": {"size": 3, "ratio": 0.5, "on": True, "list": [{"a": 1}, {"a": 2}], "a.b": "dotted", "when": SINCE},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Late", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("type", "path", "shown"),
    [
        ("integer", ".spec.size", 3),
        ("string", ".spec.size", "3"),
        ("string", ".spec.on", "true"),
        ("boolean", ".spec.on", True),
        ("boolean", ".spec.size", None),
        ("number", ".spec.ratio", 0.5),
        ("integer", ".spec.ratio", None),
        ("date", ".spec.when", "60s"),
        ("date", ".spec.size", "<unknown>"),
        ("integer", ".spec.list[1].a", 2),
        ("integer", ".spec.list[2].a", None),
        ("integer", ".spec.size[0]", None),
        ("string", ".spec['a.b']", "dotted"),
        ("string", r".spec.a\.b", "dotted"),
        ("string", '.status.conditions[?(@.type=="Late")].status', "False"),
        ("string", '.status.conditions[?(@.type=="Gone")].status', None),
        ("string", ".spec.list[*].a", None),
        ("string", ".no.such.field", None),
    ],
)
def test_a_column_of_a_custom_kind_shows_what_its_path_leads_to(type, path, shown):
    """v1.37: k8s.io/apiextensions-apiserver pkg/registry/customresource/tableconvertor."""
    served = SERVED["v1", "configmaps"]._replace(custom=Custom("tab", (), (("Mine", type, path),), {}))
    answer = table(served, [(None, {"metadata": CREATED} | CUSTOM)], NOW, "1", "None")
    assert answer["rows"] == [{"cells": ["a", shown]}]


@pytest.mark.parametrize(("include", "has"), [("None", None), ("Metadata", "PartialObjectMetadata"), ("Object", "X")])
def test_a_row_has_as_much_of_its_object_as_the_client_wants(include, has):
    data = {"kind": "X", "metadata": CREATED, "data": {"a": "b"}}
    (row,) = table(SERVED["v1", "configmaps"], [(None, data)], NOW, "1", include)["rows"]
    assert ("object" in row) == (has is not None)
    if has is not None:
        assert row["object"]["kind"] == has and ("data" in row["object"]) == (has == "X")
        assert row["object"]["metadata"] == CREATED


@pytest.mark.parametrize(
    ("policy", "conditions", "expected"),
    [
        ("gang", [], ["Gang", "training", "Pending"]),
        ("basic", [("PodGroupInitiallyScheduled", "True", "Scheduled")], ["Basic", "training", "Scheduled"]),
        ("gang", [("PodGroupInitiallyScheduled", "False", "Waits")], ["Gang", "training", "Unschedulable"]),
        ("gang", [("DisruptionTarget", "True", "Preempted")], ["Gang", "training", "Preempted"]),
    ],
)
def test_a_pod_group_shows_its_policy_and_what_became_of_it(policy, conditions, expected):
    spec = {"schedulingPolicy": {policy: {}}, "workloadRef": {"workloadName": "training"}}
    shown = [dict(zip(("type", "status", "reason"), each, strict=True)) for each in conditions]
    assert cells(GROUPS, "podgroups", spec=spec, status={"conditions": shown}) == expected
