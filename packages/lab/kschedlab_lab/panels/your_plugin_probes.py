"""What two filters say to labels and pods that their author did not think of: a row each, and a column per probe."""

from __future__ import annotations

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_37
from kschedlab.messages import later, say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Nothing
from kschedlab_lab.views.probes import grid

LABELS = ("0", "60", "x")
"""What the label celsius says; there are also a node without it, and one with a pod."""


def answers(plugin: object) -> list[str]:
    """What the filter says to each probe."""
    nodes = [node("probe"), *(node("probe", labels={"celsius": each}) for each in LABELS)]
    asked = [cluster(each, pod("web", "", 1)) for each in nodes]
    asked.append(cluster(nodes[0], pod("old", "probe", 1), pod("web", "", 1)))
    decisions = [schedule("default/web", each, V1_37.plus(plugin)) for each in asked]
    return [say("error") if each.error else "✓" if each.node else say("refused") for each in decisions]


def probes() -> list[str]:
    """The names of the probes."""
    return [say("no label"), *LABELS, say("with a pod")]


def panel(**plugins: object) -> Panel[Nothing]:
    """The panel, which asks first. ``plugins``: filters, by the names that the table gives them."""
    found = {name: answers(each) for name, each in plugins.items()}
    first, breaks = next(iter(found)), say("error")
    broken = next((probe for probe, each in zip(probes(), found[first], strict=True) if each == breaks), "")
    ends = later("A label {label} ends the decision of every pod with an error.")
    said = say(ends, label=broken) if broken else say("Nothing breaks {filter}.", filter=first)
    why = later("int() takes 0 and 60, and without a label it is 0. Nobody keeps a label from being a text.")
    unknown = {name: ["?"] * len(each) for name, each in found.items()}
    text = say("Which label breaks {filter}?", filter=f"`{first}`")
    question = Question[Nothing](
        text,
        (*probes()[:-1], say("none")),
        lambda _: broken or say("none"),
        lambda _, answer: say(why),
        lambda _: lambda room: grid(probes(), unknown, breaks, room, text),
    )
    view = View(lambda room: grid(probes(), found, breaks, room, said), said, Html(), said)
    return Panel(Nothing(), lambda _: view, call="your_plugin_probes.panel(...)").ask(question)
