"""``kubectl why`` as a plugin, beside the real kube-apiserver and kube-scheduler, with the rights of docs/live.md."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from packages.live.tests.real.binaries import binary
from packages.live.tests.real.plane import Json, Plane, node, pod, until

ROOT = Path(__file__).parents[4]
PLUGIN = """#!{python}
import sys
sys.path.insert(0, {root!r})
from kschedlab_live.program.why import kubectl_why
sys.exit(kubectl_why())
"""
CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}}}
"""
GPU = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}


def asks(name: str, cpu: str = "100m", **spec: object) -> Json:
    return pod(name, cpu, "default-scheduler", **spec)


@pytest.fixture(scope="module")
def programs(plane: Plane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Kubectl with the plugin, and the real scheduler."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "kubectl").symlink_to(binary("kubectl"))
    plugin = folder / "kubectl-why"
    plugin.write_text(PLUGIN.format(python=sys.executable, root=str(ROOT)), encoding="utf-8")
    plugin.chmod(0o755)
    configuration = folder / "scheduler.yaml"
    configuration.write_text(CONFIGURATION.format(kubeconfig=plane.kubeconfig), encoding="utf-8")
    command = [binary("kube-scheduler"), f"--config={configuration}", "--secure-port=0"]
    with (folder / "scheduler.log").open("wb") as log:
        scheduler = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield folder
    finally:
        scheduler.terminate()
        scheduler.wait()


def rights(plane: Plane) -> None:
    """The roles of docs/live.md, for the user ann."""
    page = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    text = next(text for text in page.split("```yaml\n")[1:] if "name: kubectl-why" in text).partition("```")[0]
    for role in yaml.safe_load_all(text):
        plane.create(role)
        kind, place = role["kind"], {k: v for k, v in role["metadata"].items() if k == "namespace"}
        binding = {"apiVersion": role["apiVersion"], "kind": f"{kind}Binding", "metadata": {"name": "why"} | place}
        binding["roleRef"] = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "kubectl-why"}
        binding["subjects"] = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"}]
        plane.create(binding)


@pytest.fixture(scope="module")
def cluster(plane: Plane, programs: Path) -> Path:
    """Nodes, pods that the scheduler has looked at, and the user's rights."""
    rights(plane)
    tainted = node("gpu-1", "8") | {"spec": {"taints": [GPU]}}
    plane.create(node("n1", "4"), node("n2", "4"), tainted)
    plane.create(
        asks("fits"),
        asks("big", "6"),
        asks("choosy", nodeSelector={"disk": "ssd"}),
        asks("gated", schedulingGates=[{"name": "example.com/quota"}]),
        pod("volcano", scheduler="volcano"),
        asks("claimed", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "absent"}}]),
    )
    until(lambda: "fits" in plane.bound() and sum(map(_refused, plane.pods())) == 3, what="the scheduler")
    return programs


def _refused(each: Json) -> bool:
    conditions = each["status"].get("conditions", [])
    return any(c["type"] == "PodScheduled" and c.get("reason") == "Unschedulable" for c in conditions)


def why(plane: Plane, programs: Path, *arguments: str, status: int = 0) -> str:
    environment = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "KUBECONFIG": str(plane.kubeconfig),
        "COLUMNS": "80",
    }
    command = ["kubectl", "why", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("user", [(), ("--as=ann",)], ids=["administrator", "with the role of the documentation"])
def test_each_pod_is_answered_as_the_scheduler_said(user: tuple[str, ...], plane: Plane, cluster: Path) -> None:
    same = "We reach the same result, word for word."
    big = why(plane, cluster, "big", *user)
    assert (
        "none of 3 nodes can take it." in big and "too small for 6 CPU: they have at most 4 CPU" in big and same in big
    )
    assert "tolerating dedicated=gpu it goes to gpu-1" in big
    choosy = why(plane, cluster, "pod/choosy", *user)
    assert "wants disk=ssd; the node has no such label" in choosy and same in choosy
    claimed = why(plane, cluster, "default/claimed", *user)
    assert 'persistentvolumeclaim "absent" not found' in claimed and same in claimed
    assert "it waits for its scheduling gates: example.com/quota." in why(plane, cluster, "gated", *user)
    assert "is another scheduler's pod: its schedulerName is volcano." in why(plane, cluster, "volcano", *user)
    fits = why(plane, cluster, "fits", "--node", "gpu-1", *user)
    assert "Why not gpu-1? TaintToleration refuses gpu-1: taint dedicated=gpu." in fits
    assert "Not readable" not in big + choosy + claimed + fits


def test_one_node_more_and_all_pending(plane: Plane, cluster: Path) -> None:
    tolerant = asks("tolerant", "8", tolerations=[{"operator": "Exists"}])
    plane.create(tolerant, asks("tolerant-too", "8", tolerations=[{"operator": "Exists"}]))
    until(lambda: any(name.startswith("tolerant") for name in plane.bound()))
    waits = next(name for name in ("tolerant", "tolerant-too") if name not in plane.bound())
    assert "With 1 more node (gpu-1-new) It goes to gpu-1-new" in why(plane, cluster, waits, "--add-node", "like=gpu-1")
    pending = why(plane, cluster, "--pending")
    assert "1 pod: gated by example.com/quota default/gated" in pending
    assert "1 pod: another scheduler's, volcano default/volcano" in pending


def test_a_user_without_rights_is_told(plane: Plane, cluster: Path) -> None:
    said = why(plane, cluster, "big", "--as=bob", status=3)
    assert said.startswith('kubectl: pods are not readable: User "bob" cannot list resource "pods"')
    assert "there is no pod default/none" in why(plane, cluster, "none", status=1)


def test_watching_agrees_with_the_real_scheduler(plane: Plane, cluster: Path) -> None:
    environment = os.environ | {"PATH": f"{cluster}:{os.environ['PATH']}", "KUBECONFIG": str(plane.kubeconfig)}
    watching = subprocess.Popen(["kubectl", "why", "--watch"], env=environment, stdout=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    lines = iter(watching.stdout.readline, "")
    assert next(lines).startswith("Following 3 nodes")
    plane.create(*(asks(f"w-{i}", f"{50 + 10 * i}m") for i in range(20)), asks("w-large", "7"))
    printed = []
    for line in lines:
        printed.append(line)
        seen = {name for name in (*(f"w-{i}" for i in range(20)), "w-large") for each in printed if f"/{name} " in each}
        if len(seen) == 21:
            break
    watching.send_signal(signal.SIGINT)
    rest = watching.stdout.read()
    watching.wait()
    total, alike = map(int, re.findall(r"(\d+) decisions: (\d+) as ours", rest)[0])
    assert total == alike >= 21, "".join(printed) + rest


def test_plain_data(plane: Plane, cluster: Path) -> None:
    environment = os.environ | {"PATH": f"{cluster}:{os.environ['PATH']}", "KUBECONFIG": str(plane.kubeconfig)}
    text = subprocess.check_output(["kubectl", "why", "big", "-o", "json"], env=environment, text=True)
    data = json.loads(text)
    assert data["said"] == data["decision"]["event"] and data["server"] == "v1.37"
