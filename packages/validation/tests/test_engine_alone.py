"""The engine decides on everything that it accepts without this package: its own checks leave no nonsense."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kschedlab import Cluster, schedule
from kschedlab.build import node, pod
from kschedlab.manifests import checks
from kschedlab.manifests.loading import ManifestError, decode_objects

DATA = Path(__file__).parent / "data/validation.jsonl.gz"
RECORDED = [json.loads(line)["object"] for line in gzip.decompress(DATA.read_bytes()).splitlines()]
KINDS = sorted({each["kind"] for each in RECORDED})
VERSION = "resource.k8s.io/v1"
DEVICES = [{"name": f"d{i}", "capacity": {"memory": {"value": "1Gi"}}} for i in range(4)]
POOL = {"name": "n1", "generation": 1, "resourceSliceCount": 1}


def of_devices(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


SLICE = of_devices("ResourceSlice", "s", driver="d.example.com", nodeName="n1", pool=POOL, devices=DEVICES)


def claim(device_class: str) -> dict[str, Any]:
    request = {"name": "r", "exactly": {"deviceClassName": device_class}}
    return of_devices("ResourceClaim", "claim", devices={"requests": [request]})


def claiming(name: str, namespace: str = "default") -> dict[str, Any]:
    claiming = pod("claiming", resourceClaims=[{"name": "x", "resourceClaimName": name}])
    claiming["metadata"]["namespace"] = namespace
    return claiming


def around(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Objects beside which a decision reads this one."""
    kind = document["kind"]
    metadata = document["metadata"] if isinstance(document.get("metadata"), dict) else {}
    if kind == "DeviceClass":
        return [SLICE, claim(metadata.get("name", "")), claiming("claim")]
    if kind == "ResourceSlice":
        return [of_devices("DeviceClass", "c"), claim("c"), claiming("claim")]
    if kind == "DeviceTaintRule":
        return [SLICE, of_devices("DeviceClass", "c"), claim("c"), claiming("claim")]
    if kind == "ResourceClaim":
        classes = sorted(set(re.findall(r'"deviceClassName": "([^"]*)"', json.dumps(document))))
        served = [of_devices("DeviceClass", each) for each in classes]
        return [SLICE, *served, claiming(metadata.get("name", ""), metadata.get("namespace", "default"))]
    return [pod("other", cpu=1)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_object_is_refused_or_can_be_decided_on(kind, monkeypatch):
    monkeypatch.setattr(checks, "installed", lambda: ())
    for document in RECORDED:
        if document["kind"] != kind:
            continue
        try:
            objects = decode_objects([node("n1"), node("n2"), document, *around(document)])
        except ManifestError:
            continue
        for each in objects.pods:
            assert str(schedule(each, Cluster(objects)))
