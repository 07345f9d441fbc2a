"""What lesson 07 asks before it shows an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from kschedlab.cluster.columns import CPU, MEMORY
from kschedlab.decision import Decision
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.messages import say, sentences
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.your_cluster import YourCluster
from kschedlab_lab.views.node_kinds import REFUSED, kinds, one_away, verdict_of
from kschedlab_why.why_not import why_not

STUCK = "ml/train-small-0"
MOVES, RUNS_ON = "shop/notifications-m28f29nql-28wnb", "general-97"
FIT, SPREAD, IMAGES = "NodeResourcesFit", "PodTopologySpread", "ImageLocality"


def _asking(
    text: str, right: str, remarks: Mapping[str, str], framed: str = "", note: str = "", **values: str
) -> YourCluster:
    """A panel that asks first; ``remarks``: its answers, and what is said of each; ``framed``: where the pod runs;
    ``note``: what one needs to know."""
    panel = YourCluster(bundled()).move(**values)
    before = partial(panel.answers.before, framed=framed, note=note)
    asked = Question(
        text,
        tuple(remarks),
        lambda _: right,
        lambda _, answer: remarks[answer],
        before,
        looks=("node", "show", "question"),
    )
    return panel.ask(asked)


def one_obstacle() -> YourCluster:
    """How many nodes would a single change open? The event's numbers don't say."""
    decision = explain(STUCK, bundled().cluster(LATEST)).decision
    told = Counter(verdict_of(decision, place).removeprefix(REFUSED) for place in range(len(decision.cluster.nodes)))
    (cause, near), *_ = one_away(decision, kinds(decision)).items()
    (_, many), (_, fewer) = told.most_common(2)
    why = say("Only {plugin} keeps it from {near} nodes.", plugin=cause, near=len(near))
    return _asking(
        say("{pod} waits. How many nodes would take it after one single change?", pod="train-small-0"),
        str(len(near)),
        {
            str(len(near)): sentences((why, say("They have its label, and room."))),
            str(fewer): sentences((say("They have another label, and no GPU."), why)),
            str(many): sentences((say("Most have another label, too: an event gives one reason a node."), why)),
        },
        pod=STUCK,
    )


def what_moves_it() -> YourCluster:
    """What would lead the pod elsewhere, if it were decided again?"""
    decision = explain(MOVES, bundled().cluster(LATEST)).decision
    found = why_not(decision, RUNS_ON)
    leads = {row.plugin: row.lead for row in found.points}
    said = {FIT: say("free room"), SPREAD: say("distance from its ReplicaSet"), IMAGES: say("its image")}
    why = say(
        "{plugin} gives {node} {points} points more, {fit} only {few}.",
        plugin=SPREAD,
        node=found.winner,
        points=leads[SPREAD],
        fit=FIT,
        few=leads[FIT],
    )
    return _asking(
        say("What draws it to ★ most?"),
        said[max(said, key=lambda plugin: leads[plugin])],
        dict.fromkeys(said.values(), why),
        RUNS_ON,
        say(
            "Free without it: {room} on {node}, {more} on ★. Neither lists its image.",
            room=_free(decision, RUNS_ON),
            node=RUNS_ON,
            more=_free(decision, str(found.winner)),
        ),
        pod=MOVES,
        node=RUNS_ON,
    )


def _free(decision: Decision, node: str) -> str:
    """How much CPU and memory the node has left for the pod."""
    cluster, place = decision.cluster, decision.cluster.index[node]
    free = cluster.allocatable[:, place] - cluster.requested[:, place]
    return say("{cpu:.1f} CPU and {memory:.1f}Gi memory", cpu=free[CPU] / 1000, memory=free[MEMORY] / 2**30)
