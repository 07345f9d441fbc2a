"""Compares the hashes of pod templates with those that v1.37's controllers compute, on random templates.

    python -m tests.oracle.hashes PROGRAM --count 2000 --seed 1

PROGRAM: see tests/oracle/validation.py. Prints the first templates with another pod-template-hash or revision. With
``--keep FILE``, it writes the templates with their hashes, one a line.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from kschedlab.manifests.decoding import decode
from kschedlab_simulation.controllers.template_hash import revision_hash, template_hash

Manifest = dict[str, Any]
AMOUNTS = [
    "1",
    "500m",
    "0.5",
    "1.5Gi",
    "100Mi",
    "1Gi",
    "2k",
    "0",
    "1e3",
    "12e6",
    "0.1m",
    "1Ti",
    "1536",
    "1.25",
    "128Ki",
]
DIGEST = f"sha256:{'b' * 64}"
IMAGES = [
    "busy",
    "busy:1",
    "busy:latest",
    "r.io:5000/busy",
    "r.io:5000/busy:2",
    f"busy@{DIGEST}",
    f"r.io/x/busy:latest@{DIGEST}",
]
LABELED = {"matchLabels": {"app": "a"}}
EXPRESSED = {"matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}]}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1.5Gi"}}}
VOLUMES = [
    {"name": "claim", "persistentVolumeClaim": {"claimName": "x", "readOnly": True}},
    {"name": "empty"},
    {"name": "ephemeral", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": CLAIM}}},
    {"name": "csi", "csi": {"driver": "d"}},
]
NODE_AFFINITY = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "k", "operator": "Gt", "values": ["3"]}]},
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
        ]
    },
    "preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 5, "preference": {"matchExpressions": [{"key": "k", "operator": "Exists"}]}}
    ],
}
TOLERATION = {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": LABELED}
PARTS: list[Manifest] = [
    {"nodeSelector": {"disk": "ssd", "a": "b"}},
    {"tolerations": [TOLERATION, {"operator": "Equal", "key": "a", "value": "b"}]},
    {"priorityClassName": "high", "preemptionPolicy": "Never"},
    {"terminationGracePeriodSeconds": 0},
    {"hostNetwork": True, "hostUsers": False},
    {"schedulerName": "mine", "runtimeClassName": "kata"},
    {"overhead": {"cpu": "10m"}},
    {"readinessGates": [{"conditionType": "x/y"}], "schedulingGates": [{"name": "g"}]},
    {"resourceClaims": [{"name": "a", "resourceClaimTemplateName": "t"}, {"name": "b", "resourceClaimName": "c"}]},
    {"resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}},
    {"topologySpreadConstraints": [SPREAD, SPREAD | {"minDomains": 2, "nodeTaintsPolicy": "Honor"}]},
    {"volumes": VOLUMES[:2]},
    {"volumes": VOLUMES[2:]},
    {"affinity": {"nodeAffinity": NODE_AFFINITY}},
]


UNITS = ["2500n", "3u", "5m", "7", "11k", "13M", "17G", "19T", "23P", "5E"]
UNITS += ["29Ki", "31Mi", "37Gi", "41Ti", "43Pi", "3Ei", "1000m", "1001m", "1000k", "1001k", "8Gi", "5e3", "9Ki"]
UNITS += ["99999999999Ki", "100000000003Ki", "99999Gi", "100001Gi", "99Ti", "101Ti", "999999999999999999"]
UNITS += ["1000000000000000001", "1007", "1024"]
EVERY_UNIT: Manifest = {
    "metadata": {"labels": {"app": "web"}, "annotations": {"says": "caf\u00e9 \u2028 >"}},
    "spec": {
        "containers": [
            {
                "name": "c",
                "image": "busy",
                "ports": [{"name": "http", "containerPort": 80, "hostPort": 0}],
                "resources": {"limits": {f"example.com/r{i}": unit for i, unit in enumerate(UNITS)}},
            }
        ]
    },
}


def random_template(rng: random.Random) -> Manifest:
    """A template of the fields that kschedlab models."""
    spec: Manifest = {"containers": [_container(rng, f"c{i}") for i in range(rng.randint(1, 3))]}
    if rng.random() < 0.3:
        spec["initContainers"] = [_container(rng, "i") | {"restartPolicy": "Always"}]
    for part in rng.sample(PARTS, rng.randint(0, 6)):
        spec |= part
    if rng.random() < 0.3:
        preferred = [{"weight": 7, "podAffinityTerm": _term(rng)}]
        spec["affinity"] = {
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_term(rng)]},
            "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred},
        }
    metadata: Manifest = {"labels": {"app": "web", "x": "y"}}
    if rng.random() < 0.4:
        metadata["annotations"] = {"b": "2", "a": "1 <2>"}
    return {"metadata": metadata, "spec": spec}


def _container(rng: random.Random, name: str) -> Manifest:
    container: Manifest = {"name": name, "image": rng.choice(IMAGES)}
    container["resources"] = {
        kind: {each: rng.choice(AMOUNTS) for each in names if rng.random() < 0.6}
        for kind, names in (("requests", ("memory", "cpu", "example.com/gpu")), ("limits", ("cpu", "memory")))
        if rng.random() < 0.6
    }
    if rng.random() < 0.2:
        container["resources"]["claims"] = [{"name": "a"}, {"name": "b", "request": "r"}]
    if rng.random() < 0.4:
        ports = [{"containerPort": 80}, {"containerPort": 81, "name": "http", "hostPort": 8080, "protocol": "UDP"}]
        container["ports"] = ports
    return container


def _term(rng: random.Random) -> Manifest:
    more = [{"namespaces": ["x"]}, {"namespaceSelector": EXPRESSED}, {"matchLabelKeys": ["k"]}, {}]
    return {"topologyKey": "zone", "labelSelector": rng.choice([LABELED, EXPRESSED, {}])} | rng.choice(more)


def hashes(template: Manifest, collisions: int | None = None) -> dict[str, str]:
    """Ours: {"hash": of a Deployment's template, "revision": of a StatefulSet's}."""
    deployment, faults = decode(deployment_with(template), "Deployment")
    assert not faults
    made = deployment.spec.template
    return {"hash": template_hash(made, collisions), "revision": revision_hash(made, collisions or 0)}


def deployment_with(template: Manifest, collisions: int | None = None) -> Manifest:
    """A Deployment with the template and this collisionCount."""
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    status = {"status": {"collisionCount": collisions}} if collisions is not None else {}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec} | status


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    templates: list[tuple[Manifest, int | None]] = [(random_template(rng), None) for _ in range(given.count)]
    templates += [(EVERY_UNIT, collisions) for collisions in (None, 0, 1, 300)]
    lines = "".join(json.dumps({"hash": deployment_with(*each)}) + "\n" for each in templates)
    answers = subprocess.run([given.program], input=lines, capture_output=True, text=True, check=True).stdout
    real = [json.loads(line) for line in answers.splitlines()]
    wrong = [(each, answer) for each, answer in zip(templates, real, strict=True) if hashes(*each) != answer]
    for each, answer in wrong[:3]:
        print(json.dumps(each), answer, hashes(*each), sep="\n")
    print(f"{len(templates)} templates, {len(wrong)} with other hashes")
    if given.keep:
        kept = [
            {"template": template, "collisions": collisions, **answer}
            for (template, collisions), answer in zip(templates, real, strict=True)
        ]
        given.keep.write_text("".join(json.dumps(each) + "\n" for each in kept), encoding="utf-8")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
