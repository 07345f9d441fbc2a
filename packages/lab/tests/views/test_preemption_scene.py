"""The picture of a preemption with its ladder, and its story: every moment shows what the decision holds, no more."""

import re
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from kschedlab.text.html import Html
from kschedlab.text.ladder import steps
from kschedlab_lab.panels.preemption import LOWEST, Settings, decide
from kschedlab_lab.views.glyphs import SIZE
from kschedlab_lab.views.picture import Handles
from kschedlab_lab.views.preemption_scene import Scene
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room()
SVG = "{http://www.w3.org/2000/svg}"
TIE = {"shop_a": 200, "allowed": 2, "mail_c_start": 540}
SETTINGS = ({}, {"allowed": 0}, {"jobs": LOWEST}, {"shop_a": 200, "allowed": 2}, TIE, {"preemptor": 0})


def scene(**settings: int) -> Scene:
    return Scene(decide(with_one(**settings)))


def with_one(**settings: int) -> Settings:
    """A budget that allows one disruption, unless the settings say other."""
    return Settings(**{"allowed": 1} | settings)


def keyed(svg: Html) -> dict[str, ElementTree.Element]:
    found = [(key, each) for each in ElementTree.fromstring(str(svg)).iter() if (key := each.get("data-key"))]
    assert len(found) == len(dict(found))
    return dict(found)


def words(each: ElementTree.Element) -> str:
    return " ".join("".join(text.itertext()) for text in each.iter(f"{SVG}text"))


def cells(svg: Html) -> dict[str, str]:
    """What the rungs say: by rule and node."""
    return {key[5:]: words(each) for key, each in keyed(svg).items() if re.fullmatch(r"rung/\d/[^/]+", key)}


def test_the_ladder_stands_below_the_nodes_and_shows_where_each_drops_out() -> None:
    svg = scene().picture(ROOM)
    assert cells(svg) == {
        "1/node-a": "0",
        "1/node-b": "0",
        "1/node-c": "0",
        "2/node-a": "100",
        "2/node-b": "150",
        "2/node-c": "100",
        "3/node-a": "100+2³¹",
        "3/node-c": "100+2·2³¹",
    }
    found = keyed(svg)
    for name in ("node-a", "node-b", "node-c"):
        node, thread = found[f"node/{name}/box"], found[f"thread/{name}"]
        left = float(found[f"node/{name}"].get("transform", "")[10:].split(",")[0])
        assert abs(float(thread.get("x", "")) - left - float(node.get("width", "")) / 2) < 2
    looks = {name: found[f"thread/{name}"].get("fill") for name in ("node-a", "node-b", "node-c")}
    assert looks["node-a"] not in (looks["node-b"], looks["node-c"]), "the thread of the node that wins"
    states = {key[5:]: state for key, each in found.items() if key[:5] == "rung/" and (state := each.get("data-state"))}
    assert states == {"2/node-b": "lost", "3/node-a": "wins", "3/node-c": "lost"}
    assert "not asked" in words(ElementTree.fromstring(str(svg)))


def test_only_the_name_of_the_rule_that_decides_is_bold() -> None:
    decision = decide(with_one())
    assert decision.preemption is not None
    decides = [each for each in steps(decision.preemption, list(decision.preemption.candidates)) if each.decides]
    found = keyed(Scene(decision).picture(ROOM))
    names = {
        key: [text for text in each.iter(f"{SVG}text") if not "".join(text.itertext()).isdigit()]
        for key, each in found.items()
        if re.fullmatch(r"rung/\d", key)
    }
    bold = [key for key, texts in names.items() if any(text.get("font-weight") == "bold" for text in texts)]
    assert bold == [f"rung/{each.number}" for each in decides] and len(names) == 5


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_cells_are_those_of_the_rules(settings: dict[str, int]) -> None:
    decision = decide(Settings(**settings))
    preemption = decision.preemption
    assert preemption is not None
    found = keyed(Scene(decision).picture(ROOM))
    shown = {key[5:]: each.get("data-state") for key, each in found.items() if re.fullmatch(r"rung/\d/[^/]+", key)}
    expected = {
        f"{step.number}/{node}": node in step.kept
        for step in (steps(preemption, list(preemption.candidates)) if preemption.rungs else [])
        for node in step.standing
        if step.applies
    }
    assert {key: state != "lost" for key, state in shown.items()} == expected


def test_equal_sums_look_equal() -> None:
    shown = cells(scene(jobs=LOWEST).picture(ROOM))
    assert shown["3/node-a"] == shown["3/node-c"] == "100+2³¹"


def test_a_tie_is_named() -> None:
    shown = cells(scene(**TIE).picture(ROOM))
    assert shown["5/node-b"] == shown["5/node-c"] == "09:00 tie"


