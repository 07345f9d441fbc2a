"""Assumed volumes: what later pods see of them, what PreBind writes, and when all are bound."""

import msgspec
import pytest

from kschedlab.build import node, pod, term
from kschedlab.cluster.object_store import RELEVANT_PART, key_of
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.api import API_1_37
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod
from kschedlab.scheduler import Scheduler
from kschedlab_simulation.scheduler.assumed_volumes import AssumedVolumes, VolumeError
from kschedlab_simulation.scheduler.cache import SchedulerCache
from kschedlab_simulation.scheduler.changes import loop_messages, loop_rules
from kschedlab_simulation.scheduler.volumes import SELECTED_NODE, AssumeCache
from tests.cluster.checking import check
from tests.course import GENERATIONS
from tests.storage import claim, csi_node, mount, storage_capacity, storage_class, volume

FAILED = loop_messages(GENERATIONS["v1.37"]).provisioning_failed
CACHE_1_13, CACHE_1_16, CACHE_1_20, CACHE_1_37 = (loop_rules(each).cache for each in GENERATIONS.values())
NO_VOLUMES = "node(s) didn't find available persistent volumes to bind"
HERE = term("kubernetes.io/hostname In a")
STATIC = storage_class("wait", "kubernetes.io/no-provisioner")
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
_replace = msgspec.structs.replace


def versioned(document, version):
    return _replace(document, metadata=_replace(document.metadata, resourceVersion=str(version)))


def made(manifest, version=1):
    objects = decode_objects([manifest])
    (found,) = [each for kind in (Pod, *RELEVANT_PART) for each in objects.of(kind)]
    return versioned(found, version)


def cache_of(*manifests, rules=CACHE_1_37, failed=FAILED):
    """A cache with nodes a and b and these objects, all in version 1."""
    cache = SchedulerCache(API_1_37, rules, int, failed)
    names = ("a", "b")
    for each in decode_objects([node(name, labels={"kubernetes.io/hostname": name}) for name in names]).nodes:
        cache.add_node(each)
    for manifest in manifests:
        cache.put(made(manifest))
    return cache


def using(*claims, name="p"):
    return made(pod(name, volumes=[mount(each, each) for each in claims]))


def fits(cache, asking, generation="v1.37"):
    """The nodes that pass, and the reasons of the others."""
    decision = Scheduler(cache.cluster(), GENERATIONS[generation], exhaustive=True).cycle(cache.info(asking))
    reasons = {each: list(decision.verdict(each).reasons) for each in cache.cluster().names}
    return decision.names, {each: found for each, found in reasons.items() if found}


def claim_of(cache, name):
    return cache.cluster().volumes.claims["default", name]


# -- what later pods see


def test_an_assumed_volume_is_unavailable_until_it_is_restored():
    cache = cache_of(STATIC, volume("v"), claim("c"), claim("d"))
    first, second = using("c"), using("d", name="q")
    assert fits(cache, second)[0] == ["a", "b"]
    assumed = cache.assume_volumes(first, "a")
    (taken,) = assumed.volumes
    assert (taken.spec.claimRef.name, taken.spec.claimRef.uid) == ("c", "uid-of-c")
    assert taken.metadata.annotations == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert (assumed.all_bound, assumed.claims, assumed.documents) == (False, (), (taken,))
    assert fits(cache, second) == ([], {"a": [NO_VOLUMES], "b": [NO_VOLUMES]})
    assert fits(cache, first)[0] == ["a", "b"]
    cache.restore_volumes(assumed)
    assert fits(cache, second)[0] == ["a", "b"]


@pytest.mark.parametrize("generation", list(GENERATIONS))
def test_every_generation_sees_assumed_volumes(generation):
    rules = loop_rules(GENERATIONS[generation]).cache
    cache = cache_of(STATIC, volume("v", HERE), claim("c"), claim("d"), rules=rules)
    assert fits(cache, using("d"), generation)[0] == ["a"]
    cache.assume_volumes(using("c"), "a")
    assert fits(cache, using("d"), generation)[0] == []


def test_a_claim_to_provision_gets_its_selected_node():
    cache = cache_of(storage_class("wait"), claim("c"))
    assumed = cache.assume_volumes(using("c"), "b")
    (annotated,) = assumed.claims
    assert annotated.metadata.annotations == {SELECTED_NODE: "b"} and assumed.volumes == ()
    assert claim_of(cache, "c") is annotated
    assert fits(cache, using("c", name="q")) == (["b"], {"a": [NO_VOLUMES]})
    cache.restore_volumes(assumed)
    assert fits(cache, using("c", name="q"))[0] == ["a", "b"]


def test_each_claim_gets_the_volume_that_the_filter_matched_on_the_node():
    volumes = [volume("small", HERE, size="1Gi"), volume("large", HERE, size="5Gi"), volume("far", term("x Exists"))]
    cache = cache_of(storage_class("wait"), *volumes, claim("c", size="2Gi"), claim("d"), claim("e", size="9Gi"))
    on_a = cache.assume_volumes(using("c", "d", "e"), "a")
    assert {of.metadata.name: v.metadata.name for v, of in zip(on_a.volumes, on_a.for_claims, strict=True)} == {
        "d": "small",
        "c": "large",
    }
    assert [each.metadata.name for each in on_a.claims] == ["e"]
    cache.restore_volumes(on_a)
    on_b = cache.assume_volumes(using("c", "d", "e"), "b")
    assert (on_b.volumes, sorted(each.metadata.name for each in on_b.claims)) == ((), ["c", "d", "e"])


