"""Compares the allocation of devices with that of v1.37, on random clusters: which devices, or which error, by node.

    python -m tests.oracle.devices PROGRAM --count 20000 --seed 1 [--gates] [--record FILE]

``sh tests/oracle/build.sh FOLDER allocate_1_37`` builds PROGRAM. Prints the first differences; the exit status is 1 if
there is any. ``--gates``: attributes are also lists, and counters have compatibility groups; the gates of both are on,
or off. ``--record`` keeps scenarios with their answers, for the test that needs no Go.
"""

import argparse
import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_37
from kschedlab.manifests.loading import Objects
from kschedlab.objects.api import GROUPS, LISTS
from kschedlab.objects.model import ResourceClaim
from kschedlab_devices.allocator import Allocator
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.state import state_of
from packages.devices.tests.device_manifests import unchecked

T = TypeVar("T")
Manifest = dict[str, Any]
VERSION = "resource.k8s.io/v1"
GPU, NIC = "gpu.example.com", "nic.example.com"
ZONE = "topology.kubernetes.io/zone"
BATCH = 500
SHOWN = 5
SLOW = "filter operation aborted: context deadline exceeded"
"""The real search took more than a second."""


def _maybe(rng: random.Random, chance: float, **fields: Any) -> Manifest:
    return fields if rng.random() < chance else {}


def _object(kind: str, name: str, spec: Manifest, **more: Any) -> Manifest:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec, **more}


# -- what drivers publish


def _policy(rng: random.Random) -> Manifest:
    if rng.random() < 0.4:
        values = rng.sample(("1Gi", "2Gi", "5Gi", "8Gi", "10Gi"), 3)
        values.sort(key=lambda text: int(text[:-2]))
        return {"default": rng.choice(values), "validValues": values}
    if rng.random() < 0.3:
        return {"default": "500m", "validRange": {"min": "500m", "max": "10", "step": rng.choice(("250m", "500m"))}}
    step = _maybe(rng, 0.7, step=rng.choice(("1Gi", "3Gi", "512Mi")))
    return {"default": "2Gi", "validRange": {"min": "2Gi"} | step | _maybe(rng, 0.6, max="8Gi")}


def _list(rng: random.Random, values: Sequence[Any]) -> list[Any]:
    return rng.sample(values, rng.randint(1, min(3, len(values))))


def _with_lists(rng: random.Random, attributes: Manifest) -> Manifest:
    """Some of the attributes as lists."""
    values = {"int": range(3), "bool": (True, False), "string": "abc", "version": ("1.0.0", "1.2.0", "2.0.0")}
    return {
        name: {f"{kind}s": _list(rng, values[kind])} if rng.random() < 0.5 else {kind: value}
        for name, each in attributes.items()
        for kind, value in each.items()
    }


def _device(rng: random.Random, name: str, driver: str) -> Manifest:
    numa = rng.choice(("numa", "numa", f"{driver}/numa", "example.org/numa"))
    attributes: Manifest = {"model": {"string": rng.choice("ab")}, numa: {"int": rng.randint(0, 1)}}
    attributes |= _maybe(rng, 0.8, healthy={"bool": rng.random() < 0.7})
    attributes |= _maybe(rng, 0.5, driverVersion={"version": rng.choice(("1.0.0", "1.2.0"))})
    made: Manifest = {"name": name, "attributes": attributes}
    if rng.random() < 0.8:
        made["capacity"] = {"memory": {"value": rng.choice(("5Gi", "10Gi", "20Gi"))}}
        made |= _maybe(rng, 0.4, allowMultipleAllocations=True)
        if made.get("allowMultipleAllocations") and rng.random() < 0.6:
            made["capacity"]["memory"] |= {"value": "20Gi", "requestPolicy": _policy(rng)}
        if rng.random() < 0.2:
            made["capacity"]["cores"] = {"value": str(rng.randint(1, 4))}
    taint = {"key": rng.choice("xy"), "effect": rng.choice(("NoSchedule", "NoExecute", "None"))}
    made |= _maybe(rng, 0.15, taints=[taint | _maybe(rng, 0.5, value="v") | {"timeAdded": "2024-01-01T00:00:00Z"}])
    made |= _maybe(rng, 0.1, bindsToNode=True)
    return made | _maybe(rng, 0.1, bindingConditions=["Ready"], bindingFailureConditions=["Failed"])


