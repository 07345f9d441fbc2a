"""Which fields of a pod each generation's API keeps, and how its scheduler counts the pod's requests."""

from collections.abc import Iterator

import pytest

from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.api import API_1_13, API_1_16, API_1_20, API_1_22, API_1_24, API_1_30, API_1_37
from kschedlab.objects.meta import ApiObject, Part
from kschedlab.objects.model import LabelSelectorRequirement, Pod

MIB = 1 << 20
TERM = {
    "topologyKey": "zone",
    "labelSelector": {"matchLabels": {"app": "a"}},
    "namespaceSelector": {},
    "matchLabelKeys": ["v"],
    "mismatchLabelKeys": ["t"],
}
AFFINITY = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [TERM],
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": TERM}],
    }
}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {},
    "minDomains": 2,
    "nodeAffinityPolicy": "Ignore",
    "nodeTaintsPolicy": "Honor",
    "matchLabelKeys": ["v", "w"],
}
SIDECAR = {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "300m"}}}
EPHEMERAL = {
    "volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}}
}


def pod(spec: dict, **metadata: object) -> Pod:
    spec = {"containers": [container("app", {"cpu": "100m", "memory": "10Mi"})]} | spec
    return decode_objects(
        [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"} | metadata, "spec": spec}]
    ).pods[0]


def container(name: str, requests: dict) -> dict:
    limits = {resource: amount for resource, amount in requests.items() if "/" in resource}
    return {"name": name, "resources": {"requests": requests, "limits": limits}}


def full(**metadata: object) -> Pod:
    spec = {
        "affinity": AFFINITY,
        "topologySpreadConstraints": [SPREAD],
        "initContainers": [SIDECAR],
        "overhead": {"cpu": "250m"},
        "preemptionPolicy": "Never",
        "resources": {"requests": {"cpu": "2"}},
        "schedulingGates": [{"name": "g"}],
        "volumes": [{"name": "e", "ephemeral": EPHEMERAL}, {"name": "i", "image": {"reference": "img"}}],
    }
    return pod(spec, **metadata)


def test_the_latest_api_keeps_everything():
    original = full(uid="u")
    assert API_1_37.admit(original) == original


def test_two_apis_differ_only_for_pods_with_a_field_that_one_lacks():
    plain = pod({"volumes": [{"name": "c", "configMap": {"name": "c"}}]})
    assert API_1_20.admits_alike(API_1_24, [plain])
    assert not API_1_20.admits_alike(API_1_24, [plain, full()])
    assert not API_1_20.admits_alike(API_1_37, [plain]), "they count requests in different ways"


def test_v1_20_drops_newer_fields():
    spec = API_1_20.admit(full()).spec
    assert (spec.resources, spec.schedulingGates, spec.initContainers[0].restartPolicy) == (None, (), None)
    assert [(v.name, v.ephemeral, v.image) for v in spec.volumes] == [("e", None, None), ("i", None, None)]
    (constraint,) = spec.topologySpreadConstraints
    assert (constraint.minDomains, constraint.matchLabelKeys) == (None, ())
    assert (constraint.nodeAffinityPolicy, constraint.nodeTaintsPolicy) == ("Honor", "Ignore")
    anti_affinity = spec.affinity.podAntiAffinity
    (term,) = anti_affinity.requiredDuringSchedulingIgnoredDuringExecution
    (preferred,) = anti_affinity.preferredDuringSchedulingIgnoredDuringExecution
    for each in (term, preferred.podAffinityTerm):
        assert (each.namespaceSelector, each.matchLabelKeys, each.mismatchLabelKeys) == (None, (), ())
    assert spec.overhead and spec.preemptionPolicy == "Never"


@pytest.mark.parametrize("api", [API_1_13, API_1_16])
def test_v1_16_and_v1_13_lack_overhead_and_spreading(api):
    spec = api.admit(full()).spec
    assert (spec.overhead, spec.topologySpreadConstraints, spec.preemptionPolicy) == ({}, (), None)


def test_a_pod_without_unknown_fields_stays_the_same_object():
    original = pod({"nodeSelector": {"disk": "ssd"}})
    assert API_1_20.admit(original) is original


def test_match_label_keys_are_merged_into_the_selectors_of_a_new_pod():
    new = API_1_37.admit(full(labels={"v": "1", "t": "2"}))
    (term,) = new.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution
    assert term.labelSelector.matchExpressions == (
        LabelSelectorRequirement("v", "In", ("1",)),
        LabelSelectorRequirement("t", "NotIn", ("2",)),
    )
    assert new.spec.topologySpreadConstraints[0].labelSelector.matchExpressions == (
        LabelSelectorRequirement("v", "In", ("1",)),
    )


@pytest.mark.parametrize(("api", "metadata"), [(API_1_37, {"uid": "u"}), (API_1_20, {})])
def test_selectors_stay_if_the_pod_exists_already_or_the_api_lacks_the_keys(api, metadata):
    kept = api.admit(full(labels={"v": "1", "t": "2"}, **metadata))
    (term,) = kept.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution
    assert term.labelSelector.matchExpressions == ()
    assert kept.spec.topologySpreadConstraints[0].labelSelector.matchExpressions == ()


REQUESTING = {
    "containers": [container("a", {"cpu": "100m"}), container("b", {"memory": "100Mi", "example.com/gpu": "0"})],
    "initContainers": [container("i", {"cpu": "1", "memory": "50Mi", "example.com/fpga": "0"})],
    "overhead": {"cpu": "250m", "memory": "5Mi"},
}


@pytest.mark.parametrize(
    ("api", "incoming", "placed", "scored", "nonzero"),
    [
        pytest.param(API_1_37, (1250, 105), (1250, 105), (1250, 305), (1250, 305), id="v1.37"),
        pytest.param(API_1_20, (1250, 105), (1250, 105), (1001, 305), (1250, 305), id="v1.20"),
        pytest.param(API_1_16, (1000, 100), (1000, 100), (1000, 300), (1000, 300), id="v1.16"),
        pytest.param(API_1_13, (1000, 100), (100, 100), (200, 300), (200, 300), id="v1.13"),
    ],
)
def test_the_requests_that_count(api, incoming, placed, scored, nonzero):
    original = api.admit(pod(REQUESTING))
    for requests, expected in ((api.incoming(original), incoming), (api.placed(original), placed)):
        assert (requests["cpu"], requests["memory"] // MIB) == expected
    for (cpu, memory), expected in ((api.scored(original), scored), (api.nonzero(original), nonzero)):
        assert (cpu, memory // MIB) == expected


@pytest.mark.parametrize("api", [API_1_13, API_1_16, API_1_20, API_1_22, API_1_30, API_1_37])
def test_a_pod_requests_nothing_that_it_does_not_name(api):
    """Where requests are missing, scores count 100m and 200 MiB, to the byte, and an overhead on top."""
    empty = api.admit(pod({"containers": [{"name": "a"}]}))
    assert (api.incoming(empty), api.placed(empty)) == ({}, {})
    assert api.scored(empty) == api.nonzero(empty) == (100, 200 * MIB)
    one = pod({"containers": [{"name": "a"}], "initContainers": [container("i", {"example.com/gpu": "1"})]})
    assert api.incoming(one) == {"example.com/gpu": 1}


@pytest.mark.parametrize(
    ("overhead", "incoming", "v1_20", "v1_22", "v1_30"),
    [
        ({"cpu": "250m"}, {"cpu": 250}, (101, 200 * MIB), (100, 200 * MIB), (350, 200 * MIB)),
        ({"memory": "5Mi"}, {"memory": 5 * MIB}, (100, 205 * MIB), (100, 200 * MIB), (100, 205 * MIB)),
    ],
)
def test_an_overhead_of_one_resource_alone(overhead, incoming, v1_20, v1_22, v1_30):
    """v1.20 scores whole cpus as thousandths; v1.22 leaves the overhead out."""
    heavy = pod({"containers": [{"name": "a"}], "overhead": overhead})
    for api, scored in ((API_1_20, v1_20), (API_1_22, v1_22), (API_1_30, v1_30)):
        assert (api.incoming(heavy), api.scored(heavy)) == (incoming, scored)
    for api in (API_1_20, API_1_30):
        assert api.nonzero(heavy) == v1_30


def test_sidecars_count_in_v1_30_while_init_containers_start():
    """v1.30: pkg/scheduler/framework/types.go, calculateResource."""
    sidecar = container("s", {"cpu": "300m", "memory": "300Mi"}) | {"restartPolicy": "Always"}
    starting = [sidecar, container("i", {"cpu": "500m"}), {"name": "j"}]
    assert API_1_30.nonzero(pod({"initContainers": [{"name": "i"}]})) == (100, 200 * MIB)
    assert API_1_30.nonzero(pod({"initContainers": starting})) == (800, 300 * MIB)


def test_a_zero_request_of_init_containers_only_does_not_count():
    assert API_1_20.incoming(pod(REQUESTING)).keys() == {"cpu", "memory", "example.com/gpu"}


def kinds_of(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def test_nobody_can_change_an_object_that_clusters_share():
    for kind in (*kinds_of(Part), *kinds_of(ApiObject)):
        for field in kind.__struct_fields__:
            with pytest.raises(AttributeError):
                setattr(kind(), field, None)
