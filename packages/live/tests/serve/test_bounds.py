"""A served cluster bounds bytes, and requests and watches that never end; a failing part does not end it."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from kschedlab.program.main import main
from kschedlab_live.serve import bounds
from kschedlab_live.serve.background import Background
from kschedlab_live.serve.bounds import Bounds
from kschedlab_live.serve.kinds import SERVED
from kschedlab_live.serve.kubeconfig import read
from kschedlab_live.serve.server import Server, Serving
from kschedlab_simulation.status import ApiError
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.live.tests.serve.served import TWO_NODES

CONFIG_MAPS = SERVED["v1", "configmaps"]


def server(folder: Path) -> Server:
    return Server(loads_scenario(TWO_NODES), Serving(folder / "kubeconfig"))


def config_map(name: str, size: int) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "default"}, "data": {"a": "x" * size}}


@contextmanager
def running(folder: Path) -> Iterator[tuple[Background, httpx.Client]]:
    background = Background(server(folder))
    try:
        with httpx.Client(base_url=read(folder / "kubeconfig"), timeout=30) as http:
            yield background, http
    finally:
        background.stop()


def test_changes_are_kept_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many patches of a large object: the history lets the oldest go, and so does a watch that nobody reads."""
    monkeypatch.setattr(bounds, "MOST_HISTORY", 1_000_000)
    objects = server(tmp_path).objects
    first = objects.create(CONFIG_MAPS, config_map("a", 1), "me", False)
    version = first.metadata.resourceVersion
    unread = objects.watch(CONFIG_MAPS, version, False, None, None)
    read_at_once = objects.watch(CONFIG_MAPS, version, False, None, None)
    seen = 0
    for i in range(120):
        old = objects.get(CONFIG_MAPS, "default", "a")
        objects.replace(CONFIG_MAPS, old, config_map("a", 100_000 + i), "", "me", False)
        seen += len(list(read_at_once))
    assert objects.kept.store(CONFIG_MAPS).changes < 11
    assert unread.closed and not unread.pending
    assert seen == 120 and not read_at_once.closed
    with pytest.raises(ApiError) as error:
        objects.watch(CONFIG_MAPS, version, False, None, None)
    assert error.value.code == 410


def test_objects_are_kept_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = server(tmp_path).objects
    with pytest.raises(ApiError, match="1,572,864") as error:
        objects.create(CONFIG_MAPS, config_map("a", 1_600_000), "me", False)
    assert error.value.code == 413
    monkeypatch.setattr(bounds, "MOST", 1_000_000)
    with pytest.raises(ApiError, match="delete some"):
        for i in range(20):
            objects.create(CONFIG_MAPS, config_map(f"a{i}", 100_000), "me", False)
    assert 5 < i < 10
    objects.delete(CONFIG_MAPS, objects.get(CONFIG_MAPS, "default", "a0"), {}, "me", False)
    objects.create(CONFIG_MAPS, config_map("b", 100_000), "me", False)


def test_what_is_counted_is_what_there_is(tmp_path: Path) -> None:
    plane = server(tmp_path).plane
    counted = Bounds(*plane.api.stores)
    node = plane.api.list(SERVED["v1", "nodes"].model)[0][0]  # type: ignore[type-var]
    plane.api.update(node)
    before = counted.size
    plane.api.delete(type(node), "", node.metadata.name)
    assert counted.size <= before and counted.size >= 0


def test_a_patch_that_doubles_an_object_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as (_, http):
        path = "/api/v1/namespaces/default/configmaps"
        http.post(path, json=config_map("a", 1000)).raise_for_status()
        doubling = [{"op": "copy", "from": "/data", "path": f"/data/{i}"} for i in range(40)]
        kind = {"Content-Type": "application/json-patch+json"}
        answer = http.patch(f"{path}/a", content=json.dumps(doubling), headers=kind)
        assert answer.status_code == 422 and "copy more than" in answer.json()["message"]


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"POST /x HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ],
)
def test_a_request_that_stops_in_the_middle_is_closed(
    half: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "PATIENCE", 0.2)
    with running(tmp_path) as (background, http):
        token = background.server.token.encode()
        half = half.replace(b"POST / ", b"POST /" + token + b"/api/v1/namespaces/default/pods ")
        half = half.replace(b"127.0.0.1", f"127.0.0.1:{background.port}".encode())
        with socket.create_connection(("127.0.0.1", background.port), timeout=20) as connection:
            connection.sendall(half)
            assert connection.recv(1000) == b""
        assert http.get("/api/v1/nodes").status_code == 200


def test_a_slow_client_between_its_requests_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "PATIENCE", 0.2)
    with running(tmp_path) as (_, http), http.stream("GET", "/api/v1/nodes?watch=1&timeoutSeconds=1") as watch:
        assert len(list(watch.iter_lines())) == 2


def test_a_part_that_fails_does_not_end_the_cluster(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    plane = server(tmp_path).plane
    env = plane.simulation.env
    later: list[str] = []

    def fails() -> Any:
        yield env.timeout(0)
        raise TypeError("a fault of a controller")

    def goes_on() -> Any:
        yield env.timeout(1)
        later.append("went on")

    env.process(fails())
    env.process(goes_on())
    with caplog.at_level(logging.ERROR):
        asyncio.run(plane.step(1_000_000))
    assert later == ["went on"]
    assert "a fault of a controller" in caplog.text and "in fails" in caplog.text


# -- the command


@pytest.fixture
def not_served(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., None]], None]:
    """Serving does this instead."""
    return lambda act: monkeypatch.setattr(Server, "run", act)


def test_warnings_of_the_files_are_shown(
    tmp_path: Path, not_served: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(f"{TWO_NODES}---\napiVersion: example.com/v1\nkind: Wheel\nmetadata: {{name: w}}\n")
    not_served(lambda *_: None)
    assert main(["serve", str(file), "--kubeconfig", str(tmp_path / "kubeconfig")]) == 0
    assert "Wheel" in capsys.readouterr().err


def test_a_fault_of_ours_is_not_called_one_of_a_plugin(tmp_path: Path, not_served: Callable[..., None]) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(TWO_NODES)

    def fails(*_: object) -> None:
        raise TypeError("ours")

    not_served(fails)
    with pytest.raises(TypeError, match="ours"):
        main(["serve", str(file), "--kubeconfig", str(tmp_path / "kubeconfig")])
