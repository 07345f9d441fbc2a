"""ImageLocality: rows of v1.37's image_locality_test.go, and more. Images are named after their size in MiB."""

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import GENERATIONS
from kschedlab.score.image_locality import ImageLocality, normalized
from tests.verdicts import scored

MIB = 1024 * 1024


def image(size, *more):
    return {"names": [f"gcr.io/{size}:latest", *more], "sizeBytes": size * MIB}


NODES = {
    "403002000": [image(40, "gcr.io/40:v1", "gcr.io/40:v1"), image(300, "gcr.io/300:v1"), image(2000)],
    "25010": [image(250), image(10, "gcr.io/10:v1")],
    "60040900": [image(600), image(40), image(900)],
    "300600900": [image(300), image(600), image(900)],
    "400030": [image(4000), image(30)],
    "203040": [image(20), image(30), image(40)],
    "66": [image(66)],
    "none": [],
}


def containers(*sizes, prefix="c"):
    return [{"name": f"{prefix}{i}", "image": f"gcr.io/{size}"} for i, size in enumerate(sizes)]


def volume(size):
    return {"name": "v", "image": {"reference": f"gcr.io/{size}"}}


@pytest.mark.parametrize(
    ("spec", "nodes", "want"),
    [
        ({"containers": containers(40, 250)}, ["403002000", "25010"], [0, 5]),
        ({"containers": containers(40, 300)}, ["403002000", "25010"], [7, 0]),
        ({"containers": containers(10, 4000)}, ["400030", "25010"], [100, 0]),
        ({"containers": containers(10, 4000)}, ["400030", "25010", "none"], [66, 0, 0]),
        ({"containers": containers(300, 600, 900)}, ["60040900", "300600900", "none"], [32, 36, 0]),
        ({"containers": containers(66)}, ["66", "none"], [1, 0]),
        ({"containers": containers(30, 40)}, ["203040", "400030"], [1, 0]),
        ({"containers": containers(30), "volumes": [volume(300)]}, ["300600900", "400030"], [6, 0]),
        ({"containers": containers(30, 300)}, ["300600900", "400030"], [6, 0]),
        (
            {"containers": containers(30), "initContainers": containers(300, prefix="i")},
            ["403002000", "203040"],
            [6, 0],
        ),
        ({"containers": containers(900, 900)}, ["60040900", "none"], [44, 0]),
    ],
    ids=[
        "two images spread on two nodes",
        "two images on one node",
        "beyond the limit",
        "beyond the limit, with a node without images",
        "large images",
        "a little above 23 MiB a node",
        "small images",
        "an image volume",
        "the same images as containers",
        "init containers",
        "an image that is used twice counts twice",
    ],
)
def test_images(spec, nodes, want):
    found = scored(ImageLocality(), pod("p", **spec), *(node(name, images=NODES[name]) for name in nodes))
    assert found == dict(zip(nodes, want, strict=True))


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("root", "root:latest"),
        ("root:tag", "root:tag"),
        ("gcr.io:5000/root", "gcr.io:5000/root:latest"),
        ("gcr.io:5000/root:tag", "gcr.io:5000/root:tag"),
        ("root@sha256:" + "a" * 64, "root@sha256:" + "a" * 64),
        ("", ":latest"),
    ],
)
def test_a_name_without_a_tag_means_latest(name, want):
    assert normalized(name) == want


@pytest.mark.parametrize("generation", list(GENERATIONS))
@pytest.mark.parametrize("sizes", [(100, 500), (500, 100)])
def test_the_size_is_the_one_that_the_first_node_reports(generation, sizes):
    """v1.13 to v1.37: internal/cache or backend/cache, cache.go, addNodeImageStates."""
    (plugin,) = [each for each, _ in GENERATIONS[generation].scores if isinstance(each, ImageLocality)]
    nodes = [node(f"n{size}", images=[{"names": ["a:1"], "sizeBytes": size * MIB}]) for size in sizes]
    found = scored(plugin, pod("p", containers=[{"name": "c", "image": "a:1"}]), *nodes)
    assert set(found.values()) == {(sizes[0] - 23) * plugin.highest // (1000 - 23)}


def test_a_name_that_a_node_reports_twice_has_its_first_size():
    images = [{"names": ["a:1"], "sizeBytes": size * MIB} for size in (100, 900)]
    asking = pod("p", containers=[{"name": "c", "image": "a:1"}])
    assert scored(ImageLocality(), asking, node("n", images=images)) == {"n": 7}


def test_images_of_zero_and_of_absurd_size():
    images = [{"names": ["a:1"], "sizeBytes": 0}, {"names": ["b:1"], "sizeBytes": 2**63 - 1}]
    asking = [pod("p", containers=[{"name": f"c{i}", "image": f"{name}:1"} for i in range(20)]) for name in "ab"]
    assert [scored(ImageLocality(), each, node("n", images=images)) for each in asking] == [{"n": 0}, {"n": 100}]


def test_the_terms_show_the_bytes_and_the_images():
    world = cluster(node("n1", images=[image(300)]), node("n2"), pod("p", containers=containers(300, 40)))
    row = ImageLocality().score(world.pending["default/p"], world, np.array([1, 0]))
    assert row.terms["bytes"].tolist() == [0, 150 * MIB] and row.terms["images"] == 2


def test_in_v1_20_only_container_images_counted():
    spec = {"containers": containers(300), "initContainers": containers(600, prefix="i"), "volumes": [volume(900)]}
    nodes = [node(name, images=NODES[name]) for name in ("300600900", "403002000")]
    plain = pod("p", containers=containers(300))
    older = ImageLocality(counts_init_containers=False, counts_image_volumes=False)
    assert scored(older, pod("p", **spec), *nodes) == scored(ImageLocality(), plain, *nodes)
    assert scored(older, pod("p", **spec), *nodes) != scored(ImageLocality(), pod("p", **spec), *nodes)
