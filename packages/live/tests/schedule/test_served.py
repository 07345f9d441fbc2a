"""The scheduler as a program of its own, on the simulation's API server over HTTP."""

from __future__ import annotations

import asyncio
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kschedlab.program.main import main
from kschedlab_live.schedule.access import Access
from kschedlab_live.schedule.service import Service, Settings
from packages.live.tests.real.plane import pod, until
from packages.live.tests.real.schedulers import Program, scheduler
from packages.live.tests.serve.served import TWO_NODES, Served, served
from tests.course import GENERATIONS

ROOT = Path(__file__).parents[4]


def create(cluster: Served, *pods: dict[str, Any]) -> None:
    for each in pods:
        cluster.http.post("/api/v1/namespaces/default/pods", json=each).raise_for_status()


def where(cluster: Served) -> dict[str, str]:
    items = cluster.http.get("/api/v1/namespaces/default/pods").json()["items"]
    return {each["metadata"]["name"]: each["spec"].get("nodeName", "") for each in items}


def news(cluster: Served, scheduler: str) -> list[str]:
    items = cluster.http.get("/apis/events.k8s.io/v1/namespaces/default/events").json()["items"]
    return [each.get("note", "") for each in items if each.get("reportingController") == scheduler]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One cluster for all; n1 is hot, which only the page's plugin minds."""
    hot = TWO_NODES.replace("hostname: n1}", 'hostname: n1, celsius: "75"}')
    with served(tmp_path_factory.mktemp("served"), hot, "--no-scheduler") as found:
        yield found


def test_each_generation_binds_and_says_why_not(cluster: Served) -> None:
    names = {generation: f"like-{generation.replace('.', '-')}" for generation in GENERATIONS}
    create(cluster, pod("foreign", scheduler="another"))
    create(cluster, *(pod(f"web-{name}", scheduler=name) for name in names.values()))
    create(cluster, *(pod(f"big-{name}", cpu="100", scheduler=name) for name in names.values()))
    with ExitStack() as stack:
        programs = [
            stack.enter_context(scheduler(cluster.path, "--generation", each, "--scheduler-name", name, "--port", "0"))
            for each, name in names.items()
        ]
        until(lambda: all(where(cluster)[f"web-{name}"] for name in names.values()))
        for name in names.values():
            until(lambda name=name: any("2 Insufficient cpu" in note for note in news(cluster, name)))
        check_health(programs[0].url)
        assert all(program.says("synchronized: 2 nodes") for program in programs)
    found, secret = where(cluster), cluster.url.rpartition("/")[2]
    assert not any(found[f"big-{name}"] for name in names.values()) and not found["foreign"]
    assert len(secret) > 20 and not any(program.says(secret) for program in programs)
    for name in names.values():
        lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{name}"
        assert cluster.http.get(lease).json()["spec"]["holderIdentity"] == ""


def check_health(url: str) -> None:
    """It answers to addresses, not to names that may lead anywhere."""
    with urllib.request.urlopen(f"{url}/readyz") as answer:
        assert answer.read() == b"ok"
    rebound = urllib.request.Request(f"{url}/metrics", headers={"Host": "evil.example.com"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(rebound)


def test_the_plugin_of_the_page(cluster: Served, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"<!-- plugin -->\n```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    with scheduler(cluster.path, "--plugin", "mine:cold", "--plugin", "mine:pack", cwd=tmp_path):
        create(cluster, pod("one", cpu="3"), pod("two", cpu="3"))
        until(lambda: sorted(where(cluster)[name] for name in ("one", "two")) == ["", "n2"])
        expected = "1 Insufficient cpu, 1 node(s) were too hot"
        until(lambda: any(expected in note for note in news(cluster, "kschedlab")))


@pytest.mark.parametrize(("lease", "taken"), [("", False), ("kept", False), ("lost", True)])
def test_a_service_ends_when_it_is_told_to_or_has_lost_its_lease(cluster: Served, lease: str, taken: bool) -> None:
    said: list[str] = []
    path = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{lease}"
    name = f"own-{lease or 'free'}"

    async def life() -> int:
        named = ("kube-system", lease) if lease else None
        settings = Settings(GENERATIONS["v1.37"], name=name, lease=named, verbose=taken)
        service, stop = Service(Access(cluster.url, "here"), settings, said.append), asyncio.Event()
        running = asyncio.create_task(service.run(stop))
        create(cluster, pod(name, scheduler=name))
        await asyncio.to_thread(until, lambda: where(cluster)[name])
        assert service.fault == "" and not running.done()
        if taken:
            own = cluster.http.get(path).json()
            cluster.http.put(path, json=own | {"spec": own["spec"] | {"holderIdentity": "another"}}).raise_for_status()
        else:
            stop.set()
        return await asyncio.wait_for(running, 20)

    assert asyncio.run(life()) == taken
    assert said[0].startswith(f"schedules pods of schedulerName {name} in here") and said[-1] == "stopped"
    assert (f"the lease kube-system/{lease} is lost: another holds it" in said) == taken
    assert any(f"Normal Scheduled Pod default/{name}: " in line for line in said) == taken, "verbose"
    if lease:
        assert cluster.http.get(path).json()["spec"]["holderIdentity"] == ("another" if taken else "")


def test_a_port_that_is_taken_is_an_error_with_words(cluster: Served) -> None:
    taken = str(cluster.http.base_url.port)
    program = Program(cluster.path, "--port", taken)
    assert program.wait() == 2
    assert program.says(f"cannot listen on 127.0.0.1:{taken}") and not program.says("Traceback")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--kubeconfig", "missing"], "missing: there is no such file"),
        (["--kubeconfig", "nothing.yaml"], "kubectl: current-context must exist"),
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
