"""The smallest score: room against a wish, for each weight, and the question that begins lesson 03."""

from xml.etree import ElementTree

from kschedlab_lab.panels import score_two as two
from kschedlab_lab.panels.base import drawn
from kschedlab_lab.views.svg import Room


def test_the_wish_outweighs_the_room_until_the_room_counts_more() -> None:
    decisions = [two.decide(two.Settings(room=weight)) for weight in two.WEIGHTS]
    assert [each.best for each in decisions] == [["node-b"], ["node-a", "node-b"], ["node-a"]]
    sums = [each.scores.total.tolist() for each in decisions if each.scores is not None]
    assert sums == [[75, 125], [150, 150], [225, 175]]


def test_web_falls_into_its_node_above_what_the_plugins_give() -> None:
    shown = ElementTree.fromstring(str(drawn(two.show(two.Settings()).picture, Room(540, 400))))
    keys = {key: each for each in shown.iter() if (key := each.get("data-key"))}
    assert "pod/web" in keys and keys["node/node-b"].get("data-state") == "chosen"
    sums = ["".join(keys[f"end/{node}"].itertext()) for node in two.NODES]
    assert sums == ["75", "125"]
    before = two.which().before
    assert before is not None
    asked = ElementTree.fromstring(str(drawn(before(two.Settings()), Room(540, 400))))
    others = [str(drawn(two.show(two.Settings(weight)).picture, Room(540, 400))) for weight in two.WEIGHTS]
    sizes = {ElementTree.fromstring(other).get("viewBox") for other in others}
    assert sizes == {asked.get("viewBox")}, "the answer is as large as the question"
    assert not {"75", "125"} & set(asked.itertext())
    assert "tie" in str(drawn(two.show(two.Settings(room=2)).picture, Room()))
