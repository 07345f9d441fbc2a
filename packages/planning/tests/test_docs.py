"""What docs/planning.md shows: its Python runs and prints the text below it, its commands exist."""

import re
from pathlib import Path

from kschedlab.program.main import main

TEXT = (Path(__file__).parents[3] / "docs" / "planning.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_shows(capsys):
    examples = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.DOTALL)
    assert examples
    for code, shown in examples:
        exec(code, {})
        assert capsys.readouterr().out == shown


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    from kschedlab.build import as_yaml, deployment, node

    monkeypatch.chdir(tmp_path)
    Path("cluster.yaml").write_text(as_yaml([node("a"), node("b")]))
    Path("web.yaml").write_text(as_yaml([deployment("web", 1, cpu=1)]))
    commands = [line.split("#")[0].split()[1:] for line in TEXT.splitlines() if line.startswith("kschedlab plan ")]
    assert commands
    for arguments in commands:
        assert main(arguments) == 0 and capsys.readouterr().out
