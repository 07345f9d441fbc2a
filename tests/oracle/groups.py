"""Compares the scheduling of pod groups with the real scheduler's, on random scenarios.

    python -m tests.oracle.groups PROGRAM --count 500 --seed 1 [--theme claims] [--record tests/conformance/extra]

``sh tests/oracle/build.sh FOLDER groups_1_37`` builds PROGRAM. Scenarios in which the real one draws are left out: two
nodes tie for a pod, two placements for the group, or no placement can take it and each says something else.
Themes: ``groups``; ``topology``: with topology constraints; ``claims``, ``volumes``: with devices or volumes;
``shared``: with claims of the group;
``mixed``: with both, and topology; ``alone``: a single pod where groups run. The exit status is 1 if any differs.
``--record`` keeps the scenarios and the real verdicts in that folder (``alone``: in packages/groups/tests/data).
``--jobs``: how many programs run beside each other.

On a busy machine the program may miss late writes: a scenario that differs is asked again, alone.
"""

import argparse
import gzip
import itertools
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kschedlab.objects.model import ResourceClaim
from kschedlab.program.decide import decide_lines
from kschedlab_groups import cycle
from kschedlab_groups.attempt import GroupResult
from kschedlab_groups.claims import lacking
from kschedlab_groups.group import SUCCESS
from tests.oracle.group_claims import with_claims, with_shared_claims, with_volumes

Manifest = dict[str, Any]
GATES = {"GenericWorkload": True}
MI = 1 << 20
TOPOLOGY = "TopologyAwareWorkloadScheduling"


def scenario(rng: random.Random, number: int) -> Manifest:
    """A cluster with running pods and groups, and one group that waits."""
    nodes = [_node(rng, i) for i in range(rng.randint(1, 6))]
    names = [node["metadata"]["name"] for node in nodes]
    groups = [_group(rng, f"old-{i}", rng.choice((0, 5, 10, 20))) for i in range(rng.randint(0, 3))]
    running = _running(rng, names, groups)
    priority = rng.choice((0, 10, 10, 100))
    waiting = rng.randint(1, 5)
    group = _group(rng, "gang", priority, waiting)
    size = rng.choice((100, 500, 900, 1500, 3000))
    extras = _extras(rng)
    pods = [_waiting(rng, i, priority, size, names, extras) for i in range(waiting)]
    if rng.random() < 0.08:
        rng.choice(pods)["spec"]["priority"] = priority + 1
    if rng.random() < 0.05:
        rng.choice(pods)["spec"]["preemptionPolicy"] = "Never"
    gates = dict(GATES)
    if rng.random() < 0.15:
        gates["PodGroupPreemptionPolicy"] = True
        group["spec"] |= {"preemptionPolicy": rng.choice(("Never", "PreemptLowerPriority"))}
    objects = [*nodes, *groups, group, *_budgets(rng), *running, *pods]
    return {"id": f"group-{number}", "objects": objects, "podGroup": "default/gang", "featureGates": gates}


