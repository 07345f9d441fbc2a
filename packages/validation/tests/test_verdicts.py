"""Accepted or refused as v1.37's API server answers: recorded objects, one for each sort of answer."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.differences import LET_THROUGH, REFUSED_HERE
from tests.oracle.limits import Part, grown
from tests.oracle.valid_objects import VALID
from tests.oracle.validation import agrees, ours, places, theirs

DATA = Path(__file__).parent / "data/validation.jsonl.gz"
RECORDED = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).splitlines()]
DOCS = Path(__file__).parents[3] / "docs/validation.md"


def test_every_recorded_object_gets_the_real_answer() -> None:
    wrong = [o for o in RECORDED if not agrees(o["object"]["kind"], ours(o["object"]), o["refused"])]
    assert not wrong, f"{len(wrong)} of {len(RECORDED)}, the first: {json.dumps(wrong[0])} {ours(wrong[0]['object'])}"


def test_each_wrong_place_of_a_recorded_object_is_named() -> None:
    """As it was when the real answers were recorded; these give fewer or rougher places (``metadata.labels``)."""
    wrong = [o for o in RECORDED if places(ours(o["object"])) != o["named"]]
    assert not wrong, f"{len(wrong)}, the first: {json.dumps(wrong[0])} {ours(wrong[0]['object'])}"


LIMITS = Path(__file__).parent / "data/limits.jsonl.gz"


def test_each_text_list_map_and_number_has_the_real_limit() -> None:
    """The largest that the API server accepts is accepted, and the next one refused (tests/oracle/limits.py)."""
    first, *lines = gzip.decompress(LIMITS.read_bytes()).splitlines()
    objects, wrong = json.loads(first), []
    for limit in map(json.loads, lines):
        whole, part = objects[limit["object"]], Part(tuple(limit["path"]), limit["grows"])
        answers = [
            agrees(whole["kind"], ours(grown(whole, part, size)), size > limit["most"])
            for size in (limit["most"], limit["most"] + 1)
        ]
        wrong += [] if all(answers) else [f"{whole['kind']} {part.sort} {limit['most']}: {answers}"]
    assert not wrong
    assert len(lines) > 300


@pytest.mark.parametrize(("prefix", "refused"), [("-", True), ("a-", False), ("a.-", False), ("Aa-", True)])
def test_a_prefix_of_names_ends_in_what_a_name_may_have_inside(prefix: str, refused: bool) -> None:
    """v1.37: pkg/apis/core/validation, maskTrailingDash."""
    pod = VALID["Pod"](random.Random(1))
    pod["metadata"] |= {"generateName": prefix}
    assert bool(ours(pod)) is refused


def test_many_objects_of_every_kind_are_recorded() -> None:
    answers = {(each["object"]["kind"], each["refused"]) for each in RECORDED}
    assert answers == {(kind, refused) for kind in VALID for refused in (True, False)}
    assert len(RECORDED) > 700 and sum(each["refused"] for each in RECORDED) > 500


def test_the_documentation_lists_the_differences() -> None:
    rows = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    listed = [f"| {each.name} | {each.reason} |" for each in (*LET_THROUGH, *REFUSED_HERE)]
    assert [row for row in rows if row not in ("| What | Why |", "|---|---|")] == listed


DEVICES = {"driver": "d.example.com", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}


def slice_with(attribute: dict[str, Any]) -> dict[str, Any]:
    spec = DEVICES | {"devices": [{"name": "gpu", "attributes": {"a": attribute}}]}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": spec}


def pod_in(group: dict[str, str]) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "nginx"}], "schedulingGroup": group}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}


POLICY = {"schedulingPolicy": {"basic": {}}, "resourceClaims": [{}]}
GROUP = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": POLICY}


@pytest.mark.parametrize(
    "manifest",
    [
        slice_with({"bool": True, "bools": [True]}),
        slice_with({"int": 1, "ints": []}),
        pod_in({}),
        pod_in({"podGroupName": "A"}),
        GROUP,
    ],
    ids=["a list beside a value", "an empty list beside a value", "no group", "no name of a group", "an empty claim"],
)
def test_what_a_gate_that_is_off_would_drop_is_refused(manifest: dict[str, Any]) -> None:
    """v1.37: pkg/registry/resource/resourceslice/strategy.go, pkg/api/pod/util.go, pkg/registry/scheduling/podgroup."""
    assert ours(manifest) and agrees(manifest["kind"], ours(manifest), refused=False)


@pytest.mark.parametrize(("number", "refused"), [(4, []), (5, ["spec.resourceClaims"])])
def test_a_group_has_four_claims_at_most(number: int, refused: list[str]) -> None:
    """v1.37: pkg/apis/scheduling/types.go, MaxPodGroupResourceClaims."""
    claims = [{"name": f"c{i}", "resourceClaimName": "c"} for i in range(number)]
    assert [each.where for each in ours(GROUP | {"spec": POLICY | {"resourceClaims": claims}})] == refused


@pytest.mark.parametrize("items", [[{}], ["a"], [1.5], [[1]]])
@pytest.mark.parametrize("field", ["ints", "bools"])
def test_an_item_of_the_wrong_type_is_named(field: str, items: list[Any]) -> None:
    assert [each.where for each in ours(slice_with({field: items}))] == [f"spec.devices[0].attributes.a.{field}[0]"]
    assert ours(slice_with({field: [None]})) == [], "null is 0, or false"


@pytest.mark.parametrize(("path", "refused"), [("/", True), ("//.", True), ("/data", False)])
def test_a_root_folder_is_not_recycled(path: str, refused: bool) -> None:
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": path}}
    spec |= {"persistentVolumeReclaimPolicy": "Recycle"}
    found = ours({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": spec})
    assert [each.where for each in found] == ["spec.persistentVolumeReclaimPolicy"] * refused


def test_a_controller_does_not_wait_less_than_no_time() -> None:
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"selector": {"app": "web"}, "template": pod, "minReadySeconds": -1}
    found = ours({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"}, "spec": spec})
    assert [each.where for each in found] == ["spec.minReadySeconds"]


def test_what_follows_from_a_meant_refusal_is_meant() -> None:
    manifest = slice_with({"int": 1})
    policy = {"default": "4Gi", "validValues": ["4Gi", "8Gi"]}
    (device,) = manifest["spec"]["devices"]
    device |= {"allowMultipleAllocations": True, "capacity": {"memory": {"value": "1e65", "requestPolicy": policy}}}
    assert len(ours(manifest)) > 1 and agrees("ResourceSlice", ours(manifest), refused=False)
    device["capacity"]["memory"]["value"] = "1Gi"
    assert not agrees("ResourceSlice", ours(manifest), refused=False)


def test_only_a_volume_has_a_namespace_of_its_secret() -> None:
    file = {"secretName": "s", "shareName": "t", "secretNamespace": ""}
    manifest = pod_in({"podGroupName": "g"})
    manifest["spec"]["volumes"] = [{"name": "v", "azureFile": file}]
    assert ours(manifest) == []
    manifest["spec"]["volumes"][0]["azureFile"] = file | {"secretNamespace": []}
    assert ours(manifest) == []
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "azureFile": file}
    found = ours({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": spec})
    assert [each.where for each in found] == ["spec.azureFile.secretNamespace"]


def test_a_changed_class_of_service_is_let_through() -> None:
    answer = {"errors": [{"field": "status.qosClass", "type": "FieldValueInvalid", "detail": "field is immutable"}]}
    manifest = pod_in({"podGroupName": "g"}) | {"status": {"qosClass": "Guaranteed"}}
    assert theirs(manifest, answer) == [] and ours(manifest) == []
