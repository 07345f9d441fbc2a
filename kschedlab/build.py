"""Manifests of small clusters in few words: for lessons, tests and plugins.

    world = cluster(node("n1", cpu=4), node("n2", cpu=2), pod("db", on="n1", cpu=3), pod("web", cpu=2))

Each builder returns a manifest as a dict, as ``kubectl get -o yaml`` would show it; ``as_yaml`` writes a file of them.
What is not named keeps the API's default.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import signature
from typing import Any, TypeAlias

from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.known_fields import known
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later
from kschedlab.objects.api import API_1_37, Api
from kschedlab.objects.problems import InputTypeError, unknown

Manifest: TypeAlias = dict[str, Any]

HOUR = 60
"""An hour in minutes, the unit of ``start``."""


def node(
    name: str,
    cpu: int | str = 4,
    memory: str = "16Gi",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
    *,
    allocatable: Mapping[str, Any] | None = None,
    images: Sequence[Mapping[str, Any]] = (),
    **spec: Any,
) -> Manifest:
    """A node with room for 110 pods. ``allocatable``: all of its resources, in place of ``cpu`` and ``memory``.

    ``images``: as in ``status.images``; other names go to the spec, which must have such a field.
    """
    _check_spec(node, "Node", spec)
    room = {"cpu": str(cpu), "memory": memory, "pods": "110"} if allocatable is None else dict(allocatable)
    made: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": room}}
    if labels:
        made["metadata"]["labels"] = dict(labels)
    if images:
        made["status"]["images"] = [dict(image) for image in images]
    if taints:
        spec = {"taints": [dict(taint) for taint in taints]} | spec
    return made | ({"spec": spec} if spec else {})


def pod(
    name: str,
    on: str = "",
    cpu: int | str | None = None,
    priority: int | None = None,
    start: int | str | None = None,
    labels: Mapping[str, str] | None = None,
    memory: str | None = None,
    *,
    requests: Mapping[str, Any] | None = None,
    namespace: str = "default",
    nominated: str = "",
    deleted: str = "",
    image: str = "example/app:1",
    ports: Sequence[Mapping[str, Any]] = (),
    **spec: Any,
) -> Manifest:
    """A pod of one container, which runs ``on`` that node; "" for a pending pod.

    ``start``: minutes after midnight, or a time as the API writes it. ``requests``: resources besides ``cpu`` and
    ``memory``. ``nominated``: the node that preemption makes room on. ``deleted``: when its deletion ends. ``image``,
    ``ports``: the container's; other names go to the spec, which must have such a field.
    """
    _check_spec(pod, "Pod", spec)
    requested = {"cpu": cpu, "memory": memory} | dict(requests or {})
    container: Manifest = {"name": "main", "image": image}
    if amounts := {resource: str(amount) for resource, amount in requested.items() if amount is not None}:
        container["resources"] = resources(amounts)
    if ports:
        container["ports"] = [dict(port) for port in ports]
    metadata: Manifest = {"name": name, "namespace": namespace}
    made: Manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    if priority is not None:
        made["spec"]["priority"] = priority
    made["spec"] |= spec
    if labels:
        metadata["labels"] = dict(labels)
    if deleted:
        metadata["deletionTimestamp"] = deleted
    status = {"nominatedNodeName": nominated} if nominated else {}
    if on:
        made["spec"]["nodeName"] = on
        status["phase"] = "Running"
    if start is not None:
        status["startTime"] = f"2026-03-02T{clock_time(start)}:00Z" if isinstance(start, int) else start
    return made | ({"status": status} if status else {})


def _check_spec(builder: Callable[..., Manifest], kind: str, spec: Iterable[str]) -> None:
    """UnknownNameError for a name that is neither a parameter of the builder nor a field of the kind's spec."""
    for name in spec:
        if name not in (fields := known().types[f"{kind}Spec"]):
            what = later("parameter of {builder}() or field of {kind}.spec", builder=builder.__name__, kind=kind)
            raise unknown(what, name, [*(each for each in signature(builder).parameters if each != "spec"), *fields])


