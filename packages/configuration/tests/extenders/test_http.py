"""Extenders over HTTP and HTTPS, with a server in this process."""

import base64
import io
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kschedlab import Decision, schedule
from kschedlab.build import Manifest, as_yaml, cluster, node, pod
from kschedlab.generations import Generation
from kschedlab.program.main import main
from kschedlab_configuration import load_configuration
from kschedlab_configuration.extenders import http
from kschedlab_configuration.extenders.extender import ExtenderError
from kschedlab_configuration.extenders.http import HttpConfig, HttpExtender
from kschedlab_configuration.fields import ExtenderTLSConfig as Tls
from tests.course import GENERATIONS
from tests.verdicts import model

DATA = Path(__file__).parent / "data"
CERTIFICATE, KEY = DATA / "certificate.pem", DATA / "key.pem"
Answer = Callable[[str, Any], Any]


class Server:
    """Answers POSTs with ``answer(path, body)``: JSON, bytes, or the status of an error. ``asked``: (path, body)."""

    def __init__(self) -> None:
        self.answer: Answer = lambda path, body: {}
        self.asked: list[tuple[str, Any]] = []
        self.release = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append((self.path, body))
                found = server.answer(self.path, body)
                self.send_response(found if isinstance(found, int) else 200)
                self.end_headers()
                if not isinstance(found, int):
                    self.wfile.write(found if isinstance(found, bytes) else json.dumps(found).encode())

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/x"

    def extender(self, **more: Any) -> HttpExtender:
        verbs = {"prioritize_verb": "rank", "preempt_verb": "preempt", "bind_verb": "bind"}
        return at(self.url, **verbs | more)


def at(url: str, **more: Any) -> HttpExtender:
    """The extender at that URL. It filters."""
    config = HttpConfig(url, "filter", "", "", "", 1, False, False, False, 0, (), Tls())
    return HttpExtender(replace(config, **more))


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    thread = threading.Thread(target=found.server.serve_forever, daemon=True)
    thread.start()
    yield found
    found.release.set()
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def decided(extender: HttpExtender, *objects: Manifest, version: str = "v1.37") -> Decision:
    return schedule("default/p", cluster(*objects), Generation.named(version).extended_by(extender))


NODES = (node("a"), node("b", labels={"gpu": "yes"}), pod("p", cpu=1))


def no_gpu(path: str, body: Any) -> Any:
    """An extender that needs whole nodes, and likes b."""
    if path == "/x/rank":
        return [{"Host": "b", "Score": 7}]
    if path == "/x/bind":
        return {}
    left = [each for each in body["Nodes"]["items"] if "gpu" in each["metadata"].get("labels", {})]
    return {"nodes": {"items": left}, "failedNodes": {"a": "no GPU"}, "error": ""}


