"""The picture of a whole cluster: one room, one decision, and beside the nodes what was asked."""

import re

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.pools import ZONE, pools
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.text.html import join
from kschedlab.whatif import what_if
from kschedlab.whatif.answers import whatif_answers
from kschedlab_lab.panels import your_cluster
from kschedlab_lab.panels.cluster_questions import MOVES, what_moves_it
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.views.cluster_detail import Choice, ask_part, choices_part, differing, why_not_part
from kschedlab_lab.views.cluster_picture import WHAT_IF, WHY, Asked, cluster_picture, in_sight, undecided
from kschedlab_lab.views.node_kinds import TOLLS, cause_fill, node_fills
from kschedlab_lab.views.style import ink
from kschedlab_lab.views.svg import Room
from kschedlab_why.why_not import why_not

ROOMS = [Room(), Room(400, 420), Room(640, 330), Room(640, 240), Room(1080, 460)]


@pytest.fixture(scope="module")
def world():
    return bundled().cluster(LATEST)


def size(svg):
    return tuple(map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', str(svg)).groups()))


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_nothing_is_wider_than_the_room(world, room):
    decision = explain("shop/payment-burst-0", world).decision
    for asked in (
        Asked("why"),
        Asked("why", why_not=why_not(decision, "general-44")),
        Asked(WHAT_IF, choices=(Choice("a", "a change"),), change="a"),
        Asked("why", "general"),
    ):
        svg = cluster_picture(decision, room, asked, "a sentence")
        width, height = size(svg)
        assert width == room.width and 'aria-label="a sentence"' in str(svg)
        assert height <= max(room.height, 330) * 1.9
        keys = re.findall(r'data-key="([^"]*)"', str(svg))
        assert len(keys) == len(set(keys))
        assert all(float(points) * 14 / 13 >= 12 for points in re.findall(r'font-size="([\d.]+)"', str(svg)))


@pytest.mark.parametrize("width", [300, 600, 1000])
def test_the_differences_add_up_to_that_of_the_sums_and_no_two_names_are_alike(world, width):
    decision = explain(MOVES, world).decision
    nodes = [decision.cluster.names[place] for place in decision.feasible.tolist()]
    for name in nodes:
        found = why_not(decision, name)
        drawn = str(join(why_not_part(found, width, differing(decision)).shapes))
        told = re.findall(r"(\d+) +(more|fewer)", re.sub("<[^>]*>", " ", drawn))
        assert sum(int(points) * (1 if word == "more" else -1) for points, word in told) == found.points[-1].lead
        names = re.findall(r">([A-Z][A-Za-z]+…?)<", drawn)
        assert len({*names}) == len(names) == drawn.count("data-tip") - 1, "a tip on each, and on what closes them"


def test_a_plugin_gives_the_chosen_node_the_same_bar_whatever_node_is_beside_it(world):
    decision = explain(MOVES, world).decision
    bars = dict[str, set[str]]()
    for place in decision.feasible.tolist():
        found = why_not(decision, world.names[place])
        drawn = str(join(why_not_part(found, 396, differing(decision)).shapes)) if place not in decision.best else ""
        for plugin, wide in re.findall(r'data-tip="(\w+)[^"]* points".*?<rect[^>]*width="([\d.]+)" height="5"', drawn):
            bars.setdefault(plugin, set()).add(wide)
    assert "PodTopologySpread" in bars and all(len(widths) == 1 for widths in bars.values()), bars


def test_words_choose_nodes(world):
    decision = explain("data/postgres-0", world).decision

    def names(words):
        found = in_sight(decision, words)
        return sorted(world.names[place] for places in found.values() for place in places)

    assert len(names("all")) == len(names("")) == 200
    assert len(names("gpu")) == 12 and len(names("data -0")) == 9 and names("nobody") == []
    assert names("general-03..general-05") == ["general-03", "general-04", "general-05"]
    assert names("general-09..general-11") == ["general-09", "general-10", "general-11"]
    assert names("spot general-03..general-05") == [] and names("..") == []
    numbered = cluster(*(node(f"n{i}") for i in (10, 9, 1)), pod("mine"))
    (in_order,) = in_sight(explain("default/mine", numbered).decision, "all").values()
    assert [numbered.names[place] for place in in_order] == ["n1", "n9", "n10"]


def places(svg):
    """By node, where the middle of its square is."""
    found = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*?data-key="node/([\w-]+)"', str(svg)
    )
    return {
        name: (round(float(x) + float(wide) / 2), round(float(y) + float(tall) / 2)) for x, y, wide, tall, name in found
    }


