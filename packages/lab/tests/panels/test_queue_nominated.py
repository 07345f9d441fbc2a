"""nominatedPodMap, call by call, with v1.13's rule and with v1.16's."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.queue_nominated import Settings, calls_of, panel, picture, show, where_is_urgent
from kschedlab_lab.views.svg import Room


@pytest.mark.parametrize("kept", [False, True])
def test_nominations(kept: bool) -> None:
    calls = calls_of(kept)
    lists = [each.by_node for each in calls]
    after_update = {"node-a": ("batch",), "node-b": ("urgent",)} if kept else {"node-a": ("batch",)}
    assert lists == [
        {},
        {"node-a": ("urgent",)},
        {"node-a": ("urgent", "batch")},
        {"node-a": ("batch",), "node-b": ("urgent",)},
        after_update,
    ]
    for each in calls:
        pairs = {(f"uid-{name}", node) for node, names in each.by_node.items() for name in names}
        assert pairs == set(each.node_of.items())


def test_the_view_of_every_nomination() -> None:
    for settings in Settings.grid():
        view, here = show(settings), calls_of(settings.kept)[settings.calls]
        assert here.call in view.sentence
        assert all(f"{node}: {', '.join(names)}" in view.sentence for node, names in here.by_node.items())
        drawn = str(picture(settings, Room(640, 330)))
        assert ElementTree.fromstring(drawn).get("aria-label") == view.sentence
        assert drawn.count('data-key="pod/') == 2 * sum(map(len, here.by_node.values()))  # each with its box
        assert ("✕" in drawn) == (settings.calls == 4 and not settings.kept)
    assert panel().move(calls=3).view.text == show(Settings(calls=3)).text


def test_where_urgent_is_once_another_node_is_chosen() -> None:
    asked, settings = where_is_urgent(), Settings(calls=3)
    assert asked.right(settings) == "node-b" in asked.choices and calls_of(False)[3].call in asked.text
    assert asked.before is not None
    drawn = asked.before(settings)
    assert callable(drawn) and str(drawn(Room())).count("data-pick=") == 2
