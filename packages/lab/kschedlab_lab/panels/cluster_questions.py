"""What lesson 07 asks before it shows an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from kschedlab.cluster.columns import CPU, MEMORY
from kschedlab.cluster.pools import ZONE, pools
from kschedlab.decision import Decision
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.messages import later, say, sentences
from kschedlab.text.words import clock
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.your_cluster import YourCluster
from kschedlab_lab.views.node_kinds import REFUSED, kinds, one_away, verdict_of
from kschedlab_why.why_not import why_not

STUCK = "ml/train-small-0"
BOUND, LARGE, URGENT = "data/postgres-0", "analytics/report-builder-0", "shop/payment-burst-0"
MOVES, RUNS_ON = "shop/notifications-m28f29nql-28wnb", "general-97"
FIT, SPREAD, IMAGES = "NodeResourcesFit", "PodTopologySpread", "ImageLocality"


def _asking(
    text: str,
    right: str,
    remarks: Mapping[str, str],
    framed: str = "",
    note: str = "",
    sized: bool = False,
    drawn: bool = False,
    **values: str,
) -> YourCluster:
    """A panel that asks first; ``remarks``: its answers, and what is said of each; ``framed``: where the pod runs;
    ``note``: what one needs to know; ``sized``: a control sets the pod's CPU; ``drawn``: the answers are nodes, which
    are clicked."""
    panel = YourCluster(bundled(), sized=sized).move(**values)
    before = partial(panel.answers.before, framed=framed, note=note, picks=tuple(remarks) if drawn else ())
    asked = Question(
        text,
        tuple(remarks),
        lambda _: right,
        lambda _, answer: remarks[answer],
        before,
        looks=("node", "show", "question", *(["cpu"] if sized else [])),
        drawn=drawn,
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
            str(fewer): sentences((say("The {fewer} nodes have another label, and no GPU.", fewer=fewer), why)),
            str(many): sentences((say("Most of the {many} also have the wrong label.", many=many), why)),
        },
        pod=STUCK,
    )


def which_zone() -> YourCluster:
    """Where would one more node help? A volume lives in one zone."""
    decision = explain(BOUND, bundled().cluster(LATEST)).decision
    zones, near = pools(decision.cluster, ZONE), one_away(decision, kinds(decision))
    here = next(zone for zone, places in zones.items() if near[FIT][0] in places)
    why = say(
        "Its volume is in {zone}: no other zone will do. And the {full} nodes there have too little room.",
        zone=here,
        full=len(near[FIT]),
    )
    text = say("One more node of {pool} would let {pod} run. In which zone?", pool="data", pod="postgres-0")
    return _asking(text, here, dict.fromkeys((*sorted(zones), say("in any")), why), pod=BOUND, show="data")


def how_little() -> YourCluster:
    """How small must a request be? What counts is the largest free piece on one node."""
    decision = explain(LARGE, bundled().cluster(LATEST)).decision
    cluster, places = decision.cluster, one_away(decision, kinds(decision))[FIT]
    free = [int(cluster.allocatable[CPU, place] - cluster.requested[CPU, place]) for place in places]
    much, less, few = (say("{cpu} CPU", cpu=cpu) for cpu in (6.2, 3.2, 1.2))
    why = say("The emptiest of these nodes has {most:g} CPU free. Move the slider.", most=max(free) / 1000)
    together = later("Together, the {nodes} nodes of {pool} have {cpu} CPU free.")
    return _asking(
        say("{pod} asks for 7.7 CPU: too much. About how much would fit?", pod="report-builder-0"),
        few,
        dict.fromkeys((much, less, few), why),
        note=say(together, nodes=len(free), pool="general", cpu=sum(free) // 1000),
        sized=True,
        pod=LARGE,
        show="general",
    )


def who_leaves() -> YourCluster:
    """Two nodes would lose pods that are equally many and equally important: which node is chosen?"""
    preemption = explain(URGENT, bundled().cluster(LATEST)).decision.preemption
    assert preemption is not None
    fewest = len(preemption.victims)
    oldest = {
        node: min(each.start for each in found.victims)
        for node, found in sorted(preemption.candidates.items())
        if len(found.victims) == fewest
    }
    starts = clock(oldest.values())
    older, later_one = sorted(oldest, key=lambda node: oldest[node])
    runs = later("The older of the two pods started at {start} on {node}, at {other_start} on {other}.")
    return _asking(
        say("Two nodes would each lose two pods of priority -10. Which node is chosen?"),
        later_one,
        dict.fromkeys(oldest, say("It spares the pod that has run longest: most work would be lost with it.")),
        note=say(runs, start=starts(oldest[older]), node=older, other_start=starts(oldest[later_one]), other=later_one),
        drawn=True,
        pod=URGENT,
        show="general",
    )


def what_moves_it() -> YourCluster:
    """What would lead the pod elsewhere, if it were decided again?"""
    decision = explain(MOVES, bundled().cluster(LATEST)).decision
    found = why_not(decision, RUNS_ON)
    leads = {row.plugin: row.lead for row in found.points}
    said = {FIT: say("free room"), SPREAD: say("distance from its ReplicaSet"), IMAGES: say("its image")}
    why = say(
        "{plugin}, the distance, gives ★ {points} points more; {fit}, free room, {few}.",
        plugin=SPREAD,
        points=leads[SPREAD],
        fit=FIT,
        few=leads[FIT],
    )
    no = say("{plugin}, the image, gives both the same.", plugin=IMAGES)
    return _asking(
        say("Now it would go to ★. What counts most?"),
        said[max(said, key=lambda plugin: leads[plugin])],
        dict.fromkeys(said.values(), why) | {said[IMAGES]: sentences((no, why))},
        RUNS_ON,
        say(
            "Free: {room} on {node}, {more} on ★.",
            room=_free(decision, RUNS_ON),
            node=RUNS_ON,
            more=_free(decision, str(found.winner)),
        ),
        pod=MOVES,
        node=RUNS_ON,
        show="general",
    )


def _free(decision: Decision, node: str) -> str:
    """How much CPU and memory the node has left for the pod."""
    cluster, place = decision.cluster, decision.cluster.index[node]
    free = cluster.allocatable[:, place] - cluster.requested[:, place]
    return say("{cpu:.1f} CPU and {memory:.1f}Gi", cpu=free[CPU] / 1000, memory=free[MEMORY] / 2**30)
