"""The search for devices on one node: depth first, one device after the other, in the order of pools and slices.

The first solution counts. A request of alternatives takes the first one with which everything after it works out, too.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/allocator_experimental.go (allocateOne,
allocateDevice, rollbackDevice).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from kschedlab.objects.model import DeviceConstraint, Node, ResourceClaim
from kschedlab_devices.capacity import fits
from kschedlab_devices.counters import Counters
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.pools import Candidate, DeviceId, Values, Visible
from kschedlab_devices.requests import MOST_DEVICES, Ask, Consumed, RequestPlan, Want, key_of, kind_of
from kschedlab_devices.state import State


class Constraint:
    """A constraint during a search. ``attribute``: its fully qualified name.

    ``distinct``: no two devices have a value of the attribute in common; otherwise all of them have. ``values``: after
    each device so far, all of their values, or those in common.
    """

    def __init__(self, constraint: DeviceConstraint, attribute: str) -> None:
        self.distinct = constraint.matchAttribute is None
        self.attribute = attribute
        self.requests = frozenset(constraint.requests)
        self.values: list[Values] = []

    def applies(self, request: str, subrequest: str) -> bool:
        """Whether it is about the devices of this request, or of this alternative of it."""
        names = self.requests
        return not names or request in names or (bool(subrequest) and f"{request}/{subrequest}" in names)

    @property
    def state(self) -> object:
        """What decides whether a device can be added."""
        return tuple(self.values[-1:])

    def add(self, device: Candidate, request: str) -> bool:
        """Add the device for this request if the constraint still holds then."""
        values = device.values(self.attribute)
        if values is None:
            return False
        if self.values:
            before = self.values[-1]
            common = before & values
            if not values or bool(common) == self.distinct:
                return False
            values = before | values if self.distinct else common
        self.values.append(values)
        return True

    def remove(self, request: str) -> None:
        """Remove the device that was added last; it was for this request."""
        self.values.pop()


class DistinctFromLast(Constraint):
    """A constraint on distinct values that remembers, by request, the last device alone, until one is given back."""

    def __init__(self, constraint: DeviceConstraint, attribute: str) -> None:
        super().__init__(constraint, attribute)
        self._last: dict[str, Values] = {}

    @property
    def state(self) -> object:
        return frozenset(self._last.items())

    def add(self, device: Candidate, request: str) -> bool:
        values = device.values(self.attribute)
        if values is None or any(values & each for each in self._last.values()):
            return False
        self._last[request] = values
        return True

    def remove(self, request: str) -> None:
        self._last.pop(request, None)


class OnlyPresent(Constraint):
    """A constraint on distinct values that is content if each device has a value."""

    def add(self, device: Candidate, request: str) -> bool:
        return device.values(self.attribute) is not None

    def remove(self, request: str) -> None:
        return None


DISTINCT = {"all": Constraint, "last of each request": DistinctFromLast, "none": OnlyPresent}
"""By the named rule ``distinct_from`` of the API."""

IN_USE, NOT_SELECTED, NO_CAPACITY = "in use", "not selected", "capacity"
TAINTED, UNLIKE = "tainted", "constraint"
TAKEN, GIVEN_BACK = "taken", "given back"
"""The outcomes of trying a device in a search."""


PATIENCE = 30
"""After this many steps, devices that can take each other's place are no longer tried one by one. Nor are requests
tried where they have failed already, or where too few devices are left."""
MOST_HOPELESS = 100_000
"""So many situations in which a request has failed are remembered."""


class SearchStep(NamedTuple):
    """A step of a search: what happened to the device. ``detail``: the attribute of the constraint that it breaks."""

    want: Want
    device: DeviceId
    outcome: str
    detail: str = ""


class ChosenDevice(NamedTuple):
    """A device for a request, and what it consumes of a shared device's capacity."""

    want: Want
    device: Candidate
    consumed: Consumed | None


class _TooManyDevicesError(Exception):
    """The claim would get more devices than it can have: only an alternative with fewer devices can help."""


@dataclass(slots=True)
class _Taken:
    """The changes to undo when a device is given back."""

    claim: int
    request: str
    device: Candidate
    counted: bool
    constraints: list[Constraint]
    consumed: Consumed | None
    was_shared: bool


