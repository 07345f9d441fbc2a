"""Sheets to print for each lesson, and their answers: what a teacher hands out where no kernel runs."""

from __future__ import annotations

from html import escape
from pathlib import Path

from kschedlab.text.words import count
from kschedlab_lab.exercises import LESSONS
from kschedlab_lab.exercises.sheet import answers_html, sheets, title_of

FOLDER, STUDENTS = "sheets", 6
SEEDS = f"1-{STUDENTS}"


def build_sheets(out: Path) -> None:
    """Two files for each lesson, in the chosen language."""
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in LESSONS:
        (folder / f"{lesson}.html").write_text(sheets(lesson, SEEDS), encoding="utf-8")
        (folder / f"{lesson}-answers.html").write_text(answers_html(lesson, SEEDS), encoding="utf-8")


def links(words: dict[str, str]) -> str:
    """The list of them, as markup."""
    rows = "".join(
        f'<li><a href="{FOLDER}/{lesson}.html">{escape(title_of(lesson))}</a> '
        f'(<a href="{FOLDER}/{lesson}-answers.html">{escape(words["answers"])}</a>)</li>'
        for lesson in LESSONS
    )
    head = escape(words["sheets"].format(sheets=count(STUDENTS, "sheet")))
    return f"<p>{head}</p><ul>{rows}</ul>"
