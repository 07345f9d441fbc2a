"""Pods that wait, the nodes and what kubectl prints: nothing jumps, is cut, lost or executed."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from kschedlab_lab.views.bench import Bench, draw_bench
from kschedlab_lab.views.drawing import Block, Box, Number
from kschedlab_lab.views.svg import Room

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>&</script>"
WEB, SHOP = Block("web", 2000, 100, (Number("priority 100"),)), Block("shop", 2000, 0)
NODES = (Box("node-a", 4000, (Block("db", 1000, 0),)), Box("node-b", 4000, ()))
HEAD, WIDEST = ("NAME", "STATUS", "NODE"), ("web", "ContainerCreating", "node-a")


def bench(waiting=(WEB, SHOP), nodes=NODES, state="Pending", name="web"):
    return Bench(waiting, 2, nodes, (HEAD, (name, state, "node-a"), ("shop", "", "")), WIDEST)


def drawn(bench: Bench, width: int = 640) -> ElementTree.Element:
    return ElementTree.fromstring(str(draw_bench(bench, "alt", Room(width, 400))))


def keyed(bench: Bench, width: int = 640) -> dict[str, ElementTree.Element]:
    return {each.attrib["data-key"]: each for each in drawn(bench, width).iter() if "data-key" in each.attrib}


def text(element: ElementTree.Element) -> str:
    return " ".join("".join(each.itertext()) for each in element.iter(f"{SVG}text"))


def test_keys_are_unique() -> None:
    keys = Counter(each.attrib["data-key"] for each in drawn(bench()).iter() if "data-key" in each.attrib)
    assert set(keys.values()) == {1} and {"pod/web", "pod/shop", "pod/db", "node/node-a"} <= set(keys)


@pytest.mark.parametrize("width", [312, 427, 900])
def test_nothing_jumps_when_a_pod_gets_its_node(width) -> None:
    there = (NODES[0], Box("node-b", 4000, (WEB,), chosen=True))
    before, after = bench(), bench((), there)
    assert drawn(before, width).attrib["viewBox"] == drawn(after, width).attrib["viewBox"]
    for node in ("node/node-a", "node/node-b"):
        assert keyed(before, width)[node].attrib["transform"] == keyed(after, width)[node].attrib["transform"]
    assert (
        keyed(bench((WEB,)), width)["pod/web"].attrib["transform"]
        == keyed(before, width)["pod/web"].attrib["transform"]
    )


def test_a_table_keeps_its_columns_and_leaves_out_those_without_room() -> None:
    def places(state: str, width: int) -> dict[str, float]:
        found = [each for each in drawn(bench(state=state), width).iter(f"{SVG}text") if each.text in HEAD]
        return {str(each.text): float(each.attrib["x"]) for each in found}

    assert places("Pending", 640) == places("ContainerCreating", 640)
    assert [*places("Pending", 640)] == [*HEAD] and [*places("Pending", 220)] == ["NAME", "NODE"]


def test_only_answers_can_be_picked() -> None:
    asking = bench(nodes=(Box("node-a", 4000, (), marks={"data_pick": "node-a"}), NODES[1]))
    assert {each.attrib["data-pick"] for each in drawn(asking).iter() if "data-pick" in each.attrib} == {"node-a"}
    assert "data-pick" not in str(draw_bench(bench(), "alt", Room()))


@pytest.mark.parametrize("width", [312, 640, 1000])
def test_it_stays_inside_the_room(width: int) -> None:
    for rect in drawn(bench(), width).iter(f"{SVG}rect"):
        assert float(rect.attrib["width"]) <= width


def test_user_text_is_never_markup() -> None:
    hostile = bench((Block(HOSTILE, 1000, 0, note=HOSTILE),), (Box(HOSTILE, 4000, ()), NODES[1]), name=HOSTILE)
    picture = str(draw_bench(hostile, HOSTILE, Room()))
    assert "<script" not in picture and "&lt;script&gt;" in picture
    ElementTree.fromstring(picture)
