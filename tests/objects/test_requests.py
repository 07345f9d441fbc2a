"""Pod requests: the real scheduler's results for random pods, and single cases."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.objects.requests import is_scalar, nonzero_requests, pod_requests, reported_resources, scored_requests

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "request_vectors.jsonl").read_text(encoding="utf-8").splitlines()
]


def make(spec: dict, status: dict | None = None) -> Pod:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec, "status": status or {}}
    return decode_objects([pod]).pods[0]


def container(cpu: str = "", memory: str = "", **more) -> dict:
    requests = {name: amount for name, amount in (("cpu", cpu), ("memory", memory)) if amount}
    return {"name": more.pop("name", "app"), "resources": {"requests": requests}, **more}


def counted(requests: dict[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in requests.items() if amount}


def is_comparable(vector: dict) -> bool:
    """Whether results are comparable. The API server completes pod-level requests; the vectors' program does not."""
    return "resources" not in vector["pod"]["spec"]


@pytest.mark.parametrize("vector", [v for v in VECTORS if is_comparable(v)], ids=lambda v: v["pod"]["metadata"]["name"])
def test_agrees_with_the_scheduler(vector, monkeypatch):
    monkeypatch.setattr("kschedlab.manifests.loading.faults_of", lambda document: [])  # random pods break many rules
    pod = decode_objects([vector["pod"]]).pods[0]
    assert counted(pod_requests(pod)) == vector["placed"]
    assert nonzero_requests(pod) == tuple(vector["nonzero"])
    assert scored_requests(pod) == tuple(vector["scored"])


def test_containers_add_up():
    assert pod_requests(make({"containers": [container("100m", "1Gi"), container("1", name="b")]})) == {
        "cpu": 1100,
        "memory": 2**30,
    }


def test_the_sum_is_rounded_once():
    containers = [container(memory="0.5", name=f"c{i}") for i in range(3)]
    assert pod_requests(make({"containers": containers})) == {"memory": 2}


def test_init_containers_count_with_the_sidecars_before_them():
    sidecar = container("100m", name="side", restartPolicy="Always")
    big = container("1", name="big")
    app = container("300m")
    assert pod_requests(make({"containers": [app], "initContainers": [sidecar, big]})) == {"cpu": 1100}
    assert pod_requests(make({"containers": [app], "initContainers": [big, sidecar]})) == {"cpu": 1000}
    assert pod_requests(make({"containers": [app], "initContainers": [sidecar]})) == {"cpu": 400}


def test_overhead_is_added():
    assert pod_requests(make({"containers": [container("1")], "overhead": {"cpu": "250m"}})) == {"cpu": 1250}


def test_pod_level_requests_replace_the_sum():
    spec = {"containers": [container("1", "1Gi")], "resources": {"requests": {"cpu": "3"}}, "overhead": {"cpu": "1m"}}
    assert pod_requests(make(spec)) == {"cpu": 3001, "memory": 2**30}


def test_a_pod_level_limit_is_the_default_of_its_request():
    spec = {"containers": [container(memory="1Gi")], "resources": {"limits": {"cpu": "3", "memory": "2Gi"}}}
    assert pod_requests(make(spec)) == {"cpu": 3000, "memory": 2**30}


def test_missing_requests_have_defaults_for_scoring():
    assert nonzero_requests(make({"containers": [container(), container("0", name="b")]})) == (100, 400 * 2**20)
    assert pod_requests(make({"containers": [container()]})) == {}


def test_with_pod_level_requests_defaults_apply_only_to_missing_resources():
    spec = {"containers": [container(memory="1Gi"), container(name="b")], "resources": {"requests": {"cpu": "3"}}}
    assert nonzero_requests(make(spec)) == (3000, 2**30)
    spec = {"containers": [container(), container(name="b")], "resources": {"requests": {"cpu": "3"}}}
    assert nonzero_requests(make(spec)) == (3000, 400 * 2**20)


def test_the_score_of_an_incoming_pod_ignores_pod_level_requests():
    spec = {"containers": [container("1"), container(name="b")], "resources": {"requests": {"cpu": "3"}}}
    assert scored_requests(make(spec)) == (1100, 400 * 2**20)