def alone(rng: random.Random, made: Manifest) -> Manifest:
    """The scenario with one waiting pod, which belongs to no group."""
    objects = [each for each in made["objects"] if each["kind"] != "Pod" or each["spec"].get("nodeName")]
    waiting = next(each for each in made["objects"] if each["metadata"]["name"] == "gang-0")
    del waiting["spec"]["schedulingGroup"]
    waiting["spec"]["priority"] = 100
    waiting["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1900m"
    if rng.random() < 0.06:
        group = {"schedulingGroup": {"podGroupName": "old-0"}}
        objects.append(_pod("lost", 0, 100, 100, nodeName="gone", **group))
    return {
        "id": made["id"].replace("group", "alone"),
        "objects": [*objects, waiting],
        "pod": "default/gang-0",
        "featureGates": made["featureGates"],
    }


def with_topology(rng: random.Random, made: Manifest) -> Manifest:
    """The scenario with racks, and with a topology constraint for the group. Most of its running pods share a rack."""
    made["id"] = made["id"].replace("group", "topology")
    made["featureGates"][TOPOLOGY] = True
    key = rng.choice(("rack", "rack", "rack", "rack", "zone", "kubernetes.io/hostname", "room", ""))
    racks = rng.sample(("r1", "r2", "r3", "r4", ""), rng.randint(1, 4))
    number = sum(each["kind"] == "Node" for each in made["objects"])
    made["objects"] += [_node(rng, number + i) for i in range(rng.choice((0, 0, 2, 4)))]
    nodes, group = [], {}
    for each in made["objects"]:
        if each["kind"] == "Node":
            nodes.append(each)
            if rng.random() < 0.93:
                each["metadata"]["labels"]["rack"] = rng.choice(racks)
            if rng.random() < 0.2:
                each["status"]["allocatable"]["example.com/gpu"] = str(rng.randint(0, 4))
        elif each["metadata"]["name"] == "gang":
            group = each
    if key:
        group["spec"]["schedulingConstraints"] = {"topology": [{"key": key}]}
    _resemble(rng, [each for each in made["objects"] if each["metadata"]["name"].startswith("gang-")])
    for each in made["objects"]:
        if each["kind"] == "Pod" and each["spec"].get("nodeName"):  # the first of several domains is drawn, too
            _leave(each, "gang")
    here = rng.choice(nodes)
    around = [n for n in nodes if n["metadata"]["labels"].get(key, "") == here["metadata"]["labels"].get(key)] or [here]
    for i in range(rng.choice((0, 0, 0, 1, 2))):
        spec = {"nodeName": rng.choice(around)["metadata"]["name"], "schedulingGroup": {"podGroupName": "gang"}}
        if rng.random() < 0.06:
            spec["nodeName"] = "gone"
        made["objects"].append(_pod(f"old-gang-{i}", group["spec"]["priority"], rng.randint(50, 900), 100, **spec))
    return made


def mixed(rng: random.Random, made: Manifest) -> Manifest:
    """The scenario with devices and volumes, and half the time with racks."""
    made["id"] = made["id"].replace("group", "mixed")
    return with_volumes(rng, with_claims(rng, with_topology(rng, made) if rng.random() < 0.5 else made))


def _leave(pod: Manifest, group: str) -> None:
    if pod["spec"].get("schedulingGroup") == {"podGroupName": group}:
        del pod["spec"]["schedulingGroup"]


def _resemble(rng: random.Random, pods: list[Manifest]) -> None:
    """Half the time the waiting pods are equal, and sometimes they all want the extended resource."""
    equal, gpu = rng.random() < 0.5, rng.random() < 0.15
    for pod in pods:
        (container,) = pod["spec"]["containers"]
        if equal:
            container["resources"] = json.loads(json.dumps(pods[0]["spec"]["containers"][0]["resources"]))
        if gpu:
            container["resources"]["requests"]["example.com/gpu"] = "1"
            container["resources"]["limits"] = {"example.com/gpu": "1"}
        if rng.random() < 0.04:
            pod["spec"]["nodeSelector"] = {"zone": rng.choice("abc")}


def _node(rng: random.Random, i: int) -> Manifest:
    name = f"n{i}"
    labels = {"kubernetes.io/hostname": name, "zone": rng.choice("ab")}
    allocatable = {"cpu": f"{rng.randint(500, 4000)}m", "memory": str(rng.randint(2000, 9000) * MI), "pods": "20"}
    spec: Manifest = {}
    if rng.random() < 0.1:
        spec = {"taints": [{"key": "k", "effect": "NoSchedule"}]}
    status = {"allocatable": allocatable, "capacity": allocatable}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


def _group(rng: random.Random, name: str, priority: int, waiting: int = 3) -> Manifest:
    policy: Manifest = {"basic": {}}
    if rng.random() < 0.8:
        policy = {"gang": {"minCount": rng.randint(1, waiting)}}
    spec: Manifest = {"schedulingPolicy": policy, "priority": priority}
    if rng.random() < 0.5:
        spec["disruptionMode"] = rng.choice(({"all": {}}, {"single": {}}))
    metadata = {"name": name, "namespace": "default", "uid": name}
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": spec}


def _pod(name: str, priority: int, cpu: int, memory: int, **spec: Any) -> Manifest:
    requests = {"cpu": f"{cpu}m", "memory": str(memory * MI)}
    containers = [{"name": "c", "image": "i", "resources": {"requests": requests}}]
    metadata = {"name": name, "namespace": "default", "uid": name, "labels": {"app": name.split("-")[0]}}
    fields = {"schedulerName": "default-scheduler", "priority": priority, "containers": containers} | spec
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": fields, "status": {}}


def _running(rng: random.Random, names: list[str], groups: list[Manifest]) -> list[Manifest]:
    made = []
    for i in range(rng.randint(0, 12)):
        spec: Manifest = {"nodeName": rng.choice(names)}
        priority, app = rng.choice((0, 0, 5, 10, 50)), rng.choice(("web", "db"))
        if groups and rng.random() < 0.5:
            chosen = rng.choice(groups)
            spec["schedulingGroup"] = {"podGroupName": chosen["metadata"]["name"]}
            priority = chosen["spec"]["priority"]
        elif rng.random() < 0.05:
            spec["schedulingGroup"] = {"podGroupName": "gang"}
            priority = 10
        if rng.random() < 0.1:
            term = {"labelSelector": {"matchLabels": {"app": "gang"}}, "topologyKey": "kubernetes.io/hostname"}
            required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
            spec["affinity"] = {"podAntiAffinity": required}
        pod = _pod(f"{app}-{i}", priority, rng.randint(50, 1500), rng.randint(50, 2000), **spec)
        pod["status"] = {"phase": "Running", "startTime": f"2024-01-01T00:{i:02}:00Z"}
        if rng.random() < 0.08:
            pod["metadata"] |= {"deletionTimestamp": "2024-01-02T00:00:00Z", "finalizers": ["example.com/hold"]}
            mark = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
            pod["status"]["conditions"] = [mark]
        made.append(pod)
    return made


def _extras(rng: random.Random) -> Manifest:
    """What all pods of the group ask for besides resources."""
    chance = rng.random()
    selector = {"matchLabels": {"app": "gang"}}
    if chance < 0.1:
        return {"ports": True}
    if chance < 0.2:
        term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
        return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    if chance < 0.3:
        app = rng.choice(("web", "gang"))
        term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "zone"}
        return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    if chance < 0.4:
        key = rng.choice(("zone", "kubernetes.io/hostname"))
        constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
        return {"topologySpreadConstraints": [constraint]}
    return {}


