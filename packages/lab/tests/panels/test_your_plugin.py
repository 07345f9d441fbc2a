"""The panel of lesson 09: it runs the plugins that it is given, and shows what they refuse and what they add."""

import re

import pytest

from kschedlab.plugins import node_filter, node_score
from kschedlab_lab.panels import your_plugin
from kschedlab_lab.panels.your_plugin import (
    DEGREES,
    MOST,
    NO_LABEL,
    RACKS,
    Settings,
    decide,
    panel,
    points,
    show,
    where,
)
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.svg import Room
from tests.saying import says


@node_filter("ColdNode")
def cold(pod, node):
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"


@node_score("Cooler", formula="100 - {celsius}")
def cooler(pod, node):
    celsius = min(int(node.metadata.labels.get("celsius", 0)), 100)
    return 100 - celsius, {"celsius": celsius}


BOTH = (cold, cooler)
ROOM = Room()
SETS = pytest.mark.parametrize("plugins", [(), (cold,), (cooler,), BOTH], ids=["none", "cold", "cooler", "both"])


def drawn(plugins=(), room=ROOM, **settings) -> str:
    return str(show(Settings().changed(**settings), plugins).picture(room))


def test_where_web_goes():
    assert decide(Settings()).node == "rack-a"
    assert decide(Settings(), [cold]).node == "rack-b"
    assert [decide(Settings(weight=weight), BOTH).node for weight in range(MOST + 1)] == ["rack-b"] * 2 + ["rack-d"] * 2
    assert decide(Settings(d=NO_LABEL), BOTH).node == "rack-d"


@SETS
def test_every_temperature_and_weight_has_a_picture_that_fits(plugins):
    for settings in [Settings(a=degrees) for degrees in (NO_LABEL, *DEGREES)] + [
        Settings(weight=w) for w in range(MOST + 1)
    ]:
        view = show(settings, plugins)
        for room in (Room(400, 300), Room(640, 330), Room()):
            markup = str(view.picture(room))
            keys = re.findall('data-key="([^"]*)"', markup)
            assert len(keys) == len(set(keys))
            assert f'viewBox="0 0 {room.width} ' in markup


def test_the_thermometer_is_a_handle_and_the_label_a_switch():
    markup = drawn(BOTH)
    for name, setting in RACKS.items():
        handle = f'data-key="tube/{name}/handle" data-least="1" data-drag="{setting}" data-axis="y" data-step="-'
        assert handle in markup
        assert f'data-set="{setting}: no label"' in markup
    assert 'data-set="d: 35"' in drawn(BOTH, d=NO_LABEL) and ">–<" in drawn(BOTH, d=NO_LABEL)


def test_what_a_filter_refuses_is_found_by_asking_it():
    refused = re.findall("your filter refuses rack-c at ([0-9]+) degrees", drawn([cold]))
    assert [*map(int, refused)] == [degrees for degrees in DEGREES if degrees >= 60]
    assert "refuses" not in drawn([cooler])

    @node_filter("NotRackC")
    def not_rack_c(pod, node):
        return "not here" if node.metadata.name == "rack-c" else None

    assert "your filter refuses" not in drawn([not_rack_c])
    assert drawn([cold, not_rack_c]).count("your filter refuses rack-c") == len(refused)


def test_points_add_up_and_the_weight_is_dragged_where_a_score_is():
    for weight in range(MOST + 1):
        decision = decide(Settings(weight=weight), BOTH)
        found = points(decision, BOTH)
        assert found is not None and found.best == decision.best
        totals = [sum(found.of(decision.cluster.names[place])) for place in decision.scores.nodes.tolist()]
        assert [total + found.same for total in totals] == decision.scores.total.tolist()
    assert found.parts == {
        "v1.37": {"rack-b": 25, "rack-c": 5, "rack-d": 0},
        "Cooler ×3": {"rack-b": 150, "rack-c": 180, "rack-d": 195},
    }
    assert found.each == {"rack-b": 50, "rack-c": 60, "rack-d": 65} and not found.of("rack-a")
    markup = drawn(BOTH)
    assert markup.count('data-drag="weight"') == 3 and "refused: it gets no points" in markup
    assert 'data-drag="weight"' in drawn(BOTH, weight=0) and show(Settings(), BOTH).idle == {"priority": ""}


def test_without_a_score_of_ones_own_there_are_no_points():
    assert "points/" not in drawn([cold])
    assert show(Settings(), [cold]).idle == {"priority": "", "weight": ""}


