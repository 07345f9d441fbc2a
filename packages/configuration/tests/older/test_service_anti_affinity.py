"""ServiceAntiAffinity: rows of v1.13's selector_spreading_test.go (TestZoneSpreadPriority), and more."""

import pytest

from kschedlab.build import node, pod, service
from kschedlab_configuration.older.service_anti_affinity import ServiceAntiAffinity
from tests.verdicts import scored

ONE, TWO = {"foo": "bar", "baz": "blah"}, {"bar": "foo", "baz": "blah"}
ZONES = {"m01": None, "m02": None, "m11": "zone1", "m12": "zone1", "m21": "zone2", "m22": "zone2"}
NODES = [node(name, labels={"zone": zone} if zone else {}) for name, zone in ZONES.items()]
PLUGIN = ServiceAntiAffinity(label="zone", highest=10)


def running(*pods, **spec):
    """Pods given as (node, labels)."""
    return [pod(f"r{i}", on, labels=labels, **spec) for i, (on, labels) in enumerate(pods)]


@pytest.mark.parametrize(
    ("asking", "objects", "zone1", "zone2"),
    [
        (pod("p"), [], 10, 10),
        (pod("p", labels=ONE), running(("m11", {})), 10, 10),
        (pod("p", labels=ONE), [*running(("m11", TWO)), service("s", {"key": "value"})], 10, 10),
        (pod("p", labels=ONE), [*running(("m01", TWO), ("m11", TWO), ("m21", ONE)), service("s", ONE)], 10, 0),
        (pod("p", labels=ONE), [*running(("m11", TWO), ("m11", ONE), ("m21", ONE)), service("s", ONE)], 5, 5),
        (
            pod("p", labels=ONE, namespace="ns1"),
            [*running(("m11", ONE)), *running(("m21", ONE), namespace="ns1"), service("s", ONE, "ns1")],
            10,
            0,
        ),
        (
            pod("p", labels=ONE),
            [*running(("m11", TWO), ("m11", ONE), ("m21", ONE), ("m21", ONE)), service("s", ONE)],
            6,
            3,
        ),
        (
            pod("p", labels=ONE),
            [*running(("m11", TWO), ("m11", ONE), ("m21", ONE)), service("s", {"baz": "blah"})],
            3,
            6,
        ),
        (
            pod("p", labels=ONE),
            [*running(("m01", ONE), ("m11", ONE), ("m21", ONE), ("m21", ONE)), service("s", ONE)],
            7,
            5,
        ),
    ],
    ids=[
        "nothing scheduled",
        "no services",
        "different services",
        "three pods, one service pod",
        "three pods, two service pods on different machines",
        "three service label match pods in different namespaces",
        "four pods, three service pods",
        "service with partial pod label matches",
        "service pod on non-zoned node",
    ],
)
def test_service_anti_affinity(asking, objects, zone1, zone2):
    want = {name: {None: 0, "zone1": zone1, "zone2": zone2}[zone] for name, zone in ZONES.items()}
    assert scored(PLUGIN, asking, *NODES, *objects) == want


def test_of_several_services_the_first_one_counts():
    objects = [
        service("first", {"foo": "bar"}),
        service("second", {"baz": "blah"}),
        *running(("m11", ONE), ("m21", TWO)),
    ]
    found = scored(PLUGIN, pod("p", labels=ONE), *NODES, *objects) or {}
    assert (found["m11"], found["m21"]) == (0, 10)
