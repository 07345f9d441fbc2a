"""Server-side apply, beside the field manager of v1.37 (real/clients, applies.go), and as requests."""

import gzip
import json
from pathlib import Path

import pytest

from kschedlab_live.serve import apply
from kschedlab_live.serve.apply import Record, Records, applied, created, nodes
from kschedlab_live.wire.objects import APPLY, without_nulls
from kschedlab_simulation.status import ApiError
from packages.live.tests.serve.served import TWO_NODES, served

RECORDED = Path(__file__).parents[1] / "data" / "applies.jsonl.gz"
TYPES = {"Deployment": ("apps/v1", "apps/v1.Deployment"), "Service": ("v1", "core/v1.Service")}
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
MERGE = {"Content-Type": "application/merge-patch+json"}


def test_it_does_as_the_real_field_manager():
    """Each step of a sequence by two appliers and an updater: the same object, or the same conflicts."""
    runs = gzip.decompress(RECORDED.read_bytes()).splitlines()
    assert len(runs) > 100
    for run in runs:
        play(json.loads(run))


def play(run: dict) -> None:
    (api_version, type), records, live = TYPES[run["kind"]], Records(), None
    for step in run["steps"]:
        manager, config = step["manager"], {"apiVersion": api_version, "kind": run["kind"]} | step["object"]
        config["metadata"] |= {"name": "x", "uid": "u"}
        conflicts = []
        if step["update"]:
            live = config
        elif live is None:
            live = config
            records.keep("u", Record(created(config, type, manager).owners, nodes(live, type)))
        else:
            try:
                owners = records.of(live, type)
                live, record = applied(live, config, type, owners, manager, step["force"])
                records.keep("u", Record(record.owners, nodes(live, type)))
            except ApiError as refused:
                assert refused.status.details is not None
                conflicts = [cause.field for cause in refused.status.details.causes]
        assert sorted(conflicts) == step["conflicts"]
        assert live == without_nulls(step["live"]) | {"metadata": step["live"]["metadata"] | {"name": "x", "uid": "u"}}


def test_what_is_remembered_has_a_bound(monkeypatch):
    monkeypatch.setattr(apply, "MOST_REMEMBERED", 1000)
    records, live = Records(), {"metadata": {}, "spec": {"replicas": 1}}
    for number in range(20):
        live["metadata"] = {"uid": str(number)}
        records.keep(str(number), Record({"me": {("spec", "replicas")}}, nodes(live, "apps/v1.Deployment")))
    assert "me" in records.of(live, "apps/v1.Deployment").owners
    live["metadata"] = {"uid": "0"}
    assert "me" not in records.of(live, "apps/v1.Deployment").owners


@pytest.mark.parametrize(
    ("least", "kept", "remembered"),
    [
        (0, "abc", "abc"),
        (-1, "abc", "bc"),
        (0, "aaabc", "abc"),
        (-1, "abac", "ac"),
        (-1, "abcaaa", "ca"),
    ],
)
def test_the_oldest_is_forgotten_when_there_is_room_for_fewer(least, kept, remembered, monkeypatch):
    """``least``: beside the room of three records; who is kept again counts once, and is the newest."""
    type, record = "apps/v1.Deployment", Record({"me": {("spec", "replicas")}})
    monkeypatch.setattr(apply, "MOST_REMEMBERED", 3 * record.size() + least)
    records = Records()
    for uid in kept:
        records.keep(uid, record)
    monkeypatch.setattr(apply, "MOST_REMEMBERED", 10**6)
    owned = {
        uid for uid in "abc" if "me" in records.of({"metadata": {"uid": uid}, "spec": {"replicas": 1}}, type).owners
    }
    assert owned == set(remembered)


def test_one_object_is_remembered_however_large_it_is(monkeypatch):
    monkeypatch.setattr(apply, "MOST_REMEMBERED", 1)
    records = Records()
    records.keep("a", Record({"me": {("spec", "replicas")}}))
    assert "me" in records.of({"metadata": {"uid": "a"}, "spec": {"replicas": 1}}, "apps/v1.Deployment").owners


@pytest.mark.parametrize(("number", "word"), [(1, "conflict"), (20, "conflicts"), (25, "conflicts")])
def test_twenty_conflicts_are_listed_and_all_are_counted(number, word):
    """v1.37: apimachinery pkg/api/errors/errors.go, NewApplyConflict; managedfields internal/conflict.go."""
    type, names = "core/v1.Service", [f"k{i:02}" for i in range(number)]
    live, wanted = ({"metadata": {"labels": dict.fromkeys(names, value)}} for value in "ab")
    owners = Record({"other": {("metadata", "labels", name) for name in names}}, nodes(live, type))
    with pytest.raises(ApiError) as refused:
        applied(live, wanted, type, owners, "me", False)
    status = refused.value.status
    assert (status.code, status.reason) == (409, "Conflict") and status.details is not None
    assert [each.field for each in status.details.causes] == [f".metadata.labels.{name}" for name in names[:20]]
    assert status.message.startswith(f'Apply failed with {number} {word}: conflict with "other": .metadata.labels.k00')