def test_pools_are_rows_and_zones_are_columns(world):
    svg = str(cluster_picture(explain("ml/train-small-0", world).decision, Room(), Asked(), ""))
    where, zones = places(svg), pools(world, ZONE)
    assert len(where) == 200 and all(f">{zone}<" in svg for zone in zones)
    for one, other in ((first, second) for first in zones for second in zones if first < second):
        right, left = ([where[world.names[place]][0] for place in zones[zone]] for zone in (one, other))
        assert max(right) < min(left)
    rows = [[where[world.names[place]][1] for place in pools(world)[pool]] for pool in pools(world)]
    assert all(max(upper) < min(lower) for upper, lower in zip(rows, rows[1:], strict=False))


def test_the_map_and_what_is_below_it_fit_beside_the_text(world):
    """A picture that is higher than its room is shrunk, and another of the same pod is not: its nodes would move."""
    for key in world.pending:
        decision = explain(key, world).decision
        for asked in (
            Asked("why"),
            Asked("why", why_not=why_not(decision, "general-44")),
            Asked(
                WHAT_IF,
                why_not=why_not(decision, "gpu-04"),
                choices=tuple(Choice(f"{n}", f"a change {n}") for n in range(9)),
            ),
        ):
            assert size(str(cluster_picture(decision, Room(540, 338), asked, "")))[1] <= 338 + 2, (key, asked.question)


def test_the_nodes_stay_where_they_are_though_a_longer_headline_leaves_less_room(world):
    decision = explain("ml/train-small-0", world).decision
    assert len({str(places(cluster_picture(decision, Room(420, high), Asked(), ""))) for high in (340, 360)}) == 1


def test_whom_a_pod_would_evict_fits_into_a_low_room(world):
    decision = explain("shop/payment-burst-0", world).decision
    assert decision.preemption is not None
    candidates = decision.preemption.candidates
    crowded = max(candidates, key=lambda name: len(candidates[name].victims))
    asked = Asked("why", why_not=why_not(decision, crowded))
    low, high = (str(cluster_picture(decision, Room(540, tall), asked, "")) for tall in (340, 800))
    assert high.count("(priority -10)") == len(candidates[crowded].victims) == 4
    assert size(low)[1] <= 340 + 2 and "4 pods would have to leave" in low


@pytest.mark.parametrize("key", ["shop/payment-burst-0", "data/postgres-0"])
def test_a_node_keeps_its_place_whatever_is_asked_and_changed(world, key):
    found = what_if(key, world)
    base = found.decision
    choices = (Choice("a", "a change"),)
    asked = [
        Asked("why"),
        Asked("why", why_not=why_not(base, "general-44")),
        Asked(WHAT_IF, choices=choices),
    ]
    first, *others = (places(cluster_picture(base, Room(), each, "")) for each in asked)
    assert len(first) == 200 and all(other == first for other in others)
    assert places(cluster_picture(undecided(base), Room(), Asked(note="It asks."), "")) == first
    for answer in whatif_answers(found):
        applied = Asked(WHAT_IF, choices=choices, before=base)
        after = places(cluster_picture(answer.decision, Room(), applied, ""))
        assert {name: after[name] for name in first} == first


def test_few_nodes_are_boxes_with_names_and_many_a_map(world):
    decision = explain("shop/banner-0", world).decision
    few, many = (str(cluster_picture(decision, Room(), Asked(show=show), "")) for show in ("gpu", "all"))
    assert "gpu-01" in few and 'data-key="node/gpu-01/box"' in few and "‹ all 200 nodes" in few
    assert 'data-key="node/general-01/box"' not in many and "‹ all" not in many
    stuck = explain("ml/train-small-0", world).decision
    other = str(cluster_picture(stuck, Room(1080, 460), Asked(show="data"), ""))
    assert other.count('data-key="node/data-') >= 24
    assert "3685m CPU free" in other, "nodes without GPUs are drawn by cpu"
    assert "no node for “nobody”" in str(cluster_picture(decision, Room(), Asked(show="nobody"), ""))


