"""The panel of lesson 06: each cluster's answers, the rules that decide in it, and what one can do in the picture."""

import json
import re
from itertools import pairwise

import pytest

from kschedlab import Cluster, compare, loads
from kschedlab.build import cluster, node, pod
from kschedlab.generations import COURSE as NAMES, GENERATIONS, V1_20
from kschedlab.scheduler import schedule
from kschedlab.score.priorities.node_prefer_avoid_pods import ANNOTATION
from kschedlab.whatif.compare import changes
from kschedlab.whatif.comparison import effect
from kschedlab_lab.named_rules import NAMED_RULES, NamedRule
from kschedlab_lab.panels.generation_answers import answer, picked
from kschedlab_lab.panels.generation_clusters import STORIES
from kschedlab_lab.panels.generation_questions import counted_down
from kschedlab_lab.panels.generations import Settings, decide, matters, panel, question, right, show, story
from kschedlab_lab.views.score import bare
from kschedlab_lab.views.svg import Room
from tests.saying import says
from tools.history import dated

TIE = "tie: node-a, node-b"
ANSWERS = {
    "a budget of one": ((TIE, "node-b", "node-c", "node-b"), {"start_times", "counted_down", "sorted_again"}),
    "who may stay?": (("node-a",) * 4, {"older_stays"}),
    "never preempt": (("node-a", "node-a", "no node", "no node"), {"policy_stored", "policy_obeyed"}),
    "one percent": (("node-b", "node-b", "node-a", "node-a"), {"hundred_points"}),
    "a soft taint": (("node-a", "node-a", "node-a", "node-b"), {"taints_count"}),
    "a promise": (("node-b", "node-b", "node-b", "node-a"), {"nominated_first"}),
}
EVERY = [Settings(cluster, version) for cluster in STORIES for version in NAMES]
NODES = ("node-a", "node-b", "node-c")


@pytest.mark.parametrize("cluster", STORIES)
def test_in_each_cluster_some_rules_decide_and_the_others_make_no_difference(cluster: str) -> None:
    answers, rules = ANSWERS[cluster]
    every = [Settings(cluster, version) for version in NAMES]
    assert tuple(picked(decide(each)) for each in every) == answers
    assert {rule.name for each in every for rule in NAMED_RULES if matters(each, rule)} == rules


def test_every_rule_decides_in_some_cluster() -> None:
    assert set.union(*(rules for _, rules in ANSWERS.values())) == {rule.name for rule in NAMED_RULES}


@pytest.mark.parametrize("cluster", STORIES)
def test_the_rules_of_a_version_turn_its_neighbours_answer_into_its_own(cluster: str) -> None:
    for earlier, later in zip(NAMES, NAMES[1:], strict=False):
        new = frozenset(rule.name for rule in NAMED_RULES if rule.first_of(NAMES) == later)
        rules = "; ".join(f"{name} on" for name in sorted(new))
        built = decide(Settings(cluster, earlier).changed(rules=rules))
        assert answer(built) == answer(decide(Settings(cluster, later)))


@pytest.mark.parametrize("cluster", ["a budget of one", "a soft taint", "one percent"])
def test_rules_that_are_lit_are_causes_for_compare_too(cluster: str) -> None:
    world = Cluster(loads(panel(cluster=cluster).yaml()))
    for step in compare(f"default/{STORIES[cluster].pod}", world).steps:
        lit = [
            rule
            for rule in NAMED_RULES
            if matters(Settings(cluster, step.earlier), rule) and rule.first_of(NAMES) == step.later
        ]
        causes = [each.change.rule for each in step.causes if effect(each) != "changes message"]
        for rule in lit:
            assert any(re.fullmatch(rule.settings, cause) for cause in causes), (rule.name, causes)


def hidden(markup: str) -> list[str]:
    """The versions whose answers are not shown."""
    return re.findall(r'data-tip="(v1\.\d+): not known yet"', markup)


@pytest.mark.parametrize("rule", NAMED_RULES, ids=lambda rule: rule.name)
def test_a_rule_is_dated_by_the_history(rule: NamedRule) -> None:
    earlier, later = rule.other(rule.first_of([*GENERATIONS])), rule.first_of([*GENERATIONS])
    settings = [change.rule for change in changes(GENERATIONS[earlier], GENERATIONS[later])]
    entries = [dated(each, earlier, later) for each in settings if re.fullmatch(rule.settings, each)]
    assert {entry.version if entry else "" for entry in entries} == {rule.since}


@pytest.mark.parametrize("cluster", STORIES)
def test_between_the_courses_versions_too_the_named_rules_say_where_the_answer_changes(cluster: str) -> None:
    for earlier, later in pairwise(GENERATIONS):
        new = frozenset(rule.name for rule in NAMED_RULES if rule.first_of([*GENERATIONS]) == later)
        built = decide(
            Settings(cluster, earlier).changed(rules="; ".join(f"{name} on" for name in sorted(new)) or "none")
        )
        assert answer(built) == answer(decide(Settings(cluster, later)))


