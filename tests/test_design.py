"""The reading list of docs/design.md: its files exist, and its counts of lines are true."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "design.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+) \| .+ \| ([\d,]+) \|$", TEXT, re.MULTILINE)
AFTERNOON = 6_000


def number(text: str) -> int:
    return int(text.replace(",", ""))


def lines(links: str) -> int:
    """Lines of all the files that are linked."""
    files = re.findall(r"\]\((\.\./kschedlab/[\w/]+\.py)\)", links)
    return sum(len((DOCS / file).read_text(encoding="utf-8").splitlines()) for file in files)


@pytest.mark.parametrize(("stop", "links", "stated"), ROWS, ids=[row[0] for row in ROWS])
def test_a_stop_has_about_as_many_lines_as_stated(stop: str, links: str, stated: str) -> None:
    assert number(stated) == pytest.approx(lines(links), rel=0.03, abs=10)


def test_the_sums_are_those_of_the_stops() -> None:
    engine, motion = (number(text) for text in re.findall(r"([\d,]+) lines(?:, in this order| more)", TEXT))
    last = next(i for i, row in enumerate(ROWS) if "simulation/" in row[1])
    assert [int(stop) for stop, _, _ in ROWS] == list(range(1, len(ROWS) + 1))
    read = sum(lines(links) for _, links, _ in ROWS[:last])
    assert engine == pytest.approx(read, rel=0.01)
    assert motion == pytest.approx(sum(lines(links) for _, links, _ in ROWS[last:]), rel=0.01)
    assert read <= AFTERNOON


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\((\.\./[^)]+)\)", TEXT)
    assert links and [link for link in links if not (DOCS / link).exists()] == []
