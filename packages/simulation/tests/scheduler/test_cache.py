"""The scheduler's cache: its contents after events from informers and assumptions by the loop."""

import random
from dataclasses import dataclass

import msgspec
import pytest

from kschedlab.build import budget, node, pod
from kschedlab.cluster.cluster import CPU, Cluster
from kschedlab.cluster.object_store import key_of
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.api import API_1_37
from kschedlab.objects.model import Node, Pod, PodDisruptionBudget
from kschedlab_simulation.scheduler.cache import (
    CacheError,
    SchedulerCache,
    on_node,
)
from kschedlab_simulation.scheduler.changes import loop_rules
from tests.changing import NODES, PODS, POOL, TESTED_GENERATIONS, ChangingCluster, Expected, decide, shown
from tests.cluster.checking import check
from tests.cluster.test_changes import contents
from tests.course import GENERATIONS

CACHE_1_13, CACHE_1_16, CACHE_1_20, CACHE_1_37 = (loop_rules(each).cache for each in GENERATIONS.values())
OLDER = [CACHE_1_13, CACHE_1_16, CACHE_1_20]
SECOND = 1_000_000


def named(kind, *manifests):
    return decode_objects(manifests).of(kind)


def versioned(document, version, **metadata):
    changed = msgspec.structs.replace(document.metadata, resourceVersion=str(version), **metadata)
    return msgspec.structs.replace(document, metadata=changed)


def some_pod(name="p", on="", uid=None, version=1, **fields):
    (found,) = named(Pod, pod(name, on, **fields))
    return versioned(found, version, uid=uid or f"uid-of-{name}")


def nodes(*names, **fields):
    return decode_objects([node(name, **fields) for name in names]).nodes


def cache_of(*names, rules=CACHE_1_37, now=int, api=API_1_37):
    cache = SchedulerCache(api, rules, now, "")
    for each in nodes(*names):
        cache.add_node(each)
    return cache


def used(cache):
    """Milli cpu on each node."""
    cluster = cache.cluster()
    return dict(zip(cluster.names, cluster.requested[CPU].tolist(), strict=True))


# -- pods


def test_an_assumed_pod_uses_resources_until_it_is_forgotten():
    cache, asking = cache_of("a", "b"), some_pod(requests={"cpu": "1"})
    assumed = cache.assume_pod(asking, "a")
    assert (assumed.spec.nodeName, cache.is_assumed(asking), used(cache)) == ("a", True, {"a": 1000, "b": 0})
    assert cache.pod(asking) is assumed
    cache.forget_pod(assumed)
    assert (cache.is_assumed(asking), used(cache), cache.pod(asking)) == (False, {"a": 0, "b": 0}, None)


def test_an_added_pod_is_no_longer_assumed():
    cache, asking = cache_of("a"), some_pod(requests={"cpu": "1"})
    cache.assume_pod(asking, "a")
    cache.add_pod(some_pod("p", "a", version=2, requests={"cpu": "1"}, start="2024-01-01T00:00:07Z"))
    cluster = cache.cluster()
    (row,) = cluster.pods.row_of.values()
    assert not cache.is_assumed(asking) and used(cache) == {"a": 1000}
    assert cluster.pods.start[row] == cluster.pods.info(row).pod.status.startTime
    check(cluster)


def test_a_pod_added_on_another_node_leaves_the_assumed_one():
    cache, asking = cache_of("a", "b"), some_pod(requests={"cpu": "1"})
    cache.assume_pod(asking, "a")
    cache.add_pod(some_pod("p", "b", version=2, requests={"cpu": "1"}))
    assert (used(cache), cache.is_assumed(asking)) == ({"a": 0, "b": 1000}, False)


