"""Warns of what the API server would refuse but the package lets through.

The real scheduler's vectors (``tests/conformance``) contain such objects: its packages, called past the API server,
decide on them, and the package decides the same. v1.37: pkg/apis/core/validation/validation.go,
pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kschedlab.messages import later
from kschedlab.objects.model import (
    ApiObject,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    Pod,
    StorageClass,
    Volume,
)
from kschedlab.objects.problems import Fault, Path, shortened
from kschedlab_validation.gated import GATED, gated
from kschedlab_validation.volumes import mixed_modes


def warnings_of(document: ApiObject) -> list[Fault]:
    """A warning for each of these in the object."""
    if isinstance(document, GATED):
        return [*{gate: fault for gate, fault in reversed([*gated(document)])}.values()]  # of each gate the first
    return tolerated(document)


_IQN = re.compile(r"(?=iqn).*iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+", re.ASCII)
_ISCSI_NAME = re.compile(rf"{_IQN.pattern}|eui.[0-9A-Za-z]{{16}}|naa.[0-9A-Za-z]{{32}}", re.ASCII)


def tolerated(document: ApiObject) -> list[Fault]:
    """A warning for each of these in the object."""
    return [fault._replace(message=_refused(fault.message)) for fault in _tolerated(document)]


def _refused(message: str) -> str:
    return later("{fault}, which the API server refuses", fault=later(message))


def _tolerated(document: ApiObject) -> Iterator[Fault]:
    if isinstance(document, Pod):
        yield from _host_ports(document)
        for i, volume in enumerate(document.spec.volumes):
            yield from _source(volume, ("spec", "volumes", i))
    elif isinstance(document, Node):
        yield from _taints(document)
    elif isinstance(document, PersistentVolume):
        yield from _volume(document.spec)
    elif isinstance(document, PersistentVolumeClaim):
        if "storage" not in document.spec.resources.requests:
            yield Fault(("spec", "resources", "requests", "storage"), "is missing")
    elif isinstance(document, StorageClass):
        yield from _topologies(document)


def _taints(node: Node) -> Iterator[Fault]:
    taints = [(taint.key, taint.effect) for taint in node.spec.taints]
    for i, (key, effect) in enumerate(taints):
        if (key, effect) in taints[:i]:
            yield Fault(("spec", "taints", i), later("{key} with {effect} appears twice", key=key, effect=effect))


def _host_ports(pod: Pod) -> Iterator[Fault]:
    used: set[tuple[str, str, int]] = set()
    for i, container in enumerate(pod.spec.containers):
        for j, port in enumerate(container.ports):
            number = port.hostPort or (port.containerPort if pod.spec.hostNetwork else 0)
            key = (port.protocol or "TCP", port.hostIP, number)
            if number and key in used:
                path: Path = ("spec", "containers", i, "ports", j, "hostPort")
                yield Fault(path, later("{number} is used twice in the pod", number=number))
            used.add(key)


def _source(volume: Volume | PersistentVolumeSpec, path: Path) -> Iterator[Fault]:
    if volume.iscsi is not None and volume.iscsi.iqn and not _ISCSI_NAME.fullmatch(volume.iscsi.iqn):
        message = later(
            '"{iqn}" is not a name such as iqn.2001-04.com.example:storage', iqn=shortened(volume.iscsi.iqn)
        )
        yield Fault((*path, "iscsi", "iqn"), message)
    disk = volume.azureDisk
    start = "/subscriptions/" if disk is not None and disk.kind == "Managed" else "https://"
    if disk is not None and disk.diskURI and not disk.diskURI.startswith(start):
        yield Fault((*path, "azureDisk", "diskURI"), later("does not start with {start}", start=start))


def _volume(spec: PersistentVolumeSpec) -> Iterator[Fault]:
    yield from _source(spec, ("spec",))
    if mixed := mixed_modes(spec.accessModes):
        yield Fault(("spec", "accessModes"), mixed)
    if not spec.capacity:
        yield Fault(("spec", "capacity"), "is missing")
    if spec.local is not None and spec.nodeAffinity is None:
        yield Fault(("spec", "nodeAffinity"), "is missing for a local volume")
    if spec.volumeAttributesClassName is not None and spec.csi is None:
        yield Fault(("spec", "csi"), "is missing beside volumeAttributesClassName")


def _topologies(storage_class: StorageClass) -> Iterator[Fault]:
    terms = [
        [(e.key, frozenset(e.values)) for e in each.matchLabelExpressions] for each in storage_class.allowedTopologies
    ]
    for i, term in enumerate(terms):
        path: Path = ("allowedTopologies", i, "matchLabelExpressions")
        keys = [key for key, _ in term]
        for j, key in enumerate(keys):
            if key in keys[:j]:
                yield Fault((*path, j, "key"), later('"{name}" appears twice', name=shortened(key)))
        if dict(term) in map(dict, terms[:i]):
            yield Fault(path, "an earlier term has the same keys and values")
