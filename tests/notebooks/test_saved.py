"""What nbval does not notice: a notebook without outputs passes it with nothing compared."""

import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import nbformat
import pytest

from tools.refresh import METADATA, NOTEBOOKS, executed, paths

PATHS = paths()
SAMPLE = "05-preemption.ipynb"
"""The lesson whose guide `make test` runs in the other languages, too; `make test-all` runs all."""
each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(NOTEBOOKS)))
NOT_COMPARED = re.compile(r"nbval-(ignore-output|skip)|raises-exception|NBVAL_|PYTEST_VALIDATE_IGNORE", re.IGNORECASE)
MACHINE = re.compile(r"(?<![\w.])/(home|root|tmp|usr|work|Users)/|[A-Z]:\\\\Users")
KIBIBYTE = 1024
PICTURE = re.compile(r"data:image/svg\+xml,(.+?)\\\"")


def test_there_are_notebooks() -> None:
    assert [path.name for path in PATHS][:1] == ["00-contents.ipynb"]


@each_notebook
def test_every_cell_was_run_once_in_order(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.source.strip() for cell in cells), "an empty cell"
    counts = [cell.execution_count for cell in cells]
    assert counts == list(range(1, len(cells) + 1)), "outputs stripped or out of order: run `make refresh`"


@each_notebook
def test_every_cell_is_compared(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert not NOT_COMPARED.search(cell.source + " ".join(cell.metadata.get("tags", [])))


@each_notebook
def test_is_small_and_holds_nothing_of_one_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert nbformat.reads(text, as_version=4).metadata == METADATA
    assert len(text) < 300 * KIBIBYTE
    assert not MACHINE.search(text)


@each_notebook
def test_every_saved_picture_can_be_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(PICTURE.findall(text)) == text.count("data:image")
    for picture in PICTURE.findall(text):
        assert ElementTree.fromstring(unquote(picture)).tag.endswith("svg")


@pytest.mark.nightly  # `make notebooks` compares each cell with nbval
@each_notebook
def test_refresh_changes_nothing(path: Path) -> None:
    assert executed(path) == path.read_text(encoding="utf-8"), "run `make refresh` and look at the difference"
