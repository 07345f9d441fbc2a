"""With the rights of deploy/schedule.yaml and no others: it binds, evicts, binds volumes and allocates devices."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import yaml

from kschedlab_live.schedule.access import reached
from kschedlab_live.schedule.service import Service, Settings
from packages.live.tests.real.plane import Json, Kubelets, Plane, node, pod, until
from packages.live.tests.real.schedulers import scheduler
from tests.course import GENERATIONS

MANIFEST = Path(__file__).parents[4] / "deploy" / "schedule.yaml"
OPTIONS = ("--lease", "kschedlab/kschedlab")


@pytest.fixture(scope="module")
def access(plane: Plane, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kubeconfig of the service account that the manifest creates."""
    for each in yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8")):
        if each["kind"] != "Deployment":
            plane.create(each)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    status, answer = plane.call("POST", "/api/v1/namespaces/kschedlab/serviceaccounts/kschedlab/token", request)
    assert status == 201, answer
    path = tmp_path_factory.mktemp("account") / "kubeconfig"
    path.write_text(json.dumps(plane.access(answer["status"]["token"])), encoding="utf-8")
    plane.create(*(node(f"n{i}", cpu="4") for i in range(3)))
    return path


def of(plane: Plane, kind: str, name: str) -> Json:
    status, found = plane.call("GET", f"{kind}/{name}")
    assert status == 200, found
    return found


def test_it_binds_and_evicts(plane: Plane, access: Path) -> None:
    plane.create(
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    )
    with scheduler(access, *OPTIONS) as program, Kubelets(plane):
        plane.create(*(pod(f"low-{i}", cpu="3") for i in range(3)))
        until(lambda: len(plane.bound("low")) == 3)
        plane.create(pod("high", cpu="3", priorityClassName="high"))
        until(lambda: plane.bound("high"))
        until(lambda: program.says("Preempted"))
        assert len(plane.bound("low")) == 2
        preempted = plane.call("GET", "/apis/events.k8s.io/v1/namespaces/default/events")[1]["items"]
        (news,) = until(lambda: [each for each in preempted if each["reason"] == "Preempted"])
        assert news["action"] == "Preempting" and news["related"]["name"] == "high"
    assert not program.says("forbidden"), program.lines
    plane.call("DELETE", "/api/v1/namespaces/default/pods")


def test_it_binds_volumes_and_leaves_what_it_does_not_know(plane: Plane, access: Path) -> None:
    """The claim waits for its pod's node; fields that the model lacks stay in the volume."""
    storage = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "local"},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}]}
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk", "annotations": {"mine": "stays"}},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "mountOptions": ["noatime"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "local",
            "local": {"path": "/data", "fsType": "ext4"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        },
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    plane.create(storage, volume, claim)
    plane.call("PATCH", "/api/v1/persistentvolumes/disk/status", {"status": {"phase": "Available"}}, MERGE)
    mounted = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    with scheduler(access, *OPTIONS) as program:
        plane.create(pod("with-data", volumes=mounted))
        until(lambda: of(plane, "/api/v1/persistentvolumes", "disk")["spec"].get("claimRef"))
        bind(plane)  # as the volume controller does
        until(lambda: plane.bound("with-data"))
    assert plane.bound("with-data") == {"with-data": "n1"} and not program.says("forbidden")
    spec = of(plane, "/api/v1/persistentvolumes", "disk")["spec"]
    assert spec["mountOptions"] == ["noatime"] and spec["local"]["fsType"] == "ext4"
    assert spec["claimRef"]["name"] == "data"


MERGE = "application/merge-patch+json"


def bind(plane: Plane) -> None:
    patch = {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": "disk"}}
    path = "/api/v1/namespaces/default/persistentvolumeclaims/data"
    assert plane.call("PATCH", path, patch, MERGE)[0] == 200
    assert plane.call("PATCH", f"{path}/status", {"status": {"phase": "Bound"}}, MERGE)[0] == 200


def test_it_allocates_devices(plane: Plane, access: Path) -> None:
    group = "resource.k8s.io/v1"
    device_class = {"apiVersion": group, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    pool = {"name": "n2", "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"gpu-{i}", "attributes": {"model": {"string": "a"}}} for i in range(2)]
    spec = {"driver": "gpu.example.com", "nodeName": "n2", "pool": pool, "devices": devices}
    slices = {"apiVersion": group, "kind": "ResourceSlice", "metadata": {"name": "n2-gpu"}, "spec": spec}
    wanted = {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}
    claims = [
        {
            "apiVersion": group,
            "kind": "ResourceClaim",
            "metadata": {"name": f"gpu-{i}", "namespace": "default", "annotations": {"mine": "stays"}},
            "spec": {"devices": wanted},
        }
        for i in range(3)
    ]
    plane.create(device_class, slices, *claims)
    with scheduler(access, *OPTIONS) as program:
        for i in range(3):
            plane.create(pod(f"gpu-{i}", resourceClaims=[{"name": "gpu", "resourceClaimName": f"gpu-{i}"}]))
        until(lambda: len(plane.bound("gpu")) == 2)
        program.wait_for("cannot allocate all claims")
    assert set(plane.bound("gpu").values()) == {"n2"} and not program.says("forbidden"), program.lines
    path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
    held = [each for each in plane.call("GET", path)[1]["items"] if each["status"].get("allocation")]
    names = {each["status"]["allocation"]["devices"]["results"][0]["device"] for each in held}
    assert names == {"gpu-0", "gpu-1"} and len(held) == 2
    assert all(each["status"]["reservedFor"][0]["name"] == each["metadata"]["name"] for each in held)
    assert all(each["metadata"]["annotations"] == {"mine": "stays"} for each in held)


def test_it_logs_in_as_the_service_account_of_its_pod(plane: Plane, access: Path, tmp_path: Path) -> None:
    """Without kubectl: by the files and the variables that a pod has."""
    config = json.loads(access.read_text(encoding="utf-8"))
    (cluster,), (user,) = config["clusters"], config["users"]
    (tmp_path / "token").write_text(user["user"]["token"], encoding="utf-8")
    (tmp_path / "namespace").write_text("kschedlab", encoding="utf-8")
    authority = Path(cluster["cluster"]["certificate-authority"]).read_text(encoding="utf-8")
    (tmp_path / "ca.crt").write_text(authority, encoding="utf-8")
    environ = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(plane.port)}
    plane.create(pod("in-a-pod"))
    lines: list[str] = []

    async def schedule() -> int:
        stop = asyncio.Event()
        with reached(None, environ=environ, account=tmp_path) as own:
            service = asyncio.create_task(Service(own, Settings(GENERATIONS["v1.37"]), lines.append).run(stop))
            await asyncio.to_thread(until, lambda: plane.bound("in-a-pod"))
            stop.set()
            return await service

    assert asyncio.run(schedule()) == 0
    assert any("kschedlab/kschedlab" in line for line in lines) and not any("forbidden" in line for line in lines)
