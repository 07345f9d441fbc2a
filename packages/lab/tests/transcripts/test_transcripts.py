"""What each lesson shows is as it is stored: ``make refresh`` writes it anew, and the difference is to be read."""

import difflib
from pathlib import Path

import pytest

from tools.transcripts.lessons import TRANSCRIPTS, notebooks, transcript


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_lesson_shows_what_is_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", "off")
    stored = (TRANSCRIPTS / f"{path.stem}.txt").read_text(encoding="utf-8").splitlines()
    different = difflib.unified_diff(stored, transcript(path).splitlines(), "stored", "shown", n=1, lineterm="")
    assert "\n".join(different) == "", "if this is better: `make refresh`, and commit what changed"
