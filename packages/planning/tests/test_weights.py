"""Regions of weights: exact borders, equal to what decisions with these weights say."""

import random
from fractions import Fraction

import pytest

from kschedlab import schedule
from kschedlab.build import cluster, node, pod
from kschedlab.generations import GENERATIONS
from kschedlab_planning import weight_region
from kschedlab_planning.weights import HalfSpace, WeightRegion
from tests.samples import sampled
from tests.saying import says

V1_37 = GENERATIONS["v1.37"]


def world(rng):
    nodes = []
    for i in range(5):
        taints = [{"key": f"t{i}{j}", "effect": "PreferNoSchedule"} for j in range(rng.choice([0, 0, 1, 2]))]
        nodes.append(node(f"n{i}", cpu=rng.randint(2, 8), memory=f"{rng.randint(2, 8)}Gi", taints=taints))
    running = [pod(f"p{i}", on=f"n{rng.randrange(5)}", cpu="300m", memory="300Mi") for i in range(6)]
    return cluster(*nodes, *running, pod("web", cpu="700m", memory="1Gi"))


@pytest.mark.parametrize("seed", sampled(range(25), 8))
def test_the_region_is_where_decisions_stay(seed):
    rng = random.Random(seed)
    base = world(rng)
    decision = schedule("default/web", base)
    region = weight_region(decision)
    for _ in range(20):
        weights = {name: rng.randint(0, 9) for name in region.weights}
        if any(weights.values()):
            stays = schedule("default/web", base, V1_37.weighted(**weights)).node == decision.node
            assert region.holds(**weights) == stays, weights


@pytest.mark.parametrize("seed", sampled(range(25), 8))
def test_ranges_name_the_weight_and_the_node_beyond(seed):
    base = world(random.Random(seed))
    region = weight_region(schedule("default/web", base))

    def chosen(**weights):
        return schedule("default/web", base, V1_37.weighted(**weights)).node

    for each in region.ranges():
        for weight in range(101):
            above = each.high is not None and (weight, each.high.open) > (each.high.weight, False)
            below = each.low is not None and (weight, not each.low.open) < (each.low.weight, True)
            assert (chosen(**{each.plugin: weight}) == region.node) == (not above and not below)
        for side in (each.low, each.high):
            if side is not None and side.weight.denominator == 1 and side.open and side.weight <= 100:
                assert chosen(**{each.plugin: int(side.weight)}) != region.node


@pytest.mark.parametrize("seed", range(15))
def test_the_polygon_holds_the_points_of_the_region(seed):
    base = world(random.Random(seed))
    region = weight_region(schedule("default/web", base))
    x, y = "NodeResourcesFit", "TaintToleration"
    corners = region.polygon(x, y, 20)
    for a in range(0, 21, 2):
        for b in range(0, 21, 2):
            if region.holds(**{x: a, y: b}):
                assert inside(corners, Fraction(a), Fraction(b))
            elif inside(corners, Fraction(a), Fraction(b)):
                assert any(
                    each.strict and each.value(region.weights | {x: a, y: b}) == 0 for each in region.half_spaces
                )


def inside(corners, a, b):
    """Whether the point is in the convex polygon, whose corners are counter-clockwise."""
    return bool(corners) and all(
        (x1 - x0) * (b - y0) - (y1 - y0) * (a - x0) >= 0
        for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True)
    )


def test_sentences_say_until_when():
    taints = [{"key": "t", "effect": "PreferNoSchedule"}]
    base = cluster(node("big", cpu=10, taints=taints), node("small", cpu=2), pod("web", cpu=1, memory="1Gi"))
    region = weight_region(schedule("default/web", base))
    assert region.node == "small"
    [sentence] = [each for each in region.sentences() if "NodeResourcesFit" in each]
    high = region.range("NodeResourcesFit").high
    assert high.node == "big" and says(sentence, "small", "big", high.weight)
    assert says(str(region), "small", "big")


def test_without_a_choice_every_weight_stays():
    region = weight_region(schedule("default/web", cluster(node("a"), pod("web"))))
    assert region.half_spaces == () and region.holds() and region.ranges() == []
    with pytest.raises(KeyError, match="NodeResourcesFit"):
        region.range("NodeResourcesFit")
    with pytest.raises(ValueError, match="default/web"):
        weight_region(schedule("default/web", cluster(node("a", cpu=1), pod("web", cpu=2))))


