"""A server that sends anything at all: the scheduler says so and goes on."""

from __future__ import annotations

import asyncio
import json
import random
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kschedlab.objects.model import Pod
from kschedlab_live.schedule import client as client_module, reflector as reflector_module
from kschedlab_live.schedule.access import Access
from kschedlab_live.schedule.api import LiveApi
from kschedlab_live.schedule.client import Client, answered_with
from kschedlab_live.schedule.clock import WallClock
from kschedlab_live.schedule.decoding import decode_frame, decode_list, decode_object
from kschedlab_live.schedule.election import Election
from kschedlab_live.schedule.reflector import Reflector
from kschedlab_live.schedule.service import Service, Settings
from kschedlab_simulation.log import Log, Step
from kschedlab_simulation.scheduler.kube_scheduler import KubeScheduler
from kschedlab_simulation.scheduler.loop import POP, SKIP
from kschedlab_simulation.status import ApiError
from packages.live.tests.schedule.fakes import FakeClient, change, listed, pod, run, status, until
from packages.live.tests.schedule.test_client import ask, server
from tests.course import GENERATIONS

SOMETHING: list[Any] = [None, 0, -1, 1e300, True, "", "abc", "\x00\x1b[2J", [], [1], {}, {"a": 1}, [[]] * 3, 10**18]
DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("60", 60), ("nan", 1), ("inf", 1), ("-5", 1), ("1e9", 1), ("0", 1), ("999999999", 300), ("9" * 5000, 1), ("", 1)],
)
def test_the_wait_that_a_busy_server_asks_for(header: str, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(client_module.asyncio, "sleep", sleep)
    answers = [(429, {"Retry-After": header}, b""), (200, {}, b"1")]
    with server(lambda _: answers.pop(0)) as url:
        assert ask(Access(url)) == [1]
    assert [wait for wait in waits if wait] == [seconds]


def test_an_answer_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 1024**2)

    async def watch(url: str) -> None:
        client = Client(Access(url))
        try:
            async with client.stream("/x", {}) as lines:
                async for _ in lines:
                    pass
        finally:
            await client.close()

    with server(lambda _: (200, {}, b"x" * 3_000_000)) as url:
        with pytest.raises(ApiError, match="more than 1 MiB"):
            ask(Access(url))
        with pytest.raises(client_module.TooLongError):
            run(watch(url))


# -- what is read


