"""Objects for tests, as short as what the test is about: everything else has the API's defaults."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.filter.plugin import Filter
from kschedlab.filter.stage import REJECTED, FilterRun, Verdicts, prepare
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.score.plugin import Score

Manifest = dict[str, Any]

PLENTY = {"cpu": "1000", "memory": "1000Gi", "pods": "1000", "ephemeral-storage": "1000Gi"}


def node(name: str, /, allocatable: Manifest | None = None, images: Any = (), **spec: Any) -> Manifest:
    """A node with plenty of everything; ``labels`` goes to the metadata, other names to the spec."""
    labels = spec.pop("labels", {})
    status = {"allocatable": PLENTY if allocatable is None else allocatable, "images": list(images)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


def pod(name: str, on: str = "", /, requests: Manifest | None = None, **spec: Any) -> Manifest:
    """A pod with one container that asks for ``requests``; ``on``: the node that it runs on.

    ``labels``, ``namespace`` go to the metadata, ``nominated`` and ``started`` to the status, other names to the spec.
    """
    metadata = {"name": name, "namespace": spec.pop("namespace", "default"), "labels": spec.pop("labels", {})}
    if "deleted" in spec:
        metadata["deletionTimestamp"] = spec.pop("deleted")
    status = {"nominatedNodeName": spec.pop("nominated", ""), "startTime": spec.pop("started", "2024-01-31T12:00:00Z")}
    container = {"name": "c", "image": "img", "resources": resources(requests or {}), "ports": spec.pop("ports", [])}
    spec = {"containers": [container], "priority": 0} | spec | ({"nodeName": on} if on else {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def resources(requests: Manifest) -> Manifest:
    """Requests, with the limits that the API asks for: extended resources and huge pages are never overcommitted."""
    limits = {name: amount for name, amount in requests.items() if "/" in name or name.startswith("hugepages-")}
    return {"requests": requests, "limits": limits}


def cluster(*objects: Manifest) -> Cluster:
    """A cluster of these objects."""
    return Cluster(decode_objects(objects))


def model(manifest: Manifest) -> Pod:
    """The pod of a manifest, with the API's defaults."""
    (result,) = decode_objects([manifest]).pods
    return result


def judged(plugin: Filter, pod: Manifest, *objects: Manifest) -> tuple[Cluster, Verdicts]:
    """What this plugin alone says about the nodes."""
    world = cluster(*objects)
    info = world.info(model(pod))
    prepared = prepare(info, world, [plugin])
    if prepared.rejected is not None:
        return world, Verdicts(np.full(len(world.nodes), REJECTED, np.int8), rejected=prepared.rejected)
    return world, FilterRun(prepared, info, world).verdicts()


def refused(plugin: Filter, pod: Manifest, *objects: Manifest) -> dict[str, list[str]]:
    """The plugin's reasons for each node that it refuses; ``*`` stands for all if no node was looked at."""
    world, verdicts = judged(plugin, pod, *objects)
    if verdicts.rejected is not None:
        return {"*": list(verdicts.rejected.reasons)}
    refusing = {name: i for i, name in enumerate(world.names) if verdicts.plugin(i) is not None}
    return {name: verdicts.reasons(i) or ["left out"] for name, i in refusing.items()}


def scored(plugin: Score, pod: Manifest, *objects: Manifest) -> dict[str, int] | None:
    """The plugin's normalised score of every node, or None if it skips the pod."""
    world = cluster(*objects)
    row = plugin.score(world.info(model(pod)), world, np.arange(len(world.nodes)))
    return dict(zip(world.names, row.normalized.tolist(), strict=True)) if row is not None else None


def budget(
    name: str, labels: dict[str, str] | None, allowed: int, namespace: str = "default", disrupted: Sequence[str] = ()
) -> Manifest:
    """A PodDisruptionBudget with that selector (None: without one) that allows that many disruptions."""
    selector = {} if labels is None else {"selector": {"matchLabels": labels}}
    status = {"disruptionsAllowed": allowed, "disruptedPods": dict.fromkeys(disrupted, "2024-01-01T00:00:00Z")}
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": selector,
        "status": status,
    }


def term(*conditions: str) -> Manifest:
    """A node selector's term: ``term("disk In ssd,hdd", "metadata.name NotIn n1", "gpu Exists")``."""
    requirements = []
    for condition in conditions:
        key, operator, *values = condition.split(" ", 2)
        requirements.append({"key": key, "operator": operator} | ({"values": values[0].split(",")} if values else {}))
    by_name = [r for r in requirements if r["key"] == "metadata.name"]
    return {"matchExpressions": [r for r in requirements if r not in by_name], "matchFields": by_name}


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
