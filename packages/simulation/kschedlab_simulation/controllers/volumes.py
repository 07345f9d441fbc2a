"""The volume controllers: bind claims and volumes, provision volumes, and delete released ones.

v1.37: pkg/controller/volume/persistentvolume/pv_controller_base.go, pkg/controller/volume/ephemeral/controller.go (the
claims of pods' ephemeral volumes). Every storage driver is assumed to be installed; nothing protects a claim that is
deleted while a pod uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import simpy
from msgspec.structs import replace

from kschedlab.cluster.volumes import BOUND, SELECTED_NODE, claim_class
from kschedlab.filter.volumes.csi_migration import DRIVER_OF, GA_ZONE, TRANSLATED
from kschedlab.objects.kinds import key_of
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    CSINode,
    CSIVolume,
    HostPath,
    Node,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    OwnerReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    Pod,
    StorageClass,
    VolumeNodeAffinity,
)
from kschedlab_simulation.clock import after
from kschedlab_simulation.controllers.claim_binding import (
    PROVISIONED_BY,
    WAIT_FOR_FIRST_CONSUMER,
    NextWrites,
    plan_for_claim,
    plan_for_volume,
    waits_for_pod,
)
from kschedlab_simulation.controllers.work_queue import WorkQueue
from kschedlab_simulation.controllers.writes import Update, apply_writes
from kschedlab_simulation.events import Record, silent
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.pods import TERMINAL
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError
from kschedlab_simulation.volume_claims import claim_reference

NO_PROVISIONER = "kubernetes.io/no-provisioner"
PROVISIONER = ("volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner")
"""The claim annotations that request a volume from the driver."""


CSI_DRIVERS = DRIVER_OF | {
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
}
"""The CSI drivers that provision for in-tree names (v1.37: k8s.io/csi-translation-lib, plugins)."""
ON_ITS_NODE = frozenset(["openebs.io/local", "rancher.io/local-path"])
"""Provisioners of folders that only the selected node reaches (local-path-provisioner: provisioner.go)."""
HOSTNAME = "kubernetes.io/hostname"
ZONAL = frozenset(plugin.plugin for plugin in TRANSLATED if plugin.zone)
"""In-tree names whose volumes are in one zone."""


def provisioning_error(claim: PersistentVolumeClaim, storage_class: StorageClass | None) -> str:
    """Why no volume can be provisioned for the claim, or ""."""
    if storage_class is None:
        return f'storageclass.storage.k8s.io "{claim_class(claim)}" not found'
    if storage_class.provisioner == NO_PROVISIONER:
        return f"no volume plugin matched name: {NO_PROVISIONER}"
    if storage_class.provisioner in ON_ITS_NODE and SELECTED_NODE not in claim.metadata.annotations:
        return "configuration error, no node was specified"
    return ""


def provisioned_volume(
    claim: PersistentVolumeClaim,
    storage_class: StorageClass,
    nodes: Mapping[str, Node],
    csi_nodes: Mapping[str, CSINode],
) -> PersistentVolume:
    """A new volume of the requested size, named after the claim's uid.

    Its source is CSI; of a provisioner that is no CSI driver, such as minikube's, a folder.
    """
    name = f"pvc-{claim.metadata.uid}"
    topology = _topology(claim, storage_class, nodes, csi_nodes)
    affinity = VolumeNodeAffinity(NodeSelector((_term(topology),))) if topology else None
    storage = claim.spec.resources.requests.get("storage")
    driver = CSI_DRIVERS.get(storage_class.provisioner, storage_class.provisioner)
    of_csi = "/" not in driver
    return PersistentVolume(
        metadata=ObjectMeta(name=name, annotations={PROVISIONED_BY: storage_class.provisioner}),
        spec=PersistentVolumeSpec(
            capacity={"storage": storage} if storage is not None else {},
            accessModes=claim.spec.accessModes,
            claimRef=claim_reference(claim),
            storageClassName=storage_class.metadata.name,
            volumeMode=claim.spec.volumeMode,
            nodeAffinity=affinity,
            volumeAttributesClassName=claim.spec.volumeAttributesClassName,
            csi=CSIVolume(driver=driver, volumeHandle=name) if of_csi else None,
            hostPath=None if of_csi else HostPath(path=f"/opt/{storage_class.provisioner}/{name}"),
            persistentVolumeReclaimPolicy=storage_class.reclaimPolicy,
        ),
    )


def _topology(
    claim: PersistentVolumeClaim,
    storage_class: StorageClass,
    nodes: Mapping[str, Node],
    csi_nodes: Mapping[str, CSINode],
) -> dict[str, str]:
    """The topology of the volume: the selected node's, or the first one that the class allows.

    Empty: the volume is accessible from all nodes.
    """
    chosen, provisioner = claim.metadata.annotations.get(SELECTED_NODE, ""), storage_class.provisioner
    allowed = [each.matchLabelExpressions for each in storage_class.allowedTopologies]
    node = nodes.get(chosen)
    if node is None:
        return {each.key: each.values[0] for each in (allowed[0] if allowed else ()) if each.values}
    if provisioner in ON_ITS_NODE:
        return {HOSTNAME: node.metadata.labels.get(HOSTNAME, chosen)}
    keys = _topology_keys(CSI_DRIVERS.get(provisioner, provisioner), csi_nodes.get(chosen))
    keys = keys or [e.key for term in allowed for e in term] or ([GA_ZONE] if provisioner in ZONAL else [])
    return {key: node.metadata.labels[key] for key in keys if key in node.metadata.labels}


def _topology_keys(driver: str, storage_class: CSINode | None) -> list[str]:
    drivers = storage_class.spec.drivers if storage_class is not None else ()
    return [key for each in drivers if each.name == driver for key in each.topologyKeys]


def _term(topology: Mapping[str, str]) -> NodeSelectorTerm:
    return NodeSelectorTerm(tuple(NodeSelectorRequirement(key, "In", (value,)) for key, value in topology.items()))


NAME = "persistent-volume-binder"
DRIVER = "external-provisioner"
COMPONENT = "persistentvolume-controller"
"""The origin of the PersistentVolume controller's events."""

