"""The panels of lesson 01 at every setting, against v1.16's source written out plainly."""

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels import (
    overview_gate as gate,
    overview_inside as inside,
    overview_path as path,
    overview_sampling as sampling,
    overview_watch as watch,
)
from kschedlab_lab.panels.session import Session
from kschedlab_lab.views.loop import NAMES
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario
from packages.lab.tests.grids import each_of
from tests.saying import says

ROOM = Room(640, 330)
NOTEBOOKS = Path(__file__).parents[4] / "notebooks"

# -- scheduleOne

ATTEMPT = ["SchedulingQueue", "NextPod", "Schedule", "assume", "bind"]
FAILURE = ["ForgetPod", "recordSchedulingFailure", "SchedulingQueue"]
EXPECTED = {
    "success": [*ATTEMPT, "RunPostBindPlugins"],
    "bind failure": [*ATTEMPT, *FAILURE, *ATTEMPT, "RunPostBindPlugins"],
}


@pytest.mark.parametrize("story", path.STORIES)
def test_a_story_takes_the_steps_of_the_source(story):
    assert [step.title for step in path.taken(story) if step.pod == "web"] == EXPECTED[story]


@pytest.mark.parametrize("story", path.STORIES)
def test_every_step_is_told_and_shown(story):
    seen = set()
    for settings in each_of(path.Settings):
        if settings.story == story:
            view = path.show(settings)
            step = path.taken(story)[settings.step]
            assert view.sentence == step.words, "nothing came of it"
            drawing = ElementTree.fromstring(str(view.picture(ROOM)))
            assert drawing.get("aria-label") == view.sentence
            assert NAMES.get(step.title, "queue") in "".join(drawing.itertext())
            seen.add(str(view.picture(ROOM)))
    assert len(seen) == len(path.taken(story))


def test_the_next_pod_is_taken_as_soon_as_the_first_one_is_counted():
    """v1.16: scheduler.go, scheduleOne returns when it has started the goroutine that binds."""
    steps = [(step.pod, step.title) for step in path.taken("success")]
    assert steps[steps.index(("shop", "NextPod")) - 1 :][:3:2] == [("web", "assume"), ("web", "bind")]


def test_pods_come_to_where_the_lesson_says():
    *_, web, shop = (step.words for step in path.taken("success"))
    assert says(shop, "shop is bound to node-a") and says(web, "web is bound to node-b")
    told = [step.words for step in path.taken("bind failure")]
    assert says(told[7], "unschedulableQ") and says(told[8], "logs-a", "activeQ") and says(told[-1], "web is bound")
    log = "\n".join(path.run("bind failure").log.lines())
    assert "etcdserver: request timed out" in log and "unschedulable" in log


def test_both_pods_are_counted_before_one_of_them_is_bound():
    steps = [(step.pod, step.title) for step in path.taken("success")]
    counted = str(path.show(path.Settings(step=steps.index(("shop", "assume")))).picture(ROOM))
    assert 'data-key="pod/ghost/web"' in counted and 'data-key="pod/ghost/shop"' in counted
    picture = str(path.show(path.Settings(step=steps.index(("web", "RunPostBindPlugins")))).picture(ROOM))
    assert "pod/ghost/web" not in picture and 'data-key="pod/ghost/shop"' in picture
    assert picture.count('data-state="chosen"') == 1


def test_what_fails_is_seen_to_go_back_into_the_queue():
    for settings in each_of(path.Settings):
        back = settings.story == "bind failure" and settings.step >= 7
        assert ('data-key="back"' in str(path.show(settings).picture(ROOM))) == back


@pytest.mark.parametrize("width", [427, 640, 900])
def test_no_story_has_another_scale(width):
    def box(settings):
        return ElementTree.fromstring(str(path.show(settings).picture(Room(width, 380)))).get("viewBox")

    assert len({box(settings) for settings in each_of(path.Settings)}) == 1


def test_a_story_s_yaml_tells_the_same():
    again = Simulation.of(loads_scenario(path.panel().yaml()))
    again.run()
    assert list(again.log.lines())[:1] == list(path.run("success").log.lines())[:1]
    assert len(again.log) == len(path.run("success").log)


# -- inside Schedule


