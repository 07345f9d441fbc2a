"""Volumes and claims that the scheduler assumes before it writes them to the API server.

v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go, pkg/scheduler/util/assumecache/assume_cache.go; v1.13:
pkg/controller/volume/persistentvolume/scheduler_binder.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.cluster.object_store import key_of
from kschedlab.cluster.volumes import MIGRATED_PLUGINS, SELECTED_NODE, is_bound
from kschedlab.filter.volumes.csi_migration import MigrationError, in_tree, translated_affinity
from kschedlab.objects.model import (
    ApiObject,
    CSINode,
    Node,
    NodeSelector,
    PersistentVolume,
    PersistentVolumeClaim,
)
from kschedlab_simulation.scheduler.assumed_volumes import AssumedVolumes, VolumeError
from kschedlab_simulation.scheduler.rules import BinderRules


class AssumeCache:
    """Volumes and claims, as observed by the informers and as assumed.

    An assumed object is valid until the informers observe a newer resource version.
    """

    def __init__(self) -> None:
        self._observed: dict[tuple[type[ApiObject], Any], ApiObject] = {}
        self._latest: dict[tuple[type[ApiObject], Any], ApiObject] = {}

    def observed(self, kind: type[ApiObject], key: Any) -> Any:
        """The observed object, or None."""
        return self._observed.get((kind, key))

    def latest(self, kind: type[ApiObject], key: Any) -> Any:
        """The assumed object, otherwise the observed one, or None."""
        return self._latest.get((kind, key))

    def observe(self, document: ApiObject) -> bool:
        """Record an observed object. Returns whether it is newer; always True for other kinds."""
        if not isinstance(document, (PersistentVolume, PersistentVolumeClaim)):
            return True
        key = type(document), key_of(document)
        stored = self._latest.get(key)
        if stored is not None and 0 < version(document) <= version(stored):
            return False
        self._observed[key] = self._latest[key] = document
        return True

    def remove(self, document: ApiObject) -> None:
        self._observed.pop((type(document), key_of(document)), None)
        self._latest.pop((type(document), key_of(document)), None)

    def assume(self, document: ApiObject) -> None:
        """Assume the object. VolumeError if it is missing, or if a newer version is known."""
        key = type(document), key_of(document)
        stored = self._latest.get(key)
        if stored is None:
            raise VolumeError(f'could not find {type(document).__name__} "{_shown(key[1])}"')
        if version(document) < version(stored):
            stale = f"(stored: {version(stored)}, assume: {version(document)})"
            raise VolumeError(f'{type(document).__name__} "{_shown(key[1])}" is out of sync {stale}')
        self._latest[key] = document

    def restore(self, document: ApiObject) -> ApiObject | None:
        """Undo an assumption. Returns the observed object, or None if the object was not assumed."""
        key = type(document), key_of(document)
        observed = self._observed.get(key)
        if observed is None or self._latest.get(key) is observed:
            return None
        self._latest[key] = observed
        return observed


@dataclass(frozen=True)
class BindingCheck:
    """Checks whether the volumes and claims written for a pod on ``node`` are bound. v1.37: binder.go, checkBindings.

    ``provisioning_failed``: the template of the error if a claim lost its selected node.
    """

    assumed: AssumeCache
    node: Node
    csi_node: CSINode | None
    rules: BinderRules
    provisioning_failed: str

    def is_done(self, written: AssumedVolumes) -> bool:
        """Whether all are bound. VolumeError if they never will be, so that the pod must be rescheduled."""
        static = zip(written.volumes, written.for_claims, strict=True)
        return all(self._is_bound(*each) for each in static) and all(map(self._is_provisioned, written.claims))

    def _is_bound(self, written: PersistentVolume, for_claim: PersistentVolumeClaim) -> bool:
        volume: PersistentVolume = self._get(written, "failed to check binding")
        claim: PersistentVolumeClaim = self._get(for_claim, "failed to check binding")
        if self.rules.waits_for_informer and version(written) > version(volume):
            return False
        self._check_usable(volume)
        if volume.spec.claimRef is None or not volume.spec.claimRef.uid:
            raise VolumeError(f'ClaimRef got reset for pv "{volume.metadata.name}"')
        return is_bound(claim)

    def _is_provisioned(self, written: PersistentVolumeClaim) -> bool:
        claim: PersistentVolumeClaim = self._get(written, "failed to check provisioning pvc")
        if self.rules.waits_for_informer and version(written) > version(claim):
            return False
        selected, node = claim.metadata.annotations.get(SELECTED_NODE, ""), self.node.metadata.name
        if selected != node:
            reason = self.provisioning_failed.format(name=claim.metadata.name, selected=selected, node=node)
            raise VolumeError(reason)
        if claim.spec.volumeName and self.rules.waits_for_informer:
            volume = self.assumed.observed(PersistentVolume, claim.spec.volumeName)
            if volume is None:
                return False
            self._check_usable(volume)
        return is_bound(claim)

    def _get(self, document: ApiObject, doing: str) -> Any:
        get, key = self.assumed.observed if self.rules.waits_for_informer else self.assumed.latest, key_of(document)
        stored = get(type(document), key)
        if stored is None:
            raise VolumeError(f'{doing}: could not find {type(document).__name__} "{_shown(key)}"')
        return stored

    def _check_usable(self, volume: PersistentVolume) -> None:
        if not self.rules.waits_for_informer:
            return
        affinity = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
        plugin = in_tree(volume.spec) if self.csi_node is not None else None
        if plugin is not None and self.csi_node is not None and plugin.plugin in self.rules.translates:
            migrated = self.csi_node.metadata.annotations.get(MIGRATED_PLUGINS, "").split(",")
            try:
                affinity = translated_affinity(plugin, volume) if plugin.plugin in migrated else affinity
            except MigrationError as error:
                raise VolumeError(f"failed to translate pv to csi: {error}") from error
        if affinity is not None and not _matches(affinity, self.node):
            raise VolumeError(
                f'pv "{volume.metadata.name}" node affinity doesn\'t match node "{self.node.metadata.name}": '
                "no matching NodeSelectorTerms"
            )


def _matches(affinity: NodeSelector, node: Node) -> bool:
    terms = (term for term in affinity.compile().terms if not term.empty)
    return any(term.labels.matches(node.metadata.labels) for term in terms)


def version(document: Any) -> int:
    """The resource version as a number; 0 without one."""
    return int(document.metadata.resourceVersion or 0)


def _shown(key: Any) -> str:
    return key if isinstance(key, str) else "/".join(key)
