"""The words of the course: the English term, the Chinese documents' term, and its meaning here in one line.

``docs/glossary.md`` shows them.
"""

from __future__ import annotations

from importlib.resources import files

import msgspec
import yaml


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


def page() -> str:
    """The text of ``docs/glossary.md``."""
    lines = [
        "# Glossary",
        "",
        "The words of the course with those of the Chinese documents. The last column says which documents use the",
        "word in this sense; without one, the word is ours. The list is in",
        "`packages/lab/kschedlab_lab/views/glossary.yaml`.",
    ]
    for title, terms in SECTIONS.items():
        lines += ["", f"## {title}", "", "| English | 中文 | here | documents |", "|---|---|---|---|"]
        lines += [f"| {t.english} | {t.chinese} | {t.meaning} | {', '.join(t.documents.split())} |" for t in terms]
    return "\n".join(lines) + "\n"
