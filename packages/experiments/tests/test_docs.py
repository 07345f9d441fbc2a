"""What docs/experiments.md shows: its Python and its commands run, with few seeds; its tables name what there is."""

import re
import shlex
import sys
from pathlib import Path

import pytest

import kschedlab_experiments
from kschedlab.build import as_yaml, node, pod
from kschedlab.program.main import main
from kschedlab_experiments.experiment import PACKING
from kschedlab_experiments.measures import BY_RESOURCE, MEASURES

PAGE = (Path(__file__).parents[3] / "docs" / "experiments.md").read_text(encoding="utf-8")
SMALLER = {"seeds=range(20)": "seeds=range(2)", "ProcessPoolExecutor(4": "ProcessPoolExecutor(1"}
PLUGIN = """
from kschedlab.plugins import node_score

@node_score("Pack")
def pack(pod, node):
    return 100 if node.pods else 0
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that the page names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("mine", None)
    nodes = [node(name, labels={"kubernetes.io/hostname": name}) for name in "ab"]
    old = pod("old", on="a", cpu=1)
    old["metadata"]["creationTimestamp"] = "2026-05-01T08:00:00Z"
    files = {
        "mine.py": PLUGIN,
        "scenario.yaml": as_yaml([*nodes, pod("web"), pod("job")]),
        "a.yaml": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
        "b.yaml": PACKING,
        "now.yaml": as_yaml(nodes),
        "larger.yaml": as_yaml([node("large", cpu=64)]),
        "must-gather.local.1/nodes.yaml": as_yaml(nodes),
        "must-gather.local.1/pods.yaml": as_yaml([old]),
    }
    (tmp_path / "must-gather.local.1").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    yield tmp_path
    sys.modules.pop("mine", None)


def test_the_python_runs(folder, capsys):
    names = {}
    for text in blocks("python"):
        for shown, small in SMALLER.items():
            text = text.replace(shown, small)
        exec(compile(text, "docs/experiments.md", "exec"), names)
    assert "packing" in capsys.readouterr().out
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 1 + 2 * 2, "a head, and a line for each run"
    assert (folder / "runs.csv").stat().st_size


def test_the_commands_run(folder, capsys):
    commands = [shlex.split(line, comments=True) for text in blocks("sh") for line in text.splitlines()]
    assert len(commands) > 4
    for program, *arguments in commands:
        fewer = ["--jobs", "1"] if "--jobs" in arguments else []
        assert program == "kschedlab" and main([*arguments, "--seeds", "1-2", *fewer]) == 0, arguments
        assert "2 seeds" in capsys.readouterr().out
    assert all((folder / f"runs.{kind}").stat().st_size for kind in ("csv", "parquet", "jsonl"))


def test_the_tables_name_what_there_is():
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    names = {name for row in rows for name in re.findall("`(.*?)`", row)}
    calls = {name for name in names if "(" in name}
    assert len(calls) > 5 and all(hasattr(kschedlab_experiments, name.split("(")[0]) for name in calls)
    assert {name.split("/")[0] for name in names - calls} == {*MEASURES, *BY_RESOURCE}
