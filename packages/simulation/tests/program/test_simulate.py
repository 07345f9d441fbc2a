"""The program's command ``simulate``."""

import csv
import io
import itertools
import json
import os
import re
from pathlib import Path
from unittest.mock import Mock

import pytest

import benchmarks.perf  # noqa: F401  # reads PERF
from kschedlab.build import as_yaml, node, pod
from kschedlab.program.main import main
from kschedlab.program.progress import Progress
from kschedlab_simulation.log import read_log
from kschedlab_simulation.report import report_of
from kschedlab_simulation.timeline.scenario import loads_scenario

RUN = """
timeline:
- at: 1s
  create:
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]}
- at: 10s
  delete: pod/web
  grace: 5s
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 1, pods: 10}}
"""
PERF = str(Path(__file__).parents[4] / "benchmarks" / "tests" / "performance-config.yaml")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "run.yaml"
    path.write_text(RUN)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["simulate", *arguments])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_an_exported_cluster_has_ages_and_loses_its_youngest_pod(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = tmp_path / "exported.yaml"
    running = [pod(f"web-{day}", f"n{day}", cpu=1, priority=0, start=f"2026-06-0{day}T00:00:00Z") for day in (1, 2)]
    for each in running:
        each["metadata"]["creationTimestamp"] = each["status"]["startTime"]
    urgent = pod("urgent", cpu=1, priority=9)
    exported.write_text(as_yaml([node("n1", cpu=1), node("n2", cpu=1), *running, urgent]))
    status, out, err = run(capsys, str(exported), "--wide", "--until", "1h")
    assert (status, err) == (0, "") and "<invalid>" not in out
    assert re.search(r"web-1 .*Running .* 24h|web-1 .*Running .* 25h", out) and "web-2" not in out.split("Pods:")[0]


def test_a_run_ends_with_the_pods_and_a_report(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, file, "--until", "5s")
    assert (status, err) == (0, "")
    title, head, row, empty, first, second, *_ = out.splitlines()
    assert title == "Pods: 1 new"
    assert head.split() == ["change", "pod", "ready", "status", "age", "node"]
    assert row.split() == ["new", "default/web", "1/1", "Running", "4s", "n1"]
    assert (empty, first) == ("", "v1.37, seed 0")
    assert re.fullmatch(r"3 s of virtual time, [\d.]+ m?s of real time", second)
    assert "1 pod of 1 bound" in out


def test_generation_seed_and_report_as_json(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, file, "--generation", "v1.13", "--seed", "4", "--output", "json", "--watch")
    report = json.loads(out.splitlines()[-1])
    assert status == 0
    assert (report["generation"], report["seed"], report["bound"], report["deleted"]) == ("v1.13", 4, 1, 1)
    assert report["wall_pods_per_second"] > 0


def test_a_report_as_csv_has_the_use_of_the_cluster_over_time(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, written, _ = run(capsys, file, "--output", "csv")
    rows = [
        each for each in csv.DictReader(io.StringIO(written)) if (each["scope"], each["resource"]) == ("cluster", "cpu")
    ]
    assert {each["allocatable"] for each in rows} == {"1000.0"}
    assert [key for key, _ in itertools.groupby(each["requested"] for each in rows)] == ["0.0", "500.0", "0.0"]


def test_watching_widely_shows_every_change_as_kubectl_does(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, file, "--watch", "--wide")
    assert status == 0
    rows = [line.split()[2:9] for line in out.split("\n\n")[0].splitlines() if line.startswith("default")]
    states = [(row[1], row[3], row[5]) for row in rows]
    assert states[:4] == [
        ("Pending", "0s", "<none>"),
        ("Pending", "0s", "n1"),
        ("ContainerCreating", "0s", "n1"),
        ("Running", "2s", "n1"),
    ]
    assert ("Terminating", "9s", "n1") in states
    assert out.count("NOMINATED NODE") == 1
    assert "1 pod of 1 bound" in out


def test_watching_shows_the_time_and_what_the_timeline_does(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(file).parent)
    status, out, _ = run(capsys, "run.yaml", "--watch")
    watched = out.split("\n\n")[0].splitlines()
    assert status == 0
    assert [line for line in watched if line.startswith("──")] == [
        "── 1s create pod default/web (run.yaml:3)",
        "── 3s",
        "── 10s delete pod default/web (run.yaml:9)",
        "── 15s",
    ]
    head, *rows = (line.split() for line in watched if not line.startswith("──"))
    assert head == ["POD", "READY", "STATUS", "AGE", "NODE"]
    states = ["Pending", "Pending", "ContainerCreating", "Running", "Terminating", "Deleted"]
    assert [row[2] for row in rows] == states


def test_the_end_shows_what_changed_since_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.yaml"
    cluster = [
        node("n1"),
        node("n2", labels={"disk": "ssd"}),
        pod("stays", "n2"),
        pod("drained", "n1"),
        pod("deleted", "n2"),
        pod("waits", nodeSelector={"disk": "ssd"}),
    ]
    timeline = "timeline:\n- {at: 5s, drain: n1}\n- {at: 6s, delete: pod/deleted}\n"
    path.write_text(f"{timeline}---\n{as_yaml(cluster)}")
    status, out, _ = run(capsys, str(path))
    assert status == 0
    title, _, *rows = out.split("\n\n")[0].splitlines()
    assert title == "Pods: 1 evicted, 1 gone, 1 bound, 1 unchanged"
    assert [row.split() for row in rows] == [
        ["evicted", "default/drained", "was", "on", "n1"],
        ["gone", "default/deleted", "was", "on", "n2"],
        ["bound", "default/waits", "1/1", "Running", "36s", "n2"],
    ]
    assert "default/stays" in run(capsys, str(path), "--all")[1]


def test_a_wide_end_has_the_pods_as_kubectl_prints_them(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, file, "--until", "5s", "--wide")
    head, row, empty, title, *_ = out.splitlines()
    assert head.startswith("NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE   IP ")
    assert row.split()[:6] == ["default", "web", "1/1", "Running", "0", "4s"]
    assert (empty, title) == ("", "Pods: 1 new")


def test_lines_fit_the_width(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nodes = [node(f"gke-production-europe-west4-highmem-pool-7f3a9c1e-{i:03}-x7k2.internal") for i in range(5)]
    pods = [pod(f"{'checkout-' * 6}{i}") for i in range(50)]
    timeline = "timeline:\n- {at: 5s, drain: gke-production-europe-west4-highmem-pool-7f3a9c1e-000-x7k2.internal}\n"
    Path("run.yaml").write_text(f"{timeline}---\n{as_yaml([*nodes, *pods])}")
    for arguments in ((), ("--watch",), ("--all",)):
        out = run(capsys, "run.yaml", *arguments)[1]
        assert max(map(len, out.splitlines())) <= 80


def test_the_log_can_be_read_back(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "run.jsonl"
    run(capsys, file, "--log", str(target))
    log = read_log(target.read_text().splitlines(), str(target))
    report = report_of(log)
    assert (report.bound, report.deleted) == (1, 1)


def test_a_workload_of_scheduler_perf(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, PERF, "--workload", "Filling/5Nodes")
    assert status == 0
    assert "15 pods of 15 bound" in out
    assert "Measured namespace-2: 10 pods in 12 ms" in out
    status, out, err = run(capsys, PERF)
    assert (status, out) == (2, "")
    assert "select a workload: Filling/5Nodes, " in err


def test_a_failed_entry_gives_exit_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(RUN.replace("grace: 5s", "grace: 0s\n- {at: 20s, delete: pod/web}"))
    status, out, err = run(capsys, str(path))
    assert (status, err) == (1, "")
    failed = f'1 entry of the timeline failed {path}:12: delete pod default/web: pods "web" not found'
    assert "".join(failed.split()) in "".join(out.split())  # a long path wraps within a line


def test_unusable_input_gives_exit_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(RUN.replace("delete: pod/web", "delete: pod/api"))
    status, out, err = run(capsys, str(path))
    assert (status, out) == (2, "")
    assert err == f"{path}:10: delete: pod default/api does not exist at 10s: not yet created, or already deleted\n"
    status, _, err = run(capsys, str(tmp_path / "lost.yaml"))
    assert (status, err) == (2, f"{tmp_path}/lost.yaml: there is no such file or folder\n")
    status, _, err = run(capsys, PERF, "--workload", "Filling/5Nodes", "--log", str(tmp_path))
    assert (status, err) == (2, f"{tmp_path}: cannot be written: Is a directory\n")


def test_invalid_arguments(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["simulate", file, "--until", "soon"])
    assert left.value.code == 2
    assert 'argument --until: "soon" is not a duration such as 300ms, 3s or 1h2m3.5s' in capsys.readouterr().err


def test_a_configuration_and_warnings(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "scheduler.yaml"
    version, kind = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
    config.write_text(f"{{apiVersion: {version}, kind: {kind}, profiles: [{{schedulerName: mine}}]}}")
    more = tmp_path / "more.yaml"
    more.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    status, out, err = run(capsys, file, str(more), "--config", str(config), "--until", "5s")
    assert status == 0
    assert "ignored, because nothing in a simulation reads them: ConfigMap (1)" in err
    assert "0 pods of 1 bound" in out


@pytest.mark.parametrize("on", [False, True])
def test_a_scenario_without_the_gate_warns_of_what_only_the_gate_obeys(on: bool) -> None:
    gates = f"simulation: {{featureGates: {{GenericWorkload: {str(on).lower()}}}}}"
    grouped = "{containers: [{name: c}], schedulingGroup: {podGroupName: g}}"
    group = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {grouped}}}"
    unknown = "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: c}], colour: red}}"
    lines = loads_scenario(f"{gates}\n---\n{group}\n---\n{unknown}").report.lines()
    assert any("GenericWorkload" in each for each in lines) != on
    assert any("colour" in each for each in lines)


def test_a_terminal_gets_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    seconds = itertools.count()
    monkeypatch.setattr(
        "kschedlab_simulation.program.simulate.Progress", lambda out: Progress(out, lambda: next(seconds))
    )
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(["simulate", PERF, "--workload", "Filling/50Nodes"]) == 0
    assert " of " in terminal.getvalue() and "pods bound" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r"), "it is wiped away"
    assert "150 pods of 150 bound" in capsys.readouterr().out


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    more = tmp_path / "more.yaml"
    more.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
    for path, why in (
        ("/dev/full", "cannot be written: No space left on device"),
        (str(tmp_path), "cannot be written: Is a directory"),
        (str(loop), "cannot be written: Too many levels of symbolic links"),
        ("a\0b", "cannot be written: embedded null byte"),
        (file, "is read by this run: write to another file"),
        (os.path.join(tmp_path, ".", Path(file).name), "is read by this run: write to another file"),
    ):
        content = Path(file).read_bytes()
        status, out, err = run(capsys, file, str(more), "--log", path)
        assert (status, out) == (2, "") and err.splitlines() == [f"{Path(path)}: {why}".replace("\0", "[U+0000]")]
        assert Path(file).read_bytes() == content


def test_a_run_of_years_is_refused(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(capsys, file, "--until", "90000h")
    assert '"90000h" is longer than 87840h, the longest time that a run covers' in capsys.readouterr().err
    settings = tmp_path / "settings.yaml"
    settings.write_text("simulation: {until: 90000h}\n")
    status, _, err = run(capsys, file, str(settings))
    assert status == 2 and f'{settings}:1: until: "90000h" is longer than 87840h' in err


def test_a_run_that_ends_early_leaves_the_log_of_the_run_before(
    tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "run.jsonl"
    run(capsys, file, "--log", str(target))
    before, there = target.read_text(), set(tmp_path.iterdir())
    monkeypatch.setattr("kschedlab_simulation.program.simulate._advance", Mock(side_effect=KeyboardInterrupt))
    assert run(capsys, file, "--log", str(target))[0] == 130
    assert before and target.read_text() == before and set(tmp_path.iterdir()) == there
