"""What a reader sees below a cell that goes wrong."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

COLOURS = re.compile(r"\x1b\[[\d;]*m")
BEGIN = 'from kschedlab_lab.language import language\nlanguage("{code}", remember=False)\n'
CELLS = (
    "from kschedlab_lab.panels import queue_heap",
    "x = 1\nqueue_heap.panel(calls=99)",
    "def mine():\n    return queue_heap.panel().move(podz=3)\n\nmine()",
    "queue_heap.panel(calls=1 / 0)",
)


@pytest.fixture(scope="module", params=["en", "zh"])
def shown(request: pytest.FixtureRequest) -> tuple[str, list[str]]:
    """The language, and below each cell its error without colours."""
    cells = [BEGIN.format(code=request.param) + CELLS[0], *CELLS[1:]]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    NotebookClient(notebook, timeout=120, allow_errors=True).execute()
    errors = ["\n".join(line for out in cell.outputs for line in out.get("traceback", ())) for cell in notebook.cells]
    return request.param, [COLOURS.sub("", each) for each in errors]


def test_a_wrong_value_is_told_in_two_lines(shown: tuple[str, list[str]]) -> None:
    code, errors = shown
    assert errors[1].splitlines() == (
        [
            "line 2: queue_heap.panel(calls=99)",
            'InputValueError: calls: "99" is not one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9',
        ]
        if code == "en"
        else [
            "第 2 行：queue_heap.panel(calls=99)",
            "InputValueError: calls：“99”不在 0、1、2、3、4、5、6、7、8、9 之中",
        ]
    )


def test_the_line_is_the_last_one_that_is_not_the_package_s(shown: tuple[str, list[str]]) -> None:
    line, error = shown[1][2].splitlines()
    assert line.endswith("return queue_heap.panel().move(podz=3)") and "podz" in error


def test_other_errors_keep_their_traceback(shown: tuple[str, list[str]]) -> None:
    assert "Traceback" in shown[1][3] and "ZeroDivisionError" in shown[1][3]
