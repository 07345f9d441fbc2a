"""A translated notebook keeps in step with the English one: cells, code, headings, tables, links and numbers."""

from pathlib import Path
from typing import Any

import nbformat
import pytest

from kschedlab_lab.language import ENGLISH, LANGUAGES
from tests.notebooks.in_step import code, numbers, shape
from tools.refresh import NOTEBOOKS

PAIRS = [
    (path, NOTEBOOKS / language / path.name)
    for language in LANGUAGES
    if language != ENGLISH
    for path in sorted(NOTEBOOKS.glob("*.ipynb"))
]
pytestmark = pytest.mark.release
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[1].parent.name}/{pair[1].name}")


def cells(path: Path) -> list[Any]:
    return list(nbformat.read(path, as_version=4).cells)


@each_pair
def test_the_cells_are_the_same(pair: tuple[Path, Path]) -> None:
    english, other = map(cells, pair)
    assert [(each.id, each.cell_type) for each in english] == [(each.id, each.cell_type) for each in other]


@each_pair
def test_the_code_is_the_same_but_for_the_language_and_its_texts(pair: tuple[Path, Path]) -> None:
    english, other = ([each.source for each in cells(path) if each.cell_type == "code"] for path in pair)
    begin = f'from kschedlab_lab.language import language\n\nlanguage("{pair[1].parent.name}", remember=False)\n\n'
    assert other[0].startswith(begin)
    other[0] = other[0].removeprefix(begin)
    assert len(english) == len(other)
    assert [one for one, two in map(code, english, other) if one != two] == []


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


@each_pair
def test_the_text_has_the_same_numbers(pair: tuple[Path, Path]) -> None:
    english, other = map(cells, pair)
    different = {
        one.id: (numbers(one.source) - numbers(two.source), numbers(two.source) - numbers(one.source))
        for one, two in zip(english, other, strict=True)
        if one.cell_type == "markdown" and set(numbers(one.source)) != set(numbers(two.source))
    }
    assert different == {}