@pytest.mark.parametrize("version", GENERATIONS)
def test_it_receives_whole_nodes(server: Server, version: str) -> None:
    server.answer = no_gpu
    decision = decided(server.extender(), *NODES, version=version)
    assert decision.node == "b" and decision.verdict("a").reasons == ("no GPU",)
    ((path, body),) = server.asked
    assert path == "/x/filter" and body["NodeNames"] is None
    assert body["Pod"]["metadata"]["name"] == "p"
    assert body["Pod"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1"}


def test_it_receives_names_if_it_has_a_cache(server: Server) -> None:
    server.answer = lambda path, body: {"NodeNames": ["b"]} if path == "/x/filter" else []
    decision = decided(server.extender(node_cache_capable=True), *NODES)
    assert decision.node == "b" and server.asked[0][1]["Nodes"] is None
    assert server.asked[0][1]["NodeNames"] == ["a", "b"]
    server.answer = lambda path, body: {"NodeNames": ["b", "c"]}
    said = decided(server.extender(node_cache_capable=True), *NODES).error
    assert said == f'extender "{server.url}" claims a filtered node "c" which is not found in the input node list'


def test_scores_are_read(server: Server) -> None:
    server.answer = lambda path, body: [{"host": "b", "score": 7}, {"Host": "z", "Score": 9}]
    scores = decided(server.extender(filter_verb="", weight=3), *NODES).scores
    assert scores is not None and scores.plugins[-1] == server.url and scores.results[-1].tolist() == [0, 210]


@pytest.mark.parametrize("capable", [False, True])
def test_victims_are_read(server: Server, capable: bool) -> None:
    def keep_b(path: str, body: Any) -> Any:
        if path != "/x/preempt":
            return {"NodeNames": body["NodeNames"], "Nodes": body["Nodes"]}
        given = body["NodeNameToMetaVictims" if capable else "NodeNameToVictims"]["b"]
        uids = [each["UID"] if capable else each["metadata"]["uid"] for each in given["Pods"]]
        victims = {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": given["NumPDBViolations"]}
        return {"NodeNameToMetaVictims": {"b": victims}}

    server.answer = keep_b
    running = [pod(f"low-{name}", name, cpu=4, priority=priority) for name, priority in (("a", 1), ("b", 2))]
    for number, each in enumerate(running):
        each["metadata"]["uid"] = f"uid-{number}"
    world = [node("a"), node("b"), *running, pod("p", cpu=2, priority=9)]
    assert schedule("default/p", cluster(*world)).nominated_node == "a"
    decision = decided(server.extender(node_cache_capable=capable, filter_verb=""), *world)
    assert decision.nominated_node == "b"
    assert decision.preemption is not None and [each.key for each in decision.preemption.victims] == ["default/low-b"]


def test_it_binds(server: Server) -> None:
    server.extender().bind(model(pod("p")), "a")
    assert server.asked == [("/x/bind", {"PodName": "p", "PodNamespace": "default", "PodUID": "", "Node": "a"})]
    server.answer = lambda path, body: {"Error": "no"}
    with pytest.raises(ExtenderError, match=r"^no$"):
        server.extender().bind(model(pod("p")), "a")


# -- failures


def said(server: Server, answer: Any, **more: Any) -> str:
    server.answer = lambda path, body: answer
    return decided(server.extender(**more), *NODES).error


def test_the_extenders_error_is_the_decisions(server: Server) -> None:
    assert said(server, {"Error": "no more licences"}) == "no more licences"


def test_a_bad_status_is_an_error(server: Server) -> None:
    assert said(server, 503) == f"failed filter with extender at URL {server.url}/filter, code 503"
    decision = decided(server.extender(), *NODES, version="v1.16")
    assert decision.error == f"Failed filter with extender at URL {server.url}/filter, code 503"
    assert decided(server.extender(ignorable=True), *NODES).node == "a"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"<html>", "the answer of URL/filter is not JSON: "),
        (b"\xff", "the answer of URL/filter is not JSON: "),
        ([1], "the extender answered [1] where an object with Error is expected"),
        ({"Error": 7}, "the extender answered Error 7 where a text is expected"),
        ({"Nodes": {"items": 7}}, "the extender answered items 7 where a list is expected"),
        ({"FailedNodes": ["a"]}, "the extender answered FailedNodes ['a'] where an object is expected"),
        ({"FailedNodes": {"a": 1}}, "the extender answered 1 where a text is expected"),
        (["a" * 99], f"the extender answered ['{'a' * 58}... where an object with Error is expected"),
    ],
)
def test_an_answer_of_another_shape_is_an_error(server: Server, answer: Any, message: str) -> None:
    assert said(server, answer).startswith(message.replace("URL", server.url))


def test_a_failure_to_score_is_ignored(server: Server) -> None:
    too_large = ([{"Host": "b", "Score": score}] for score in (1 << 63, -(1 << 63) - 1))
    for answer in ([{"Host": "b", "Score": "7"}], *too_large, {"a": 1}, 500):
        server.answer = lambda path, body, answer=answer: answer
        decision = decided(server.extender(filter_verb=""), *NODES)
        assert decision.node == "a" and decision.calls[-1].error


def test_a_long_answer_is_not_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LONGEST", 1 << 20)
    assert said(server, b" " * (3 << 20)) == f"the answer of {server.url}/filter is longer than 1 MiB"


