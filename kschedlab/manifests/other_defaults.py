"""The defaults of workloads and of claims of devices.

v1.37: pkg/apis/core/v1/defaults.go (SetDefaults_ReplicationController), pkg/apis/{apps,resource}/v1/defaults.go.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from kschedlab.objects.model import (
    EXACT_COUNT,
    Deployment,
    DeviceRequest,
    DeviceSubRequest,
    ExactDeviceRequest,
    ReplicationController,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimTemplate,
    RollingUpdateDeployment,
    RollingUpdateStatefulSet,
    StatefulSet,
)

R = TypeVar("R", ExactDeviceRequest, DeviceSubRequest)

_replace = msgspec.structs.replace


def with_other_defaults(document: Any) -> Any:
    """The object as the API server stores it."""
    if isinstance(document, ReplicationController):
        return _replication_controller(document)
    if isinstance(document, Deployment):
        return _deployment(document)
    if isinstance(document, StatefulSet):
        return _stateful_set(document)
    if isinstance(document, ResourceClaim):
        return _replace(document, spec=_claim_spec(document.spec))
    if isinstance(document, ResourceClaimTemplate):
        return _replace(document, spec=_replace(document.spec, spec=_claim_spec(document.spec.spec)))
    return document


# -- workloads


def _replication_controller(controller: ReplicationController) -> ReplicationController:
    template = controller.spec.template
    if controller.spec.selector or template is None or not template.metadata.labels:
        return controller
    return _replace(controller, spec=_replace(controller.spec, selector=template.metadata.labels))


def _deployment(deployment: Deployment) -> Deployment:
    strategy = deployment.spec.strategy
    if strategy.rollingUpdate is not None or strategy.type == "Recreate":
        return deployment
    strategy = _replace(strategy, type="RollingUpdate", rollingUpdate=RollingUpdateDeployment())
    return _replace(deployment, spec=_replace(deployment.spec, strategy=strategy))


def _stateful_set(stateful_set: StatefulSet) -> StatefulSet:
    strategy = stateful_set.spec.updateStrategy
    if strategy.rollingUpdate is not None or strategy.type == "OnDelete":
        return stateful_set
    strategy = _replace(strategy, type="RollingUpdate", rollingUpdate=RollingUpdateStatefulSet())
    return _replace(stateful_set, spec=_replace(stateful_set.spec, updateStrategy=strategy))


# -- claims of devices


def _claim_spec(spec: ResourceClaimSpec) -> ResourceClaimSpec:
    devices = spec.devices
    return _replace(spec, devices=_replace(devices, requests=tuple(map(_request, devices.requests))))


def _request(request: DeviceRequest) -> DeviceRequest:
    exactly = request.exactly
    subrequests = tuple(map(_counted, request.firstAvailable))
    return _replace(request, exactly=None if exactly is None else _counted(exactly), firstAvailable=subrequests)


def _counted(request: R) -> R:
    """The request with a mode and, in mode ExactCount, a count."""
    mode = request.allocationMode or EXACT_COUNT
    count = 1 if mode == EXACT_COUNT and request.count == 0 else request.count
    return _replace(request, allocationMode=mode, count=count)
