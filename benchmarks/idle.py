"""What an idle ``kschedlab serve`` costs: processor time while no client asks and nothing happens.

python -m benchmarks.idle [SECONDS]        180 by default; on Linux, which counts in /proc

Two nodes and a Deployment whose pods run. The time is counted from a second after the server is ready. Exit status 1 if
it is more than a second in ten minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NODE = """
apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}
status: {{allocatable: {{cpu: "4", memory: 8Gi, pods: "20"}}, conditions: [{{type: Ready, status: "True"}}]}}
---
"""
CLUSTER = (
    NODE.format(name="n1")
    + NODE.format(name="n2")
    + """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx, resources: {requests: {cpu: 100m}}}]}
---
simulation: {kubelet: {stop: 1s}}
"""
)


def processor_seconds(process: int) -> float:
    """The processor time of a process so far, of user and system."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle(seconds: float) -> float:
    """The processor time of so many seconds of an idle server."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cluster.yaml")
        file.write_text(CLUSTER, encoding="utf-8")
        command = [sys.executable, "-m", "kschedlab", "serve", str(file), "--kubeconfig", str(Path(folder, "config"))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                if not server.stdout.readline():
                    sys.exit("the server has not started")
                time.sleep(1)
                before = processor_seconds(server.pid)
                time.sleep(seconds)
                return processor_seconds(server.pid) - before
            finally:
                server.terminate()


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    used = idle(seconds)
    print(f"{seconds:g} s idle: {used:.2f} s of processor, {used / seconds * 600:.2f} s in 10 minutes")
    sys.exit(used > seconds / 600)
