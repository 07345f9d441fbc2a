"""Claims that an operation allocates itself, without pods and without the scheduler: the devices in use at the start.

v1.37: test/integration/scheduler_perf/dra.go (allocResourceClaimsOp). As there, each claim gets the first devices of
the first node, in random order, that can serve it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import DeviceClass, DeviceTaintRule, Node, ResourceClaim, ResourceSlice
from kschedlab_devices.allocator import Allocator
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.state import state_of
from kschedlab_simulation.server.api import ApiServer


class CannotAllocateError(Exception):
    """No node can serve a claim."""


def allocated_claims(api: ApiServer, namespace: str, random: Random) -> Iterator[ResourceClaim]:
    """The claims of the namespace ("": of all) that were not allocated, with their devices. CannotAllocateError."""
    state = state_of(_cluster(api))
    nodes = api.list(Node)[0]
    claims = api.list(ResourceClaim, namespace or None)[0]
    for number, claim in enumerate(claims):
        if claim.status.allocation is not None:
            continue
        random.shuffle(nodes)
        allocator = Allocator(replace(state, left={}))
        wanted = (claim,)
        for node in nodes:
            try:
                found = allocator.allocate(node, wanted)
            except AllocationError as error:
                raise CannotAllocateError(f"allocate claim: {error}") from None
            if found is not None:
                claim = put(claim, status=put(claim.status, allocation=found[0]))
                state.held.add(claim)
                yield claim
                break
        else:
            raise CannotAllocateError(f"Could not allocate claim {number} out of {len(claims)}")


def _cluster(api: ApiServer) -> Cluster:
    objects = Objects()
    for kind in (Node, ResourceSlice, DeviceClass, DeviceTaintRule, ResourceClaim):
        objects.of(kind).extend(api.list(kind)[0])
    return Cluster(objects, api.generation_api)