def test_pods_are_added_updated_and_removed():
    cache, before = cache_of("a"), some_pod("p", "a", requests={"cpu": "1"}, labels={"app": "web"})
    after = some_pod("p", "a", version=2, requests={"cpu": "3"}, labels={"app": "db"})
    cache.add_pod(before)
    cache.update_pod(before, after)
    cluster = cache.cluster()
    assert used(cache) == {"a": 3000} and dict(cluster.pods.info(0).signature.labels) in (
        {"app": "db"},
        {},
    )
    check(cluster)
    cache.remove_pod(after)
    assert used(cache) == {"a": 0} and cache.sizes() == {"nodes": 1, "pods": 0, "assumed_pods": 0}


def test_invalid_operations_are_errors():
    cache, here = cache_of("a", "b"), some_pod("p", "a")
    cache.add_pod(here)
    waiting = cache.assume_pod(some_pod("q"), "a")
    for act, message in [
        (lambda: cache.assume_pod(here, "b"), r"uid-of-p\(default/p\) is in the cache, so can't be assumed"),
        (lambda: cache.add_pod(here), "was already in added state"),
        (lambda: cache.forget_pod(here), "wasn't assumed so cannot be forgotten"),
        (lambda: cache.forget_pod(some_pod("q", "b")), "was assumed on b but assigned to a"),
        (lambda: cache.update_pod(waiting, waiting), "assumed pod .* should not be updated"),
        (lambda: cache.update_pod(some_pod("r", "a"), some_pod("r", "a")), "is not added to scheduler cache"),
        (lambda: cache.update_pod(here, some_pod("p", "b")), "updated on a different node"),
        (lambda: cache.remove_pod(some_pod("r", "a")), "is not found in scheduler cache"),
        (lambda: cache.remove_node(nodes("c")[0]), "node c is not found"),
    ]:
        with pytest.raises(CacheError, match=message):
            act()
    assert cache.sizes() == {"nodes": 2, "pods": 2, "assumed_pods": 1}
    check(cache.cluster())


def test_forgetting_a_missing_pod_is_an_error_in_older_generations():
    cache_of("a").forget_pod(some_pod())
    for rules in OLDER:
        with pytest.raises(CacheError, match="wasn't assumed so cannot be forgotten"):
            cache_of("a", rules=rules).forget_pod(some_pod())


@pytest.mark.parametrize(("rules", "removed"), [(CACHE_1_13, 0), (CACHE_1_16, 0), (CACHE_1_20, 1), (CACHE_1_37, 1)])
def test_removing_an_assumed_pod(rules, removed):
    cache = cache_of("a", rules=rules)
    assumed = cache.assume_pod(some_pod(), "a")
    if removed:
        cache.remove_pod(assumed)
    else:
        with pytest.raises(CacheError, match="is not found"):
            cache.remove_pod(assumed)
    assert cache.sizes()["pods"] == 1 - removed


@dataclass
class Clock:
    now: int = 0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("rules", "seconds"), [(CACHE_1_13, 30), (CACHE_1_16, 30), (CACHE_1_20, 120)])
def test_an_assumed_pod_expires_after_its_binding(rules, seconds):
    clock = Clock()
    cache = cache_of("a", rules=rules, now=clock)
    bound, binding = some_pod("bound", requests={"cpu": "1"}), some_pod("binding", requests={"cpu": "2"})
    for each in (bound, binding):
        cache.assume_pod(each, "a")
    clock.now = 5 * SECOND
    cache.finish_binding(bound)
    clock.now = (5 + seconds) * SECOND
    assert cache.expire() == []
    clock.now += 1
    assert [each.key for each in cache.expire()] == ["default/bound"]
    assert used(cache) == {"a": 2000} and cache.is_assumed(binding)
    cache.add_pod(some_pod("bound", "a", version=2, requests={"cpu": "1"}))
    assert used(cache) == {"a": 3000}


def test_assumed_pods_do_not_expire_in_v1_37():
    clock = Clock()
    cache = cache_of("a", now=clock)
    cache.assume_pod(some_pod(), "a")
    cache.finish_binding(some_pod())
    clock.now = 10**15
    assert cache.expire() == [] and cache.is_assumed(some_pod())


