"""A real etcd and kube-apiserver on this machine, and kubelets that only say that their pods run."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from packages.live.tests.real.binaries import binary

TOKEN = "a-token-of-the-tests"
READY = 60.0
"""Seconds that a program may take to start."""

Json = dict[str, Any]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def until(true: Callable[[], Any], seconds: float = READY, what: str = "it") -> Any:
    """Ask again and again until the answer is true; the test fails when that takes too long."""
    end = time.monotonic() + seconds
    while not (answer := true()):
        assert time.monotonic() < end, f"{what} did not happen in {seconds:g} s"
        threading.Event().wait(0.05)
    return answer


class Plane:
    """etcd and kube-apiserver in a folder. ``kubeconfig``: for an administrator, with the server's certificate."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._etcd_port, peer, self.port = free_port(), free_port(), free_port()
        self._programs: dict[str, subprocess.Popen[bytes]] = {}
        url = f"http://127.0.0.1:{self._etcd_port}"
        self._etcd = [
            *(str(binary("etcd")), "--data-dir", str(folder / "etcd"), "--unsafe-no-fsync"),
            *("--listen-client-urls", url, "--advertise-client-urls", url),
            *("--listen-peer-urls", f"http://127.0.0.1:{peer}"),
            *("--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}"),
            *("--initial-cluster", f"default=http://127.0.0.1:{peer}"),
        ]
        key, public = folder / "sa.key", folder / "sa.pub"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
        (folder / "tokens.csv").write_text(f"{TOKEN},admin,admin,system:masters\n", encoding="utf-8")
        self._server = [
            *(str(binary("kube-apiserver")), f"--etcd-servers={url}", f"--secure-port={self.port}"),
            *("--bind-address=127.0.0.1", "--advertise-address=10.0.0.1", "--endpoint-reconciler-type=none"),
            *("--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC"),
            *(f"--token-auth-file={folder / 'tokens.csv'}", f"--cert-dir={folder / 'certs'}"),
            *("--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={public}"),
            *(f"--service-account-signing-key-file={key}", "--anonymous-auth=false"),
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            *("--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000"),
        ]
        self.kubeconfig = folder / "kubeconfig"

    # -- programs

    def start(self) -> None:
        self._start("etcd", self._etcd)
        until(self._etcd_answers, what="etcd")
        self.start_server()

    def start_server(self) -> None:
        """Start the API server (again)."""
        self._start("kube-apiserver", self._server)
        until((self._folder / "certs" / "apiserver.crt").exists, what="the API server's certificate")
        self.kubeconfig.write_text(json.dumps(self.access(TOKEN)), encoding="utf-8")
        until(self._server_answers, what="the API server")

    def stop_server(self) -> None:
        self._stop("kube-apiserver")

    def stop(self) -> None:
        for name in list(self._programs)[::-1]:
            self._stop(name)

    def _start(self, name: str, command: list[str]) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._programs[name] = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)

    def _stop(self, name: str) -> None:
        program = self._programs.pop(name)
        program.terminate()
        try:
            program.wait(20)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

    def _etcd_answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._etcd_port}/health", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def _server_answers(self) -> bool:
        assert self._programs["kube-apiserver"].poll() is None, "the API server ended: see kube-apiserver.log"
        try:
            return self.call("GET", "/readyz")[0] == 200 and self.call("GET", "/api/v1/namespaces/default")[0] == 200
        except OSError:
            return False

    # -- requests

    def access(self, token: str) -> Json:
        """A kubeconfig with this token."""
        authority = str(self._folder / "certs" / "apiserver.crt")
        server = f"https://127.0.0.1:{self.port}"
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "real", "cluster": {"server": server, "certificate-authority": authority}}],
            "users": [{"name": "me", "user": {"token": token}}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "me"}}],
            "current-context": "real",
        }

    def call(self, method: str, path: str, body: Any = None, content: str = "application/json") -> tuple[int, Any]:
        """(the status, the JSON or text of the answer)."""
        trust = ssl.create_default_context(cafile=str(self._folder / "certs" / "apiserver.crt"))
        request = urllib.request.Request(
            f"https://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {TOKEN}", "Content-Type": content},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, context=trust, timeout=30) as answer:
                return answer.status, _value(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, _value(error.read())

    def create(self, *objects: Json) -> list[Any]:
        """Create objects of the groups core, apps, scheduling, storage and so on; the answers."""
        answers = []
        for each in objects:
            status, answer = self.call("POST", path_for(each), each)
            assert status == 201, answer
            answers.append(answer)
        return answers

    def pods(self) -> list[Any]:
        found: list[Any] = self.call("GET", "/api/v1/pods")[1]["items"]
        return found

    def bound(self, prefix: str = "") -> dict[str, str]:
        """The node of each bound pod, by the pod's name."""
        pods = (each for each in self.pods() if each["metadata"]["name"].startswith(prefix))
        return {each["metadata"]["name"]: each["spec"]["nodeName"] for each in pods if each["spec"].get("nodeName")}


def _value(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")


def path_for(obj: Json) -> str:
    """Where to create the object."""
    version, kind = obj["apiVersion"], obj["kind"].lower()
    plural = {"priorityclass": "priorityclasses", "deviceclass": "deviceclasses", "storageclass": "storageclasses"}
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    namespace = obj["metadata"].get("namespace")
    return f"{root}/namespaces/{namespace}/{kind}s" if namespace else f"{root}/{plural.get(kind, kind + 's')}"


def node(name: str, cpu: str = "16", **labels: str) -> Json:
    has = {"cpu": cpu, "memory": "64Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {"allocatable": has, "capacity": has, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def pod(name: str, cpu: str = "100m", scheduler: str = "kschedlab", **spec: Any) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "128Mi"}}}
    own = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [container]}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": own | spec}


class Kubelets:
    """Say of each bound pod that it runs; remember every node that a pod was ever seen on, by uid."""

    def __init__(self, plane: Plane) -> None:
        self.seen: dict[str, set[str]] = {}
        self._plane = plane
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Kubelets:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._end.wait(0.2):
            try:
                for each in self._plane.pods():
                    self._look_at(each)
            except (OSError, KeyError, TypeError):  # the server is away
                continue

    def _look_at(self, each: Json) -> None:
        on = each["spec"].get("nodeName")
        if not on:
            return
        self.seen.setdefault(each["metadata"]["uid"], set()).add(on)
        if each["status"].get("phase") == "Pending":
            path = f"/api/v1/namespaces/default/pods/{each['metadata']['name']}/status"
            self._plane.call("PATCH", path, {"status": {"phase": "Running"}}, "application/merge-patch+json")


@contextmanager
def running(folder: Path) -> Iterator[Plane]:
    """A plane that runs until the end of the block."""
    plane = Plane(folder)
    try:
        plane.start()
        yield plane
    finally:
        plane.stop()
