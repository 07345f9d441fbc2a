"""Nodes as kubectl shows them: Ready once their kubelets have registered, with the times of their reports."""

import pytest

from kschedlab.objects.meta import SECOND, Time
from kschedlab_live.serve.nodes import reported
from packages.live.tests.serve.served import served

START = Time.parse("2001-09-09T01:46:40Z")

BARE = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
---
apiVersion: v1
kind: Node
metadata: {name: sick}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "20"}
  conditions: [{type: Ready, status: "False"}]
---
simulation: {start: "2026-01-01T00:00:00Z"}
timeline:
- at: 1s
  create:
    {apiVersion: v1, kind: Node, metadata: {name: late}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}}
"""


def conditions(node):
    return {each["type"]: each for each in node["status"]["conditions"]}


def test_a_kubelet_reports_the_conditions_of_its_node(tmp_path):
    with served(tmp_path, BARE, "--paused") as cluster:
        node = cluster.http.get("/api/v1/nodes/n1").json()
        found = conditions(node)
        assert {name: each["status"] for name, each in found.items()} == {
            "MemoryPressure": "False",
            "DiskPressure": "False",
            "PIDPressure": "False",
            "Ready": "True",
        }
        assert found["Ready"]["reason"] == "KubeletReady"
        assert found["Ready"]["lastHeartbeatTime"] == "2026-01-01T00:00:00Z"
        assert node["status"]["addresses"] == [{"type": "Hostname", "address": "n1"}]
        sick = conditions(cluster.http.get("/api/v1/nodes/sick").json())
        assert (sick["Ready"]["status"], list(sick)) == ("False", ["Ready"])
        cluster.http.post("/kschedlab/clock", json={"step": "11m"}).raise_for_status()
        late = conditions(cluster.http.get("/api/v1/nodes/late").json())
        assert late["Ready"]["lastTransitionTime"] == "2026-01-01T00:00:01Z"
        assert late["Ready"]["lastHeartbeatTime"] == "2026-01-01T00:10:01Z"


def test_what_is_reported_is_not_written_back(tmp_path):
    with served(tmp_path, BARE, "--paused") as cluster:
        url = "/api/v1/nodes/n1"
        node = cluster.http.get(url).json()
        node["metadata"]["labels"] = {"disk": "ssd"}
        cluster.http.put(url, json=node).raise_for_status()
        merge = {"content-type": "application/merge-patch+json"}
        cluster.http.patch(url, json={"metadata": {"labels": {"zone": "a"}}}, headers=merge).raise_for_status()
        unknown = {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}
        cluster.http.patch(f"{url}/status", json=unknown, headers=merge).raise_for_status()
        shown = cluster.http.get(url).json()
        assert shown["metadata"]["labels"] == {"disk": "ssd", "zone": "a"}
        ready = conditions(shown)["Ready"]
        assert (ready["status"], ready["reason"]) == ("Unknown", "NodeStatusUnknown")


def test_kubectl_calls_them_ready(tmp_path):
    with served(tmp_path, BARE) as cluster:
        lines = [line.split()[:2] for line in cluster.kubectl("get", "nodes", "--no-headers").splitlines()]
        assert ["n1", "Ready"] in lines and ["sick", "NotReady"] in lines


@pytest.mark.parametrize(
    ("status", "seconds", "heartbeat"),
    [
        ("True", 0, "01:46:40"),
        ("True", 299.999999, "01:46:40"),
        ("True", 300, "01:51:40"),
        ("False", 601.5, "01:56:40"),
        ("Unknown", 601.5, "01:46:40"),
    ],
)
def test_a_kubelet_that_is_there_reports_each_five_minutes(status, seconds, heartbeat):
    """v1.37: pkg/kubelet/apis/config/v1beta1/defaults.go, NodeStatusReportFrequency."""
    data = {"metadata": {"name": "n"}, "status": {"nodeInfo": {}, "conditions": [{"type": "Ready", "status": status}]}}
    (shown,) = reported(data, START, START + int(seconds * SECOND))["conditions"]
    assert shown["lastHeartbeatTime"] == f"2001-09-09T{heartbeat}Z"
    assert shown["lastTransitionTime"] == "2001-09-09T01:46:40Z"


def test_what_a_node_says_itself_is_shown_instead_of_the_kubelets_words():
    own = {"type": "Ready", "status": "False", "reason": "Broken", "lastHeartbeatTime": "2001-01-01T00:00:00Z"}
    strange = {"type": "Strange", "status": "True"}
    status = {"nodeInfo": {"osImage": "Linux"}, "addresses": [], "conditions": [own, strange]}
    shown = reported({"metadata": {"name": "n"}, "status": status}, None, START)
    assert shown["conditions"][0] == own | {"lastTransitionTime": "2001-09-09T01:46:40Z"}
    assert "reason" not in shown["conditions"][1] and shown["addresses"] == []
    assert (shown["nodeInfo"]["osImage"], shown["nodeInfo"]["kubeletVersion"]) == ("Linux", "v1.37.0")
