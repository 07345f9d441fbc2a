"""VolumeBinding's score: rows of v1.37's scorer_test.go and volume_binding_test.go."""

import pytest

from kschedlab.build import node, pod, term
from kschedlab.filter.plugin import SchedulingError
from kschedlab.score.node_resources import RequestedToCapacityRatio
from kschedlab.score.volume_binding import PANIC, VolumeBindingScore
from tests.storage import claim, csi_driver, mount, storage_capacity, storage_class, volume
from tests.verdicts import scored

HOST = "kubernetes.io/hostname"
NODES = [node(name, labels={HOST: name}) for name in "abc"]
WANTED = pod("p", volumes=[mount("c")])
BOTH = pod("p", volumes=[mount("c"), mount("d", "w")])
FULLER = VolumeBindingScore(shape=RequestedToCapacityRatio(((0, 0), (100, 10))))


def at(name):
    return term(f"{HOST} In {name}")


def static(*objects, wanted=WANTED, plugin=FULLER):
    return scored(plugin, wanted, *NODES, storage_class("wait"), storage_class("fast"), *objects)


def test_pods_without_unbound_claims_score_0_but_are_not_skipped():
    assert scored(VolumeBindingScore(), pod("p"), *NODES) == {"a": 0, "b": 0, "c": 0}
    assert scored(VolumeBindingScore(), WANTED, *NODES, claim("c", "pv"), volume("pv")) == {"a": 0, "b": 0, "c": 0}


def test_a_volume_with_less_unused_capacity_scores_lower():
    volumes = [volume("x", at("a"), size="100Gi"), volume("y", at("b"), size="200Gi")]
    assert static(claim("c", size="50Gi"), *volumes) == {"a": 50, "b": 25, "c": 0}
    assert static(claim("c", size="50Gi"), *volumes, plugin=VolumeBindingScore()) == {"a": 50, "b": 75, "c": 0}


def test_volumes_of_one_class_are_added_and_classes_are_averaged():
    claims = [claim("c", size="50Gi"), claim("d", size="100Gi")]
    volumes = [volume("x", at("a"), size="100Gi"), volume("y", at("a"), size="200Gi")]
    assert static(*claims, *volumes, wanted=BOTH)["a"] == 50
    claims = [claim("c", size="50Gi"), claim("d", size="51Gi", of="fast")]
    volumes = [volume("x", at("a"), size="100Gi"), volume("y", at("a"), size="200Gi", of="fast")]
    assert static(*claims, *volumes, wanted=BOTH)["a"] == 38  # (50 + 25) / 2, half up


@pytest.mark.parametrize(("asked", "score"), [("30Gi", 70), ("100Gi", 0), ("33Gi", 67)])
def test_for_new_volumes_the_free_capacity_counts(asked, score):
    objects = [claim("c", size=asked), csi_driver(storageCapacity=True), storage_capacity("r", "a", "100Gi")]
    assert static(*objects, plugin=VolumeBindingScore()) == {"a": score, "b": 0, "c": 0}


def test_two_new_volumes_share_the_same_capacity():
    claims = [claim("c", size="50Gi"), claim("d", size="40Gi")]
    objects = [*claims, csi_driver(storageCapacity=True), storage_capacity("r", "a", "100Gi")]
    assert static(*objects, wanted=BOTH, plugin=VolumeBindingScore())["a"] == 10


def test_if_a_volume_is_bound_new_volumes_do_not_count():
    claims = [claim("c", size="1Gi"), claim("d", size="40Gi", of="fast")]
    objects = [*claims, volume("x", at("a"), size="4Gi"), csi_driver(storageCapacity=True)]
    capacities = [storage_capacity("r", name, "100Gi", of=of) for name in "ab" for of in ("wait", "fast")]
    capacities = [r | {"metadata": {"name": f"r{i}", "namespace": "default"}} for i, r in enumerate(capacities)]
    assert static(*objects, *capacities, wanted=BOTH, plugin=VolumeBindingScore()) == {"a": 75, "b": 80, "c": 0}


def test_a_class_without_free_capacity_counts_as_full():
    """v1.37: volumebinding/scorer.go, buildScorerFunction."""
    objects = [claim("c"), csi_driver(storageCapacity=True)]
    objects += [storage_capacity("r", "a", "0", largest="5Gi"), storage_capacity("s", "b", "100Gi")]
    assert static(*objects) == {"a": 100, "b": 1, "c": 0}


def test_the_real_scheduler_panics_without_a_capacity():
    objects = [claim("c"), csi_driver(storageCapacity=True), storage_capacity("r", "a", None, largest="5Gi")]
    with pytest.raises(SchedulingError, match=PANIC):
        static(*objects)
