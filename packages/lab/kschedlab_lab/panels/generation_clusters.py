"""The clusters of lesson 06: small ones in which a few changes make generations answer differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kschedlab.build import HOUR, Manifest, budget, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS
from kschedlab.messages import later
from kschedlab.whatif.compare import changes, compare
from kschedlab.whatif.titles import title_of
from kschedlab_lab.views.glyphs import Badge


class Asked(NamedTuple):
    """A question about a cluster. ``without``: the changes taken out of all versions; ``why``: said of each answer."""

    text: str
    choices: tuple[str, ...]
    why: str
    without: str


class Story(NamedTuple):
    """A cluster whose pod ``pod`` is decided, and what the lesson asks about it.

    ``changes``: the names of those that give ``pod`` another place; ``asks``: by version, a question about its answer;
    ``controls``: the names of the settings that ``manifests`` takes; ``signs``: by node.
    """

    pod: str
    manifests: Callable[..., list[Manifest]]
    changes: tuple[str, ...]
    asks: Mapping[str, Asked]
    controls: tuple[str, ...] = ()
    signs: Mapping[str, tuple[Badge, ...]] = {}


def budget_of(allowed: int) -> list[Manifest]:
    """Three nodes of 5 CPU with two shop pods each, of which a budget lets some go; each node must give up both."""
    shop = {"app": "shop"}
    return [
        *(node(name, 5) for name in ("node-a", "node-b", "node-c")),
        pod("a-high", "node-a", 2, 100, 8 * HOUR, shop),
        pod("a-low", "node-a", 2, 50, 8 * HOUR, shop),
        pod("b-high", "node-b", 2, 100, 9 * HOUR, shop),
        pod("b-low", "node-b", 2, 50, 9 * HOUR, shop),
        pod("c-high", "node-c", 2, 150, 8 * HOUR, shop),
        pod("c-low", "node-c", 2, 0, 8 * HOUR, shop),
        budget("shop", allowed),
        pod("urgent", "", 4, 1000),
    ]


def never() -> list[Manifest]:
    """A pod whose preemptionPolicy is Never, and no room."""
    return [
        node("node-a"),
        node("node-b"),
        pod("mail", "node-a", 3, 0, 9 * HOUR),
        pod("jobs", "node-b", 3, 100, 7 * HOUR),
        pod("patient", "", 2, 1000, preemptionPolicy="Never"),
    ]


def one_percent(room: int) -> list[Manifest]:
    """node-b has 60 % room for one more such pod; node-a has the image already, which is worth less than one point of
    ten. ``room``: how many percent of node-a stay free with web on it.
    """
    mail = 100 * (80 - room)
    return [
        node("node-a", 10, "10000Mi", images=[{"names": ["example/app:1"], "sizeBytes": 230 * 2**20}]),
        node("node-b", 10, "10000Mi"),
        pod("mail", "node-a", f"{mail}m", 0, 8 * HOUR, memory=f"{mail}Mi"),
        pod("jobs", "node-b", 2, 0, 8 * HOUR, memory="2000Mi"),
        pod("web", "", 2, 0, memory="2000Mi"),
    ]


NONE = later("none")
NO_NODE = later("no node")
NODES = ("node-a", "node-b", "node-c")
COUNTED = later(
    "a-low, b-low and c-low break the budget, so they are first in their lists: 50, 50 and 0. c-low has the lowest "
    "priority."
)
LOST = later(
    "The scheduler would obey Never, but it never sees it, because the API server drops it. So patient evicts mail, as "
    "in v1.16."
)
FINER = later("Nothing is rounded off: node-a has 59 + 9 points, node-b 60.")

STORIES = {
    later("a budget"): Story(
        "urgent",
        budget_of,
        ("start_times", "counted_down", "sorted_again"),
        {"v1.20": Asked(later("v1.16 chooses node-b. Which node does v1.20 choose?"), NODES, COUNTED, NONE)},
        ("allowed",),
    ),
    later("never preempt"): Story(
        "patient",
        never,
        ("policy_stored", "policy_obeyed"),
        {
            "v1.20": Asked(
                later("Which node does v1.20 choose if the policy is not stored?"),
                ("node-a", "node-b", NO_NODE),
                LOST,
                "policy_stored",
            )
        },
    ),
    later("one percent"): Story(
        "web",
        one_percent,
        ("hundred_points",),
        {"v1.20": Asked(later("v1.16 chooses node-b. And v1.20, with 100 points?"), NODES[:2], FINER, NONE)},
        ("room",),
        signs={"node-a": (Badge("disk", later("has the pod's image")),)},
    ),
}
"""By title."""


def causes(pod: str, manifests: list[Manifest]) -> str:
    """A line for each change that ``compare`` finds: alone it makes a version decide otherwise than the one before."""
    lines = []
    for step in compare(pod, Cluster.from_dicts(manifests), GENERATIONS).steps:
        number = len(changes(GENERATIONS[step.earlier], GENERATIONS[step.later]))
        titles = [title_of(cause.change.rule) for cause in step.causes]
        lines += [f"{step.earlier} → {step.later}: 1 of {number} changes: {title}" for title in titles]
    return "\n".join(lines)