@pytest.mark.parametrize("width", [400, 480, 640, 720])
def test_bars_and_their_totals_stay_in_the_room(width):
    for weight in (0, 1, MOST):
        markup = drawn(BOTH, Room(width, 330), weight=weight, d=NO_LABEL)
        for name, number in re.findall(r'<text x="([\d.]+)" y="14"[^>]*data-key="points/total/[^>]*>(\d+)<', markup):
            assert float(name) + text_width(number, bold=True) <= width


def test_the_sentence_says_who_is_refused():
    said = show(Settings(), BOTH).sentence
    assert says(said, "rack-a", "node(s) were too hot", "web goes to rack-b")
    known = node_filter("Known")(lambda pod, node: None if "celsius" in node.metadata.labels else "not measured")
    two = show(Settings(d=NO_LABEL), [cold, known]).sentence
    assert says(two, "rack-a: node(s) were too hot", "rack-d: not measured")
    hot = show(Settings(75, 75, 75, 75), BOTH).sentence
    assert says(hot, "web keeps waiting", "ColdNode refuses rack-a, rack-b, rack-c, rack-d")


def test_a_filter_that_says_evicting_does_not_help_is_not_asked_again():
    def said(unresolvable: bool) -> str:
        alone = node_filter("Alone", unresolvable=unresolvable)(lambda pod, node: "taken" if node.pods else None)
        shown = panel([cold, alone], priority=9).ask(where([cold, alone]))
        before = str(shown.question.before(shown.settings)(ROOM))
        assert "taken" not in before and "data-drag" not in before and "refuses" not in before
        assert says(before, "waiting, priority 9") and before.count("priority 0") >= 3 and "started 08:00" in before
        assert says(shown.question.why(shown.settings, "rack-a"), "ColdNode refuses rack-a")
        assert "would be evicted" not in str(shown.view.picture(ROOM))
        return f"{shown.question.right(shown.settings)}: {shown.view.sentence}"

    assert says(said(True), "it waits: web keeps waiting", "Alone", "preemption does not ask it again")
    assert says(said(False), "rack-b: web goes to rack-b; api has to leave")


def test_racks_are_as_high_in_every_state():
    def heights(picture) -> set[str]:
        return set(re.findall(r'height="([\d.]+)"[^>]*data-key="node/rack-[a-d]/box"', str(picture)))

    question = where(BOTH).before(Settings())(ROOM)
    states = [show(Settings().changed(**each), BOTH).picture(ROOM) for each in ({}, {"a": 50}, {"b": 90, "c": 90})]
    assert len(set.union(*map(heights, [question, *states]))) == 1


def test_one_rack_that_is_left_needs_no_points():
    hot = show(Settings(75, 75, 40, 75), BOTH)
    assert says(hot.sentence, "web goes to rack-c") and "nothing to score" in str(hot.picture(ROOM))


def test_the_question_is_picked_in_the_picture():
    asked = panel([cold]).ask(where([cold]))
    before = str(asked.question.before(asked.settings)(Room()))
    assert says(asked.question.text, "With ColdNode", "where does web go")
    assert re.findall('data-pick="([^"]*)"', before) == [*RACKS]
    assert "score" not in before and "★" not in before
    assert "data-drag" not in before and "data-set" not in before
    known = str(where(BOTH).before(Settings())(Room()))
    assert "above 421" in known and all(f">{sum}</text>" in known for sum in (42, 25, 5)) and "★" not in known
    assert says(repr(asked.answer("rack-b")), "Right. v1.37's scores prefer room", "rack-b has 6 CPU free, rack-c 3")
    assert says(repr(asked.answer("rack-d")), "Not quite. v1.37's scores prefer room", "6 CPU free, rack-d 2")
    assert "ColdNode refuses rack-a: node(s) were too hot." in repr(asked.answer("rack-a"))
    assert says(repr(asked.answer("it waits")), "Not quite. v1.37's scores prefer room", "6 CPU free, rack-c 3")


def test_a_plugin_that_fails_shows_its_error():
    @node_score("Half")
    def half(pod, node):
        return 0.5

    view = show(Settings(), [half])
    assert "Half" in view.sentence and "an integer is expected" in view.sentence
    assert "points/" not in str(view.picture(Room()))


def test_a_score_that_fails_leaves_the_filters_refusals_in_sight():
    def broken(pod, node):
        raise ValueError("no score today")

    shown = panel([cold, node_score("Broken")(broken)]).view
    assert says(shown.sentence, "no score today", "on node rack-b. ColdNode refuses rack-a")
    assert str(shown.picture(ROOM)).count('data-state="refused"') == 1


def test_what_v1_37_gives_every_rack_does_not_change_with_what_a_filter_refuses():
    plugins = [cold, node_score("Cooler")(lambda pod, node: 1)]
    cool, hot = decide(Settings(d=35), plugins), decide(Settings(d=75), plugins)
    assert points(cool, plugins).same == points(hot, plugins).same


