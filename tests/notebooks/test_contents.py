"""The contents notebook leads to every lesson, and no link of a notebook leads nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

from tools.refresh import NOTEBOOKS

LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
ANCHOR = re.compile(r'<a href="(?!https?://|#)([^"#]+)"')


def links(path: Path) -> Iterator[str]:
    """Those of the text, and those of tables that a cell computed."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield from LINK.findall(cell.source)
        for output in cell.get("outputs", []):
            yield from ANCHOR.findall(output.get("data", {}).get("text/html", ""))


def test_contents_names_every_notebook() -> None:
    lessons = {path.name for path in NOTEBOOKS.glob("*.ipynb")} - {"00-contents.ipynb"}
    assert lessons <= set(links(NOTEBOOKS / "00-contents.ipynb"))


def test_links_lead_somewhere() -> None:
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert [f"{p.name}: {to}" for p in paths for to in links(p) if not (p.parent / to).exists()] == []
