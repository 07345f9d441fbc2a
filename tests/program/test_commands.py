"""The program, as its users call it."""

import io
import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from kschedlab import __version__
from kschedlab.build import Manifest, node, pod
from kschedlab.program import hooks
from kschedlab.program.bench import table
from kschedlab.program.decide import decide_lines
from kschedlab.program.main import main
from kschedlab.program.terminal.screen import Screen

SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}


def written(tmp_path: Path, *objects: Manifest) -> str:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    output = capsys.readouterr()
    return status, output.out, output.err


def test_explain_says_where_a_pod_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, node("n1"), node("n2", unschedulable=True), pod("web"))
    status, out, err = run(capsys, "explain", file, "--pod", "default/web")
    assert (status, err) == (0, "")
    assert "n1" in out and "node(s) were unschedulable" in out


def test_explain_as_json_is_the_verdict_and_the_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, node("n1", allocatable=SMALL), pod("big", cpu="2"))
    status, out, _ = run(capsys, "explain", file, "--pod", "default/big", "--output", "json")
    verdict = json.loads(out)
    assert status == 0
    assert verdict["filter"]["n1"]["reasons"] == ["Insufficient cpu"]
    assert verdict["event"].startswith("0/1 nodes are available: 1 Insufficient cpu. preemption: ")


def test_explain_as_html_escapes_what_users_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    file = written(tmp_path, node("n1", taints=[taint]), pod("web"))
    status, out, _ = run(capsys, "explain", file, "--pod", "default/web", "--output", "html")
    assert status == 0 and out.lstrip().lower().startswith("<!doctype html>")
    assert "n1" in out


