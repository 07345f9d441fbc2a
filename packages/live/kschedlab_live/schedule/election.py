"""Leader election by a Lease: of several schedulers with one name, one schedules.

v1.37: k8s.io/client-go tools/leaderelection (leaderelection.go, resourcelock/leaselock.go). Times as kube-scheduler's.
"""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

import msgspec

from kschedlab_live.schedule.client import JSON, Client
from kschedlab_live.schedule.reflector import Note
from kschedlab_live.wire.objects import MERGE, micro_time
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.status import ApiError

DURATION, DEADLINE, RETRY = 15.0, 10.0, 2.0
"""leaseDuration, renewDeadline, retryPeriod, in seconds."""
TOLERANCE = 20.0
"""Seconds after the end of a lease at which a leader that still believes in it is unhealthy (server.go)."""


def present() -> str:
    """The present moment as a MicroTime."""
    return micro_time(time.time_ns() // 1000)


class _Spec(msgspec.Struct, rename="camel", frozen=True):
    holder_identity: str | None = None
    lease_duration_seconds: float | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None


class _Metadata(msgspec.Struct, rename="camel", frozen=True):
    resource_version: str = ""


class _Lease(msgspec.Struct, frozen=True):
    metadata: _Metadata
    spec: _Spec | None = None


class Election:
    """Holds the lease ``namespace/name`` as ``identity``. Durations in seconds."""

    def __init__(
        self,
        client: Client,
        namespace: str,
        name: str,
        identity: str,
        note: Note,
        *,
        duration: float = DURATION,
        deadline: float = DEADLINE,
        retry: float = RETRY,
    ) -> None:
        self.identity = identity
        self.leads = False
        self._client = client
        self._namespace, self._name = namespace, name
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._note = note
        self._duration, self._deadline, self._retry = duration, deadline, retry
        self._seen: tuple[Any, ...] = ()
        self._seen_at = 0.0
        self._version = ""
        self._renewed = 0.0
        self._noted = ""

    @property
    def healthy(self) -> bool:
        """Whether a leader has renewed its lease in time."""
        return not self.leads or time.monotonic() - self._renewed < self._duration + TOLERANCE

    async def acquire(self) -> None:
        """Wait until we hold the lease."""
        while not await self._tried():
            await asyncio.sleep(self._retry * random.uniform(1.0, 2.2))
        self.leads = True
        self._note(f"leads: holds the lease {self._namespace}/{self._name} as {self.identity}")

    async def hold(self) -> str:
        """Renew the lease until it is lost. Returns why it is."""
        while True:
            left = self._deadline - (time.monotonic() - self._renewed)
            try:
                async with asyncio.timeout(max(left, 0)):
                    if not await self._tried():
                        holder = self._seen[0] if self._seen else ""
                        if holder and holder != self.identity:
                            return self._lost(f"{holder} holds it")
            except TimeoutError:
                return self._lost(f"it could not be renewed for {self._deadline:g} s")
            await asyncio.sleep(min(self._retry, max(left, 0)))

    def _lost(self, why: str) -> str:
        self.leads = False
        return f"the lease {self._namespace}/{self._name} is lost: {why}"

    async def release(self) -> None:
        """Give the lease up, so that another need not wait for its end."""
        if not self.leads:
            return
        self.leads = False
        spec = {"holderIdentity": "", "leaseDurationSeconds": 1, "renewTime": present()}
        try:
            async with asyncio.timeout(self._retry):
                await self._patch(spec)
        except (ApiError, TimeoutError) as error:
            self._note(f"the lease could not be given up: {str(error) or 'no answer'}")

    # -- one try

    async def _tried(self) -> bool:
        """Try to get or to renew the lease. False if another one holds it or the server refuses."""
        began = time.monotonic()
        try:
            if self.leads:
                await self._renew()
            else:
                await self._take()
        except ApiError as error:
            if error.code == 409:  # somebody wrote it meanwhile: look again
                await self._look()
            else:
                self._tell(error)
            return False
        if not self._seen or self._seen[0] != self.identity:
            return False
        self._renewed, self._noted = began, ""
        return True

    async def _renew(self) -> None:
        await self._patch({"renewTime": present()})

    async def _take(self) -> None:
        try:
            spec = self._observed(await self._client.request("GET", f"{self._path}/{self._name}"))
        except ApiError as error:
            if error.code != 404:
                raise
            await self._create()
            return
        holder = spec.holder_identity or ""
        wait = spec.lease_duration_seconds or self._duration
        if holder not in ("", self.identity) and time.monotonic() < self._seen_at + wait:
            return
        again = holder == self.identity
        moves = (spec.lease_transitions or 0) + (not again)
        acquired = {"acquireTime": present(), "leaseTransitions": moves}
        await self._patch(self._own() | ({} if again else acquired))

    async def _create(self) -> None:
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._namespace},
            "spec": self._own() | {"acquireTime": present(), "leaseTransitions": 0},
        }
        self._observed(await self._client.request("POST", self._path, msgspec.json.encode(lease), JSON))

    async def _patch(self, spec: dict[str, Any]) -> None:
        """Write these fields, if nobody has written the lease since we looked."""
        patch = {"metadata": {"resourceVersion": self._version}, "spec": spec}
        answer = await self._client.request("PATCH", f"{self._path}/{self._name}", msgspec.json.encode(patch), MERGE)
        self._observed(answer)

    async def _look(self) -> None:
        try:
            self._observed(await self._client.request("GET", f"{self._path}/{self._name}"))
        except ApiError as error:
            self._tell(error)

    def _own(self) -> dict[str, Any]:
        seconds = max(1, round(self._duration))
        return {"holderIdentity": self.identity, "leaseDurationSeconds": seconds, "renewTime": present()}

    def _observed(self, raw: bytes) -> _Spec:
        """Remember when the lease last changed, by our own clock: clocks of machines differ. ApiError: not a Lease."""
        try:
            lease = msgspec.json.decode(raw, type=_Lease)
        except (ValueError, RecursionError) as error:
            raise failure(500, "InternalError", f"the server's answer is not a Lease: {error}") from None
        spec = lease.spec or _Spec()
        self._version = lease.metadata.resource_version
        state = spec.holder_identity or "", spec.renew_time, spec.lease_transitions
        if state != self._seen:
            self._seen, self._seen_at = state, time.monotonic()
        return spec

    def _tell(self, error: ApiError) -> None:
        text = f"the lease {self._namespace}/{self._name}: {error}"
        if text != self._noted:
            self._noted = text
            self._note(text)
