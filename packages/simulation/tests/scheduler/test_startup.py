"""Start-up as the overview document lists it, and the HTTP server."""

import socket
import threading
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
import simpy

from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import ManifestError
from kschedlab_simulation.log import Log, Recorded, Step
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.http import HttpServer
from kschedlab_simulation.scheduler.startup import StartUp
from kschedlab_simulation.server.api import ApiServer
from packages.simulation.tests.plane import NOON, SECOND, documents
from tests.course import GENERATIONS

V1_37 = GENERATIONS["v1.37"]


def plane(*manifests: Manifest) -> tuple[simpy.Environment, ApiServer, Log]:
    env, log = simpy.Environment(initial_time=NOON), Log()
    api = ApiServer(env, log)
    for document in documents(*manifests):
        api.restore(document)
    return env, api, log


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def steps(log: Log) -> list[str]:
    return [entry.step for entry in log if isinstance(entry, Step) and not entry.pod]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_steps_of_the_document_in_order(generation: str) -> None:
    env, log = simpy.Environment(initial_time=NOON), Log()
    api = ApiServer(env, log, GENERATIONS[generation].api)
    start = StartUp(env, api, GENERATIONS[generation], log, latencies=Latencies(watch=50_000))
    assert steps(log) == ["load configuration", "load algorithms", "create scheduler"]
    start.start()
    assert steps(log)[3:] == ["start event broadcaster", "start informers"]
    assert not start.scheduler.running
    env.run(until=NOON + SECOND)
    assert steps(log)[5:] == ["informers synced", "leader election", "run"]
    at = {entry.step: entry.at - NOON for entry in log if isinstance(entry, Step)}
    assert at["start informers"] == 0 and at["informers synced"] == at["run"] == 50_000


def test_nothing_is_scheduled_before_the_informers_have_synced() -> None:
    env, api, log = plane(node("n1"), pod("web"))
    StartUp(env, api, V1_37, log, latencies=Latencies(watch=2 * SECOND)).start()
    env.run(until=NOON + SECOND)
    assert "pop" not in [entry.step for entry in log if isinstance(entry, Step)]
    env.run(until=NOON + 5 * SECOND)
    assert [one.spec.nodeName for one in api.list(Pod)[0]] == ["n1"]


def test_a_configuration_file_changes_the_scheduler(tmp_path: Path) -> None:
    text = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: mine
  plugins:
    filter: {disabled: [{name: "*"}]}
    preFilter: {disabled: [{name: "*"}]}