def test_explain_all_goes_in_queue_order_and_each_finds_what_the_last_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One place for two pods: the more important one gets it although it is listed last."""
    half = {"requests": {"cpu": "600m"}}
    file = written(
        tmp_path, node("n1", allocatable=SMALL), pod("low", priority=1, **half), pod("high", priority=2, **half)
    )
    _, out, _ = run(capsys, "explain", file, "--output", "json")
    high, low = map(json.loads, out.splitlines())
    assert (high["pod"], high["feasible"]) == ("default/high", ["n1"])
    assert (low["pod"], low["feasible"]) == ("default/low", [])


def test_explain_of_a_running_pod_asks_where_it_would_go_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, node("n1", allocatable=SMALL), pod("web", "n1", cpu="1"))
    _, out, _ = run(capsys, "explain", file, "--pod", "default/web", "--output", "json")
    assert json.loads(out)["feasible"] == ["n1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pod", "default/absent"), 'no pod "default/absent"; there are 1: default/web'),
        (("--pod", ""), 'no pod ""'),
    ],
)
def test_a_pod_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = run(capsys, "explain", written(tmp_path, node("n1"), pod("web")), *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_compare_of_a_running_pod_asks_where_it_would_go_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished = pod("job", "n1") | {"status": {"phase": "Succeeded"}}
    file = written(tmp_path, node("n1"), pod("web", "n1"), finished)
    status, out, err = run(capsys, "compare", file, "--pod", "default/web")
    assert (status, err) == (0, "") and "goes to n1, the only feasible node" in out
    status, out, err = run(capsys, "compare", file, "--pod", "default/job")
    assert (status, out, err) == (2, "", "pod default/job has finished (Succeeded): schedulers ignore finished pods\n")
    status, out, err = run(capsys, "compare", file, "--pod", "default/absent")
    assert (status, out, err) == (2, "", 'no pod "default/absent"; there are 1: default/web\n')


def test_bad_input_is_named_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web-1}\n"
        "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1,5'}}}]}\n"
    )
    status, out, err = run(capsys, "explain", str(file))
    assert (status, out) == (2, "")
    assert "cluster.yaml:4: Pod default/web-1: spec.containers[0].resources.requests.cpu: " in err
    assert '"1,5" is not a quantity' in err and "Traceback" not in err


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "explain", "absent.yaml")
    assert status == 2 and "absent.yaml" in err


def test_an_interrupted_command_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*files: str, strict: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kschedlab.program.options.load", interrupted)
    assert run(capsys, "explain", "cluster.yaml") == (130, "", "")


def test_a_full_disk_is_named_without_a_traceback(tmp_path: Path) -> None:
    file = written(tmp_path, node("n1"), pod("web"))
    command = [sys.executable, "-m", "kschedlab", "explain", file]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "the output cannot be written: No space left on device\n")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"kschedlab {__version__}\n"


def test_wrong_options_end_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        [],
        ["explain"],
        ["bench", "w.json", "--percentage", "101"],
        ["explain", "f", "--generation", "v0"],
    ):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2


def test_decide_reads_lines_and_writes_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = {"id": "s-1-0", "objects": [node("n1"), pod("web")], "pod": "default/web"}
    lines = (json.dumps(scenario) + "\n\n" + json.dumps(scenario | {"id": "s-1-1", "pod": "default/x"})).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    status, out, _ = run(capsys, "decide")
    first, second = map(json.loads, out.splitlines())
    assert status == 0
    assert (first["id"], first["feasible"]) == ("s-1-0", ["n1"])
    assert second["error"] == 'line 3: pod "default/x" is not in the scenario: add it to objects'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a scenario"),
        ('{"objects": 3}', "not a scenario"),
        ('{"id": "a", "objects": [{"kind": "Pod"}], "pod": "x"}', "objects[0]"),
    ],
)
def test_decide_answers_a_line_it_cannot_read(line: str, said: str) -> None:
    (verdict,) = map(json.loads, decide_lines([line]))
    assert said in verdict["error"]


def test_bench_prints_what_the_go_program_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = tmp_path / "w.json"
    workload.write_text(json.dumps({"objects": [node("n1"), node("n2")], "queue": [pod("a"), pod("b"), pod("c")]}))
    status, out, _ = run(capsys, "bench", str(workload), "--percentage", "100")
    result = json.loads(out)
    assert status == 0
    assert (result["engine"], result["pods"], result["bound"]) == ("kschedlab v1.37", 3, 3)
    assert {"seconds", "pods_per_second", "p50_ms", "p99_ms"} <= set(result)


def test_bench_shows_a_table_of_large_numbers() -> None:
    out = io.StringIO()
    Screen(out, width=80).print(table({"engine": "kschedlab v1.37", "pods": 30000}))
    assert [line.split() for line in out.getvalue().splitlines()] == [
        ["engine", "kschedlab", "v1.37"],
        ["pods", "30,000"],
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no such file"),
        ("", "is empty"),
        ("{", "not a workload"),
        ('{"objects": []}', "not a workload"),
        ('{"objects": [1], "queue": []}', "objects[0]"),
        ('{"objects": [], "queue": []}', "no pod waits for a node: list pods in queue"),
        ('{"objects": [], "queue": [1]}', "queue[0]"),
        ('{"objects": [], "queue": [{"kind": "Node", "metadata": {"name": "n"}}]}', "queue[0]: expected one pod"),
        ('{"objects": [], "queue": [], "queue" : []}', 'the key "queue" appears twice'),
        ('{"objects": [], "queue": ' + "[" * 1_000_000, "nested too deep"),
    ],
)
def test_bench_with_a_file_that_is_no_workload(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, said: str
) -> None:
    workload = tmp_path / "w.json"
    if content is not None:
        workload.write_text(content)
    status, out, err = run(capsys, "bench", str(workload))
    assert (status, out) == (2, "")
    assert "w.json" in err and said in err and "Traceback" not in err


@pytest.mark.parametrize("command", ["bench", "explain", "simulate"])
def test_only_a_regular_file_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A pipe that nobody fills, or a device without an end, would never be read to its end."""
    os.mkfifo(tmp_path / "pipe.json")
    for path in (str(tmp_path / "pipe.json"), "/dev/zero", "/dev/full"):
        status, out, err = run(capsys, command, path)
        assert (status, out) == (2, "") and f"{path}: is not a regular file" in err


# -- with a configuration file

TWO_PROFILES = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 4
profiles:
- schedulerName: default-scheduler
- schedulerName: careless
  plugins: {filter: {disabled: [{name: NodeUnschedulable}]}}
