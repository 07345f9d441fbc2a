"""The server over HTTP: reading, writing, watching, refusing."""

import json

import pytest

from kschedlab_live.serve.kubeconfig import KubeconfigError, write
from packages.live.tests.serve.served import TWO_NODES, Served, served

PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with served(tmp_path_factory.mktemp("serve"), TWO_NODES) as each:
        yield each


def pod(name: str, **spec) -> dict:
    spec = {"containers": [{"name": "c", "image": "nginx:1", "env": [{"name": "A", "value": "1"}]}]} | spec
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def watch(cluster: Served, path: str, until, **query) -> list[dict]:
    """The events of a watch, up to the first one that is waited for."""
    events = []
    with cluster.http.stream("GET", path, params={"watch": "1", "timeoutSeconds": "30"} | query) as answer:
        for line in answer.iter_lines():
            events.append(json.loads(line))
            if until(events[-1]):
                return events
    raise AssertionError(events)


def test_a_pod_is_completed_bound_and_run(cluster):
    answer = cluster.http.post(PODS, json=pod("web", nodeSelector=None))
    assert answer.status_code == 201
    spec = answer.json()["spec"]
    assert spec["schedulerName"] == "default-scheduler" and spec["dnsPolicy"] == "ClusterFirst"
    assert spec["containers"][0]["env"] == [{"name": "A", "value": "1"}]
    running = watch(
        cluster,
        PODS,
        lambda event: event["object"]["status"]["phase"] == "Running",
        fieldSelector="metadata.name=web",
    )
    assert [event["type"] for event in running][0] == "ADDED"
    assert running[-1]["object"]["spec"]["nodeName"] in ("n1", "n2")
    assert running[-1]["object"]["spec"]["containers"][0]["env"]


