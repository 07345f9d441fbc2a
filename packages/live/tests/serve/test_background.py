"""A served cluster in a thread of this process."""

import threading
from pathlib import Path

import httpx
import pytest

from kschedlab_live.serve.background import Background
from kschedlab_live.serve.kubeconfig import KubeconfigError, read
from kschedlab_live.serve.server import Server, Serving
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.live.tests.serve.served import TWO_NODES


def server(path: Path, port: int = 0) -> Server:
    return Server(loads_scenario(TWO_NODES), Serving(path, port))


def test_it_answers_until_it_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    background = Background(server(path))
    url = read(path)
    assert background.alive and background.named()
    assert [each["metadata"]["name"] for each in httpx.get(f"{url}/api/v1/nodes").json()["items"]] == ["n1", "n2"]
    background.pause(True)
    while not httpx.get(f"{url}/kschedlab/clock").json()["paused"]:
        pass
    background.pause(False)
    while httpx.get(f"{url}/kschedlab/clock").json()["paused"]:
        pass
    background.stop()
    assert not background.alive and not path.exists() and not background.named()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)
    background.pause(True)  # says nothing: there is no cluster any more
    background.stop()


def test_an_initial_object_keeps_what_the_model_lacks(tmp_path: Path) -> None:
    web = """---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: "nginx:1", env: [{name: A, value: "1"}]}]}
"""
    background = Background(Server(loads_scenario(TWO_NODES + web), Serving(tmp_path / "kubeconfig")))
    shown = httpx.get(f"{read(tmp_path / 'kubeconfig')}/api/v1/namespaces/default/pods/web").json()
    assert shown["spec"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]
    background.stop()


def test_the_newer_of_two_has_the_kubeconfig(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    first, second = Background(server(path)), Background(server(path))
    assert (first.named(), second.named()) == (False, True)
    first.stop()
    assert path.exists(), "it is not the first one's any more"
    second.stop()
    assert not path.exists()


def test_what_prevents_it_is_raised_where_it_is_started(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("apiVersion: v1\nkind: Config\n")
    with pytest.raises(KubeconfigError, match="is not a kubeconfig of kschedlab serve, and stays"):
        Background(server(path))
    background = Background(server(tmp_path / "other"))
    with pytest.raises(OSError, match="in use"):
        Background(server(tmp_path / "third", background.port))
    background.stop()
    assert [each for each in threading.enumerate() if each.name == "kschedlab serve"] == []
