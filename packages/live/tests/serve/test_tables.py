"""kubectl's own columns, of kinds that the simulation only keeps. v1.37: pkg/printers/internalversion/printers.go."""

import pytest

from kschedlab.objects.meta import Time
from kschedlab_live.serve.kinds import SERVED
from kschedlab_live.serve.tables import table
from kschedlab_live.serve.tables.cells import text

NOW = Time.parse("2001-09-09T01:46:40Z")
CREATED = {"name": "a", "creationTimestamp": "2001-09-09T01:46:00Z"}


def cells(api_version: str, resource: str, wide: bool = False, **data) -> list:
    """What kubectl prints of an object, without its name and age."""
    answer = table(SERVED[api_version, resource], [(None, {"metadata": CREATED} | data)], NOW, "1", "None")
    columns = answer["columnDefinitions"]
    (row,) = answer["rows"]
    shown = {c["name"]: cell for c, cell in zip(columns, row["cells"], strict=True) if wide or not c["priority"]}
    assert shown.pop("Name") == "a" and shown.pop("Age", "40s") == "40s"
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
