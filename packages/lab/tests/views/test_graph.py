"""Graphs: where boxes stand, which are lit, what is said about them, and that nothing leaves the drawing."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from kschedlab_lab.views.graph import TALL, WIDE, Edge, Graph, Vertex, draw_graph
from kschedlab_lab.views.svg import Room

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>&</script>"


def graph(*arrows: str) -> Graph:
    """From "a b", "b c": the boxes in the order in which they are named."""
    ends = [arrow.split() for arrow in arrows]
    names = dict.fromkeys(name for pair in ends for name in pair)
    return Graph(tuple(map(Vertex, names)), tuple(Edge(a, b) for a, b in ends))


LOOP = graph("pop filter", "filter score", "filter preempt", "score bind", "preempt pop")


def test_each_box_stands_one_layer_after_its_last_predecessor() -> None:
    columns = {name: column for name, (column, _) in LOOP.places().items()}
    assert columns == {"pop": 0, "filter": 1, "score": 2, "preempt": 2, "bind": 3}
    diamond = graph("a b", "b c", "a c", "c d")
    assert [column for column, _ in diamond.places().values()] == [0, 1, 2, 3]
    assert [row for _, row in replace(diamond, down=True).places().values()] == [0, 1, 2, 3]


def test_no_two_boxes_stand_at_the_same_place_and_a_place_that_is_told_is_kept() -> None:
    wide = graph("a b", "a c", "a d", "b e", "c e", "d e")
    assert len(set(wide.places().values())) == 5
    told = Graph((Vertex("a", place=(4, 2)), Vertex("b")), (Edge("a", "b"),))
    assert told.places() == {"a": (4, 2), "b": (1, 0)}


def test_a_walk_lights_its_way() -> None:
    walked = LOOP.walked(["pop", "filter", "preempt"], "failed")
    assert {each.name: each.state for each in walked.vertices} == {
        "pop": "done",
        "filter": "done",
        "preempt": "failed",
        "score": "ahead",
        "bind": "ahead",
    }
    assert [(each.source, each.target) for each in walked.edges if each.lit] == [
        ("pop", "filter"),
        ("filter", "preempt"),
    ]
    assert LOOP.walked(["pop"]).vertices[0].state == "current"


def test_a_graph_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="an edge leads to c, which is not a box"):
        Graph((Vertex("a"),), (Edge("a", "c"),))
    with pytest.raises(ValueError, match="same name"):
        Graph((Vertex("a"), Vertex("a")), ())


def drawing(graph: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(str(draw_graph(graph, "alt")))


def test_states_are_told_by_a_sign_and_lit_arrows_are_thicker() -> None:
    shapes = drawing(LOOP.walked(["pop", "filter", "preempt"], "failed"))
    boxes = {
        each.get("data-key"): each for each in shapes.iter(f"{SVG}g") if each.get("data-key", "").startswith("box/")
    }
    texts = {key: [text.text for text in box.iter(f"{SVG}text")] for key, box in boxes.items()}
    assert texts == {
        "box/pop": ["pop", "✓"],
        "box/filter": ["filter", "✓"],
        "box/preempt": ["preempt", "✕"],
        "box/score": ["score"],
        "box/bind": ["bind"],
    }
    lit = [each for each in shapes.iter(f"{SVG}path") if each.get("stroke-width") == "4"]
    assert len(lit) == 2


def test_a_click_on_a_box_is_an_answer_or_a_setting_only_where_that_is_asked() -> None:
    asking = str(draw_graph(replace(LOOP, picks=("pop", "bind")), "alt"))
    assert asking.count("data-pick=") == 2 and "data-pick" not in str(draw_graph(LOOP, "alt"))
    switched = Graph((Vertex("a", sets="policy: on"),), ())
    assert 'data-set="policy: on"' in str(draw_graph(switched, "alt"))


@pytest.mark.parametrize("width", [400, 560, 720, 1200])
def test_boxes_shrink_to_the_room(width: int) -> None:
    graph = Graph(tuple(Vertex(f"v{i}", "SetNominatedNodeName", place=(i, i % 2)) for i in range(3)), ())
    shapes = ElementTree.fromstring(str(draw_graph(graph, "alt", Room(width, 330))))
    left, _, wide, high = map(float, shapes.attrib["viewBox"].split())
    moved = [each.attrib["transform"] for each in shapes.iter(f"{SVG}g") if each.get("data-key", "").startswith("box/")]
    corners = [float(transform.removeprefix("translate(").partition(",")[0]) for transform in moved]
    box = float(next(shapes.iter(f"{SVG}rect")).attrib["width"])
    assert wide == width and high <= 330
    assert left <= min(corners) and max(corners) + box <= left + width


def test_user_text_is_never_markup() -> None:
    hostile = Graph((Vertex("a", HOSTILE, HOSTILE), Vertex("b")), (Edge("a", "b", HOSTILE),))
    markup = str(draw_graph(hostile, HOSTILE))
    assert "<script" not in markup and "&lt;script&gt;" in markup


PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6, unique=True)


@given(PLACES, st.booleans())
def test_every_arrow_and_box_is_inside_the_drawing(places: list[tuple[int, int]], down: bool) -> None:
    names = [f"v{i}" for i in range(len(places))]
    vertices = tuple(Vertex(name, place=place) for name, place in zip(names, places, strict=True))
    shapes = drawing(Graph(vertices, tuple(Edge(a, b) for a in names for b in names if a != b), down=down))
    left, top, width, height = map(float, shapes.attrib["viewBox"].split())
    moved = [each.attrib["transform"] for each in shapes.iter(f"{SVG}g") if each.get("data-key", "").startswith("box/")]
    assert len(moved) == len(places)
    for transform in moved:
        x, y = map(float, transform.removeprefix("translate(").removesuffix(")").split(","))
        assert left <= x and x + WIDE <= left + width and top <= y and y + TALL <= top + height
    arrows = 0
    for path in shapes.iter(f"{SVG}path"):
        ends = re.findall(r"M(\S+) (\S+)C[^M]* (\S+) (\S+?)(?=M|$)", path.attrib["d"])
        arrows += len(ends)
        for x0, y0, x1, y1 in ends:
            assert all(left <= float(x) <= left + width for x in (x0, x1))
            assert all(top <= float(y) <= top + height for y in (y0, y1))
    assert arrows == len(places) * (len(places) - 1)


def test_the_same_graph_is_drawn_the_same() -> None:
    assert draw_graph(LOOP, "alt") == draw_graph(graph(*(f"{e.source} {e.target}" for e in LOOP.edges)), "alt")


def test_an_empty_graph_is_drawn() -> None:
    assert drawing(Graph((), ())).tag == f"{SVG}svg"
