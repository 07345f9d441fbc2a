"""JSON patches, merge patches and strategic merge patches, as the API server applies them."""

import json

import pytest

from kschedlab_live.serve.patches import patch_of
from kschedlab_simulation.status import ApiError

JSON, MERGE = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def patched(kind, data, patch):
    return patch_of(kind, json.dumps(patch).encode())(data)


@pytest.mark.parametrize(
    ("data", "patch", "expected"),
    [
        ({"a": 1}, [{"op": "add", "path": "/b", "value": 2}], {"a": 1, "b": 2}),
        ({"a": [1, 3]}, [{"op": "add", "path": "/a/1", "value": 2}], {"a": [1, 2, 3]}),
        ({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}], {"a": [1, 2]}),
        ({"a": [1, 2]}, [{"op": "replace", "path": "/a/-1", "value": 3}], {"a": [1, 3]}),
        ({"a": [1, 2]}, [{"op": "remove", "path": "/a/-2"}], {"a": [2]}),
        ({"a": [1, 2]}, [{"op": "add", "path": "/a/-1", "value": 3}], {"a": [1, 2, 3]}),
        ({"a": [1, 2]}, [{"op": "add", "path": "/a/-3", "value": 3}], {"a": [3, 1, 2]}),
        ({"a": [1]}, [{"op": "add", "path": "/a/+1", "value": 2}], {"a": [1, 2]}),
        ({"a": {"x/y": 1, "m~n": 2}}, [{"op": "remove", "path": "/a/x~1y"}], {"a": {"m~n": 2}}),
        ({"a": {"m~n": 2}}, [{"op": "replace", "path": "/a/m~0n", "value": 3}], {"a": {"m~n": 3}}),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/b"}], {"b": 1}),
        ({"a": [1]}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": [1], "b": [1]}),
        ({"a": 1}, [{"op": "test", "path": "/a", "value": 1}], {"a": 1}),
        ({"a": 1}, [{"op": "replace", "path": "", "value": {"b": 2}}], {"b": 2}),
    ],
)
def test_json_patches(data, patch, expected):
    before = json.dumps(data)
    assert patched(JSON, data, patch) == expected
    assert json.dumps(data) == before


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ([{"op": "remove", "path": "/x"}], "operation 0 of the JSON patch fails: the path does not exist"),
        *(
            ([{"op": "add", "path": f"/a/{at}", "value": 1}], "does not exist")
            for at in ("2", "-3", "x", "", "9" * 9999)
        ),
        *(([{"op": "remove", "path": f"/a/{at}"}], "does not exist") for at in ("1", "-2", "-", "1.0")),
        *(([{"op": "replace", "path": path, "value": 1}], "does not exist") for path in ("/x", "/a/1", "/b/c", "/a/-")),
        ([{"op": "test", "path": "/a", "value": []}], "differs from the tested one"),
        ([{"op": "move", "from": "/b", "path": "/b/c"}], "cannot move into itself"),
        ([{"op": "add", "path": "a", "value": 1}], "not a JSON pointer"),
        ([{"op": "grow", "path": "/a"}], "op is not one of"),
        ([{"path": "/a"}], "does not exist"),
        ([{"op": "remove", "path": ""}], "cannot be removed"),
    ],
)
def test_json_patches_that_fail(patch, why):
    with pytest.raises(ApiError, match=why) as error:
        patched(JSON, {"a": [1], "b": {}}, patch)
    assert error.value.code == 422


def test_a_json_patch_has_ten_thousand_operations_at_most():
    """v1.37: apiserver pkg/endpoints/handlers/patch.go, maxJSONPatchOperations."""
    test = {"op": "test", "path": "/a", "value": 1}
    assert patched(JSON, {"a": 1}, [test] * 10_000) == {"a": 1}
    with pytest.raises(ApiError, match="at most 10,000 operations") as error:
        patched(JSON, {"a": 1}, [test] * 10_001)
    assert error.value.code == 413


def test_a_json_patch_copies_as_much_as_a_request_has_bytes():
    """v1.37: apiserver pkg/server/config.go, JSONPatchMaxCopyBytes; evanphx/json-patch.v4, accumulatedCopySize."""
    half = {"a": "x" * (3 * 1024**2 // 2 - 2)}  # with its quotes, half of 3 MiB
    copies = [{"op": "copy", "from": "/a", "path": f"/{name}"} for name in "bc"]
    assert patched(JSON, half, copies)["c"] == half["a"]
    with pytest.raises(ApiError, match="operation 2 of the JSON patch fails: its operations copy more than 3,145,728"):
        patched(JSON, half | {"s": 1}, [*copies, {"op": "copy", "from": "/s", "path": "/t"}])


def test_a_merge_patch_removes_with_null_and_replaces_lists():
    assert patched(MERGE, {"a": {"b": 1, "c": 2}, "l": [1, 2]}, {"a": {"b": None}, "l": [3]}) == {
        "a": {"c": 2},
        "l": [3],
    }


CONTAINERS = {"containers": [{"name": "a", "image": "x", "env": [{"name": "E", "value": "1"}]}, {"name": "b"}]}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"containers": [{"name": "b", "image": "y"}]}, [CONTAINERS["containers"][0], {"name": "b", "image": "y"}]),
        ({"containers": [{"name": "a", "$patch": "delete"}]}, [{"name": "b"}]),
        ({"containers": [{"$patch": "replace"}, {"name": "c"}]}, [{"name": "c"}]),
        (
            {
                "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
                "containers": [{"name": "b", "image": "y"}],
            },
            [{"name": "b", "image": "y"}, CONTAINERS["containers"][0]],
        ),
        (
            {"containers": [{"name": "a", "env": [{"name": "F", "value": "2"}]}]},
            [
                {"name": "a", "image": "x", "env": [{"name": "E", "value": "1"}, {"name": "F", "value": "2"}]},
                {"name": "b"},
            ],
        ),
    ],
)
def test_strategic_patches_merge_lists_by_their_key(patch, expected):
    assert patched(STRATEGIC, CONTAINERS, patch) == {"containers": expected}