def _zone(rng: random.Random) -> Manifest:
    expressions = [{"key": ZONE, "operator": "In", "values": [f"z{rng.randint(0, 1)}"]}]
    if rng.random() < 0.3:
        expressions.append({"key": "disk", "operator": rng.choice(("Exists", "DoesNotExist"))})
    return {"nodeSelectorTerms": [{"matchExpressions": expressions}]}


def _place(rng: random.Random, nodes: Sequence[str]) -> Manifest:
    return rng.choice(({"nodeName": rng.choice(nodes)}, {"allNodes": True}, {"nodeSelector": _zone(rng)}))


def _use_gates(rng: random.Random, devices: Iterable[Manifest]) -> None:
    """Make attributes lists, and give counters groups: of a pool all, most or none."""
    grouped = rng.choice((0, 0.85, 1))
    for device in devices:
        device["attributes"] = _with_lists(rng, device["attributes"])
        for consumed in device.get("consumesCounters", ()):
            if rng.random() < 0.3:
                other = {"set-0": "set-1", "set-1": "set-0"}[consumed["counterSet"]]
                device["consumesCounters"] = [consumed, consumed | {"counterSet": other}]
        for consumed in device.get("consumesCounters", ()):
            if rng.random() < grouped:
                consumed["compatibilityGroups"] = _list(rng, "ab")


def _pool(rng: random.Random, name: str, driver: str, nodes: Sequence[str], gates: bool) -> list[Manifest]:
    """The slices of a pool. In few of them, one is missing, a name appears twice, or a generation is left over."""
    each = rng.random() < 0.25
    place = {"perDeviceNodeSelection": True} if each else _place(rng, nodes)
    devices = [_device(rng, f"d{i}", driver) for i in range(rng.randint(1, 6))]
    sets: list[Manifest] = []
    if rng.random() < 0.35:
        sets = [{"name": f"set-{i}", "counters": {"slots": {"value": str(rng.randint(1, 4))}}} for i in (0, 1)]
        for device in devices:
            if rng.random() < 0.8:
                counters = {"slots": {"value": str(rng.randint(1, 2))}}
                device["consumesCounters"] = [{"counterSet": f"set-{rng.randint(0, 1)}", "counters": counters}]
    if gates:
        _use_gates(rng, devices)
    if each:
        for device in devices:
            device |= _place(rng, nodes)
    parts = [devices] if rng.random() < 0.6 else [devices[::2], devices[1::2]]
    if rng.random() < 0.05:
        parts[1:] = [[*devices[1::2], devices[0]]]
    groups: list[Manifest] = [{"devices": part} for part in parts] + ([{"sharedCounters": sets}] if sets else [])
    count = len(groups) + (rng.random() < 0.03)
    generation = rng.randint(1, 2)
    made = []
    names = rng.sample(range(100), 20)
    for group in groups:
        spread = place if each or rng.random() < 0.95 else _place(rng, nodes)
        pool = {"name": name, "generation": generation, "resourceSliceCount": count}
        spec = {"driver": driver, "pool": pool, **spread, **group}
        made.append(_object("ResourceSlice", f"{name}-{driver[:3]}-{names.pop():02}", spec))
    if rng.random() < 0.1:
        # Not the same generation: the real scheduler follows the order of a map where counts of one generation differ.
        pool = {"name": name, "generation": rng.choice((generation - 1, generation + 1)), "resourceSliceCount": 1}
        old = {"driver": driver, "pool": pool, **_place(rng, nodes), "devices": [_device(rng, "old", driver)]}
        made.append(_object("ResourceSlice", f"{name}-{driver[:3]}-old", old))
    return made


# -- what claims ask for


