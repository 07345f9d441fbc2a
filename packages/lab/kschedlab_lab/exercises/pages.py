"""Exercises on paper: a page for each student with a line for the name, to print or to save as PDF in a browser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kschedlab.messages import say, terms
from kschedlab.text.html import Html, element, join
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import Exercise, lines
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.language import language
from kschedlab_lab.panels.contents import LESSONS
from kschedlab_lab.views.coded import coded
from kschedlab_lab.views.svg import CHINESE_FONT

PRINTED = (
    Path(__file__).with_name("sheet.css").read_text(encoding="utf-8")
    + f":lang(zh) body {{ font-family: {CHINESE_FONT}; }}"
)
PAPER = "border:1px solid #888;padding:0.6em 1.2em;"
BLANK = re.compile(r": (?=\})")
"""Where a value is missing in the manifest that an exercise begins with."""
LINES = range(2, 7)
"""How many free lines a frame for manifests or a function may have."""


def document(title: str, body: Html) -> str:
    """A whole HTML document that needs nothing else."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("title", title),
        element("style", PRINTED),
    )
    return f"<!doctype html>\n{element('html', head, element('body', body), lang=language())}\n"


def beginning(lesson: str, seed: int, exercise: Exercise) -> Html:
    """The head of a sheet and its first exercise, as pictures that a notebook's file keeps."""
    head = element("p", element("b", title_of(lesson)), " · ", say("Name"), " ______ · ", say("seed {seed}", seed=seed))
    picked = (element("div", f"☐ {each}") for each in exercise.choices())
    return element("div", head, exercise.html(saved=True), *picked, style=PAPER)


def answer_pages(lesson: str, rows: Sequence[Sequence[str]]) -> Html:
    """The answers of a class; the first row is the head. What is right for every seed is said once."""
    numbers, *answers = zip(*rows, strict=True)
    alike = [each for each in answers if len(rows) > 2 and len(set(each[1:])) == 1]
    names = (say("name"), *[""] * (len(rows) - 1))
    head, *students = zip(numbers, names, *(each for each in answers if each not in alike), strict=True)
    named = table(head, (row(*each) for each in students))
    once = (element("p", element("b", say("{number}, every seed: ", number=each[0])), each[1]) for each in alike)
    note = say("Of a manifest or a function: the lines that are new, with / between them; others may be right, too.")
    title = element("h1", say("{lesson}: the answers", lesson=title_of(lesson)))
    return element("section", title, named, *once, element("p", note), class_="sheet")


def title_of(lesson: str) -> str:
    """The lesson's title on the map of the course."""
    found = (say(each.title) for each in LESSONS if each.file[3:].removesuffix(".ipynb").replace("-", "_") == lesson)
    return next(found, lesson)


def sheet_page(lesson: str, seed: int, exercises: Sequence[Exercise], solutions: bool) -> Html:
    """The sheet of one student, or its solutions."""
    name = title_of(lesson)
    title = element("h1", say("{lesson}: solutions", lesson=name) if solutions else name)
    blank, date = element("span", "", class_="name"), element("span", "", class_="date")
    name_of, date_of = (element("span", each) for each in terms("Name", "Date"))
    line = [] if solutions else [name_of, blank, date_of, date]
    head = element("div", title, *line, element("span", say("seed {seed}", seed=seed)), class_="head")
    common = next((each.instance.common for each in exercises if str(each.instance.common)), None)
    made = (_exercise(number, each, solutions) for number, each in enumerate(exercises, 1))
    return element("section", head, common, *made, class_="sheet")


def _exercise(number: int, exercise: Exercise, solutions: bool) -> Html:
    """What is given, and beside it the room for the answer; below it if both are wide."""
    head = element("h2", f"{number}. {exercise.title}")
    asked = [element("p", coded(each), class_="asked") for each in exercise.question.split("\n")]
    given, instance = _instance(exercise), exercise.instance
    if solutions:
        picked = [element("div", f"{'☒' if each == exercise.right else '☐'} {each}") for each in exercise.choices()]
        task = element("div", element("div", given), element("div", *picked), class_="beside") if picked else given
        return element("div", head, *asked, task, *_solution(exercise), class_="exercise")
    room = _room(exercise)
    if exercise.answered_by != "text" or not instance.text or str(instance.picture) and not str(instance.printed):
        left = [element("div", given)] if str(given) else []
        flow = element("div", *left, element("div", room, class_="room"), class_="flow")
        return element("div", head, *asked, flow, class_="exercise")
    left, right = ([given], [*asked, instance.request, room]) if str(instance.printed) else ([*asked, given], [room])
    beside = element("div", element("div", *left), element("div", *right), class_="beside")
    return element("div", head, beside, class_="exercise")


def _instance(exercise: Exercise) -> Html:
    """The picture in print, without what stands above all exercises; a function is printed as text."""
    instance = exercise.instance
    if str(instance.printed) or str(instance.common):
        return instance.printed
    return lines(instance.text) if not str(instance.picture) and instance.text else instance.picture


def _room(exercise: Exercise) -> Html:
    """Room for the answer: boxes to tick, a line, or a frame."""
    if exercise.choices():
        return join(element("div", f"☐ {each}", class_="choice") for each in exercise.choices())
    if exercise.answered_by == "text":
        return element("div", "", class_="ruled")
    missing = str(exercise.right).count("\n") - exercise.start.count("\n")
    number = min(max(missing, LINES.start), LINES.stop) if exercise.answered_by == "yaml" else LINES.stop
    number = 1 if BLANK.search(exercise.start) else number
    free = element("div", *(element("div", "", class_="line") for _ in range(number)), class_="free")
    return element("div", lines(BLANK.sub(": ________ ", exercise.start)), free, class_="frame")


def _solution(exercise: Exercise) -> tuple[Html, Html]:
    """The solution in words and as a picture; a mended function's is its lines beside the broken ones."""
    text = exercise.why if isinstance(exercise, Repair) else exercise.explained()
    said = element("p", element("b", say("Solution. ")), lines(text) if "\n" in text else coded(text))
    return said, element("div", exercise.drawing(), class_="solution")
