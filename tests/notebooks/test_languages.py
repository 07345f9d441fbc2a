"""A translated notebook keeps in step with the English one: cells, code, headings, tables, links and numbers."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kschedlab.language import ENGLISH, LANGUAGES
from tools.refresh import NOTEBOOKS

PAIRS = [
    (path, NOTEBOOKS / language / path.name)
    for language in LANGUAGES
    if language != ENGLISH
    for path in sorted(NOTEBOOKS.glob("*.ipynb"))
]
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[1].parent.name}/{pair[1].name}")
FENCE = re.compile(r"^ *(`{3,}).*?^ *\1$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def cells(path: Path) -> list[Any]:
    return list(nbformat.read(path, as_version=4).cells)


@each_pair
def test_the_cells_are_the_same(pair: tuple[Path, Path]) -> None:
    english, other = map(cells, pair)
    assert [(each.id, each.cell_type) for each in english] == [(each.id, each.cell_type) for each in other]


READ = "a text that is read"


class Silent(ast.NodeTransformer):
    """Leaves out what a reader reads: texts with a space or a Chinese character."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        is_text = isinstance(node.value, str) and (" " in node.value or not node.value.isascii())
        return ast.Constant(READ) if is_text else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return ast.Constant(READ)


def code(english: str, other: str) -> tuple[str, str]:
    """Both cells without what is read; a word that the other cell translates ("yes") is read as well."""
    trees = [Silent().visit(ast.parse(source)) for source in (english, other)]
    for one, two in zip(*([n for n in ast.walk(tree) if isinstance(n, ast.Constant)] for tree in trees), strict=False):
        if READ in (one.value, two.value) and isinstance(one.value, str) and isinstance(two.value, str):
            one.value = two.value = READ
    return ast.dump(trees[0]), ast.dump(trees[1])


@each_pair
def test_the_code_is_the_same_but_for_the_language_and_its_texts(pair: tuple[Path, Path]) -> None:
    english, other = ([each.source for each in cells(path) if each.cell_type == "code"] for path in pair)
    begin = f'from kschedlab.language import language\n\nlanguage("{pair[1].parent.name}", remember=False)\n\n'
    assert other[0].startswith(begin)
    other[0] = other[0].removeprefix(begin)
    assert len(english) == len(other)
    assert [one for one, two in map(code, english, other) if one != two] == []


def within_its_set(link: str) -> str:
    """A link without the ways between the sets: the English page leads to the Chinese one, and back."""
    return "/".join(part for part in link.split("/") if part not in ("..", *LANGUAGES))


LANGUAGE = re.compile(rf" --language ({'|'.join(LANGUAGES)})\b")
"""What a command names in the text of one language only, as a cell says ``language("zh")``."""


def shape(source: str) -> dict[str, Any]:
    """What a translation keeps: the ranks of headings, the columns of each table's rows, links, code."""
    text = FENCE.sub("", source)
    lines = text.splitlines()
    return {
        "headings": [len(line) - len(line.lstrip("#")) for line in lines if line.startswith("#")],
        "tables": [re.sub(r"\\\|", "", line).count("|") for line in lines if line.startswith("|")],
        "links": sorted(map(within_its_set, LINK.findall(text))),
        "code": sorted({LANGUAGE.sub("", each) for each in CODE.findall(text)}),
        "folds": text.count("<details>") - text.count("</details>"),
        "opened": text.count("<details>"),
        "blocks": [match[0].splitlines()[0].strip() for match in FENCE.finditer(source)],
    }


@each_pair
def test_the_text_has_the_same_shape(pair: tuple[Path, Path]) -> None:
    english, other = map(cells, pair)
    different = [
        (one.id, key, value, shape(two.source)[key])
        for one, two in zip(english, other, strict=True)
        if one.cell_type == "markdown"
        for key, value in shape(one.source).items()
        if value != shape(two.source)[key]
    ]
    assert different == []


def numbers(source: str) -> Counter[str]:
    """The numbers of the text outside of code and links."""
    return Counter(NUMBER.findall(LINK.sub("", CODE.sub("", FENCE.sub("", source)))))


@each_pair
def test_the_text_has_the_same_numbers(pair: tuple[Path, Path]) -> None:
    english, other = map(cells, pair)
    different = {
        one.id: (numbers(one.source) - numbers(two.source), numbers(two.source) - numbers(one.source))
        for one, two in zip(english, other, strict=True)
        if one.cell_type == "markdown" and set(numbers(one.source)) != set(numbers(two.source))
    }
    assert different == {}