@pytest.mark.parametrize("rules", [True, False])
def test_a_question_names_the_rules_and_shows_no_value_and_no_result(rules: bool) -> None:
    svg = Scene(decide(with_one()), rules=rules).question(ROOM)
    assert cells(svg) == {} and len([key for key in keyed(svg) if key.startswith("rung/")]) == 5 * rules
    text = words(ElementTree.fromstring(str(svg)))
    assert not any(sign in text for sign in ("★", "✕", "≥", "not asked", "evicted", "reprieved"))


@pytest.mark.parametrize("room", [ROOM, Room(540, 340), Room(400, 300)])
@pytest.mark.parametrize("rules", [True, False])
def test_a_node_has_the_same_size_before_and_after_its_question(room: Room, rules: bool) -> None:
    decision = decide(with_one())
    picks = Handles(nodes={name: {"data_pick": name} for name in decision.cluster.names})
    shown = Scene(decision, picks, rules=rules).question(room), Scene(decision, rules=rules).picture(room)
    before, after = ({each: keyed(svg)["node/node-a/box"].get(each) for each in ("width", "height")} for svg in shown)
    assert before == after


def test_a_question_shows_what_its_numbers_were() -> None:
    now = Settings(shop_b=0, allowed=1, mail_c_start=540, mail_in_shop=True)
    svg = Scene(decide(now), since=decide(Settings())).question(ROOM)
    found = keyed(svg)
    assert "100 → 0" in words(found["pod/shop-b"]) and "10:00 → 09:00" in words(found["pod/mail-c"])
    assert words(found["pod/mail-c"]).endswith("→ shop")
    assert "may lose 2 → 1 pod now" in words(ElementTree.fromstring(str(svg)))
    assert "→" not in words(found["pod/shop-a"])


def test_before_a_node_is_chosen_each_candidate_shows_whom_it_would_lose() -> None:
    svg = Scene(decide(with_one()), rules=False, tried="node-b").picture(ROOM)
    tips = {key: each.get("data-tip", "") for key, each in keyed(svg).items()}
    assert {key for key, tip in tips.items() if "would be evicted" in tip} == {
        f"pod/{name}" for name in ("shop-a", "logs-b", "shop-b", "mail-c", "jobs-c")
    }
    assert not any(key.startswith("rung/") for key in tips)
    assert not [each for each in keyed(svg).values() if each.get("data-state") == "chosen"]


def moments(**settings: int) -> Iterator[tuple[Html, str]]:
    yield from scene(**settings).story(ROOM)


def test_the_story_begins_with_the_rules_unasked_and_ends_with_the_picture() -> None:
    for settings in SETTINGS:
        told = list(moments(**settings))
        rules = {key for key in keyed(told[0][0]) if key.startswith("rung/")}
        assert cells(told[0][0]) == {} and len(rules) in (0, 5)
        assert told[-1][0] == scene(**settings).picture(ROOM)
        assert not any(each.get("data-state") == "chosen" for svg, _ in told[:-1] for each in keyed(svg).values())


def tries(**settings: int) -> list[tuple[Html, str]]:
    return Scene(decide(with_one(**settings)), rules=False, tried="node-b").story(ROOM)


def test_the_tries_of_a_node_are_told_in_the_real_order() -> None:
    captions = [caption for _, caption in tries()]
    assert captions[0].startswith(
        "On every node, all pods of a priority below 500 step aside. Not a candidate: node-d (900 ≥ 500)"
    )
    made = ("jobs-b", "logs-b", "shop-b")
    assert all(says(said, "node-b", each) for said, each in zip(captions[2:5], made, strict=True))
    assert says(captions[2], "comes back") and says(captions[3], "victim")
    assert "other nodes" in captions[5]
    assert says(captions[6], "jobs-b comes back", "node-b", "logs-b", "shop-b", "would be evicted")
    assert len(captions) == 7


def test_a_pod_that_does_not_fit_is_tried_in_its_place() -> None:
    outlines = [[key for key in keyed(svg) if key.startswith("try/")] for svg, _ in tries(allowed=2)]
    assert outlines == [[], [], ["try/shop-b"], ["try/jobs-b"], [], []]
    shown = keyed(tries(allowed=2)[2][0])
    assert shown["try/shop-b"].get("data-from") == "pod/shop-b"


def shelf(svg: Html, node: str = "b") -> list[str]:
    """The pods that have stepped aside on a node, the upper ones first."""
    found = keyed(svg)
    bottom = _top(found["node/node-b"]) + float(found["node/node-b/box"].get("height", ""))
    pods = {key[4:]: _top(each) for key, each in found.items() if re.fullmatch(rf"pod/[a-z]+-{node}", key)}
    return sorted((name for name, top in pods.items() if top > bottom), key=lambda name: pods[name])


