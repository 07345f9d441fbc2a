"""The front ends as the browser gets them: one module each, as their scripts are now, with every script."""

import json
from pathlib import Path

import pytest

import kschedlab_lab
from kschedlab_lab.stage.front_end import front_end
from packages.lab.hatch_build import HERE, PACKAGE, WIDGETS, bundle

SCRIPTS = sorted(Path(kschedlab_lab.__file__).parent.rglob("*.js"))
PAGE = Path(__file__).parents[4] / "tools/site/front/page.js"
"""The front end of the course's pages, which shares these scripts."""


@pytest.mark.parametrize("widget", WIDGETS)
def test_what_was_built_is_what_the_scripts_are_now(widget: str) -> None:
    """Else ``make .venv/installed`` builds it again."""
    assert front_end(Path(widget).stem) == bundle(PACKAGE / widget)


def test_a_front_end_that_was_not_built_names_the_remedy() -> None:
    with pytest.raises(RuntimeError, match=r"none\.js was not built: install kschedlab-lab again"):
        front_end("none")


def test_a_name_that_nothing_exports_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("export const one = 1;\n")
    (tmp_path / "two.js").write_text('import { other } from "./one.js";\nexport default other;\n')
    with pytest.raises(RuntimeError, match=r'No matching export in ".*one\.js" for import "other"'):
        bundle(tmp_path / "two.js")


def test_every_script_is_part_of_a_front_end(tmp_path: Path) -> None:
    parts = set()
    for entry in (*(PACKAGE / each for each in WIDGETS), PAGE):
        bundle(entry, f"--metafile={tmp_path / 'meta.json'}", f"--outfile={tmp_path / 'out.js'}")
        parts |= {(HERE / each).resolve() for each in json.loads((tmp_path / "meta.json").read_text())["inputs"]}
    scripts = [each.resolve() for each in SCRIPTS if each.parent.name != "bundles"]
    assert [each for each in scripts if each not in parts] == []
