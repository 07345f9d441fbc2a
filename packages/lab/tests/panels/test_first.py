"""The first stage: at every setting the picture says what the scheduler decides."""

import re
from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab.plugins import node_filter
from kschedlab.text.html import Html
from kschedlab_lab.panels.first import (
    NODES,
    PODS,
    Settings,
    chosen_by,
    decide,
    panel,
    picture,
    show,
    story,
    targets,
)
from kschedlab_lab.views.svg import Room

ALL = list(Settings.grid())


def keys(drawing: Html) -> dict[str, ElementTree.Element]:
    """The elements by key; each key stands once."""
    found = [each for each in ElementTree.fromstring(str(drawing)).iter() if each.get("data-key")]
    by_key = {each.get("data-key", ""): each for each in found}
    assert len(by_key) == len(found)
    return by_key


def test_every_node_is_chosen_somewhere_and_every_outcome_happens() -> None:
    decided = [decide(settings) for settings in ALL]
    assert {each.node for each in decided} == {"node-a", "node-b", "node-c", None}
    assert {each.nominated_node for each in decided} == {"node-c", "node-d", None}
    assert any(chosen_by(each) == "" for each in decided)


@pytest.mark.parametrize("room", [Room(400, 330), Room(640, 330), Room()], ids=str)
def test_the_picture_says_what_is_decided(room: Room) -> None:
    for settings in ALL[::7]:
        decision, view = decide(settings), show(settings)
        chosen = chosen_by(decision)
        drawing = picture(settings, decision, room)
        found, said = keys(drawing), str(drawing)
        states = {key: state for key, each in found.items() if (state := each.get("data-state"))}
        assert ("way" in found) == bool(chosen) and ("pod/web" in found) == bool(chosen)
        assert [key for key, state in states.items() if state == "chosen"] == ([f"node/{chosen}"] if chosen else [])
        assert {f"node/{node}" for node in NODES} | {f"pod/{pod}" for pod in PODS} <= set(found)
        refused = [each for each in targets(decision) if each.free < settings.request and each.name != chosen]
        victims = [name for each in targets(decision) if each.name == chosen for name in each.victims]
        assert [key for key, state in states.items() if state == "refused"] == [f"node/{each.name}" for each in refused]
        leaving = {key for key, each in found.items() if "evicted" in each.get("data-tip", "")}
        assert leaving == {f"pod/{name}" for name in victims}
        assert all(pod in view.sentence for pod in victims)
        assert found["ask"].get("data-drag") == "request" and found["priority"].get("data-drag") == "priority"
        assert ElementTree.fromstring(said).get("aria-label") == view.sentence


def test_the_priority_matters_only_where_the_pod_fits_nowhere() -> None:
    for settings in ALL[::5]:
        assert bool(show(settings).idle) == (decide(settings).node is not None)


def test_the_story_ends_with_the_picture() -> None:
    room = Room(640, 330)
    for settings in (Settings(), Settings(request=5500, priority=500), Settings(request=7000, priority=0)):
        told, decision = story(settings, decide(settings), room), decide(settings)
        assert told[-1] == (picture(settings, decision, room), show(settings).sentence)
        assert "pod/web" not in keys(told[0].picture) and "score" not in str(told[1].picture)
        assert len(told) == (4 if chosen_by(decision) else 3)
        assert not any("data-drag" in str(frame.picture) for frame in told[:-1])


def test_a_plugin_of_ones_own_joins() -> None:
    @node_filter("NotB")
    def not_b(pod: object, node: object) -> str | None:
        return "no" if node.metadata.name == "node-b" else None  # type: ignore[attr-defined]

    assert chosen_by(decide(Settings())) == "node-b"
    view = panel([not_b]).view
    assert "goes to node-c" in view.sentence
    drawing = view.picture(Room()) if callable(view.picture) else view.picture
    assert ">no<" in str(drawing)


def test_panel_and_yaml() -> None:
    assert panel().move(request=500).view.text == show(Settings(request=500)).text
    assert panel().restore("request: 4.5 CPU").settings.request == 4500
    assert len(loads(panel().yaml()).pods) == len(PODS) + 1


@pytest.mark.parametrize("room", [Room(320, 240), Room(540, 240), Room(540, 300), Room(720, 420)])
def test_every_pod_has_its_name_and_verdicts_are_whole(room):
    for settings in (Settings(), Settings(request=5500, priority=500), Settings(request=7500, priority=900)):
        drawn = str(show(settings).picture(room))
        shown = [name for name in PODS if f'data-key="pod/{name}"' in drawn]
        assert shown and all(re.search(rf">{name[: 4 if room.width >= 500 else 1]}", drawn) for name in shown)
        assert not re.search(r"(score|only|makes)[^<]*…", drawn)
    assert ">makes room<" in str(show(Settings(request=5500, priority=500)).picture(Room(720, 300)))
