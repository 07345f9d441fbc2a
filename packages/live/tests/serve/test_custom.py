"""Kinds that clients define: what an operator and its install files need of the API."""

import json

import pytest

from kschedlab_live.serve.custom import completed, defined
from packages.live.tests.serve.served import TWO_NODES, served

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NEWER = {
    "name": "v1",
    "served": True,
    "storage": True,
    "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas"}},
    "schema": {"openAPIV3Schema": {"type": "object", "description": "When to run."}},
    "additionalPrinterColumns": [
        {"name": "Spec", "type": "string", "jsonPath": ".spec.cronSpec"},
        {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
        {"name": "First", "type": "integer", "jsonPath": ".spec.list[0]", "priority": 1},
        {"name": "None", "type": "date", "jsonPath": "{}"},
    ],
}
SCHEMAS = "#/components/schemas/kschedlab."
MERGE = {"Content-Type": "application/merge-patch+json"}


def definition(plural: str = "crontabs", **changed) -> dict:
    names = {"plural": plural, "kind": "CronTab", "shortNames": ["ct"], "categories": ["all"]}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names}
    spec["versions"] = [NEWER | {"name": "v1beta1", "storage": False}, NEWER]
    return {"metadata": {"name": f"{plural}.example.com"}, "spec": spec | changed}


def crontab(name: str, **metadata) -> dict:
    return {"metadata": {"name": name} | metadata, "spec": {"cronSpec": "5", "list": [3]}, "status": {"dropped": 1}}


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    with served(tmp_path_factory.mktemp("custom"), TWO_NODES) as cluster:
        yield cluster.http


def test_a_definition_is_established_and_its_kind_served(http):
    made = http.post(DEFINITIONS, json=definition()).json()
    assert {each["type"]: each["status"] for each in made["status"]["conditions"]}["Established"] == "True"
    assert made["status"]["acceptedNames"]["listKind"] == "CronTabList"
    group = http.get("/apis/example.com").json()
    assert group["preferredVersion"]["version"] == "v1" and len(group["versions"]) == 2
    (kind,) = [each for each in http.get("/apis/example.com/v1").json()["resources"] if "/" not in each["name"]]
    assert (kind["name"], kind["kind"], kind["singularName"]) == ("crontabs", "CronTab", "crontab")
    (schema,) = http.get("/openapi/v3/apis/example.com/v1").json()["components"]["schemas"].values()
    assert schema["description"] == "When to run."

    tabs = "/apis/example.com/v1/namespaces/default/crontabs"
    first = http.post(tabs, json=crontab("a")).json()
    assert "status" not in first and first["metadata"]["generation"] == 1 and first["kind"] == "CronTab"
    changed = http.patch(f"{tabs}/a", json={"spec": {"x": 1}, "status": {"y": 1}}, headers=MERGE).json()
    assert changed["metadata"]["generation"] == 2 and "status" not in changed
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}, "spec": None}
    reported = http.patch(f"{tabs}/a/status", json=ready, headers=MERGE).json()
    assert reported["metadata"]["generation"] == 2 and reported["spec"]["x"] == 1 and "status" in reported
    assert http.patch(f"{tabs}/a/scale", json={"spec": {"replicas": 2}}, headers=MERGE).json()["spec"]["replicas"] == 2
    older = http.get("/apis/example.com/v1beta1/crontabs").json()
    assert older["items"][0]["apiVersion"] == "example.com/v1beta1"
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = http.get(tabs, headers=accept).json()
    assert [each["name"] for each in table["columnDefinitions"]] == ["Name", "Spec", "Ready", "First", "None"]
    assert table["rows"][0]["cells"] == ["a", "5", "True", 3, None]

    http.post(tabs, json=crontab("b", finalizers=["example.com/cleanup"]))
    assert "deletionTimestamp" in http.delete(f"{tabs}/b").json()["metadata"]
    assert http.get(f"{tabs}/b").status_code == 200
    http.patch(f"{tabs}/b", json={"metadata": {"finalizers": None}}, headers=MERGE)
    assert http.get(f"{tabs}/b").status_code == 404
    wrong = {"preconditions": {"uid": "another"}}
    assert http.request("DELETE", f"{tabs}/a", json=wrong).status_code == 409

    with http.stream("GET", tabs, params={"watch": "1", "timeoutSeconds": "30"}) as watch:
        lines = map(json.loads, watch.iter_lines())
        assert next(lines)["type"] == "ADDED"
        http.delete(f"{DEFINITIONS}/crontabs.example.com")
        assert [(each["type"], each["object"]["metadata"]["name"]) for each in lines] == [("DELETED", "a")]
    assert http.get(tabs).status_code == 404 and http.get("/apis/example.com").status_code == 404
    assert http.post(DEFINITIONS, json=definition()).status_code == 201
    assert http.get(tabs).json()["items"] == []


