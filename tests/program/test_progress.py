"""The progress line, with a clock of its own."""

import io
import re
from pathlib import Path

import pytest

from kschedlab.program.progress import SLOW_YAML, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_appears_only_in_long_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    moments = iter([0.0, 0.5, 1.9, 2.1, 2.1, 2.15, 2.3, 2.3])
    out = Terminal()
    progress = Progress(out, lambda: next(moments))
    progress.show(1, 10)
    progress.show(2, 10)
    progress.clear()
    assert out.getvalue() == ""
    progress.show(3, 9)
    assert out.getvalue() == f"\r[{'#' * 10}{'.' * 20}] 3 of 9 pods bound"
    progress.show(4, 9)
    assert out.getvalue().count("\r") == 1, "not more than ten times a second"
    with progress:
        progress.show(9, 9, "decided")
        assert out.getvalue().rstrip().endswith(f"\r[{'#' * 30}] 9 of 9 pods decided")
    assert re.search(r"\r {39,}\r$", out.getvalue()), "the line is gone when the work is done"


@pytest.mark.parametrize(("total", "text"), [(0, "0 of 0 pods bound"), (1, "0 of 1 pod bound")])
def test_the_line_counts_few_pods(total: int, text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = Terminal()
    Progress(out, lambda: 1.0, patience=0.0).show(0, total)
    assert out.getvalue() == f"\r[{'.' * 30}] {text}"


def test_nothing_is_drawn_where_there_is_no_terminal(tmp_path: Path):
    out = io.StringIO()
    progress = Progress(out, patience=0.0)
    progress.show(1, 2)
    progress.reading([large(tmp_path)])
    progress.clear()
    assert out.getvalue() == ""


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_the_line_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = Terminal()
    progress = Progress(out, lambda: 1.0, patience=0.0)
    progress.show(123_456, 150_000, "decided")
    progress.clear()
    assert max(map(len, out.getvalue().split("\r"))) < columns


def test_reading_a_large_file_is_announced(tmp_path: Path):
    out = Terminal()
    progress = Progress(out)
    small = tmp_path / "small.yaml"
    small.write_text("a")
    progress.reading([str(small), "-", str(tmp_path), str(tmp_path / "absent")])
    assert out.getvalue() == ""
    progress.reading([large(tmp_path)])
    assert out.getvalue() == "\rreading 12 MiB ..."
    progress.clear()
    assert out.getvalue() == "\rreading 12 MiB ...\r" + " " * 18 + "\r"


@pytest.mark.parametrize(
    ("suffix", "size", "shown"), [(".yaml", 4 << 20, "4 MiB"), (".json", 15 << 20, "15 MiB"), (".gz", 1 << 19, "1 MiB")]
)
def test_a_file_is_large_if_it_takes_about_two_seconds_to_read(tmp_path: Path, suffix: str, size: int, shown: str):
    for more, text in ((0, ""), (1, f"\rreading {shown} ...")):
        path = tmp_path / f"cluster{suffix}"
        with path.open("wb") as file:
            file.truncate(size + more)
        out = Terminal()
        Progress(out).reading([str(path)])
        assert out.getvalue() == text


def large(folder: Path) -> str:
    path = folder / "large.yaml"
    with path.open("wb") as file:
        file.truncate(3 * SLOW_YAML)
    return str(path)