def _selectors(rng: random.Random, gates: bool) -> list[Manifest]:
    texts = [f'device.driver == "{GPU}"', f'device.driver == "{NIC}"', "true", "true"]
    texts += ['"memory" in device.capacity["gpu.example.com"]', "device.allowMultipleAllocations"]
    texts += [f'device.driver == "{GPU}" && device.attributes["{GPU}"].model == "a"'] * 2
    if rng.random() < 0.1:
        texts = [f'device.attributes["{GPU}"].model == "a"']
    if gates:
        own = "device.attributes[device.driver]"
        texts += [f'{own}.model.includes("a")', f'size({own}.model) > 1 && {own}.model.exists(x, x == "b")']
        texts += [f'"numa" in {own} && {own}.numa.includes(1)'] * 2
    return [{"cel": {"expression": rng.choice(texts)}} for _ in range(rng.choice((0, 0, 1, 1, 2)))]


def _ask(rng: random.Random, gates: bool) -> Manifest:
    made: Manifest = {"deviceClassName": rng.choice(("gpu", "gpu", "any", "nic"))}
    if rng.random() < 0.02:
        made["deviceClassName"] = "missing"
    if rng.random() < 0.12:
        made["allocationMode"] = "All"
    else:
        made |= {"allocationMode": "ExactCount", "count": rng.choice((1, 1, 1, 2, 3))}
    made |= _maybe(rng, 0.3, selectors=_selectors(rng, gates))
    toleration = _maybe(rng, 0.7, key=rng.choice("xy")) | _maybe(rng, 0.3, effect="NoSchedule")
    exists = "key" not in toleration or rng.random() < 0.6
    toleration |= {"operator": "Exists"} if exists else {"operator": "Equal", "value": "v"}
    made |= _maybe(rng, 0.3, tolerations=[toleration])
    amounts = {rng.choice(("memory", "memory", "memory", "cores")): rng.choice(("1Gi", "3Gi", "6Gi", "750m", "2"))}
    return made | _maybe(rng, 0.3, capacity={"requests": amounts})


def _configuration(rng: random.Random, requests: Sequence[str]) -> Manifest:
    opaque = {"driver": GPU, "parameters": {"kind": "Mode", "value": rng.randint(0, 9)}}
    return _maybe(rng, 0.6, requests=rng.sample(requests, 1)) | {"opaque": opaque}


def _claim(rng: random.Random, name: str, gates: bool) -> Manifest:
    requests: list[Manifest] = []
    names: list[str] = []
    for i in range(rng.choice((1, 1, 2, 3))):
        if rng.random() < 0.3:
            listed = [{"name": f"s{k}"} | _ask(rng, gates) for k in range(rng.randint(1, 3))]
            requests.append({"name": f"r{i}", "firstAvailable": listed})
            names.append(f"r{i}/s0")
        else:
            requests.append({"name": f"r{i}", "exactly": _ask(rng, gates) | _maybe(rng, 0.12, adminAccess=True)})
        names.append(f"r{i}")
    constraints = []
    for _ in range(rng.choice((0, 0, 1, 2))):
        kind = rng.choice(("matchAttribute", "matchAttribute", "distinctAttribute"))
        attribute = f"{rng.choice((GPU, NIC))}/{rng.choice(('numa', 'numa', 'model', 'driverVersion'))}"
        some = _maybe(rng, 0.5, requests=rng.sample(names, min(len(names), 2)))
        constraints.append({kind: rng.choice((attribute, attribute, "example.org/numa"))} | some)
    config = [_configuration(rng, names) for _ in range(rng.choice((0, 0, 1, 2)))]
    return claim(name, {"requests": requests, "constraints": constraints, "config": config})


def claim(name: str, devices: Manifest, **more: Any) -> Manifest:
    """A claim in the namespace default."""
    made = _object("ResourceClaim", name, {"devices": devices}, **more)
    made["metadata"] |= {"namespace": "default", "uid": f"uid-{name}"}
    return made


