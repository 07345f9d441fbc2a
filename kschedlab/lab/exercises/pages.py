"""Exercises on paper: a page for each student with a line for the name, to print or to save as PDF in a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedlab.lab.exercises.exercise import Exercise, lines
from kschedlab.lab.panels.contents import LESSONS
from kschedlab.views.html import Html, element, join
from kschedlab.views.tables import row, table

PRINTED = (
    "@page { size: A4; margin: 16mm 15mm 18mm; } "
    "body { font: 11pt/1.4 system-ui, sans-serif; color: #000; background: #fff; margin: 0 auto; max-width: 46em; } "
    ".sheet { break-after: page; } .sheet:last-child { break-after: auto; } "
    ".exercise { break-inside: avoid-page; } .exercise h2, .exercise .asked { break-after: avoid; } "
    "h1 { font-size: 1.4em; } h2 { font-size: 1.1em; } summary { display: none; } "
    "table { break-inside: avoid; } svg { max-width: 100%; height: auto; } "
    "@media screen { body { padding: 1.5em; } .sheet { border-bottom: 2px dashed #888; padding-bottom: 2em; } }"
)
RULED = "border-bottom:1px solid #888;height:1.9em;"
FRAMED = "border:1px solid #888;height:{}em;margin:0.4em 0;"
NAME = "flex:1 1 12em;border-bottom:1px solid;"
TALL = 16
"""The height of an empty frame for manifests, in lines of text."""


def document(title: str, body: Html) -> str:
    """A whole HTML document that needs nothing else."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("title", title),
        element("style", PRINTED),
    )
    return f"<!doctype html>\n{element('html', head, element('body', body), lang='en')}\n"


def pages(lesson: str, exercises: Mapping[int, Sequence[Exercise]], solutions: bool) -> Html:
    """A sheet for each seed."""
    return join(_sheet(lesson, seed, made, solutions) for seed, made in exercises.items())


def answer_pages(lesson: str, rows: Sequence[Sequence[str]]) -> Html:
    """The answers of a class; the first row is the head."""
    head, *students = rows
    named = table([*head[:1], "name", *head[1:]], (row(each[0], "", *each[1:]) for each in students))
    note = "(run): there is more than one right answer; the notebook's check decides."
    title = element("h1", f"{_title(lesson)}: the answers")
    return element("section", title, named, element("p", note), class_="sheet")


def _title(lesson: str) -> str:
    """The lesson's title on the map of the course."""
    found = (each.title for each in LESSONS if each.file[3:].removesuffix(".ipynb").replace("-", "_") == lesson)
    return next(found, lesson)


def _sheet(lesson: str, seed: int, exercises: Sequence[Exercise], solutions: bool) -> Html:
    name = element(
        "p",
        element("span", "Name"),
        element("span", "", style=NAME),
        element("span", "Date"),
        element("span", "", style="flex:0 1 7em;border-bottom:1px solid;"),
        element("span", f"seed {seed}"),
        style="display:flex;gap:0.6em;margin:1em 0;",
    )
    title = element("h1", f"{_title(lesson)}{': solutions' if solutions else ''}")
    made = (_exercise(number, each, solutions) for number, each in enumerate(exercises, 1))
    return element("section", title, name, *made, class_="sheet")


def _exercise(number: int, exercise: Exercise, solutions: bool) -> Html:
    head = element("h2", f"{number}. {exercise.title}")
    asked = (element("p", each, class_="asked") for each in exercise.question.split("\n"))
    body = _solution(exercise) if solutions else _room(exercise)
    return element("div", head, *asked, _instance(exercise), body, class_="exercise")


def _instance(exercise: Exercise) -> Html:
    """The picture; a function is printed as text."""
    return exercise.instance.picture if str(exercise.instance.picture) else lines(exercise.instance.text)


def _room(exercise: Exercise) -> Html:
    """Room for the answer: boxes to tick, a line, or a frame."""
    if exercise.choices():
        return join(element("div", f"☐ {each}", style="margin:0.25em 0") for each in exercise.choices())
    if exercise.answered_by == "text":
        return element("div", "", style=RULED)
    return element("div", lines(exercise.start), style=FRAMED.format(TALL))


def _solution(exercise: Exercise) -> Html:
    picked = (element("div", f"{'☒' if each == exercise.right else '☐'} {each}") for each in exercise.choices())
    said = element("p", element("b", "Solution. "), lines(exercise.explained()))
    return join([*picked, said, exercise.drawing()])
