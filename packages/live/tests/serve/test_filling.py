"""The defaults that only kubectl shows. v1.37: pkg/apis/core/v1/defaults.go, pkg/util/parsers/parsers.go.

``defaults.jsonl``: specs, and what v1.37's API server makes of them (tests/oracle/validate_1_37).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kschedlab_live.serve.filling import filled
from kschedlab_live.serve.kinds import SERVED
from packages.live.tests.serve.test_bounds import server

REAL = [
    json.loads(line) for line in Path(__file__).with_name("defaults.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("case", REAL, ids=[case["kind"] for case in REAL])
def test_a_new_object_has_the_defaults_of_the_real_server(case: dict[str, Any], tmp_path: Path) -> None:
    """Beside what admission adds to pods."""
    objects = server(tmp_path).objects
    served = next(each for each in SERVED.values() if each.kind == case["kind"])
    data = {"metadata": {"name": "x", "namespace": "default"}, "spec": case["given"]}
    spec = objects.json(served, objects.create(served, data, "me", False))["spec"]
    admitted = {"priority", "preemptionPolicy", "tolerations"} if case["kind"] == "Pod" else set()
    assert {name: value for name, value in spec.items() if name not in admitted} == case["defaulted"]


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in REAL}))
def test_what_an_object_says_itself_is_kept(kind: str) -> None:
    own = {name: "own" for name in filled(kind, {"spec": {}})["spec"]}
    assert filled(kind, {"spec": own})["spec"] == own


@pytest.mark.parametrize(
    ("container", "policy"),
    [
        ({"image": "nginx"}, "Always"),
        ({"image": "nginx:latest"}, "Always"),
        ({"image": "nginx:1.27"}, "IfNotPresent"),
        ({"image": "nginx@sha256:abc"}, "IfNotPresent"),
        ({"image": "nginx:latest@sha256:abc"}, "Always"),
        ({"image": "registry:5000/nginx"}, "Always"),
        ({"image": "registry:5000/nginx:1.27"}, "IfNotPresent"),
        ({"image": ""}, "IfNotPresent"),
        ({}, "IfNotPresent"),
        ({"image": "nginx", "imagePullPolicy": "Never"}, "Never"),
    ],
)
@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_an_image_is_pulled_each_time_if_its_tag_is_latest(kind: str, container: dict, policy: str) -> None:
    (shown,) = filled("Pod", {"spec": {kind: [{"name": "c"} | container]}})["spec"][kind]
    assert shown["imagePullPolicy"] == policy