def _held(rng: random.Random, slices: Iterable[Manifest]) -> list[Manifest]:
    """Claims that hold some of the devices."""
    made = []
    for published in slices:
        spec = published["spec"]
        for device in spec.get("devices", ()):
            if rng.random() > 0.2:
                continue
            name = f"held-{len(made)}"
            result = {"request": "r", "driver": spec["driver"], "pool": spec["pool"]["name"], "device": device["name"]}
            result |= _maybe(rng, 0.1, adminAccess=True)
            if device.get("allowMultipleAllocations") and rng.random() < 0.9:
                amounts = {each: rng.choice(("1Gi", "2Gi", "4Gi")) for each in device["capacity"]}
                result |= {"shareID": f"8f3b5c9e-0000-4000-8000-{len(made):012}"} | _maybe(
                    rng, 0.9, consumedCapacity=amounts
                )
            ask = {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}
            made.append(claim(name, ask, status={"allocation": {"devices": {"results": [result]}}}))
    return made


def scenario(rng: random.Random, gates: bool = False) -> list[Manifest]:
    """The objects of a random cluster, with up to three claims to allocate. ``gates``: with what gates allow."""
    if gates and rng.random() < 0.6:
        return narrow_scenario(rng)
    nodes = [f"n{i}" for i in range(rng.randint(1, 4))]
    objects = []
    for i, name in enumerate(nodes):
        labels = {"kubernetes.io/hostname": name, ZONE: f"z{i % 2}"} | _maybe(rng, 0.5, disk="ssd")
        objects.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
    expressions = {"gpu": f'device.driver == "{GPU}"', "nic": f'device.driver == "{NIC}"', "any": "true"}
    for name, text in expressions.items():
        config = [{"opaque": {"driver": GPU, "parameters": {"class": name}}} for _ in range(rng.choice((0, 0, 1, 2)))]
        objects.append(_object("DeviceClass", name, {"selectors": [{"cel": {"expression": text}}], "config": config}))
    pools = [(f"p{i}", rng.choice((GPU, GPU, NIC))) for i in range(rng.randint(1, 4))]
    slices = [each for name, driver in pools for each in _pool(rng, name, driver, nodes, gates)]
    rng.shuffle(slices)
    objects += slices
    if rng.random() < 0.15:
        selector = _maybe(rng, 0.5, driver=GPU) | _maybe(rng, 0.5, pool="p0") | _maybe(rng, 0.6, device="d0")
        taint = {"key": "x", "effect": rng.choice(("NoSchedule", "None")), "timeAdded": "2024-01-01T00:00:00Z"}
        objects.append(_object("DeviceTaintRule", "rule", {"deviceSelector": selector, "taint": taint}))
    objects += _held(rng, slices)
    return objects + [_claim(rng, f"c{i}", gates) for i in range(rng.choice((1, 1, 2, 3)))]


def narrow_scenario(rng: random.Random) -> list[Manifest]:
    """One pool and claims in which little but lists and compatibility groups decides."""
    devices = []
    for i in range(rng.randint(3, 7)):
        device: Manifest = {"name": f"d{i}", "attributes": {"numa": {"int": rng.randint(0, 2)}}}
        if rng.random() < 0.9:
            counters = {"slots": {"value": "1"}}
            device["consumesCounters"] = [{"counterSet": f"set-{rng.choice((0, 0, 1))}", "counters": counters}]
        devices.append(device)
    _use_gates(rng, devices)
    sets = [{"name": f"set-{i}", "counters": {"slots": {"value": str(rng.choice((3, 9)))}}} for i in (0, 1)]
    spec = {"driver": GPU, "pool": {"name": "p", "generation": 1, "resourceSliceCount": 2}, "nodeName": "n0"}
    slices = [_object("ResourceSlice", "devices", spec | {"devices": devices})]
    slices.append(_object("ResourceSlice", "sets", spec | {"sharedCounters": sets}))
    objects = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n0"}}, _object("DeviceClass", "gpu", {})]
    claims = []
    for name in rng.choice((["c0"], ["c0", "c1"])):
        numbers = rng.choice(([2], [3], [1, 1], [1, 2]))
        asks = [{"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": number} for number in numbers]
        kind = rng.choice(("matchAttribute", "matchAttribute", "distinctAttribute"))
        requests = [{"name": f"r{i}", "exactly": ask} for i, ask in enumerate(asks)]
        claims.append(claim(name, {"requests": requests} | _maybe(rng, 0.7, constraints=[{kind: f"{GPU}/numa"}])))
    return [*objects, *slices, *_held(rng, slices), *claims]


