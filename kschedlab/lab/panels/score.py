"""Scoring: settings -> manifests -> Cluster -> Decision -> heat map of plugin x node, and the arithmetic of one cell.

A new pod of the shop is scheduled on four nodes, and each of v1.20's default plugins can make a difference:

* node-a and node-b, in zone east, have the pod's image, three pods of the shop, and the cache that it prefers nearby.
* node-c and node-d, in zone west, have one pod of the shop; node-c is large, node-d has the fast disk and a taint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, make_dataclass, replace
from typing import Any

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.spread_constraints import HOSTNAME
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.lab.panels.base import View, drawn, words
from kschedlab.lab.panels.chart import ChartPanel, chart_view
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.scheduler import schedule
from kschedlab.score.priorities.node_prefer_avoid_pods import ANNOTATION
from kschedlab.testing import Manifest, node, pod
from kschedlab.views.arithmetic import Step, steps, steps_html, steps_text, summed
from kschedlab.views.html import Html, element, join
from kschedlab.views.score import STAGES, SUM, score_map
from kschedlab.views.svg import Room
from kschedlab.views.tables import row, table
from kschedlab.views.words import amount, outcome

NEW = "default/shop-new"
ZONE, DISK = "topology.kubernetes.io/zone", "disk"
MIB = 1 << 20
NODES = ("node-a", "node-b", "node-c", "node-d")
PLUGINS = tuple(plugin.name for plugin, _ in V1_20.scores)
ROWS = (*PLUGINS, SUM)
USUAL, ONE, UNSCORED = "usual", "one feasible node", "no score plugins"
MAINTENANCE = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop", "uid": "shop-1", "controller": True}


@dataclass(frozen=True)
class Cause(Restorable):
    """The inputs of the scores. ``situation``: one of USUAL, ONE, UNSCORED."""

    situation: str = choice("situation", (USUAL, ONE, UNSCORED), USUAL)
    cpu: int = slider("the pod's CPU request", (100, 250, 500, 1000, 1500, 2000), 500, "{}m".format)
    tainted: bool = switch("node-d has the taint", True)
    avoided: bool = switch("node-c avoids the shop")


@dataclass(frozen=True)
class Settings(Cause):
    """The inputs, the stage shown, and the cell whose arithmetic is written out (``plugin`` or the sum)."""

    stage: str = slider("stage", STAGES, STAGES[0])
    plugin: str = choice("plugin", ROWS, "NodeResourcesLeastAllocated")
    node: str = choice("node", NODES, "node-a")


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
    """The four nodes."""
    made = [
        node("node-a", 4, "16Gi", _labels("node-a", "east", "slow")),
        node("node-b", 4, "8Gi", _labels("node-b", "east", "slow")),
        node("node-c", 8, "16Gi", _labels("node-c", "west", "slow")),
        node("node-d", 4, "16Gi", _labels("node-d", "west", "fast"), [MAINTENANCE] if cause.tainted else ()),
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
    if cause.situation == ONE:
        made["spec"]["nodeSelector"] = {DISK: "fast"}
    made["metadata"]["ownerReferences"] = [OWNER]
    return made


def wishes() -> dict[str, Any]:
    """The pod's preferences: a fast disk, zone west, the cache nearby, no batch job on its node, an even spread."""
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    nodes = [(40, DISK, "fast"), (20, ZONE, "west")]
    spread = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": _app("shop")}
    return {
        "affinity": {
            "nodeAffinity": {preferred: [_on_node(*each) for each in nodes]},
            "podAffinity": {preferred: [_near(50, "cache", ZONE)]},
            "podAntiAffinity": {preferred: [_near(30, "batch", HOSTNAME)]},
        },
        "topologySpreadConstraints": [spread],
    }


def _app(name: str) -> Mapping[str, Any]:
    return {"matchLabels": {"app": name}}


def _on_node(weight: int, key: str, value: str) -> Mapping[str, Any]:
    expression = {"key": key, "operator": "In", "values": [value]}
    return {"weight": weight, "preference": {"matchExpressions": [expression]}}


def _near(weight: int, app: str, key: str) -> Mapping[str, Any]:
    return {"weight": weight, "podAffinityTerm": {"labelSelector": _app(app), "topologyKey": key}}


def as_yaml(cause: Cause) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return testing.as_yaml(manifests(cause))


