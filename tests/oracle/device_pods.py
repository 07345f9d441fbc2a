"""Random scenarios for the whole scheduler: a pod with claims for devices. Prints them as JSON lines for oracle_1_37.

python -m tests.oracle.device_pods --count 500 --seed 1 [--gates]
"""

import argparse
import json
import random
from typing import Any

from tests.oracle.devices import scenario, settings

Manifest = dict[str, Any]
CREATED = "2024-01-01T00:00:00Z"


def _pod(name: str, cpu: int, priority: int, **spec: Any) -> Manifest:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": f"{cpu}m"}}}
    metadata = {"name": name, "namespace": "default", "uid": f"u-{name}", "creationTimestamp": CREATED}
    spec = {"priority": priority, "containers": [container], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}


def asked_for(rng: random.Random, name: str, gates: bool) -> Manifest:
    """A random scenario; ``gates``: with lists and compatibility groups, as devices.py."""
    made = {"id": name, "objects": pod_scenario(rng, gates), "pod": "default/p"}
    return made | (settings(rng) if gates else {})


def pod_scenario(rng: random.Random, gates: bool = False) -> list[Manifest]:
    """The objects of a random cluster with devices, with the pod default/p, which has all claims without allocation."""
    objects = scenario(rng, gates)
    waiting, running = [], []
    for each in objects:
        if each["kind"] == "Node":
            room = {"cpu": str(rng.choice((2, 4, 8))), "memory": "16Gi", "pods": "20"}
            each["status"] = {"allocatable": room, "capacity": room}
            for i in range(rng.randint(0, 2)):
                name = f"run-{each['metadata']['name']}-{i}"
                pod = _pod(name, rng.randint(1, 20) * 100, rng.choice((0, 10)), nodeName=each["metadata"]["name"])
                start = f"2024-01-0{rng.randint(1, 9)}T00:00:{len(running):02}Z"
                running.append(pod | {"status": {"phase": "Running", "startTime": start}})
        if each["kind"] == "ResourceClaim":
            each["metadata"]["resourceVersion"] = "1"
            if "status" not in each:
                waiting.append(each["metadata"]["name"])
            elif rng.random() < 0.8:
                each["status"]["reservedFor"] = [{"resource": "pods", "name": "other", "uid": "u-other"}]
    claims = [{"name": f"x-{name}", "resourceClaimName": name} for name in waiting]
    pod = _pod("p", rng.randint(1, 12) * 100, rng.choice((0, 100)), resourceClaims=claims)
    pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": each["name"]} for each in claims]
    return [*objects, *running, pod]


def main() -> None:
    """Print scenarios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gates", action="store_true")
    options = parser.parse_args()
    kind = "gates" if options.gates else "devices"
    for i in range(options.count):
        line = asked_for(random.Random(f"{options.seed}/{i}"), f"{kind}-{options.seed}-{i}", options.gates)
        print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    main()
