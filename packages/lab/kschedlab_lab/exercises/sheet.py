"""A class sheet: a lesson's exercises for a list of seeds, as Markdown or as pages to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kschedlab.messages import later, listed, say, terms
from kschedlab.text.html import Html, element
from kschedlab.text.plain import aligned
from kschedlab.text.words import count
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.pages import answer_pages, document, pages, title_of
from kschedlab_lab.exercises.seeds import Seeds, parse_seeds
from kschedlab_lab.language.aloud import speaking


class Sheet:
    """A class sheet: ``Sheet("preemption", "1-3, 7", solutions=True)``. ValueError for wrong names or seeds.

    ``repr`` is Markdown, the notebook shows the pages, and :meth:`save` writes them to a file to print.
    ``language``: of everything on it, such as "zh"; None: the one that is chosen.
    """

    def __init__(self, lesson: str, seeds: Seeds, solutions: bool = False, language: str | None = None) -> None:
        self.lesson, self.seeds, self.solutions = lesson, parse_seeds(seeds), solutions
        with speaking(language) as self.language:
            self._exercises = {seed: exercises_of(lesson, seed) for seed in self.seeds}

    def html(self) -> str:
        """A whole HTML document with a page, or several, for each student."""
        with speaking(self.language):
            return document(say("{lesson}: sheets", lesson=title_of(self.lesson)), self._pages())

    def save(self, path: str | Path) -> Path:
        """Write the document. A browser prints it, or saves it as PDF."""
        Path(path).write_text(self.html(), encoding="utf-8")
        return Path(path)

    def _pages(self) -> Html:
        return pages(self.lesson, self._exercises, self.solutions)

    def __repr__(self) -> str:
        with speaking(self.language):
            return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        with speaking(self.language):
            return str(self._folded())

    def _folded(self) -> Html:
        """The pages below a line that opens them."""
        message = later("{lesson}: {sheets} (seed {seeds})")
        if self.solutions:
            message = later("{lesson}: {sheets} with solutions (seed {seeds})")
        sheets, seeds = count(len(self.seeds), "sheet"), listed(map(str, self.seeds))
        title = element("summary", say(message, lesson=title_of(self.lesson), sheets=sheets, seeds=seeds))
        return element("details", title, self._pages())

    def _lines(self) -> Iterator[str]:
        for seed, exercises in self._exercises.items():
            yield say("# {lesson}, seed {seed}", lesson=title_of(self.lesson), seed=seed) + "\n"
            for number, exercise in enumerate(exercises, 1):
                title = say("{title} ({kind})", title=exercise.title, kind=say(exercise.kind))
                yield f"## {number}. {title}\n"
                yield f"{exercise.question}\n"
                for text in (exercise.instance.text, exercise.start):
                    yield from (["```", text.rstrip(), "```", ""] if text else [])
                yield from (f"- [ ] {each}" for each in exercise.choices())
                if self.solutions:
                    yield f"\n{say('Solution:')}\n\n```\n{exercise.explained().rstrip()}\n```\n"


def answers(lesson: str, seeds: Seeds, language: str | None = None) -> str:
    """One line for each seed, for marking at a glance: the answers of predictions; other kinds have several answers."""
    with speaking(language):
        return "\n".join(aligned(answer_rows(lesson, parse_seeds(seeds)), ""))


def answers_html(lesson: str, seeds: Seeds, language: str | None = None) -> str:
    """The same as an HTML document to print."""
    with speaking(language):
        rows = answer_rows(lesson, parse_seeds(seeds))
        return document(say("{lesson}: answers", lesson=title_of(lesson)), answer_pages(lesson, rows))


def answer_rows(lesson: str, seeds: Iterable[int]) -> list[list[str]]:
    """A head, and a row for each seed: the seed and the answers."""
    run = say("(run)")
    rows = [
        [str(seed), *(str(each.right) if each.kind == "predict" else run for each in exercises_of(lesson, seed))]
        for seed in seeds
    ]
    head = [say("seed"), *(str(number) for number in range(1, len(rows[0])))] if rows else terms("seed")
    return [head, *rows]
