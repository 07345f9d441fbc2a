"""The front ends as one ES module each: their own file after those that it imports. Nothing is bundled or fetched."""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]*)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def front_end(file: Path) -> str:
    """The module in this file: what it imports stands before it, each file once, and all share one scope."""
    texts: dict[Path, str] = {}
    _add(file.resolve(), texts)
    return "\n".join(texts.values())


def _add(file: Path, texts: dict[Path, str]) -> None:
    if file in texts:
        return
    text = file.read_text(encoding="utf-8")
    for path in IMPORT.findall(text):
        _add((file.parent / path).resolve(), texts)
    texts[file] = EXPORT.sub("", IMPORT.sub("", text))
