"""What explain and compare print: within the terminal's width, nothing lost, no colours but on a terminal."""

import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import load
from kschedlab.program.main import main
from kschedlab.program.terminal.screen import Screen
from kschedlab.program.terminal.writer import limits, written as rendered
from kschedlab.scheduler import schedule
from kschedlab.text.sections import Section, Table
from kschedlab.whatif.comparison import Comparison
from tests.course import GENERATIONS

BUNDLED = Path(__file__).parents[2] / "packages/lab/kschedlab_lab/panels/bundled.json.gz"
FULL = {"cpu": "1", "memory": "1Gi", "pods": "10"}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bundled() -> str:
    return str(BUNDLED)


def written(tmp_path: Path, *objects: Manifest) -> str:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def widest(text: str) -> int:
    return max(map(cell_len, text.splitlines()))


def events(capsys: pytest.CaptureFixture[str], file: str) -> dict[str, str]:
    lines = printed(capsys, "explain", file, "--output", "json").splitlines()
    return {line["pod"]: line["event"] for line in map(json.loads, lines)}


@pytest.mark.parametrize("width", [60, 80, pytest.param(120, marks=pytest.mark.nightly), 200])
def test_explain_fits_the_width_and_says_everything(
    width: int, bundled: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if width != 80:
        monkeypatch.setenv("COLUMNS", str(width))
    text = printed(capsys, "explain", bundled)
    assert widest(text) <= width
    assert "\x1b" not in text
    flowing = " ".join(text.split())
    for key, event in events(capsys, bundled).items():
        assert f"{key} " in flowing
        assert event in flowing, "letter by letter, but for the breaks"
    assert "--all shows what was left out" in flowing


def test_every_pod_fits_the_width_in_every_generation() -> None:
    """Without the rules that make the difference: to find them takes long."""
    objects = load(BUNDLED)
    clusters = {generation: Cluster(objects, generation.api) for generation in GENERATIONS.values()}
    for key in [each.key for each in objects.pods if not each.spec.nodeName]:
        decisions = {g.name: schedule(key, clusters[g], g) for g in GENERATIONS.values()}
        screen = Screen(io.StringIO(), 80)
        screen.print(*rendered(Comparison(decisions, ()).sections(limits(screen)), screen))
        for decision in decisions.values():
            screen.print(*rendered(decision.sections(limits(screen)), screen, decision.cluster.names))
        assert widest(screen.out.getvalue()) <= 80


@pytest.mark.parametrize("key", [pytest.param("shop/payment-burst-0", marks=pytest.mark.nightly), "ml/tune-0"])
def test_compare_fits_the_width(key: str, bundled: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "compare", bundled, "--pod", key)
    assert widest(text) <= 80
    assert all(f"{earlier} → {later}: " in text for earlier, later in [("v1.13", "v1.16"), ("v1.20", "v1.37")])


def test_nothing_is_left_out_of_all(bundled: str, capsys: pytest.CaptureFixture[str]) -> None:
    items = json.loads(gzip.decompress(BUNDLED.read_bytes()))["items"]
    names = [item["metadata"]["name"] for item in items if item["kind"] == "Node"]
    for command in ("explain", "compare"):
        text = printed(capsys, command, bundled, "--pod", "shop/payment-burst-0", "--all")
        assert [name for name in names if name not in text] == []
        assert widest(text) <= 80
        assert not re.search(r"and [\d,]+ more", text) and "--all shows" not in text


def test_wide_shows_names_in_full(bundled: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "explain", bundled, "--wide", "--all", "--pod", "shop/payment-burst-0")
    assert "…" not in text and "--wide" not in text
    assert "shop/recommendations-zs6j6vjkx-8pbbp" in text
    head = next(line for line in text.splitlines() if "  rule  " in line and line.endswith("  result"))
    assert head.split()[:1] == ["rule"] and len(head.split()) == 1 + 95 + 1, "every candidate has its column"
    narrow = printed(capsys, "explain", bundled, "--all", "--pod", "shop/payment-burst-0")
    assert "  93 more  result" in narrow


# -- long names


def long_names(tmp_path: Path) -> tuple[str, list[str]]:
    names = [f"gke-production-europe-west4-highmem-pool-7f3a9c1e-{i:03}-x7k2.internal" for i in range(30)]
    nodes = [node(name, allocatable=FULL) for name in names]
    running = [pod(f"{'checkout-' * 6}{i}", names[i], requests={"cpu": "1"}) for i in range(30)]
    mine = pod(f"{'payment-' * 7}0", requests={"cpu": "1"}, priority=5)
    return written(tmp_path, *nodes, *running, mine), names


@pytest.mark.parametrize("width", [60, 80])
def test_long_names_lose_their_middle_and_stay_different(
    width: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    file, names = long_names(tmp_path)
    text = printed(capsys, "explain", file)
    assert widest(text) <= width
    assert "--wide shows names in full" in " ".join(text.split())
    text = printed(capsys, "explain", file, "--all")
    listed = text.partition("Refused by filters")[2].partition("Preemption")[0]
    short = {word.rstrip(",") for word in listed.split() if "…" in word}
    assert len(short) == len(names)
    assert widest(printed(capsys, "compare", file, "--pod", f"default/{'payment-' * 7}0")) <= width


# -- many nodes


def test_thousands_of_equal_nodes_are_one_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [node(f"n-{i:04}", allocatable=FULL) for i in range(5000)]
    file = written(tmp_path, *nodes, pod("big", requests={"cpu": "2"}), pod("small"))
    text = printed(capsys, "explain", file)
    assert "  5,000  NodeResourcesFit  Insufficient cpu" in text
    assert "n-0000, n-0001, n-0002 and 4,997 more" in text
    assert len(text.splitlines()) < 50 and widest(text) <= 80
    text = printed(capsys, "compare", file, "--pod", "default/big")
    assert "n-0000, n-0001, n-0002 and" in text and "4,997 more" in text
    assert len(text.splitlines()) < 50 and widest(text) <= 80


def test_replicas_that_fail_alike_are_one_section(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replicas = [pod(f"web-{i:03}", requests={"cpu": "2"}) for i in range(200)]
    file = written(tmp_path, node("n1", allocatable=FULL), *replicas, pod("zero"))
    text = printed(capsys, "explain", file)
    assert text.count("Event\n") == 1
    assert "the same for 199 more pods: default/web-001, default/web-002," in text
    assert "201 pending pods: 1 placed, 200 left pending" in text
    assert "--all shows what was left out" in text
    assert printed(capsys, "explain", file, "--all").count("Event\n") == 200


# -- colours


def run(*arguments: str, **environment: str) -> bytes:
    """The program's output where standard output is a terminal."""
    reader, writer = pty.openpty()
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "TERM": "xterm"}
    command = [sys.executable, "-m", "kschedlab", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writer, env=environ | environment) as process:
        os.close(writer)
        output = b""
        while chunk := _read(reader):
            output += chunk
    os.close(reader)
    assert process.returncode == 0
    return output


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65536)
    except OSError:  # Linux: the other end is closed
        return b""


def test_a_terminal_gets_colours_unless_the_user_wants_none(tmp_path: Path) -> None:
    file = written(tmp_path, node("n1"), pod("web"))
    assert b"\x1b[1;32m" in run("explain", file)
    assert b"\x1b" not in run("explain", file, NO_COLOR="1")
    assert b"\x1b" not in run("explain", file, TERM="dumb")
    assert b"\x1b" not in run("explain", file, "--color", "never")
    assert b"\x1b[1;32m" in run("explain", file, "--color", "always", NO_COLOR="1")


def test_colours_can_be_had_without_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, node("n1"), pod("web"))
    assert "\x1b[1;32m" in printed(capsys, "explain", file, "--color", "always")
    assert "\x1b" not in printed(capsys, "explain", file)


