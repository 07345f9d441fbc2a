"""The words of the course: the English term, the Chinese documents' term, and its meaning here in one line.

A lesson shows its own words with ``Glossary("heap", "active queue")``; ``docs/glossary.md`` has them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib.resources import files

import msgspec
import yaml

from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html, coded, element
from kschedlab.text.plain import aligned
from kschedlab_lab.views.style import CELL, HEAD, NOWRAP, TABLE


class Term(msgspec.Struct, frozen=True):
    """``documents``: the first digits of the documents that use the Chinese word; "" if the word is ours."""

    english: str
    chinese: str
    documents: str
    meaning: str


SECTIONS = msgspec.convert(
    yaml.load(files("kschedlab_lab.views").joinpath("glossary.yaml").read_text("utf-8"), yaml.CSafeLoader),
    dict[str, tuple[Term, ...]],
)
TERMS = {term.english: term for section in SECTIONS.values() for term in section}
CHINESE = {term.chinese: term for term in TERMS.values()}


class Glossary:
    """A table of these words, English or Chinese, or of all, for notebooks. ValueError if a word is not there."""

    def __init__(self, *words: str) -> None:
        known = CHINESE | TERMS
        if unknown := [str(word) for word in words if word not in known]:
            near = get_close_matches(unknown[0], known, 3, 0.0)
            message = later('"{word}" is not in the glossary; there are {near}, ...')
            raise InputValueError(say(message, word=unknown[0], near=listed(near)))
        self.terms = [known[word] for word in words or TERMS]

    def __repr__(self) -> str:
        rows = ([each.english, each.chinese, say(each.meaning)] for each in self.terms)
        return "\n".join(aligned([_heads(), *rows], ""))

    def _repr_html_(self) -> str:
        return str(_table(self.terms))


def _heads() -> list[str]:
    return ["English", "中文", say("here")]


def _table(terms: Iterable[Term]) -> Html:
    head = (element("th", text, scope="col", style=HEAD) for text in _heads())
    rows = (
        element(
            "tr",
            element("th", each.english, scope="row", style=CELL),
            element("td", each.chinese, lang="zh", style=CELL + NOWRAP),
            element("td", coded(say(each.meaning)), style=CELL),
        )
        for each in terms
    )
    return element("table", element("thead", element("tr", *head)), element("tbody", *rows), style=TABLE)


def page() -> str:
    """The text of ``docs/glossary.md``."""
    lines = [
        "# Glossary",
        "",
        "The words of the course with those of the Chinese documents. The last column says which documents use the",
        "word in this sense; without one, the word is ours. The list is in",
        "`packages/lab/kschedlab_lab/views/glossary.yaml`, and each lesson shows its own part of it.",
    ]
    for title, terms in SECTIONS.items():
        lines += ["", f"## {title}", "", "| English | 中文 | here | documents |", "|---|---|---|---|"]
        lines += [f"| {t.english} | {t.chinese} | {t.meaning} | {', '.join(t.documents.split())} |" for t in terms]
    return "\n".join(lines) + "\n"
