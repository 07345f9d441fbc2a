"""A clock, an API server and controllers for tests; a stand-in binds pods in place of a scheduler."""

from collections import Counter
from contextlib import suppress
from typing import Any, TypeVar

import simpy
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import ApiObject, Node, NodeCondition, Pod
from kschedlab_simulation.controllers.disruption import Disruption
from kschedlab_simulation.controllers.kubelet import Kubelet, KubeletSettings
from kschedlab_simulation.controllers.node_lifecycle import NodeLifecycle
from kschedlab_simulation.controllers.owners import Owners, OwnersSettings
from kschedlab_simulation.controllers.ownership import GarbageCollector
from kschedlab_simulation.controllers.podgc import PodGC
from kschedlab_simulation.controllers.volumes import VolumeControllers, VolumeSettings
from kschedlab_simulation.events import Broadcaster
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.log import Changed, Log, Recorded
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError

SECOND = 1_000_000
_KUBELET = ("kubelet", "Normal")
NOON = 1_700_000_000 * SECOND
KUBELET, OWNERS = KubeletSettings(), OwnersSettings()
LABELS = {"app": "web"}
D = TypeVar("D", bound=ApiObject)


class Stage:
    """``manifests``: the initial objects. Times are seconds since the start."""

    def __init__(
        self,
        *manifests: Manifest,
        kubelet: KubeletSettings = KUBELET,
        owners: OwnersSettings = OWNERS,
        disruption: bool = True,
        latency: int = 0,
        binds: bool = True,
        seed: int = 0,
    ) -> None:
        self.env = simpy.Environment(initial_time=NOON)
        self.log = Log()
        self.api = ApiServer(self.env, self.log, seed=seed)
        for document in documents(*manifests):
            self.api.restore(document)
        informers = Informers(self.env, self.api, latency=latency)
        broadcaster = Broadcaster(lambda: self.api.now, self.log)
        broadcaster.start()
        record = broadcaster.record
        if binds:
            informers.of(Pod).add_handler(on_add=self._bind)
        Kubelet(self.env, self.api, informers, kubelet, record, seed).start()
        Owners(self.env, self.api, informers, owners, record).start()
        if disruption:
            Disruption(self.env, self.api, informers, record=record).start()
        VolumeControllers(self.env, self.api, informers, VolumeSettings(), record).start()
        PodGC(self.env, self.api, informers).start()
        GarbageCollector(self.env, self.api, informers).start()
        NodeLifecycle(self.env, self.api, informers, record).start()
        informers.start()

    def _bind(self, new: Pod) -> None:
        """Bind every pod to the node n1, or to that of its selector."""
        node = new.spec.nodeSelector.get("node", "n1")
        if not new.spec.nodeName and new.metadata.deletionTimestamp is None:
            with suppress(ApiError):  # it is gone by now
                self.api.bind(new.metadata.namespace, new.metadata.name, new.metadata.uid, node, by="scheduler")

    @property
    def now(self) -> float:
        return (self.env.now - NOON) / SECOND

    def run(self, seconds: float = 60) -> "Stage":
        self.env.run(until=self.env.now + int(seconds * SECOND))
        return self

    def create(self, *manifests: Manifest) -> None:
        for document in documents(*manifests):
            self.api.create(document)

    def ready(self, status: str, name: str = "n1") -> None:
        """The node's Ready condition."""
        was = self.get(Node, name, "")
        ready = NodeCondition(type="Ready", status=status)
        self.api.update_status(replace(was, status=replace(was.status, conditions=(ready,))), by="test")

    def get(self, kind: type[D], name: str, namespace: str = "default") -> D:
        return self.api.get(kind, namespace, name)

    def all(self, kind: type[D]) -> list[D]:
        return self.api.list(kind)[0]

    def names(self, kind: type[ApiObject] = Pod) -> list[str]:
        return [each.metadata.name for each in self.all(kind)]  # type: ignore[attr-defined]

    def phases(self) -> dict[str, int]:
        """The number of pods in each phase; Terminating for pods that are being deleted."""
        return dict(Counter(phase(each) for each in self.all(Pod)))

    def delete(self, name: str, kind: type[ApiObject] = Pod, **more: Any) -> None:
        self.api.delete(kind, "default", name, by="test", **more)

    def events(self, *by: str) -> list[tuple[str, str]]:
        """(reason, message) of the events of these components, by default of all but the kubelets' Normal ones."""
        recorded = [entry for entry in self.log if isinstance(entry, Recorded)]
        wanted = [each for each in recorded if each.by in by or (not by and (each.by, each.type) != _KUBELET)]
        return [(entry.reason, entry.message) for entry in wanted]

    def changes(self, kind: str) -> list[Changed]:
        return [entry for entry in self.log if isinstance(entry, Changed) and entry.kind == kind]


def phase(of: Pod) -> str:
    return "Terminating" if of.metadata.deletionTimestamp is not None else of.status.phase


def documents(*manifests: Manifest) -> list[Any]:
    """The objects of the manifests."""
    found = [decode(manifest, manifest["kind"]) for manifest in manifests]
    assert not any(faults for _, faults in found)
    return [document for document, _ in found]


def template(**spec: Any) -> Manifest:
    """A pod template; ``labels`` and ``annotations`` go to its metadata."""
    metadata = {"labels": spec.pop("labels", LABELS), "annotations": spec.pop("annotations", {})}
    made = pod("x", **spec)["spec"]
    return {"metadata": metadata, "spec": {key: value for key, value in made.items() if key != "priority"}}


def owner(kind: str, name: str = "web", replicas: int | None = 3, **spec: Any) -> Manifest:
    """An owner of pods with the labels app=web."""
    versions = {"ReplicationController": "v1", "Job": "batch/v1"}
    selector = LABELS if kind == "ReplicationController" else {"matchLabels": LABELS}
    wanted = {"template": template(), "selector": selector} | spec
    if kind == "Job":
        del wanted["selector"]
    elif replicas is not None:
        wanted["replicas"] = replicas
    return {
        "apiVersion": versions.get(kind, "apps/v1"),
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": wanted,
    }


NODE = node("n1")
