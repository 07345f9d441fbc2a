"""The course as a map: each lesson with its question, its document, and the lessons that it builds on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.resources import files

import msgspec
import yaml

from kschedlab.messages import later, say, sentences
from kschedlab.text.html import element
from kschedlab.text.plain import aligned
from kschedlab.text.words import listing
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.course import LessonCard, Point, draw_course
from kschedlab_lab.views.svg import Room


class CourseLesson(msgspec.Struct, frozen=True):
    """One notebook. ``after``: the lessons that it builds on; ``terms``: the names of the source that it explains.

    ``acts``: what a student does in it; ``minutes``: how long that takes, without the ``exercises``, of which there are
    so many; ``in_class``: the minutes of the teacher's plan; ``document``, ``article``: the number and the title of
    what it follows.
    """

    title: str
    question: str
    acts: str
    minutes: int
    in_class: int
    exercises: int
    terms: tuple[str, ...]
    after: tuple[str, ...]
    place: Point
    document: str = ""
    article: str = ""
    version: str = ""

    @property
    def number(self) -> str:
        """The number, with which its title begins."""
        return self.title.partition(" ")[0]

    @property
    def name(self) -> str:
        """The rest of its title, in English."""
        return self.title.partition(" ")[2]

    @property
    def label(self) -> str:
        """Its name on the map, in the chosen language."""
        return say(self.title).partition(" ")[2]

    @property
    def file(self) -> str:
        return f"{self.number}-{self.name.replace(' ', '-')}.ipynb"

    @property
    def module(self) -> str:
        """The name of the module with its exercises."""
        return self.name.replace(" ", "_").replace("-", "_")

    @property
    def follows(self) -> str:
        """The document, or what the lesson follows instead."""
        if not self.document:
            return say("no document: it goes beyond them")
        message = later("document {number}, “{article}” ({version})")
        return say(message, number=self.document, article=say(self.article), version=say(self.version))


LESSONS = msgspec.convert(
    yaml.load(files("kschedlab_lab.panels").joinpath("lessons.yaml").read_text("utf-8"), yaml.CSafeLoader),
    tuple[CourseLesson, ...],
)
NARROW = Room(340)
"""The saved map is as wide as the column of a notebook whose pictures are beside the text."""
LINK = "font-size:16px;font-weight:bold;text-decoration:underline;color:var(--jp-content-link-color,#0072B2);"
BY_NUMBER = {lesson.number: lesson for lesson in LESSONS}
BY_TITLE = {lesson.title: lesson for lesson in LESSONS}


@dataclass(frozen=True)
class Settings(Restorable):
    """The position on the map."""

    lesson: str = choice("lesson", BY_TITLE, LESSONS[0].title)


def course(at: str) -> tuple[LessonCard, ...]:
    """The map. ``at``: the number of the current lesson, to which the ways are highlighted."""
    before, done = leading_to(at), solved()
    return tuple(
        LessonCard(
            each.number,
            each.label,
            each.minutes,
            each.place,
            each.after,
            f"lesson: {each.title}",
            (done[each.module], each.exercises),
            here=each.number == at,
            lit=each.number in before,
        )
        for each in LESSONS
    )


def leading_to(number: str) -> frozenset[str]:
    """The numbers of all lessons that this one builds on, directly or not."""
    from networkx import DiGraph, ancestors

    arrows = DiGraph([(before, lesson.number) for lesson in LESSONS for before in lesson.after])
    return frozenset(ancestors(arrows, number))


def solved() -> Counter[str]:
    """How many exercises the student has solved, by the module of the lesson."""
    from kschedlab_lab.exercises.exercise import State  # exercises use the lessons, too
    from kschedlab_lab.exercises.progress import Progress

    right = {(each.lesson, each.number) for each in Progress.usual().records() if each.state is State.RIGHT}
    return Counter(lesson for lesson, _ in right)


def show(settings: Settings) -> View:
    """The map, and what the chosen lesson is about."""
    lesson = BY_TITLE[settings.lesson]
    question = say("{lesson}: {question}", lesson=say(lesson.title), question=say(lesson.question))
    sentence, facts = sentences((question, say(lesson.acts))), _facts(lesson)
    alt = say("; ").join((question, *(f"{name} {what}" for name, what in facts[2:])))
    link = element("a", say("Open lesson {number}", number=lesson.number), href=lesson.file, style=LINK)
    text = "\n".join([sentence, *aligned(facts)])
    return View(lambda room: draw_course(course(lesson.number), alt, room), sentence, link, text)


def _facts(lesson: CourseLesson) -> list[list[str]]:
    """What it follows and explains, how long it takes, and the lessons before and after it."""
    after = [say(BY_NUMBER[number].title) for number in lesson.after]
    then = [say(each.title) for each in LESSONS if lesson.number in each.after]
    times = later("about {minutes} minutes alone or {in_class} in class, without the exercises")
    return [
        [say("follows"), lesson.follows],
        [say("explains"), listing(lesson.terms)],
        [say("takes"), say(times, minutes=lesson.minutes, in_class=lesson.in_class)],
        [say("builds on"), listing(after) or say("nothing: begin here")],
        [say("leads to"), listing(then) or say("your own questions")],
    ]


def panel(**settings: str) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, still=NARROW)