- schedulerName: other
"""
    (tmp_path / "config.yaml").write_text(text)
    env, api, log = plane(node("n1", allocatable={"cpu": "1", "pods": "9"}))
    start = StartUp(env, api, V1_37, log, configuration=str(tmp_path / "config.yaml"))
    start.start()
    big = {"cpu": "7"}
    for name, scheduler in (("a", "mine"), ("b", "other"), ("c", "default-scheduler")):
        api.create(documents(pod(name, requests=big, schedulerName=scheduler))[0])
    env.run(until=NOON + 5 * SECOND)
    where = {one.metadata.name: one.spec.nodeName for one in api.list(Pod)[0]}
    assert where == {"a": "n1", "b": "", "c": ""}
    details = [entry.detail for entry in log if isinstance(entry, Step) and entry.step == "load algorithms"]
    assert [detail.split(":")[0] for detail in details] == ["mine", "other"]


def test_an_invalid_configuration_starts_nothing() -> None:
    env, api, log = plane()
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: 3\n"
    with pytest.raises(ManifestError, match="3"):
        StartUp(env, api, V1_37, log, configuration=text)
    assert len(log) == 0


def test_sinks_receive_every_event() -> None:
    env, api, log = plane(node("n1"))
    heard: list[Recorded] = []
    StartUp(env, api, V1_37, log, sinks=[heard.append]).start()
    api.create(documents(pod("web"))[0])
    env.run(until=NOON + SECOND)
    assert [(event.key, event.reason) for event in heard] == [("default/web", "Scheduled")]
    assert heard == [entry for entry in log if isinstance(entry, Recorded)]


def test_the_http_server_serves_health_and_metrics() -> None:
    env, api, log = plane(node("n1"))
    with StartUp(env, api, V1_37, log, port=0) as start:
        start.start()
        assert start.http is not None
        url = start.http.url
        assert get(f"{url}/healthz") == (200, "ok") == get(f"{url}/livez")
        assert get(f"{url}/readyz")[0] == 500
        api.create(documents(pod("web"))[0])
        env.run(until=NOON + SECOND)
        assert get(f"{url}/readyz") == (200, "ok")
        assert get(f"{url}/nowhere")[0] == 404
        code, text = get(f"{url}/metrics")
        assert code == 200
        scheduled = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1.0'
        assert scheduled in text.splitlines()
        assert "start HTTP server" in steps(log)
    with pytest.raises(urllib.error.URLError):
        get(f"{url}/healthz")


@pytest.mark.parametrize(
    "host", ["example.com", "rebound.example:{port}", "127.0.0.1.example:{port}", "localhost:1", "[::1]"]
)
def test_the_http_server_answers_no_other_name(host: str) -> None:
    """A web page could give its own name this machine's address, and read the answers."""
    with HttpServer(lambda: b"secret 1\n", lambda: True) as server:
        answer = asked(server, f"GET /metrics HTTP/1.1\r\nHost: {host.format(port=server.port)}\r\n\r\n")
        assert answer.startswith(b"HTTP/1.0 403 ") and answer.endswith(f"ask {server.url}\n".encode())
        for own in ("localhost", f"LOCALHOST:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port}"):
            answer = asked(server, f"GET /metrics HTTP/1.1\r\nHost: {own}\r\n\r\n")
            assert answer.startswith(b"HTTP/1.0 200 ") and answer.endswith(b"secret 1\n")
            headers = answer.decode().split("\r\n")
            assert {"Content-Type: text/plain; version=0.0.4; charset=utf-8", "Content-Length: 9"} <= {*headers}
        assert asked(server, "GET /healthz HTTP/1.0\r\n\r\n").endswith(b"ok")


def test_a_server_on_every_address_answers_addresses_and_no_names() -> None:
    with HttpServer(lambda: b"metrics 1\n", lambda: True, address="0.0.0.0") as server:  # noqa: S104 - of this test
        hosts = (
            "192.0.2.7",
            f"192.0.2.7:{server.port}",
            f"[2001:db8::7]:{server.port}",
            "[2001:db8::7]",
            "web.example",
        )
        codes = [asked(server, f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n")[9:12] for host in hosts]
    assert codes == [b"200", b"200", b"200", b"200", b"403"]


def test_the_http_server_says_what_is_wrong() -> None:
    with HttpServer(lambda: b"", lambda: True, fault=lambda: "the lease is lost") as server:
        for path in ("healthz", "livez"):
            answer = asked(server, f"GET /{path} HTTP/1.0\r\n\r\n")
            assert answer.startswith(b"HTTP/1.0 500 ") and answer.endswith(b"the lease is lost\n")


def test_the_http_server_does_not_wait_for_a_silent_client(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kschedlab_simulation.scheduler.http.PATIENCE", 0.05)
    with HttpServer(lambda: b"", lambda: True) as server:
        for text in ("", "GET /metrics HTTP/1.1\r\n", "GET " + "x" * 70_000, "\0\r\n\r\n", "POST / HTTP/1.1\r\n\r\n"):
            answer = asked(server, text)
            assert answer == b"" or b" 4" in answer or b" 5" in answer
        assert get(f"{server.url}/healthz") == (200, "ok")
    assert capfd.readouterr() == ("", "")


def asked(server: HttpServer, text: str) -> bytes:
    """All that the server answers before it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(text.encode())
        parts = []
        with suppress(ConnectionError):
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)


def test_the_http_server_leaves_no_thread_behind() -> None:
    before = {*threading.enumerate()}
    server = HttpServer(lambda: b"", lambda: True)
    get(f"{server.url}/metrics")
    server.close()
    server.close()
    left = {*threading.enumerate()} - before
    for thread in left:
        thread.join(timeout=60)  # a busy machine ends one a moment later
    assert not any(thread.is_alive() for thread in left)


def test_a_port_in_use_is_an_error() -> None:
    with HttpServer(lambda: b"", lambda: True) as server, pytest.raises(OSError, match="in use"):
        HttpServer(lambda: b"", lambda: True, server.port)
