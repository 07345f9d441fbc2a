"""Small clusters as exercises show them: a row for each node with its pods, then pending pods and budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from kschedlab.decision import Decision
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import listed, say, sentences
from kschedlab.objects.model import Node, Pod, PodDisruptionBudget
from kschedlab.objects.nodes import Taint
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import Html, element, join
from kschedlab.text.plain import aligned, below
from kschedlab.text.tables import row, table
from kschedlab.text.words import amount, clock, count, request_text
from kschedlab_lab.exercises.exercise import Instance
from kschedlab_lab.exercises.fitting import fitting, kept
from kschedlab_lab.views.picture import Handles, picture, question
from kschedlab_lab.views.score import STAGES, bare, lead
from kschedlab_lab.views.score_bars import in_order
from kschedlab_lab.views.score_map import ScoreMap
from kschedlab_lab.views.style import NOWRAP
from kschedlab_lab.views.svg import Room

COLUMN = Room(500, 240)
"""The room for a picture beside the answer on a printed sheet: high enough that small pods have all their numbers."""


def pictured(
    decision: Decision,
    manifests: Iterable[dict[str, Any]],
    pick: bool = False,
    draw: Callable[[Room], Html] | None = None,
    as_listed: bool = False,
) -> Instance:
    """The cluster before the decision: a drawing, and the table folded below it.

    ``pick``: the answer is a node, which can be picked in the drawing; ``draw``: another drawing; ``as_listed``: pods
    lie as victims are listed.
    """
    rows = shown(manifests)
    nodes = {name: {"data_pick": name} for name in decision.cluster.names if pick}
    told, folded = facts(decision), element("details", element("summary", say("As a table")), rows.picture)
    drawing = fitting(draw or partial(question, decision, handles=Handles(nodes=nodes), as_listed=as_listed))
    printed = draw(COLUMN) if draw is not None else question(decision, COLUMN, as_listed=as_listed)
    on_paper = told if draw is not None else sentences((told, say("Heights show CPU requests.")))
    saved = rows.picture if draw is None else join([kept(draw), rows.picture])
    paper = join([printed, element("p", on_paper)])
    return Instance(join([drawing, element("p", told), folded]), rows.text, saved, paper)


def outcome(decision: Decision) -> Html:
    return fitting(partial(picture, decision))


def scored(decision: Decision) -> Html:
    """Each plugin's weighted score of each node, and the sums."""
    if decision.scores is None:
        return outcome(decision)
    plugins, nodes = in_order(decision.scores.plugins), sorted(decision.cluster.names)
    scores = ScoreMap(decision, plugins, nodes, STAGES[-1], None, lead(bare(decision)))
    return fitting(scores)


def facts(decision: Decision) -> str:
    """What the drawing cannot show to scale: the request, and what the budgets allow."""
    allowed = (
        say(
            "The budget {name} allows {disruptions}.",
            name=budget.metadata.name,
            disruptions=count(budget.status.disruptionsAllowed, "disruption"),
        )
        for budget in decision.cluster.objects_of(PodDisruptionBudget)
    )
    pod, cpu = decision.pod, decision.cluster.allocatable[0]
    size = say("Each node has {amount}.", amount=amount("cpu", int(cpu[0]))) if len(set(cpu.tolist())) == 1 else ""
    wants = say("{pod} {wants}.", pod=pod.pod.metadata.name, wants=request_text(decision.pod))
    return sentences([size, wants, *allowed])


def shown(manifests: Iterable[dict[str, Any]], with_pods: bool = True) -> Instance:
    """The cluster as a table and as text. ``with_pods``: with the pods that run on each node."""
    objects = decode_objects(manifests)
    described = _describer(objects)
    on: dict[str, list[str]] = {node.metadata.name: [] for node in objects.nodes}
    for pod in objects.pods:
        if pod.spec.nodeName in on:
            on[pod.spec.nodeName].append(f"{pod.metadata.name}: {described(pod)}")
    running = {name: [pods or [say("none")]] if with_pods else [] for name, pods in on.items()}
    nodes = [([n.metadata.name], [_room(n)], *running[n.metadata.name]) for n in objects.nodes]
    waiting = [([p.metadata.name], [described(p)]) for p in objects.pods if not p.spec.nodeName]
    budgets = [
        ([b.metadata.name], [f"disruptionsAllowed {b.status.disruptionsAllowed}"])
        for b in objects.of(PodDisruptionBudget)
    ]
    parts: list[tuple[list[str], Sequence[Sequence[Sequence[str]]]]] = [
        ([say("node"), _has(objects.nodes), *([say("its pods")] if with_pods else [])], nodes),
        ([say("waiting pod"), ""], waiting),
        ([say("budget of app"), ""], budgets),
    ]
    used = [(head, rows) for head, rows in parts if rows]
    texts = ("\n".join(aligned([head, *(line for each in rows for line in below(each))], "")) for head, rows in used)
    tables = (table(head, (row(*map(_cell, each, range(3))) for each in rows)) for head, rows in used)
    return Instance(element("div", *tables), "\n\n".join(texts))


def _cell(lines: Sequence[str], place: int) -> Html:
    """Names and pods do not wrap; labels may."""
    return element("span", join(lines, element("br")), style="" if place == 1 else NOWRAP)


def _has(nodes: Sequence[Node]) -> str:
    """What the column says about them."""
    labels = [say("labels")] if any(each.metadata.labels for each in nodes) else []
    taints = [say("taints")] if any(each.spec.taints for each in nodes) else []
    return listed(["allocatable", *labels, *taints])


def _room(node: Node) -> str:
    room = node.status.allocatable
    parts = [amount("cpu", room["cpu"].milli()), amount("memory", room["memory"].value())]
    labels = [f"{key}={value}" for key, value in node.metadata.labels.items()]
    taints = [f"{say('taint')} {_taint(each)}" for each in node.spec.taints]
    return listed([*parts, *labels, *taints])


def _taint(taint: Taint) -> str:
    """As kubectl describes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _describer(objects: Objects) -> Callable[[Pod], str]:
    """A function that describes a pod, with its priority if any pod has one."""
    moment = clock(pod.status.startTime for pod in objects.pods if pod.status.startTime is not None)
    ranked = any(pod.spec.priority for pod in objects.pods)

    def described(pod: Pod) -> str:
        requests = [amount(name, value) for name, value in pod_requests(pod).items()]
        labels = [f"{key}={value}" for key, value in pod.metadata.labels.items()]
        priority = [say("priority {priority}", priority=pod.spec.priority)] if ranked else []
        start = pod.status.startTime
        started = [say("started {start}", start=moment(start))] if start is not None else []
        return listed([*requests, *priority, *started, *labels]) or say("asks for nothing")

    return described
