"""A class sheet: a lesson's exercises for a list of seeds, with or without solutions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedlab.lab.exercises.lesson import exercises_of


def parse_seeds(text: str) -> list[int]:
    """Parse seeds such as ``1-30`` or ``1,4,7-9``. ValueError says what is wrong."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f'seeds: "{part.strip()[:40]}" is neither a number nor a range such as 1-30')
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or len(seeds) + len(numbers) > 1000:
            raise ValueError(f'seeds: "{part.strip()[:40]}" is not a range of 1 to 1000 seeds')
        seeds += numbers
    return seeds


class Sheet:
    """A class sheet in a notebook: ``Sheet("preemption", "1-3", solutions=True)``. ValueError as below."""

    def __init__(self, lesson: str, seeds: str, solutions: bool = False) -> None:
        self.lesson, self.seeds, self.solutions = lesson, parse_seeds(seeds), solutions

    def __repr__(self) -> str:
        return sheet(self.lesson, self.seeds, self.solutions)

    def _repr_markdown_(self) -> str:
        return repr(self)


def sheet(lesson: str, seeds: Iterable[int], solutions: bool = False) -> str:
    """The sheet as Markdown. ValueError if there is no such lesson."""
    return "\n".join(_lines(lesson, seeds, solutions))


def answers(lesson: str, seeds: Iterable[int]) -> str:
    """One line for each seed, for marking at a glance: the answers of predictions; other kinds have several answers."""
    rows = []
    for seed in seeds:
        made = exercises_of(lesson, seed)
        cells = [str(each.right) if each.kind == "predict" else "(run)" for each in made]
        rows.append([str(seed), *cells])
    head = ["seed", *(str(number) for number in range(1, len(rows[0])))] if rows else ["seed"]
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in [head, *rows]
    )


def _lines(lesson: str, seeds: Iterable[int], solutions: bool) -> Iterator[str]:
    for seed in seeds:
        yield f"# {lesson}, seed {seed}\n"
        for number, exercise in enumerate(exercises_of(lesson, seed), 1):
            yield f"## {number}. {exercise.title} ({exercise.kind})\n"
            yield f"{exercise.question}\n"
            yield from (["```", exercise.instance.text.rstrip(), "```", ""] if exercise.instance.text else [])
            yield from (f"- [ ] {each}" for each in exercise.choices())
            if solutions:
                yield f"\nSolution:\n\n```\n{exercise.explained().rstrip()}\n```\n"
