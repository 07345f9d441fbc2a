"""Every number of the documents is a measure's, and the nightly workflow runs each measure."""

import re
from pathlib import Path

import pytest
import yaml

from tools.measured import BENCHMARKS, MEASURES, RELIABILITY, ROOT, with_row, with_table

WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")}
ROWS = {each.what: each for each in MEASURES.values() if not each.table}
TABLES = [name for name, each in MEASURES.items() if each.table]


def test_a_row_replaces_its_older_one_and_rows_of_nobody_go() -> None:
    first, second = list(ROWS)[:2]
    rows = f"| What |\n|---|\n| {second} | `x` | 1 | old |\n| Gone | `y` | 1 | z |\n"
    text = f"before\n<!-- measured -->\n{rows}<!-- /measured -->\nafter\n"
    text = with_row(text, first, "python -m a", "123", "good")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[1:] == [f"| {first} | `python -m a` | 123 | good |", f"| {second} | `x` | 1 | old |"]
    assert text.startswith("before\n<!-- measured -->\n") and text.endswith("<!-- /measured -->\nafter\n")
    assert (
        with_row(text, second, "python -m b", "124", "new").splitlines()[-3]
        == f"| {second} | `python -m b` | 124 | new |"
    )


def test_a_table_replaces_its_older_one() -> None:
    text = "<!-- measured: a -->\nold\n<!-- /measured -->\n<!-- measured: b -->\nkept\n<!-- /measured -->\n"
    found = with_table(text, "a", "python -m a", "123", "| new |")
    assert (
        "old" not in found
        and "kept" in found
        and "`python -m a`, revision 123, " in found
        and "\n| new |\n<!-- /measured -->\n" in found
    )


def test_rows_name_the_command_and_the_revision_of_a_measure() -> None:
    (section,) = re.findall(r"<!-- measured -->\n(.*?)<!-- /measured -->", RELIABILITY.read_text("utf-8"), re.DOTALL)
    for row in section.splitlines()[2:]:
        what, command, revision, result = row.strip("| ").split(" | ")
        module = ROWS[what].command.split()[0]
        assert command.startswith(f"`python -m {module}") and re.fullmatch(r"[0-9a-f]{10}", revision) and result


@pytest.mark.parametrize("name", TABLES)
def test_tables_name_the_command_and_the_revision(name: str) -> None:
    (section,) = re.findall(
        rf"<!-- measured: {name} -->\n(.*?)<!-- /measured -->", BENCHMARKS.read_text("utf-8"), re.DOTALL
    )
    module = MEASURES[name].command.split()[0]
    assert not section or re.match(rf"`python -m {re.escape(module)}.*`, revision [0-9a-f]{{10}}, ", section)


def test_no_other_table_of_the_benchmarks_has_a_number() -> None:
    others = re.sub(r"<!-- measured: .*?<!-- /measured -->", "", BENCHMARKS.read_text("utf-8"), flags=re.DOTALL)
    assert [line for line in others.splitlines() if line.startswith("|")] == []


def test_every_night_measures_all() -> None:
    jobs = yaml.safe_load(WORKFLOWS["nightly.yml"])["jobs"]
    assert jobs["measured"]["strategy"]["matrix"]["measure"] == list(MEASURES)


def test_commands_of_measures_exist() -> None:
    for each in MEASURES.values():
        assert Path(ROOT, *each.command.split()[0].split(".")).with_suffix(".py").is_file()


def test_actions_are_pinned_by_commit() -> None:
    used = [line for text in WORKFLOWS.values() for line in text.splitlines() if "uses:" in line]
    pinned = re.compile(r" +(- )?uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert len(used) > 10 and [line for line in used if not pinned.fullmatch(line)] == []
