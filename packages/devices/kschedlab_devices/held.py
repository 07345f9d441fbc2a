"""The devices that claims hold.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go (foreachAllocatedDevice).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from kschedlab.objects.model import ResourceClaim
from kschedlab_devices.pools import DeviceId, PoolId

_VERSIONS = count(1)


@dataclass
class Held:
    """The devices of allocated claims. Admin access holds nothing.

    ``devices``: those of one claim alone, each with the number of claims that say so. ``shared``: those of which claims
    hold shares, and how many nanos of each capacity, as far as the claims say; ``shares``: how many shares.
    ``versions``: a number for each pool whose devices were ever held. Where it is the same, the same is held.
    """

    devices: dict[DeviceId, int] = field(default_factory=dict)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)
    shares: dict[DeviceId, int] = field(default_factory=dict)
    versions: dict[PoolId, int] = field(default_factory=dict)

    def add(self, claim: ResourceClaim, times: int = 1) -> None:
        """Count what the claim holds; -1 times: no longer."""
        allocation = claim.status.allocation
        for result in allocation.devices.results if allocation is not None else ():
            id = DeviceId(result.driver, result.pool, result.device)
            if result.adminAccess:
                continue
            self.versions[PoolId(result.driver, result.pool)] = next(_VERSIONS)
            if result.shareID is None:
                _count(self.devices, id, times)
                continue
            _count(self.shares, id, times)
            consumed = dict(self.shared.get(id, {}))
            for name, amount in result.consumedCapacity.items():
                consumed[name] = consumed.get(name, 0) + times * amount.nanos
            self.shared[id] = consumed
            if id not in self.shares:
                del self.shared[id]

    def after(self, gone: Iterable[ResourceClaim], new: Iterable[ResourceClaim]) -> Held:
        """The devices that are held once some claims have made room for others. This object does not change."""
        held = Held(dict(self.devices), dict(self.shared), dict(self.shares), dict(self.versions))
        for claim in gone:
            held.add(claim, -1)
        for claim in new:
            held.add(claim)
        return held

    def changed(self, before: Held) -> Iterator[PoolId]:
        """The pools of which something else was held before."""
        if before is self:
            return
        old, new = before.versions, self.versions
        yield from (id for id, version in new.items() if old.get(id) != version)
        yield from old.keys() - new.keys()

    def __contains__(self, id: object) -> bool:
        """Whether a claim holds the device or a share of it."""
        return id in self.devices or id in self.shared


def _count(counts: dict[DeviceId, int], id: DeviceId, times: int) -> None:
    number = counts.get(id, 0) + times
    if number:
        counts[id] = number
    else:
        del counts[id]
