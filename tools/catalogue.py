"""Keeps the catalogue of translations up to date: python -m tools.catalogue [add FILE.json | missing PATH | complete]

Without arguments: takes new messages in, drops those that no source has any more, keeps all translations, and says how
many are missing. ``add``: the same, and takes translations from a JSON file ``{"English": "中文"}``. ``missing``:
prints as such a file what has no translation yet, of the sources whose path contains PATH. ``complete``, before
a release: fails if a translation is missing or the catalogue has messages that no source has.
"""

from __future__ import annotations

import argparse
import ast
import json
import string
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_javascript

from kschedlab.messages import CONTEXT
from kschedlab_lab.language.catalogue import empty, path_of, read, texts, write

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [ROOT / "kschedlab", *sorted(ROOT.glob("packages/*/k*/"))]
LANGUAGE = "zh"
MARKS = {
    **dict.fromkeys(("say", "later", "slider", "switch", "choice", "steps", "typed", "moments"), (0, "{}")),
    **dict.fromkeys(
        ("FeatureGateError", "InputTypeError", "InputValueError", "PluginError", "PluginNotFoundError"), (0, "{}")
    ),
    "count": (1, "{{number}} {}"),
    "terms": (None, "{}"),
    **dict.fromkeys(("Fault", "note"), (1, "{}")),
    "invalid": (2, "{}"),
    "required": (1, "{}"),
    "forbidden": (1, "{}"),
    "meant": (0, "{}"),
    "unknown": (0, "{}"),
    "UnreadableError": (1, "{}"),
    "_source_error": (2, "{}"),
}
"""By the name of a function, which of its arguments is a message (None: each), and the message that is made of it."""

DATA = {
    "parser_words.yaml": ("message",),
    "lessons.yaml": ("title", "question", "acts", "article", "version"),
    "rules.yaml": ("before", "after"),
}
"""By the name of a data file, the keys whose texts are messages."""


@cache
def messages() -> dict[str, list[str]]:
    """Every message of the sources, with the files that have it; in the order of the files."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for package in PACKAGES for kind in READERS for path in package.rglob(f"*{kind}")):
        name = path.relative_to(ROOT).as_posix()
        for message in READERS[path.suffix](path):
            files = found.setdefault(message, [])
            if name not in files:
                files.append(name)
    return found


def of_python(path: Path) -> Iterator[str]:
    calls = (each for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(each, ast.Call))
    for node in sorted(calls, key=lambda each: (each.lineno, each.col_offset)):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "note":
            name = "note"
        if name not in MARKS:
            continue
        place, form = MARKS[name]
        if name == "meant":
            form = f"{next(constants(node.args[1]))}{CONTEXT}{{}}"
        for given in node.args if place is None else node.args[place : place + 1]:
            yield from (form.format(text) for text in constants(given))


def constants(node: ast.expr) -> Iterator[str]:
    """The texts that this expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from constants(node.body)
        yield from constants(node.orelse)


def of_data(path: Path) -> Iterator[str]:
    """The messages of a data file, in its order."""
    keys = DATA.get(path.name, ())
    yield from _texts(yaml.safe_load(path.read_text(encoding="utf-8")), keys) if keys else ()


def _texts(data: Any, keys: Collection[str]) -> Iterator[str]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        if key in keys and isinstance(value, str):
            yield value
        else:
            yield from _texts(value, keys)


def of_javascript(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for _, _, message, _ in extract_javascript(file, {"say": None}, [], {}):
            texts = message if isinstance(message, tuple | list) else (message,)
            yield from (text for text in texts[:1] if text and "${" not in text)


READERS = {".py": of_python, ".js": of_javascript, ".yaml": of_data}


def fields(message: str) -> set[str]:
    """The names of a message's fields."""
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


def updated(known: dict[str, str]) -> Catalog:
    """The catalogue of today's messages with these translations. Only what JavaScript shows has its files."""
    catalogue = empty(LANGUAGE)
    for message, files in messages().items():
        context, _, text = message.rpartition(CONTEXT)
        places = [(file, 1) for file in files if file.endswith(".js")]
        catalogue.add(text, known.get(message, ""), locations=places, context=context or None)
    return catalogue


def missing(known: dict[str, str], path: str = "") -> list[str]:
    """The messages without a translation, of the sources whose path contains this."""
    return [each for each, files in messages().items() if not known.get(each) and path in " ".join(files)]


def stale(known: dict[str, str]) -> list[str]:
    """What a release would have to mend: missing translations, and those of messages that no source has."""
    there = messages()
    return [f"no translation: {each!r}" for each in missing(known)] + [
        f"no source says {each!r}" for each in known if each not in there
    ]


def added(given: Any) -> dict[str, str]:
    """The translations of a JSON file. ValueError names those that do not fit their message."""
    if not isinstance(given, dict) or not all(isinstance(each, str) for each in [*given, *given.values()]):
        raise ValueError('the file is to hold {"English": "中文"}')
    there = messages()
    wrong = [f"no source says {each!r}" for each in given if each not in there]
    wrong += [
        f"{each!r}: the fields are {sorted(fields(each))}, in the translation {sorted(fields(text))}"
        for each, text in given.items()
        if text and "{" in each + text and each in there and fields(each) != fields(text)
    ]
    if wrong:
        raise ValueError("\n".join(wrong))
    return {each: text for each, text in given.items() if text}


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", nargs="?", choices=("update", "add", "missing", "complete"), default="update")
    parser.add_argument("path", nargs="?", default="")
    args = parser.parse_args()
    path = path_of(LANGUAGE)
    known = texts(read(LANGUAGE)) if path.exists() else {}
    if args.act == "missing":
        print(json.dumps(dict.fromkeys(missing(known, args.path), ""), ensure_ascii=False, indent=1))
        return
    if args.act == "complete":
        sys.exit("\n".join(stale(known)) or None)
    try:
        more = added(json.loads(Path(args.path).read_text(encoding="utf-8"))) if args.act == "add" else {}
    except (OSError, ValueError) as error:
        sys.exit(f"{args.path}: {error}")
    write(updated(known | more), path)
    print(f"{len(missing(known | more))} messages have no translation yet and are shown in English")


if __name__ == "__main__":
    main()
