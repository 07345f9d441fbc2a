"""What is read of the cluster, how kubectl is called, and what is said of what it may not read."""

import io
import json

import pytest

from kschedlab.build import node, pod
from kschedlab.program.main import main
from kschedlab_live.kubectl import BETWEEN, CHUNK, ENOUGH, Kubectl, KubectlError, items
from kschedlab_live.why.reading import lean

CLAIMED = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
PLAIN = {"volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "projected": {"sources": []}}]}
FIRST = "nodes,pods,namespaces,poddisruptionbudgets.policy"
OWNERS = "services,replicationcontrollers,replicasets.apps,statefulsets.apps"


def listed(*objects):
    return json.dumps({"apiVersion": "v1", "items": objects, "kind": "List"}, indent=4).encode()


def kinds(kubectl):
    return [call[1] for call in kubectl.gets if call[1] != "configmaps"]


@pytest.mark.parametrize("number", [0, 1, 2, 3, 40])
@pytest.mark.parametrize("size", [1, 500, ENOUGH, 70_000])
def test_items_come_one_by_one(number, size):
    objects = [
        {"kind": "Pod", "text": "x" * size + "\n        },\n        {\n", "n": i, "e": {}} for i in range(number)
    ]
    assert [json.loads(item) for item in items(io.BytesIO(listed(*objects)))] == objects


def test_items_whose_borders_lie_between_two_reads():
    for shift in range(len(BETWEEN) + 2):
        objects = [{"text": "x" * (CHUNK + ENOUGH - shift)}, {"n": 1}, {"n": 2}]
        assert [json.loads(item) for item in items(io.BytesIO(listed(*objects)))] == objects


def test_an_item_of_many_reads():
    objects = [{"text": "x" * 20 * CHUNK}, {"n": 1}]
    assert [json.loads(item) for item in items(io.BytesIO(listed(*objects)))] == objects


def test_items_in_another_layout():
    for indent in (None, 2):
        text = json.dumps({"kind": "List", "items": [{"a": 1}, {"b": 2}]}, indent=indent).encode()
        assert [json.loads(item) for item in items(io.BytesIO(text))] == [{"a": 1}, {"b": 2}]
    assert [json.loads(item) for item in items(io.BytesIO(b'{"kind": "Pod"}'))] == [{"kind": "Pod"}]
    for broken in (b"nonsense", listed({"a": 1})[:-30], b"[" * 100_000):
        with pytest.raises(KubectlError, match="kubectl's output"):
            list(items(io.BytesIO(broken)))


def test_a_plain_pod_needs_two_gets(kubectl, why):
    fake = kubectl(node("n1"), pod("web", **PLAIN))
    why("web")
    assert kinds(fake) == [FIRST, OWNERS]
    first, second = (call for call in fake.gets if call[1] != "configmaps")
    assert "--all-namespaces" in first and "--namespace=default" in second


def test_storage_and_devices_are_read_for_pods_that_use_them(kubectl, why):
    fake = kubectl(node("n1"), pod("web", **CLAIMED), pod("gpu", requests={"x.io/gpu": 1}))
    why("web")
    assert [each.count("persistentvolumeclaims") for each in kinds(fake)] == [0, 1]
    claims = next(call for call in fake.gets if "persistentvolumeclaims" in call[1])
    assert "--all-namespaces" in claims, "pods of other namespaces use volumes, too"
    assert "resourceclaims" not in "".join(kinds(fake))
    fake = kubectl(node("n1"), pod("web", **CLAIMED), pod("gpu", requests={"x.io/gpu": 1}))
    why("gpu")
    assert [each.count("resourceclaims.resource.k8s.io") for each in kinds(fake)] == [0, 1]
    assert "persistentvolumeclaims" not in "".join(kinds(fake))
    fake = kubectl(node("n1"), pod("web", **CLAIMED), pod("gpu", requests={"x.io/gpu": 1}))
    why("--pending")
    assert "persistentvolumeclaims" in kinds(fake)[1] and "resourceclaims" in kinds(fake)[1]


def test_kinds_that_the_server_lacks_are_left_out(kubectl, why):
    fake = kubectl(node("n1"), pod("gpu", requests={"x.io/gpu": 1}), missing=["resourceclaims", "deviceclasses"])
    assert "no x.io/gpu" in why("gpu")
    assert "resourceclaims" not in kinds(fake)[-1] and "resourceslices" in kinds(fake)[-1]
    kubectl(node("n1"), pod("gpu"), missing=["nodes"])
    assert "nodes" in why("gpu")


def test_only_pods_lose_what_no_scheduler_reads():
    for kind in ("Node", "Pod"):
        metadata = {"name": "x", "annotations": {"a": "b"}, "managedFields": [1]}
        made = lean({"kind": kind, "metadata": metadata, "spec": {"containers": [{"env": [1], "name": "c"}]}})
        (container,) = made["spec"]["containers"]
        assert (container == {"name": "c"}) == ("annotations" not in made["metadata"]) == (kind == "Pod")
        assert "managedFields" not in made["metadata"]


def test_only_reading_verbs_and_no_shell(kubectl, why):
    odd = "x; touch pwned $(id) --as=root"
    fake = kubectl(node("n1"), pod("web"))
    why("web", "--context", odd, "--token=-oyaml", "--as=jane", "--as-group=a", "--as-group=b", "-s", "https://x",
        "--insecure-skip-tls-verify", "--kubeconfig", "/a b", "--namespace", "default")  # fmt: skip
    assert {call[0] for call in fake.calls} <= {"get", "version", "config"}
    flags = [f"--as={'jane'}", "--as-group=a", "--as-group=b", f"--context={odd}", "--kubeconfig=/a b"]
    flags += ["--server=https://x", "--token=-oyaml", "--insecure-skip-tls-verify"]
    assert all(call[-len(flags) :] == flags for call in fake.calls)


def test_what_may_not_be_read_is_told_with_what_is_unknown(kubectl, why):
    kubectl(node("n1"), pod("web"), refused=["poddisruptionbudgets.policy", "services", "replicasets.apps"])
    said = why("web")
    assert "Not readable kinds so poddisruptionbudgets preemption may choose pods that a budget protects" in said
    assert "services, replicasets the default spreading may be missing" in said
    assert 'User "jane" may not list them.' in said


def test_a_pod_that_is_not_found_may_be_where_pods_may_not_be_read(kubectl, why):
    kubectl(node("n1"), pod("web"), narrow=["pods"], refused=["services", "replicasets.apps"])
    said = why("api", status=1)
    assert "there is no pod default/api" in said and said.count("pods of all namespaces cannot be read: ") == 1


def test_without_nodes_only_the_scheduler_s_own_words(kubectl, why):
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes: no."}
    web = pod("web") | {"status": {"phase": "Pending", "conditions": [condition]}}
    kubectl(node("n1"), web, refused=["nodes"])
    said = why("web")
    assert "Nodes are not readable, so nothing can be decided here." in said and "0/3 nodes: no." in said
    assert "1 pod: undecided, because nodes are not readable" in why("--pending")
    kubectl(node("n1"), web, refused=["nodes", "poddisruptionbudgets.policy"])
    said = why("web")
    assert "Not readable kinds so nodes" in said and "poddisruptionbudgets" not in said.partition("Not readable")[2]


def test_a_user_of_one_namespace(kubectl, why):
    objects = node("n1"), pod("web", cpu=1), pod("big", on="n1", cpu=4, namespace="other")
    fake = kubectl(*objects, narrow=["pods"])
    said = why("web")
    assert "it fits now" in said and "a refusal is certain, a fit is not." in said
    assert kinds(fake)[1] == f"pods,{OWNERS}"
    kubectl(*objects, refused=["pods"])
    assert 'kubectl: pods are not readable: User "jane" cannot list' in why("web", status=3)


@pytest.mark.parametrize("vital", ["persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"])
def test_nothing_is_decided_about_volumes_that_are_not_readable(vital, kubectl, why):
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    scratch = pod("scratch", volumes=[{"name": "t", "ephemeral": {"volumeClaimTemplate": template}}])
    other = pod("other", volumes=[{"name": "e", "emptyDir": {}}])
    kubectl(node("n1"), pod("web", **CLAIMED), scratch, other, refused=[vital])
    said = why("web")
    assert "Its volumes or claims are not readable, so nothing can be decided here." in said
    assert "not found" not in said
    undecided = "2 pods: undecided, because its volumes or claims are not readable"
    assert f"{undecided} default/web, default/scratch" in why("--pending")


def test_kubectl_s_own_error_is_told(kubectl, why, monkeypatch):
    refused = "E1122 16:00:00.0 1 memcache.go:265] noise\nThe connection to the server \x1b[31mx was refused"
    kubectl(node("n1"), pod("web"), fails=refused)
    assert why("web", status=3) == "kubectl: The connection to the server \\x1b[31mx was refused"
    kubectl(node("n1"), pod("web"), fails="\n".join(f"E1122 16:00:0{n}.0 1 memcache.go:265] try {n}" for n in range(3)))
    said = why("web", status=3)
    assert "try 2" in said and "try 1" not in said, "of a log alone the last line"
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "kubectl is not on the PATH" in why("web", status=3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a pod, or ask for --pending, --watch or --upgrade"),
        (["web", "--pending"], "name a pod, or ask for --pending or --watch"),
        (["--watch", "--node", "n1"], "--watch takes no --node"),
        (["--upgrade", "v1.37", "--node", "n1"], "--upgrade compares default schedulers"),
        (["--upgrade", "v1.37", "--add-node", "like=n1"], "--upgrade compares default schedulers"),
        (["--upgrade", "v1.37", "--output", "json"], "--upgrade compares default schedulers"),
        (["--upgrade", "v1.37", "--config", "absent.yaml"], "--upgrade compares default schedulers"),
        (["a/b/c"], '"a/b/c" is not a pod'),
        (["deploy/web"], '"deploy/web" is not a pod: name one of its pods'),
        (["shop/web", "-n", "other"], "names the namespace shop, and --namespace other"),
        (["web", "--config", "absent.yaml"], "absent.yaml: there is no such file"),
    ],
)
def test_wrong_usage(arguments, said, kubectl, why):
    kubectl(node("n1"), pod("web"))
    assert said in why(*arguments, status=2)


def test_arguments_that_argparse_refuses(kubectl, capsys):
    for arguments in (["--add-node", "n1", "web"], ["--add-node=like=", "web"], ["web", "--output", "yaml"]):
        with pytest.raises(SystemExit) as exit:
            main(["why", *arguments])
        assert exit.value.code == 2
    assert "like=NODE" in capsys.readouterr().err


def test_a_list_that_ends_in_the_middle_is_kubectl_s_error(kubectl):
    fake = kubectl(node("n1"))
    (fake.folder / "bin" / "kubectl").write_text("#!/bin/sh\nprintf '{\\n    \"items\": [\\n        {\\n'; exit 0\n")
    with pytest.raises(KubectlError, match="ended in the middle"):
        list(Kubectl().items("nodes"))


def test_an_upgrade_says_what_may_not_be_read(kubectl, why):
    kubectl(node("n1"), pod("web"), refused=["poddisruptionbudgets.policy"])
    assert "poddisruptionbudgets cannot be read: preemption may choose" in why("--upgrade", "v1.36")
    kubectl(node("n1"), pod("web"), refused=["nodes"])
    assert "nodes cannot be read" in why("--upgrade", "v1.36", status=3)