def test_a_rule_is_switched_and_back() -> None:
    settings = Settings(version="v1.20")
    again = next(rule for rule in NAMED_RULES if rule.name == "sorted_again")
    there = settings.switching(again)
    assert there.rules == "sorted_again on" and there.switching(again) == settings
    assert picked(decide(settings)) == "node-c" and picked(decide(there)) == "node-b"
    later = there.changed(version="v1.37")
    assert later.flipped() == frozenset() and later.switching(again).rules == "sorted_again off"
    assert later.switching(again).switching(again).rules == "none"


def test_v1_16_becomes_v1_37_rule_by_rule() -> None:
    answers = [
        picked(decide(Settings(version="v1.16", rules=rules)))
        for rules in ("none", "counted_down on", "counted_down on; sorted_again on")
    ]
    assert answers == ["node-b", "node-c", "node-b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sorted on", '"sorted on" is not a change with on or off'),
        ("sorted_again maybe", '"sorted_again maybe" is not a change with on or off'),
        ("", '"" is not a change with on or off'),
    ],
)
def test_a_wrong_rule_says_what_is_expected(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        panel(rules=text)
    assert "the changes are start_times, older_stays" in str(caught.value)


def test_rules_are_read_in_any_order_and_settings_are_restored() -> None:
    made = panel(version="v1.16", rules="sorted_again on;start_times off")
    assert made.settings.rules == "start_times off; sorted_again on"
    assert panel().restore(str(made.settings)).settings == made.settings


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_every_state_has_a_picture_a_sentence_and_the_source(settings: Settings) -> None:
    view = show(settings)
    assert callable(view.picture)
    for room in (Room(400, 300), Room(640, 330), Room()):
        markup = str(view.picture(room))
        keys = re.findall('data-key="([^"]*)"', markup)
        assert len(keys) == len(set(keys))
        width = float(re.search(r'viewBox="0 0 ([\d.]+)', markup)[1])  # type: ignore[index]  # there is one
        assert width == room.width
    said, pod = view.sentence.removeprefix(f"{settings.version}: "), STORIES[settings.cluster].pod
    assert says(said.partition(".")[0], pod)
    lit = [rule for rule in NAMED_RULES if matters(settings, rule)]
    assert all(f"since {rule.since}" in str(view.table) for rule in lit)
    assert str(view.table).count("<code") == 2 * len(lit)


def test_the_story_goes_from_version_to_version_and_ends_at_the_picture() -> None:
    settings = Settings(version="v1.20", rules="sorted_again on")
    frames = story(settings, Room())
    versions = [frame.caption.partition(":")[0] for frame in frames]
    assert [*dict.fromkeys(versions)] == ["v1.13", "v1.16", "v1.20", "v1.20, changed"]
    view = show(settings)
    assert callable(view.picture) and frames[-1].picture == view.picture(Room())
    assert show(Settings()).story is None


def test_where_budgets_begin_to_count_down_the_story_shows_on_one_node_how() -> None:
    def node_c(picture: object) -> list[str]:
        """What the two pods of node-c say of themselves."""
        return re.findall(r'data-key="pod/(c-\w+)"[^>]*data-tip="([^"]*)"', str(picture))

    used, cracked, first = (frame for frame in story(Settings(version="v1.20"), Room())[2:5])
    said = [{name: tip for name, tip in node_c(each.picture)} for each in (used, cracked, first)]
    assert ["would be evicted" in each["c-high"] for each in said] == [True] * 3
    assert ["breaks the budget" in each["c-low"] for each in said] == [False, True, True]
    turns = [re.findall(r"[12](?=</text>)", tips) for tips in map(str, (used.picture, first.picture))]
    assert len(turns[0]) < len(turns[1])
    assert "c-high uses up" in used.caption and "listed first" in first.caption


def test_a_question_hides_this_answer_and_the_later_ones() -> None:
    asked = panel(version="v1.20").ask(question("Which node does v1.20 choose?", NODES))
    before = asked.question.before(asked.settings)  # type: ignore[union-attr,misc]  # it has both
    markup = str(before(Room())) if callable(before) else ""
    assert hidden(markup) == ["v1.20", "v1.22", "v1.24", "v1.28", "v1.30", "v1.32", "v1.34", "v1.35", "v1.36", "v1.37"]
    assert "data-set" not in markup
    assert re.findall('data-pick="([^"]*)"', markup) == [*NODES]
    assert "Right." not in repr(asked) and "Right." in repr(asked.answer("node-c"))
    wrong = repr(asked.answer("node-a"))
    assert "Not quite." in wrong and "Rule 2 decides: lowest first victim priority. node-c has 0, node-a 50" in wrong


def test_a_question_about_a_switched_rule_shows_the_versions_own_answer() -> None:
    asked = question("Which node now?", NODES)
    settings = Settings(version="v1.20", rules="sorted_again on")
    before = asked.before(settings) if asked.before is not None else None
    assert callable(before) and hidden(str(before(Room())))[0] == "v1.22"
    assert asked.right(settings) == "node-b"


def test_a_question_can_hide_the_earlier_versions_too() -> None:
    settings = Settings("a soft taint", "v1.37")
    asked = question("Which node?", NODES[:2], alone=True).before
    before = asked(settings) if asked is not None else None
    assert callable(before) and hidden(str(before(Room()))) == [*GENERATIONS]


def test_nothing_changes_its_size_with_the_version_or_the_answer() -> None:
    def high(markup: object) -> float:
        return float(re.search(r'viewBox="0 0 540 ([\d.]+)', str(markup))[1])  # type: ignore[index]  # there is one

    pictures = [show(Settings(version=version)).picture for version in GENERATIONS]
    asked = question("Which node?", NODES).before
    before = asked(Settings(version="v1.20")) if asked is not None else None
    heights = [high(draw(Room(540, room))) for draw in pictures if callable(draw) for room in (425, 475)]
    assert callable(before) and max(heights) - min(heights) < 1 and abs(high(before(Room(540, 425))) - heights[0]) < 5


def test_a_switch_does_not_outlive_its_cluster() -> None:
    switched = Settings(version="v1.16", rules="start_times off")
    there = switched.at({**switched.indices(), "cluster": 1})
    assert there.rules == "none" and there.version == "v1.16"
    assert switched.at({**switched.indices(), "version": 2}).rules == "start_times off"


def test_the_switches_keep_their_places_from_version_to_version() -> None:
    pictures = [show(Settings(version=version)).picture for version in NAMES]
    switches = [re.findall(r'data-key="rule/(\w+)"', str(each(Room()))) for each in pictures if callable(each)]
    assert switches == [["start_times", "counted_down", "sorted_again"]] * len(NAMES)


def test_the_ladder_shows_the_rule_at_which_two_versions_part() -> None:
    pictures = {version: show(Settings(version=version)).picture for version in NAMES}
    states = {
        version: re.findall(r'data-key="rung/(\d)/(node-.)"[^>]*data-state="(\w+)"', str(each(Room())))
        for version, each in pictures.items()
        if callable(each)
    }
    assert states["v1.13"] == [("2", "node-c", "lost")]
    assert states["v1.16"] == [("2", "node-c", "lost"), ("5", "node-a", "lost"), ("5", "node-b", "wins")]
    assert states["v1.20"] == [("2", "node-a", "lost"), ("2", "node-b", "lost"), ("2", "node-c", "wins")]


def test_where_all_take_one_node_the_timeline_shows_who_leaves() -> None:
    view = show(Settings("who may stay?"))
    assert view.text.splitlines()[1] == "v1.13: node-a without old   v1.16: node-a without young"


def test_a_nominated_node_that_fits_is_looked_at_alone() -> None:
    last, earlier = (show(Settings("a promise", version)).sentence for version in ("v1.37", "v1.20"))
    assert "nominated there" in last and "only node" not in last and "highest score" in earlier


def test_a_question_shows_the_changes_that_it_names_on_or_off() -> None:
    settings = Settings("never preempt", "v1.16", "policy_stored off; policy_obeyed on")
    before = question("Which node?", ("no node",), alone=True).before
    drawn = before(settings) if before is not None else None
    assert callable(drawn)
    assert re.findall(r'aria-pressed="(\w+)"', str(drawn(Room()))) == ["false", "true"]


def test_points_that_all_nodes_get_are_left_out() -> None:
    assert show(Settings("one percent", "v1.20")).sentence.endswith("the highest score, 470; node-b has 460.")


def test_points_that_one_node_does_not_get_stay() -> None:
    shop = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop", "uid": "shop-1", "controller": True}
    avoiding, asking = node("node-a"), pod("shop-2")
    avoiding["metadata"]["annotations"] = {
        ANNOTATION: json.dumps({"preferAvoidPods": [{"podSignature": {"podController": shop}}]})
    }
    asking["metadata"]["ownerReferences"] = [shop]
    scores = bare(schedule("default/shop-2", cluster(avoiding, node("node-b"), asking), V1_20)).scores
    assert scores is not None and max(scores.total) > 1_000_000


def test_what_is_said_of_an_answer_is_about_that_answer() -> None:
    asked = panel(version="v1.20").ask(counted_down())
    assert "v1.16 would" in repr(asked.answer("node-b")) and "v1.16 would" not in repr(asked.answer("node-c"))


def test_questions_about_pods_rules_and_no_node() -> None:
    assert right(Settings("who may stay?", "v1.16"), ("young", "old")) == "young"
    assert right(Settings("who may stay?", "v1.13"), ("young", "old")) == "old"
    assert right(Settings("never preempt", "v1.20"), ("node-a", "node-b", "no node")) == "no node"
    assert right(Settings(version="v1.20", rules="sorted_again on"), ("rule 2", "rule 3", "rule 5")) == "rule 5"
