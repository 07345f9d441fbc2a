"""Compares the subresource resize with that of v1.37's API server, on random pods.

    python -m tests.oracle.resizing PROGRAM --count 5000 --seed 1

PROGRAM: see tests/oracle/validation.py. What it compares: every error about the resize, the admission plugins' words,
the resources of a pod that is resized. Of faults that any pod can have, only that there are some.
"""

import argparse
import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kschedlab.manifests.decoding import decode
from kschedlab.manifests.defaults import with_defaults
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.server.resizing import check_node, resized
from kschedlab_simulation.status import ApiError

Manifest = dict[str, Any]
AMOUNTS = {
    "cpu": ["100m", "1", "1500m", "8"],
    "memory": ["64Mi", "1Gi", "32Gi"],
    "ephemeral-storage": ["1Gi", "2Gi"],
    "example.com/gpu": ["1", "2"],
    "hugepages-2Mi": ["2Mi", "4Mi"],
}


def random_case(rng: random.Random) -> Manifest:
    """A pod, its update, and its node: {"old": ..., "new": ..., "node": ...}."""
    old = _pod(rng)
    new = json.loads(json.dumps(old))
    _change(rng, new["spec"])
    node = None
    if rng.random() < 0.9:
        features = ["InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"]
        labels = {"kubernetes.io/os": rng.choice(["linux", "linux", "windows"])} if rng.random() < 0.3 else {}
        status = {"declaredFeatures": [each for each in features if rng.random() < 0.7]}
        status["allocatable"] = {"cpu": rng.choice(["2", "16"]), "memory": rng.choice(["4Gi", "64Gi"])}
        node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "labels": labels}, "status": status}
    return {"old": old, "new": new, "node": node}


def _pod(rng: random.Random) -> Manifest:
    names = ["a", "b"][: rng.choice([1, 1, 2])]
    spec: Manifest = {"containers": [{"name": name, "image": "i", "resources": _resources(rng)} for name in names]}
    if rng.random() < 0.4:
        spec["initContainers"] = [{"name": "x", "image": "i", "resources": _resources(rng)}]
        if rng.random() < 0.5:
            spec["initContainers"][0]["restartPolicy"] = "Always"
    if rng.random() < 0.3:
        spec["resources"] = _resources(rng, ["cpu", "memory", "hugepages-2Mi"])
    if rng.random() < 0.8:
        spec["nodeName"] = "n"
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "namespace": "default", "uid": "u"}}
    pod["metadata"]["generation"] = 1
    if rng.random() < 0.05:
        pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "m"}
    if rng.random() < 0.4:
        running = {"name": "a", "image": "i", "imageID": "", "state": {"running": {}}}
        if rng.random() < 0.8:
            running["resources"] = {}
        pod["status"] = {"containerStatuses": [running]}
    return pod | {"spec": spec}


def _resources(rng: random.Random, names: list[str] | None = None) -> Manifest:
    chosen = [name for name in names or list(AMOUNTS) if rng.random() < (0.5 if name in ("cpu", "memory") else 0.15)]
    requests = {name: rng.choice(AMOUNTS[name]) for name in chosen}
    limits = {name: amount for name, amount in requests.items() if "/" in name or "huge" in name or rng.random() < 0.4}
    return {key: value for key, value in (("requests", requests), ("limits", limits)) if value}


def _change(rng: random.Random, spec: Manifest) -> None:
    lists = [spec["containers"], spec.get("initContainers") or spec["containers"]]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        container = rng.choice(rng.choice(lists))
        what = rng.random()
        if what < 0.7:
            holder = container if "resources" not in spec or rng.random() < 0.6 else spec
            part = holder.setdefault("resources", {}).setdefault(rng.choice(["requests", "limits"]), {})
            name = rng.choice(list(part) or ["cpu"]) if rng.random() < 0.8 else rng.choice(list(AMOUNTS))
            if rng.random() < 0.1:
                part.pop(name, None)
                holder["resources"] = {key: value for key, value in holder["resources"].items() if value}
            else:
                part[name] = rng.choice(AMOUNTS[name])
            if name.startswith("hugepages"):
                container["resources"] = {each: {**part} for each in ("requests", "limits")}
        elif what < 0.75:
            container["resources"] = _resources(rng)
        elif what < 0.8:
            spec["resources"] = _resources(rng, ["cpu", "memory"])
        elif what < 0.85:
            spec.pop("resources", None)
        elif what < 0.88:
            container["name"] = "other"
        elif what < 0.91:
            spec["containers"].append({"name": "more", "image": "i"})
        elif what < 0.94:
            container["image"] = "another"
        else:
            container.setdefault("resources", {})["claims"] = [{"name": "c"}]


def ours(case: Manifest) -> Manifest:
    """The package's answer."""
    old, new = (with_defaults(_typed(case[side], "Pod"), {}) for side in ("old", "new"))
    assert isinstance(old, Pod) and isinstance(new, Pod)
    node = _typed(case["node"], "Node") if case["node"] else None
    assert node is None or isinstance(node, Node)
    try:
        done = resized(old, new, {})
    except ApiError as error:
        details = error.status.details
        causes = details.causes if details is not None else ()
        return {"errors": _about_resizing((each.field, each.message) for each in causes)}
    try:
        check_node(old, done, node)
    except ApiError as error:
        return {"forbidden": str(error)}
    return {"spec": _amounts(json.loads(_json(done.spec)))}


def theirs(answer: Manifest) -> Manifest:
    """The API server's answer in the same form."""
    if "errors" in answer:
        return {"errors": _about_resizing((each["field"], each["detail"]) for each in answer["errors"])}
    if "spec" in answer:
        return {"spec": _amounts(answer["spec"])}
    return answer


def _about_resizing(errors: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    words = "resiz", "are mutable", "cannot be removed"
    return sorted({(field, detail) for field, detail in errors if any(word in detail for word in words)})


def _amounts(spec: Manifest) -> list[Any]:
    every = [spec, *spec.get("initContainers", ()), *spec["containers"]]
    found = []
    for each in every:
        resources = each.get("resources") or {}
        found.append(
            {
                part: {name: Quantity(amount).nanos for name, amount in resources[part].items()}
                for part in ("requests", "limits")
                if resources.get(part)
            }
        )
    return found


def _typed(manifest: Manifest, kind: str) -> Any:
    document, faults = decode(manifest, kind)
    assert not faults, faults
    return document


def _json(spec: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(spec, enc_hook=str)


def asked(program: str, cases: list[Manifest]) -> list[Manifest]:
    """The real answers."""
    lines = "".join(json.dumps({"resize": each}) + "\n" for each in cases)
    done = subprocess.run([program], input=lines.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, help="keep the cases with their answers, for the test without Go")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    cases = [random_case(rng) for _ in range(options.count)]
    different, sorts = 0, dict[str, int]()
    answers = asked(options.program, cases)
    if options.record is not None:
        lines = [json.dumps([case, theirs(answer)]) for case, answer in zip(cases, answers, strict=True)]
        options.record.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    for case, answer in zip(cases, answers, strict=True):
        here, there = ours(case), theirs(answer)
        sorts[next(iter(there))] = sorts.get(next(iter(there)), 0) + 1
        if here != there:
            different += 1
            if different <= 8:
                print(json.dumps({**case, "here": here, "there": answer}))
    print(f"{options.count} resizes: {sorts}, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
