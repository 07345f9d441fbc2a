"""A question for a class to vote on, about the gate of a node: which predicate refuses first?"""

from __future__ import annotations

from functools import partial

from kschedlab.messages import later, say
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.overview_gate import SEEN, Settings, decide, draw, panel
from kschedlab_lab.panels.question import Question


def three_in_the_way() -> Panel[Settings]:
    """The gate with three things in web's way, and the question."""
    waits = say("web waits, and no predicate has been asked yet.")
    question = Question[Settings](
        say("Three things on node-a are in web's way. Which predicate refuses?"),
        SEEN,
        lambda settings: decide(settings).plugin or "nobody",
        _why,
        lambda settings: partial(draw, settings, upto=0, alt=waits, asks=True),
        polls=True,
    )
    return panel(busy=False, port=True, disk=True, taint=True).ask(question)


def _why(settings: Settings, answer: str) -> str:
    verdict = decide(settings)
    right = verdict.plugin
    if right is None or answer == right:
        message = later("From top to bottom, {right} is the first with something in the way, and ends the search.")
    elif answer in verdict.also:
        message = later("{answer} would refuse, too; but {right} is asked before it, and its refusal ends the search.")
    else:
        message = later("{answer} has nothing in the way. {right} is the first that has.")
    return say(message, answer=answer, right=right)
