"""The controllers of claims at work: claims and volumes are bound, volumes made and disposed of.

v1.37: pkg/controller/volume/persistentvolume/pv_controller_base.go, pkg/controller/volume/ephemeral/controller.go (the
claims of pods' ephemeral volumes). Volumes are made by drivers, all of which are there; nothing protects a claim that
is deleted while a pod uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

import simpy
from msgspec.structs import replace

from kschedlab.cluster.volumes import BOUND, SELECTED_NODE, claim_class
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    CSINode,
    Node,
    OwnerReference,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
)
from kschedlab.simulation.clock import after
from kschedlab.simulation.controllers.provisioning import PROVISIONER, fault_of, volume_for
from kschedlab.simulation.controllers.storage import Step, next_of_claim, next_of_volume
from kschedlab.simulation.controllers.work_queue import Work
from kschedlab.simulation.controllers.writes import Update, carry_out
from kschedlab.simulation.events import Record, silent
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.pods import TERMINAL
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.resources import key_of
from kschedlab.simulation.server.status import ApiError

NAME = "persistent-volume-binder"
DRIVER = "external-provisioner"


@dataclass(frozen=True)
class ClaimsSettings:
    """Microseconds. ``provision``, ``delete``: how long drivers take to make a volume, and to dispose of one.

    ``period``: claims that wait are looked at again after so long, if there is a new volume or class by then.
    """

    provision: int = SECOND
    delete: int = SECOND
    period: int = 15 * SECOND


class Claims:
    """The controller of PersistentVolumes, the drivers, and the controller of ephemeral volumes."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: ClaimsSettings = ClaimsSettings(),
        record: Record = silent,
    ) -> None:
        self._env = env
        self._api = api
        self._settings = settings
        self._record = record
        self._shared = informers
        self._claims = informers.of(PersistentVolumeClaim)
        self._volumes = informers.of(PersistentVolume)
        self._classes = informers.of(StorageClass)
        self._nodes = informers.of(Node)
        self._csi_nodes = informers.of(CSINode)
        self._pods = informers.of(Pod)
        self._shelves: dict[str, dict[str, PersistentVolume]] = {}
        self._said: dict[str, str] = {}
        self._making: dict[str, None] = {}
        self._began = api.now
        self._claim_work: Work[str] = Work(env, self._look_at_claim)
        self._volume_work: Work[str] = Work(env, self._look_at_volume)
        self._pod_work: Work[str] = Work(env, self._look_at_pod)
        self._resync: Work[str] = Work(env, lambda _: self._look_at_all())

    def start(self) -> None:
        """Begin to watch."""
        self._volumes.add_handler(
            on_add=lambda new: self._shelve(None, new),
            on_update=self._shelve,
            on_delete=lambda old: self._shelve(old, None),
        )
        self._claims.add_handler(self._claim_changed, lambda _, claim: self._claim_changed(claim), self._claim_changed)
        self._volumes.add_handler(self._volume_changed, lambda _, new: self._volume_changed(new), self._volume_changed)
        self._classes.add_handler(on_add=lambda _: self._soon())
        self._pods.add_handler(on_add=self._pod_came)
        for work in (self._claim_work, self._volume_work, self._pod_work, self._resync):
            work.begin(self._shared.synced)

    # -- what the watches tell

    def _claim_changed(self, claim: PersistentVolumeClaim) -> None:
        """The claim has come, changed or gone; its volume looks too."""
        self._claim_work.add(key_of(claim))
        if claim.spec.volumeName:
            self._volume_work.add(claim.spec.volumeName)

    def _volume_changed(self, volume: PersistentVolume) -> None:
        self._volume_work.add(volume.metadata.name)
        claim = _wanted_by(volume)
        if claim:
            self._claim_work.add(claim)
        elif volume.status.phase == "Available":
            self._soon()

    def _shelve(self, old: PersistentVolume | None, new: PersistentVolume | None) -> None:
        """Keep the volume under the claim that it names, or under none."""
        if old is not None:
            self._shelves.get(_wanted_by(old), {}).pop(old.metadata.name, None)
        if new is not None:
            self._shelves.setdefault(_wanted_by(new), {})[new.metadata.name] = new

    def _soon(self) -> None:
        """Claims that wait may find something now: at the controller's next round."""
        self._resync.add("all", -(self._api.now - self._began) % self._settings.period)

    def _look_at_all(self) -> None:
        for claim in self._claims.list():
            if BOUND not in claim.metadata.annotations:
                self._claim_work.add(key_of(claim))

    # -- claims and volumes

    def _look_at_claim(self, key: str) -> None:
        claim = self._claims.get(key)
        if claim is None or claim.metadata.deletionTimestamp is not None:
            return
        volumes = [*self._shelves.get(key, {}).values(), *self._shelves.get("", {}).values()]
        classes = {found.metadata.name: found for found in self._classes.list()}
        step = next_of_claim(claim, self._volumes.get(claim.spec.volumeName), volumes, classes)
        carry_out(self._api, step.writes, NAME)
        if step.reason:
            self._say(
                claim, "Normal" if step.reason == "WaitForFirstConsumer" else "Warning", step.reason, step.message
            )
        if step.provision:
            self._provision(claim, classes.get(claim_class(claim)))

    def _look_at_volume(self, name: str) -> None:
        volume = self._volumes.get(name)
        if volume is not None:
            step = self._next_of(volume)
            carry_out(self._api, step.writes, NAME)
            if step.reclaim:
                after(self._env, self._settings.delete, self._dispose, volume)

    def _next_of(self, volume: PersistentVolume) -> Step:
        """By the claim as it is now: nobody's data is thrown away because news is late."""
        reference = volume.spec.claimRef
        claims = {}
        if reference is not None:
            claim = self._api.find(PersistentVolumeClaim, reference.namespace, reference.name)
            if claim is not None:
                claims[key_of(claim)] = claim
        return next_of_volume(volume, claims)

    # -- the drivers

    def _provision(self, claim: PersistentVolumeClaim, found: StorageClass | None) -> None:
        """Tell the driver of the claim's class, which makes a volume."""
        if fault := fault_of(claim, found):
            self._say(claim, "Warning", "ProvisioningFailed", fault)
            return
        assert found is not None
        annotations = claim.metadata.annotations | dict.fromkeys(PROVISIONER, found.provisioner)
        if annotations != claim.metadata.annotations:
            metadata = replace(claim.metadata, annotations=annotations)
            carry_out(self._api, [Update(replace(claim, metadata=metadata))], NAME)
        uid = claim.metadata.uid
        if uid not in self._making:
            self._making[uid] = None
            after(self._env, self._settings.provision, self._make, claim)

    def _make(self, claim: PersistentVolumeClaim) -> None:
        """The volume, if the claim still wants it; for another node, if that was chosen meanwhile."""
        del self._making[claim.metadata.uid]
        live = self._claims.get(key_of(claim))
        found = self._classes.get(claim_class(claim))
        if live is None or live.metadata.uid != claim.metadata.uid or live.spec.volumeName or found is None:
            return
        waits = found.volumeBindingMode == "WaitForFirstConsumer"
        if waits and SELECTED_NODE not in live.metadata.annotations:
            return
        nodes = {node.metadata.name: node for node in self._nodes.list()}
        csi_nodes = {node.metadata.name: node for node in self._csi_nodes.list()}
        try:
            volume = self._api.create(volume_for(live, found, nodes, csi_nodes), by=DRIVER)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self._say(live, "Warning", "ProvisioningFailed", str(error))
            return
        self._say(live, "Normal", "ProvisioningSucceeded", f"Successfully provisioned volume {volume.metadata.name}")

    def _dispose(self, volume: PersistentVolume) -> None:
        """Delete the volume, if it is still released."""
        metadata = volume.metadata
        live = self._api.find(PersistentVolume, "", metadata.name)
        if live is not None and live.metadata.uid == metadata.uid and self._next_of(live).reclaim:
            self._api.delete(PersistentVolume, "", metadata.name, uid=metadata.uid, by=DRIVER)

    # -- ephemeral volumes

    def _pod_came(self, pod: Pod) -> None:
        if any(volume.ephemeral is not None for volume in pod.spec.volumes):
            self._pod_work.add(pod.key)

    def _look_at_pod(self, key: str) -> None:
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

    def _say(self, claim: PersistentVolumeClaim, type: str, reason: str, message: str) -> None:
        """Once, until something else is to be said."""
        if self._said.get(claim.metadata.uid) != message:
            self._said[claim.metadata.uid] = message
            self._record(claim, type, reason, message)


def ephemeral_claims(pod: Pod) -> list[PersistentVolumeClaim]:
    """The claims of the pod's ephemeral volumes: they belong to the pod, and go with it."""
    owner = OwnerReference("v1", "Pod", pod.metadata.name, pod.metadata.uid, controller=True)
    return [
        PersistentVolumeClaim(
            metadata=replace(
                template.metadata,
                name=f"{pod.metadata.name}-{volume.name}",
                namespace=pod.metadata.namespace,
                ownerReferences=(owner,),
            ),
            spec=template.spec,
        )
        for volume in pod.spec.volumes
        if volume.ephemeral is not None and (template := volume.ephemeral.volumeClaimTemplate) is not None
    ]


def _wanted_by(volume: PersistentVolume) -> str:
    """The claim that the volume names, or ""."""
    reference = volume.spec.claimRef
    return f"{reference.namespace}/{reference.name}" if reference is not None else ""