@pytest.mark.parametrize(
    "resource",
    [
        "example.com/gpu",
        "hugepages-2Mi",
        "attachable-volumes-csi",
        "kubernetes.io/batch-cpu",
        "x.kubernetes.io/y",
        "requests.kubernetes.io/x",
    ],
)
def test_scalar_resources(resource):
    """The results of v1.37's pkg/scheduler/util.IsScalarResourceName, as in the next test."""
    assert is_scalar(resource)


@pytest.mark.parametrize(
    "resource",
    [
        "cpu",
        "memory",
        "ephemeral-storage",
        "pods",
        "storage",
        "services",
        "mycpu",
        "requests.cpu",
        "requests.example.com/gpu",
    ],
)
def test_resources_that_are_not_scalar(resource):
    assert not is_scalar(resource)


@pytest.mark.parametrize(
    ("reason", "cpu"), [("Deferred", 2000), ("Infeasible", 1000), ("", 2000)], ids=["deferred", "infeasible", "none"]
)
def test_a_resize_counts_the_larger_unless_it_is_infeasible(reason, cpu):
    status = {
        "containerStatuses": [
            {"name": "app", "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "500m"}}}
        ]
    }
    if reason:
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": reason}]
    assert pod_requests(make({"nodeName": "n1", "containers": [container("2")]}, status)) == {"cpu": cpu}


def test_a_pod_without_a_node_is_counted_by_its_spec():
    status = {"containerStatuses": [{"name": "app", "allocatedResources": {"cpu": "4"}}]}
    assert pod_requests(make({"containers": [container("2")]}, status)) == {"cpu": 2000}


@pytest.mark.parametrize("reported", [{}, {"allocatedResources": {"cpu": "2000m"}, "resources": {}}])
def test_a_container_that_has_what_it_requests_reports_nothing(reported):
    status = {"containerStatuses": [{"name": "app"} | reported, {"name": "gone", "allocatedResources": {"cpu": "9"}}]}
    one = make({"nodeName": "n1", "containers": [container("2")]}, status)
    assert reported_resources(one) == () and pod_requests(one) == {"cpu": 2000}


def test_a_container_that_has_more_than_it_requests_counts_it():
    """Its allocated resources alone are as specified."""
    has = {"allocatedResources": {"cpu": "2"}, "resources": {"requests": {"cpu": "3"}}}
    status = {"containerStatuses": [{"name": "app"} | has]}
    assert pod_requests(make({"nodeName": "n1", "containers": [container("2")]}, status)) == {"cpu": 3000}


@pytest.mark.parametrize(
    ("node", "specified", "reason", "cpu"),
    [
        ("n1", "4", "", 4000),
        ("n1", "1", "", 3000),
        ("n1", "4", "Deferred", 4000),
        ("n1", "4", "Infeasible", 3000),
        ("", "4", "", 4000),
        ("", "1", "", 1000),
    ],
)
def test_a_resize_of_the_whole_pod_counts_the_larger_unless_it_is_infeasible(node, specified, reason, cpu):
    """v1.37: component-helpers/resource/helpers.go, effectivePodLevelResources. A pod without a node has no status."""
    status = {"resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "2"}}
    if reason:
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": reason}]
    spec = {"nodeName": node, "containers": [container("500m")], "resources": {"requests": {"cpu": specified}}}
    assert pod_requests(make(spec, status)) == {"cpu": cpu}


AMOUNTS = st.integers(0, 5000)


@given(st.lists(AMOUNTS, min_size=1, max_size=4), st.lists(st.tuples(AMOUNTS, st.booleans()), max_size=4))
def test_the_most_that_runs_at_once(app, init):
    """An independent computation: simulate the pod's life and take the highest total."""
    spec = {
        "containers": [container(f"{m}m", name=f"c{i}") for i, m in enumerate(app)],
        "initContainers": [
            container(f"{m}m", name=f"i{i}", **({"restartPolicy": "Always"} if stays else {}))
            for i, (m, stays) in enumerate(init)
        ],
    }
    running, highest = 0, 0
    for milli, stays in init:
        highest = max(highest, running + milli)
        running += milli if stays else 0
    assert pod_requests(make(spec))["cpu"] == max(highest, running + sum(app))
