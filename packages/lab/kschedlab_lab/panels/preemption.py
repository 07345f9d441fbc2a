"""Choosing the node to preempt on: settings -> manifests -> Cluster -> Decision -> picture, story and sentence.

Four nodes of 4 CPU and a pod that requests 3. On node-a, node-b and node-c a pod of 2 CPU is evicted and one small pod
can stay; on node-d a vault with a very high priority uses 3 CPU. The budget covers the shop's pods: shop-a, and on
node-b both shop-b and jobs-b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kschedlab.build import HOUR, Manifest, budget, clock_time, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import CALL, Frame, Panel, View
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.drawing import Number
from kschedlab_lab.views.picture import Handles, colours
from kschedlab_lab.views.preemption_scene import Scene
from kschedlab_lab.views.svg import Room

LOWEST = -(2**31)
"""The lowest priority; adding 2^31 to it gives 0."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Priorities, the budget's ``disruptionsAllowed``, and a start time in minutes after midnight.

    ``mail_in_shop``: whether the budget covers ``mail-c`` too. ``generation``: the scheduler that decides.
    """

    preemptor: int = slider("urgent priority", (0, 250, 500, 1000), 500)
    shop_a: int = slider("shop-a priority", range(0, 400, 100), 100)
    shop_b: int = slider("shop-b priority", range(0, 400, 100), 100)
    jobs: int = slider("jobs priority", (LOWEST, -100, 0, 200), 0)
    allowed: int = slider("budget allows", range(3), 2)
    mail_c_start: int = slider("mail-c start", range(8 * HOUR, 10 * HOUR + 30, 30), 10 * HOUR, clock_time)
    mail_in_shop: bool = switch("mail-c in the shop")
    generation: str = choice("generation", ("v1.20", "v1.37"), "v1.20")


VICTIMS, RULES = "victims", "rules"
"""How much of the decision a panel shows."""
NODES = ("node-a", "node-b", "node-c", "node-d")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    at_seven, half_past = 7 * HOUR, 9 * HOUR + 30
    return [
        *(node(name) for name in NODES),
        pod("shop-a", "node-a", 2, settings.shop_a, half_past, labels={"app": "shop"}),
        pod("logs-a", "node-a", 1, 150, at_seven),
        pod("shop-b", "node-b", 2, settings.shop_b, 9 * HOUR, labels={"app": "shop"}),
        pod("logs-b", "node-b", 1, 150, at_seven),
        pod("jobs-b", "node-b", 1, settings.jobs, half_past, labels={"app": "shop"}),
        pod(
            "mail-c", "node-c", 2, 100, settings.mail_c_start, labels={"app": "shop"} if settings.mail_in_shop else None
        ),
        pod("logs-c", "node-c", 1, 150, at_seven),
        pod("jobs-c", "node-c", 1, settings.jobs, 8 * HOUR + 30),
        pod("vault-d", "node-d", 3, 900, at_seven),
        pod("urgent", "", 3, settings.preemptor),
        budget("shop", settings.allowed),
    ]


def decide(settings: Settings, plugins: Sequence[object] = ()) -> Decision:
    """The scheduler's decision for the pod ``urgent``. ``plugins``: those that join the generation."""
    generation = GENERATIONS[settings.generation]
    cluster = Cluster(decode_objects(manifests(settings)), generation.api)
    return schedule("default/urgent", cluster, generation.plus(*plugins))


def view_of(settings: Settings, decision: Decision, until: str = RULES) -> View:
    """Picture, story and sentence of a decision. ``until``: see :func:`panel`."""
    drawn = scene(settings, decision, until)

    def story(room: Room) -> list[Frame]:
        return [Frame(*moment) for moment in drawn.story(room)]

    return View(
        drawn.picture,
        drawn.said,
        Html(),
        str(decision),
        story=story,
        names=colours(decision) if until != VICTIMS else {},
        idle={name: "" for name in settings.controls() if not _matters(name, settings, drawn, until)},
    )


def _matters(name: str, settings: Settings, drawn: Scene, until: str) -> bool:
    """Whether the picture shows what this setting does."""
    if until == VICTIMS:
        return name == "allowed"
    if name == "mail_in_shop":
        return offers_mail(settings)
    return drawn.reads_starts or name != "mail_c_start"


def offers_mail(settings: Settings) -> bool:
    """Whether mail-c can come under the budget, or leave it: with one disruption left it makes no difference."""
    return settings.mail_in_shop or settings.allowed == 0


def scene(settings: Settings, decision: Decision, until: str = RULES) -> Scene:
    """The pictures of the decision, with the panel's handles; before the ladder, only the budget has one."""
    across = {"data_axis": "x", "data_step": "16"}
    budgets = {"shop": {"data_drag": "allowed"} | across}
    if until == VICTIMS:
        return Scene(decision, allowed=budgets, rules=False, tried="node-b")
    priorities = {"urgent": "preemptor", "shop-a": "shop_a", "shop-b": "shop_b", "jobs-b": "jobs", "jobs-c": "jobs"}
    toggled = {"mail-c": {"data_set": f"mail_in_shop: {'off' if settings.mail_in_shop else 'on'}"}}
    handles = Handles(
        priorities={name: {"data_drag": control} | across for name, control in priorities.items()},
        starts={"mail-c": {"data_drag": "mail_c_start"} | across | {"data_step": "12"}},
        shields=toggled if offers_mail(settings) else {},
        fixed=dict.fromkeys(("logs-a", "logs-b", "logs-c", "vault-d"), say("fixed in this picture")),
    )
    return Scene(
        decision, handles, budgets, Number(settings.generation, {"data_drag": "generation"} | across, name="generation")
    )


def panel(plugins: Sequence[object] = (), *, until: str = RULES, **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join the generation.

    ``until``: "victims", who would be evicted; "rules", which node is chosen, with the ladder that chooses it.
    """
    call = CALL if until == RULES else f'lesson.panel(until="{until}")'
    return Panel(
        Settings().changed(**settings),
        lambda settings: view_of(settings, decide(settings, plugins), until),
        manifests,
        call,
    )
