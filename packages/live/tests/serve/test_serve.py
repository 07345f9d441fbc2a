"""What ``kschedlab serve`` says of its files before it serves them."""

from pathlib import Path

import pytest

from kschedlab.program.main import main
from kschedlab_live.serve.server import Server
from packages.live.tests.serve.served import TWO_NODES
from tests.saying import says

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


V1_20 = "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n"


@pytest.mark.parametrize(
    ("arguments", "config", "expected"),
    [
        ([], None, "v1.37"),
        (["--generation", "v1.16"], None, "v1.16"),
        (["--generation", "v1.20"], V1_20, "default-scheduler (v1.20)"),
    ],
)
def test_the_options_choose_who_schedules(
    arguments: list[str], config: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = list[str]()
    monkeypatch.setattr(Server, "run", lambda server, *_: served.append(server.generation))
    (tmp_path / "scenario.yaml").write_text(TWO_NODES)
    if config is not None:
        (tmp_path / "config.yaml").write_text(config)
        arguments = [*arguments, "--config", str(tmp_path / "config.yaml")]
    main(["serve", str(tmp_path / "scenario.yaml"), "--kubeconfig", str(tmp_path / "kubeconfig"), *arguments])
    assert served == [expected]


@pytest.mark.parametrize(
    ("port", "fault"),
    [
        ("0", False), ("65535", False), ("65536", True), ("-1", True), ("99999", True), ("100000", True),
        ("80a", True), ("\u0668\u0660", True),
    ],
)  # fmt: skip
def test_a_port_is_a_number_of_16_bits(
    port: str, fault: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Server, "run", lambda *_: None)
    file = tmp_path / "scenario.yaml"
    file.write_text(TWO_NODES)
    arguments = ["serve", str(file), "--kubeconfig", str(tmp_path / "kubeconfig"), f"--port={port}"]
    if not fault:
        assert main(arguments) == 0
        return
    with pytest.raises(SystemExit):
        main(arguments)
    assert says(capsys.readouterr().err, "port", 65535)
