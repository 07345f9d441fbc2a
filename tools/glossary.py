"""The page docs/glossary.md, from the words of the course: ``python -m tools.glossary`` writes it.

A word has its English term, the Chinese documents' term, and its meaning here in one line.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

LIST, PAGE = Path(__file__).with_name("glossary.yaml"), Path(__file__).parents[1] / "docs/glossary.md"


class Term(msgspec.Struct, frozen=True):
    """``documents``: the first digits of the documents that use the Chinese word; "" if the word is ours."""

    english: str
    chinese: str
    documents: str
    meaning: str


SECTIONS = msgspec.convert(
    yaml.load(LIST.read_text("utf-8"), yaml.CSafeLoader),
    dict[str, tuple[Term, ...]],
)


def page() -> str:
    """The text of ``docs/glossary.md``."""
    lines = [
        "# Glossary",
        "",
        "The words of the course with those of the Chinese documents. The last column says which documents use the",
        "word in this sense; without one, the word is ours. The list is in",
        "`tools/glossary.yaml`; `python -m tools.glossary` makes this page.",
    ]
    for title, terms in SECTIONS.items():
        lines += ["", f"## {title}", "", "| English | 中文 | here | documents |", "|---|---|---|---|"]
        lines += [f"| {t.english} | {t.chinese} | {t.meaning} | {', '.join(t.documents.split())} |" for t in terms]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