def test_a_pod_without_unbound_claims_needs_nothing():
    cache = cache_of(STATIC, volume("v", kept_for="c"), claim("c", "v"))
    for asking in (using("c"), using()):
        assert cache.assume_volumes(asking, "a") == AssumedVolumes(all_bound=True)


def test_no_volume_is_assumed_without_a_match():
    cache = cache_of(STATIC, volume("v", HERE), claim("c"))
    with pytest.raises(VolumeError, match="default/p finds no volumes on node 'b'"):
        cache.assume_volumes(using("c"), "b")
    assert cache.cluster().volumes.volumes["v"].spec.claimRef is None


def test_reported_storage_capacity_counts_if_the_generation_checks_it():
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "csi.example.com"}}
    objects = [driver | {"spec": {"storageCapacity": True}}, storage_class("wait"), claim("c", size="2Gi")]
    objects += [storage_capacity("r", "a", "1Gi")]
    with pytest.raises(VolumeError):
        cache_of(*objects).assume_volumes(using("c"), "a")
    assert cache_of(*objects, rules=CACHE_1_20).assume_volumes(using("c"), "a").claims


@pytest.mark.parametrize(
    ("kept_for", "uid", "dirty", "by_controller"),
    [("c", "", True, False), ("c", "uid-of-c", False, False)],
)
def test_a_volume_that_its_user_reserved_for_the_claim(kept_for, uid, dirty, by_controller):
    kept = volume("v", kept_for=kept_for)
    kept["spec"]["claimRef"]["uid"] = uid
    assumed = cache_of(STATIC, kept, claim("c")).assume_volumes(using("c"), "a")
    (written,) = assumed.volumes
    assert written.spec.claimRef.uid == "uid-of-c" and bool(assumed.changed) is dirty
    assert ("pv.kubernetes.io/bound-by-controller" in written.metadata.annotations) is by_controller


DRIVER = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "csi.example.com"}}
ONLY_B = [{"matchLabelExpressions": [{"key": "kubernetes.io/hostname", "values": ["b"]}]}]


@pytest.mark.parametrize(
    ("before", "changed", "want"),
    [
        ([STATIC], volume("v", HERE), ["a"]),
        ([STATIC, volume("v", HERE)], volume("v"), ["a", "b"]),
        ([storage_class("wait")], storage_class("wait", allowedTopologies=ONLY_B), ["b"]),
        ([storage_class("wait")], DRIVER | {"spec": {"storageCapacity": True}}, []),
        (
            [storage_class("wait"), DRIVER | {"spec": {"storageCapacity": True}}],
            storage_capacity("r", "a", "9Gi"),
            ["a"],
        ),
        ([storage_class("wait")], claim("c", annotations={SELECTED_NODE: "a"}), ["a"]),
    ],
    ids=["a volume comes", "a volume changes", "its class", "its driver", "storage capacity", "the claim"],
)
def test_volumes_are_matched_again_after_a_change(before, changed, want):
    cache = cache_of(*before, claim("c"))
    assert fits(cache, using("c"))[0] != want
    cache.put(made(changed, 2))
    assert fits(cache, using("c"))[0] == want


# -- changes in the meantime


def test_an_assumed_object_is_valid_until_a_newer_version_is_observed():
    cache = cache_of(STATIC, volume("v"), claim("c"), claim("d"))
    assumed = cache.assume_volumes(using("c"), "a")
    cache.put(made(volume("v")))
    assert fits(cache, using("d"))[0] == []
    cache.put(made(volume("v"), 2))
    assert fits(cache, using("d"))[0] == ["a", "b"]
    cache.restore_volumes(assumed)
    assert cache.cluster().volumes.volumes["v"].metadata.resourceVersion == "2"


def test_restoring_does_not_bring_back_deleted_objects():
    cache = cache_of(STATIC, volume("v"), claim("c"))
    assumed = cache.assume_volumes(using("c"), "a")
    cache.drop(made(volume("v")))
    cache.restore_volumes(assumed)
    assert cache.cluster().volumes.volumes == {}


def test_only_known_and_current_objects_can_be_assumed():
    latest = AssumeCache()
    with pytest.raises(VolumeError, match='could not find PersistentVolume "v"'):
        latest.assume(made(volume("v")))
    assert latest.observe(made(volume("v"), 5)) and not latest.observe(made(volume("v"), 4))
    with pytest.raises(VolumeError, match=r'"v" is out of sync \(stored: 5, assume: 4\)'):
        latest.assume(made(volume("v"), 4))


# -- when all are bound


def written(cache, assumed, version=2):
    """The objects that PreBind writes, as the API server returns them."""
    return _replace_all(assumed, lambda each: versioned(each, version))