def test_free_room_is_readable_on_a_coloured_node(world):
    decision = explain("edge/ingress-canary-0", world).decision
    svg = str(cluster_picture(decision, Room(), Asked(show="ingress"), ""))
    assert set(re.findall(r'<text[^>]*fill="([^"]*)"[^>]*>[^<]* free<', svg)) == {ink(cause_fill("NodePorts"))}


@pytest.mark.parametrize("nodes", [1, 8, 20])
@pytest.mark.parametrize("room", [Room(), Room(1080, 460)], ids=str)
def test_few_nodes_are_boxes_whatever_their_pool(nodes, room):
    small = cluster(
        *(node(f"prod-{i:03}", labels={"pool": f"p{i % 4}"}) for i in range(nodes)),
        *(pod(f"p{i}", f"prod-{i:03}", 1) for i in range(nodes)),
        pod("mine", "", 1),
    )
    svg = str(cluster_picture(explain("default/mine", small).decision, room, Asked(), ""))
    assert len(set(re.findall(r'data-key="node/(prod-\d+)/box"', svg))) == nodes
    assert size(svg)[1] <= room.height + 1


def test_of_few_nodes_the_size_says_how_large_they_are():
    unequal = cluster(node("large", 8), node("small", 2), pod("mine", "", 9))
    decision = explain("default/mine", unequal).decision
    svg = str(cluster_picture(decision, Room(), Asked("why", why_not=why_not(decision, "small")), ""))
    tall = {name: float(high) for high, name in re.findall(r'height="([\d.]+)"[^>]*data-key="node/(\w+)/box"', svg)}
    assert tall["large"] == pytest.approx(4 * tall["small"], abs=0.2)
    framed = re.search(r'data-key="asked"[^>]*><rect[^>]*height="([\d.]+)"', svg)
    assert framed is not None and float(framed[1]) == pytest.approx(tall["small"] + 4, abs=0.2)


def test_changes_are_buttons_and_those_that_do_not_fit_are_counted():
    many = [Choice(f"c{i}", f"change {i}", "what follows") for i in range(19)]
    ask = ask_part(WHAT_IF, WHY, on=True)
    part = choices_part(ask, many, "c1", 540, 3)
    text = str(join(part.shapes))
    shown = text.count('data-tip="what follows"')
    assert 4 <= shown < 19 and f"and {19 - shown} more in Details" in text
    assert text.count('aria-pressed="true"') == 1 and 'data-set="node: none, change: c2"' in text
    assert 'data-set="node: none, change: none"' in text, "a click on the one that is applied takes it back"
    assert part.height < choices_part(ask, many, "", 310, 9).height, "a narrow room has more rows"


@pytest.mark.parametrize("name", ["", "ingress-03"])
@pytest.mark.parametrize("pod_key", ["edge/ingress-canary-0", "data/postgres-0", "shop/payment-burst-0"])
def test_no_button_moves_and_the_picture_keeps_its_scale_when_a_change_is_pressed(world, pod_key, name):
    found, room = what_if(pod_key, world), Room(540, 360)
    answers = {each.word: each.decision for each in whatif_answers(found)}
    choices = tuple(Choice(each.word, each.short or each.line.change) for each in whatif_answers(found))

    def drawn(word: str) -> str:
        decision, before = answers.get(word, found.decision), found.decision if word else None
        asked_about = why_not(decision, name) if name else None
        return str(cluster_picture(decision, room, Asked(WHAT_IF, "all", asked_about, choices, word, before), ""))

    first = drawn("")
    pressed = [word for word in answers if f'data-set="node: none, change: {word}"' in first]
    high = 360 if name else 348  # an answer below the buttons may take all of the room
    assert len(pressed) >= 2 and all(size(drawn(word))[1] <= high for word in ["", *pressed])
    boxes = {tuple(re.findall(r'<rect x="1" y="1" width="([\d.]+)"', drawn(word))) for word in ["", *pressed]}
    assert len(boxes) == 1 and len(*boxes) == 1 + len(pressed)