def test_a_slow_answer_is_not_awaited(server: Server) -> None:
    def wait(path: str, body: Any) -> Any:
        server.release.wait(30)
        return {}

    server.answer = wait
    message = decided(server.extender(timeout=0.2), *NODES).error
    assert (
        message
        == f'Post "{server.url}/filter": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    )


def test_an_empty_url_is_accepted_and_every_call_fails() -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    (generation,) = load_configuration(text + "extenders: [{filterVerb: filter}]").values()
    assert schedule("default/p", cluster(*NODES), generation).error == 'Post "/filter": unsupported protocol scheme ""'


def test_nobody_answers() -> None:
    message = decided(at("http://127.0.0.1:9"), *NODES).error
    assert message == 'Post "http://127.0.0.1:9/filter": dial tcp 127.0.0.1:9: connect: connection refused'


# -- HTTPS


@pytest.fixture
def safe(server: Server) -> Server:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
    server.url = server.url.replace("http:", "https:")
    server.answer = no_gpu
    return server


def test_a_certificate_is_checked(safe: Server) -> None:
    assert "certificate verify failed" in decided(safe.extender(), *NODES).error
    data = base64.b64encode(CERTIFICATE.read_bytes()).decode()
    for more in (
        {"enable_https": True},
        {"tls": Tls(insecure=True)},
        {"tls": Tls(caFile=str(CERTIFICATE))},
        {"tls": Tls(caData=data, certData=data, keyData=base64.b64encode(KEY.read_bytes()).decode())},
        {"tls": Tls(caFile=str(CERTIFICATE), certFile=str(CERTIFICATE), keyFile=str(KEY))},
    ):
        assert decided(safe.extender(**more), *NODES).node == "b"


ENCODED = {"certData": base64.b64encode(CERTIFICATE.read_bytes()).decode()}
ENCODED |= {"caData": ENCODED["certData"], "keyData": base64.b64encode(KEY.read_bytes()).decode()}


@pytest.mark.parametrize("wrong", [{name: f"!{data}"} for name, data in ENCODED.items()])
def test_a_certificate_that_is_none_is_an_error_of_the_configuration(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="the TLS configuration of https://a/ is wrong"):
        decided(at("https://a/", tls=Tls(**ENCODED | wrong)), *NODES)


# -- from a configuration


def test_a_configuration_names_it(server: Server) -> None:
    server.answer = no_gpu
    text = f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {{urlPrefix: "{server.url}", filterVerb: filter, prioritizeVerb: rank, weight: 2, httpTimeout: 1.5s}}
"""
    configuration = load_configuration(text)
    assert configuration.warnings == ()
    assert schedule("default/p", cluster(*NODES), configuration["default-scheduler"]).node == "b"


@pytest.mark.parametrize("policy", [False, True])
def test_the_program_calls_it(
    server: Server, policy: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = no_gpu
    world, config = tmp_path / "world.yaml", tmp_path / "config.yaml"
    world.write_text(as_yaml(list(NODES)))
    extender = {"urlPrefix": server.url, "filterVerb": "filter", "bindVerb": "bind"}
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    if policy:
        kind = {"apiVersion": "v1", "kind": "Policy"}
    config.write_text(json.dumps(kind | {"extenders": [extender]}))
    chosen = ["--config", str(config), *(["--generation", "v1.16"] if policy else [])]
    assert main(["explain", str(world), *chosen]) == 2
    assert f'over the network: "{server.url}"; add --call-extenders if you trust them' in capsys.readouterr().err
    assert not server.asked
    chosen.append("--call-extenders")
    assert main(["explain", str(world), *chosen]) == 0
    said = capsys.readouterr()
    assert "default/p goes to b" in said.out and "keeps 1 of 2 nodes" in said.out and "not modelled" not in said.err
    assert main(["simulate", str(world), "--config", str(config), "--call-extenders", "--until", "5s"]) == 0
    assert [body["Node"] for path, body in server.asked if path == "/x/bind"] == ["b"]
    capsys.readouterr()
    server.asked.clear()
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(f"simulation: {{config: config.yaml, generation: {'v1.16' if policy else 'v1.37'}}}\n")
    for command in ("simulate", "serve"):
        assert main([command, str(world), str(scenario)]) == 2
        assert "add --call-extenders if you trust them" in capsys.readouterr().err and not server.asked
    assert main(["simulate", str(world), str(scenario), "--call-extenders", "--until", "5s"]) == 0 and server.asked
    capsys.readouterr()
    line = json.dumps({"objects": list(NODES), "pod": "default/p"}).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line)))
    assert main(["decide", *chosen]) == 0
    refused = json.loads(capsys.readouterr().out)["filter"]["a"]
    assert refused == {"plugin": "Extender", "code": "Unschedulable", "reasons": ["no GPU"]}


def test_every_form_shows_the_calls(server: Server) -> None:
    server.answer = no_gpu
    decision = decided(server.extender(), *NODES)
    assert f"{server.url}  filter" in str(decision) and "keeps 1 of 2 nodes" in decision._repr_html_()


@pytest.mark.parametrize(
    ("written", "seconds"),
    [({}, 5), ({"httpTimeout": "0"}, 5), ({"httpTimeout": "0s"}, 5), ({"httpTimeout": "1m30s"}, 90)]
    + [({"httpTimeout": "1h"}, 3600)],
)
def test_the_time_that_an_extender_has(written: dict[str, str], seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """v1.37: pkg/scheduler/extender.go, DefaultExtenderTimeout: 5 seconds."""
    asked = []

    class Broken(http.HTTPConnection):
        def connect(self) -> None:
            asked.append(self.timeout)
            raise OSError("no network")

    monkeypatch.setattr(http, "HTTPConnection", Broken)
    extender = {"urlPrefix": "http://127.0.0.1:8888", "filterVerb": "filter"} | written
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    profiles = load_configuration(json.dumps(config | {"extenders": [extender]}))
    decision = schedule("default/p", cluster(node("a"), node("b"), pod("p")), profiles["default-scheduler"])
    assert decision.node is None and asked == [seconds]
