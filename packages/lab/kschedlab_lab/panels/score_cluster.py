"""The cluster of lesson 03: settings -> manifests -> Cluster -> Decision -> the pod with its wishes beside four nodes.

A new pod of the shop is scheduled on four nodes, and each of v1.20's default plugins can make a difference:

* node-a and node-b, in zone east, have the pod's image, three pods of the shop, and the cache that it prefers nearby.
* node-c and node-d, in zone west, have one pod of the shop; node-c is large, node-d has the fast disk and a taint.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.spread_constraints import HOSTNAME
from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.scheduler import schedule
from kschedlab.score.priorities.node_prefer_avoid_pods import ANNOTATION
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.preferences import labelled, preferring, with_app
from kschedlab_lab.panels.settings import Restorable, slider, switch
from kschedlab_lab.views.chart_bars import Bars
from kschedlab_lab.views.drawing import Block, Box
from kschedlab_lab.views.score import SUM, bare, decided, total, winners
from kschedlab_lab.views.score_bars import sum_bars
from kschedlab_lab.views.style import INK_3
from kschedlab_lab.views.wishes import Wish, Wishes, arriving

NEW = "default/shop-new"
ZONE, DISK = "topology.kubernetes.io/zone", "disk"
MIB = 1 << 20
NODES = ("node-a", "node-b", "node-c", "node-d")
MAINTENANCE = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop", "uid": "shop-1", "controller": True}
MOST = 480
"""No request leads to a higher sum: the bars keep their scale while it is dragged."""
WISHES = (
    Wish(later("fast disk"), "+40"),
    Wish(later("zone west"), "+20"),
    Wish(later("cache's zone"), "+50"),
    Wish(later("batch job on it"), "-30"),
    Wish(later("even over zones"), ""),
)


@dataclass(frozen=True)
class Request(Restorable):
    """What the pod asks for."""

    cpu: int = slider("the pod's CPU request", (100, 250, 500, 1000, 1500, 2000), 500, "{}m".format)


@dataclass(frozen=True)
class Cause(Request):
    """The inputs of the scores."""

    fast: bool = switch("fast disk on node-d", True)
    tainted: bool = switch("taint on node-d", True)
    avoided: bool = switch("note on node-c")


def manifests(cause: Cause) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    return [
        *nodes(cause),
        _shop("shop-a", "node-a", "1", "4Gi"),
        _shop("shop-b", "node-b", "500m", "1Gi"),
        _shop("shop-b2", "node-b", "500m", "1Gi"),
        pod("cache-b", "node-b", "500m", labels={"app": "cache"}, memory="2Gi"),
        pod("batch-b", "node-b", "500m", labels={"app": "batch"}, memory="512Mi"),
        _shop("shop-c", "node-c", "1", "2Gi"),
        pod("batch-c", "node-c", "1", labels={"app": "batch"}, memory="7Gi"),
        pod("db-d", "node-d", "2", memory="2Gi"),
        new_pod(cause),
    ]


def nodes(cause: Cause) -> list[Manifest]:
    made = [
        node("node-a", 4, "16Gi", _labels("node-a", "east", "slow")),
        node("node-b", 4, "8Gi", _labels("node-b", "east", "slow")),
        node("node-c", 8, "16Gi", _labels("node-c", "west", "slow")),
        node(
            "node-d",
            4,
            "16Gi",
            _labels("node-d", "west", "fast" if cause.fast else "slow"),
            [MAINTENANCE] if cause.tainted else (),
        ),
    ]
    for each in made[:2]:
        each["status"]["images"] = [{"names": ["example/app:1"], "sizeBytes": 900 * MIB}]
    if cause.avoided:
        note = {"preferAvoidPods": [{"podSignature": {"podController": OWNER}}]}
        made[2]["metadata"]["annotations"] = {ANNOTATION: json.dumps(note)}
    return made


def _labels(name: str, zone: str, disk: str) -> dict[str, str]:
    return {HOSTNAME: name, ZONE: zone, DISK: disk}


def _shop(name: str, on: str, cpu: str, memory: str, **spec: Any) -> Manifest:
    return pod(name, on, cpu, labels={"app": "shop"}, memory=memory, **spec)


def new_pod(cause: Cause) -> Manifest:
    """The pod to schedule, which belongs to the ReplicaSet shop."""
    made = _shop("shop-new", "", f"{cause.cpu}m", "1Gi", **wishes())
    made["metadata"]["ownerReferences"] = [OWNER]
    return made


def wishes() -> dict[str, Any]:
    """The pod's preferences: a fast disk, zone west, the cache nearby, no batch job on its node, an even spread."""
    shop = {"matchLabels": {"app": "shop"}}
    spread = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": shop}
    return {
        "affinity": preferring(
            [labelled(40, DISK, "fast"), labelled(20, ZONE, "west")],
            near=[with_app(50, "cache", ZONE)],
            apart=[with_app(30, "batch", HOSTNAME)],
        ),
        "topologySpreadConstraints": [spread],
    }


