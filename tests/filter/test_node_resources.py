"""NodeResourcesFit: rows of v1.37's fit_test.go (TestEnoughRequests, TestNotEnoughRequests, TestStorageRequests)."""

import pytest

from kschedlab.build import node, pod, resources
from kschedlab.filter.node_resources import NodeResourcesFit
from packages.devices.tests.device_manifests import device_class
from tests.verdicts import judged, refused

A, B = "example.com/aaa", "example.com/bbb"
PAGES = "hugepages-2Mi"
ROOM = {"cpu": "10m", "memory": "20", "pods": "32", A: "5", "ephemeral-storage": "20", PAGES: "10Mi"}


def amounts(cpu=None, memory=None, **scalar):
    named = {"a": A, "b": B, "pages": PAGES, "storage": "ephemeral-storage"}
    given = {} if cpu is None else {"cpu": f"{cpu}m"}
    given |= {} if memory is None else {"memory": str(memory)}
    return given | {named[short]: str(amount) for short, amount in scalar.items()}


def asks(*containers, init=(), **spec):
    """A pod whose containers and init containers request these amounts."""
    lists = {"containers": containers, "initContainers": init}
    made = {
        field: [
            {"name": f"{field[:4].lower()}{i}", "image": "img", "resources": resources(r)} for i, r in enumerate(each)
        ]
        for field, each in lists.items()
        if each
    }
    return pod("p", **made, **spec)


def short(*names):
    return {"n": [f"Insufficient {name}" for name in names]}


@pytest.mark.parametrize(
    ("asking", "used", "want"),
    [
        (asks({}), amounts(10, 20), {}),
        (asks(amounts(1, 1)), amounts(10, 20), short("cpu", "memory")),
        (asks(amounts(1, 1), init=[amounts(3, 1)]), amounts(8, 19), short("cpu")),
        (asks(amounts(1, 1), init=[amounts(3, 1), amounts(2, 1)]), amounts(8, 19), short("cpu")),
        (asks(amounts(1, 1), init=[amounts(1, 3)]), amounts(9, 19), short("memory")),
        (asks(amounts(1, 1), init=[amounts(1, 1), amounts(1, 1)]), amounts(9, 19), {}),
        (asks(amounts(1, 1)), amounts(5, 5), {}),
        (asks(amounts(2, 1)), amounts(9, 5), short("cpu")),
        (asks(amounts(1, 2)), amounts(5, 19), short("memory")),
        (asks(amounts(5, 1)), amounts(5, 19), {}),
        (asks(amounts(4, 1), init=[amounts(5, 1)]), amounts(5, 19), {}),
        (asks(amounts(a=1)), {}, {}),
        (asks({}, init=[amounts(a=1)]), {}, {}),
        (asks(amounts(1, 1, a=1)), amounts(0, 0, a=5), short(A)),
        (asks({}, init=[amounts(1, 1, a=3), amounts(1, 1, a=3)]), amounts(0, 0, a=2), {}),
        (asks(amounts(1, 1, a=0)), amounts(0, 0, a=6), {}),
        (asks(amounts(a=1)), amounts(20, 30, a=1), {}),
        (asks(amounts(1, 1, storage=10)), amounts(storage=10), {}),
        (asks(amounts(1, 1, storage=10)), amounts(storage=11), short("ephemeral-storage")),
        (asks(amounts(1, 1), overhead={"cpu": "3m", "memory": "13"}), amounts(5, 5), {}),
        (asks(amounts(1, 1), overhead={"cpu": "1m", "memory": "15"}), amounts(5, 5), short("memory")),
        (asks(amounts(1, 1), resources={"requests": amounts(1, 2)}), amounts(5, 5), {}),
        (asks(amounts(1, 1), resources={"requests": amounts(7, 2)}), amounts(5, 5), short("cpu")),
        (asks(amounts(1, 1), resources={"requests": amounts(3, 2)}), amounts(5, 19), short("memory")),
        (asks(amounts(6, 6, a=1)), amounts(9, 19, a=5), short("cpu", "memory", A)),
    ],
    ids=[
        "no resources requested always fits",
        "too many resources",
        "init container cpu",
        "highest init container cpu",
        "init container memory",
        "init containers: the largest, not the sum",
        "both resources fit",
        "one resource, memory, fits",
        "one resource, cpu, fits",
        "equal edge case",
        "equal edge case for init container",
        "extended resource fits",
        "extended resource fits for init container",
        "extended resource allocatable enforced",
        "extended resource admits multiple init containers",
        "nothing of an overcommitted extended resource",
        "nothing of overcommitted cpu and memory",
        "ephemeral storage is sufficient",
        "ephemeral storage exceeds allocatable",
        "overhead fits",
        "overhead does not fit",
        "pod-level resources fit",
        "pod-level cpu does not fit",
        "pod-level memory does not fit",
        "cpu, memory, then the others",
    ],
)
def test_resources_that_evicting_could_free(asking, used, want):
    objects = node("n", allocatable=ROOM), pod("running", "n", requests=used)
    assert refused(NodeResourcesFit(), asking, *objects) == want
    assert not judged(NodeResourcesFit(), asking, *objects)[1].unresolvable().any()


