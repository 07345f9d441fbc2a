"""An edition of the course: a language, its notebooks, its words, and where on the site it stands."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
URLS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
"""The addresses of the project: ``Source``, ``Binder`` (the contents in the lab), ``Course`` (the site)."""
CONTENTS = "00-contents"

ENGLISH = {
    "course": "Kubernetes scheduling",
    "recorded": "There is nothing to run on this page: its pictures move over recorded states at once.",
    "run": "To run and change the code, [open this lesson on Binder].",
    "kernel": "This part runs Python: [open this lesson on Binder].",
    "elsewhere": "Not recorded here. [Open this lesson on Binder] and run this line:",
    "missing": "This state is not recorded on this page.",
    "untold": "How this comes about is not recorded for this state.",
    "unread": "there is no such setting, or it has no such value here",
    "isNot": "is not",
    "wrong": "Not quite.",
    "unknown": "That is not the right answer. [On Binder] the exercise says what is wrong with it.",
    "judged": "Python judges this answer: [open this lesson on Binder].",
    "contents": "Contents",
    "previous": "Previous",
    "next": "Next",
    "theme": "Light or dark",
    "page": "On this page",
}


@dataclass(frozen=True)
class Edition:
    """One language, as HTML names it. ``notebooks``, ``place``: its folders in the repository and on the site."""

    language: str
    notebooks: str
    place: str
    words: dict[str, str]

    def paths(self) -> list[Path]:
        """Its notebooks in their order."""
        return sorted((ROOT / self.notebooks).glob("*.ipynb"))

    def binder(self, name: str) -> str:
        """Where a notebook runs."""
        return URLS["Binder"].removesuffix(f"notebooks/{CONTENTS}.ipynb") + f"{self.notebooks}/{name}.ipynb"

    def source(self, path: str) -> str:
        """Where a file of the repository can be read; ``path`` is relative to the notebooks."""
        file = (ROOT / self.notebooks / path).resolve().relative_to(ROOT)
        return f"{URLS['Source']}/blob/HEAD/{file}"


EDITIONS = {each.language: each for each in (Edition("en", "notebooks", ".", ENGLISH),)}


def page_of(name: str) -> str:
    """The file of a notebook's page."""
    return "index.html" if name == CONTENTS else f"{name}.html"
