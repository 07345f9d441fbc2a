"""The contents notebook leads to every lesson, and no link of a notebook or a page leads nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

from tools.refresh import NOTEBOOKS, paths

LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
ANCHOR = re.compile(r'<a href="(?!https?://|#)([^"#]+)"')


def links(path: Path) -> Iterator[str]:
    """Those of the text, and those of tables that a cell computed."""
    if path.suffix == ".md":
        yield from LINK.findall(path.read_text(encoding="utf-8"))
        return
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield from LINK.findall(cell.source)
        for output in cell.get("outputs", []):
            yield from ANCHOR.findall(output.get("data", {}).get("text/html", ""))


def test_contents_names_every_notebook() -> None:
    for folder in (NOTEBOOKS, NOTEBOOKS / "zh"):
        lessons = {path.name for path in folder.glob("*.ipynb")} - {"00-contents.ipynb"}
        assert lessons <= set(links(folder / "00-contents.ipynb"))


def test_links_lead_somewhere() -> None:
    root = NOTEBOOKS.parent
    files = [*paths(), *sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])]
    assert [f"{file}: {to}" for file in files for to in links(file) if not (file.parent / to).exists()] == []