@pytest.mark.parametrize(
    ("weight", "strict", "holds"), [(3, True, True), (2, False, True), (2, True, False), (1, False, False)]
)
def test_a_node_wins_by_a_point_or_by_its_name(weight, strict, holds):
    assert HalfSpace("b", {"A": 1, "B": -2}, strict).holds({"A": weight, "B": 1}) is holds


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_borders_at_one_weight_the_strict_one_ends_the_range(order):
    """The chosen node ties with both others at weight 2; it is before one of them by name, and behind the other."""
    both = [HalfSpace("b", {"A": 2, "B": -1}, strict=False), HalfSpace("c", {"A": 2, "B": -1}, strict=True)]
    scores = {"n": (2, 0), "b": (0, 1), "c": (0, 1)}
    region = WeightRegion("n", {"A": 1, "B": 1}, tuple(both[at] for at in order), scores)
    high, low = region.range("B").high, region.range("A").low
    assert high is not None and low is not None
    assert (high.weight, high.open, low.weight, low.open) == (2, True, Fraction(1, 2), True)


def by_scores(weights, scores):
    """The region of the node that these normalised scores choose: ties go to the first name."""
    chosen = winner(scores, weights)
    spaces = [
        HalfSpace(other, {name: a - b for name, a, b in zip(weights, scores[chosen], own, strict=True)}, other < chosen)
        for other, own in scores.items()
        if other != chosen
    ]
    return WeightRegion(chosen, weights, tuple(spaces), scores)


def winner(scores, weights):
    sums = {node: sum(a * b for a, b in zip(own, weights.values(), strict=True)) for node, own in scores.items()}
    return min(scores, key=lambda node: (-sums[node], node))


def test_a_range_ends_where_another_node_wins_and_names_it():
    """Of random scores, also those that end at 0, that no weight changes, and that are equal."""
    rng, little, ends = random.Random(1), Fraction(1, 10**6), set()
    for _ in range(200):
        weights = {name: rng.randint(0, 3) for name in "AB"}
        scores = {node: tuple(rng.randint(0, 4) for _ in weights) for node in "abc"}
        region = by_scores(weights, scores)
        for each in region.ranges():
            low, high = each.low, each.high
            borders = [Fraction(n, 6) for n in range(30)]
            for at in borders:
                above = high is not None and (at > high.weight or (at == high.weight and high.open))
                below = low is not None and (at < low.weight or (at == low.weight and low.open))
                stays = winner(scores, weights | {each.plugin: at}) == region.node
                assert stays == (not above and not below), (weights, scores, each, at)
            for side, step in ((low, -little), (high, little)):
                if side is not None:
                    beyond = max(side.weight + step, Fraction(0))
                    assert side.node == winner(scores, weights | {each.plugin: beyond}), (weights, scores, each)
                    ends.add((step > 0, side.open, side.weight == 0))
    assert len(ends) == 6, "at 0 a low end is open and a high one is not; all other combinations were there"


@pytest.mark.parametrize(
    ("spaces", "corners"),
    [
        ([], [(0, 0), (10, 0), (10, 10), (0, 10)]),
        ([{"A": 2, "B": -1}], [(0, 0), (10, 0), (10, 10), (5, 10)]),
        ([{"A": 2, "B": -1, "C": -3}], [(3, 0), (10, 0), (10, 10), (8, 10)]),
        ([{"A": -1, "B": -1}], [(0, 0)]),
        ([{"A": -1, "C": 2}, {"B": 1, "C": -1}], [(4, 2), (4, 10), (0, 10), (0, 2)]),
        ([{"A": -1, "B": -1, "C": -1}], []),
    ],
)
def test_the_polygon_of_two_weights_has_the_corners_that_are_left_of_a_square(spaces, corners):
    """``C`` weighs 2."""
    every = tuple(HalfSpace("b", each, strict=False) for each in spaces)
    region = WeightRegion("n", {"A": 1, "B": 1, "C": 2}, every, {})
    found = region.polygon("A", "B", 10)
    assert set(found) == set(corners) and len(found) == len(corners)
    first = found.index(corners[0]) if corners else 0
    assert [*found[first:], *found[:first]] == corners
    square = WeightRegion("n", {"A": 1, "B": 1}, (), {}).polygon("A", "B")
    assert square == ((0, 0), (100, 0), (100, 100), (0, 100))


@pytest.mark.parametrize(
    ("strict", "words", "sign"),
    [(False, ["more than 2", "less than 1/2"], ">= 0"), (True, ["2 or more", "1/2 or less"], "> 0")],
)
def test_a_sentence_says_whether_the_answer_changes_at_the_border_or_behind_it(strict, words, sign):
    space = HalfSpace("b", {"A": 2, "B": -1}, strict)
    region = WeightRegion("n", {"A": 1, "B": 1}, (space,), {"n": (2, 0), "b": (0, 1)})
    low, high = region.sentences()
    assert says(high, "B", words[0], "then b") and says(low, "A", words[1], "then b")
    assert " ".join(str(region).splitlines()[-1].split()) == f"b +2*A -1*B {sign}"