def test_text_of_a_user_never_reaches_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data\x1b[2J\u202e[bold]"}}
    main(("explain", written(tmp_path, node("n1"), pod("web", volumes=[volume])), "--color", "never"))
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err and "\u202e" not in out + err
    assert "[bold]" in out + err


def test_json_and_errors_need_no_library_for_terminals(tmp_path: Path) -> None:
    file = written(tmp_path, node("n1"), pod("web"))
    program = (
        "import sys; from kschedlab.program.main import main; "
        f"main(['explain', {file!r}, '--output', 'json']); main(['explain', 'absent']); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


# -- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands_and_their_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = printed(capsys, "completion", shell)
    assert all(word in script for word in ("explain", "simulate", "generation", "v1.13", "always"))


def test_bash_completes_options_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kschedlab.bash").write_text(printed(capsys, "completion", "bash"))
    (tmp_path / "cluster.yaml").touch()

    def complete(*words: str) -> list[str]:
        script = 'source kschedlab.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        script += "_shtab_kschedlab; echo ${COMPREPLY[@]}"
        command = ["bash", "-c", script, "bash", "kschedlab", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()

    assert complete("com") == ["compare", "completion"]
    assert complete("explain", "--gen") == ["--generation"]
    assert complete("explain", "--color", "a") == ["auto", "always"]
    assert complete("explain", "clus") == ["cluster.yaml"]


def test_a_table_without_rows_is_nothing() -> None:
    text = io.StringIO()
    out = Screen(text, 80, False, False)
    out.print(*rendered([Section("Nodes", (Table(("node", "score"), ()), "none"))], out))
    assert text.getvalue().split() == ["Nodes", "none"]
