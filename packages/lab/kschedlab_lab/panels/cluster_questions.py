"""What lesson 07 asks before it shows an answer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kschedlab.cluster.pools import ZONE, pools
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.messages import say
from kschedlab.whatif import what_if
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.your_cluster import YourCluster
from kschedlab_lab.views.node_kinds import siblings, totals
from kschedlab_why.why_not import points

STUCK = "ml/train-small-0"
MOVES, RUNS_ON = "shop/notifications-m28f29nql-28wnb", "general-97"
SPREAD = "PodTopologySpread"


def _asking(text: str, right: str, remarks: Mapping[str, str], framed: str = "", **values: str) -> YourCluster:
    """A panel that asks first; ``remarks``: its answers, and what is said of each; ``framed``: where the pod runs."""
    panel = YourCluster(bundled()).move(**values)
    before = partial(panel.answers.before, framed=framed)
    asked = Question(
        text,
        tuple(remarks),
        lambda _: right,
        lambda _, answer: remarks[answer],
        before,
        looks=("node", "show", "question"),
    )
    return panel.ask(asked)


def what_helps() -> YourCluster:
    """Which single change lets the pod in?"""
    selector, taint, less = say("no nodeSelector"), say("a toleration"), say("less CPU")
    changes = what_if(STUCK, bundled().cluster(LATEST)).relaxations.sufficient[0].changes
    return _asking(
        say("{pod} waits. Which one change lets it run?", pod="train-small-0"),
        taint if "tolerating" in changes[0] else selector,
        {
            selector: say(
                "Then 95 nodes of general let it in, but they have no GPU. The 12 with GPUs keep their taint."
            ),
            taint: say("The selector leaves 12 nodes, all with room, and only their taint keeps it out."),
            less: say("The 12 nodes with GPUs have a taint, and it keeps the pod out whatever it asks for."),
        },
        pod=STUCK,
    )


def which_zone() -> YourCluster:
    """Where would the pod go, if it were decided again?"""
    decision = explain(MOVES, bundled().cluster(LATEST)).decision
    pods, total, zones = siblings(decision), totals(decision), pools(decision.cluster, ZONE)
    best = {zone: max(total.keys() & places, key=lambda place: total[place]) for zone, places in zones.items()}
    right, second, *_ = sorted(best, key=lambda zone: -total[best[zone]])
    rows = points(decision, *(decision.cluster.names[best[zone]] for zone in (right, second)))
    leads, others = {row.plugin: row.lead for row in rows}, [sum(pods[n] for n in zones[z]) for z in (right, second)]
    why = say(
        "{fewer} other pods of its ReplicaSet are in {zone}, {more} in each other zone. For that {plugin} gives "
        "{points} points, and the best node elsewhere is {lead} behind.",
        fewer=others[0],
        more=others[1],
        zone=right,
        plugin=SPREAD,
        points=leads[SPREAD],
        lead=rows[-1].lead,
    )
    return _asking(
        say("Decided again now, it would leave {node}. For which zone?", node=RUNS_ON),
        right,
        dict.fromkeys(sorted(best), why),
        RUNS_ON,
        pod=MOVES,
        node=RUNS_ON,
    )
