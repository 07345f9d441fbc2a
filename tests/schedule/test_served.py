"""The scheduler as a program of its own, on the simulation's API server over HTTP."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from kschedlab.generations import GENERATIONS
from kschedlab.program.main import main
from tests.live.plane import pod, until
from tests.live.schedulers import Program, scheduler
from tests.serve.served import TWO_NODES, Served, served

ROOT = Path(__file__).parents[2]


def create(cluster: Served, *pods: dict[str, Any]) -> None:
    for each in pods:
        cluster.http.post("/api/v1/namespaces/default/pods", json=each).raise_for_status()


def where(cluster: Served) -> dict[str, str]:
    items = cluster.http.get("/api/v1/namespaces/default/pods").json()["items"]
    return {each["metadata"]["name"]: each["spec"].get("nodeName", "") for each in items}


def news(cluster: Served) -> list[str]:
    items = cluster.http.get("/apis/events.k8s.io/v1/namespaces/default/events").json()["items"]
    return [each.get("note", "") for each in items if each.get("reportingController") == "kschedlab"]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_generation_binds_and_says_why_not(tmp_path: Path, generation: str) -> None:
    with served(tmp_path, TWO_NODES, "--no-scheduler", "--generation", generation) as cluster:
        create(cluster, pod("web"), pod("big", cpu="100"), pod("foreign", scheduler="another"))
        with scheduler(cluster.path, "--generation", generation) as program:
            until(lambda: where(cluster)["web"])
            until(lambda: any("2 Insufficient cpu" in note for note in news(cluster)))
        secret = cluster.url.rpartition("/")[2]
        assert len(secret) > 20 and not program.says(secret)
        assert where(cluster)["big"] == where(cluster)["foreign"] == ""
        lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kschedlab"
        assert cluster.http.get(lease).json()["spec"]["holderIdentity"] == ""


def test_the_plugin_of_the_page(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"<!-- plugin -->\n```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    hot = TWO_NODES.replace("hostname: n1}", 'hostname: n1, celsius: "75"}')
    own = ("--plugin", "mine:cold", "--plugin", "mine:pack")
    with served(tmp_path, hot, "--no-scheduler") as cluster, scheduler(cluster.path, *own, cwd=tmp_path):
        create(cluster, pod("one", cpu="3"), pod("two", cpu="3"))
        until(lambda: sorted(where(cluster).values()) == ["", "n2"])
        until(lambda: any("1 Insufficient cpu, 1 node(s) were too hot" in note for note in news(cluster)))


def test_health_is_served_to_addresses_alone(tmp_path: Path) -> None:
    with served(tmp_path, TWO_NODES, "--no-scheduler") as cluster, scheduler(cluster.path, "--port", "0") as program:
        program.wait_for("leads")
        with urllib.request.urlopen(f"{program.url}/readyz") as answer:
            assert answer.read() == b"ok"
        rebound = urllib.request.Request(f"{program.url}/metrics", headers={"Host": "evil.example.com"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(rebound)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--kubeconfig", "missing"], "missing: there is no such file"),
        (["--kubeconfig", "nothing.yaml"], "nothing.yaml: has no current-context"),
        (["--kubeconfig", "nothing.yaml", "--lease", "x"], "--lease x: expected NAMESPACE/NAME"),
        (["--config", "c.yaml", "--scheduler-name", "x"], "have their own schedulerName"),
    ],
)
def test_wrong_usage_is_an_error_with_words(
    tmp_path: Path, arguments: list[str], error: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nothing.yaml").write_text("apiVersion: v1\nkind: Config\n", encoding="utf-8")
    assert main(["schedule", *arguments]) == 2
    shown = capsys.readouterr().err
    assert error in shown and "Traceback" not in shown


def test_a_port_that_is_taken_is_an_error_with_words(tmp_path: Path) -> None:
    with served(tmp_path, TWO_NODES, "--no-scheduler") as cluster:
        taken = str(cluster.http.base_url.port)
        program = Program(cluster.path, "--port", taken)
        assert program.wait() == 2
        assert program.says(f"cannot listen on 127.0.0.1:{taken}") and not program.says("Traceback")
