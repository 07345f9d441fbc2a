"""Checks of storage: volumes of pods, claims, PersistentVolumes, StorageClasses and the objects of CSI.

v1.37: pkg/apis/core/validation/validation.go (ValidateVolumes, ValidatePersistentVolumeSpec,
ValidatePersistentVolumeClaimSpec), pkg/apis/storage/validation/validation.go. Sources of volumes that no scheduler
reads (emptyDir, configMap, nfs, ...) are not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import attrgetter
from posixpath import normpath
from typing import Any

from kschedlab.manifests import checks
from kschedlab.manifests.fields import (
    check_choice,
    check_labels,
    check_name,
    check_present,
)
from kschedlab.messages import later
from kschedlab.objects.model import (
    ISCSI,
    AzureDisk,
    CSINode,
    CSIVolume,
    EphemeralVolume,
    HostPath,
    Part,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimTemplate,
    PersistentVolumeSpec,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from kschedlab.objects.names import dns_label_fault, label_key_fault, name_fault
from kschedlab.objects.problems import WRITTEN, Faults, Path, out_of_range, shortened
from kschedlab_validation.metadata import check_annotations


def check_volumes(volumes: tuple[Volume, ...], pod_name: str, faults: Faults) -> None:
    """Check a pod's volumes. ``pod_name``: "" for a template; it begins the names of claims for ephemeral volumes."""
    names: set[str] = set()
    created = [f"{pod_name}-{each.name}" for each in volumes if each.ephemeral is not None and pod_name]
    for i, volume in enumerate(volumes):
        path: Path = ("spec", "volumes", i)
        if volume.name in names or dns_label_fault(volume.name):
            _check_volume_name(volume.name, names, path, faults)
        names.add(volume.name)
        if _pod_sources(volume) == _NO_SOURCES:
            continue
        check_sources(volume, path, faults)
        claim = volume.persistentVolumeClaim
        if claim is not None and claim.claimName in created:
            message = later(
                '"{claim}" is the claim of an ephemeral volume of this pod', claim=shortened(claim.claimName)
            )
            faults.note((*path, "persistentVolumeClaim", "claimName"), message)
        claim_name = f"{pod_name}-{volume.name}"
        if volume.ephemeral is not None and pod_name and volume.name and (fault := name_fault(claim_name)):
            faults.note((*path, "name"), "gives its claim a name: {fault}", fault=fault)


def _check_volume_name(name: str, names: set[str], path: Path, faults: Faults) -> None:
    check_name(name, (*path, "name"), faults, dns_label_fault)
    if name in names:
        faults.note((*path, "name"), '"{name}" is the name of another volume of the pod', name=shortened(name))


def check_sources(volume: Part, path: Path, faults: Faults) -> list[str]:
    """Check the sources of a pod's volume or of a PersistentVolume, which has at most one; their names."""
    sources = [name for name in _SOURCES if getattr(volume, name, None) is not None]
    if len(sources) > 1:
        message = later("has more than one source: keep one of {names}", names=all_of(sources))
        faults.note(path, message)
    for name in sources:
        _SOURCES[name](getattr(volume, name), (*path, name), faults)
    return sources


def all_of(names: Iterable[str]) -> str:
    """``a and b``."""
    first, *others = names
    for other in others:
        first = later("{one} and {other}", one=first, other=other)
    return first


def _present(*fields: str) -> Callable[[Part, Path, Faults], None]:
    """A check that these fields are there."""

    def check(source: Part, path: Path, faults: Faults) -> None:
        for field in fields:
            check_present(getattr(source, field), (*path, field), faults)

    return check


def _check_csi(source: CSIVolume, path: Path, faults: Faults) -> None:
    check_name(source.driver, (*path, "driver"), faults, driver_name_fault)


def _check_iscsi(source: ISCSI, path: Path, faults: Faults) -> None:
    _present("targetPortal", "iqn")(source, path, faults)
    least, most = 0, 255
    if not least <= source.lun <= most:
        faults.note((*path, "lun"), out_of_range(source.lun, least, most))


def _check_azure_disk(source: AzureDisk, path: Path, faults: Faults) -> None:
    _present("diskName", "diskURI")(source, path, faults)
    check_choice(source.kind, ("Shared", "Dedicated", "Managed"), (*path, "kind"), faults)


