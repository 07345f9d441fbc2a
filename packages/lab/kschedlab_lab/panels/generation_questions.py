"""Lesson 06's questions to the panel of generations, with what is said of each answer."""

from __future__ import annotations

from kschedlab.messages import say, sentences
from kschedlab_lab.panels.generations import Settings, question
from kschedlab_lab.panels.question import Question


def counted_down() -> Question[Settings]:
    """Which node does v1.20 choose, whose budgets count down?"""
    why = say(
        "The more important pod uses up the disruption; the low one finds none left and is listed first: 50, 50, 0."
    )
    earlier = say("v1.16 would: for it no victim breaks the budget.")
    text = say("Which node does v1.20 choose?")
    return question(text, {"node-a": why, "node-b": sentences((earlier, why)), "node-c": why}, drawn=True)


def sorted_again() -> Question[Settings]:
    """Which rule decides if v1.20 sorts its victims again?"""
    first = say("The first victims are 100, 100 and 150: rule 2 leaves two nodes.")
    why = sentences((first, say("They are equal but for the start times.")))
    lost = sentences((first, say("The sums are equal, too.")))
    text = say("Which rule decides if v1.20 sorts its victims again?")
    return question(text, dict(zip(_rules(2, 3, 5), (why, lost, why), strict=True)), alone=True)


def _rules(*numbers: int) -> list[str]:
    return [say("rule {number}", number=each) for each in numbers]


def obeyed() -> Question[Settings]:
    """Where does a pod go whose policy only the scheduler knows?"""
    why = say("The API server drops the field before the scheduler sees it.")
    cheaper = sentences((why, say("mail has the lower priority.")))
    text = say("Which node does v1.16 choose if only its scheduler obeys Never?")
    return question(text, {"node-a": why, "node-b": cheaper, say("no node"): why}, alone=True)


def finer() -> Question[Settings]:
    """Which node does v1.20 choose, whose points go up to 100?"""
    why = say("The image brings node-a 12; room and balance bring node-b 1 each.")
    text = say("Which node does v1.20 choose for web?")
    return question(text, dict.fromkeys(("node-a", "node-b"), why), drawn=True)