def test_strategic_patches_of_maps_and_sets():
    assert patched(STRATEGIC, {"t": [{"key": "a"}]}, {"t": [{"key": "b"}]}) == {"t": [{"key": "b"}]}
    assert patched(STRATEGIC, {"finalizers": ["a", "b"]}, {"finalizers": ["c"]}) == {"finalizers": ["a", "b", "c"]}
    patch = {"$deleteFromPrimitiveList/finalizers": ["a"]}
    assert patched(STRATEGIC, {"finalizers": ["a", "b"]}, patch) == {"finalizers": ["b"]}
    assert patched(STRATEGIC, {"s": {"a": 1, "b": 2}}, {"s": {"$patch": "replace", "c": 3}}) == {"s": {"c": 3}}
    assert patched(STRATEGIC, {"s": {"a": 1, "b": 2}}, {"s": {"$retainKeys": ["a", "c"], "c": 3}}) == {
        "s": {"a": 1, "c": 3}
    }
    assert patched(STRATEGIC, {"s": {"a": 1, "b": 2}, "c": 3}, {"s": {"a": None}, "c": None, "d": None}) == {
        "s": {"b": 2}
    }
    with pytest.raises(ApiError, match="is missing"):
        patched(STRATEGIC, CONTAINERS, {"containers": [{"image": "y"}]})


@pytest.mark.parametrize("kind", ["application/apply-patch+yaml", "text/plain"])
def test_other_patches_are_refused(kind):
    with pytest.raises(ApiError) as error:
        patch_of(kind, b"{}")
    assert error.value.code == 415


@pytest.mark.parametrize(
    ("field", "key"),
    [
        *(("conditions", "type"), ("addresses", "type"), ("ports", "containerPort"), ("ports", "port")),
        *(("volumeMounts", "mountPath"), ("volumeDevices", "devicePath"), ("topologySpreadConstraints", "topologyKey")),
        *(
            ("ownerReferences", "uid"),
            ("reservedFor", "uid"),
            ("hostAliases", "ip"),
            ("hostIPs", "ip"),
            ("podIPs", "ip"),
        ),
        *((field, "name") for field in ("containers", "initContainers", "ephemeralContainers", "env", "volumes")),
        *((field, "name") for field in ("imagePullSecrets", "secrets", "schedulingGates", "resourceClaims")),
        *(
            (field, "name")
            for field in ("resourceClaimStatuses", "drivers", "webhooks", "matchConditions", "variables")
        ),
    ],
)
def test_a_strategic_patch_changes_the_item_with_the_key_and_keeps_the_others(field, key):
    """v1.37: k8s.io/api, patchMergeKey in types.go."""
    one, two, three = ({key: value} for value in ("1", "2", "3"))
    patch = {field: [two | {"x": 1}, three]}
    assert patched(STRATEGIC, {field: [one, two | {"y": 2}]}, patch) == {field: [one, two | {"x": 1, "y": 2}, three]}


@pytest.mark.parametrize("field", ["tolerations", "taints", "rules", "subjects", "matchExpressions", "envFrom"])
def test_a_strategic_patch_replaces_a_list_without_a_key(field):
    assert patched(STRATEGIC, {field: [{"name": "a", "key": "a"}]}, {field: [{"name": "b"}]}) == {
        field: [{"name": "b"}]
    }


@pytest.mark.parametrize("field", ["finalizers", "podCIDRs"])
def test_a_strategic_patch_adds_to_a_list_that_is_a_set(field):
    assert patched(STRATEGIC, {field: ["a", "b"]}, {field: ["c", "a"]}) == {field: ["a", "b", "c"]}


def test_what_a_json_patch_does_not_say_is_null_and_a_move_to_itself_changes_nothing():
    assert patched(JSON, {"a": 1}, [{"op": "add", "path": "/b"}]) == {"a": 1, "b": None}
    assert patched(JSON, {"a": {"b": 1}}, [{"op": "move", "from": "/a", "path": "/a"}]) == {"a": {"b": 1}}
    with pytest.raises(ApiError, match="operation 1 of"):
        patched(JSON, {"a": 1}, [{"op": "test", "path": "/a", "value": 1}, {"op": "test", "path": "/a", "value": 2}])
