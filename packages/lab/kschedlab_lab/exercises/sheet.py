"""Class sheets: a lesson's exercises for a list of seeds, as pages to print; and their answers."""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.messages import say, terms
from kschedlab.text.html import Html, join
from kschedlab.text.plain import aligned
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.pages import answer_pages, beginning, document, sheet_page, title_of
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.language.aloud import speaking


def sheets(lesson: str, seeds: str, solutions: bool = False, language: str | None = None) -> str:
    """An HTML document that needs nothing else: ``sheets("preemption", "1-3, 7")``, a sheet for each student.

    ``language``: of everything on it, such as "zh"; None: the one that is chosen. ValueError for wrong names or seeds.
    """
    with speaking(language):
        return bound(lesson, (page(lesson, seed, solutions) for seed in parse_seeds(seeds)))


def page(lesson: str, seed: int, solutions: bool) -> Html:
    """The sheet of one student."""
    return sheet_page(lesson, seed, exercises_of(lesson, seed), solutions)


def bound(lesson: str, made: Iterable[Html]) -> str:
    """The sheets as an HTML document."""
    return document(say("{lesson}: sheets", lesson=title_of(lesson)), join(made))


def sample(lesson: str, seed: int) -> Html:
    """How a sheet begins, as a saved notebook can show it."""
    return beginning(lesson, seed, exercises_of(lesson, seed)[0])


def answers(lesson: str, seeds: str, language: str | None = None) -> str:
    """One line for each seed, for marking at a glance; of a manifest or a function, the lines that are new."""
    with speaking(language):
        return "\n".join(aligned(_headed(answers_of(lesson, seed) for seed in parse_seeds(seeds)), ""))


def answers_html(lesson: str, seeds: str) -> str:
    """The same as an HTML document to print, in the chosen language."""
    return tabled(lesson, (answers_of(lesson, seed) for seed in parse_seeds(seeds)))


def answers_of(lesson: str, seed: int) -> list[str]:
    """The seed and its answers."""
    return [str(seed), *(each.model() for each in exercises_of(lesson, seed))]


def tabled(lesson: str, rows: Iterable[list[str]]) -> str:
    """The answers as an HTML document."""
    return document(say("{lesson}: answers", lesson=title_of(lesson)), answer_pages(lesson, _headed(rows)))


def _headed(rows: Iterable[list[str]]) -> list[list[str]]:
    rows = [*rows]
    return [[*terms("seed"), *map(str, range(1, len(rows[0])))], *rows]
