"""The lease: one holds it, another takes it over when it ends, is given up, or was never there."""

import asyncio
import time
from typing import Any

import pytest

from kschedlab.objects.meta import SECOND, Time
from kschedlab_live.schedule import election
from kschedlab_live.schedule.election import Election, present
from kschedlab_live.wire.statuses import failure
from packages.live.tests.schedule.fakes import FakeClient, run, until
from tests.saying import says


class Leases:
    """The one lease of a server: writes need its version."""

    def __init__(self) -> None:
        self.lease: dict[str, Any] | None = None
        self.away = False
        self.asked = self.writes = 0

    def __call__(self, method: str, path: str, body: Any, query: dict[str, str]) -> Any:
        self.asked += 1
        if self.away:
            return failure(503, "ServiceUnavailable", "away")
        if method == "POST":
            if self.lease is not None:
                return failure(409, "AlreadyExists", "there")
            self.lease = {"metadata": {"resourceVersion": "1"}, "spec": body["spec"]}
        if self.lease is None:
            return failure(404, "NotFound", "none")
        if method == "PATCH":
            if body["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
                return failure(409, "Conflict", "modified")
            self.write(**body["spec"])
        return self.lease

    def write(self, **spec: Any) -> None:
        assert self.lease is not None
        self.writes += 1
        version = str(int(self.lease["metadata"]["resourceVersion"]) + 1)
        self.lease = {"metadata": {"resourceVersion": version}, "spec": self.lease["spec"] | spec}

    @property
    def holder(self) -> str:
        return "" if self.lease is None else self.lease["spec"]["holderIdentity"]


def candidate(leases: Leases, name: str, notes: list[str] | None = None, **times: float) -> Election:
    times = {"duration": 0.3, "deadline": 0.2, "retry": 0.01} | times
    say = [].append if notes is None else notes.append
    return Election(FakeClient(leases), "kube-system", "kschedlab", name, say, **times)


def test_the_first_creates_it_and_gives_it_up() -> None:
    leases = Leases()

    async def one() -> None:
        mine = candidate(leases, "me")
        await mine.acquire()
        assert mine.leads and leases.holder == "me"
        assert leases.lease["spec"]["leaseTransitions"] == 0
        await mine.release()
        assert not mine.leads and leases.holder == "" and leases.lease["spec"]["leaseDurationSeconds"] == 1

    run(one())


def test_another_waits_while_it_is_renewed_and_follows_when_it_is_not() -> None:
    leases = Leases()

    async def two() -> None:
        first, second = candidate(leases, "first"), candidate(leases, "second")
        await first.acquire()
        leases.write(leaseDurationSeconds=0.3)
        holding, waiting = asyncio.create_task(first.hold()), asyncio.create_task(second.acquire())
        await until(lambda: leases.writes > 40, 10**7)  # longer than the lease lasts
        assert not second.leads and first.healthy
        holding.cancel()
        began = time.monotonic()
        await waiting
        assert leases.holder == "second" and leases.lease["spec"]["leaseTransitions"] == 1
        assert time.monotonic() - began > 0.2

    run(two())


def test_who_comes_back_goes_on_with_its_lease_at_once_and_another_one_begins_its_own() -> None:
    """v1.37: client-go tools/leaderelection/leaderelection.go, tryAcquireOrRenew."""
    leases = Leases()

    async def come(name: str, **times: float) -> dict[str, Any]:
        mine = candidate(leases, name, **times)
        await mine.acquire()
        assert leases.lease is not None
        return dict(leases.lease["spec"])

    async def come_back() -> None:
        first = await come("me", duration=60.0)
        again = await come("me", duration=0.3)
        assert (first["leaseDurationSeconds"], again["leaseDurationSeconds"]) == (60, 1)
        assert again["acquireTime"] == first["acquireTime"] and again["leaseTransitions"] == 0
        leases.write(holderIdentity="", leaseTransitions=4)
        other = await come("other", duration=15.4)
        assert other["acquireTime"] > first["acquireTime"]
        assert (other["leaseTransitions"], other["leaseDurationSeconds"]) == (5, 15)

    run(come_back())


def test_a_lease_is_dated_by_the_clock_on_the_wall() -> None:
    assert abs(Time.parse(present()) / SECOND - time.time()) < 5


def test_a_lease_that_another_took_is_lost() -> None:
    leases = Leases()

    async def lose() -> str:
        mine = candidate(leases, "me")
        await mine.acquire()
        leases.write(holderIdentity="a thief", renewTime=present())
        why = await mine.hold()
        assert not mine.leads and leases.holder == "a thief"
        return why

    assert says(run(lose()), "kube-system/kschedlab", "lost", "a thief")


def test_a_lease_that_cannot_be_renewed_is_lost_before_it_ends() -> None:
    leases, notes = Leases(), []

    async def lose() -> str:
        mine = candidate(leases, "me", notes)
        await mine.acquire()
        leases.away = True
        return await mine.hold()

    assert says(run(lose()), "kube-system/kschedlab", "lost", "renewed", "0.2 s")
    assert notes[1:] == ["the lease kube-system/kschedlab: away"]


def test_a_short_failure_does_not_matter() -> None:
    leases = Leases()

    async def survive() -> None:
        mine = candidate(leases, "me", deadline=5.0)
        await mine.acquire()
        holding = asyncio.create_task(mine.hold())
        leases.away, asked = True, leases.asked
        await until(lambda: leases.asked > asked + 3, 10**7)
        leases.away = False
        leases.write(leaseTransitions=7)  # somebody else's write: a conflict
        before = leases.lease["spec"]["renewTime"]
        await until(lambda: leases.lease["spec"]["renewTime"] != before, 10**7)
        assert mine.leads and not holding.done()
        holding.cancel()

    run(survive())


def test_who_wins_the_race_for_a_new_lease() -> None:
    leases = Leases()

    async def race() -> int:
        both = [candidate(leases, name, duration=60.0) for name in ("a", "b")]
        waiting = [asyncio.create_task(each.acquire()) for each in both]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        asked = leases.asked
        await until(lambda: leases.asked > asked + 5, 10**7)
        for each in waiting:
            each.cancel()
        return sum(each.leads for each in both)

    assert run(race()) == 1


def test_a_leader_that_does_not_renew_is_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    leases = Leases()

    async def lead() -> Election:
        mine = candidate(leases, "me")
        await mine.acquire()
        return mine

    mine = run(lead())
    assert mine.healthy
    monkeypatch.setattr(election, "TOLERANCE", -1.0)
    assert not mine.healthy