def cluster(cause: Cause) -> Cluster:
    """The cluster of these manifests."""
    return Cluster(decode_objects(manifests(cause)), V1_20.api)


def decide(cause: Cause) -> Decision:
    """The scheduler's decision for the new pod."""
    return schedule(NEW, cluster(cause), V1_20)


def before(request: Request) -> Wishes:
    """The picture before the decision: a click on a node picks it."""
    return picture(Cause(request.cpu), None)


def picture(cause: Cause, decision: Decision | None) -> Wishes:
    """The pod and the nodes; with a decision, the nodes' sums, and the pod on its node."""
    objects = decode_objects(manifests(cause))
    (new,) = (each for each in objects.pods if not each.spec.nodeName)
    boxes = [_box(each, objects.pods, new, decision) for each in objects.nodes]
    said = say("Four nodes, and shop-new waits.") if decision is None else decided(decision)
    return Wishes(_block(new), WISHES, boxes, said, _sums(decision) if decision is not None else None)


def _sums(decision: Decision) -> Bars:
    """A plain bar for each node: what its sum is made of comes later in the lesson."""
    whole = {say(SUM): [float(total(decision, node) or 0) for node in NODES]}
    return replace(sum_bars(decision, NODES, behind=False, most=MOST), parts=whole, fills={say(SUM): INK_3})


def _box(drawn: Node, pods: Sequence[Pod], new: Pod, decision: Decision | None) -> Box:
    name, labels = drawn.metadata.name, drawn.metadata.labels
    blocks = [_block(each) for each in pods if each.spec.nodeName == name]
    here = decision is not None and decision.node == name
    if here:
        blocks.append(arriving(_block(new)))
    reason = ""
    lines = [
        say("zone {zone}", zone=labels[ZONE]),
        say("{disk} disk", disk=labels[DISK]),
        *([say("has image")] if drawn.status.images else []),
        *([say("has a taint")] if drawn.spec.taints else []),
    ]
    tied = False
    if decision is not None:
        verdict = decision.verdict(name)
        reason = verdict.reasons[0] if verdict.plugin else ""
        tied = decision.scores is not None and name in decision.best and len(decision.best) > 1
    pick = {"data_pick": name} if decision is None else {}
    return Box(
        name,
        drawn.status.allocatable["cpu"].milli(),
        tuple(blocks),
        tuple(lines),
        chosen=here,
        refused=reason,
        sign="label" if reason else "",
        tied=tied,
        marks=pick,
    )


def _block(drawn: Pod) -> Block:
    name, cpu = drawn.metadata.name, pod_requests(drawn)["cpu"]
    if drawn.spec.nodeName:
        return Block(name, cpu, 0)
    return Block(name, cpu, 0, marks={"data_drag": "cpu", "data_axis": "y", "aria_label": say("the pod's CPU request")})


def show(request: Request) -> View:
    """The view of the cluster: the nodes, their sums, and the pod on the chosen one."""
    cause = Cause(request.cpu)
    decision = bare(decide(cause))
    said = decided(decision)
    return View(picture(cause, decision), said, Html(), said, names=winners(decision))


def shop(**settings: Any) -> Panel[Request]:
    """The cluster; a drag changes the pod's request."""
    return Panel(Request().changed(**settings), show, lambda each: manifests(Cause(each.cpu)), "lesson.shop()")