def test_an_added_pod_replaces_one_of_the_same_name():
    cache = cache_of("a", "b")
    first = cache.assume_pod(some_pod(uid="first", requests={"cpu": "1"}), "a")
    second = cache.assume_pod(some_pod(uid="second", requests={"cpu": "2"}), "b")
    assert used(cache) == {"a": 0, "b": 2000}
    cache.forget_pod(first)
    assert used(cache) == {"a": 0, "b": 2000} and cache.is_assumed(second)
    cache.forget_pod(second)
    assert used(cache) == {"a": 0, "b": 0}


def test_pod_info_is_computed_once_per_version():
    cache, asking = cache_of("a"), some_pod()
    info = cache.info(asking)
    assert cache.info(some_pod()) is info
    assert cache.info(some_pod(version=2)) is not info
    cache.forget_pending(asking)
    assert cache.info(asking) is not info


@pytest.mark.parametrize(
    ("news", "anew"),
    [({"annotations": {"a": "b"}}, False), ({"labels": {"a": "b"}}, True), ({"deletionTimestamp": 7}, True)],
)
def test_only_relevant_changes_of_a_bound_pod_are_recomputed(news, anew, monkeypatch):
    cache, asking = cache_of("a"), some_pod(requests={"cpu": "1"})
    cache.assume_pod(asking, "a")
    computed = []
    monkeypatch.setattr(Cluster, "info", lambda self, pod, info=Cluster.info: computed.append(pod) or info(self, pod))
    for version in (2, 3):
        changed = versioned(some_pod("p", "a", requests={"cpu": "1"}), version, **news)
        (cache.add_pod if version == 2 else lambda pod: cache.update_pod(pod, pod))(changed)
    cluster = cache.cluster()
    info = cluster.on_node("default/p")
    assert info.pod == changed and bool(computed) == anew
    assert used(cache) == {"a": 1000}
    check(cluster)


def test_nominated_pods_hold_resources_until_bound_or_no_longer_nominated():
    cache, asking = cache_of("a"), some_pod()
    cache.nominate(asking, "a")
    assert set(cache.cluster().nominated.row_of) == {"default/p"}
    cache.remove_nomination(asking)
    assert not cache.cluster().nominated.row_of
    cache.nominate(asking, "a")
    cache.assume_pod(asking, "a")
    assert not cache.cluster().nominated.row_of


# -- nodes and other objects


def test_pods_may_arrive_before_their_nodes_and_outlive_them():
    cache, here = cache_of(), some_pod("p", "a", requests={"cpu": "1"})
    cache.add_pod(here)
    assert used(cache) == {}
    (a,) = nodes("a")
    cache.add_node(a)
    assert used(cache) == {"a": 1000}
    cache.remove_node(a)
    assert used(cache) == {}
    cache.add_node(a)
    assert used(cache) == {"a": 1000}
    cache.remove_node(a)
    cache.remove_pod(here)
    cache.add_node(a)
    assert used(cache) == {"a": 0}


def test_changes_are_deferred_to_the_next_cycle_and_keep_their_order():
    cache = cache_of("a", "b", "c")
    a, b, _ = nodes("a", "b", "c")
    cache.update_node(a, a)
    cache.remove_node(b)
    cache.add_node(b)
    cache.remove_node(a)
    assert cache.cluster().names == ["c", "b"]
    cache.add_node(a)
    assert cache.cluster() is cache.cluster() and cache.cluster().names == ["c", "b", "a"]


def test_updating_an_unknown_node_adds_it():
    cache, (a,) = cache_of(), nodes("a")
    cache.update_node(a, a)
    assert cache.cluster().names == ["a"]


def test_other_objects_are_added_updated_and_removed():
    cache = cache_of("a")
    (first,) = named(PodDisruptionBudget, budget("b", 1, {"app": "web"}))
    (then,) = named(PodDisruptionBudget, budget("b", 0, {"app": "web"}))
    cache.put(first)
    cache.put(then)
    assert list(cache.cluster().objects_of(PodDisruptionBudget)) == [then]
    cache.drop(then)
    assert list(cache.cluster().objects_of(PodDisruptionBudget)) == []
    cache.put(first)
    cache.drop(first)
    assert list(cache.cluster().objects_of(PodDisruptionBudget)) == []


