"""Source code in a lesson: folded, named by its file, and public."""

import re

import nbformat
import pytest

from kschedlab.preemption.ladder import climb
from kschedlab.scheduler import Scheduler
from kschedlab_lab.views.listing import Listing
from tools.refresh import NOTEBOOKS


def test_the_source_is_folded_below_its_name_and_file() -> None:
    head, code = Listing(climb)._repr_markdown_().split("\n\n", 1)
    assert head == "<details><summary><code>climb</code> · kschedlab/preemption/ladder.py</summary>"
    assert code.startswith("```python\ndef climb(") and code.endswith("\n```\n\n</details>")


def test_a_method_begins_at_the_margin() -> None:
    assert repr(Listing(Scheduler.cycle)).splitlines()[:2] == [
        "# Scheduler.cycle, kschedlab/scheduler.py",
        "def cycle(self, pod: PodInfo) -> Decision:",
    ]


def fenced() -> str:
    """```"""
    return "````"


def test_the_fence_is_longer_than_any_in_the_source() -> None:
    assert Listing(fenced)._repr_markdown_().splitlines()[2] == "`````python"


def test_names_are_escaped() -> None:
    def local() -> None:
        """Its qualified name has a < and a >."""

    assert "&lt;locals&gt;.local</code>" in Listing(local)._repr_markdown_()


@pytest.mark.parametrize("private", [Scheduler._search, Scheduler._select])
def test_private_functions_are_refused(private: object) -> None:
    with pytest.raises(ValueError, match="is private"):
        Listing(private)  # type: ignore[arg-type]


def test_no_lesson_lists_a_private_function() -> None:
    cells = [cell.source for path in NOTEBOOKS.glob("*.ipynb") for cell in nbformat.read(path, as_version=4).cells]
    listed = [name for source in cells for name in re.findall(r"\bListing\(([\w.]+)", source)]
    assert listed and not [name for name in listed if "._" in name or name.startswith("_")]