def resources(requests: Mapping[str, Any]) -> Manifest:
    """Requests, with the limits that the API asks for: extended resources and huge pages are never overcommitted."""
    limits = {name: amount for name, amount in requests.items() if "/" in name or name.startswith("hugepages-")}
    return {"requests": dict(requests)} | ({"limits": limits} if limits else {})


def budget(
    name: str,
    allowed: int,
    labels: Mapping[str, str] | None = None,
    *,
    namespace: str = "default",
    disrupted: Sequence[str] = (),
    **spec: Any,
) -> Manifest:
    """A PodDisruptionBudget with its status as the controller last wrote it: it allows that many disruptions.

    ``labels``: those of its pods, by default ``app: name``; ``disrupted``: pods whose eviction is already counted;
    other names go to the spec, so ``selector=None`` is a budget without a selector.
    """
    _check_spec(budget, "PodDisruptionBudget", spec)
    status: Manifest = {"disruptionsAllowed": allowed}
    if disrupted:
        status["disruptedPods"] = dict.fromkeys(disrupted, "2024-01-01T00:00:00Z")
    selected = {"app": name} if labels is None else dict(labels)
    made = _object("policy/v1", "PodDisruptionBudget", name, namespace, {"selector": {"matchLabels": selected}} | spec)
    return made | {"status": status}


def deployment(name: str, replicas: int, /, namespace: str = "default", **template: Any) -> Manifest:
    """A Deployment of pods with the label ``app: name``; ``template`` says the rest of them, as in :func:`pod`.

    What only a pod that exists has (``on``, ``start``, ``nominated``, ``deleted``) is a TypeError.
    """
    if wrong := [each for each in ("on", "start", "nominated", "deleted") if each in template]:
        raise InputTypeError("a pod of a Deployment has no {field} before it exists", field=wrong[0])
    labels = {"app": name} | dict(template.pop("labels", None) or {})
    made = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}}
    made["template"] = {"metadata": {"labels": labels}, "spec": pod(name, **template)["spec"]}
    return _object("apps/v1", "Deployment", name, namespace, made)


def service(name: str, selector: Mapping[str, str], namespace: str = "default") -> Manifest:
    """A Service of the pods with these labels."""
    return _object("v1", "Service", name, namespace, {"selector": dict(selector)})


def _object(version: str, kind: str, name: str, namespace: str, spec: Manifest) -> Manifest:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def term(*conditions: str) -> Manifest:
    """A node selector's term: ``term("disk In ssd,hdd", "metadata.name NotIn n1", "gpu Exists")``."""
    requirements = []
    for condition in conditions:
        key, operator, *values = condition.split(" ", 2)
        requirements.append({"key": key, "operator": operator} | ({"values": values[0].split(",")} if values else {}))
    by_name = [each for each in requirements if each["key"] == "metadata.name"]
    return {"matchExpressions": [each for each in requirements if each not in by_name], "matchFields": by_name}


def node_affinity(*terms: Manifest, preferred: Sequence[tuple[int, Manifest]] = ()) -> Manifest:
    """``spec.affinity`` with required terms, if there are any, and preferred ones with their weights."""
    affinity: Manifest = {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "preference": preference} for weight, preference in preferred
        ]
    }
    if terms:
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": list(terms)}
    return {"nodeAffinity": affinity}


def cluster(*manifests: Manifest, api: Api = API_1_37) -> Cluster:
    """A cluster of these objects."""
    return Cluster(decode_objects(manifests), api)


def as_yaml(manifests: Sequence[Manifest]) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return "---\n".join(_document(json.dumps(each)) for each in manifests)


@lru_cache(maxsize=1024)
def _document(text: str) -> str:
    """A manifest in JSON as YAML, in unfolded lines. Neighbours of a state have most of their manifests in common."""
    import yaml

    return str(yaml.safe_dump(json.loads(text), sort_keys=False, width=1000))


def clock_time(minutes: int) -> str:
    """Minutes after midnight as HH:MM."""
    return f"{minutes // HOUR:02}:{minutes % HOUR:02}"