def test_a_heartbeat_keeps_derived_values_of_nodes():
    cache = cache_of("a", "b", "c")
    cluster = cache.cluster()
    zones, order = cluster.topology("zone"), cluster.names
    for each in nodes("a", "b", "c"):
        cache.update_node(each, versioned(each, 7))
    assert cache.cluster().topology("zone") is zones and cache.cluster().names is order


# -- anything in any order


class Cached(ChangingCluster):
    """A cache and its expected contents; some pods are only assumed."""

    def __init__(self, generation):
        self.cache, self.assumed = cache_of(api=generation.api), set()
        super().__init__(self.cache.cluster(), Expected(), generation)

    def nodes(self, draw):
        name = draw.choice(NODES)
        old, new = self.expected.nodes.get(name), draw.choice(POOL[Node][name])
        if old is None:
            self.cache.add_node(new)
        elif draw.random() < 0.4:
            new = None
            self.cache.remove_node(old)
        else:
            self.cache.update_node(old, new)
        self.expected.change_node(name, new, self.generation.api.older_zone_labels_only)

    def pod(self, draw):
        chosen = draw.choice(draw.choice(PODS))
        key, running = chosen.key, self.expected.running
        if key not in running:
            running[key] = chosen, draw.choice(NODES)
            self.expected.nominated.pop(key, None)
            if draw.random() < 0.5:
                self.cache.assume_pod(*running[key])
                self.assumed.add(key)
            else:
                self.cache.add_pod(on_node(*running[key]))
        elif key not in self.assumed:
            self.cache.remove_pod(on_node(*running.pop(key)))
        elif draw.random() < 0.4:
            self.assumed.remove(key)
            self.cache.forget_pod(on_node(*running.pop(key)))
        else:
            self.assumed.remove(key)
            running[key] = chosen, draw.choice([running[key][1], draw.choice(NODES)])
            self.cache.add_pod(on_node(*running[key]))

    def replace(self, draw):
        chosen = draw.choice(draw.choice(PODS))
        if chosen.key in self.expected.running and chosen.key not in self.assumed:
            before, on = self.expected.running[chosen.key]
            self.expected.running[chosen.key] = chosen, on
            self.cache.update_pod(on_node(before, on), on_node(chosen, on))

    def nominate(self, draw):
        chosen = draw.choice(draw.choice(PODS))
        if chosen.key not in self.expected.running:
            self.expected.nominated[chosen.key] = chosen, draw.choice(NODES)
            self.cache.nominate(*self.expected.nominated[chosen.key])

    def other_object(self, draw, kinds):
        kind = draw.choice(kinds)
        new = draw.choice(draw.choice(list(POOL[kind].values())))
        found, key = self.expected.others[kind], key_of(new)
        if key in found and draw.random() < 0.4:
            self.cache.drop(found.pop(key))
        else:
            found[key] = new
            self.cache.put(new)


def in_any_order(found):
    """The contents, pods sorted: node changes are deferred, so pods return to a node later than expected."""
    return found | {"pods": sorted(found["pods"])}


@pytest.mark.parametrize("seed", range(8))
def test_after_random_changes_the_cluster_equals_a_rebuilt_one(seed):
    draw, world = random.Random(seed), Cached(TESTED_GENERATIONS[seed % 2])
    for _ in range(10):
        probes = world.phase(draw, 60)
        cluster, fresh = world.cache.cluster(), world.rebuilt()
        check(cluster)
        assert in_any_order(contents(cluster)) == in_any_order(contents(fresh))
        for probe in probes:
            assert shown(decide(cluster, probe, world.generation)) == shown(decide(fresh, probe, world.generation))
