"""What ``kschedlab serve`` says of its files before it serves them."""

from pathlib import Path

import pytest

from kschedlab.program.main import main
from kschedlab_live.serve.server import Server
from packages.live.tests.serve.served import TWO_NODES

ALIEN = "---\napiVersion: example.com/v1\nkind: Alien\nmetadata: {name: a}\n"


def test_what_it_does_not_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Server, "run", lambda *_: None)
    for text, told in ((TWO_NODES, False), (TWO_NODES + ALIEN, True)):
        file = tmp_path / "scenario.yaml"
        file.write_text(text)
        assert main(["serve", str(file), "--kubeconfig", str(tmp_path / "kubeconfig")]) == 0
        assert ("Alien" in capsys.readouterr().err) is told
