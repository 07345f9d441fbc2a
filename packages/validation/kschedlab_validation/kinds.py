"""Checks of objects, by kind.

v1.37: pkg/apis/{core,apps,batch,policy,resource,scheduling,storage}/validation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kschedlab.manifests.defaults import SYSTEM_CLASSES
from kschedlab.manifests.fields import (
    check_choice,
    check_count,
    check_name,
    check_selector,
)
from kschedlab.messages import later
from kschedlab.objects.model import (
    ApiObject,
    CSINode,
    Deployment,
    DeploymentSpec,
    DeviceClass,
    DeviceTaintRule,
    Job,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PodGroup,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    StatefulSet,
    StatefulSetUpdateStrategy,
    StorageClass,
    VolumeAttachment,
)
from kschedlab.objects.names import dns_label_fault
from kschedlab.objects.problems import Fault, Faults, Path, shortened
from kschedlab_validation.device_claims import check_claim_template, check_resource_claim
from kschedlab_validation.devices import check_device_class, check_slice, check_taint_rule
from kschedlab_validation.groups import check_pod_group
from kschedlab_validation.metadata import check_metadata
from kschedlab_validation.pods import check_pod
from kschedlab_validation.volumes import (
    check_attachment,
    check_claim,
    check_csi_node,
    check_new_claim_spec,
    check_storage_class,
    check_volume,
)

_PERCENT = re.compile(r"[0-9]+%")
_HIGHEST_PRIORITY = 1_000_000_000
"""The highest value of a user-defined PriorityClass (v1.37: pkg/apis/scheduling/types.go)."""
_SYSTEM_PREFIX = "system-"
ROLLING_UPDATE = "RollingUpdate"
"""The default strategy of Deployments and StatefulSets."""


def _check_budget(budget: PodDisruptionBudget, faults: Faults) -> None:
    if budget.spec.minAvailable is not None and budget.spec.maxUnavailable is not None:
        faults.note(("spec", "maxUnavailable"), "cannot be combined with minAvailable: keep only one of them")
    for field, amount in (("minAvailable", budget.spec.minAvailable), ("maxUnavailable", budget.spec.maxUnavailable)):
        if amount is not None:
            faults.note(("spec", field), _share_fault(amount))
    if budget.spec.unhealthyPodEvictionPolicy is not None:
        policies, path = ("IfHealthyBudget", "AlwaysAllow"), ("spec", "unhealthyPodEvictionPolicy")
        check_choice(budget.spec.unhealthyPodEvictionPolicy, policies, path, faults)
    for field in ("currentHealthy", "desiredHealthy", "expectedPods"):
        check_count(getattr(budget.status, field), ("status", field), faults)


def _share_fault(amount: int | str) -> str | None:
    """The fault of a number or percentage of pods."""
    if isinstance(amount, int):
        return None if amount >= 0 else later("{value} is negative", value=amount)
    if not _PERCENT.fullmatch(amount):
        return later('"{amount}" is neither a number nor a percentage such as 50%', amount=shortened(amount))
    return None if int(amount[:-1]) <= 100 else later('"{amount}" is more than 100%', amount=shortened(amount))


def _check_priority_class(priority_class: PriorityClass, faults: Faults) -> None:
    name, value = priority_class.metadata.name, priority_class.value
    if name in SYSTEM_CLASSES:
        if value != SYSTEM_CLASSES[name]:
            faults.note(("value",), "must be {value} in this class", value=SYSTEM_CLASSES[name])
        if priority_class.globalDefault:
            faults.note(("globalDefault",), "must be false in this class")
    elif name.startswith(_SYSTEM_PREFIX):
        faults.note(
            ("metadata", "name"), "must not start with {prefix}, which only system classes do", prefix=_SYSTEM_PREFIX
        )
    elif value > _HIGHEST_PRIORITY:
        message = later(
            "{value} is more than {most}, the highest value of user-defined classes",
            value=value,
            most=_HIGHEST_PRIORITY,
        )
        faults.note(("value",), message)


def _check_replication_controller(controller: ReplicationController, faults: Faults) -> None:
    """Check a ReplicationController except its template."""
    check_count(controller.spec.replicas, ("spec", "replicas"), faults)
    check_count(controller.spec.minReadySeconds, ("spec", "minReadySeconds"), faults)


def _check_replicas(owner: ReplicaSet | StatefulSet | Deployment, faults: Faults) -> None:
    """Check a ReplicaSet, StatefulSet or Deployment except its template."""
    check_count(owner.spec.replicas, ("spec", "replicas"), faults)
    check_count(owner.spec.minReadySeconds, ("spec", "minReadySeconds"), faults)
    if isinstance(owner, Deployment):
        _check_rollout(owner.spec, faults)
    if isinstance(owner, StatefulSet):
        policies = ("OrderedReady", "Parallel")
        check_choice(owner.spec.podManagementPolicy or policies[0], policies, ("spec", "podManagementPolicy"), faults)
        _check_update(owner.spec.updateStrategy, faults)
        for i, template in enumerate(owner.spec.volumeClaimTemplates):
            path: Path = ("spec", "volumeClaimTemplates", i)
            check_name(template.metadata.name, (*path, "metadata", "name"), faults, dns_label_fault)
            check_new_claim_spec(template.spec, (*path, "spec"), faults)


def _check_rollout(spec: DeploymentSpec, faults: Faults) -> None:
    strategy = spec.strategy
    path: Path = ("spec", "strategy")
    check_choice(strategy.type or ROLLING_UPDATE, (ROLLING_UPDATE, "Recreate"), (*path, "type"), faults)
    if rolling := strategy.rollingUpdate:
        path = (*path, "rollingUpdate")
        if strategy.type == "Recreate":
            faults.note(path, "cannot be set with the type Recreate")
        if not _is_percent_above_100(rolling.maxSurge):
            faults.note((*path, "maxSurge"), _share_fault(rolling.maxSurge))
        if fault := _share_fault(rolling.maxUnavailable):
            faults.note((*path, "maxUnavailable"), fault)
        elif rolling.maxUnavailable in (0, "0%") and rolling.maxSurge in (0, "0%"):
            faults.note((*path, "maxUnavailable"), "may not be 0 when maxSurge is 0")
    for field in ("revisionHistoryLimit", "progressDeadlineSeconds"):
        check_count(getattr(spec, field), ("spec", field), faults)
    if spec.progressDeadlineSeconds <= spec.minReadySeconds:
        faults.note(("spec", "progressDeadlineSeconds"), "must be greater than minReadySeconds")


def _is_percent_above_100(amount: int | str) -> bool:
    return isinstance(amount, str) and bool(_PERCENT.fullmatch(amount)) and int(amount[:-1]) > 100


def _check_update(strategy: StatefulSetUpdateStrategy, faults: Faults) -> None:
    path: Path = ("spec", "updateStrategy")
    rolling = strategy.rollingUpdate
    check_choice(strategy.type or ROLLING_UPDATE, (ROLLING_UPDATE, "OnDelete"), (*path, "type"), faults)
    if rolling is None:
        return
    path = (*path, "rollingUpdate")
    if strategy.type == "OnDelete":
        faults.note(path, "cannot be set with the type OnDelete")
    check_count(rolling.partition, (*path, "partition"), faults)
    if rolling.maxUnavailable is not None and (fault := _share_fault(rolling.maxUnavailable)):
        faults.note((*path, "maxUnavailable"), fault)
    elif rolling.maxUnavailable in (0, "0%"):
        faults.note((*path, "maxUnavailable"), "cannot be 0")


def _check_job(job: Job, faults: Faults) -> None:
    """Check a Job except its template."""
    if len(job.metadata.name) > 63:
        faults.note(("metadata", "name"), "has more than 63 characters: it is a label of the Job's pods")
    for field in ("parallelism", "completions", "backoffLimit"):
        check_count(getattr(job.spec, field), ("spec", field), faults)
    check_selector(job.spec.selector, ("spec", "selector"), faults)


_FEATURE = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_LONGEST_FEATURE = 253


def _check_node(node: Node, faults: Faults) -> None:
    features = node.status.declaredFeatures
    for i, feature in enumerate(features):
        path: Path = ("status", "declaredFeatures", i)
        if len(feature) > _LONGEST_FEATURE or not _FEATURE.fullmatch(feature):
            message = later('"{name}" is not a valid name of a feature, such as MyFeature', name=shortened(feature))
            faults.note(path, message)
        if i and feature <= features[i - 1]:
            faults.note(path, "must come after the one before it in alphabetical order")


_CHECKS: dict[type[ApiObject], Callable[[Any, Faults], None]] = {
    Pod: check_pod,
    Node: _check_node,
    PodDisruptionBudget: _check_budget,
    PriorityClass: _check_priority_class,
    PodGroup: check_pod_group,
    ReplicationController: _check_replication_controller,
    ReplicaSet: _check_replicas,
    StatefulSet: _check_replicas,
    Deployment: _check_replicas,
    Job: _check_job,
    PersistentVolume: check_volume,
    PersistentVolumeClaim: check_claim,
    StorageClass: check_storage_class,
    CSINode: check_csi_node,
    VolumeAttachment: check_attachment,
    ResourceSlice: check_slice,
    DeviceClass: check_device_class,
    DeviceTaintRule: check_taint_rule,
    ResourceClaim: check_resource_claim,
    ResourceClaimTemplate: check_claim_template,
}


def faults_of(document: ApiObject) -> list[Fault]:
    """The faults for which the API server would refuse the object, beside those that the engine finds."""
    faults = Faults()
    metadata = document.metadata
    check_metadata(metadata, type(document).__name__, faults)
    if check := _CHECKS.get(type(document)):
        check(document, faults)
    return faults