def look(cause: Cause) -> Html:
    """The cluster as a table."""
    objects = decode_objects(manifests(cause))
    lines = []
    for each in objects.nodes:
        labels, room = each.metadata.labels, each.status.allocatable
        taints = ", ".join(f"{taint.key}:{taint.effect}" for taint in each.spec.taints)
        pods = [element("div", _asks(p)) for p in objects.pods if p.spec.nodeName == each.metadata.name]
        own = [each.metadata.name, labels[ZONE], labels[DISK], str(room["cpu"]), str(room["memory"])]
        lines.append(row(*own, taints or "none", "yes" if each.status.images else "no", join(pods)))
    return table(("Node", "Zone", "Disk", "CPU", "Memory", "Taint", "Image", "Pods"), lines)


def _asks(running: Pod) -> str:
    requests = [amount(name, value) for name, value in pod_requests(running).items()]
    return f"{running.metadata.name}: {', '.join(requests)}"


def cluster(cause: Cause) -> Cluster:
    """The cluster of these manifests."""
    return Cluster(decode_objects(manifests(cause)), V1_20.api)


def generation(cause: Cause) -> Generation:
    """v1.20, without its score plugins if that is the situation."""
    return replace(V1_20, scores=()) if cause.situation == UNSCORED else V1_20


def decide(cause: Cause, plugins: Sequence[object] = ()) -> Decision:
    """The scheduler's decision for the new pod. ``plugins``: those that join the generation."""
    return schedule(NEW, cluster(cause), generation(cause).plus(*plugins))


def arithmetic(decision: Decision, plugin: str, node: str) -> list[Step]:
    """The arithmetic of this cell, or of the sum; empty if there is no such score."""
    scores = decision.scores
    if scores is None or decision.cluster.index[node] not in scores.nodes:
        return []
    if plugin == SUM:
        return [summed(decision, node)]
    return steps(decision, plugin, node) if plugin in scores.plugins else []


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    decision, listed = decide(settings, plugins), rows(plugins)
    at = listed.index(settings.plugin), NODES.index(settings.node)
    chart = score_map(decision, listed[:-1], NODES, settings.stage, at)
    cell = arithmetic(decision, settings.plugin, settings.node)
    sentence = f"{outcome(decision)} {_cell(settings, cell, decision)}"
    return chart_view(chart, sentence, steps_html(cell) if cell else None, steps_text(cell) if cell else "")


def _cell(settings: Settings, cell: list[Step], decision: Decision) -> str:
    if settings.situation != UNSCORED and decision.scores is None:
        return "Nothing is scored."
    if decision.verdict(settings.node).plugin:
        return f"{settings.node} is not feasible, and has no score."
    if not cell:
        return f"{settings.plugin} is not there: every node scores 1."
    wanted = cell[-1] if settings.stage in STAGES[2:] else next(s for s in cell if s.what in (settings.stage, SUM))
    return f"{settings.plugin} on {settings.node}: {wanted}."


def rows(plugins: Sequence[object]) -> tuple[str, ...]:
    """The rows of the map: the generation's scores, those of the plugins, and the sum."""
    return (*(score.name for score, _ in V1_20.plus(*plugins).scores), SUM)


def panel(plugins: Sequence[object] = (), **settings: Any) -> ChartPanel[Settings]:
    """The panel; arguments override its default settings. A click selects a cell.

    ``plugins``: your own, which join the generation; their scores are rows too.
    """
    own: type[Settings] = Settings
    if plugins:
        row = choice("plugin", rows(plugins), "NodeResourcesLeastAllocated")
        own = make_dataclass("Settings", [("plugin", str, row)], bases=(Settings,), frozen=True)
    shown_with = (lambda settings: show(settings, plugins)) if plugins else show
    return ChartPanel(own().changed(**settings), shown_with, as_yaml, row="plugin", column="node")


def shown(**settings: Any) -> Html:
    """The panel's view for these settings, as tables in the page's own colours."""
    view = show(Settings().changed(**settings))
    return element("div", drawn(view.picture, Room()), words(view))


def which_node() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "Where does shop-new go?",
        {
            "node-a": "The image is there and the cache is near. But how many pods of the shop are in that zone?",
            "node-b": "Whatever speaks for node-b speaks for node-a as well, and more loudly. Look for it in the map.",
            "node-c": "The largest node, in the emptier zone, though far from the cache. Let us add it up.",
            "node-d": "It has the disk that the pod prefers, and a taint that puts the pod off. Let us add it up.",
        },
    )