def test_a_pod_goes_to_the_best_of_the_nodes_with_room():
    for settings in each_of(inside.Settings):
        view, decision = inside.show(settings), inside.decide(settings)
        fit = [name for name, used in inside.USED.items() if used + settings.cpu <= inside.CPU]
        picture = str(view.picture(ROOM))
        refused = picture.count('data-state="refused"')
        assert refused == len(re.findall(r">lacks \d\sCPU<", picture)) == len(inside.USED) - len(fit)
        assert 'data-drag="cpu"' in picture, "it stays at the left, where it is pulled"
        if not fit:
            assert says(view.sentence, "Pending", "0/3 nodes are available: 3 Insufficient cpu.")
            continue
        assert decision.node == "node-a" and says(view.sentence, "web", "node-a")
        assert re.findall('data-key="node/([^"]*)" data-state="chosen"', picture) == ["node-a"]
        scores = inside.points(decision, "node-a")
        assert (scores is None) == (len(fit) == 1) and picture.count(">score 2") + picture.count(">score 3") == len(
            fit
        ) * (len(fit) > 1)
        assert scores is None or says(view.sentence, scores)


def test_the_picture_says_what_a_score_is():
    """v1.16: eight functions, of which NodePreferAvoidPods has the weight 10,000 and is left out."""
    for settings in inside.Settings(1), inside.Settings(2):
        decision, drawn = inside.decide(settings), str(inside.show(settings).picture(ROOM))
        assert len(decision.scores.plugins) == 8
        found = [[*map(int, parts.split("+"))] for parts in re.findall(r">(\d+\+\d+)<", drawn)]
        points = [inside.points(decision, name) for name in inside.USED]
        assert [sum(parts) for parts in found] == [each for each in points if each is not None]
        free = [inside.CPU - used - settings.cpu for used in inside.USED.values()]
        others = [30 if left else 20 for left in free]  # a full node has no balance
        assert found == [[2 * left, other] for left, other in zip(free, others, strict=True)]
    drawn = " ".join(re.findall(r">([^<]+)<", str(inside.show(inside.Settings()).picture(ROOM))))
    assert "6+30: 3 of 5 CPU free gives 6 of 10 points" in drawn


def test_the_functions_speak_in_their_order():
    told = [frame.caption for frame in inside.story(inside.Settings(), ROOM)]
    assert says(told[1], "Filter") and says(told[2], "Score") and says(told[3], "node-a")
    assert len(inside.story(inside.Settings(4), ROOM)) == 3, "one node is taken without a score"


# -- sampling


