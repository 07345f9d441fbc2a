"""Our scheduler and the real kube-scheduler, one after the other, on one real API server: pods/s and processor time.

    python -m benchmarks.live [NODES] [PODS] [ROUNDS]

It builds etcd, kube-apiserver and kube-scheduler v1.37 from their Go modules (packages/live/tests/real/binaries.py).
The pods are there before the scheduler starts; the first and the last binding are taken from a watch.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from packages.live.tests.real.binaries import binary
from packages.live.tests.real.plane import TOKEN, Plane, node, path_for, pod, running

OURS, REAL = "kschedlab", "default-scheduler"


def main(nodes: int = 1_000, pods: int = 2_000, rounds: int = 2) -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as plane:
        trust = str(Path(folder) / "certs" / "apiserver.crt")
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(
            base_url=f"https://127.0.0.1:{plane.port}", verify=trust, headers=headers, timeout=120
        ) as http:
            _each(lambda i: _post(http, node(f"node-{i:04d}", zone=f"z{i % 3}")), nodes)
            print(f"{nodes} nodes, {pods} pods; load {os.getloadavg()[0]:.1f}", flush=True)
            for number in range(rounds):
                for name in (OURS, REAL):
                    print(f"{number + 1}. {name}: {_round(plane, http, name, pods, Path(folder))}", flush=True)


def _round(plane: Plane, http: httpx.Client, scheduler: str, count: int, folder: Path) -> str:
    _each(lambda i: _post(http, pod(f"{scheduler}-{i:04d}", scheduler=scheduler)), count)
    listed = http.get("/api/v1/pods").json()["metadata"]["resourceVersion"]
    program = subprocess.Popen(_command(plane, scheduler, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times = _bindings(http, listed, count)
    time.sleep(3)  # events that wait
    program.terminate()
    _, _, used = os.wait4(program.pid, 0)
    program.returncode = 0
    http.delete("/api/v1/namespaces/default/pods?gracePeriodSeconds=0")
    span = times[-1] - times[0]
    return (
        f"{len(times)} pods in {span:.1f} s, {len(times) / span:.0f} pods/s; {used.ru_utime + used.ru_stime:.1f} s of "
        f"processor time from start to stop, {used.ru_maxrss / 1024:.0f} MB; load {os.getloadavg()[0]:.1f}"
    )


def _command(plane: Plane, scheduler: str, folder: Path) -> list[str]:
    access = str(plane.kubeconfig)
    if scheduler == OURS:
        return [sys.executable, "-m", "kschedlab", "schedule", "--kubeconfig", access, "--no-lease"]
    configuration = folder / "scheduler.json"
    client = {"kubeconfig": access, "qps": 5000, "burst": 10000}
    settings = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": client,
    }
    configuration.write_text(json.dumps(settings), encoding="utf-8")
    own = ["--bind-address=127.0.0.1", "--secure-port=0", f"--authentication-kubeconfig={access}"]
    return [str(binary("kube-scheduler")), f"--config={configuration}", f"--authorization-kubeconfig={access}", *own]


def _bindings(http: httpx.Client, version: str, count: int) -> list[float]:
    """When each pod was bound."""
    bound, times = set(), []
    with http.stream("GET", f"/api/v1/pods?watch=1&resourceVersion={version}", timeout=600) as answer:
        for line in answer.iter_lines():
            if '"nodeName":"' not in line:
                continue
            name = json.loads(line)["object"]["metadata"]["name"]
            if name not in bound:
                bound.add(name)
                times.append(time.monotonic())
            if len(bound) == count:
                break
    return times


def _post(http: httpx.Client, obj: dict[str, Any]) -> None:
    http.post(path_for(obj), json=obj).raise_for_status()


def _each(act: Callable[[int], None], count: int) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(act, range(count)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
