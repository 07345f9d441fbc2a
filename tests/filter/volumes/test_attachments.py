"""Counts of distinct volumes equal a plain recount."""

import numpy as np
from hypothesis import given, settings, strategies as st

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.snapshot import Overlay, Snapshot
from kschedlab.filter.volumes.attachments import AttachmentRules, driver
from tests.storage import attachment, claim, csi, csi_node, mount, volume

NODES, NAMES = ["n0", "n1", "n2"], ["a", "b", "c", "d"]
some = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)


def mounts(names):
    return [mount(name, f"v{i}") for i, name in enumerate(names)]


def backing():
    claims = [claim(name, f"pv-{name}") for name in NAMES]
    return [*claims, *(volume(f"pv-{name}", csi=csi(name)) for name in NAMES)]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(NODES), some), max_size=8),
    st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NAMES)), max_size=4),
    some.filter(bool),
    st.lists(st.booleans(), min_size=8, max_size=8),
)
def test_counted(running, held, wanted, leaving):
    objects = [*(node(name) for name in NODES), *(csi_node(name) for name in NODES), *backing()]
    objects += [attachment(f"a{i}", f"pv-{name}", on) for i, (on, name) in enumerate(held)]
    objects += [pod(f"r{i}", on, volumes=mounts(names)) for i, (on, names) in enumerate(running)]
    world = cluster(*objects, pod("p", volumes=mounts(wanted)))
    stays = [one for one, goes in zip(running, leaving, strict=False) if not goes]
    overlay = Overlay(
        world, world.pods, np.array([world.pods.row_of[f"default/r{i}"] for i in range(len(running))], int)
    )
    overlay.set(np.flatnonzero(leaving[: len(running)]), -1)
    found = driver(world, "csi.example.com", AttachmentRules(), migrated=False)
    for view, pods in ((Snapshot(world), running), (Snapshot(world).with_overlay(overlay), stays)):
        attached, new = found.counts(view, np.ones(3, np.bool_), wanted)
        for name, most, count, fresh in zip(world.names, found.upper_bound(view), attached, new, strict=True):
            used = {volume for on, names in pods if on == name for volume in names}
            besides = {volume for on, volume in held if on == name}
            assert (count, fresh) == (len(used | besides), len(set(wanted) - used))
            assert most >= count
