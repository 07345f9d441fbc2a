"""What preemption asks a filter: nothing, if it said that evicting does not help; else the same again, without pods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from kschedlab.build import cluster, node, pod
from kschedlab.decision import Decision
from kschedlab.generations import V1_37
from kschedlab.messages import later, say, sentences
from kschedlab.plugins import node_filter
from kschedlab.plugins.functions import NodeFilter
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, switch
from kschedlab_lab.views.asked_again import draw_asked
from kschedlab_lab.views.drawing import Box
from kschedlab_lab.views.picture import NO_HANDLES, Boxes, colours, decided_and_why
from kschedlab_lab.views.svg import Room

FULL = cluster(node("rack-a"), pod("old", "rack-a", 2, 0), pod("web", "", 1, 9))
"""A rack, the pod that runs there, and ``web``, which is more important."""
WAITS = later("{name} says that evicting does not help, so it is not asked again.")


@dataclass(frozen=True)
class Settings(Restorable):
    """Whether the filter says that evicting pods does not help."""

    unresolvable: bool = switch(later("unresolvable"), True)


class Asked:
    """What the panel shows of a filter."""

    def __init__(self, plugin: NodeFilter) -> None:
        self.plugin, self.name = plugin, plugin.name

    def decide(self, settings: Settings) -> Decision:
        """The decision for ``web``."""
        declared = node_filter(self.name, unresolvable=settings.unresolvable)(self.plugin)
        return schedule("default/web", FULL, V1_37.plus(declared))

    def __call__(self, settings: Settings) -> View:
        decision = self.decide(settings)
        said = self.sentence(settings, decision)
        refuses = not decision.error and not decision.verdict("rack-a").passes
        return View(
            lambda room: draw_asked(Boxes(decision, NO_HANDLES).after(), settings.unresolvable, room, said),
            said,
            Html(),
            said,
            names=colours(decision),
            story=partial(self.story, settings) if refuses else None,
        )

    def sentence(self, settings: Settings, decision: Decision) -> str:
        """Whether preemption helps, and whom it asks."""
        if decision.nominated_node is None and settings.unresolvable and decision.preemption is not None:
            return sentences((say("web waits."), say(WAITS, name=self.name)))
        return decided_and_why(decision)[0]

    def story(self, settings: Settings, room: Room) -> list[Frame]:
        """The filter refuses; without ``old`` it is asked again, or it is not."""
        decision = self.decide(settings)
        found, said = Boxes(decision, NO_HANDLES), self.sentence(settings, decision)
        refuses = later("{plugin} refuses {node}: {reason}.")
        reasons = ", ".join(decision.verdict("rack-a").reasons)
        refused = [replace(box, refused=reasons) if box.capacity else box for box in found.before()]
        told: list[tuple[Sequence[Box], str]] = [
            (found.before(), say("web waits.")),
            (refused, say(refuses, plugin=self.name, node="rack-a", reason=reasons)),
        ]
        if decision.nominated_node is not None:
            again = later("Preemption takes old off rack-a and asks {name} again. It passes.")
            told.append((found.trying({}), say(again, name=self.name)))
        told.append((found.after(), said))
        return [Frame(draw_asked(boxes, settings.unresolvable, room, text), text) for boxes, text in told]

    def question(self) -> Question[Settings]:
        """Does preemption help?"""
        yes, no = say("yes: it evicts old"), say("no: it finds no node")
        remarks = {
            yes: say("Without old the rack would pass, but nobody asks."),
            no: say("The declaration must be true: nobody checks it."),
            say("the decision fails with an error"): say(
                "Nothing raises an error. That is what makes it hard to find."
            ),
        }

        def before(settings: Settings, room: Room) -> Html:
            return draw_asked(Boxes(self.decide(settings), NO_HANDLES).before(), None, room, say("web waits."))

        return Question(
            say("web has priority 9, and old has 0. Does preemption help?"),
            tuple(remarks),
            lambda settings: yes if self.decide(settings).nominated_node is not None else no,
            lambda _, answer: remarks[answer],
            lambda settings: partial(before, settings),
        )


def panel(plugin: NodeFilter) -> Panel[Settings]:
    """The panel, which asks first. ``plugin``: a filter from ``node_filter`` that looks at the pods of a node."""
    shown = Asked(plugin)
    return Panel(Settings(), shown, call="your_plugin_preemption.panel(...)").ask(shown.question())