def _constraints(claim: ResourceClaim, distinct: type[Constraint]) -> list[Constraint]:
    constraints = []
    for i, each in enumerate(claim.spec.devices.constraints):
        attribute = each.matchAttribute if each.matchAttribute is not None else each.distinctAttribute
        if attribute is None:
            message = f"constraint #{i}: empty constraint (unsupported constraint type?)"
            raise AllocationError(f"claim {key_of(claim)}, {message}")
        constraints.append((distinct if each.matchAttribute is None else Constraint)(each, attribute))
    return constraints


class Search:
    """One search. ``chosen``: by claim, the devices so far. ``selected``: the alternatives by (claim, request)."""

    def __init__(
        self,
        state: State,
        node: Node,
        visible: Visible,
        plan: RequestPlan,
        most_steps: int,
        log: list[SearchStep] | None,
    ) -> None:
        self.chosen: list[list[ChosenDevice]] = [[] for _ in plan]
        self.selected: dict[tuple[int, int], int] = {}
        self.steps = 0
        self._most_steps = most_steps
        self._held, self._node = state.held, node
        self._candidates, self._pools, self._end = visible.candidates, visible.pools, visible.end
        self._plan = plan
        self._log = log
        self._leaks_counters, self._skips_full = state.api.leaks_counters, state.api.all_skips_full_devices
        self._forgets_alternative = state.api.all_forgets_alternative
        self._distinct = DISTINCT[state.api.distinct_from]
        self._counters = Counters(state.left, state.held, visible.pools, by_name=self._leaks_counters)
        self._allocating: dict[DeviceId, set[int]] = {}
        self._shares: dict[DeviceId, dict[str, int]] = {}
        self._all: dict[Want, list[Candidate]] = {}
        self._constraints: list[list[Constraint]] = []
        self._kinds: dict[Candidate, object] = {}
        self._hopeless: set[object] = set()
        self._bits: dict[DeviceId, int] = {}
        self._suitable: dict[Want, list[int] | None] = {}

    def run(self) -> bool:
        """Whether all claims get their devices. AllocationError."""
        for ask in self._plan:
            self._prepare(ask)
        try:
            return self._request(0, 0)
        except _TooManyDevicesError:
            raise AllocationError("allocation max size exceeded") from None
        except RecursionError:
            raise AllocationError("there are more devices to allocate at once than kschedlab can search for") from None

    def served(self, claim: int) -> list[Want]:
        """The requests of the claim, or the alternatives that were chosen for them."""
        requests = self._plan[claim].requests
        return [wants[self.selected.get((claim, i), 0)] for i, wants in enumerate(requests)]

    @property
    def has_shared(self) -> bool:
        """Whether one of the devices is shared with others."""
        return any(chosen.consumed is not None for each in self.chosen for chosen in each)

    # -- what is known before

    def _prepare(self, ask: Ask) -> None:
        """Check a claim's requests, and find the devices of those that ask for all."""
        least = 0
        for wants in ask.requests:
            for i, want in enumerate(wants):
                if want.fault is not None:
                    raise want.fault
                if want.everything:
                    as_first = self._forgets_alternative and i == 1 and wants[0].everything
                    self._all[want] = self._all[wants[0]] if as_first else self._every_device(want)
            least += min(map(self._count, wants))
        if least > MOST_DEVICES:
            message = f"number of requested devices {least} exceeds the claim limit of {MOST_DEVICES}"
            raise AllocationError(f"claim {key_of(ask.claim)}: {message}")
        self._constraints.append(_constraints(ask.claim, self._distinct))

    def _every_device(self, want: Want) -> list[Candidate]:
        devices = []
        for id, pool in self._pools.items():
            if pool.incomplete or pool.invalid:
                why = "being updated" if pool.incomplete else "invalid"
                raise want.error(f"asks for all devices, but resource pool {id} is currently {why}")
            for device in pool.devices:
                if not want.selects(device, self._node) or not want.consumes(device, device.id.device)[1]:
                    continue
                if not self._skips_full or self._has_capacity(want, device):
                    devices.append(device)
        return devices

    def _count(self, want: Want) -> int:
        return len(self._all[want]) if want.everything else want.request.count

    # -- the search

    def _request(self, claim: int, request: int) -> bool:
        """Serve this request, and all after it."""
        if claim >= len(self._plan):
            return True
        if request >= len(self._plan[claim].requests):
            try:
                return self._request(claim + 1, 0)
            except _TooManyDevicesError:
                return False
        situation = self._situation(claim, request) if self.steps > PATIENCE else None
        if situation in self._hopeless:
            return False
        done, too_many = False, True
        for i, want in enumerate(self._plan[claim].requests[request]):
            try:
                done = self._devices(claim, request, want, 0, 0)
            except _TooManyDevicesError:
                continue
            too_many = False
            if done:
                if want.parent:
                    self.selected[claim, request] = i
                return True
        if too_many:
            raise _TooManyDevicesError
        if situation is not None and len(self._hopeless) < MOST_HOPELESS:
            self._hopeless.add(situation)
        return False

    def _situation(self, claim: int, request: int) -> object:
        """All that decides whether this request and those after it can be served.

        Who has the devices makes no difference. So where the search has failed once, it fails again; the real search
        tries it again, in vain.
        """
        busy = own = 0
        for id, claims in self._allocating.items():
            if claims:
                bit = 1 << self._bits.setdefault(id, len(self._bits))
                busy |= bit
                own |= bit if claim in claims else 0
        shares = frozenset((id, frozenset(share.items())) for id, share in self._shares.items())
        values = (constraint.state for constraint in self._constraints[claim])
        return claim, request, len(self.chosen[claim]), busy, own, shares, self._counters.consumed(), *values

    def _devices(self, claim: int, request: int, want: Want, got: int, start: int) -> bool:
        """Serve the rest of this request, of which it has ``got`` devices, from ``start`` on, and all after it."""
        self.steps += 1
        count = self._count(want)
        if want.everything and not count:
            return False
        if got >= count:
            return self._request(claim, request + 1)
        if len(self.chosen[claim]) + count - got > MOST_DEVICES:
            raise _TooManyDevicesError
        if want.everything:
            taken = self._must(claim, want, self._all[want][got])
            if self._forgets_alternative:
                want = self._plan[claim].requests[request][0]
            return taken is not None and self._go_on(request, want, got, 0, taken)
        hurries = self.steps > PATIENCE and not self._leaks_counters and not self._end
        if hurries and not self._enough(claim, want, count - got, start):
            return False
        candidates = self._candidates
        failed: set[object] = set()
        for i in range(start, len(candidates)):
            if failed and self._kind(candidates[i]) in failed:
                continue
            taken = self._try(claim, want, candidates[i])
            if taken is None:
                continue
            if self._go_on(request, want, got, i + 1, taken):
                return True
            if self.steps > PATIENCE and not self._leaks_counters and (kind := self._kind(candidates[i])) is not None:
                failed.add(kind)
        if self._end:
            raise AllocationError(self._end)
        return False

    def _enough(self, claim: int, want: Want, needed: int, start: int) -> bool:
        """Whether enough devices may be left for the request, from ``start`` on; the real search tries them."""
        if want not in self._suitable:
            self._suitable[want] = self._places_of(want)
        places = self._suitable[want]
        if places is None:
            return True
        free = (
            i
            for i in islice(places, bisect_left(places, start), None)
            if not self._is_in_use(claim, want, self._candidates[i])
        )
        return sum(1 for _ in islice(free, needed)) == needed

    def _places_of(self, want: Want) -> list[int] | None:
        """The places of the devices that the request can have if they are free; None if asking is an error."""
        try:
            return [
                i
                for i, each in enumerate(self._candidates)
                if want.selects(each, self._node) and want.consumes(each, each.id)[1] and want.tolerates(each.taints)
            ]
        except AllocationError:
            return None

    def _kind(self, device: Candidate) -> object:
        """Devices of one kind can take each other's place in any solution; None: no other can take this one's.

        So where one has failed, the next one of its kind need not be tried. The real search tries it, in vain.
        """
        if device not in self._kinds:
            wants = [want for ask in self._plan for alternatives in ask.requests for want in alternatives]
            names = {constraint.attribute for constraints in self._constraints for constraint in constraints}
            self._kinds[device] = kind_of(device, wants, names, self._node)
        return self._kinds[device]

    def _go_on(self, request: int, want: Want, got: int, start: int, taken: _Taken) -> bool:
        """Serve the rest with the device that was taken, or give it back."""
        try:
            done = self._devices(taken.claim, request, want, got + 1, start)
        except _TooManyDevicesError:
            self._give_back(taken)
            raise
        if not done:
            self._give_back(taken)
        return done

    def _try(self, claim: int, want: Want, device: Candidate) -> _Taken | None:
        """Take the device if the request selects it and it is free."""
        self.steps += 1
        if self.steps > self._most_steps:
            name = self._node.metadata.name
            raise AllocationError(f"node {name}: timed out trying to allocate devices")
        if self._is_in_use(claim, want, device):
            return self._refuse(want, device, IN_USE)
        if not want.selects(device, self._node):
            return self._refuse(want, device, NOT_SELECTED)
        if not self._has_capacity(want, device):
            return self._refuse(want, device, NO_CAPACITY)
        taken = self._take(claim, want, device)
        if taken is not None:
            self._mark(taken, want)
        return taken

    def _must(self, claim: int, want: Want, device: Candidate) -> _Taken | None:
        """Take this device for a request that asks for all of them."""
        if self._is_in_use(claim, want, device):
            return self._refuse(want, device, IN_USE)
        taken = self._take(claim, want, device, must=True)
        if taken is None:
            return None
        if not self._has_capacity(want, device):
            self._undo(taken)
            return self._refuse(want, device, NO_CAPACITY)
        self._mark(taken, want)
        return taken

    def _take(self, claim: int, want: Want, device: Candidate, must: bool = False) -> _Taken | None:
        """Take the free device if it is tolerable and meets the constraints; ``must``: an error if it does not."""
        counted = bool(device.device.consumesCounters) and not self._is_shared(device)
        if counted and (why := self._counters.reserve(device)):
            return self._refuse(want, device, why)
        request, alternative = (want.parent, want.name) if want.parent else (want.name, "")
        taken = _Taken(claim, request, device, counted, [], None, device.id in self._shares)
        if device.taints and not want.tolerates(device.taints):
            self._undo(taken)
            return self._refuse(want, device, TAINTED)
        for constraint in self._constraints[claim]:
            if not constraint.applies(request, alternative):
                continue
            if not constraint.add(device, request):
                self._undo(taken)
                if must:
                    message = f"cannot add device {device.id} because a claim constraint would not be satisfied"
                    raise want.error(message)
                return self._refuse(want, device, UNLIKE, constraint.attribute)
            taken.constraints.append(constraint)
        return taken

    def _mark(self, taken: _Taken, want: Want) -> None:
        device = taken.device
        if device.is_shared:
            taken.consumed = want.consumes(device, device.id)[0] or {}
            share = self._shares.setdefault(device.id, {})
            for name, amount in taken.consumed.items():
                share[name] = share.get(name, 0) + amount.nanos
        else:
            self._allocating.setdefault(device.id, set()).add(taken.claim)
        self.chosen[taken.claim].append(ChosenDevice(want, device, taken.consumed))
        if self._log is not None:
            self._log.append(SearchStep(want, device.id, TAKEN))

    def _give_back(self, taken: _Taken) -> None:
        want, device, _ = self.chosen[taken.claim].pop()
        if taken.consumed is not None:
            share = self._shares[device.id]
            for name, amount in taken.consumed.items():
                share[name] -= amount.nanos
            ends = bool(taken.consumed) if self._leaks_counters else not taken.was_shared
            if ends and not any(share.values()):
                del self._shares[device.id]
        else:
            self._allocating[device.id].discard(taken.claim)
        self._undo(taken, refused=taken.consumed is not None)
        if self._log is not None:
            self._log.append(SearchStep(want, device.id, GIVEN_BACK))

    def _undo(self, taken: _Taken, refused: bool = True) -> None:
        """``refused``: where counters leak, those of the device stay consumed."""
        for constraint in taken.constraints:
            constraint.remove(taken.request)
        if taken.counted and not (refused and self._leaks_counters):
            self._counters.release(taken.device)

    def _is_in_use(self, claim: int, want: Want, device: Candidate) -> bool:
        claims = self._allocating.get(device.id, ())
        return claim in claims if want.is_admin else bool(claims) or device.id in self._held.devices

    def _is_shared(self, device: Candidate) -> bool:
        """Whether claims hold shares of the device, so that its counters are counted already."""
        amounts = self._held.shared.get(device.id)
        held = bool(amounts) if self._leaks_counters else amounts is not None
        return device.is_shared and (held or device.id in self._shares)

    def _has_capacity(self, want: Want, device: Candidate) -> bool:
        consumed, fit = want.consumes(device, device.id)
        if consumed is None or not fit or not (device.is_shared or device.id in self._held.shared):
            return fit
        used = (each[device.id] for each in (self._held.shared, self._shares) if device.id in each)
        return fits(consumed, device.device.capacity, *used)

    def _refuse(self, want: Want, device: Candidate, outcome: str, detail: str = "") -> _Taken | None:
        """None: nothing was taken."""
        if self._log is not None:
            self._log.append(SearchStep(want, device.id, outcome, detail))
        return None