def _replace_all(assumed, change):
    return AssumedVolumes(
        False, tuple(map(change, assumed.volumes)), assumed.for_claims, tuple(map(change, assumed.claims))
    )


def test_a_volume_is_bound_once_its_claim_is():
    cache, asking = cache_of(STATIC, volume("v"), claim("c")), using("c")
    done = written(cache, cache.assume_volumes(asking, "a"))
    assert not cache.volumes_bound(asking, "a", done)
    cache.put(done.volumes[0])
    assert not cache.volumes_bound(asking, "a", done)
    cache.put(made(claim("c", "v"), 3))
    assert cache.volumes_bound(asking, "a", done)


def test_a_provisioned_claim_is_bound_once_its_volume_exists():
    cache, asking = cache_of(storage_class("wait"), claim("c")), using("c")
    done = written(cache, cache.assume_volumes(asking, "a"))
    assert not cache.volumes_bound(asking, "a", done)
    cache.put(done.claims[0])
    assert not cache.volumes_bound(asking, "a", done)
    cache.put(made(claim("c", "new", annotations={SELECTED_NODE: "a"}), 3))
    assert not cache.volumes_bound(asking, "a", done)
    cache.put(made(volume("new", HERE, kept_for="c"), 4))
    assert cache.volumes_bound(asking, "a", done)


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        ("v1.37", 'provisioning failed for PVC "c"'),
        ("v1.20", 'provisioning failed for PVC "c"'),
        ("v1.16", 'selectedNode annotation value "" not set to scheduled node "a"'),
    ],
)
def test_provisioning_fails_if_the_claim_loses_its_selected_node(generation, message):
    table = GENERATIONS[generation]
    failed = loop_messages(table).provisioning_failed
    cache = cache_of(storage_class("wait"), claim("c"), rules=loop_rules(table).cache, failed=failed)
    asking = using("c")
    done = written(cache, cache.assume_volumes(asking, "a"))
    cache.put(made(claim("c"), 3))
    with pytest.raises(VolumeError, match=message):
        cache.volumes_bound(asking, "a", done)


def test_errors_that_end_the_wait_for_volumes():
    cache, asking = cache_of(STATIC, volume("v"), claim("c")), using("c")
    done = written(cache, cache.assume_volumes(asking, "a"))
    for changed, message in [
        (volume("v"), 'ClaimRef got reset for pv "v"'),
        (volume("v", term("x Exists"), kept_for="c"), 'pv "v" node affinity doesn\'t match node "a"'),
    ]:
        cache.put(made(changed, int(cache.cluster().volumes.volumes["v"].metadata.resourceVersion) + 5))
        with pytest.raises(VolumeError, match=message):
            cache.volumes_bound(asking, "a", done)
    cache.drop(made(volume("v")))
    with pytest.raises(VolumeError, match='failed to check binding: could not find PersistentVolume "v"'):
        cache.volumes_bound(asking, "a", done)
    with pytest.raises(VolumeError, match='failed to get node "gone"'):
        cache.volumes_bound(asking, "gone", done)


def test_a_migrated_volume_is_usable_where_its_csi_topology_allows():
    disk = {"gcePersistentDisk": {"pdName": "d"}}
    zones = volume("v", term("topology.gke.io/zone In z"), **disk)
    cache, asking = (
        cache_of(STATIC, volume("v", **disk), claim("c"), csi_node("a", ["kubernetes.io/gce-pd"])),
        using("c"),
    )
    done = written(cache, cache.assume_volumes(asking, "a"))
    zones["spec"]["claimRef"] = {"name": "c", "namespace": "default", "uid": "uid-of-c"}
    cache.put(made(zones, 9))
    cache.cluster()
    with pytest.raises(VolumeError, match="node affinity"):
        cache.volumes_bound(asking, "a", done)


def test_v1_13_checks_the_assumed_volume_and_not_the_node():
    cache, asking = cache_of(STATIC, volume("v"), claim("c"), rules=CACHE_1_13), using("c")
    done = written(cache, cache.assume_volumes(asking, "a"))
    cache.put(made(claim("c", "v"), 3))
    assert cache.volumes_bound(asking, "a", done)
    strict = cache_of(STATIC, volume("v"), claim("c"), rules=CACHE_1_16)
    done = written(strict, strict.assume_volumes(asking, "a"))
    strict.put(made(claim("c", "v"), 3))
    assert not strict.volumes_bound(asking, "a", done)


def test_the_cluster_reflects_assumptions():
    cache = cache_of(STATIC, volume("v"), volume("w"), claim("c"), claim("d"))
    for asking, on in ((using("c"), "a"), (using("d", name="q"), "b")):
        fits(cache, asking)
        cache.assume_volumes(asking, on)
        cache.assume_pod(asking, on)
        check(cache.cluster())
    found = cache.cluster().objects_of(PersistentVolume)
    assert sorted(each.spec.claimRef.name for each in found) == ["c", "d"]
    assert [key_of(each) for each in cache.cluster().objects_of(PersistentVolumeClaim)] == [
        ("default", "c"),
        ("default", "d"),
    ]
