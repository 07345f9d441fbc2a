"""Inside Schedule(): which nodes fit, which one is best, and what happens if none or only one fits.

Three nodes of 4 CPU with 3, 2 and 1 CPU free; v1.16 decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.settings import Restorable, slider, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import HOUR, Manifest, node, pod
from kschedlab.views import loop
from kschedlab.views.graph import draw_graph, graph_list
from kschedlab.views.html import join
from kschedlab.views.loop import NotebookTable
from kschedlab.views.words import count, outcome

USED = {"node-a": 1, "node-b": 2, "node-c": 3}


@dataclass(frozen=True)
class Settings(Restorable):
    """The pod's request, and whether it names a claim that does not exist."""

    cpu: int = slider("web asks for", range(1, 5), 1, lambda cpu: f"{cpu} CPU")
    missing: bool = switch("its claim does not exist")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}] if settings.missing else []
    return [
        *map(node, USED),
        *(pod(f"jobs-{name[-1]}", name, cpu, start=8 * HOUR) for name, cpu in USED.items()),
        pod("web", "", settings.cpu, volumes=volumes),
    ]


def as_yaml(settings: Settings) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return testing.as_yaml(manifests(settings))


def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def way(decision: Decision) -> list[str]:
    """The boxes that this decision passed through."""
    if decision.error:
        return [loop.BASIC, loop.ERROR]
    before = [loop.BASIC, loop.PRE_FILTER, loop.SNAPSHOT, loop.FIND, loop.POST_FILTER]
    if decision.node is None:
        return [*before, loop.FIT_ERROR]
    if decision.scores is None:
        return [*before, loop.ONE_NODE]
    return [*before, loop.META, loop.PRIORITIZE, loop.SELECT]


def details(decision: Decision) -> Mapping[str, str]:
    """The details of this decision, by box."""
    if decision.error:
        return {}
    found = {loop.FIND: f"{len(decision.feasible)} of {count(len(decision.cluster.nodes), 'node')}"}
    if decision.scores is not None:
        return found | {loop.PRIORITIZE: f"best: {decision.scores.total.max()}", loop.SELECT: str(decision.node)}
    return found | ({loop.ONE_NODE: decision.node} if decision.node is not None else {})


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    graph = loop.inside_schedule(way(decision), details(decision))
    sentence = f"{outcome(decision)} {decision.message}".rstrip() if not decision.error else outcome(decision)
    nodes_table = table(decision)
    return View(
        draw_graph(graph, sentence),
        sentence,
        join([nodes_table.html(), graph_list(graph)]),
        f"{sentence}\n{nodes_table!r}",
    )


def table(decision: Decision) -> NotebookTable:
    """For each node: the refusal, or the scores that differ between nodes, and their sum."""
    names = decision.cluster.names
    if decision.error:
        return NotebookTable(("node", "looked at"), tuple((name, "no") for name in names))
    scores = decision.scores
    if scores is None:
        verdicts = (decision.verdict(name) for name in names)
        return NotebookTable(
            ("node", "findNodesThatFit"), tuple((v.node, _said(v.plugin, v.reasons)) for v in verdicts)
        )
    differ = [i for i, row in enumerate(scores.rows) if len(set(row.normalized.tolist())) > 1]
    same = int(scores.total[0] - scores.results[differ, 0].sum())
    at = {int(n): i for i, n in enumerate(scores.nodes)}
    rows = []
    for n, name in enumerate(names):
        if n not in at:
            verdict = decision.verdict(name)
            rows.append((name, *["-"] * (len(differ) + 2), _said(verdict.plugin, verdict.reasons)))
            continue
        own = [str(scores.results[i, at[n]]) for i in differ]
        rows.append((name, *own, str(same), str(scores.total[at[n]]), "chosen" if name == decision.node else ""))
    head = ("node", *(scores.plugins[i] for i in differ), "the others", "sum", "")
    return NotebookTable(head, tuple(rows))


def _said(plugin: str | None, reasons: tuple[str, ...]) -> str:
    return f"{plugin}: {', '.join(reasons)}" if plugin else "fits"


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "inside.panel()")