def _check_ephemeral(source: EphemeralVolume, path: Path, faults: Faults) -> None:
    if source.volumeClaimTemplate is None:
        faults.note((*path, "volumeClaimTemplate"), "is missing")
    else:
        check_claim_template(source.volumeClaimTemplate, (*path, "volumeClaimTemplate"), faults)


def _check_path(source: HostPath, path: Path, faults: Faults) -> None:
    check_present(source.path, (*path, "path"), faults)
    if ".." in source.path.split("/"):
        faults.note((*path, "path"), 'must not contain ".."')


_SOURCES: dict[str, Callable[[Any, Path, Faults], None]] = {
    "persistentVolumeClaim": _present(),
    "ephemeral": _check_ephemeral,
    "csi": _check_csi,
    "gcePersistentDisk": _present("pdName"),
    "awsElasticBlockStore": _present("volumeID"),
    "iscsi": _check_iscsi,
    "rbd": _present("monitors", "image"),
    "cinder": _present("volumeID"),
    "azureDisk": _check_azure_disk,
    "azureFile": _present("secretName", "shareName"),
    "vsphereVolume": _present("volumePath"),
    "portworxVolume": _present("volumeID"),
    "image": _present("reference"),
    "hostPath": _check_path,
    "local": _check_path,
}
"""The check of each source."""
_POD_SOURCES = [name for name in _SOURCES if name in Volume.__struct_fields__]
_NO_SOURCES = (None,) * len(_POD_SOURCES)
_pod_sources = attrgetter(*_POD_SOURCES)


@lru_cache(4096)
def driver_name_fault(name: str) -> str | None:
    """The fault of the name of a CSI driver, or of a driver of devices."""
    if len(name) <= 63 and name_fault(name.lower()) is None:
        return None
    return later(
        '"{text}" is not a valid name of a driver: use letters, digits, - and . (at most 63), '
        "starting and ending with a letter or digit",
        text=shortened(name),
    )


# -- claims


def check_claim_spec(spec: PersistentVolumeClaimSpec, path: Path, faults: Faults) -> None:
    """Check the spec of a claim, or of a template for claims, beside what decisions depend on."""
    faults.note((*path, "accessModes"), mixed_modes(spec.accessModes))
    if name := spec.volumeAttributesClassName:
        faults.note((*path, "volumeAttributesClassName"), name_fault(name))


def check_new_claim_spec(spec: PersistentVolumeClaimSpec, path: Path, faults: Faults) -> None:
    """Check the whole spec of a claim that is yet to be created."""
    checks.check_claim_spec(spec, path, faults)
    check_claim_spec(spec, path, faults)


def mixed_modes(modes: tuple[str, ...]) -> str | None:
    """The fault of access modes that exclude each other."""
    if "ReadWriteOncePod" in modes and {*modes}.intersection(checks.ACCESS_MODES[:-1]):
        return later("cannot combine ReadWriteOncePod with other access modes")
    return None


def check_claim_template(template: PersistentVolumeClaimTemplate, path: Path, faults: Faults) -> None:
    """Check the template of an ephemeral volume's claim."""
    metadata = template.metadata
    check_labels(metadata.labels, (*path, "metadata", "labels"), faults)
    check_annotations(metadata.annotations, (*path, "metadata", "annotations"), faults)
    check_new_claim_spec(template.spec, (*path, "spec"), faults)


# -- storage objects


_RETAINED = "Retain"
_LONGEST_NODE_ID = 256


def check_volume(volume: PersistentVolume, faults: Faults) -> None:
    spec = volume.spec
    for name in spec.capacity:
        path: Path = ("spec", "capacity", name)
        if name != "storage":
            faults.note(path, "is not a resource of a volume: only storage is")
    _check_volume_spec(spec, ("spec",), faults)
    if spec.nodeAffinity is not None and spec.nodeAffinity.required is None:
        faults.note(("spec", "nodeAffinity", "required"), "is missing")
    if spec.persistentVolumeReclaimPolicy:
        policies = ("Delete", "Recycle", _RETAINED)
        check_choice(spec.persistentVolumeReclaimPolicy, policies, ("spec", "persistentVolumeReclaimPolicy"), faults)
        if spec.persistentVolumeReclaimPolicy == "Recycle" and spec.hostPath and _is_root(spec.hostPath.path):
            faults.note(("spec", "persistentVolumeReclaimPolicy"), "cannot be Recycle for the hostPath /")
    if spec.volumeAttributesClassName is not None:
        check_name(spec.volumeAttributesClassName, ("spec", "volumeAttributesClassName"), faults)


