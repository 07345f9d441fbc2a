"""The transcript of a lesson: what its notebook's panels and its exercises show, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

from kschedlab_lab.exercises.lesson import LESSONS
from tools.refresh import NOTEBOOKS
from tools.site.run import Shown, ShownPanel, ShownSheets, read, shown_by
from tools.transcripts.exercises import desk, exercises
from tools.transcripts.facts import together
from tools.transcripts.panels import Told

TRANSCRIPTS = NOTEBOOKS.parent / "packages/lab/tests/transcripts"
SEEDS = range(1, 3)


def notebooks() -> list[Path]:
    """The English notebooks."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def transcript(path: Path) -> str:
    """What this notebook's panels and its lesson's exercises show."""
    try:
        told = [*_shown(shown_by(read(path)))]
    finally:
        InteractiveShell.clear_instance()
    lesson = path.stem[3:].replace("-", "_")
    told += exercises(lesson, SEEDS) if lesson in LESSONS else ()
    return "".join(f"{line}\n" for line in together(told))


def _shown(cells: Mapping[int, Sequence[Shown]]) -> Iterator[str]:
    """What the cells of a notebook show, by their places."""
    told = Told()
    for place, shown in cells.items():
        for each in shown:
            if isinstance(each, ShownPanel):
                yield f"== cell {place}: {each.panel.link()}"
                yield from told.panel(each)
            elif isinstance(each, ShownSheets):
                yield f"== cell {place}: what a teacher gets"
                yield from desk()