@pytest.mark.parametrize("name", ["", "gpu-04"])
@pytest.mark.parametrize("height", range(320, 461, 20))
@pytest.mark.parametrize("pod_key", ["edge/ingress-canary-0", "analytics/report-builder-0", "ml/train-small-0"])
def test_every_change_is_a_button_beside_the_text_in_a_window_of_any_height(world, pod_key, height, name):
    panel = your_cluster.panel(pod=pod_key, question=WHAT_IF, **({"node": name} if name else {}))
    answers = whatif_answers(what_if(pod_key, world))
    svg = str(panel.view.picture(Room(420, height)))
    assert svg.count('data-key="change/') == len(answers) and "in Details" not in svg
    assert size(svg)[1] <= height + 22 + 2 * 18, "at most a name and two lines of an answer make it smaller"


def test_a_change_that_is_applied_can_be_taken_back_where_few_fit():
    many = [Choice(f"c{i}", f"change {i}") for i in range(19)]
    text = str(join(choices_part(ask_part(WHAT_IF, WHY, on=True), many, "c18", 540, 2).shapes))
    assert 'aria-pressed="true"' in text and 'data-set="node: none, change: none"' in text


def test_names_of_changes_that_are_cut_differ():
    taints = ("node.kubernetes.io/unschedulable", "node.kubernetes.io/unreachable")
    many = [Choice(taint, f"if no node had the taint {taint}") for taint in taints]
    text = str(join(choices_part(ask_part(WHAT_IF, WHY, on=True), many, "", 540, rows=2).shapes))
    assert "…" in text and len(set(re.findall(">if no node[^<]*<", text))) == 2


def test_the_more_pods_have_to_leave_the_darker_a_node(world):
    decision = explain("shop/payment-burst-0", world).decision
    assert decision.preemption is not None
    fills, pale = node_fills(decision), []
    for place in decision.preemption.positions.tolist():
        name = world.names[place]
        if name != decision.nominated_node and fills[place] == TOLLS[0]:
            pale.append((name, len(decision.preemption.candidates[name].victims)))
    assert pale == [("general-44", 2)]
    assert "(2 to 4 pods)" in str(cluster_picture(decision, Room(), Asked(), ""))


def test_sums_of_priorities_are_explained_where_they_are_shown(world):
    decision = explain("shop/payment-burst-0", world).decision
    third = decision.preemption.rungs[2]
    other = world.names[decision.preemption.positions[third.entered & ~third.kept][0]]
    svg = str(cluster_picture(decision, Room(), Asked("why", why_not=why_not(decision, other)), ""))
    assert "loses at rule 3" in svg and "2³¹ for each pod" in re.sub("<[^>]*>", "", svg)


def test_the_pods_of_the_same_controller_are_dots(world):
    moves, alone = (explain(key, world).decision for key in ("shop/notifications-m28f29nql-28wnb", "ml/train-small-0"))
    svg = str(cluster_picture(moves, Room(), Asked(), ""))
    assert re.findall(r">eu-1\w ● (\d+)<", svg) == ["8", "8", "7"] and "pod of its ReplicaSet" in svg
    (dots,) = re.findall(r'd="([^"]*)" stroke="currentColor" stroke-width="4.5"', svg)
    assert dots.count("M") == 23 and "●" not in str(cluster_picture(alone, Room(), Asked(), ""))


def test_before_the_answer_the_map_lacks_the_points_alone(world):
    panel = what_moves_it()
    assert panel.question is not None and callable(panel.question.before)
    before = panel.question.before(panel.settings)
    first, then = (str(draw(Room())) for draw in (before, panel.view.picture))
    assert places(first) == places(then)
    for key in ("star", "runs", "dots"):
        shape = f'data-key="{key}'
        assert first.count(shape) == then.count(shape) == 1, key
    for meaning in ("only TaintToleration", "it runs here", "pod of its ReplicaSet"):
        assert f">{meaning}<" in first and f">{meaning}<" in then
    assert "(521 to " in then and "points" not in first and "44 more" not in first


def test_no_two_causes_of_a_refusal_have_one_colour():
    plugins = "NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit InterPodAffinity VolumeBinding"
    assert len({cause_fill(plugin) for plugin in plugins.split()}) == 7


def test_hostile_names_stay_text():
    assert pools(cluster(node("n"))) == {"nodes": [0]}
    evil = cluster(node("n"), pod("mine", "", 1))
    svg = str(cluster_picture(explain("default/mine", evil).decision, Room(), Asked(show='"><script>'), "<b>"))
    assert "<script" not in svg and "<b>" not in svg
