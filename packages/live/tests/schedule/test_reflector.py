"""Informers on a real connection: whatever happens, the cache ends up as the cluster is."""

from itertools import islice
from typing import Any

import httpx
import pytest

from kschedlab.objects.model import DeviceClass, Node, Pod, ResourceClaim
from kschedlab_live.schedule.api import LiveApi
from kschedlab_live.schedule.clock import WallClock
from kschedlab_live.schedule.reflector import LiveWatch, Reflector, path_of, pauses
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.informers import Informer
from packages.live.tests.schedule.fakes import FakeClient, change, listed, pod, run, status, until

GONE = change("ERROR", status(410, "Expired", "too old resource version"))
GONE["object"] = status(410, "Expired", "too old resource version")


def reflector(client: FakeClient, notes: list[str] | None = None, **more: Any) -> Reflector:
    return Reflector(WallClock(), client, Pod, [].append if notes is None else notes.append, **more)


def told(watch: LiveWatch) -> list[tuple[str, str]]:
    return [(each.type, each.object.metadata.name if each.object else "") for _, each in watch.pending]


def test_paths_are_those_of_the_api() -> None:
    assert path_of(Pod) == "/api/v1/pods"
    assert path_of(Pod, "default", "web", "binding") == "/api/v1/namespaces/default/pods/web/binding"
    assert path_of(Node, "ignored", "n1") == "/api/v1/nodes/n1"
    assert path_of(DeviceClass) == "/apis/resource.k8s.io/v1/deviceclasses"
    assert path_of(ResourceClaim, "a", "b").endswith("/v1/namespaces/a/resourceclaims/b")


def test_pauses_double_up_to_half_a_minute_and_differ_between_clients() -> None:
    mine, yours = list(islice(pauses(), 9)), list(islice(pauses(), 9))
    for each, least in zip(mine, (0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30), strict=True):
        assert least <= each <= 1.5 * least
    assert mine != yours


def test_a_list_comes_in_pages_and_its_nulls_are_harmless() -> None:
    nulls = pod("b", 2, spec={"containers": None, "tolerations": None}, status={"conditions": None})
    pages = {"": listed(pod("a", 1), more="next"), "next": listed(nulls, version=11)}
    client = FakeClient(lambda method, path, body, query: pages[query.get("continue", "")])
    found, version = run(reflector(client).list_all())
    assert [each.metadata.name for each in found] == ["a", "b"] and version == "11"
    assert found[1].spec.containers == () and found[1].status.conditions == ()
    assert client.asked[0][3]["fieldSelector"] == "status.phase!=Succeeded,status.phase!=Failed"
    empty = FakeClient(lambda *_: listed() | {"items": None})
    assert run(reflector(empty).list_all()) == ([], "10")


@pytest.mark.usefixtures("no_pauses")
def test_a_list_is_tried_until_it_works_and_the_cause_is_said_once() -> None:
    answers = [
        failure(403, "Forbidden", "no"),
        failure(403, "Forbidden", "no"),
        failure(503, "", "x"),
        listed(pod("a", 1)),
    ]
    notes: list[str] = []
    found, _ = run(reflector(FakeClient(lambda *_: answers.pop(0)), notes).list_all())
    assert len(found) == 1
    assert notes == ["cannot list pods: no (grant the verbs list and watch on pods)", "cannot list pods: x"]


@pytest.mark.usefixtures("no_pauses")
def test_a_page_that_is_too_late_starts_the_list_anew() -> None:
    def answer(method: str, path: str, body: Any, query: dict[str, str]) -> Any:
        if "continue" in query:
            return failure(410, "Expired", "the token is too old")
        return listed(pod("a", 1), more="next") if "limit" in query else listed(pod("a", 1), pod("b", 2))

    found, _ = run(reflector(FakeClient(answer)).list_all())
    assert [each.metadata.name for each in found] == ["a", "b"]


@pytest.mark.usefixtures("no_pauses")
def test_a_watch_that_breaks_off_resumes_at_the_last_version() -> None:
    bookmark = change(
        "BOOKMARK", {"metadata": {"resourceVersion": "30", "creationTimestamp": None}, "spec": {"containers": None}}
    )
    streams = [
        [change("ADDED", pod("a", 11)), httpx.ReadError("cut")],
        [bookmark],
        [failure(500, "", "broken")],
        [change("DELETED", pod("a", 31))],
    ]
    client = FakeClient(lambda *_: None, streams)

    async def watch() -> None:
        mine = reflector(client)
        following = mine.watch("10")
        await until(lambda: len(following.pending) == 3)
        assert told(following) == [("ADDED", "a"), ("BOOKMARK", ""), ("DELETED", "a")]
        assert mine.known == {}
        following.stop()

    run(watch())
    assert [each["resourceVersion"] for each in client.watched] == ["10", "11", "30", "30"]
    assert all(each["allowWatchBookmarks"] == "true" for each in client.watched)