def plainly(nodes, percentage):
    """numFeasibleNodesToFind of v1.16."""
    if nodes < 100 or percentage >= 100:
        return nodes
    if percentage == 0:
        percentage = max(5, 50 - nodes // 125)
    return max(100, nodes * percentage // 100)


def test_every_number_of_the_curve():
    for settings in each_of(sampling.Settings):
        assert sampling.find(settings) == plainly(settings.nodes, settings.percentage)


def test_the_best_node_is_missed_where_a_fifth_is_enough():
    """So says the lesson: from 3,750 nodes on, unless more are asked for."""
    for settings in each_of(sampling.Settings):
        if settings.percentage in (0, 20, 25):
            seen, chart = plainly(settings.nodes, settings.percentage), str(sampling.show(settings).picture(ROOM))
            sees = settings.nodes < 100 or seen > settings.nodes / 5
            assert ("★ 38" in chart, "★ 31" in chart) == (sees, not sees)
            assert ("misses" in sampling.show(settings).sentence) != sees
            assert settings.percentage or sees == (settings.nodes < 3750)


def test_the_sentence_and_the_marked_point_say_the_same():
    for nodes in (50, 250, 1000, 5000):
        view = sampling.show(sampling.Settings(nodes))
        found = f"{plainly(nodes, 0):,}"
        assert f"{nodes:,} → {found}<" in str(view.picture(ROOM)) and says(view.sentence, "v1.16", found)


@pytest.mark.parametrize("share", [0, 30])
def test_a_line_is_straight_between_its_bends(share):
    bends = sampling.bends(share)
    ends = [sampling.find(sampling.Settings(percentage=share), nodes) for nodes in bends]
    for left, right, low, high in zip(bends, bends[1:], ends, ends[1:], strict=False):
        for nodes in range(left, right):
            between = low + (high - low) * (nodes - left) / (right - left)
            assert abs(plainly(nodes, share) - between) < 1


def test_every_twentieth_of_the_nodes_can_be_asked_for():
    for share in (0, 5, 10, 50, 100):
        assert sampling.panel().move(percentage=share).settings.percentage == share


# -- nominations


@pytest.mark.parametrize("story", watch.STORIES)
def test_every_change_is_told_as_kubectl_prints_it(story):
    for settings in each_of(watch.Settings):
        if settings.story == story:
            view, line = watch.show(settings), watch.lines(story)[settings.change]
            assert view.text.splitlines()[-len(line.text) :] == list(line.text)
            if line.change is not None and line.change.new is not None:
                assert says(view.sentence, line.change.key.partition("/")[2])
            assert ElementTree.fromstring(str(view.picture(ROOM))).get("aria-label") == view.sentence


@pytest.mark.parametrize(
    ("story", "pod", "node", "nominated"),
    [
        ("another node becomes free", "urgent", "node-b", "node-a"),
        ("a less important pod comes", "urgent", "node-a", "node-a"),
        ("a less important pod comes", "batch", "", ""),
        ("a more important pod comes", "urgent", "", ""),
        ("a more important pod comes", "critical", "node-a", "node-a"),
    ],
)
def test_where_the_pods_end_up(story, pod, node, nominated):
    found = {each.metadata.name: each for each in watch.run(story).pods()}[pod]
    assert (found.spec.nodeName, found.status.nominatedNodeName) == (node, nominated)


def test_the_picture_has_what_kubectl_shows_of_the_pods_that_come():
    cells = re.compile(">([^<>]+)</text>")
    for change, row in ((3, ["Pending", "&lt;none&gt;", "node-a"]), (10, ["Running", "node-b", "node-a"])):
        picture = str(watch.show(watch.Settings("another node becomes free", change)).picture(ROOM))
        shown = cells.findall(picture)
        assert [shown[shown.index(head) + 1] for head in watch.SHOWN[1:]] == row


def test_the_room_of_a_nominated_pod_is_framed_until_it_has_a_node():
    for settings in each_of(watch.Settings):
        line, picture = watch.lines(settings.story)[settings.change], str(watch.show(settings).picture(ROOM))
        replay = Replay(watch.run(settings.story).log)
        replay.seek(line.position)
        waiting = [
            each for each in replay.pods() if each.status.nominatedNodeName == "node-a" and not each.spec.nodeName
        ]
        kept = [each.metadata.name for each in sorted(waiting, key=lambda each: each.spec.priority)][-1:]
        assert re.findall('data-key="kept/([^"]*)"', picture) == kept == re.findall(">kept for ([^<]*)<", picture)


def test_losing_a_nomination_brings_no_pod_back():
    """v1.16: scheduling_queue.go, isPodUpdated looks at everything but the status."""
    log = watch.run("a more important pod comes").log
    moved = [each for each in log if getattr(each, "pod", "") == "default/urgent" and getattr(each, "to", "")]
    assert [each.event for each in moved if each.to == "active"] == ["PodAdd", "AssignedPodDelete"]


# -- the gate


BY = {name: each.by for name, each in gate.OBSTACLES.items()}


def test_the_first_predicate_in_the_order_refuses_and_ends_the_search():
    for settings in each_of(gate.Settings):
        seen = {by for name, by in BY.items() if getattr(settings, name)}
        first = next((name for name in gate.ORDER if name in seen), None)
        assert gate.decide(settings).plugin == first
        picture = str(gate.show(settings).picture(ROOM))
        rows = re.findall('data-key="lock/([^"]*)"', picture)
        assert picture.count(">✓<") == (rows.index(first) if first else len(rows))
        assert (">✕<" in picture) == bool(first)


def test_the_lesson_lists_the_order():
    """v1.16: pkg/scheduler/algorithm/predicates/predicates.go (predicatesOrdering)."""
    assert (
        *("CheckNodeUnschedulable", "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints"),
        *("MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount"),
        *("CheckVolumeBinding", "NoVolumeZoneConflict", "MatchInterPodAffinity"),
    ) == gate.ORDER
    for notebook in ("01-overview.ipynb", "zh/01-overview.ipynb"):
        text = (NOTEBOOKS / notebook).read_text("utf-8")
        assert "".join(f'    "{at}. `{name}`\\n",\n' for at, name in enumerate(gate.ORDER, 1)) in text


def test_pods_and_node_are_drawn_to_one_scale():
    """busy asks for 2.5 of node-a's 4 CPU, and web for 2."""
    for room in (ROOM, Room(360, 400)):
        drawing = ElementTree.fromstring(str(gate.show(gate.Settings()).picture(room)))
        high = {each.get("data-key"): float(each.get("height", 0)) for each in drawing.iter() if each.get("data-key")}
        assert high["pod/busy/box"] / high["pod/web/box"] == pytest.approx(1.25, rel=0.1)
        assert high["pod/web/box"] == pytest.approx(high["node/node-a/box"] / 2, rel=0.1)


def test_the_story_asks_one_predicate_at_a_time():
    frames = gate.show(gate.Settings(busy=False, port=True, disk=True)).story(ROOM)
    assert [">✕<" in str(each.picture) for each in frames] == [False, False, True]
    assert says(frames[1].caption, "CheckNodeUnschedulable") and says(frames[2].caption, "GeneralPredicates refuses")


@pytest.mark.parametrize("settings", list(each_of(gate.Settings))[::3], ids=str)
def test_the_node_takes_the_pod_or_the_obstacle_is_marked(settings):
    verdict, view = gate.decide(settings), gate.show(settings)
    picture = str(view.picture(ROOM))
    assert ('data-state="chosen"' in picture) == verdict.passes == ('data-state="refused"' not in picture)
    for name, each in gate.OBSTACLES.items():
        assert (f"✕ {each.has}" in picture) == (each.by == verdict.plugin and getattr(settings, name))
    frames = view.story(ROOM)
    assert frames[-1].picture == view.picture(ROOM)
    assert all(one.picture != other.picture for one, other in pairwise(frames))


def test_every_thing_in_the_way_can_be_switched_on_the_picture():
    picture = str(gate.show(gate.Settings()).picture(ROOM))
    for name in gate.OBSTACLES:
        now = getattr(gate.Settings(), name)
        assert f'data-set="{name}: {"off" if now else "on"}"' in picture


@pytest.mark.parametrize("settings", [path.Settings(step=9), watch.Settings(change=8)])
def test_another_story_begins_at_its_beginning(settings):
    here = settings.indices()
    steps = next(name for name in here if name != "story")
    assert settings.at({**here, "story": 1}).indices() == {"story": 1, steps: 0}
    assert settings.at({steps: 2}).indices() == {**here, steps: 2}


# -- questions


QUESTIONS = {
    "next": (path.what_next(), path.Settings(), "assume"),
    "undone": (path.what_is_undone(), path.Settings("bind failure"), "free web's room"),
    "inside": (inside.where_to(), inside.Settings(), "node-a"),
    "gate": (gate.how_many_reasons(), gate.Settings(port=True, taint=True), "2"),
    "sampling": (sampling.how_many(), sampling.Settings(5650), "5 % of 5,650"),
    "watch": (watch.where_to(), watch.Settings("another node becomes free"), "node-b"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_knows_the_engine_s_answer_and_has_a_word_for_each(name):
    question, settings, right = QUESTIONS[name]
    assert question.right(settings) == right
    assert not question.choices or right in question.choices
    for answer in question.choices or ("0", "1", "2", "3"):
        assert question.why(settings, answer).endswith(".")
    if question.before is not None:
        picture = str(question.before(settings)(ROOM))
        if "data-pick" in picture:
            assert all(f'data-pick="{choice}"' in picture for choice in question.choices)


@pytest.mark.parametrize(
    ("panel", "between"),
    [
        (path.panel(step=4).ask(path.what_next()), 3),
        (inside.panel().ask(inside.where_to()), 2),
        (gate.panel(port=True, taint=True).ask(gate.how_many_reasons()), 1),
        (watch.panel(change=10).ask(watch.where_to()), 4),
    ],
)
def test_an_answer_comes_with_the_pictures_that_lead_to_it(panel, between):
    session = Session(panel)
    asked = session.shown["picture"]
    (reply,) = session.receive({"answer": None})
    pictures = [asked, *reply["shown"]["way"], reply["shown"]["picture"]]
    assert len(reply["shown"]["way"]) == between
    assert all(one != other for one, other in pairwise(pictures)), "each of them shows something new"
    (reply,) = session.receive({"set": session.panel.settings.indices()})
    assert "way" not in reply["shown"], "they are played once"


# -- stories


@pytest.mark.parametrize("module", [inside, gate])
def test_a_story_ends_with_the_picture(module):
    for i, settings in enumerate(each_of(module.Settings)):
        if i % 7 == 0:
            view = module.show(settings)
            frames = view.story(ROOM)
            assert frames[-1].picture == view.picture(ROOM) and all(frame.caption for frame in frames)


# -- all of them


@pytest.mark.parametrize("module", [path, inside, sampling, watch, gate])
def test_a_panel_moves_through_the_same_function(module):
    panel = module.panel()
    settings = list(each_of(module.Settings))[-1]
    assert panel.restore(str(settings)).view.text == module.show(settings).text
    assert panel.link().startswith(module.__name__.rpartition("_")[2] + ".panel().restore(")


@pytest.mark.parametrize("module", [inside, gate])
def test_the_yaml_is_the_cluster(module):
    settings = module.Settings()
    assert len(loads(module.panel().yaml()).pods) == sum(each["kind"] == "Pod" for each in module.manifests(settings))


def test_watching_can_be_carried_out_elsewhere():
    scenario = loads_scenario(watch.panel(story="another node becomes free").yaml())
    assert (len(scenario.objects), len(scenario.entries)) == (5, 2)