def test_initial_events_end_with_a_bookmark(cluster):
    events = watch(
        cluster,
        "/api/v1/nodes",
        lambda event: event["type"] == "BOOKMARK",
        sendInitialEvents="true",
        allowWatchBookmarks="true",
        resourceVersionMatch="NotOlderThan",
    )
    assert [event["type"] for event in events] == ["ADDED", "ADDED", "BOOKMARK"]
    assert events[-1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert events[-1]["object"]["kind"] == "Node"


@pytest.mark.parametrize("kind", [PODS, "/api/v1/configmaps"])
@pytest.mark.parametrize("version", ["x", "²", "9" * 30])
def test_a_watch_from_what_is_no_version_is_refused(cluster, kind, version):
    answer = cluster.http.get(kind, params={"watch": "1", "resourceVersion": version})
    assert (answer.status_code, answer.json()["details"]["causes"][0]["field"]) == (422, "resourceVersion")


def test_templates_pass_on_what_the_model_lacks(cluster):
    template = {"metadata": {"labels": {"app": "d"}}, "spec": pod("x")["spec"]}
    spec = {"selector": {"matchLabels": {"app": "d"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    assert cluster.http.post("/apis/apps/v1/namespaces/default/deployments", json=deployment).status_code == 201
    (event, *_) = watch(cluster, PODS, lambda event: event["type"] == "ADDED", labelSelector="app=d")
    assert event["object"]["spec"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]


def test_managed_fields_are_not_shown(cluster):
    made = pod("managed")
    made["metadata"]["managedFields"] = [{"manager": "kubectl", "operation": "Update"}]
    assert "managedFields" not in cluster.http.post(PODS, json=made).json()["metadata"]
    shown = cluster.http.get(f"{PODS}/managed").json()
    assert "managedFields" not in shown["metadata"] and "env" in shown["spec"]["containers"][0]


def test_a_rehearsal_changes_nothing(cluster):
    answer = cluster.http.post(PODS, params={"dryRun": "All"}, json=pod("rehearsed"))
    assert answer.status_code == 201 and answer.json()["metadata"]["uid"]
    assert cluster.http.get(f"{PODS}/rehearsed").status_code == 404
    node = cluster.http.get("/api/v1/nodes/n1").json()
    patched = cluster.http.patch(
        "/api/v1/nodes/n1",
        params={"dryRun": "All"},
        json={"spec": {"unschedulable": True}},
        headers={"Content-Type": "application/merge-patch+json"},
    ).json()
    assert patched["spec"] == {"unschedulable": True}
    assert patched["metadata"] == node["metadata"]
    assert "unschedulable" not in cluster.http.get("/api/v1/nodes/n1").json()["spec"]


def test_a_namespace_goes_with_its_pods_and_a_rehearsal_keeps_both(cluster):
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    assert cluster.http.post("/api/v1/namespaces", json=made).status_code == 201
    inside = "/api/v1/namespaces/shop/pods"
    assert cluster.http.post(inside, json=pod("web", nodeSelector={"no": "node"})).status_code == 201
    rehearsed = cluster.http.delete("/api/v1/namespaces/shop", params={"dryRun": "All"})
    assert rehearsed.status_code == 200 and cluster.http.get(f"{inside}/web").status_code == 200
    assert cluster.http.delete("/api/v1/namespaces/shop").status_code == 200
    assert cluster.http.get(f"{inside}/web").status_code == 404


def test_what_an_object_owns_stays_if_it_is_orphaned(cluster):
    spec = {"selector": {"matchLabels": {"app": "o"}}, "replicas": 1}
    spec |= {"template": {"metadata": {"labels": {"app": "o"}}, "spec": pod("o")["spec"]}}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "o"}, "spec": spec}
    sets = "/apis/apps/v1/namespaces/default/replicasets"
    assert cluster.http.post(sets, json=owner).status_code == 201
    (event, *_) = watch(cluster, PODS, lambda event: event["type"] == "ADDED", labelSelector="app=o")
    name = event["object"]["metadata"]["name"]
    assert cluster.http.delete(f"{sets}/o", params={"propagationPolicy": "Orphan"}).status_code == 200
    left = cluster.http.get(f"{PODS}/{name}").json()
    assert "ownerReferences" not in left["metadata"] and "deletionTimestamp" not in left["metadata"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "code", "text"),
    [
        ("POST", PODS, {}, b"{", 400, "cannot be read as JSON"),
        ("POST", PODS, {}, b"[" * 1_000_000, 400, "nested too deep"),
        ("POST", PODS, {}, b'{"a":' * 150 + b"1" + b"}" * 150, 400, "nested deeper than 100"),
        ("POST", PODS, {}, b'{"metadata":{"name":7}}', 400, "metadata.name"),
        ("POST", PODS, {}, b'{"kind":"Node"}', 400, "Pod is expected here"),
        ("POST", PODS, {"Content-Type": "application/vnd.kubernetes.protobuf"}, b"k8s\0\n", 400, "cut off"),
        (
            "PATCH",
            f"{PODS}/web",
            {"Content-Type": "application/apply-patch+yaml"},
            b"a: 1",
            400,
            "fieldManager",
        ),
        (
            "PATCH",
            f"{PODS}/none",
            {"Content-Type": "application/merge-patch+json"},
            b"{}",
            404,
            'pods "none" not found',
        ),
        (
            "POST",
            "/api/v1/namespaces/nowhere/pods",
            {},
            b'{"metadata":{"name":"a"}}',
            404,
            'namespaces "nowhere" not found',
        ),
        ("GET", "/apis/apps/v2/deployments", {}, b"", 404, "could not find the requested resource"),
        ("GET", f"{PODS}/web/log", {}, b"", 501, "run no containers"),
        ("DELETE", "/version", {}, b"", 404, "could not find"),
        ("POST", "/kschedlab/clock", {}, b'{"speed":-1}', 400, "expected a number from 0.001 to 1000"),
        ("POST", "/kschedlab/clock", {}, b'{"step":"1s"}', 409, "pause it before you step"),
        ("GET", PODS + "?labelSelector=a%20b", {}, b"", 400, "unable to parse requirement"),
        ("GET", PODS + "?fieldSelector=spec.x=1", {}, b"", 400, "field label not supported"),
    ],
)
def test_wrong_requests_get_a_status(cluster, method, path, headers, body, code, text):
    headers = {"Content-Type": "application/json"} | headers
    answer = cluster.http.request(method, path, headers=headers, content=body)
    status = answer.json()
    assert (answer.status_code, status["kind"], status["code"]) == (code, "Status", code)
    assert text in status["message"]


def test_a_change_that_the_simulation_does_not_read_is_kept_with_a_warning(cluster):
    merge = {"Content-Type": "application/strategic-merge-patch+json"}
    cluster.http.post(PODS, json=pod("kept", terminationGracePeriodSeconds=0))
    patch = {"spec": {"containers": [{"name": "c", "env": [{"name": "B", "value": "2"}]}]}}
    answer = cluster.http.patch(f"{PODS}/kept", json=patch, headers=merge)
    assert "reads none of the changed fields" in answer.headers["warning"]
    found = cluster.http.get(f"{PODS}/kept").json()["spec"]["containers"][0]["env"]
    assert found == [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    labelled = cluster.http.patch(f"{PODS}/kept", json={"metadata": {"labels": {"a": "b"}}}, headers=merge)
    assert "warning" not in labelled.headers


def test_a_node_that_is_replaced_keeps_its_status(cluster):
    """Only the status of a node writes its status; of what the simulation doesn't read, too."""
    own, path = {"kind": "Node", "metadata": {"name": "own"}}, "/api/v1/nodes/own"
    cluster.http.post("/api/v1/nodes", json=own | {"status": {"nodeInfo": {"osImage": "Own Linux 1"}}})
    replaced = cluster.http.put(path, json=own | {"status": {"nodeInfo": {"osImage": "Other"}}}).json()
    assert replaced["status"]["nodeInfo"]["osImage"] == "Own Linux 1"


def test_strict_validation_names_the_field(cluster):
    wrong = pod("strict", contaners=[])
    answer = cluster.http.post(PODS, params={"fieldValidation": "Strict"}, json=wrong)
    assert answer.status_code == 400 and 'unknown field "spec.contaners"' in answer.json()["message"]
    warned = cluster.http.post(PODS, params={"fieldValidation": "Warn", "dryRun": "All"}, json=wrong)
    assert warned.status_code == 201 and "spec.contaners" in warned.headers["warning"]
    cluster.http.post(PODS, json=pod("strict"))
    merge = {"Content-Type": "application/merge-patch+json"}
    query, patch = {"fieldValidation": "Strict"}, {"spec": {"contaners": []}}
    answer = cluster.http.patch(f"{PODS}/strict", params=query, json=patch, headers=merge)
    assert answer.status_code == 400 and 'unknown field "spec.contaners"' in answer.json()["message"]


# -- who may ask


def ask(cluster, **headers):
    return cluster.http.get("/api/v1/nodes", headers=headers)


def test_other_hosts_and_web_pages_are_refused(cluster):
    assert ask(cluster).status_code == 200
    assert ask(cluster, Host="evil.example").status_code == 403
    assert ask(cluster, Origin="http://127.0.0.1:1").status_code == 403
    assert ask(cluster, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_the_token_is_needed(cluster):
    base, _, token = cluster.url.rpartition("/")
    with_header = {"Authorization": f"Bearer {token}"}
    assert cluster.http.get(f"{base}/api/v1/nodes").status_code == 401
    assert cluster.http.get(f"{base}/{token[:-1]}/api/v1/nodes").status_code == 401
    assert cluster.http.get(f"{base}/api/v1/nodes", headers=with_header).status_code == 200
    assert cluster.http.get(f"{base}/readyz").text == "ok"
    refused = cluster.http.get(f"{base}/api/v1/nodes").text
    assert token not in refused


def test_large_bodies_are_refused(cluster):
    answer = cluster.http.post(PODS, content=b'"' + b"x" * (3 * 1024 * 1024) + b'"')
    assert answer.status_code == 413

    def parts():
        for _ in range(4):
            yield b"x" * 1024 * 1024

    assert cluster.http.post(PODS, content=parts()).status_code == 413


def test_the_kubeconfig_is_private_and_never_replaces_another(cluster, tmp_path):
    assert cluster.path.stat().st_mode & 0o077 == 0
    own = tmp_path / "config"
    own.write_text("apiVersion: v1\nkind: Config\nclusters: []\n")
    with pytest.raises(KubeconfigError, match="is not a kubeconfig of kschedlab serve, and stays"):
        write(own, 1, "token")
    assert own.read_text().startswith("apiVersion: v1")


def test_what_clients_take_for_given_is_written(cluster):
    """Kubernetes' Python client raises where a field is missing that a real server always writes."""
    info = cluster.http.get("/api/v1/nodes/n1").json()["status"]["nodeInfo"]
    assert info.keys() >= {"machineID", "systemUUID", "bootID", "kubeletVersion", "kubeProxyVersion", "architecture"}
    cluster.http.post(PODS, json=pod("images"))
    started = watch(
        cluster,
        PODS,
        lambda event: event["object"]["status"].get("containerStatuses"),
        fieldSelector="metadata.name=images",
    )
    (status,) = started[-1]["object"]["status"]["containerStatuses"]
    assert (status["image"], status["imageID"]) == ("nginx:1", "")
    template = {"metadata": {"labels": {"app": "ds"}}, "spec": pod("x")["spec"]}
    spec = {"selector": {"matchLabels": {"app": "ds"}}, "template": template}
    made = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "ds"}, "spec": spec}
    answer = cluster.http.post("/apis/apps/v1/namespaces/default/daemonsets", json=made)
    assert answer.status_code == 201 and "Warning" not in answer.headers
    assert answer.json()["status"]["numberMisscheduled"] == 0
    watch(cluster, PODS, lambda event: event["object"]["spec"].get("nodeName") == "n2", labelSelector="app=ds")
    assert cluster.http.get("/version/").json()["major"] == "1"
    assert cluster.http.get("/apis/").json() == cluster.http.get("/apis").json()
    assert cluster.http.get("/apis/apps/v1/").json()["groupVersion"] == "apps/v1"


def test_a_binding_that_names_its_pod(cluster):
    cluster.http.post(PODS, json=pod("older", schedulerName="mine"))
    bindings, target = "/api/v1/namespaces/default/bindings", {"kind": "Node", "name": "n2"}
    assert cluster.http.post(bindings, json={"metadata": {"name": "older"}, "target": target}).status_code == 201
    assert cluster.http.get(f"{PODS}/older").json()["spec"]["nodeName"] == "n2"
    assert cluster.http.post(bindings, json={"metadata": {}, "target": target}).status_code == 400
    assert cluster.http.post(bindings, json={"metadata": {"name": "none"}, "target": target}).status_code == 404
    assert cluster.http.get(bindings).status_code == 404


def test_a_grace_of_zero_deletes_at_once_and_one_below_is_a_second(cluster):
    for name, grace, last in (("now", 0, False), ("soon", -1, True)):
        cluster.http.post(PODS, json=pod(name, nodeName="n1", terminationGracePeriodSeconds=60))
        deleted = cluster.http.delete(f"{PODS}/{name}", params={"gracePeriodSeconds": grace}).json()
        assert deleted["metadata"].get("deletionGracePeriodSeconds", 0) == last
    assert cluster.http.get(f"{PODS}/now").status_code == 404


def test_the_texts_of_a_secret_are_data(cluster):
    secrets = "/api/v1/namespaces/default/secrets"
    made = cluster.http.post(secrets, json={"metadata": {"name": "s"}, "stringData": {"a": "b"}, "data": {"c": "ZA=="}})
    assert (made.json()["data"], made.json()["type"]) == ({"a": "Yg==", "c": "ZA=="}, "Opaque")
    changed = cluster.http.put(f"{secrets}/s", json={"metadata": {"name": "s"}, "stringData": {"a": "e"}}).json()
    assert changed["data"] == {"a": "ZQ=="} and "stringData" not in changed


def test_only_a_load_balancer_waits_for_an_address(cluster):
    accept, services = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}, "/api/v1/namespaces/default/services"
    for name, kind in (("inside", "ClusterIP"), ("outside", "LoadBalancer")):
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}}
        cluster.http.post(services, json=service | {"spec": {"type": kind, "ports": [{"port": 80}]}})
    table = cluster.http.get(services, headers=accept).json()
    column = [each["name"] for each in table["columnDefinitions"]].index("External-IP")
    rows = {each["cells"][0]: each["cells"][column] for each in table["rows"]}
    assert rows["inside"] == "<none>" and rows["outside"] == "<pending>"
