"""The clusters of lesson 06: small ones in which one rule, or a few, make generations answer differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kschedlab.build import HOUR, Manifest, budget, node, pod
from kschedlab.messages import later
from kschedlab_lab.views.glyphs import Badge

EIGHT, MIB = 8 * HOUR, 2**20


class Story(NamedTuple):
    """A cluster whose pod ``pod`` is decided. ``about``: what is special; ``signs``: the same, by node."""

    pod: str
    about: str
    manifests: Callable[[], list[Manifest]]
    signs: Mapping[str, tuple[Badge, ...]] = {}


def budget_of_one() -> list[Manifest]:
    """Three nodes of 5 CPU with two shop pods each, of which a budget lets one go; each node must give up both."""
    shop = {"app": "shop"}
    return [
        *(node(name, 5) for name in ("node-a", "node-b", "node-c")),
        pod("a-high", "node-a", 2, 100, 8 * HOUR, shop),
        pod("a-low", "node-a", 2, 50, 8 * HOUR, shop),
        pod("b-high", "node-b", 2, 100, 9 * HOUR, shop),
        pod("b-low", "node-b", 2, 50, 9 * HOUR, shop),
        pod("c-high", "node-c", 2, 150, 8 * HOUR, shop),
        pod("c-low", "node-c", 2, 0, 8 * HOUR, shop),
        budget("shop", 1),
        pod("urgent", "", 4, 1000),
    ]


def who_may_stay() -> list[Manifest]:
    """Two pods of equal priority on node-a; the younger one is listed first; one may stay."""
    return [
        node("node-a"),
        node("node-b"),
        pod("young", "node-a", 2, 100, 11 * HOUR),
        pod("old", "node-a", 2, 100, 7 * HOUR),
        pod("vault", "node-b", 3, 1000, 7 * HOUR),
        pod("urgent", "", 2, 500),
    ]


def never() -> list[Manifest]:
    """A pod whose preemptionPolicy is Never, and no room."""
    return [
        node("node-a"),
        node("node-b"),
        pod("mail", "node-a", 3, 0, 9 * HOUR),
        pod("shop", "node-b", 3, 100, 7 * HOUR),
        pod("patient", "", 2, 1000, preemptionPolicy="Never"),
    ]


def one_percent() -> list[Manifest]:
    """node-b has 1 % more room; node-a has the image already, which is worth little."""
    return [
        node("node-a", 10, "10Gi", images=[{"names": ["example/app:1"], "sizeBytes": 300 * MIB}]),
        node("node-b", 10, "10Gi"),
        pod("mail", "node-a", "2100m", 0, EIGHT, memory="2150Mi"),
        pod("jobs", "node-b", 2, 0, EIGHT, memory="2Gi"),
        pod("web", "", 2, 0, memory="2Gi"),
    ]


def soft_taint() -> list[Manifest]:
    """node-a is roomy and has the image, but its taint asks pods to stay away."""
    taint = {"key": "old-disk", "value": "", "effect": "PreferNoSchedule"}
    image = {"names": ["example/app:1"], "sizeBytes": 1900 * MIB}
    return [
        node("node-a", 4, "16Gi", taints=[taint], images=[image]),
        node("node-b", 4, "16Gi"),
        pod("jobs", "node-b", 3, 0, EIGHT, memory="12Gi"),
        pod("web", "", 1, 0, memory="2Gi"),
    ]


def promise() -> list[Manifest]:
    """A pod is nominated to node-a; meanwhile node-b has more room."""
    return [
        node("node-a"),
        node("node-b", 6),
        pod("mail", "node-a", 1, 0, EIGHT),
        pod("urgent", "", 2, 1000, nominated="node-a"),
    ]


IMAGE = Badge("disk", later("has the pod's image"))
TAINT = Badge("taint", later("taint old-disk: PreferNoSchedule"))
NOMINATED = Badge("zone", later("nominatedNodeName of the pod"))

STORIES = {
    later("a budget of one"): Story("urgent", later("The budget allows one disruption."), budget_of_one),
    later("who may stay?"): Story(
        "urgent", later("Both pods on node-a have priority 100; one may stay."), who_may_stay
    ),
    later("never preempt"): Story("patient", later("preemptionPolicy of patient: Never."), never),
    later("one percent"): Story(
        "web",
        later("Before web comes, node-b has 1 % more room; node-a has the image."),
        one_percent,
        {"node-a": (IMAGE,)},
    ),
    later("a soft taint"): Story(
        "web", later("node-a has the image and a PreferNoSchedule taint."), soft_taint, {"node-a": (IMAGE, TAINT)}
    ),
    later("a promise"): Story(
        "urgent", later("urgent is nominated to node-a; node-b has more room."), promise, {"node-a": (NOMINATED,)}
    ),
}
"""By title."""
