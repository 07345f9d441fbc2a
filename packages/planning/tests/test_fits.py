"""Whether pods fit, and where: they are placed one after the other."""

import pytest

from kschedlab.build import cluster, deployment, node, pod
from kschedlab_planning import fits

WORLD = cluster(node("n1", 4), node("n2", 2), pod("db", "n1", 3), pod("lost", "n9", 1), pod("web", cpu=2))


def test_pods_are_placed_until_the_cluster_is_full() -> None:
    result = fits((pod("a", cpu=1), 5), WORLD, "v1.20")
    assert not result and len(result.placed) == 3 and result.cluster.requested[0].tolist() == [4000, 2000]
    assert set(result.unplaced) == {"default/a-4", "default/a-5"}
    assert WORLD.requested[0].tolist() == [3000, 0] and list(WORLD.pending) == ["default/web"]


@pytest.mark.parametrize(
    ("pods", "sentence"),
    [
        (pod("a", cpu=1), "The pod fits."),
        ("default/web", "The pod fits."),
        (pod("a", cpu=9), "The pod does not fit."),
        (["default/web", pod("a", cpu=1)], "All 2 pods fit."),
        ([(pod("a", cpu=1), 3), "default/web"], "3 of 4 pods fit."),
        (("default/db", 2), "0 of 2 pods fit."),
        (("default/lost", 1), "The pod fits."),
        ([], "There are no pods to place."),
        ((pod("a"), 0), "There are no pods to place."),
    ],
)
def test_pods_of_all_forms(pods, sentence: str) -> None:
    result = fits(pods, WORLD)
    assert str(result).splitlines()[0] == sentence and sentence in result._repr_html_()
    assert bool(result) == (not result.unplaced)


def test_a_large_cluster_is_searched_whole() -> None:
    """A plan is for the best node, not for the best of the first 100 that a scheduler looks at."""
    world = cluster(*(node(f"n{i:03}", 4) for i in range(149)), node("best", 8))
    assert set(fits(pod("a", cpu=1), world).placed.values()) == {"best"}


def test_the_reasons_stand_below_the_nodes() -> None:
    assert str(fits([pod("a", cpu=1), pod("b", cpu=9)], WORLD)).splitlines() == [
        "1 of 2 pods fit.",
        "  node  pods  which",
        "  n2       1  default/a",
        "  default/b: 0/2 nodes are available: 2 Insufficient cpu.",
    ]


@pytest.mark.parametrize(
    ("pods", "error", "words"),
    [
        ("default/wob", KeyError, 'no pod "default/wob"; there are 3: default/web, '),
        ("default/db", ValueError, r"pod default/db is on n1 already: give it another name, or \(pod, 1\)"),
        ("default/lost", ValueError, "pod default/lost is on n9 already"),
        ((pod("a"), -1), ValueError, "expected a number of copies from 0, got -1"),
        ((pod("a"), 1.5), ValueError, "expected a number of copies from 0, got 1.5"),
        (node("n3"), ValueError, "expected the manifest of one pod, got Node"),
        (deployment("a", 3), ValueError, "expected the manifest of one pod, got Deployment"),
        (None, TypeError, r'expected a pod \("namespace/name", a manifest or a Pod\), got NoneType'),
        ([5], TypeError, "expected a pod .*, got int"),
        (WORLD, TypeError, "expected a pod .*, got Cluster"),
    ],
)
def test_what_is_no_pod(pods, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fits(pods, WORLD)
