"""Workbenches: what fits, what refuses, what can be done to it; and that nothing is cut, lost or executed."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from kschedlab.build import pod
from kschedlab.objects.meta import SECOND
from kschedlab.text.html import Html
from kschedlab_lab.views.bench import Bench, Hand, NodeCard, draw_bench
from kschedlab_lab.views.pieces import Piece, bar, running
from kschedlab_lab.views.svg import Room
from tests.saying import says
from tests.verdicts import model

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>&</script>"
BENCH = Bench(
    (Hand(Piece("web", 2000, 100, "2 CPU"), resize="cpu"),),
    (
        NodeCard("node-a", 4000, (Piece("db", 1000), Piece("old", 1000, mark="leaving")), state="fits"),
        NodeCard("node-b", 4000, (Piece("web", 2000, 100, mark="ghost"),), state="chosen", says="fits"),
        NodeCard("node-c", 4000, (), "refused", "no"),
        NodeCard("node-d", 4000, state="tie", says="a tie"),
    ),
)


def drawn(bench: Bench, width: int = 640) -> ElementTree.Element:
    return ElementTree.fromstring(str(draw_bench(bench, "alt", Room(width, 330))))


def keyed(bench: Bench) -> dict[str, ElementTree.Element]:
    return {each.attrib["data-key"]: each for each in drawn(bench).iter() if "data-key" in each.attrib}


def text(element: ElementTree.Element) -> str:
    return " ".join("".join(each.itertext()) for each in element.iter(f"{SVG}text"))


def test_keys_are_unique_and_a_ghost_comes_from_its_pod() -> None:
    keys = Counter(each.attrib["data-key"] for each in drawn(BENCH).iter() if "data-key" in each.attrib)
    assert set(keys.values()) == {1} and {"pod/web", "ghost/web", "node/node-c", "pod/web/edge"} <= set(keys)
    assert keyed(BENCH)["ghost/web"].attrib["data-from"] == "pod/web"


def test_pods_are_as_wide_as_what_they_ask_for() -> None:
    found = keyed(BENCH)
    wide = {name: float(found[f"{name}/box"].attrib["width"]) for name in ("pod/db", "pod/web", "ghost/web")}
    assert wide["pod/web"] == pytest.approx(2 * wide["pod/db"], abs=0.2) and wide["ghost/web"] == wide["pod/web"]


def test_a_pod_s_request_is_pulled() -> None:
    assert keyed(BENCH)["pod/web/edge"].attrib["data-drag"] == "cpu"


def test_states_are_told_without_colour() -> None:
    found = keyed(BENCH)
    assert "★ node-b" in text(found["node/node-b"]) and "✕ node-c" in text(found["node/node-c"])
    assert "a tie" in text(found["node/node-d"])


def test_a_table_keeps_its_columns_and_leaves_out_those_without_room() -> None:
    def places(state: str, width: int) -> dict[str, float]:
        rows = (("NAME", "STATUS", "NODE"), ("web", state, "node-a"))
        bench = Bench(BENCH.hands, BENCH.cards, printed=rows, widest=("web", "ContainerCreating", "node-a"))
        found = [each for each in drawn(bench, width).iter(f"{SVG}text") if each.text in ("NAME", "STATUS", "NODE")]
        return {str(each.text): float(each.attrib["x"]) for each in found}

    assert places("Pending", 640) == places("ContainerCreating", 640)
    assert [*places("Pending", 640)] == ["NAME", "STATUS", "NODE"] and [*places("Pending", 220)] == ["NAME", "NODE"]


def test_only_answers_can_be_picked() -> None:
    asking = Bench(BENCH.hands, BENCH.cards, picks=("node-a",))
    assert {each.attrib["data-pick"] for each in drawn(asking).iter() if "data-pick" in each.attrib} == {"node-a"}
    assert "data-pick" not in str(draw_bench(BENCH, "alt", Room()))


@pytest.mark.parametrize("width", [400, 640, 1000])
def test_rows_stay_inside_the_room(width: int) -> None:
    for rect in drawn(BENCH, width).iter(f"{SVG}rect"):
        assert float(rect.attrib["width"]) <= width


def test_user_text_is_never_markup() -> None:
    bench = Bench(
        (Hand(Piece(HOSTILE, 1000, note=HOSTILE)),),
        (NodeCard(HOSTILE, 4000, says=HOSTILE, state="refused"),),
    )
    picture: Html = draw_bench(bench, HOSTILE, Room())
    assert "<script" not in str(picture) and "&lt;script&gt;" in str(picture)
    ElementTree.fromstring(str(picture))


def test_a_note_that_does_not_fit_is_shortened_before_it_is_left_out():
    mail = pod("mail-a", "node-a", 2, 500)
    wide, narrow, least = (str(bar(running(model(mail), 0), (0, 0), wide, 28)) for wide in (200, 90, 50))
    assert ">priority 500<" in wide and ">500<" in narrow and "500<" not in least
    mail["metadata"]["deletionTimestamp"] = "2026-03-02T08:00:00Z"
    leaving = running(model(mail), model(mail).metadata.deletionTimestamp - 21 * SECOND)
    assert says(leaving.note, "21 s") and ">21 s<" in str(bar(leaving, (0, 0), 125, 28))


def test_a_pod_of_a_replica_set_keeps_its_end_and_another_its_beginning() -> None:
    def name(name: str, wide: float) -> str:
        return text(ElementTree.fromstring(f"<g xmlns='{SVG[1:-1]}'>{bar(Piece(name, 1000), (0, 0), wide, 28)}</g>"))

    assert name("urgent-5d9c7f9c6-x2kqp", 300) == "urgent-5d9c7f9c6-x2kqp"
    assert name("urgent-5d9c7f9c6-x2kqp", 130) == "urgent…x2kqp"
    assert name("urgent-x2kqp", 60) == "urgen" and name("urgent", 5) == "u"
