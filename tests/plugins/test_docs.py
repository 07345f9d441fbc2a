"""docs/plugins.md: every snippet runs, and prints what the page says."""

import contextlib
import io
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedlab.build import as_yaml, node, pod
from kschedlab.program.main import main

PAGE = Path(__file__).parents[2] / "docs" / "plugins.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_snippet_runs_and_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("mine", None)
    (tmp_path / "cluster.yaml").write_text(
        as_yaml(
            [
                node("hot", labels={"celsius": "75"}),
                node("cold", labels={"pool": "a"}),
                pod("web", labels={"pool": "a"}),
            ]
        )
    )
    names: dict[str, Any] = {}
    printed, ran = "", 0
    for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        ran += 1
        if named := re.match(r"# (\w+\.\w+)\n", text):
            (tmp_path / named[1]).write_text(text)
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, str(PAGE), "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert printed == text
        elif language == "sh":
            program, *arguments = shlex.split(text)
            assert program == "kschedlab" and main(arguments) == 0
            assert "too hot" in capsys.readouterr().out
        else:
            assert {"toml": tomllib.loads, "yaml": yaml.safe_load}[language](text)
    assert ran > 20
    sys.modules.pop("mine", None)


def test_the_module_has_what_it_says() -> None:
    from kschedlab import plugins

    assert all(hasattr(plugins, name) for name in plugins.__all__)
