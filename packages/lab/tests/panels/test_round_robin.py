"""Equal nodes, in turn or drawn: the whole grid."""

from collections import Counter
from xml.etree import ElementTree

from kschedlab.plugins import node_score
from kschedlab_lab.panels.map_reduce import node_names
from kschedlab_lab.panels.round_robin import PODS, Settings, decisions, fair_turns, panel, show, turns
from kschedlab_lab.views.svg import Room

ROOM = Room(640, 330)


def test_every_setting():
    for settings in Settings.grid():
        found, names, view = decisions(settings), node_names(settings.equals), show(settings)
        assert [kind for kind, _ in found] == (["web", "job"] * (PODS // 2) if settings.jobs else ["web"] * PODS)
        if settings.generation == "v1.13":
            assert [node for _, node in found] == [names[turn % len(names)] for turn in range(PODS)]
        webs = Counter(node for kind, node in found if kind == "web")
        if settings.step == PODS:
            assert all(f"{name} {webs[name]}" in view.sentence for name in names)
        elif settings.step:
            assert found[settings.step - 1][1] in view.sentence
        assert ("seed" in view.idle) == (settings.generation == "v1.13")


def test_pods_move_from_the_line_to_their_node_and_the_counter_points_at_the_next():
    for step in range(PODS + 1):
        settings = Settings(jobs=True, equals=3, step=step)
        view, now = show(settings), turns(settings)
        drawn = ElementTree.fromstring(str(view.picture(ROOM)))
        assert drawn.get("aria-label") == view.sentence
        keys = [each.get("data-key") for each in drawn.iter() if each.get("data-key")]
        assert {f"pod/{number}" for number in range(1, PODS + 1)} < set(keys) and len(keys) == len(set(keys))
        on_nodes = [each for each in drawn.iter() if (each.get("data-key") or "").startswith("node/")]
        there = {each.get("data-key") for node in on_nodes for each in node.iter()} - {None}
        assert {key for key in there if key.startswith("pod/")} == {f"pod/{number + 1}" for number in range(step)}
        assert f"{step} % 3 = {step % 3}" in "".join(drawn.itertext()) and now.following == step % 3
    assert "pointer" not in str(show(Settings("v1.16")).picture(ROOM))


def test_draws_differ_and_reach_all_nodes():
    drawn = [decisions(Settings("v1.16", 4, False, seed)) for seed in range(1, 6)]
    assert len({tuple(each) for each in drawn}) == 5
    assert {node for each in drawn for _, node in each} == set(node_names(4))


def test_jobs_take_every_second_turn():
    settings, asked = Settings(jobs=True), fair_turns()
    assert "node-a 6, node-b 0" in show(settings).sentence
    assert asked.right(settings) == "0" and "all on node-a" in asked.why(settings, "0")
    assert "node-b gets 0 of them" in asked.why(settings, "3")
    assert "pod/12" in str(asked.before(settings)(ROOM))
    assert panel(jobs=True).view.text == show(settings).text


def test_the_story_ends_with_the_picture():
    view = show(Settings(step=3))
    frames = view.story(ROOM)
    assert len(frames) == 4 and frames[-1] == (view.picture(ROOM), view.sentence)


def test_a_plugin_of_ones_own_can_end_the_tie():
    @node_score("Favourite")
    def favourite(pod, node):
        return 100 if node.metadata.name == "node-b" else 0

    assert "node-a 0, node-b 12" in panel([favourite]).view.sentence
