"""The front ends as the browser gets them: one text each, small, with every file that it needs once."""

import re
from pathlib import Path

import pytest

import kschedlab_lab
from kschedlab_lab.stage.front_end import IMPORT, front_end

LAB = Path(kschedlab_lab.__file__).parent
FILES = sorted(LAB.rglob("*.js"))
WIDGETS = [path for path in FILES if "export default" in path.read_text(encoding="utf-8")]
EXPORTED = re.compile(r"^export (?:const|function|class) (\w+)", re.MULTILINE)
NAMED = re.compile(r"^(?:export )?(?:const|function|async function|class) (\w+)", re.MULTILINE)
MOST_BYTES, MOST_LINES = 100_000, 400


@pytest.mark.parametrize("path", WIDGETS, ids=lambda path: path.name)
def test_a_front_end_is_one_small_module(path: Path) -> None:
    text = front_end(path)
    names = NAMED.findall(text)
    assert len(text.encode()) < MOST_BYTES
    assert re.findall(r"^(?:import|export)\b.*", text, re.MULTILINE) == ["export default {"]
    assert sorted(names) == sorted(set(names)), "two files use one name, and share a scope"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_imports_what_there_is_and_what_it_uses(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    body = IMPORT.sub("", text)
    assert text.count("\n") < MOST_LINES
    for names, other in re.findall(r'^import \{ ([^}]*) \} from "(.+)";$', text, re.MULTILINE):
        given = EXPORTED.findall((path.parent / other).read_text(encoding="utf-8"))
        for name in names.split(", "):
            assert name in given and re.search(rf"\b{name}\b", body), name


def test_every_file_is_part_of_a_front_end_and_every_export_is_imported() -> None:
    whole = "\n".join(map(front_end, WIDGETS))
    imported = {
        name
        for path in FILES
        for names in re.findall(r"^import \{ ([^}]*) \}", path.read_text(encoding="utf-8"), re.MULTILINE)
        for name in names.split(", ")
    }
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert text.splitlines()[0] in whole, path.name
        assert set(EXPORTED.findall(text)) <= imported, path.name
