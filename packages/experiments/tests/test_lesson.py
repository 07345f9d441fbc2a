"""Lesson 11 shows numbers that are the table's of the example."""

import ast
from pathlib import Path

import nbformat
import pytest

from kschedlab_experiments import experiment
from kschedlab_lab.exercises import experiments as exercises

ROOT = Path(__file__).parents[3]
NOTEBOOKS = [ROOT / "notebooks" / name for name in ("11-experiments.ipynb", "zh/11-experiments.ipynb")]
EXAMPLE = ROOT / "docs" / "examples" / "fgd"
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.parent.name)


@each_notebook
def test_the_published_numbers_have_the_means_of_the_table(path):
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    (literal,) = [cell.removeprefix("fgd = ") for cell in cells if cell.startswith("fgd = ")]
    table = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    for policy, numbers in ast.literal_eval(literal).items():
        (row,) = [line for line in table.splitlines() if line.startswith(f"| {policy}") and "drawn" not in line]
        mean, least, most = sum(numbers) / len(numbers), min(numbers), max(numbers)
        assert f"{mean:.1f} % ({least:.1f} to {most:.1f})" in row and len(numbers) == 10


def test_the_exercises_pack_as_the_example_does():
    assert exercises.PACKING == experiment.PACKING  # the lab does not know this package
