"""Subresources: binding, eviction, scale, and those that need containers, which a simulation has not.

v1.37: pkg/registry/core/pod/storage, pkg/registry/apps/deployment/storage (ScaleREST), k8s.io/api autoscaling/v1.
"""

from __future__ import annotations

from typing import Any

from kschedlab.objects.model import Pod
from kschedlab_live.serve.kinds import OF_MODEL
from kschedlab_live.serve.requests import Call
from kschedlab_live.serve.verbs import Answer, Data, Verbs
from kschedlab_live.wire.statuses import failure, method_not_allowed, success
from kschedlab_simulation.state import written
from kschedlab_simulation.status import ApiError

NO_CONTAINERS = "kschedlab's kubelets run no containers, so there is nothing to read, to attach to or to forward"
_CONTAINERS = ("log", "exec", "attach", "portforward", "proxy", "ephemeralcontainers")


def answer_subresource(verbs: Verbs, call: Call) -> Answer:
    """Answer a request to a subresource. ApiError."""
    served = call.served
    if served.model is Pod and call.subresource in _CONTAINERS:
        raise failure(501, "NotImplemented", f"pods/{call.subresource}: {NO_CONTAINERS}")
    if call.subresource not in served.subresources:
        raise ApiError.no_such_resource()
    if call.subresource == "binding" and call.verb == "POST":
        return _bind(verbs, call)
    if call.subresource == "eviction" and call.verb == "POST":
        return _evict(verbs, call)
    if call.subresource == "scale":
        return _scale(verbs, call)
    if call.subresource in ("status", "resize"):
        return _whole(verbs, call)
    raise method_not_allowed(f"{call.verb} is not possible on {served.resource.name}/{call.subresource}")


def _whole(verbs: Verbs, call: Call) -> Answer:
    act = {"GET": verbs.read, "PUT": verbs.replace, "PATCH": verbs.patch}.get(call.verb)
    if act is None:
        raise method_not_allowed()
    return act(call)


def _bind(verbs: Verbs, call: Call) -> Answer:
    target, metadata = call.body.get("target"), call.body.get("metadata")
    node = target.get("name") if isinstance(target, dict) else None
    uid = metadata.get("uid", "") if isinstance(metadata, dict) else ""
    if not isinstance(node, str) or not isinstance(uid, str):
        raise ApiError.bad_request("target.name: expected the name of a node")
    if not call.dry:
        verbs.objects.api.bind(*call.key, uid, node, by=call.by)
    return 201, success(code=201)


def _evict(verbs: Verbs, call: Call) -> Answer:
    options = call.body.get("deleteOptions") or {}
    grace = options.get("gracePeriodSeconds") if isinstance(options, dict) else None
    conditions = options.get("preconditions") or {} if isinstance(options, dict) else {}
    uid = conditions.get("uid") if isinstance(conditions, dict) else None
    if not (grace is None or (type(grace) is int and grace >= 0)) or not (uid is None or isinstance(uid, str)):
        raise ApiError.bad_request("deleteOptions: expected gracePeriodSeconds and preconditions.uid of their types")
    if call.dry or (isinstance(options, dict) and options.get("dryRun")):
        verbs.objects.get(OF_MODEL[Pod], *call.key)
    else:
        verbs.objects.api.evict(*call.key, grace, uid, by=call.by)
    return 201, success(code=201)


def _scale(verbs: Verbs, call: Call) -> Answer:
    objects, served = verbs.objects, call.served
    old = objects.get(served, *call.key)
    data = objects.json(served, old)
    if call.verb == "GET":
        return 200, _as_scale(data)
    if call.verb == "PATCH":
        from kschedlab_live.serve.patches import patch_of

        scale: Any = patch_of(call.content_type, call.raw)(_as_scale(data))
    elif call.verb == "PUT":
        scale = call.body
    else:
        raise method_not_allowed()
    spec = scale.get("spec") if isinstance(scale, dict) else None
    replicas = spec.get("replicas", 0) if isinstance(spec, dict) else None
    if type(replicas) is not int:
        raise ApiError.bad_request("spec.replicas: expected a whole number")
    metadata = scale.get("metadata")
    version = metadata.get("resourceVersion", "") if isinstance(metadata, dict) else ""
    changed = {**data, "spec": {**data.get("spec", {}), "replicas": replicas}}
    changed["metadata"] = {**data["metadata"], "resourceVersion": version}
    new = objects.replace(served, old, changed, "", call.by, call.dry)
    return 200, _as_scale(objects.json(served, new))


def _as_scale(data: Data) -> Data:
    shared = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    metadata = {key: value for key, value in data["metadata"].items() if key in shared}
    spec, status = data.get("spec", {}), data.get("status", {})
    scaled = {"replicas": status.get("replicas", 0), "selector": _selector(spec.get("selector") or {})}
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": written(metadata),
        "spec": {"replicas": spec.get("replicas", 1)},
        "status": scaled,
    }


def _selector(selector: Data) -> str:
    labels = selector.get("matchLabels", {} if "matchExpressions" in selector else selector)
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