def mutated(chance: random.Random, value: Any) -> Any:
    """The value with something else in one place."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.2:
        return chance.choice(SOMETHING)
    copy: Any = value.copy()
    key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy[key] = mutated(chance, value[key])
    return copy


def test_whatever_a_server_sends_is_read_or_a_value_error() -> None:
    chance = random.Random(28)
    frame = change("ADDED", pod("a", 1, status={"conditions": [{"type": "Ready", "status": "True"}]}))
    page = listed(pod("a", 1), pod("b", 2), more="x")
    read = 0
    for _ in range(3000):
        for decoded, data in ((decode_frame, frame), (lambda raw: decode_list(Pod, raw), page)):
            raw = json.dumps(mutated(chance, mutated(chance, data))).encode()
            try:
                found = decoded(raw)
                if decoded is decode_frame:
                    decode_object(Pod, found[1])
                read += 1
            except ValueError:
                pass
        assert answered_with(None, raw).code
    assert read > 500
    for reads in (decode_frame, lambda raw: decode_list(Pod, raw), lambda raw: decode_object(Pod, raw)):
        for raw in (DEEP, b"", b"<html>", b"\xff", b'{"metadata":' + DEEP, b'{"type":"ADDED","object":' + DEEP):
            with pytest.raises(ValueError):
                reads(raw)


def watching(stream: list[Any], notes: list[str]) -> list[str]:
    """The types of the events that the watch of such a stream brings, up to the first."""

    async def watch() -> list[str]:
        mine = Reflector(WallClock(), FakeClient(lambda *_: None, [stream]), Pod, notes.append)
        following = mine.watch("10")
        await until(lambda: following.pending, 10**6)
        assert mine.fault == ""
        following.stop()
        return [event.type for _, event in following.pending]

    return run(watch())


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("broken", [[1], "x", None, 7, {"code": "many"}, {"code": None}, status(500, "InternalError")])
def test_a_broken_error_lists_again(broken: Any) -> None:
    notes: list[str] = []
    assert watching([{"type": "ERROR", "object": broken}], notes) == ["ERROR"]
    assert len(notes) == 1 and notes[0].startswith("cannot watch pods: ")


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("junk", [{"type": "ADDED", "object": [1]}, {"type": "NEWS", "object": pod("a", 1)}, [], 5])
def test_junk_in_a_watch_is_said_and_the_watch_resumes(junk: Any) -> None:
    async def watch() -> None:
        notes: list[str] = []
        client = FakeClient(lambda *_: None, [[junk], [change("ADDED", pod("a", 11))]])
        following = Reflector(WallClock(), client, Pod, notes.append).watch("10")
        await until(lambda: following.pending, 10**6)
        following.stop()
        assert [event.type for _, event in following.pending] == ["ADDED"]
        assert [each["resourceVersion"] for each in client.watched] == ["10", "10"] and len(notes) == 1

    run(watch())


@pytest.mark.usefixtures("no_pauses")
def test_what_nobody_expected_does_not_end_a_watch_in_silence() -> None:
    notes: list[str] = []
    assert watching([RuntimeError("a fault of ours")], notes) == ["ERROR"]
    assert notes == ["cannot watch pods: a fault of ours"]


def test_a_dead_watch_is_a_fault() -> None:
    async def die() -> str:
        clock = WallClock()
        api = LiveApi(clock, FakeClient(lambda *_: listed()), print)
        listing = api.list(Pod)
        driving = asyncio.create_task(clock.drive())
        await until(lambda: listing.processed)
        watch = api.watch(Pod, "10")
        assert api.fault == ""
        assert watch.task is not None
        watch.task.cancel()
        await until(watch.task.done)
        driving.cancel()
        return api.fault

    assert "pods" in run(die())


@pytest.mark.usefixtures("no_pauses")
def test_a_list_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflector_module, "MOST_PAGES", 20)
    notes: list[str] = []

    def endless(method: str, path: str, body: Any, query: dict[str, str]) -> Any:
        return listed(pod("a", 1), more=str(len(client.asked))) if len(client.asked) <= 20 else listed(pod("b", 2))

    client = FakeClient(endless)
    (found,), _ = run(Reflector(WallClock(), client, Pod, notes.append).list_all())
    assert found.metadata.name == "b" and len(notes) == 1 and "does not end" in notes[0]


@pytest.mark.parametrize("answer", [*SOMETHING, {"metadata": {}, "spec": {"leaseDurationSeconds": "abc"}}])
def test_an_answer_that_is_not_a_lease_is_said(answer: Any) -> None:
    notes: list[str] = []

    async def take() -> bool:
        mine = Election(FakeClient(lambda *_: answer), "kube-system", "kschedlab", "me", notes.append)
        return await mine._tried()

    assert run(take()) is False
    assert len(notes) == 1 and notes[0].startswith("the lease kube-system/kschedlab: ")


def test_a_leader_that_gets_nonsense_loses_its_lease() -> None:
    lease = {"metadata": {"resourceVersion": "1"}, "spec": {"holderIdentity": "me"}}

    async def lead() -> str:
        client = FakeClient(lambda *_: lease)
        mine = Election(client, "kube-system", "kschedlab", "me", [].append, deadline=0.05, retry=0.01)
        await mine.acquire()
        client.answers = lambda *_: {"metadata": [], "spec": {"leaseTransitions": "many"}}
        return await mine.hold()

    assert "could not be renewed" in run(lead())


def test_a_pod_that_changes_its_scheduler_is_skipped() -> None:
    gate = {"schedulingGates": [{"name": "g"}], "containers": [{"name": "c"}]}
    mine = pod("a", 1, spec=gate | {"schedulerName": "kschedlab"})
    others = pod("a", 11, spec={"schedulerName": "another", "containers": [{"name": "c"}]})

    async def schedule() -> None:
        clock, log = WallClock(), Log()
        client = FakeClient(lambda method, path, *_: listed(mine) if path == "/api/v1/pods" else listed())

        @asynccontextmanager
        async def stream(path: str, query: Mapping[str, str]) -> AsyncIterator[AsyncIterator[bytes]]:
            async def lines() -> AsyncIterator[bytes]:
                if path == "/api/v1/pods":
                    yield json.dumps(change("MODIFIED", others)).encode()
                await asyncio.get_running_loop().create_future()

            yield lines()

        client.stream = stream  # type: ignore[method-assign]
        api = LiveApi(clock, client, print)
        scheduler = KubeScheduler(clock, api, GENERATIONS["v1.37"], log, name="kschedlab")
        scheduler.informers.start()
        clock.process(scheduler.run())
        driving = asyncio.create_task(clock.drive())
        await until(
            lambda: driving.done() or any(isinstance(entry, Step) and entry.pod for entry in log.entries), 10**6
        )
        await asyncio.sleep(0)
        assert not driving.done(), driving.exception()
        steps = [entry.step for entry in log.entries if isinstance(entry, Step) and entry.pod]
        assert steps == [POP, SKIP]
        driving.cancel()
        await api.close()

    run(schedule())


# -- health


def test_health_knows_an_expired_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve() -> tuple[str, str]:
        service = Service(Access("http://127.0.0.1:1"), Settings(GENERATIONS["v1.37"]), print)
        health = service._serve(0)
        try:
            before = await asyncio.to_thread(answered, f"{health.url}/healthz")
            assert service._election is not None
            service._election.leads = True  # and it was never renewed
            return before, await asyncio.to_thread(answered, f"{health.url}/healthz")
        finally:
            health.close()
            await service._close()

    before, after = run(serve())
    assert before == "200 ok" and after.startswith("500 ") and "lease" in after


def answered(url: str) -> str:
    try:
        with urllib.request.urlopen(url) as answer:
            return f"{answer.status} {answer.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"