@pytest.mark.parametrize(
    ("asking", "want"),
    [
        (asks(amounts(1, 1, a=10)), short(A)),
        (asks({}, init=[amounts(1, 1, a=10)]), short(A)),
        (asks(amounts(1, 1, a=3), amounts(1, 1, a=3)), short(A)),
        (asks(amounts(1, 1, b=1)), short(B)),
        (asks({}, init=[amounts(1, 1, b=1)]), short(B)),
        (asks(amounts(1, 1, pages="20Mi")), short(PAGES)),
        (asks(amounts(1, 1, pages="6Mi"), amounts(1, 1, pages="6Mi")), short(PAGES)),
        (asks(amounts(11, 1)), short("cpu")),
    ],
    ids=[
        "extended resource",
        "extended resource of an init container",
        "extended resource of two containers",
        "unknown resource",
        "unknown resource of an init container",
        "hugepages",
        "hugepages of two containers",
        "cpu",
    ],
)
def test_requests_that_exceed_an_empty_node(asking, want):
    assert refused(NodeResourcesFit(), asking, node("n", allocatable=ROOM)) == want
    assert judged(NodeResourcesFit(), asking, node("n", allocatable=ROOM))[1].unresolvable().all()


def test_one_resource_that_can_be_freed_and_one_that_cannot():
    asking, objects = asks(amounts(11, 1)), (node("n", allocatable=ROOM), pod("r", "n", requests=amounts(1, 20)))
    assert refused(NodeResourcesFit(), asking, *objects) == short("cpu", "memory")
    assert judged(NodeResourcesFit(), asking, *objects)[1].unresolvable().all()


@pytest.mark.parametrize(
    ("asked", "used", "want"),
    [
        (amounts(1, 1), amounts(10, 20), ["Too many pods", "Insufficient cpu", "Insufficient memory"]),
        (amounts(1, 1), amounts(5, 5), ["Too many pods"]),
        ({}, {}, ["Too many pods"]),
    ],
)
def test_the_maximum_number_of_pods(asked, used, want):
    full = node("n", allocatable=ROOM | {"pods": "1"})
    assert refused(NodeResourcesFit(), asks(asked), full, pod("running", "n", requests=used)) == {"n": want}


def test_nodes_are_checked_independently():
    nodes = [node("empty", allocatable=ROOM), node("full", allocatable=ROOM), node("small", allocatable={"pods": "9"})]
    found = refused(NodeResourcesFit(), asks(amounts(2)), *nodes, pod("running", "full", requests=amounts(9)))
    assert found == {"full": ["Insufficient cpu"], "small": ["Insufficient cpu"]}