def _top(each: ElementTree.Element) -> float:
    return float(each.get("transform", "").rpartition(",")[2][:-1])


def test_pods_are_counted_against_the_budget_before_the_tries_and_those_that_would_break_it_go_on_top() -> None:
    aside, counted, tried = tries()[:3]
    assert says(counted[1], "shop-b uses up the budget", "jobs-b", "no disruption left", "tried first")
    assert [shelf(svg) for svg, _ in (aside, counted)] == [
        ["logs-b", "shop-b", "jobs-b"],
        ["jobs-b", "logs-b", "shop-b"],
    ]
    budgets = [
        re.search(r"may lose (.+?) pods? now", words(ElementTree.fromstring(str(svg)))) for svg, _ in tries()[:3]
    ]
    assert [each and each[1] for each in budgets] == ["1", "1 → 0", "1"]
    assert shelf(aside[0], "c") == shelf(counted[0], "c")
    assert says(tries(allowed=0)[1][1], "shop-b and jobs-b", "no disruption left", "tried first")


def test_a_budget_that_changes_no_order_is_not_counted() -> None:
    assert len(tries(allowed=2)) == 6 and not any("disruption" in said for _, said in tries(allowed=2))


@pytest.mark.parametrize("settings", [{}, {"allowed": 0}, {"allowed": 2}])
def test_pods_on_the_shelf_keep_their_order_during_the_tries(settings: dict[str, int]) -> None:
    moments = [shelf(svg) for svg, _ in tries(**settings)[-4:-1]]
    for before, after in pairwise(moments):
        assert after == [name for name in before if name in after]
    preemption = decide(with_one(**settings)).preemption
    assert preemption is not None
    assert moments[-1] == [info.pod.metadata.name for info in preemption.candidates["node-b"].victims]


@pytest.mark.parametrize("room", [ROOM, Room(640, 380), Room(340, 400)])
def test_pods_that_step_aside_keep_their_height(room: Room) -> None:
    def heights(svg: Html) -> dict[str, str | None]:
        return {
            key: each.get("height") for key, each in keyed(svg).items() if re.fullmatch(r"pod/(logs|jobs)-b/box", key)
        }

    asked = Scene(decide(Settings(allowed=2)), rules=False, tried="node-b")
    aside, back = heights(asked.question(room)), heights(asked.picture(room))
    assert len(aside) == 2 and aside == back


def test_the_sign_of_a_rule_is_clear_of_the_values() -> None:
    for width in range(400, 660, 20):
        found = keyed(scene(allowed=0, mail_in_shop=True, shop_b=0).picture(Room(width, 520)))
        name, value = found["rung/2"], found["rung/2/node-a"]
        sign = next(each for each in name.iter() if each.get("data-tip") and each is not name)
        assert _ends(name, sign) < _left(value), width


def _left(each: ElementTree.Element) -> float:
    found = re.match(r"translate\(([-\d.]+)", each.get("transform", ""))
    return float(found[1]) if found else 0


def _ends(group: ElementTree.Element, sign: ElementTree.Element) -> float:
    """The right edge of a sign in the group."""
    parents = {child: each for each in group.iter() for child in each}
    right, each = float(SIZE), sign
    while True:
        scale = re.search(r"scale\(([\d.]+)", each.get("transform", ""))
        right = _left(each) + right * (float(scale[1]) if scale else 1)
        if each is group:
            return right
        each = parents[each]


def test_why_a_more_important_pod_leaves_is_said_below_the_tries() -> None:
    said = {allowed: Scene(decide(Settings(allowed=allowed)), tried="node-b").said for allowed in (1, 2)}
    assert says(said[1], "logs-b and shop-b would be evicted", "jobs-b (0)", "break the budget", "before logs-b (150)")
    assert said[2] == "logs-b comes back to node-b; shop-b and jobs-b would be evicted."


def test_a_node_that_is_no_candidate_has_no_tries() -> None:
    captions = [
        caption for _, caption in Scene(decide(Settings(shop_b=300, preemptor=250)), tried="node-b").story(ROOM)
    ]
    assert len(captions) == 2 and captions[-1].startswith("node-b is not a candidate: 300 ≥ 250")


def test_the_story_of_a_ladder_has_a_step_for_each_rule_that_is_asked() -> None:
    captions = [caption for _, caption in moments()]
    assert "victims" in captions[0] and captions[1] == "Rule 1, violations: nobody drops out."
    assert says(captions[2], "Rule 2", "node-b drops out") and says(captions[3], "node-c drops out; node-a is chosen")
    assert len(captions) == 5


