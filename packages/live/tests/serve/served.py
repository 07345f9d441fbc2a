"""Serves a scenario in a process of its own, as a user does, and asks it with kubectl or over HTTP."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from kschedlab_live.serve.kubeconfig import read

TWO_NODES = """
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "20"}
  capacity: {cpu: "4", memory: 8Gi, pods: "20"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "20"}
  capacity: {cpu: "4", memory: 8Gi, pods: "20"}
  conditions: [{type: Ready, status: "True"}]
---
simulation:
  kubelet: {stop: 100ms}
"""


class Served:
    """A served cluster. ``http`` speaks to it with the token."""

    def __init__(self, path: Path, process: subprocess.Popen[str], kubectl: str | None) -> None:
        self.path = path
        self.process = process
        self.url = read(path)
        self.http = httpx.Client(base_url=self.url, timeout=30)
        self._kubectl = kubectl or shutil.which("kubectl")

    def kubectl(self, *arguments: str, input: str | None = None, fails: bool = False) -> str:
        """What kubectl prints; with ``fails`` it has to fail, and what it says is returned."""
        if self._kubectl is None:
            pytest.skip("kubectl is not installed: make system installs it")
        command = [self._kubectl, *arguments]
        environment = {"KUBECONFIG": str(self.path), "HOME": str(self.path.parent), "PATH": os.environ["PATH"]}
        done = subprocess.run(command, env=environment, input=input, capture_output=True, text=True, timeout=90)
        assert (done.returncode != 0) == fails, f"{' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr if fails else done.stdout

    def json(self, *arguments: str) -> dict:
        """What kubectl prints as JSON."""
        return json.loads(self.kubectl(*arguments, "-o", "json"))


@contextmanager
def served(folder: Path, scenario: str, *options: str, kubectl: str | None = None) -> Iterator[Served]:
    """Serve a scenario until the block ends."""
    file, path = folder / "scenario.yaml", folder / "kubeconfig"
    file.write_text(scenario)
    command = [sys.executable, "-m", "kschedlab", "serve", str(file), "--kubeconfig", str(path), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        assert "answers on 127.0.0.1:" in first, process.stderr.read()
        process.stdout.readline()
        cluster = Served(path, process, kubectl)
        yield cluster
        cluster.http.close()
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors, errors
    assert not path.exists()