def test_the_preferred_version_is_the_first():
    """v1.37: k8s.io/apimachinery pkg/version/helpers.go, CompareKubeAwareVersionStrings; its example."""
    order = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    for given in (order, order[::-1], sorted(order)):
        made = definition(versions=[NEWER | {"name": name, "storage": name == "v1"} for name in given])
        assert [api_version for api_version, _ in defined(completed(made, 0))] == [
            f"example.com/{name}" for name in order
        ]


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("metadata.name", {"group": "another.com"}),
        ("spec.group", {"group": "nodot"}),
        ("spec.scope", {"scope": "Galaxy"}),
        ("spec.versions", {"versions": []}),
        ("spec.versions", {"versions": [NEWER, NEWER]}),
        ("spec.versions", {"versions": [NEWER | {"storage": 1}]}),
        ("spec.versions.name", {"versions": [NEWER | {"name": "../v1"}]}),
        ("spec.names.kind", {"names": {"plural": "others"}}),
        ("spec.names.plural", {"names": 7}),
    ],
)
def test_a_wrong_definition_is_refused(http, field, changed):
    answer = http.post(DEFINITIONS, json=definition("others", **changed))
    assert answer.status_code == 422 and answer.json()["details"]["causes"][0]["field"] == field


@pytest.mark.parametrize(("length", "field"), [(253, "metadata.name"), (254, "spec.group")])
def test_a_group_has_253_characters_at_most_and_a_wrong_one_is_shown_in_part(http, length, field):
    """v1.37: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go, IsDNS1123Subdomain."""
    group = f"a.{'b' * (length - 2)}"
    answer = http.post(DEFINITIONS, json=definition(group=group) | {"metadata": {"name": "crontabs.short.com"}})
    (cause,) = answer.json()["details"]["causes"]
    assert answer.status_code == 422 and cause["field"] == field
    assert field == "metadata.name" or f'"{group[:80]}" is not such a name' in cause["message"]


@pytest.mark.parametrize(
    ("struct", "field", "schema"),
    [
        ("PodSpec", "containers", {"type": "array", "items": {"allOf": [{"$ref": f"{SCHEMAS}Container"}]}}),
        ("PodSpec", "affinity", {"allOf": [{"$ref": f"{SCHEMAS}Affinity"}]}),
        ("PodSpec", "nodeSelector", {"type": "object", "additionalProperties": {"type": "string"}}),
        ("PodSpec", "priority", {"type": "integer"}),
        ("PodSpec", "nodeName", {"type": "string"}),
        ("NodeSpec", "unschedulable", {"type": "boolean"}),
    ],
)
def test_what_is_read_of_the_servers_own_kinds_is_described(http, struct, field, schema):
    schemas = http.get("/openapi/v3/api/v1").json()["components"]["schemas"]
    assert schemas[f"kschedlab.{struct}"]["properties"][field] == schema


def test_the_servers_own_kinds_and_scopes_stay(http):
    for group, status in (("apps", 422), ("policy", 422), ("apps.example.com", 201)):
        own = definition("deployments", versions=[NEWER], group=group, scope="Cluster")
        own["metadata"]["name"] = f"deployments.{group}"
        assert http.post(DEFINITIONS, json=own).status_code == status
    http.post(DEFINITIONS, json=definition("kept"))
    answer = http.patch(f"{DEFINITIONS}/kept.example.com", json={"spec": {"scope": "Cluster"}}, headers=MERGE)
    assert answer.status_code == 422 and "immutable" in answer.json()["message"]
    http.patch(f"{DEFINITIONS}/kept.example.com/status", json={"status": 7}, headers=MERGE)
    assert http.get("/apis/example.com/v1/kept").status_code == 200