def asked_for(rng: random.Random, name: str, gates: bool) -> Manifest:
    """A random scenario; with ``gates``, most of them are on."""
    return {"id": name, "objects": scenario(rng, gates)} | (settings(rng) if gates else {})


def settings(rng: random.Random) -> Manifest:
    """The gates, mostly on."""
    return {"featureGates": {gate: rng.random() < 0.8 for gate in (LISTS, GROUPS)}}


# -- answers


def ours(asked: Manifest) -> Manifest:
    """What the package answers for each node."""
    generation = V1_37.with_feature_gates(asked.get("featureGates", {}))
    cluster = Cluster(_unchecked(asked["objects"]), generation.api)
    allocator = Allocator(state_of(cluster))
    claims = [each for each in cluster.objects_of(ResourceClaim) if each.status.allocation is None]
    answers: Manifest = {}
    for node in cluster.nodes:
        try:
            results = allocator.allocate(node, claims)
        except AllocationError as error:
            only = {"onlyThisNode": True} if error.only_this_node else {}
            answers[node.metadata.name] = {"error": str(error)} | only
        else:
            plain = json.loads(msgspec.json.encode(results, enc_hook=str))
            answers[node.metadata.name] = comparable({"results": plain})
    return answers


def _unchecked(manifests: Iterable[Manifest]) -> Objects:
    """The objects, even if the API server would refuse them: the authors' test cases do not care about all names."""
    objects = Objects()
    for manifest in manifests:
        document = unchecked(manifest)
        objects.of(type(document)).append(document)
    return objects


def comparable(value: Any) -> Any:
    """The answer without what is empty or a default, and without the random identifiers of shares."""
    if isinstance(value, dict):
        made = {key: comparable(each) for key, each in value.items() if each not in (None, {}, [], "Equal")}
        return made | ({"shareID": "drawn"} if "shareID" in made else {})
    return [comparable(each) for each in value] if isinstance(value, list) else value


def asked(program: str, scenarios: Iterable[Manifest]) -> list[Manifest]:
    """The real answers."""
    lines = "".join(json.dumps(each) + "\n" for each in scenarios)
    done = subprocess.run([program], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    answers = (json.loads(line)["nodes"] for line in done.stdout.splitlines())
    return [{node: comparable(answer) for node, answer in each.items()} for each in answers]


def main() -> int:
    """Compare, print, record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gates", action="store_true")
    parser.add_argument("--scenarios", type=Path, help="take these instead (JSON lines)")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    made: list[Manifest] = []
    if options.scenarios:
        made = [json.loads(line) for line in options.scenarios.read_text().splitlines()]
    for i in range(0 if options.scenarios else options.count):
        made.append(asked_for(random.Random(f"{options.seed}/{i}"), f"{options.seed}-{i}", options.gates))
    sorts: Counter[str] = Counter()
    different = 0
    recorded = []
    for start in range(0, len(made), BATCH):
        batch = made[start : start + BATCH]
        for each, expected in zip(batch, asked(options.program, batch), strict=True):
            found = ours(each)
            recorded.append(each | {"nodes": expected})
            sorts.update("error" if "error" in one else "devices" if one else "none" for one in expected.values())
            slow = {node for node, answer in expected.items() if answer.get("error") == SLOW}
            if any(found[node] != answer for node, answer in expected.items() if node not in slow):
                different += 1
                if different <= SHOWN:
                    print(f"{each['id']}\n  expected {json.dumps(expected)}\n  found    {json.dumps(found)}")
    print(f"{len(made):,} scenarios, {different:,} different; by node: {dict(sorts)}")
    if options.record:
        with gzip.GzipFile(options.record, "wb", mtime=0) as file:
            file.writelines(json.dumps(each).encode() + b"\n" for each in recorded)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