def _is_root(path: str) -> bool:
    return path.startswith("/") and not normpath(path).strip("/")


def _check_volume_spec(spec: PersistentVolumeSpec, path: Path, faults: Faults) -> None:
    check_sources(spec, path, faults)
    if spec.csi is not None:
        check_present(spec.csi.volumeHandle, (*path, "csi", "volumeHandle"), faults)
    if spec.storageClassName:
        faults.note((*path, "storageClassName"), name_fault(spec.storageClassName))
    if spec.azureFile is not None and spec.azureFile.secretNamespace == "":  # a pod's source has no such field
        faults.note((*path, "azureFile", "secretNamespace"), "is empty: give it a value or leave it out")


def check_claim(claim: PersistentVolumeClaim, faults: Faults) -> None:
    check_claim_spec(claim.spec, ("spec",), faults)
    for name, amount in claim.status.capacity.items():
        if amount.nanos < 0 or amount.overflows():
            message = later("{value} is negative or too large", value=WRITTEN)
            faults.note(("status", "capacity", name), message, str(amount))


def check_storage_class(storage_class: StorageClass, faults: Faults) -> None:
    check_name(storage_class.provisioner.lower(), ("provisioner",), faults, label_key_fault)
    if storage_class.reclaimPolicy:
        check_choice(storage_class.reclaimPolicy, ("Delete", _RETAINED), ("reclaimPolicy",), faults)
    for i, term in enumerate(storage_class.allowedTopologies):
        for j, each in enumerate(term.matchLabelExpressions):
            if len({*each.values}) < len(each.values):
                path: Path = ("allowedTopologies", i, "matchLabelExpressions", j, "values")
                faults.note(path, "has a value twice")


# -- CSI


def check_csi_node(node: CSINode, faults: Faults) -> None:
    names = [driver.name for driver in node.spec.drivers]
    for i, driver in enumerate(node.spec.drivers):
        path: Path = ("spec", "drivers", i)
        check_name(driver.name, (*path, "name"), faults, driver_name_fault)
        if driver.name in names[:i]:
            faults.note((*path, "name"), '"{name}" appears twice', name=shortened(driver.name))
        check_present(driver.nodeID, (*path, "nodeID"), faults)
        if len(driver.nodeID.encode()) > _LONGEST_NODE_ID:
            faults.note((*path, "nodeID"), "has more than {most} characters", most=_LONGEST_NODE_ID)
        for j, key in enumerate(driver.topologyKeys):
            check_name(key, (*path, "topologyKeys", j), faults, label_key_fault)
            if key in driver.topologyKeys[:j]:
                faults.note((*path, "topologyKeys", j), '"{name}" appears twice', name=shortened(key))


def check_attachment(attachment: VolumeAttachment, faults: Faults) -> None:
    """Check a VolumeAttachment, which names a volume or contains the spec of one."""
    spec, path = attachment.spec, ("spec", "source")
    check_name(spec.attacher, ("spec", "attacher"), faults, driver_name_fault)
    check_name(spec.nodeName, ("spec", "nodeName"), faults)
    name, inline = spec.source.persistentVolumeName, spec.source.inlineVolumeSpec
    if (name is None) == (inline is None):
        faults.note(path, "expected either persistentVolumeName or inlineVolumeSpec")
    if name is not None:
        check_name(name, (*path, "persistentVolumeName"), faults)
    elif inline is not None:
        _check_inline(inline, (*path, "inlineVolumeSpec"), faults)


def _check_inline(spec: PersistentVolumeSpec, path: Path, faults: Faults) -> None:
    """Check a volume that was in a pod: it has a CSI source, and nothing that a pod's volume lacks."""
    _check_volume_spec(spec, path, faults)
    checks.check_access_modes(spec.accessModes, (*path, "accessModes"), faults)
    check_choice(spec.volumeMode, checks.VOLUME_MODES, (*path, "volumeMode"), faults)
    faults.note((*path, "accessModes"), mixed_modes(spec.accessModes))
    check_present(spec.csi, (*path, "csi"), faults)
    for field in ("claimRef", "capacity", "nodeAffinity", "storageClassName"):
        if getattr(spec, field) not in (None, {}, ""):
            faults.note((*path, field), "cannot be set for a volume in a pod")
    for field, only in (("persistentVolumeReclaimPolicy", _RETAINED), ("volumeMode", "Filesystem")):
        if getattr(spec, field) not in ("", only):
            faults.note((*path, field), "must be {only} for a volume in a pod", only=only)
