"""What the API server refuses but the real scheduler's vectors contain: a warning, and the object is loaded."""

import pytest

from kschedlab.manifests.loading import ManifestError, decode_objects
from tests.saying import says

PORT = {"containerPort": 80}
VOLUME = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
KEYS = [{"key": "zone", "values": ["a"]}]


def disk(kind: str, uri: str) -> dict:
    return {"azureDisk": {"diskName": "d", "diskURI": uri, "kind": kind}}


def iscsi(name: str) -> dict:
    return {"iscsi": {"targetPortal": "t", "iqn": name}}


def pod(**spec) -> dict:
    return {"kind": "Pod", "spec": {"containers": [{"name": "c", "image": "i"}]} | spec}


def ports(*each: dict, **spec) -> dict:
    return pod(
        containers=[{"name": f"c{i}", "image": "i", "ports": [PORT | port]} for i, port in enumerate(each)], **spec
    )


def mounts(source: dict) -> dict:
    return pod(volumes=[{"name": "v"} | source])


def volume(**spec) -> dict:
    return {"kind": "PersistentVolume", "spec": VOLUME | spec}


def claim(**requests: str) -> dict:
    return {
        "kind": "PersistentVolumeClaim",
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": requests}},
    }


def storage_class(*terms: list) -> dict:
    topologies = [{"matchLabelExpressions": term} for term in terms]
    return {
        "kind": "StorageClass",
        "apiVersion": "storage.k8s.io/v1",
        "provisioner": "p",
        "allowedTopologies": topologies,
    }


def tainted(*taints: tuple[str, str]) -> dict:
    return {"kind": "Node", "spec": {"taints": [{"key": key, "effect": effect} for key, effect in taints]}}


CASES = {
    "taint": (tainted(("a", "NoSchedule"), ("a", "NoSchedule")), "spec.taints[1]: a with NoSchedule appears twice"),
    "taint, other effect": (tainted(("a", "NoSchedule"), ("a", "NoExecute")), ""),
    "port": (ports({"hostPort": 9}, {"hostPort": 9}), "spec.containers[1].ports[0].hostPort: 9 is used twice"),
    "port, other protocol": (ports({"hostPort": 9}, {"hostPort": 9, "protocol": "UDP"}), ""),
    "port, other address": (ports({"hostPort": 9}, {"hostPort": 9, "hostIP": "10.0.0.1"}), ""),
    "port of the host network": (
        ports({}, {}, hostNetwork=True),
        "spec.containers[1].ports[0].hostPort: 80 is used twice",
    ),
    "port without the host network": (ports({}, {}), ""),
    "iqn": (mounts(iscsi("disk")), 'spec.volumes[0].iscsi.iqn: "disk" is not a name'),
    "iqn after a volume without a source": (
        pod(volumes=[{"name": "w"}, {"name": "v"} | iscsi("disk")]),
        'spec.volumes[1].iscsi.iqn: "disk" is not a name',
    ),
    "iqn of a volume": (volume(**iscsi("iqn.2001")), 'spec.iscsi.iqn: "iqn.2001" is not a name'),
    "valid iqn": (mounts(iscsi("iqn.2001-04.com.example:storage")), ""),
    "valid eui": (mounts(iscsi("eui.0123456789abcdef")), ""),
    "disk": (
        mounts(disk("Managed", "https://d")),
        "spec.volumes[0].azureDisk.diskURI: does not start with /subscriptions/",
    ),
    "disk of a volume": (
        volume(**disk("Shared", "/subscriptions/d")),
        "spec.azureDisk.diskURI: does not start with https://",
    ),
    "valid disk": (mounts(disk("Managed", "/subscriptions/d")), ""),
    "modes": (
        volume(accessModes=["ReadWriteOncePod", "ReadWriteMany"]),
        "spec.accessModes: cannot combine ReadWriteOncePod",
    ),
    "local": (volume(local={"path": "/d"}), "spec.nodeAffinity: is missing for a local volume"),
    "class of attributes": (
        volume(volumeAttributesClassName="fast"),
        "spec.csi: is missing beside volumeAttributesClassName",
    ),
    "no capacity": (volume(capacity={}), "spec.capacity: is missing"),
    "no request": (claim(), "spec.resources.requests.storage: is missing"),
    "key twice": (storage_class(KEYS * 2), 'allowedTopologies[0].matchLabelExpressions[1].key: "zone" appears twice'),
    "term twice": (
        storage_class(KEYS, KEYS),
        "allowedTopologies[1].matchLabelExpressions: an earlier term has the same",
    ),
    "two terms": (storage_class(KEYS, [{"key": "zone", "values": ["b"]}]), ""),
}


@pytest.mark.parametrize("more", [[], ["example.com/mine"]])
def test_dependents_can_be_either_orphans_or_deleted_first(more):
    def made(*finalizers):
        return pod() | {"apiVersion": "v1", "metadata": {"name": "x", "finalizers": [*finalizers, *more]}}

    with pytest.raises(ManifestError) as raised:
        decode_objects([made("orphan", "foregroundDeletion")])
    assert says(str(raised.value), "metadata.finalizers", "orphan", "foregroundDeletion")
    for either in ("orphan", "foregroundDeletion"):
        decode_objects([made(either)])


@pytest.mark.parametrize("name", CASES)
def test_is_a_warning(name):
    manifest, warning = CASES[name]
    manifest = {"apiVersion": "v1", "metadata": {"name": "x"}} | manifest
    lines = decode_objects([manifest]).report.lines()
    assert len(lines) == bool(warning)
    assert all(warning in line and line.endswith("which the API server refuses") for line in lines)
