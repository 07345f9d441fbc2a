"""The front ends as the browser gets them: one text each, small, with every file that it needs once."""

import re
from pathlib import Path

import pytest

import kschedlab_lab
from kschedlab_lab.stage.front_end import IMPORT, front_end

LAB = Path(kschedlab_lab.__file__).parent
FILES = sorted(LAB.rglob("*.js"))
PAGES = sorted((Path(__file__).parents[4] / "tools/site/front").glob("*.js"))
"""The front end of the course's pages, which shares these files."""
WIDGETS = [path for path in FILES if "export default" in path.read_text(encoding="utf-8")]
EXPORTED = re.compile(r"^export (?:const|function|class) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("path", WIDGETS, ids=lambda path: path.name)
def test_a_front_end_is_one_module_that_imports_nothing(path: Path) -> None:
    text = front_end(path)
    assert re.findall(r"^(?:import|export)\b.*", text, re.MULTILINE) == ["export default {"]


def test_files_may_use_a_name_twice_and_an_unknown_import_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("const STEP = 1;\nexport const one = () => STEP;\n")
    (tmp_path / "two.js").write_text('import { one } from "./one.js";\nconst STEP = 2;\nexport default one() + STEP;\n')
    text = front_end(tmp_path / "two.js")
    assert text.count("const STEP") == 2 and "const { one } = _0;\n" in text
    (tmp_path / "one.js").write_text('import * as all from "./two.js";\nexport const one = 1;\n')
    with pytest.raises(ValueError, match=r"one\.js: expected import \{ name \}.*import \* as all"):
        front_end(tmp_path / "two.js")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_imports_what_there_is_and_what_it_uses(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    body = IMPORT.sub("", text)
    for names, other in re.findall(r'^import \{ ([^}]*) \} from "(.+)";$', text, re.MULTILINE):
        given = EXPORTED.findall((path.parent / other).read_text(encoding="utf-8"))
        for name in names.split(", "):
            assert name in given and re.search(rf"\b{name}\b", body), name


def test_every_file_is_part_of_a_front_end_and_every_export_is_imported() -> None:
    whole = "\n".join(map(front_end, WIDGETS))
    imported = {
        name
        for path in (*FILES, *PAGES)
        for names in re.findall(r"^import \{ ([^}]*) \}", path.read_text(encoding="utf-8"), re.MULTILINE)
        for name in names.split(", ")
    }
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert text.splitlines()[0] in whole, path.name
        assert set(EXPORTED.findall(text)) <= imported, path.name
