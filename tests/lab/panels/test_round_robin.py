"""Equal nodes, in turn or drawn: the whole grid."""

from collections import Counter
from xml.etree import ElementTree

from kschedlab.lab.panels.map_reduce import node_names
from kschedlab.lab.panels.round_robin import PODS, Settings, decisions, fair_turns, panel, show


def test_every_setting():
    for settings in Settings.grid():
        found, names, view = decisions(settings), node_names(settings.equals), show(settings)
        assert [kind for kind, _ in found] == (["web", "job"] * (PODS // 2) if settings.jobs else ["web"] * PODS)
        if settings.generation == "v1.13":
            assert [node for _, node in found] == [names[turn % len(names)] for turn in range(PODS)]
        webs = Counter(node for kind, node in found if kind == "web")
        assert all(f"{name} {webs[name]}" in view.sentence for name in names)
        assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence


def test_draws_differ_and_reach_all_nodes():
    drawn = [decisions(Settings("v1.16", 4, False, seed)) for seed in range(1, 6)]
    assert len({tuple(each) for each in drawn}) == 5
    assert {node for each in drawn for _, node in each} == set(node_names(4))


def test_jobs_take_every_second_turn():
    assert "node-a 6, node-b 0" in show(Settings(jobs=True)).sentence
    assert "all on one node" in fair_turns().remarks
    assert panel(jobs=True).view == show(Settings(jobs=True))
