"""The front ends as one ES module each: their own file after those that it imports, each in a scope of its own.

Nothing is fetched: a notebook and a page from a file can load no second script.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[^"]*)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^(?:import\b|export (?!default)).*", re.MULTILINE)


def front_end(file: Path) -> str:
    """The module in this file, with all that it imports. ValueError for a form of import or export not known here."""
    texts: dict[Path, str] = {}
    _add(file.resolve(), texts)
    *others, own = texts.items()
    return "\n".join([*(_scope(place, *each) for place, each in enumerate(others)), own[1]])


def _add(file: Path, texts: dict[Path, str]) -> None:
    """Add this file's text after those that it imports; each is known by its place among all."""
    if file in texts:
        return
    text = file.read_text(encoding="utf-8")
    for _, path in IMPORT.findall(text):
        _add((file.parent / path).resolve(), texts)
    places = {each: place for place, each in enumerate(texts)}
    texts[file] = IMPORT.sub(lambda found: f"const {found[1]} = _{places[(file.parent / found[2]).resolve()]};\n", text)


def _scope(place: int, file: Path, text: str) -> str:
    """A constant with what the file exports."""
    names, body = EXPORT.findall(text), EXPORT.sub("", text)
    if unknown := OTHER.search(body):
        raise ValueError(f'{file.name}: expected import {{ name }} from "./file.js" or export of a name: {unknown[0]}')
    return f"const _{place} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();"