@pytest.mark.usefixtures("no_pauses")
def test_why_a_watch_cannot_be_opened_is_said_once_and_again_after_one_that_lasted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kschedlab_live.schedule.reflector.SHORT", -1)  # each that opens lasts longer
    away, cut = failure(503, "", "away"), httpx.ReadError("cut")
    notes: list[str] = []

    async def watch() -> None:
        client = FakeClient(lambda *_: None, [[away], [away], [cut], [cut], [away], []])
        following = reflector(client, notes).watch("10")
        await until(lambda: not client.streams, 10**6)
        following.stop()

    run(watch())
    assert [note.rpartition(" ")[2] for note in notes] == ["away", "cut", "cut", "away"]


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (GONE, []),
        ({"type": "ERROR", "object": status(500, "InternalError", "broken")}, ["cannot watch pods: broken"]),
        (failure(410, "Gone", "too old"), []),
        (failure(404, "NotFound", "no such resource"), []),
        (failure(504, "Timeout", "too large"), []),
    ],
)
def test_what_the_server_forgot_is_listed_again(stream: Any, said: list[str]) -> None:
    notes: list[str] = []

    async def watch() -> list[tuple[str, str]]:
        following = reflector(FakeClient(lambda *_: None, [[stream]]), notes).watch("10")
        await until(lambda: following.pending)
        following.stop()
        return told(following)

    assert run(watch()) == [("ERROR", "")] and notes == said


@pytest.mark.usefixtures("no_pauses")
def test_a_watch_that_one_stops_is_no_fault() -> None:
    async def watch() -> str:
        mine = reflector(FakeClient(lambda *_: None, []))
        following = mine.watch("10")
        mine.close()
        await until(lambda: following.task is not None and following.task.done())
        return mine.fault

    assert run(watch()) == ""


@pytest.mark.usefixtures("no_pauses")
def test_a_kind_that_the_server_lacks_is_empty_until_it_comes() -> None:
    answers = [failure(404, "NotFound", "no such resource"), listed(pod("a", 1))]
    client = FakeClient(lambda *_: answers.pop(0))

    async def follow() -> None:
        mine = reflector(client)
        assert await mine.list_all() == ([], "")
        following = mine.watch("")
        await until(lambda: following.pending, 10**6)
        assert told(following) == [("ERROR", "")] and client.watched == []
        assert len((await mine.list_all())[0]) == 1
        following.stop()

    run(follow())


def test_an_object_that_no_longer_counts_is_deleted() -> None:
    lines = [
        change("ADDED", pod("other", 11, status={"phase": "Running"})),
        change("MODIFIED", pod("mine", 12)),
        change("MODIFIED", pod("mine", 13, status={"phase": "Running"})),
        change("MODIFIED", pod("mine", 14, status={"phase": "Running"})),
    ]

    async def watch() -> list[tuple[str, str]]:
        client = FakeClient(lambda *_: None, [lines])
        following = reflector(client, filter=lambda each: each.status.phase == "Pending").watch("10")
        await until(lambda: not client.streams and len(following.pending) == 2)
        following.stop()
        return told(following)

    assert run(watch()) == [("MODIFIED", "mine"), ("DELETED", "mine")]


@pytest.mark.usefixtures("no_pauses")
def test_an_informer_survives_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation's informer, fed over a network: cut, forgotten, listed again."""
    monkeypatch.setattr("kschedlab_simulation.informers.BACKOFF", 1_000)
    lists = [listed(pod("a", 1), pod("b", 2)), listed(pod("b", 2), pod("d", 40), version=41)]
    streams = [
        [change("ADDED", pod("c", 11)), httpx.ReadError("cut")],
        [change("MODIFIED", pod("c", 12)), GONE],
        [change("MODIFIED", pod("d", 42))],
    ]
    client = FakeClient(lambda *_: lists.pop(0), streams)
    seen: list[tuple[str, str]] = []

    async def live() -> None:
        import asyncio

        clock = WallClock()
        informer = Informer(clock, LiveApi(clock, client, seen.append), Pod)
        informer.add_handler(
            lambda new: seen.append(("add", new.metadata.name)),
            lambda old, new: seen.append(("update", new.metadata.name)),
            lambda old: seen.append(("delete", old.metadata.name)),
        )
        informer.start()
        driving = asyncio.create_task(clock.drive())
        await until(lambda: ("update", "d") in seen, 10**6)
        assert sorted(each.metadata.name for each in informer.list()) == ["b", "d"]
        driving.cancel()

    run(live())
    events = [each for each in seen if isinstance(each, tuple)]
    assert events[:4] == [("add", "a"), ("add", "b"), ("add", "c"), ("update", "c")]
    assert events[4:] == [("delete", "a"), ("delete", "c"), ("add", "d"), ("update", "d")]