CLAIM = "claim"
"""The index of pods by the claims that they use."""


@dataclass(frozen=True)
class VolumeSettings:
    """Microseconds. ``provision``, ``delete``: how long drivers take to create and to delete a volume.

    ``period``: how often waiting claims are synced again, if a volume or class has been added.
    """

    provision: int = SECOND
    delete: int = SECOND
    period: int = 15 * SECOND


class VolumeControllers:
    """The PersistentVolume controller, the storage drivers, and the ephemeral volume controller."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: VolumeSettings = VolumeSettings(),
        record: Record = silent,
    ) -> None:
        self._env = env
        self._api = api
        self._settings = settings
        self._record = record
        self._shared_informers = informers
        self._claims = informers.of(PersistentVolumeClaim)
        self._volumes = informers.of(PersistentVolume)
        self._classes = informers.of(StorageClass)
        self._nodes = informers.of(Node)
        self._csi_nodes = informers.of(CSINode)
        self._pods = informers.of(Pod)
        self._pods.index_by(CLAIM, _claims_of)
        self._volumes_by_claim: dict[str, dict[str, PersistentVolume]] = {}
        self._waiting_at_first: dict[str, list[str]] = {}
        self._last_messages: dict[str, str] = {}
        self._provisioning: dict[str, None] = {}
        self._started_at = api.now
        self._claim_queue: WorkQueue[str] = WorkQueue(env, self._sync_claim)
        self._volume_queue: WorkQueue[str] = WorkQueue(env, self._sync_volume)
        self._pod_queue: WorkQueue[str] = WorkQueue(env, self._sync_pod)
        self._resync: WorkQueue[str] = WorkQueue(env, lambda _: self._sync_all())

    def start(self) -> None:
        self._volumes.add_handler(
            on_add=lambda new: self._index_volume(None, new),
            on_update=self._index_volume,
            on_delete=lambda old: self._index_volume(old, None),
        )
        self._claims.add_handler(self._claim_added, lambda _, claim: self._claim_changed(claim), self._claim_changed)
        self._volumes.add_handler(self._volume_changed, lambda _, new: self._volume_changed(new), self._volume_changed)
        self._classes.add_handler(on_add=lambda _: self._resync_next_period())
        self._pods.add_handler(on_add=self._pod_added)
        for queue in (self._claim_queue, self._volume_queue, self._pod_queue, self._resync):
            queue.start(self._shared_informers.synced)

    # -- event handlers

    def _claim_added(self, claim: PersistentVolumeClaim) -> None:
        """A new claim is looked at before the pod comes for which it was made."""
        if self._pods.synced.triggered:
            self._waiting_at_first[key_of(claim)] = self._names_of_waiting_pods(key_of(claim))
        self._claim_changed(claim)

    def _claim_changed(self, claim: PersistentVolumeClaim) -> None:
        """The claim was added, updated or deleted: enqueue it and its volume."""
        self._claim_queue.add(key_of(claim))
        if claim.spec.volumeName:
            self._volume_queue.add(claim.spec.volumeName)

    def _volume_changed(self, volume: PersistentVolume) -> None:
        self._volume_queue.add(volume.metadata.name)
        claim = _claim_key(volume)
        if claim:
            self._claim_queue.add(claim)
        elif volume.status.phase == "Available":
            self._resync_next_period()

    def _index_volume(self, old: PersistentVolume | None, new: PersistentVolume | None) -> None:
        """Index the volume by the claim in its claimRef, or under ""."""
        if old is not None:
            self._volumes_by_claim.get(_claim_key(old), {}).pop(old.metadata.name, None)
        if new is not None:
            self._volumes_by_claim.setdefault(_claim_key(new), {})[new.metadata.name] = new

    def _resync_next_period(self, idle: bool = False) -> None:
        """Sync waiting claims at the next period: something may match them now; ``idle``: or just the event changes."""
        self._resync.add("all", -(self._api.now - self._started_at) % self._settings.period, idle)

    def _sync_all(self) -> None:
        for claim in self._claims.list():
            if BOUND not in claim.metadata.annotations:
                self._claim_queue.add(key_of(claim))

    # -- claims and volumes

    def _sync_claim(self, key: str) -> None:
        claim = self._claims.get(key)
        if claim is None or claim.metadata.deletionTimestamp is not None:
            return
        volumes = [*self._volumes_by_claim.get(key, {}).values(), *self._volumes_by_claim.get("", {}).values()]
        classes = {storage_class.metadata.name: storage_class for storage_class in self._classes.list()}
        plan = plan_for_claim(claim, self._volumes.get(claim.spec.volumeName), volumes, classes)
        apply_writes(self._api, plan.writes, NAME)
        if plan.reason == WAIT_FOR_FIRST_CONSUMER:
            self._record_once(claim, "Normal", *self._wait(key, plan.message))
        elif plan.reason:
            self._record_once(claim, "Warning", plan.reason, plan.message)
        if plan.provision:
            self._provision(claim, classes.get(claim_class(claim)))

    def _wait(self, key: str, message: str) -> tuple[str, str]:
        """(reason, message) of a claim that waits for its pods, or for the first (findNonScheduledPodsByPVC)."""
        names = self._waiting_at_first.pop(key, None)
        if names is None:
            names = self._names_of_waiting_pods(key)
        if not names:
            return WAIT_FOR_FIRST_CONSUMER, message
        return "WaitForPodScheduled", f"waiting for pod{'s' if names[1:] else ''} {','.join(names)} to be scheduled"

    def _names_of_waiting_pods(self, key: str) -> list[str]:
        pods = [pod for pod in self._pods.by_index(CLAIM, key) if not pod.spec.nodeName]
        return [pod.metadata.name for pod in pods if pod.status.phase not in TERMINAL]

    def _sync_volume(self, name: str) -> None:
        volume = self._volumes.get(name)
        if volume is not None:
            plan = self._plan_for(volume)
            apply_writes(self._api, plan.writes, NAME)
            if plan.reclaim:
                after(self._env, self._settings.delete, self._delete_volume, volume)

    def _plan_for(self, volume: PersistentVolume) -> NextWrites:
        """The plan, by the claim in the API server: a stale cache must not cause the deletion of data."""
        reference = volume.spec.claimRef
        claims = {}
        if reference is not None:
            claim = self._api.find(PersistentVolumeClaim, reference.namespace, reference.name)
            if claim is not None:
                claims[key_of(claim)] = claim
        return plan_for_volume(volume, claims)

    # -- the drivers

    def _provision(self, claim: PersistentVolumeClaim, storage_class: StorageClass | None) -> None:
        """Request a volume from the driver of the claim's class."""
        if fault := provisioning_error(claim, storage_class):
            self._record_once(claim, "Warning", "ProvisioningFailed", fault)
            return
        assert storage_class is not None
        annotations = claim.metadata.annotations | dict.fromkeys(PROVISIONER, storage_class.provisioner)
        if annotations != claim.metadata.annotations:
            metadata = replace(claim.metadata, annotations=annotations)
            apply_writes(self._api, [Update(replace(claim, metadata=metadata))], NAME)
        uid = claim.metadata.uid
        if uid not in self._provisioning:
            self._provisioning[uid] = None
            after(self._env, self._settings.provision, self._create_volume, claim)

    def _create_volume(self, claim: PersistentVolumeClaim) -> None:
        """Create the volume if the claim still needs it, for the node that is currently selected."""
        del self._provisioning[claim.metadata.uid]
        current = self._claims.get(key_of(claim))
        storage_class = self._classes.get(claim_class(claim))
        if current is None or current.metadata.uid != claim.metadata.uid or current.spec.volumeName:
            return
        if storage_class is None:
            return
        if waits_for_pod(storage_class) and SELECTED_NODE not in current.metadata.annotations:
            return
        nodes = {node.metadata.name: node for node in self._nodes.list()}
        csi_nodes = {node.metadata.name: node for node in self._csi_nodes.list()}
        try:
            volume = self._api.create(provisioned_volume(current, storage_class, nodes, csi_nodes), by=DRIVER)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self._record_once(current, "Warning", "ProvisioningFailed", str(error), DRIVER)
            return
        message = f"Successfully provisioned volume {volume.metadata.name}"
        self._record_once(current, "Normal", "ProvisioningSucceeded", message, DRIVER)

    def _delete_volume(self, volume: PersistentVolume) -> None:
        """Delete the volume if it is still released."""
        metadata = volume.metadata
        current = self._api.find(PersistentVolume, "", metadata.name)
        if current is not None and current.metadata.uid == metadata.uid and self._plan_for(current).reclaim:
            self._api.delete(PersistentVolume, "", metadata.name, uid=metadata.uid, by=DRIVER)

    # -- ephemeral volumes

    def _pod_added(self, pod: Pod) -> None:
        if any(volume.ephemeral is not None for volume in pod.spec.volumes):
            self._pod_queue.add(pod.key)
        for key in _claims_of(pod):
            claim = self._claims.get(key)
            if claim is not None and BOUND not in claim.metadata.annotations:
                self._resync_next_period(idle=True)

    def _sync_pod(self, key: str) -> None:
        pod = self._pods.get(key)
        if pod is None or pod.metadata.deletionTimestamp is not None or pod.status.phase in TERMINAL:
            return
        for claim in ephemeral_claims(pod):
            if self._claims.get(key_of(claim)) is None:
                try:
                    self._api.create(claim, by="ephemeral-volume-controller")
                except ApiError as error:
                    if error.reason != "AlreadyExists":
                        raise

    def _record_once(
        self, claim: PersistentVolumeClaim, type: str, reason: str, message: str, by: str = COMPONENT
    ) -> None:
        """Record the event, unless it repeats the claim's last one."""
        if self._last_messages.get(claim.metadata.uid) != message:
            self._last_messages[claim.metadata.uid] = message
            self._record(claim, type, reason, message, by)


def ephemeral_claims(pod: Pod) -> list[PersistentVolumeClaim]:
    """The claims for the pod's ephemeral volumes: the pod owns them, so they are deleted with it."""
    owner = OwnerReference("v1", "Pod", pod.metadata.name, pod.metadata.uid, controller=True)
    claims = []
    for volume in pod.spec.volumes:
        template = volume.ephemeral.volumeClaimTemplate if volume.ephemeral is not None else None
        if template is not None:
            name, namespace = f"{pod.metadata.name}-{volume.name}", pod.metadata.namespace
            metadata = replace(template.metadata, name=name, namespace=namespace, ownerReferences=(owner,))
            claims.append(PersistentVolumeClaim(metadata=metadata, spec=template.spec))
    return claims


def _claims_of(pod: Pod) -> list[str]:
    """The keys of the claims that the pod's volumes name."""
    named = (volume.persistentVolumeClaim for volume in pod.spec.volumes)
    return [f"{pod.metadata.namespace}/{each.claimName}" for each in named if each is not None]


def _claim_key(volume: PersistentVolume) -> str:
    """The key of the claim in the volume's claimRef, or ""."""
    reference = volume.spec.claimRef
    return f"{reference.namespace}/{reference.name}" if reference is not None else ""