def test_requests_of_sidecars_are_added():
    asking = asks(amounts(1), init=[amounts(9)])
    assert refused(NodeResourcesFit(), asking, node("n", allocatable=ROOM), pod("r", "n", requests=amounts(1))) == {}
    asking["spec"]["initContainers"][0]["restartPolicy"] = "Always"
    objects = node("n", allocatable=ROOM), pod("r", "n", requests=amounts(1))
    assert refused(NodeResourcesFit(), asking, *objects) == short("cpu")


@pytest.mark.parametrize(
    ("ignored", "want"),
    [
        ({B}, {"n": [f"Insufficient {A}"]}),
        ({"example.com"}, {}),
        ({"other.com"}, {"n": [f"Insufficient {x}" for x in (A, B)]}),
    ],
    ids=["a resource", "a group", "another group"],
)
def test_ignored_resources(ignored, want):
    asking = asks(amounts(1, 1, a=6, b=1))
    assert refused(NodeResourcesFit(ignored=frozenset(ignored)), asking, node("n", allocatable=ROOM)) == want


def test_the_terms_show_what_was_compared():
    world, verdicts = judged(
        NodeResourcesFit(), asks(amounts(4)), node("n", allocatable=ROOM), pod("r", "n", requests=amounts(7))
    )
    (part,) = verdicts.refusals[0].parts
    assert (part.terms["requested"], part.terms["used"].tolist(), part.terms["allocatable"].tolist()) == (4, [7], [10])


OLDER = NodeResourcesFit(checks_requested_resources_only=False, too_small_is_unresolvable=False)
"""As in v1.20 and before."""


@pytest.mark.parametrize(
    ("asked", "want", "latest"),
    [
        ({}, {}, {}),
        (amounts(1), short("cpu", "memory"), short("cpu")),
        (amounts(0, 0), {}, {}),
        (amounts(storage=1), short("cpu", "memory"), {}),
        (amounts(a=0), short("cpu", "memory", A), {}),
        (amounts(b=1), short("cpu", "memory", B), short(B)),
    ],
    ids=["nothing", "cpu", "0 cpu", "storage", "0 of an extended resource", "an unknown resource"],
)
def test_older_generations_check_cpu_and_memory_if_anything_is_requested(asked, want, latest):
    overcommitted = node("n", allocatable=ROOM), pod("running", "n", requests=amounts(11, 21, a=6))
    assert refused(OLDER, asks(asked), *overcommitted) == want
    assert refused(NodeResourcesFit(), asks(asked), *overcommitted) == latest


def test_older_generations_try_evicting_where_even_the_empty_node_is_too_small():
    _, verdicts = judged(OLDER, asks(amounts(11, 1)), node("n", allocatable=ROOM))
    assert not verdicts.passes.any()
    assert not verdicts.unresolvable().any()


GPU = "example.com/gpu"


def test_a_resource_that_the_node_lacks_and_a_class_serves_is_left_to_the_devices() -> None:
    nodes = [node("none"), node("zero", allocatable=ROOM | {GPU: "0"}), node("one", allocatable=ROOM | {GPU: "1"})]
    asking = asks({GPU: "2"})
    lacking = [f"Insufficient {GPU}"]
    assert refused(NodeResourcesFit(), asking, *nodes) == {"none": lacking, "zero": lacking, "one": lacking}
    served = [*nodes, device_class("gpu", extendedResourceName=GPU)]
    assert refused(NodeResourcesFit(), asking, *served) == {"one": lacking}
    assert judged(NodeResourcesFit(), asking, *served)[1].unresolvable().any()
    before = NodeResourcesFit(leaves_devices_out=False)
    assert refused(before, asking, *served) == {"none": lacking, "zero": lacking, "one": lacking}


def test_every_class_serves_its_implicit_name() -> None:
    implicit = "deviceclass.resource.kubernetes.io/gpu"
    world = [node("a"), device_class("gpu")]
    assert refused(NodeResourcesFit(), asks({implicit: "1"}), *world) == {}
    assert refused(NodeResourcesFit(), asks({f"{implicit}s": "1"}), *world) == {"a": [f"Insufficient {implicit}s"]}
