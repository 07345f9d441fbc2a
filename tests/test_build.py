"""The builders of manifests."""

import pytest
import yaml

from kschedlab.build import as_yaml, budget, cluster, deployment, node, node_affinity, pod, term
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.objects.problems import UnknownNameError


def test_what_is_not_named_keeps_the_default() -> None:
    assert node("n1") == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}},
    }
    assert pod("web")["spec"] == {"containers": [{"name": "main", "image": "example/app:1"}]}
    assert "status" not in pod("web")


def test_a_node_with_all_that_can_be_named() -> None:
    taint = {"key": "gpu", "effect": "NoSchedule"}
    made = node("n", 2, "4Gi", {"zone": "a"}, [taint], images=[{"names": ["i:1"], "sizeBytes": 1}], unschedulable=True)
    (found,) = decode_objects([made]).nodes
    assert found.metadata.labels == {"zone": "a"} and found.spec.unschedulable
    assert [each.key for each in found.spec.taints] == ["gpu"] and found.status.images[0].sizeBytes == 1
    assert node("n", allocatable={"cpu": "1"})["status"] == {"allocatable": {"cpu": "1"}}


def test_a_pod_with_all_that_can_be_named() -> None:
    made = pod(
        *("web", "n1", "500m", 5, 90, {"app": "web"}, "1Gi"),
        requests={"example.com/gpu": 1},
        namespace="shop",
        ports=[{"containerPort": 80}],
        tolerations=[{"operator": "Exists"}],
    )
    (found,) = decode_objects([made]).pods
    assert found.key == "shop/web" and found.spec.nodeName == "n1" and found.spec.priority == 5
    assert found.status.phase == "Running" and made["status"]["startTime"] == "2026-03-02T01:30:00Z"
    asked = made["spec"]["containers"][0]["resources"]
    assert asked["requests"] == {"cpu": "500m", "memory": "1Gi", "example.com/gpu": "1"}
    assert asked["limits"] == {"example.com/gpu": "1"}
    waiting = pod("web", nominated="n2", deleted="2026-01-01T00:00:00Z", start="2026-01-01T00:00:00Z")
    assert waiting["status"] == {"nominatedNodeName": "n2", "startTime": "2026-01-01T00:00:00Z"}
    assert waiting["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("build", "name", "wanted"),
    [
        (lambda: node("n", cpus=4), "cpus", "cpu"),
        (lambda: pod("p", tolerates=[]), "tolerates", "tolerations"),
        (lambda: pod("p", node_name="n"), "node_name", "nodeName"),
        (lambda: budget("b", 1, max_unavailable=1), "max_unavailable", "maxUnavailable"),
        (lambda: deployment("d", 1, replica=1), "replica", "requests"),
    ],
)
def test_a_misspelt_name_is_an_error_that_lists_similar_names(build, name: str, wanted: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        build()
    assert f'"{name}"' in str(caught.value) and wanted in str(caught.value)


def test_budgets() -> None:
    (one,) = decode_objects([budget("shop", 2)]).of(PodDisruptionBudget)
    assert one.status.disruptionsAllowed == 2 and one.spec.selector is not None
    assert budget("all", 0, {})["spec"] == {"selector": {"matchLabels": {}}}
    assert budget("none", 0, selector=None)["spec"] == {"selector": None}
    assert budget("b", 0, disrupted=["p"])["status"]["disruptedPods"] == {"p": "2024-01-01T00:00:00Z"}


def test_a_deployment_has_its_template() -> None:
    template = deployment("web", 3, cpu=1, labels={"tier": "front"})["spec"]["template"]
    assert template["metadata"]["labels"] == {"app": "web", "tier": "front"}
    assert template["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "1"}}


def test_terms_and_affinity() -> None:
    assert term("disk In ssd,hdd", "metadata.name NotIn n1", "gpu Exists") == {
        "matchExpressions": [
            {"key": "disk", "operator": "In", "values": ["ssd", "hdd"]},
            {"key": "gpu", "operator": "Exists"},
        ],
        "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}],
    }
    rather = node_affinity(preferred=[(5, term("gpu Exists"))])["nodeAffinity"]
    assert rather["preferredDuringSchedulingIgnoredDuringExecution"][0]["weight"] == 5
    assert "requiredDuringSchedulingIgnoredDuringExecution" not in rather


def test_a_cluster_and_a_file_of_the_same_manifests() -> None:
    manifests = [node("n1"), pod("db", on="n1", cpu=3), pod("web", cpu=2)]
    world = cluster(*manifests)
    assert world.names == ["n1"] and list(world.pending) == ["default/web"]
    assert list(yaml.safe_load_all(as_yaml(manifests))) == manifests
    assert "  - name: main\n    image: example/app:1\n" in as_yaml(manifests), "fields keep their order"
    long = pod("p", image=f"example/{' app' * 100}")
    assert f"image: example/{' app' * 100}\n" in as_yaml([long]), "a long text stays in its line"


def test_a_deployment_has_a_namespace_and_refuses_what_only_a_pod_that_exists_has():
    assert deployment("web", 2, namespace="shop")["metadata"] == {"name": "web", "namespace": "shop"}
    gone = {"on": "n1", "start": 5, "nominated": "n1", "deleted": "2026-01-01T00:00:00Z"}
    for field, value in gone.items():
        with pytest.raises(TypeError, match=field):
            deployment("web", 2, **{field: value})
