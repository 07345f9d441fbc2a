"""The API server's defaults for fields that the simulation does not read, so that kubectl shows what it always shows.

v1.37: pkg/apis/core/v1/defaults.go, apps/v1/defaults.go, batch/v1/defaults.go.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

Data = dict[str, Any]

_POD: Data = {"dnsPolicy": "ClusterFirst", "securityContext": {}, "terminationGracePeriodSeconds": 30}
_CONTAINER: Data = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
_CONTAINERS = ("containers", "initContainers")
_STATUSES = ("containerStatuses", "initContainerStatuses")
_ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}
_JOB: Data = {"parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False}
_JOB |= {"manualSelector": False}


def filled(kind: str, data: Data) -> Data:
    """The object with these defaults; a new object, which shares what does not change."""
    fill = _KINDS.get(kind)
    spec = data.get("spec")
    if fill is None or not isinstance(spec, dict):
        return data
    return {**data, "spec": fill(spec)}


def _pod_spec(spec: Data) -> Data:
    spec = _POD | spec
    for name in _CONTAINERS:
        if isinstance(spec.get(name), list):
            spec[name] = [_container(item) if isinstance(item, dict) else item for item in spec[name]]
    return spec


def _container(container: Data) -> Data:
    image = container.get("image")
    policy = "Always" if isinstance(image, str) and _is_latest(image) else "IfNotPresent"
    return {**_CONTAINER, "imagePullPolicy": policy, **container}


def _is_latest(image: str) -> bool:
    """Whether this is the tag ``latest``, which an image without tag and digest has, too. A registry has a port."""
    name, _, digest = image.partition("@")
    _, _, tag = name.rpartition("/")[2].partition(":")
    return tag == "latest" if tag or digest else bool(name)


def with_images(pod: Data) -> Data:
    """The pod's status, whose container statuses name the image; clients take both fields for given."""
    spec, status = pod.get("spec", {}), pod.get("status", {})
    images = {each.get("name"): each.get("image", "") for name in _CONTAINERS for each in spec.get(name) or ()}
    for name in _STATUSES:
        if statuses := status.get(name):
            filled_in = [{"image": images.get(each.get("name"), ""), "imageID": ""} | each for each in statuses]
            status = {**status, name: filled_in}
    return dict(status)


def secret(data: Data) -> Data:
    """The Secret as it is stored: texts are data, too (v1.37: pkg/apis/core/v1/conversion.go, defaults.go)."""
    texts = data.get("stringData")
    rest = {name: value for name, value in data.items() if name != "stringData"}
    if isinstance(texts, dict) and texts:
        coded = {name: base64.b64encode(str(text).encode()).decode() for name, text in texts.items()}
        rest["data"] = {**(rest.get("data") or {}), **coded}
    return {"type": "Opaque"} | rest


def _workload(**defaults: Any) -> Callable[[Data], Data]:
    return lambda spec: _with_template(defaults | spec, "template", _pod_spec)


def _with_template(spec: Data, name: str, fill: Callable[[Data], Data]) -> Data:
    template = spec.get(name)
    if isinstance(template, dict) and isinstance(template.get("spec"), dict):
        return {**spec, name: {**template, "spec": fill(template["spec"])}}
    return spec


def _job(spec: Data) -> Data:
    """Without both numbers, one pod is to succeed; with parallelism alone, any number."""
    completions = {"completions": 1} if spec.get("parallelism") is None and spec.get("completions") is None else {}
    replacement = {"podReplacementPolicy": "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"}
    retries = {"backoffLimit": 2**31 - 1} if spec.get("backoffLimitPerIndex") is not None else {}
    return _workload(**_JOB)(completions | replacement | retries | spec)


def _stateful_set(spec: Data) -> Data:
    spec = _workload(replicas=1, revisionHistoryLimit=10)(spec)
    spec = _with_part(spec, "persistentVolumeClaimRetentionPolicy", whenDeleted="Retain", whenScaled="Retain")
    spec = _with_part(spec, "updateStrategy", type="RollingUpdate")
    strategy = spec["updateStrategy"]
    if isinstance(strategy, dict) and strategy["type"] == "RollingUpdate":
        spec["updateStrategy"] = _with_part(strategy, "rollingUpdate", partition=0, maxUnavailable=1)
    return spec


def _with_part(data: Data, name: str, **defaults: Any) -> Data:
    given = data.get(name) or {}
    return {**data, name: defaults | given} if isinstance(given, dict) else data


def _cron_job(spec: Data) -> Data:
    return _with_template({"suspend": False} | spec, "jobTemplate", _workload())


def _service(spec: Data) -> Data:
    kind, affinity = spec.get("type", "ClusterIP"), spec.get("sessionAffinity", "None")
    defaults: Data = {"type": kind, "sessionAffinity": affinity}
    if kind in ("NodePort", "LoadBalancer") or (kind == "ClusterIP" and spec.get("externalIPs")):
        defaults["externalTrafficPolicy"] = "Cluster"
    if kind != "ExternalName":
        defaults["internalTrafficPolicy"] = "Cluster"
    if kind == "LoadBalancer":
        defaults["allocateLoadBalancerNodePorts"] = True
    if affinity == "ClientIP":
        defaults["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}
    spec = defaults | spec
    ports = spec.get("ports")
    if isinstance(ports, list):
        spec["ports"] = [_port(item) if isinstance(item, dict) else item for item in ports]
    return spec


def _port(port: Data) -> Data:
    return {"protocol": "TCP", "targetPort": port.get("port"), **port}


_KINDS: dict[str, Callable[[Data], Data]] = {
    "Pod": lambda spec: {"enableServiceLinks": True} | _pod_spec(spec),
    "Deployment": _workload(replicas=1, strategy=_ROLLING, revisionHistoryLimit=10, progressDeadlineSeconds=600),
    "ReplicaSet": _workload(replicas=1),
    "ReplicationController": _workload(replicas=1),
    "StatefulSet": _stateful_set,
    "DaemonSet": _workload(
        revisionHistoryLimit=10,
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
    ),
    "Job": _job,
    "CronJob": _cron_job,
    "Service": _service,
}