"""


def test_explain_decides_for_each_pod_as_its_profile_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "scheduler.yaml"
    config.write_text(TWO_PROFILES)
    pods = [pod("a"), pod("b", schedulerName="careless"), pod("c", schedulerName="other")]
    file = written(tmp_path, node("n1", unschedulable=True), *pods)
    status, out, err = run(capsys, "explain", file, "--config", str(config), "--output", "json")
    assert (status, [json.loads(line)["feasible"] for line in out.splitlines()]) == (0, [[], ["n1"]])
    assert err.splitlines() == [
        f"{config}:1: does not affect decisions: parallelism",
        'skipped: no profile has the schedulerName "other" of pod default/c',
    ]
    status, out, err = run(capsys, "explain", file, "--config", str(config), "--pod", "default/c")
    assert (status, out) == (2, "") and "no profile has the schedulerName" in err
    status, out, err = run(capsys, "compare", file, "--pod", "default/c")
    assert (status, out) == (2, "") and "no profile has the schedulerName" in err


def test_decide_with_a_configuration_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "scheduler.yaml"
    config.write_text(TWO_PROFILES)
    world = [node("n1", unschedulable=True), pod("b", schedulerName="careless"), pod("c", schedulerName="other")]
    lines = [{"objects": world, "pod": "default/b"}, {"objects": world, "pod": "default/c"}]
    lines.append({"objects": world[:1], "queue": world[1:2]})
    stdin = io.TextIOWrapper(io.BytesIO("\n".join(map(json.dumps, lines)).encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    status, out, _ = run(capsys, "decide", "--config", str(config))
    careless, other, queue = map(json.loads, out.splitlines())
    assert status == 0 and careless["feasible"] == ["n1"]
    assert "no profile" in other["error"] and queue["placements"] == [{"pod": "default/b", "node": "n1"}]


def test_a_policy_changes_the_generation_that_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy.json"
    policy.write_text('{"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "EqualPriority", "weight": 2}]}')
    file = written(tmp_path, node("n1"), node("n2"), pod("a"))
    arguments = ("explain", file, "--config", str(policy), "--generation", "v1.16", "--output", "json")
    status, out, err = run(capsys, *arguments)
    assert (status, err) == (0, "") and json.loads(out)["scores"]["weighted"] == {"EqualPriority": {"n1": 2, "n2": 2}}
    status, out, err = run(capsys, *arguments[:-3], "v1.37")
    assert (status, out) == (2, "") and "policy.json:1:" in err and "choose another generation" in err


def test_bench_with_a_configuration_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload, config = tmp_path / "w.json", tmp_path / "scheduler.yaml"
    workload.write_text(json.dumps({"objects": [node("n1"), node("n2")], "queue": [pod("a")]}))
    config.write_text(TWO_PROFILES)
    status, _, err = run(capsys, "bench", str(workload), "--config", str(config))
    assert status == 2 and "bench takes one profile, not 2" in err
    config.write_text(TWO_PROFILES.partition("- schedulerName: careless")[0])
    status, out, _ = run(capsys, "bench", str(workload), "--config", str(config))
    assert (status, json.loads(out)["engine"]) == (0, "kschedlab default-scheduler (v1.37)")


def test_two_packages_that_declare_one_command_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = [EntryPoint("simulate", f"{name}.simulate", hooks.COMMANDS) for name in ("mine", "yours")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: declared)
    assert main(["simulate", "x.yaml"]) == 2
    said = "two packages declare simulate, mine.simulate and yours.simulate: uninstall one"
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_closed_output_is_not_an_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m kschedlab explain {written(tmp_path, node('n1'), pod('web'))} >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_name_alone_is_the_only_pod_of_that_name_else_the_one_in_default(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def outcome(*namespaces: str) -> tuple[int, str, str]:
        pods = (pod("web", namespace=each, cpu="1") for each in namespaces)
        return run(capsys, "explain", written(tmp_path, node("n1"), *pods), "--pod", "web")

    only = outcome("shop")
    assert only[0] == 0 and "shop/web" in only[1]
    usual = outcome("shop", "default")
    assert usual[0] == 0 and "default/web" in usual[1] and "shop/web" not in usual[1]
    several = outcome("shop", "mail")
    assert several[0] == 2 and "2 pods have the name" in several[2] and "shop/web" in several[2]