def test_a_path_names_items_by_their_keys_and_values_by_themselves():
    """structured-merge-diff fieldpath/element.go, PathElement.String."""
    ports = ("containerPort", 80), ("protocol", "TCP")
    path = ("spec", "containers", (("name", "web"),), "ports", ports, "hostPort")
    assert apply.text(path) == '.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].hostPort'
    assert apply.text(("metadata", "finalizers", ("a",))) == '.metadata.finalizers[="a"]'


def deployment(**spec) -> dict:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template} | spec
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    with served(tmp_path_factory.mktemp("apply"), TWO_NODES) as cluster:
        yield cluster.http


def test_an_applier_beside_others(http):
    def put(config, manager="mine", **query):
        asked = {"fieldManager": manager} | query
        path = f"{DEPLOYMENTS}/web{'/status' if 'status' in config else ''}"
        return http.patch(path, params=asked, json=config, headers={"Content-Type": APPLY})

    assert put(deployment(replicas=2)).status_code == 201
    assert put(deployment(replicas=2)).json()["spec"]["replicas"] == 2
    assert put(deployment(replicas=3), "other", dryRun="All").status_code == 409
    http.patch(f"{DEPLOYMENTS}/web", json={"spec": {"replicas": 4}}, headers=MERGE)
    refused = put(deployment(replicas=3)).json()
    assert refused["reason"] == "Conflict"
    assert [cause["field"] for cause in refused["details"]["causes"]] == [".spec.replicas"]
    assert refused["message"].startswith("Apply failed with 1 conflict: conflict with ")
    assert put(deployment()).json()["spec"]["replicas"] == 4
    assert put(deployment(replicas=3), force="true").json()["spec"]["replicas"] == 3
    assert put(deployment()).json()["spec"]["replicas"] == 1, "what nobody sets any more has its default"
    assert put({"status": {"conditions": []}}).status_code == 200


def test_nothing_changes_the_second_time(http):
    path, asked = "/api/v1/namespaces/default/configmaps/twice", {"fieldManager": "me"}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "twice"}, "data": {"a": "1"}}
    answers = [http.patch(path, params=asked, json=config, headers={"Content-Type": APPLY}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json() == answers[1].json()


def test_kubectl_takes_over_what_it_has_applied_from_its_own_side(http):
    path = "/api/v1/namespaces/default/configmaps"
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": {"a": "1", "b": "1"}}
    annotation = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(config)}
    http.post(path, json=config | {"metadata": {"name": "cm", "annotations": annotation}})
    http.patch(f"{path}/cm", json={"data": {"b": "2"}}, headers=MERGE)
    changed = config | {"data": {"a": "3", "b": "3"}}
    for manager, fields in (("another", [".data.a", ".data.b"]), ("kubectl", [".data.b"])):
        asked = {"fieldManager": manager}
        refused = http.patch(f"{path}/cm", params=asked, json=changed, headers={"Content-Type": APPLY})
        assert sorted(cause["field"] for cause in refused.json()["details"]["causes"]) == fields
        plural = "" if len(fields) == 1 else "s"
        assert refused.json()["message"].startswith(f"Apply failed with {len(fields)} conflict{plural}: ")


def other(container) -> dict:
    return deployment(template={"spec": {"containers": [container]}}) | {"metadata": {"name": "other"}}


@pytest.mark.parametrize(
    ("query", "body", "says"),
    [
        ({}, b"{}", "fieldManager"),
        ({"fieldManager": "me"}, b"a: 1", "JSON"),
        ({"fieldManager": "me"}, b"[]", "not an object"),
        ({"fieldManager": "me"}, json.dumps(deployment()), "does not match the name"),
        ({"fieldManager": "me"}, json.dumps(other({"image": "a"})), '"name"'),
        ({"fieldManager": "me"}, json.dumps(other(7)), "containers"),
        ({"fieldManager": "me"}, b'{"metadata": {"finalizers": ["a", "a"]}}', "duplicate"),
    ],
)
def test_a_wrong_configuration_is_refused(http, query, body, says):
    http.post(DEPLOYMENTS, json=deployment() | {"metadata": {"name": "other"}})
    answer = http.patch(f"{DEPLOYMENTS}/other", params=query, content=body, headers={"Content-Type": APPLY})
    assert answer.status_code == 400 and says in answer.json()["message"]


MAP = {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "integer"}}}}


@pytest.mark.parametrize("spec", [{"properties": {"m": MAP}}, {"x-kubernetes-preserve-unknown-fields": True}, {}])
def test_a_key_of_a_map_goes_as_a_whole_when_its_applier_drops_it(spec):
    """v1.37: structured-merge-diff typed/tofieldset.go, visitMapItems: what is no field of the type is set itself."""
    type = {"type": "object", "properties": {"metadata": "meta/v1.ObjectMeta", "spec": {"type": "object"} | spec}}
    live = {"metadata": {"uid": "u"}, "spec": {"m": {"a": {"x": 1}, "b": {"x": 2}}}}
    record = Record(created(live, type, "me").owners, nodes(live, type))
    config = {"metadata": {}, "spec": {"m": {"b": {"x": 2}}}}
    after, _ = applied(live, config, type, record, "me", False)
    assert after["spec"] == {"m": {"b": {"x": 2}}}
