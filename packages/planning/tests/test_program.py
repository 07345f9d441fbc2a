"""``kschedlab plan``: files in, answers out, in each format."""

import json

import pytest
import yaml

from kschedlab.build import as_yaml, deployment, node, pod
from kschedlab.program.main import main
from tests.saying import says


@pytest.fixture
def files(tmp_path):
    """A file for each name, with these manifests."""

    def write(**manifests):
        paths = {}
        for name, objects in manifests.items():
            paths[name] = tmp_path / f"{name}.yaml"
            paths[name].write_text(as_yaml(objects))
        return [str(path) for path in paths.values()]

    return write


CLUSTER = [node("a", cpu=2, labels={"pool": "small"}), pod("q1", cpu=2), pod("q2", cpu=2)]


def test_fit_as_a_command_and_as_a_manifest(files, capsys):
    cluster, pods = files(cluster=[node("a", cpu=4)], pods=[deployment("web", 1, cpu=1)])
    assert main(["plan", "fit", cluster, pods, "-o", "commands"]) == 0
    first, *remarks = capsys.readouterr().out.splitlines()
    assert first == "kubectl scale deployments.apps/web --namespace default --replicas 4"
    assert says(" ".join(remarks), "web-5", "Insufficient cpu", "simulation")
    assert main(["plan", "fit", cluster, pods, "-o", "yaml"]) == 0
    manifest = yaml.safe_load(capsys.readouterr().out)
    assert (manifest["kind"], manifest["spec"]["replicas"]) == ("Deployment", 4)


def test_replicas_that_a_workload_has_already_count(files, capsys):
    cluster, pods = files(cluster=[node("a", cpu=4), deployment("web", 1, cpu=1)], pods=[deployment("web", 1, cpu=1)])
    assert main(["plan", "fit", cluster, pods, "-o", "commands"]) == 0
    assert capsys.readouterr().out.startswith("kubectl scale deployments.apps/web --namespace default --replicas 4\n")


@pytest.mark.parametrize(
    ("names", "others"), [(["api", "db", "mail"], ""), (["api", "db", "mail", "web"], " and others")]
)
def test_workloads_without_pods_get_them_first(names, others, files, capsys):
    workloads = [deployment(name, 1, cpu=1) for name in names]
    cluster, pods = files(cluster=[node("a", cpu=8), *workloads], pods=[deployment("new", 1, cpu=1)])
    assert main(["plan", "fit", cluster, pods, "-o", "commands"]) == 0
    result = capsys.readouterr()
    assert says(result.err, f"Deployment api, Deployment db, Deployment mail{others}: a simulation creates the pods")
    assert f"--replicas {8 - len(names)}" in result.out, "the others' CPUs are taken"


def test_add_as_a_manifest_that_is_a_cluster_again(files, capsys, tmp_path):
    [cluster] = files(cluster=CLUSTER)
    assert main(["plan", "add", cluster, "-o", "yaml"]) == 0
    more = tmp_path / "more.yaml"
    more.write_text(capsys.readouterr().out)
    assert main(["plan", "add", cluster, str(more), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["best"] is None


def test_drain_as_text(files, capsys):
    [cluster] = files(cluster=[node("a", cpu=2), node("b", cpu=2), deployment("web", 1, cpu=1)])
    assert main(["plan", "drain", cluster]) == 0
    assert says(capsys.readouterr().out, "1 node", "simulation", "seed 0")


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["add", "FILE", "--price", "small"], ["POOL=PRICE"]),
        (["add", "FILE", "--price", "big=1"], ["big", "small"]),
        (["drain", "FILE", "--node", "x"], ["x", "a"]),
        (["fit", "FILE", "FILE", "--most", "-1"], ["-1"]),
    ],
)
def test_wrong_input_costs_a_line(files, capsys, arguments, facts):
    [cluster] = files(cluster=CLUSTER)
    assert main(["plan", *(cluster if each == "FILE" else each for each in arguments)]) == 2
    assert says(capsys.readouterr().err, *facts)


def test_replicas_are_as_the_api_server_admits_them(files, capsys):
    """Requests come from limits, and from LimitRanges; both only when a pod is created."""
    by_limits, plain = deployment("limited", 1), deployment("plain", 1)
    by_limits["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "500m"}}
    bounds = {"limits": [{"type": "Container", "defaultRequest": {"cpu": "250m"}}]}
    ranges = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "cpu"}, "spec": bounds}
    cluster, pods = files(cluster=[node("a", cpu=2), ranges], pods=[by_limits, plain])
    assert main(["plan", "fit", cluster, pods, "-o", "json"]) == 0
    plans = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(plan["replicas"], plan["check"]["holds"]) for plan in plans] == [(4, True), (8, True)]


def test_quotas_and_limit_ranges_bound_the_replicas(files, capsys):
    hard = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "3"}}}
    bounds = {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}
    ranges = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "cpu"}, "spec": bounds}
    nodes = [node("a", cpu=4), pod("there", on="a")]
    cluster, limited, pods, large = files(
        quota=[*nodes, hard], ranges=[*nodes, ranges], pods=[deployment("web", 1, cpu=1)], large=[pod("big", cpu=2)]
    )
    assert main(["plan", "fit", cluster, pods]) == 0
    assert says(capsys.readouterr().out, "2 replicas of default/web", "exceeded quota: q", "pods=3", "confirms")
    assert main(["plan", "fit", limited, large]) == 0
    assert says(capsys.readouterr().out, "0 replicas", "maximum cpu usage per Container is 1")


def test_pods_of_another_scheduler_cost_a_line(files, capsys):
    cluster, pods = files(cluster=CLUSTER, pods=[pod("web", schedulerName="volcano")])
    assert main(["plan", "fit", cluster, pods]) == 2
    assert says(capsys.readouterr().err, "schedulerName", "volcano", "default/web-1")


def test_pods_that_the_api_server_refuses_cost_a_line(files, capsys):
    """A template may have such an image (v1.37: pkg/apis/core/validation, ValidatePodTemplateSpec), a pod may not."""
    web = deployment("web", 1)
    web["spec"]["template"]["spec"]["containers"][0]["image"] = " "
    cluster, pods = files(cluster=CLUSTER, pods=[web])
    assert main(["plan", "fit", cluster, pods]) == 2
    assert says(capsys.readouterr().err, "spec.containers[0].image", "space")


def test_what_is_left_out_of_a_plan_is_said(files, capsys):
    claims = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": ROOM}}]
    database = deployment("db", 1, cpu=1)
    database |= {
        "kind": "StatefulSet",
        "spec": database["spec"] | {"volumeClaimTemplates": claims, "serviceName": "db"},
    }
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}}
    cluster, pods = files(cluster=[node("a", cpu=2), settings], pods=[database])
    assert main(["plan", "fit", cluster, pods, "-o", "commands"]) == 0
    result = capsys.readouterr()
    assert says(result.err, "db", "claims", "ConfigMap (1)") and "statefulsets.apps/db" in result.out


ROOM = {"requests": {"storage": "1Gi"}}


def test_the_drains_are_a_timeline_that_a_simulation_runs(files, capsys, tmp_path):
    [cluster] = files(cluster=[node("a", cpu=2), node("b", cpu=2), deployment("web", 1, cpu=1)])
    assert main(["plan", "drain", cluster, "-o", "yaml"]) == 0
    timeline = tmp_path / "drains.yaml"
    timeline.write_text(capsys.readouterr().out)
    assert main(["simulate", cluster, str(timeline), "--output", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["failures"] == [] and report["unschedulable"] == {} and report["seconds"] > 3600