def test_a_first_victim_that_is_not_the_most_important_one_is_found_before_the_rules_are_asked() -> None:
    told = list(moments(allowed=0, mail_in_shop=True, shop_b=0))
    tried = [caption for _, caption in told][:3]
    assert all(says(said, "node-b", each) for said, each in zip(tried, ("shop-b", "jobs-b", "logs-b"), strict=True))
    assert says(tried[0], "shop-b and jobs-b", "tried first") and says(told[4][1], "Rule 2", "node-b is chosen")
    pale = [{key for key, each in keyed(svg).items() if each.get("opacity") == "0.4"} for svg, _ in told]
    assert pale == [{"pod/jobs-b", "pod/logs-b"}, {"pod/logs-b"}, set(), set(), set(), set()]
    assert "shop-b" in numbered(told[0][0]) and "logs-b" not in numbered(told[1][0])


def test_pods_come_back_one_by_one() -> None:
    back = [
        {key[4:] for key, each in keyed(svg).items() if "reprieved" in each.get("data-tip", "") and key[:4] == "pod/"}
        for svg, _ in tries()
    ]
    assert back == [set(), set(), *([{"jobs-b"}] * 3), *([{"logs-a", "logs-c", "jobs-b"}] * 2)]
    ghosts = [[key for key in keyed(svg) if "?" in key and "box" not in key] for svg, _ in tries()]
    assert [len(each) for each in ghosts] == [3] * 7
    assert {keyed(svg)["pod/urgent?node-a"].get("data-from") for svg, _ in tries()[:5]} == {"pod/urgent"}


def test_a_tie_and_a_single_candidate_end_in_words() -> None:
    assert [caption for _, caption in moments(**TIE)][-2].startswith("Rule 5, latest start: a tie is left.")
    only = [caption for _, caption in moments(preemptor=250, shop_a=300, shop_b=300)]
    assert not any(caption.startswith("Rule") for caption in only) and "no rule is asked" in only[-1]


def numbered(svg: Html) -> set[str]:
    """The victims that carry their place in the list of victims."""
    return {key[4:] for key, each in keyed(svg).items() if key[:4] == "pod/" and re.search(r"\b[12]$", words(each))}


def test_victims_carry_their_places_once_rule_2_has_read_them() -> None:
    assert numbered(scene(allowed=0).picture(ROOM)) == set(), "rule 1 decides"
    assert numbered(Scene(decide(with_one()), rules=False).picture(ROOM)) == set()
    assert numbered(scene().picture(ROOM)) == {"shop-a", "logs-b", "shop-b", "mail-c", "jobs-c"}
    story = [numbered(svg) for svg, _ in moments()]
    assert [bool(each) for each in story] == [False, False, True, True, True]


def test_the_budget_shows_what_it_allows_and_can_be_set() -> None:
    decision = decide(with_one())
    said = words(ElementTree.fromstring(str(Scene(decision).picture(ROOM))))
    assert "Budget shop may lose 1 pod now" in said
    pill = keyed(Scene(decision, Handles(), {"shop": {"data_drag": "allowed"}}).picture(ROOM))["budget/shop/allowed"]
    assert words(pill) == "1" and pill.get("data-drag") == "allowed"


@pytest.mark.parametrize("room", [Room(400, 300), Room(640, 330), Room(800, 300), Room(720, 420), Room(1200, 800)])
def test_it_fits_into_its_room(room: Room) -> None:
    for settings in SETTINGS:
        for svg, _ in scene(**settings).story(room):
            width, height = map(float, ElementTree.fromstring(str(svg)).get("viewBox", "").split()[2:])
            assert width <= room.width and (height <= max(room.height, 450) or room.width < 560), settings


def test_start_times_are_shown_where_the_rule_that_reads_them_is_asked() -> None:
    asked, unasked = decide(Settings(shop_a=200, allowed=2)), decide(with_one())
    for decision, there in ((asked, True), (unasked, False)):
        for svg in (Scene(decision).question(ROOM), Scene(decision).picture(ROOM)):
            assert ("10:00" in words(keyed(svg)["pod/mail-c"])) == there


def test_a_rule_has_the_sign_that_it_reads_beside_its_name() -> None:
    def signed(**settings: int) -> set[str]:
        rules = {
            key: each for key, each in keyed(scene(**settings).picture(ROOM)).items() if re.fullmatch(r"rung/\d", key)
        }
        return {
            key for key, each in rules.items() if any(part.get("data-tip") for part in each.iter() if part is not each)
        }

    assert signed() == {"rung/2"}, "nobody breaks the budget"
    assert signed(allowed=0) == {"rung/1"}, "rule 2 is not asked"
    assert signed(allowed=0, mail_in_shop=True) == {"rung/1", "rung/2"}
