"""Claims by name, and which volumes are part of a pod's signature."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.volumes import claim_class, claim_names, is_bound, size_of
from tests.storage import claim, ephemeral, mount, volume
from tests.verdicts import model

CLASS = {"volume.beta.kubernetes.io/storage-class": "older"}
CONFIG = {"name": "v", "configMap": {"name": "c"}}


def kind(world, name):
    return world.pending[f"default/{name}"].signature


def kinds(*volumes):
    """How many signatures there are if each pod has one of these lists of volumes."""
    world = cluster(node("n"), *(pod(f"p{i}", volumes=mounted) for i, mounted in enumerate(volumes)))
    return len({kind(world, f"p{i}") for i in range(len(volumes))})


def test_volumes_that_no_filter_reads_are_not_part_of_the_signature():
    assert kinds([], [CONFIG], [{"name": "w", "emptyDir": {}}], [{"name": "t", "projected": {}}]) == 1


def test_mounted_volumes_are_part_of_the_signature():
    disk = {"name": "v", "gcePersistentDisk": {"pdName": "d"}}
    assert kinds([mount("a")], [mount("a")], [mount("a"), CONFIG | {"name": "w"}]) == 1
    assert kinds([mount("a")], [mount("b")], [disk], [disk | {"gcePersistentDisk": {"pdName": "e"}}], []) == 5


def test_pods_with_ephemeral_volumes_have_different_signatures():
    assert kinds([ephemeral("v")], [ephemeral("v")]) == 2


def test_claims_are_found_in_the_pods_own_namespace():
    world = cluster(claim("c", size="1Gi"), claim("c", size="2Gi", namespace="other"))
    assert size_of(world.volumes.claim(model(pod("p", namespace="other")), "c")) == 2 * 2**30 * 10**9
    assert world.volumes.claim(model(pod("p", namespace="third")), "c") is None


def test_names_of_claims():
    volumes = [mount("a"), CONFIG | {"name": "w"}, ephemeral("x"), mount("a", "y")]
    found = list(claim_names(model(pod("p", volumes=volumes))))
    assert found == [("a", False), ("p-x", True), ("a", False)]


@pytest.mark.parametrize(
    ("fields", "want"), [({}, "wait"), ({"annotations": CLASS}, "older"), ({"of": None}, ""), ({"of": ""}, "")]
)
def test_class_of_a_claim(fields, want):
    (found,) = cluster(claim("c", **fields)).volumes.claims.values()
    assert claim_class(found) == want


def test_a_binding_is_complete_only_with_the_annotation():
    (early, done, _) = cluster(claim("a", volumeName="pv"), claim("b", "pv"), claim("c")).volumes.claims.values()
    assert (is_bound(early), is_bound(done)) == (False, True)


def test_bindable_volumes():
    objects = [claim("waits"), claim("done", "x"), volume("free"), volume("used", phase="Bound")]
    objects += [volume("kept", kept_for="waits"), volume("held", kept_for="done"), volume("lost", kept_for="gone")]
    objects += [volume("going", deleted="2024-01-01T00:00:00Z")]
    known = cluster(*objects).volumes
    assert {name for name, found in known.volumes.items() if known.is_bindable(found)} == {"free", "kept"}
