"""Reads what the answer needs, in two ``kubectl get``: nodes and pods, then what the asked pods refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from kschedlab.cluster import object_store
from kschedlab.manifests.loading import ManifestError, Objects, decode_objects
from kschedlab.objects.kinds import RESOURCES
from kschedlab_live.kubectl import Kubectl, KubectlError, NoSuchKindError, decoded
from kschedlab_why.reading import Gap, Reading

FIRST = ("nodes", "pods", "namespaces", "poddisruptionbudgets.policy")
OWNERS = ("services", "replicationcontrollers", "replicasets.apps", "statefulsets.apps")
STORAGE = tuple(RESOURCES[kind].qualified for kind in object_store.STORAGE)
DEVICES = tuple(RESOURCES[kind].qualified for kind in object_store.DEVICES)
EVERYWHERE = "--all-namespaces"
PLAIN_VOLUMES = frozenset(
    ("configMap", "downwardAPI", "emptyDir", "gitRepo", "hostPath", "image", "name", "nfs", "projected", "secret")
)
"""Volumes with which no filter has to do."""
UNKNOWN = {
    "nodes": "nothing can be decided",
    "pods": "the room that is left on the nodes is unknown",
    "namespaces": "rules between pods that choose namespaces by label see none of them",
    "poddisruptionbudgets": "preemption may choose pods that a budget protects",
    "services": "the default spreading may be missing: another node may score best",
    "persistentvolumeclaims": "the pod's volumes cannot be found",
    "persistentvolumes": "where the pod's volumes are is unknown",
    "storageclasses": "how its volumes are bound is unknown",
    "csinodes": "how many volumes a node takes is unknown",
    "resourceclaims": "the pod's claims cannot be found",
    "deviceclasses": "which devices a class means is unknown",
    "resourceslices": "which devices the nodes have is unknown",
    "devicetaintrules": "which devices are tainted is unknown",
}
UNKNOWN |= dict.fromkeys(("replicationcontrollers", "replicasets", "statefulsets"), UNKNOWN["services"])
UNKNOWN |= dict.fromkeys(("csidrivers", "volumeattachments", "csistoragecapacities"), UNKNOWN["csinodes"])


class Reader:
    """Reads with ``kubectl``. ``namespace``: where the asked pods are, "" for all namespaces.

    ``programs``: pods that run kube-scheduler, as plain data.
    """

    def __init__(self, kubectl: Kubectl, namespace: str) -> None:
        self.kubectl, self.namespace = kubectl, namespace
        self.raws: list[msgspec.Raw] = []
        self.programs: list[dict[str, Any]] = []
        self.wanted: list[dict[str, Any]] = []

    def read(self, asks: Callable[[dict[str, Any]], bool]) -> Reading:
        """The cluster. ``asks``: whether a pod, as plain data, is asked about. KubectlError if pods cannot be read."""
        self._get(FIRST, EVERYWHERE, asks=asks)
        refused = {entry.kind for entry in self.kubectl.refused}
        narrow = (f"--namespace={self.namespace}",)
        kinds: tuple[str, ...] = ("pods", *OWNERS) if "pods" in refused and self.namespace else OWNERS
        if any(map(_has_storage, self.wanted)):
            kinds += STORAGE
        if any(map(_has_devices, self.wanted)):
            kinds += DEVICES
        inside = self.namespace and (kinds == OWNERS or "pods" in kinds)
        self._get(kinds, *(narrow if inside else (EVERYWHERE,)), asks=asks)
        return self._reading()

    def _get(self, kinds: Sequence[str], *where: str, asks: Callable[[dict[str, Any]], bool]) -> None:
        """Collect the objects of these kinds; those that the server does not have are left out."""
        while kinds:
            begun = len(self.raws), len(self.wanted), len(self.programs)
            try:
                for item in self.kubectl.items(",".join(kinds), *where):
                    self._take(decoded(item), asks)
                return
            except NoSuchKindError as error:
                fewer = [kind for kind in kinds if kind.partition(".")[0] != error.kind]
                if len(fewer) == len(kinds):
                    raise
                kinds = fewer
                del self.raws[begun[0] :], self.wanted[begun[1] :], self.programs[begun[2] :]

    def _take(self, data: Any, asks: Callable[[dict[str, Any]], bool]) -> None:
        if not isinstance(data, dict):
            raise KubectlError("kubectl listed something that is not an object")
        if data.get("kind") == "Pod":
            if asks(data):
                self.wanted.append(data)
            if runs_scheduler(data):
                self.programs.append(decoded(msgspec.json.encode(data)))
        self.raws.append(msgspec.Raw(msgspec.json.encode(lean(data))))

    def _reading(self) -> Reading:
        gaps: dict[str, Gap] = {}
        for entry in self.kubectl.refused:
            gaps.setdefault(entry.kind, Gap(entry.kind, entry.why, UNKNOWN.get(entry.kind, "something may be missing")))
        objects, left_out = understood(self.raws)
        return Reading(objects, list(gaps.values()), left_out)


def understood(raws: Sequence[msgspec.Raw]) -> tuple[Objects, list[str]]:
    """The objects, without those that cannot be understood: what is wrong with each of these."""
    try:
        return decode_objects(raws), []
    except ManifestError as error:
        wrong = {problem.source for problem in error.problems}
        faults = [problem.message for problem in error.problems]
    return decode_objects(raw for i, raw in enumerate(raws) if i not in wrong), faults


# -- plain data


def lean(data: dict[str, Any]) -> dict[str, Any]:
    """The object without what no scheduler reads and takes much room."""
    metadata = data.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
        if data.get("kind") == "Pod":
            metadata.pop("annotations", None)
    spec = data.get("spec")
    if isinstance(spec, dict) and data.get("kind") == "Pod":
        for container in _containers(data):
            for name in ("env", "envFrom", "args", "command", "volumeMounts", "livenessProbe", "readinessProbe"):
                container.pop(name, None)
    return data


def _containers(pod: dict[str, Any]) -> Iterator[dict[str, Any]]:
    spec = pod.get("spec")
    for name in ("containers", "initContainers"):
        listed = spec.get(name) if isinstance(spec, dict) else None
        yield from (entry for entry in listed if isinstance(entry, dict)) if isinstance(listed, list) else ()


def key_of(pod: dict[str, Any]) -> tuple[str, str]:
    """(namespace, name) of a pod as plain data."""
    metadata = pod.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return str(metadata.get("namespace")), str(metadata.get("name"))


def runs_scheduler(pod: dict[str, Any]) -> bool:
    """Whether a container of the pod starts kube-scheduler."""
    return any(line and line[0].rpartition("/")[2] == "kube-scheduler" for line in map(command_of, _containers(pod)))


def scheduler_command(pod: dict[str, Any]) -> list[str]:
    """The command line of kube-scheduler in such a pod."""
    lines = map(command_of, _containers(pod))
    return next((line for line in lines if line and line[0].rpartition("/")[2] == "kube-scheduler"), [])


def command_of(container: dict[str, Any]) -> list[str]:
    """The container's command and arguments."""
    lists = (container.get("command"), container.get("args"))
    return [str(word) for words in lists if isinstance(words, list) for word in words]


def _has_storage(pod: dict[str, Any]) -> bool:
    volumes = pod["spec"].get("volumes") if isinstance(pod.get("spec"), dict) else None
    return isinstance(volumes, list) and any(isinstance(v, dict) and v.keys() - PLAIN_VOLUMES for v in volumes)


def _has_devices(pod: dict[str, Any]) -> bool:
    spec = pod["spec"] if isinstance(pod.get("spec"), dict) else {}
    if spec.get("resourceClaims"):
        return True
    for container in _containers(pod):
        resources = container.get("resources")
        requests = resources.get("requests") if isinstance(resources, dict) else None
        if isinstance(requests, dict) and any("/" in str(name) for name in requests):
            return True
    return False
