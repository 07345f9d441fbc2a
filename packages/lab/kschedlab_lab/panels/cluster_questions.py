"""What lesson 07 asks before it shows an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kschedlab.cluster.pools import ZONE
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.messages import say
from kschedlab.whatif import Case, what_if
from kschedlab.whatif.thresholds import last
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.your_cluster import WHAT_IF, WHOM, YourCluster
from kschedlab_lab.views.halving import Halving, Try
from kschedlab_why.why_not import why_not

STUCK, LARGE, URGENT, APART = (
    "ml/train-small-0",
    "analytics/report-builder-0",
    "shop/payment-burst-0",
    "data/redis-24",
)
MOVES, RUNS_ON = "shop/notifications-m28f29nql-28wnb", "general-97"
TOLERATING = "tolerating nvidia.com/gpu=present"


def _asking(
    pod: str,
    text: str,
    right: Callable[[Any], str],
    remarks: Mapping[str, str],
    framed: tuple[str, ...] = (),
    **values: str,
) -> YourCluster:
    """A panel about this pod that asks first, with the nodes of its question in frames."""
    panel = YourCluster(bundled()).move(pod=pod, **values)
    why, before = (lambda _, answer: remarks[answer]), partial(panel.answers.before, framed=framed)
    return panel.ask(
        Question(text, tuple(remarks), right, why, before, looks=("node", "show", "pools", "question", "change"))
    )


def what_helps() -> YourCluster:
    """Which single change lets the pod in?"""
    selector, taint, less = (
        say("drop its nodeSelector"),
        say("tolerate the taint nvidia.com/gpu"),
        say("ask for less CPU"),
    )

    def right(_: Any) -> str:
        changes = what_if(STUCK, bundled().cluster(LATEST)).relaxations.sufficient[0].changes
        return taint if "tolerating" in changes[0] else selector

    return _asking(
        STUCK,
        say("{pod} waits. Which single change lets it run?", pod="train-small-0"),
        right,
        {
            selector: say(
                "Then 95 nodes of general let it in, but they have no GPU. The 12 with GPUs keep their taint."
            ),
            taint: say("The selector leaves 12 nodes, all with room, and only their taint keeps it out."),
            less: say("The 12 nodes with GPUs have room enough. It is their taint that keeps it out."),
        },
    )


def how_much() -> YourCluster:
    """How large is the largest free piece that this pod may have?"""
    data, general, spot = "3685m", "1285m", "3165m"

    def right(_: Any) -> str:
        (boundary,) = what_if(LARGE, bundled().cluster(LATEST)).requests
        return f"{boundary.far}m"

    return _asking(
        LARGE,
        say("{pod} asks for 7.7 CPU and waits. With how much would it fit?", pod="report-builder-0"),
        right,
        {
            data: say("A node of data has that much left, but its taint keeps this pod out. The most is 1285m."),
            general: say("One node that lets it in has 1285m left, and none has more."),
            spot: say("A node of spot has that much left, but its taint keeps this pod out. The most is 1285m."),
        },
        question=WHAT_IF,
    )


def halving() -> Halving:
    """The requests of CPU that are tried for this pod until the largest that fits is known."""
    case, tries = Case(LARGE, bundled().cluster(LATEST)), list[Try]()

    def fits(amount: int) -> bool:
        tries.append(Try(amount, case.fits(case.asking("cpu", amount)) > 0))
        return tries[-1].fits

    most = case.info.request["cpu"]
    last(fits, range(most))
    return Halving(tuple(tries), most)


def why_six() -> YourCluster:
    """What keeps a pod that tolerates the taint off half of the nodes?"""
    taint, gpu, cpu = say("another taint"), say("no GPU is free"), say("too little CPU is free")

    def right(_: Any) -> str:
        relaxed = what_if(LARGE, bundled().cluster(LATEST)).relaxations.sufficient[0].decision
        full = relaxed.verdict("gpu-02").reasons == ("Insufficient cpu",)
        return cpu if full else taint

    return _asking(
        LARGE,
        say("With the toleration, 6 of the 12 nodes of gpu take it. Why not the others?"),
        right,
        {
            taint: say(
                "They have the one taint that all nodes of gpu have. They have 6665m CPU free, and it needs 7.7."
            ),
            gpu: say("It asks for no GPU. They have 6665m CPU free, and it needs 7.7."),
            cpu: say("6665m is free there. The event hid that: it counts a node under the first filter that refuses."),
        },
        question=WHAT_IF,
        change=TOLERATING,
        show="gpu",
    )


def which_pool() -> YourCluster:
    """A new node of which pool would take the pod?"""

    def right(_: Any) -> str:
        (more,) = what_if(APART, bundled().cluster(LATEST)).nodes
        return more.pool

    return _asking(
        APART,
        say("{pod} waits. A new node of which pool would help?", pod="redis-24"),
        right,
        {
            "general": say("Its nodeSelector names the pool data."),
            "spot": say("Its nodeSelector names the pool data, and spot has a taint."),
            "data": say("A new node has no redis yet, so the anti-affinity lets it in."),
        },
        question=WHAT_IF,
        change="one node more of data",
    )


def which_plugin() -> YourCluster:
    """Which score speaks most against the node where the pod runs?"""
    even, fit, spread = "NodeResourcesBalancedAllocation", "NodeResourcesFit", "PodTopologySpread"

    def right(_: Any) -> str:
        *plugins, _total = why_not(explain(MOVES, bundled().cluster(LATEST)).decision, RUNS_ON).points
        return max(plugins, key=lambda each: each.lead).plugin

    return _asking(
        MOVES,
        say("Now it would go to general-03. Through which plugin is {node} most behind?", node=RUNS_ON),
        right,
        {
            even: say("That is 1 point. PodTopologySpread makes 44."),
            fit: say("That is 2 points. PodTopologySpread makes 44."),
            spread: say("general-03 and its zone have fewer pods of the same ReplicaSet."),
        },
        (RUNS_ON, "general-03"),
        node=RUNS_ON,
        show="general",
        pools=ZONE,
    )


def whose_pods() -> YourCluster:
    """Pods of which app does the urgent one evict?"""

    def right(_: Any) -> str:
        decision = explain(URGENT, bundled().cluster(LATEST)).decision
        assert decision.preemption is not None
        victim = decision.preemption.victims[0]
        return say("{app} (priority {priority})", app=victim.pod.metadata.labels["app"], priority=victim.priority)

    return _asking(
        URGENT,
        say("{pod} has priority 100000. Pods of which app does it evict?", pod="payment-burst-0"),
        right,
        {
            say("{app} (priority {priority})", app="checkout", priority=100000): say(
                "checkout has the same priority as payment: it may not be evicted."
            ),
            say("{app} (priority {priority})", app="catalog", priority=0): say(
                "There are less important pods, and they go first."
            ),
            say("{app} (priority {priority})", app="invoices", priority=-10): say(
                "invoices has the lowest priority. Two of its pods are enough."
            ),
        },
        question=WHOM,
    )
