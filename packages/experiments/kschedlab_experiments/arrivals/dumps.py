"""A cluster's own dump, replayed: its nodes are empty at first, and its pods arrive in the order of their creation.

Of ``kubectl get -o yaml``, ``kubectl cluster-info dump`` (kubectl: pkg/cmd/clusterinfo/clusterinfo_dump.go) and
must-gather (openshift/must-gather): folders of JSON and YAML with nodes, pods and logs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kschedlab.build import Manifest
from kschedlab.manifests.decoding import Origin, expanded_lists
from kschedlab.manifests.source_text import SourceText
from kschedlab.messages import later, say
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.problems import InputValueError, ManifestError
from kschedlab_experiments.arrivals.trace import Arrival, Trace
from kschedlab_simulation.timeline.manifest_objects import ObjectReader

KEPT = (
    *("Node", "Namespace", "Service", "PodDisruptionBudget", "PriorityClass"),
    *("StorageClass", "PersistentVolume", "PersistentVolumeClaim", "CSINode", "CSIStorageCapacity"),
    *("ResourceSlice", "DeviceClass", "ResourceClaim", "ResourceClaimTemplate"),
)
"""The kinds that are there from the start. Owners of pods are left out: they would create theirs again."""
SUFFIXES = (".json", ".yaml", ".yml")
MIRROR = "kubernetes.io/config.mirror"
OWN = (
    *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generateName", "managedFields"),
    *("ownerReferences", "resourceVersion", "selfLink", "uid"),
)
"""A pod's metadata that its new life writes itself."""


def dump(*paths: str | os.PathLike[str]) -> Trace:
    """The trace of a dump, from files or folders. ``left_out`` says what it has beside nodes and pods.

    A finished pod runs as long as it did; others run for ever. Static pods are on their nodes from the start, as no
    scheduler places them. A pod without a time of creation arrives at the start. A volume whose claim is not in the
    dump goes. InputValueError if there is no node or no pod.
    """
    objects: dict[tuple[str, str, str], Manifest] = {}
    for path in _files(paths):
        for manifest in _manifests(path):
            metadata = manifest.get("metadata") or {}
            objects[str(manifest.get("kind")), str(metadata.get("namespace", "")), str(metadata.get("name"))] = manifest
    pods = [each for (kind, _, _), each in objects.items() if kind == "Pod"]
    there = [each for (kind, _, _), each in objects.items() if kind in KEPT]
    for kind in ("Node", "Pod"):
        if not any(key[0] == kind for key in objects):
            words = later("{paths}: has no {kind}: name the folder of a dump, or files with nodes and pods")
            raise InputValueError(words, paths=", ".join(map(str, paths)), kind=kind)
    claims = {(namespace, name) for kind, namespace, name in objects if kind == "PersistentVolumeClaim"}
    static = [each for each in pods if MIRROR in (each["metadata"].get("annotations") or {})]
    moving = [_Past(each, claims) for each in pods if each not in static]
    first = min((each.created for each in moving if each.created is not None), default=0)
    arrivals = [Arrival(((each.created or first) - first) / SECOND, each.manifest, each.seconds) for each in moving]
    others = Counter(kind for kind, _, _ in objects if kind != "Pod" and kind not in KEPT)
    left_out = [say("{number:,} of kind {kind}", number=number, kind=kind) for kind, number in sorted(others.items())]
    if lost := sum(each.lost for each in moving):
        left_out.append(say("{number:,} volumes whose claims the dump does not have", number=lost))
    return Trace([*there, *static], sorted(arrivals, key=lambda each: each.at), left_out=tuple(left_out))


def _files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from (each for each in sorted(path.rglob("*")) if each.is_file() and each.suffix in SUFFIXES)
        elif path.is_file():
            yield path
        else:
            raise InputValueError("{path}: there is no such file or folder", path=path)


def _manifests(path: Path) -> Iterator[Manifest]:
    """The objects in a file; none if it has something else, as folders of dumps do."""
    text = SourceText(0, str(path), path.read_bytes())
    reader = ObjectReader()
    try:
        for number, data in reader.roots(text):
            for item, _ in expanded_lists(data, Origin(text, number, ())):
                if isinstance(item, dict) and isinstance(item.get("metadata"), dict):
                    yield item
    except ManifestError:
        return


class _Past:
    """A pod's manifest as it was created, when that was, and how long it ran."""

    def __init__(self, pod: Manifest, claims: set[tuple[str, str]]) -> None:
        metadata, spec = dict(pod["metadata"]), dict(pod.get("spec") or {})
        self.created = _moment(metadata.get("creationTimestamp"))
        self.seconds = _ran(pod.get("status") or {})
        namespace = str(metadata.get("namespace", ""))
        for name in OWN:
            metadata.pop(name, None)
        spec.pop("nodeName", None)
        if spec.get("priority") is not None:
            spec.pop("priorityClassName", None)  # the dump may not have the class
        volumes = spec.get("volumes") or []
        kept = [each for each in volumes if _has_claim(each, namespace, claims)]
        self.lost = len(volumes) - len(kept)
        if self.lost:
            spec = _without_volumes(spec, kept)
        self.manifest: Manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _has_claim(volume: Any, namespace: str, claims: set[tuple[str, str]]) -> bool:
    claim = volume.get("persistentVolumeClaim") if isinstance(volume, dict) else None
    return not claim or (namespace, str(claim.get("claimName"))) in claims


def _without_volumes(spec: Manifest, kept: list[Any]) -> Manifest:
    """The spec with these volumes alone, and its containers without mounts of others."""
    names = {each.get("name") for each in kept}
    changed = {**spec, "volumes": kept}
    for kind in ("containers", "initContainers"):
        if kind in spec:
            changed[kind] = [
                {
                    **each,
                    "volumeMounts": [mount for mount in each.get("volumeMounts") or [] if mount.get("name") in names],
                }
                for each in spec[kind]
            ]
    return changed


def _ran(status: Manifest) -> float | None:
    """Seconds from the start to the end of a finished pod; None of one that has not finished or does not tell."""
    if status.get("phase") not in ("Succeeded", "Failed"):
        return None
    states = [each.get("state", {}).get("terminated") or {} for each in status.get("containerStatuses") or []]
    ends = [end for each in states if (end := _moment(each.get("finishedAt"))) is not None]
    start = _moment(status.get("startTime"))
    return None if start is None or not ends else max((max(ends) - start) / SECOND, 1.0)


def _moment(text: Any) -> int | None:
    try:
        return int(Time.parse(str(text))) if text else None
    except ValueError:
        return None