def _waiting(rng: random.Random, i: int, priority: int, size: int, names: list[str], extras: Manifest) -> Manifest:
    spec = dict(extras)
    ports = spec.pop("ports", False)
    spec["schedulingGroup"] = {"podGroupName": "gang"}
    pod = _pod(f"gang-{i}", priority, size + rng.choice((0, 0, 7, 300)), rng.randint(50, 2500), **spec)
    if ports:
        pod["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    if rng.random() < 0.08:
        pod["status"]["nominatedNodeName"] = rng.choice(names)
    return pod


def _budgets(rng: random.Random) -> list[Manifest]:
    if rng.random() < 0.6:
        return []
    app = rng.choice(("web", "db"))
    spec = {"selector": {"matchLabels": {"app": app}}, "minAvailable": 1}
    status = {"disruptionsAllowed": rng.randint(0, 2), "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}
    metadata = {"name": "b", "namespace": "default"}
    return [
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec, "status": status}
    ]


def ours(line: str) -> tuple[Manifest, bool]:
    """Our verdict, and whether the real one may come to another."""
    drawn: list[bool] = []
    attempt = cycle.attempt

    def watched(*arguments: Any) -> Any:
        result = attempt(*arguments)
        drawn.append(is_drawn(result, len(arguments[3])) or draws_claim(result))
        return result

    cycle.attempt = watched  # type: ignore[attr-defined]
    try:
        (answer,) = map(json.loads, decide_lines([line]))
    finally:
        cycle.attempt = attempt  # type: ignore[attr-defined]
    for ours_alone in ("version", "domains"):
        answer.pop(ours_alone, None)
    return answer, any(drawn)


def ours_alone(line: str) -> tuple[Manifest, bool]:
    """Our verdict for a single pod, as the real program gives it, and whether the real one draws."""
    (answer,) = map(json.loads, decide_lines([line]))
    placement: Manifest = {"pod": "default/gang-0", "node": ""}
    best = answer["scores"]["best"] if answer.get("scores") else answer["feasible"]
    found = answer.get("preemption") or {}
    chosen, victims = found.get("chosen", []), []
    wanted = next(each for each in json.loads(line)["objects"] if each["metadata"]["name"] == "gang-0")
    nominated = wanted["status"].get("nominatedNodeName")
    if nominated in answer["feasible"]:
        best = [nominated]
    if best:
        placement["node"] = best[0]
    elif chosen:
        victims = found["candidates"][chosen[0]]["victims"]
        why = f"preemption: found a potential placement for pod on node {chosen[0]}, preempting {len(victims)} victims"
        placement |= {"message": f"{answer['message']} {why}", "nominated": chosen[0]}
    else:
        failed = f"{answer['message']} preemption: {answer['error']}" if "error" in answer else ""
        placement["message"] = failed or answer.get("event") or answer["message"]
        if found.get("eligible") is False and nominated:
            placement["nominated"] = nominated
    running = {f"default/{each['metadata']['name']}": each for each in json.loads(line)["objects"]}
    leaving = {key for key, each in running.items() if "deletionTimestamp" in each["metadata"]}
    verdict = {"id": answer["id"], "placements": [placement], "victims": sorted({*victims} - leaving)}
    return verdict | {"condition": None}, len(best) > 1 or len(chosen) > 1


def is_drawn(result: GroupResult, scheduled: int) -> bool:
    """Whether the real scheduler draws something in this attempt. ``scheduled``: how many pods have a node."""
    if result.status.message.startswith("cannot determine domain"):
        return scheduled > 1
    tried = [each.pods for each in result.placements] or [result.pods]
    if any(each.decision is not None and len(each.decision.best) > 1 for pods in tried for each in pods):
        return True
    found = [each for each in result.placements if each.status.code == SUCCESS]
    if found:
        totals = sorted((each.total for each in found), reverse=True)
        return totals[1:2] == totals[:1]
    said = {(each.status.as_error, tuple(pod.status.message for pod in each.pods)) for each in result.placements}
    return len(said) > 1


def draws_claim(result: GroupResult) -> bool:
    """Whether the real scheduler draws which claim to give back, or sees one in the midst of a change.

    Also whether pods that share a claim of their group would write other devices into it, as whoever binds first does.
    """
    group, found = {result.group.metadata.uid}, set()
    for each in result.pods:
        mine = [claim.metadata.name for claim in lacking([each]) if _users(claim) <= {each.pod.pod.metadata.uid}]
        if len(mine) > 1:
            return True
        found |= {claim.metadata.name for claim in lacking([each]) if _users(claim) <= group}
        if mine and any(mine[0] == entry.resourceClaimName for entry in result.group.spec.resourceClaims):
            return True
    written: dict[str, set[str]] = {}
    for each in result.placed:
        devices = each.taken.devices
        for claim, allocation in zip(devices.claims, devices.allocations, strict=True) if devices is not None else ():
            written.setdefault(claim.metadata.name, set()).add(str(allocation))
    return len(found) > 1 or any(len(each) > 1 for name, each in written.items() if name.startswith("all-"))


def _users(claim: ResourceClaim) -> set[str]:
    return {consumer.uid for consumer in claim.status.reservedFor}


def write(path: Path, lines: list[str]) -> None:
    """Write the lines, the same bytes each time."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.writelines(f"{line}\n".encode() for line in lines)


THEMES = {
    "topology": with_topology,
    "alone": alone,
    "claims": with_claims,
    "shared": with_shared_claims,
    "volumes": with_volumes,
    "mixed": mixed,
}
FILES = {each: f"group-{each}" for each in ("claims", "shared", "volumes", "mixed")}


def real(program: str, lines: list[str], jobs: int) -> list[Manifest]:
    """The real verdicts."""
    parts = [lines[i::jobs] for i in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda part: _asked(program, part), parts))
    return [each for row in itertools.zip_longest(*found) for each in row if each is not None]


def _equal(mine: Manifest, theirs: Manifest) -> bool:
    """The program writes no devices of a pod that waits for its volumes, since no controller binds them."""
    if not theirs.get("volumes"):
        return mine == theirs
    bare = ([each | {"devices": None} for each in verdict["placements"]] for verdict in (mine, theirs))
    return next(bare) == next(bare) and mine | {"placements": 0} == theirs | {"placements": 0}


def _asked(program: str, lines: list[str]) -> list[Manifest]:
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([program], input=text, text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> int:
    """Compare, print, record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--theme", choices=("groups", *THEMES), default="groups")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    lines, here = [], []
    while len(lines) < options.count:
        made = scenario(rng, len(lines))
        line = json.dumps(THEMES[options.theme](rng, made) if options.theme in THEMES else made)
        answer, tied = ours_alone(line) if options.theme == "alone" else ours(line)
        if not tied:
            lines.append(line)
            here.append(answer)
    there = real(options.program, lines, options.jobs)
    differ = 0
    for i, (line, mine) in enumerate(zip(lines, here, strict=True)):
        if not _equal(mine, there[i]):
            (there[i],) = _asked(options.program, [line])
        if not _equal(mine, there[i]):
            differ += 1
            print(f"{line}\n  here:  {json.dumps(mine)}\n  there: {json.dumps(there[i])}")
    placed = sum((each["condition"] or {}).get("status") == "True" for each in there)
    preempting = sum(bool(each["victims"]) for each in there)
    print(f"{len(lines)} scenarios, {placed} placed, {preempting} with victims, {differ} differ")
    if options.record:
        name = f"{FILES.get(options.theme, options.theme)}.jsonl.gz"
        if options.theme == "alone":
            both = [{"scenario": line, "real": each} for line, each in zip(lines, there, strict=True)]
            write(options.record / "alone.jsonl.gz", [json.dumps(each) for each in both])
        else:
            write(options.record / "scenarios" / name, lines)
            write(options.record / "v1.37" / name, [json.dumps(each) for each in there])
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