def test_nothing_is_asked_while_a_plugin_fails():
    half = node_score("Half")(lambda pod, node: 0.5)
    assert panel([half]).ask(where([half])).question is None
    assert panel([cold]).ask(where([cold])).question is not None


def test_a_missing_label_that_is_refused_is_red_at_the_bulb():
    def bulb(plugin) -> str:
        return re.findall(r'<circle[^>]*r="6"[^>]*fill="([^"]*)"', drawn([plugin], d=NO_LABEL))[-1]

    @node_filter("Known")
    def known(pod, node):
        return None if "celsius" in node.metadata.labels else "node(s) had no temperature"

    assert bulb(known) != bulb(cold)


def test_one_plugin_needs_no_list():
    one, listed = (your_plugin.panel(each).ask(your_plugin.where(each)) for each in (cold, [cold]))
    assert one.state(Settings(), ROOM) == listed.state(Settings(), ROOM)
    assert one.question.right(Settings()) == "rack-b"
    assert "load_plugin" in your_plugin.panel("cold").state(Settings(), ROOM)["error"]


def test_the_yaml_is_the_cluster_of_the_picture():
    assert panel(d=NO_LABEL).yaml().count("celsius:") == 3
    assert panel().restore("a: no label, weight: off").settings == Settings(a=NO_LABEL, weight=0)


def test_a_plugin_without_an_end_is_stopped():
    @node_filter("Endless")
    def endless(pod, node):
        while True:
            pass

    shown = panel([endless])
    assert "ran too long" in shown.state(shown.settings, ROOM)["error"]


def test_a_cooler_rack_that_loses_is_told_what_it_gains_and_loses() -> None:
    assert says(where(BOTH).why(Settings(), "rack-d"), "rack-b 25 + 50 = 75", "rack-d 0 + 65 = 65")


def test_a_tie_of_nodes_says_who_leaves():
    cold = node_filter("ColdNode")(
        lambda pod, node: "hot" if int(node.metadata.labels.get("celsius", 0)) >= 60 else None
    )
    alone = node_filter("Alone")(lambda pod, node: "taken" if node.pods else None)
    said = your_plugin.panel([cold, alone]).move(priority=9, b=80).view.sentence
    assert says(said, "rack-c and rack-d tie", "here to rack-c", "There db has to leave.", "No rule")


def test_the_node_on_which_a_plugin_breaks_a_rule_is_drawn_before_and_after_its_pods_leave():
    def counterexample(unresolvable: bool):
        alone = node_filter("Alone", unresolvable=unresolvable)(lambda pod, node: "taken" if node.pods else None)
        return your_plugin.counterexample(alone).view

    wrong = counterexample(True)
    assert says(wrong.sentence, "Alone breaks a rule", "probe-1: unresolvable is declared True")
    before, after = str(wrong.picture(ROOM)).split("probe-1, before")
    assert "Alone refuses web: taken" in after and "Alone lets web in" in after
    drawn = re.findall(r'data-key="pod/(\d)/([\w-]+)"', before + after)
    assert sorted(drawn) == [("0", "old-1"), ("0", "old-2"), ("1", "web")]
    right = counterexample(False)
    assert says(right.sentence, "Alone breaks no rule", "asks it again")
    assert says(str(right.picture(ROOM)), "Alone refuses web: taken", "Alone lets web in")


def test_the_node_whose_odd_label_makes_a_plugin_fail_is_drawn():
    shown = your_plugin.counterexample(cold).view
    assert says(shown.sentence, "ColdNode breaks no rule", "fails on probe-1")
    drawn = str(shown.picture(ROOM))
    assert says(drawn, "celsius: x", "ColdNode raises an error") and 'data-state="refused"' in drawn


def test_a_plugin_that_no_eviction_helps_has_no_picture():
    never = node_filter("Never")(lambda pod, node: "no")
    assert says(your_plugin.counterexample(never).view.sentence, "Never breaks no rule")
    assert not str(your_plugin.counterexample(never).view.picture)


def test_of_racks_with_the_same_sum_the_pod_goes_to_either():
    said = show(Settings(d=75, weight=2), BOTH).sentence
    assert says(said, "rack-b and rack-c tie", "goes to either, here to rack-b") and "score" not in said


def test_an_error_without_a_change_of_pods_has_no_picture():
    answers = iter([None, "no"] * 1000)

    @node_filter("Moody")
    def moody(pod, node):
        return next(answers)

    shown = your_plugin.counterexample(moody).view
    assert says(shown.sentence, "Moody breaks a rule", "different answers") and not str(shown.picture)
