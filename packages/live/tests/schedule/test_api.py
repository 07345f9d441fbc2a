"""What is written: the change and nothing else."""

import asyncio
import json
from typing import Any

from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from kschedlab.objects.model import PersistentVolumeClaim, Pod, PodCondition
from kschedlab_live.schedule.api import LiveApi, merge_patch, object_patch, status_patch
from kschedlab_live.schedule.clock import WallClock
from kschedlab_live.schedule.decoding import decode_object
from packages.live.tests.schedule.fakes import FakeClient, pod, run, until

DATA = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=8,
)


def without_nulls(data: Any) -> Any:
    """A merge patch cannot write null into a map."""
    return (
        {key: without_nulls(each) for key, each in data.items() if each is not None} if isinstance(data, dict) else data
    )


def applied(data: Any, patch: Any) -> Any:
    """RFC 7386, as it is written there."""
    if not isinstance(patch, dict):
        return patch
    result = dict(data) if isinstance(data, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = applied(result.get(key), value)
    return result


@settings(deadline=None)
@given(st.dictionaries(st.text("abc", max_size=2), DATA), st.dictionaries(st.text("abc", max_size=2), DATA))
def test_a_merge_patch_leads_from_one_to_the_other(before: dict, after: dict) -> None:
    before, after = without_nulls(before), without_nulls(after)
    patch = merge_patch(before, after)
    assert applied(before, patch) == after
    assert (patch == {}) == (before == after)


def claim(**more: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": "data",
        "namespace": "default",
        "uid": "u",
        "resourceVersion": "7",
        "annotations": {"mine": "1"},
    }
    return {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": metadata, "spec": {}, "status": {}} | more


def test_an_update_is_a_patch_that_knows_the_version() -> None:
    old = decode_object(PersistentVolumeClaim, json.dumps(claim()).encode())
    item = {key: value for key, value in claim().items() if key not in ("kind", "apiVersion")}  # as in a list
    annotations = old.metadata.annotations | {"volume.kubernetes.io/selected-node": "n1"}
    new = replace(old, metadata=replace(old.metadata, annotations=annotations))
    assert object_patch(old, new) == {
        "metadata": {
            "annotations": {"volume.kubernetes.io/selected-node": "n1"},
            "resourceVersion": "7",
            "uid": "u",
        }
    }
    assert object_patch(old, old) == {}
    as_item = decode_object(PersistentVolumeClaim, b'{"kind":"PersistentVolumeClaim",' + json.dumps(item).encode()[1:])
    assert object_patch(old, as_item) == {}


def test_a_condition_keeps_its_time_while_its_status_stays() -> None:
    moment = "2026-01-02T03:04:05Z"
    conditions = [{"type": "PodScheduled", "status": "False", "reason": "Old", "lastTransitionTime": moment}]
    known = decode_object(Pod, json.dumps({"kind": "Pod"} | pod("web", 5, status={"conditions": conditions})).encode())
    new = PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message="why")
    patch = status_patch(known, "u-web", 1_800_000_000_000_000, {"conditions": [new], "nominatedNodeName": ""})
    assert patch == {
        "metadata": {"uid": "u-web"},
        "status": {
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "why",
                    "lastTransitionTime": moment,
                }
            ],
            "nominatedNodeName": None,
        },
    }
    fresh = status_patch(None, "", 1_800_000_000_000_000, {"conditions": [new]})
    assert fresh["status"]["conditions"][0]["lastTransitionTime"] == "2027-01-15T08:00:00Z"


def test_an_update_of_a_pods_status_sends_only_the_conditions_that_changed() -> None:
    same, new = ({"type": type, "status": "False", "reason": "Unschedulable"} for type in ("Ready", "PodScheduled"))
    client = FakeClient(lambda *_: {"kind": "Pod"} | pod("web", 5, status={"conditions": [same]}))
    stored = decode_object(
        Pod, json.dumps({"kind": "Pod"} | pod("web", 5, status={"conditions": [same, new]})).encode()
    )

    async def update() -> None:
        event = LiveApi(WallClock(), client, print).update_status(stored)
        await until(lambda: event.triggered)

    run(update())
    (_, _, _, _), (method, _, patch, _) = client.asked
    assert method == "PATCH" and [each["type"] for each in patch["status"]["conditions"]] == ["PodScheduled"]


def test_an_update_of_another_objects_status_sends_what_differs() -> None:
    client = FakeClient(lambda *_: claim())
    bound = decode_object(PersistentVolumeClaim, json.dumps(claim(status={"phase": "Bound"})).encode())

    async def update() -> None:
        event = LiveApi(WallClock(), client, print).update_status(bound)
        await until(lambda: event.triggered)

    run(update())
    (_, _, _, _), (method, path, patch, _) = client.asked
    assert (method, path.rpartition("/")[2], patch["status"]) == ("PATCH", "status", {"phase": "Bound"})


def test_an_update_of_another_version_is_a_conflict_and_writes_nothing() -> None:
    client = FakeClient(lambda *_: claim())
    old = decode_object(PersistentVolumeClaim, json.dumps(claim()).encode())
    stale = replace(old, metadata=replace(old.metadata, resourceVersion="6", annotations={}))

    async def update() -> Any:
        event = LiveApi(WallClock(), client, print).update(stale)
        await until(lambda: event.triggered)
        return event.value

    assert run(update()).reason == "Conflict"
    assert [each[0] for each in client.asked] == ["GET"]


def test_who_lost_the_lease_writes_nothing() -> None:
    client = FakeClient(lambda *_: {})

    async def write() -> list[str]:
        api = LiveApi(WallClock(), client, print)
        api.may_write = False
        events = [
            api.bind("default", "web", "u", "n1"),
            api.delete(Pod, "default", "web"),
            api.patch_status(Pod, "a", "b"),
        ]
        await until(lambda: all(each.triggered for each in events))
        return [str(each.value) for each in events]

    assert all("no longer the leader" in each for each in run(write()))
    assert client.asked == []


def test_a_request_is_counted_until_it_is_answered_or_ended() -> None:
    client = FakeClient(lambda *_: {})

    async def counted() -> list[Any]:
        api = LiveApi(WallClock(), client, print)
        answered = api.patch_status(Pod, "a", "b")
        counts: list[Any] = [api.calls]
        await until(lambda: answered.triggered)
        await asyncio.sleep(0)
        counts.append(api.calls)
        ended = api.patch_status(Pod, "a", "b")
        await asyncio.sleep(0)
        await api.close()
        return [*counts, api.calls, ended.triggered]

    assert run(counted()) == [1, 0, 0, False]
