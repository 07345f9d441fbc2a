"""Choosing the node to preempt on: settings -> manifests -> Cluster -> Decision -> picture, ladder and sentence.

Four nodes of 4 CPU and a pod that requests 3. On node-a, node-b and node-c a pod of 2 CPU is evicted and one small pod
can stay; on node-d a vault with a very high priority uses 3 CPU. The budget covers the shop's pods: shop-a, and on
node-b both shop-b and jobs-b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.chart import ChartPanel, chart_view
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import HOUR, Manifest, budget, clock_time, node, pod
from kschedlab.views.chart import decision_map
from kschedlab.views.html import Html
from kschedlab.views.ladder import ladder_html
from kschedlab.views.picture import caption, picture
from kschedlab.views.text import decision_text

LOWEST = -(2**31)
"""The lowest priority; adding 2^31 to it gives 0."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Priorities, the budget's ``disruptionsAllowed``, and start times in minutes after midnight.

    ``mail_in_shop``: whether the budget covers ``mail-c`` too. ``generation``: the scheduler that decides.
    """

    preemptor: int = slider("preemptor's priority", (0, 250, 500, 1000), 500)
    shop_a: int = slider("priority of shop-a", range(0, 301, 100), 100)
    shop_b: int = slider("priority of shop-b", range(0, 301, 100), 100)
    jobs: int = slider("priority of both jobs", (LOWEST, 0, 100, 200), 0)
    allowed: int = slider("PDB disruptionsAllowed", range(3), 1)
    shop_b_start: int = slider("shop-b started at", range(8 * HOUR, 10 * HOUR, HOUR), 9 * HOUR, clock_time)
    mail_c_start: int = slider("mail-c started at", range(8 * HOUR, 11 * HOUR, HOUR), 10 * HOUR, clock_time)
    mail_in_shop: bool = switch("mail-c is in the shop")
    generation: str = choice("generation", ("v1.20", "v1.37"), "v1.20")


AXES = {name: each.label for name, each in Settings.controls().items() if each.kind == "slider"}


@dataclass(frozen=True)
class MapSettings(Settings):
    """The settings, and the two that are the map's axes: ``down`` and ``across``."""

    down: str = choice("down", AXES, "shop_b", AXES.__getitem__)
    across: str = choice("across", AXES, "allowed", AXES.__getitem__)


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    at_seven, half_past = 7 * HOUR, 9 * HOUR + 30
    return [
        *(node(name) for name in ("node-a", "node-b", "node-c", "node-d")),
        pod("shop-a", "node-a", 2, settings.shop_a, half_past, labels={"app": "shop"}),
        pod("logs-a", "node-a", 1, 150, at_seven),
        pod("shop-b", "node-b", 2, settings.shop_b, settings.shop_b_start, labels={"app": "shop"}),
        pod("logs-b", "node-b", 1, 150, at_seven),
        pod("jobs-b", "node-b", 1, settings.jobs, half_past, labels={"app": "shop"}),
        pod(
            "mail-c", "node-c", 2, 100, settings.mail_c_start, labels={"app": "shop"} if settings.mail_in_shop else None
        ),
        pod("logs-c", "node-c", 1, 150, at_seven),
        pod("jobs-c", "node-c", 1, settings.jobs, half_past),
        pod("vault-d", "node-d", 3, 900, at_seven),
        pod("urgent", "", 3, settings.preemptor),
        budget("shop", settings.allowed),
    ]


def as_yaml(settings: Settings) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return testing.as_yaml(manifests(settings))


def cluster(settings: Settings) -> Cluster:
    """The cluster of these manifests."""
    return Cluster(decode_objects(manifests(settings)), GENERATIONS[settings.generation].api)


def decide(settings: Settings, plugins: Sequence[object] = ()) -> Decision:
    """The scheduler's decision for the pod ``urgent``. ``plugins``: those that join the generation."""
    return schedule("default/urgent", cluster(settings), GENERATIONS[settings.generation].plus(*plugins))


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    return view_of(decide(settings, plugins))


def view_of(decision: Decision) -> View:
    """Picture, sentence and ladder of a decision."""
    preemption = decision.preemption
    table = ladder_html(preemption) if preemption is not None and preemption.rungs else Html()
    return View(picture(decision), caption(decision), table, decision_text(decision))


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join the generation."""
    return Panel(Settings().changed(**settings), lambda settings: show(settings, plugins), as_yaml)


def show_map(settings: MapSettings) -> View:
    """The chosen node for every value of two sliders; the other settings stay."""
    controls = settings.controls()
    down, across = controls[settings.down], controls[settings.across]
    nodes = [
        [decide(settings.changed(**{settings.down: y, settings.across: x})).nominated_node for x in across.values]
        for y in down.values
    ]
    at = down.values.index(getattr(settings, settings.down)), across.values.index(getattr(settings, settings.across))
    here = nodes[at[0]][at[1]]
    chart = decision_map(
        nodes,
        [down.write(y) for y in down.values],
        [across.write(x) for x in across.values],
        selected=at,
        corner=f"{down.label} \\ {across.label}",
        titles=(across.label, down.label),
        kinds=("node-a", "node-b", "node-c", "node-d"),
    )
    different = sum(node != here for row in nodes for node in row)
    return chart_view(
        chart,
        f"Here {here or 'no node'} is chosen; at {different} of {len(nodes) * len(nodes[0])} places another answer.",
    )


class NodeMap(ChartPanel[MapSettings]):
    """The map; a click sets the two sliders on its axes."""

    def click(self, row: int, column: int) -> Self:
        """Apply the settings of this cell."""
        controls, at = self.settings.controls(), self.settings
        values = {at.across: controls[at.across].values[column], at.down: controls[at.down].values[row]}
        return self.move(**values)


def map_panel(**settings: Any) -> NodeMap:
    """The map of chosen nodes; arguments override its default settings."""
    return NodeMap(
        MapSettings().changed(**settings), show_map, as_yaml, "lesson.map_panel()", row="down", column="across"
    )


def which_node() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "Which node is chosen?",
        {
            "node-a": "So you count heads, or sum up what is lost. Which of the two does the scheduler do? Read on.",
            "node-b": "Its victims are the most important ones. Would you give away the most valuable thing first?",
            "node-c": "jobs-c has the lowest priority of all, but somebody else has to go with it. Read on.",
        },
    )


def which_pod() -> Prediction:
    """The prediction before the fifth rule."""
    return Prediction(
        "Which of the two is evicted?",
        {
            "shop-b, which has run longer": "It has done its share? The scheduler sees it the other way round.",
            "mail-c, which has run for a shorter time": "Yes: the less work is lost, the better.",
        },
    )
