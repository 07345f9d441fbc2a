"""Which settings change a pod's answer, each switched alone: a square for every setting in which versions differ."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import pairwise

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import COURSE, GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say
from kschedlab.text.html import Html
from kschedlab.whatif.compare import changes, compare
from kschedlab.whatif.titles import title_of
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.generation_clusters import budget_of_one
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Nothing
from kschedlab_lab.views.squares import Line, squares
from kschedlab_lab.views.svg import Room


@lru_cache(maxsize=1)
def lines() -> tuple[Line, ...]:
    """From each version of the course to the next: its settings, and the titles of those that change the answer."""
    cluster = Cluster(decode_objects(budget_of_one()))
    causes = [{each.change.rule for each in step.causes} for step in compare("default/urgent", cluster).steps]
    found = []
    for (earlier, newer), alone in zip(pairwise(COURSE), causes, strict=True):
        rules = [each.rule for each in changes(GENERATIONS[earlier], GENERATIONS[newer])]
        found.append(Line(f"{earlier} → {newer}", rules, {rule: title_of(rule) or rule for rule in alone}))
    return tuple(found)


def draw(known: bool, room: Room) -> Html:
    return squares(lines(), known, room, _said() if known else say("Which of them change the answer?"))


def _said() -> str:
    number, every = sum(len(each.alone) for each in lines()), sum(len(each.rules) for each in lines())
    return say("{number} of {every} settings change the answer, each alone.", number=number, every=every)


def question() -> Question[Nothing]:
    """How many of the settings change the answer, each alone?"""
    right = sum(len(each.alone) for each in lines())
    why = later("One in each step, and you have switched it. In another cluster it may be another one.")
    return Question(
        say("How many settings change the answer of urgent, each alone?"),
        tuple(map(str, (1, right, 10, 50))),
        lambda _: str(right),
        lambda _, answer: say(why),
        lambda _: partial(draw, False),
    )


def panel() -> Panel[Nothing]:
    """The panel, which asks first."""
    view = View(partial(draw, True), _said(), Html(), _said())
    return Panel(Nothing(), lambda _: view, call="generation_proof.panel()").ask(question())
