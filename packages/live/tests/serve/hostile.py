"""Hostile requests from a seed: wrong paths, queries, headers and bodies, most of them nearly right."""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple
from urllib.parse import quote

from kschedlab_live.serve.kinds import SERVED

_WORDS = ["", "default", "kube-system", "web", "n1", "..", "%2e%2e", "a/b", "x" * 300]
_WORDS += ["🦆", "\x00", "$", "status", "0"]
_VALUES: list[Any] = [None, True, 0, -1, 2**63, 1e308, "", "a", "1Gi", "-1", "9" * 400, "2026-01-01T00:00:00Z"]
_VALUES += ["\ud83e", [], {}, [None], [[]], {"a": None}, {"name": "c"}, [{"name": "c"}], "🦆", "\x00"]
_VALUES += [{"$patch": "delete"}, {"$patch": "replace"}, [{"$patch": "x"}]]
_FIELDS = """
    apiVersion kind metadata name namespace labels annotations uid resourceVersion generateName finalizers
    ownerReferences spec status containers initContainers resources requests limits cpu memory nodeName
    nodeSelector affinity tolerations priority priorityClassName replicas selector matchLabels template
    conditions type phase taints key effect target op path value from $patch $retainKeys
    $setElementOrder/containers $deleteFromPrimitiveList/finalizers deletionTimestamp gracePeriodSeconds
    preconditions deleteOptions paused step speed schedulingGates topologySpreadConstraints maxSkew volumes
    persistentVolumeClaim claimName provisioner capacity storage series regarding note eventTime data
    group names plural scope versions served schema additionalPrinterColumns jsonPath
""".split()  # noqa: SIM905  # a table
_QUERIES = [
    "watch",
    "labelSelector",
    "fieldSelector",
    "resourceVersion",
    "limit",
    "continue",
    "dryRun",
    "timeoutSeconds",
]
_QUERIES += [
    "fieldValidation",
    "fieldManager",
    "force",
    "sendInitialEvents",
    "includeObject",
    "propagationPolicy",
    "gracePeriodSeconds",
    "pretty",
]
_TEXTS = [
    "1",
    "true",
    "0",
    "-1",
    "a=b",
    "a in (b)",
    "!a",
    "a,,b",
    "((",
    "=",
    "metadata.name=web",
    "spec.nodeName!=",
    "All",
]
_TEXTS += ["Strict", "🦆", "x" * 5000, "Object", "None", "status.phase=Running", "a notin (", "9" * 30, "%00"]
_TYPES = ["application/json", "application/merge-patch+json", "application/strategic-merge-patch+json", "text/html"]
_TYPES += ["application/json-patch+json", "application/apply-patch+yaml", "application/vnd.kubernetes.protobuf", ""]
_ACCEPTS = ["application/json", "application/json;as=Table;v=v1;g=meta.k8s.io", "*/*", "application/yaml"]
_ACCEPTS += ["application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"]
_METHODS = ["GET", "GET", "POST", "POST", "PUT", "PATCH", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"]


class Hostile(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def hostile(rng: random.Random) -> Hostile:
    """A request. Watches end at once."""
    query = {rng.choice(_QUERIES): rng.choice(_TEXTS) for _ in range(rng.choice([0, 0, 1, 2]))}
    if "watch" in query:
        query["timeoutSeconds"] = "0"
    headers = {"Content-Type": rng.choice(_TYPES), "Accept": rng.choice(_ACCEPTS)}
    if headers["Content-Type"].startswith("application/apply"):
        query["fieldManager"] = "me"
    written = "&".join(f"{key}={quote(value)}" for key, value in query.items())
    return Hostile(rng.choice(_METHODS), _path(rng) + (f"?{written}" if written else ""), headers, _body(rng))


def _path(rng: random.Random) -> str:
    if rng.random() < 0.1:
        parts = [
            rng.choice([*_WORDS, "api", "apis", "v1", "openapi", "v3", "kschedlab", "clock"])
            for _ in range(rng.randint(1, 6))
        ]
        return "/" + "/".join(map(quote, parts))
    if rng.random() < 0.1:
        return rng.choice(["/kschedlab/clock", "/version", "/api", "/apis", "/openapi/v3", "/openapi/v3/apis/apps/v1"])
    version, name = rng.choice(list(SERVED))
    path = f"/apis/{version}" if "/" in version else f"/api/{version}"
    if SERVED[version, name].resource.namespaced and rng.random() < 0.9:
        path += f"/namespaces/{quote(rng.choice(_WORDS[1:4]))}"
    path += f"/{name}"
    if rng.random() < 0.6:
        path += f"/{quote(rng.choice(_WORDS))}"
        if rng.random() < 0.3:
            path += "/" + rng.choice(["status", "scale", "binding", "eviction", "resize", "log", "exec", "x"])
    return path


def _body(rng: random.Random) -> bytes:
    if rng.random() < 0.05:
        return b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x20" + rng.randbytes(32)
    if rng.random() < 0.1:
        return rng.choice(
            [b"", b"{", b"[" * 9999, b"\xff\xfe", b"k8s\0\x01", b"null", b"1e999", b'"\\ud83e"', b'{"a":1,"a":2}']
        )
    if rng.random() < 0.15:
        return json.dumps([_map(rng, 1) for _ in range(3)]).encode()
    body = _map(rng, 0)
    if rng.random() < 0.7:
        body["metadata"] = {"name": rng.choice(["web", "n1", "q", "default"])} | (
            _map(rng, 2) if rng.random() < 0.4 else {}
        )
    return json.dumps(body).encode()


def _map(rng: random.Random, depth: int) -> dict[str, Any]:
    return {rng.choice(_FIELDS): _value(rng, depth + 1) for _ in range(rng.randint(1, 4))}


def _value(rng: random.Random, depth: int) -> Any:
    if depth > 5 or rng.random() < 0.5:
        return rng.choice(_VALUES)
    return [_map(rng, depth) for _ in range(rng.randint(1, 2))] if rng.random() < 0.3 else _map(rng, depth)
