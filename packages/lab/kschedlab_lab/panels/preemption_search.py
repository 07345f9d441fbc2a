"""How many candidates are enough: preemption does not examine every node of a large cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.text.tables import folded
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.chart import chart_view
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.chart import curve

SIZES = (20, 50, 100, 200, 500, 1000, 1500, 2000, 3000, 4000, 5000)


@dataclass(frozen=True)
class Settings(Restorable):
    """The nodes where evicting may help, and the arguments of DefaultPreemption.

    ``percentage``: minCandidateNodesPercentage; ``absolute``: minCandidateNodesAbsolute.
    """

    nodes: int = slider("nodes", SIZES, 2000)
    percentage: int = slider("percentage", (0, 5, 10, 20, 50, 100), 10)
    absolute: int = slider("absolute", (10, 50, 100, 200, 500), 100)


def enough(settings: Settings, nodes: int) -> int:
    """How many candidates end the search among that many nodes."""
    return rules(settings).enough(nodes)


def rules(settings: Settings) -> PreemptionRules:
    """The generation's rules with these arguments."""
    return PreemptionRules(min_candidate_percentage=settings.percentage, min_candidates=settings.absolute)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    chart = curve(
        SIZES,
        {say("candidates that are enough"): [enough(settings, nodes) for nodes in SIZES]},
        titles=(say("nodes where evicting may help"), say("candidates")),
        at=SIZES.index(settings.nodes),
        write=lambda value: f"{value:,}",
        sets=lambda place: f"nodes: {SIZES[place]}",
        drag="nodes",
        alt=sentence(settings),
    )
    return chart_view(chart, sentence(settings), folded(say("The numbers as a table"), chart.table))


def sentence(settings: Settings) -> str:
    """The number and where it comes from."""
    nodes, number = settings.nodes, enough(settings, settings.nodes)
    share = nodes * settings.percentage // 100
    if number == nodes:
        if nodes < settings.absolute:
            why = say("fewer than the minimum of {absolute}", absolute=settings.absolute)
        elif nodes == settings.absolute:
            why = say("no more than the minimum of {absolute}", absolute=settings.absolute)
        else:
            why = say("100 % are enough")
        return say("All {nodes:,} are examined: {why}.", nodes=nodes, why=why)
    parts = say(
        "{percentage} % of {nodes:,} is {share:,}, and the minimum is {absolute}",
        percentage=settings.percentage,
        nodes=nodes,
        share=share,
        absolute=settings.absolute,
    )
    return say(
        "The search stops soon after candidate {number:,}, if one of them breaks no budget: {parts}.",
        number=number,
        parts=parts,
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="search.panel()")


def how_many() -> Question[Settings]:
    """With how many candidates the search ends; a number to be typed."""
    return Question(
        say("Evicting may help on 2,000 nodes. With how many candidates may the search end?"),
        (),
        lambda settings: str(enough(settings, settings.nodes)),
        lambda settings, _: sentence(settings),
        most=2000,
    )
