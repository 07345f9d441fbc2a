"""What lesson 07 asks before it shows an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.messages import say
from kschedlab.whatif import what_if
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.your_cluster import WHAT_IF, WHOM, YourCluster

STUCK, LARGE, URGENT = "ml/train-small-0", "analytics/report-builder-0", "shop/payment-burst-0"


def _asking(pod: str, text: str, right: Callable[[Any], str], remarks: Mapping[str, str], **values: str) -> YourCluster:
    """A panel about this pod that asks first."""
    panel = YourCluster(bundled()).move(pod=pod, **values)
    why, before = (lambda _, answer: remarks[answer]), panel.answers.before
    return panel.ask(Question(text, tuple(remarks), right, why, before, looks=("node", "show", "pools", "question")))


def what_helps() -> YourCluster:
    """Which filter is in the way on the nodes that matter?"""
    selector, taint, gpu = (
        say("the nodeSelector: 95 nodes do not match it"),
        say("a taint that it does not tolerate"),
        say("there is no free GPU"),
    )

    def right(_: Any) -> str:
        changes = what_if(STUCK, bundled().cluster(LATEST)).relaxations.sufficient[0].changes
        return taint if "tolerating" in changes[0] else selector

    return _asking(
        STUCK,
        say("What keeps {stuck} off the 12 nodes with GPUs?", stuck=STUCK),
        right,
        {
            selector: say(
                "Those 95 are the nodes of the pool general, where this pod does not want to go. It is the taint "
                "nvidia.com/gpu that keeps it off the 12."
            ),
            taint: say(
                "The 12 nodes of the pool gpu have the taint nvidia.com/gpu, and this pod does not tolerate it. "
                "The event hides them among 103 nodes."
            ),
            gpu: say(
                "Then the event would say Insufficient nvidia.com/gpu; the bars show that the nodes have free ones. "
                "It is their taint, nvidia.com/gpu."
            ),
        },
    )


def how_much() -> YourCluster:
    """How large is the largest free piece that this pod may have?"""
    little, three, one = "7600m", "3000m", "1285m"

    def right(_: Any) -> str:
        (boundary,) = what_if(LARGE, bundled().cluster(LATEST)).requests
        return f"{boundary.far}m"

    return _asking(
        LARGE,
        say("{large} asks for 7.7 CPU. What is the largest request with which it fits?", large=LARGE),
        right,
        {
            little: say(
                "A node of general has 7.91 CPU, but daemons run on every node, and so do other pods. "
                "The most is 1285m."
            ),
            three: say(
                "Nodes of spot and data have that much left, but their taints keep this pod out. The most is 1285m."
            ),
            one: say("One node that lets it in has 1285m left, and none has more."),
        },
        question=WHAT_IF,
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
        say("{urgent} has priority 100000 and fits nowhere. Pods of which app does it evict?", urgent=URGENT),
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
