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
from kschedlab_lab.panels.generation_clusters import STORIES, budget_of, causes, never
from kschedlab_lab.panels.generations import CHANGES, Settings, asked, decide, panel, picked, points, policy, show
from kschedlab_lab.views.score import bare, total
from kschedlab_lab.views.svg import Room
from tests.saying import says
from tools.history import dated

TIE = "tie: node-a, node-b"
ANSWERS = {
    "a budget": ((TIE, "node-b", "node-c", "node-b"), {"start_times", "counted_down", "sorted_again"}),
    "never preempt": (("node-a", "node-a", "no node", "no node"), {"policy_stored", "policy_obeyed"}),
    "one percent": (("node-b", "node-b", "node-a", "node-a"), {"hundred_points"}),
}
EVERY = [Settings(cluster, version) for cluster in STORIES for version in NAMES]
NODES = ("node-a", "node-b", "node-c")


def matters(settings: Settings, name: str) -> bool:
    """Whether the version answers otherwise without this change."""
    return picked(decide(settings)) != picked(decide(settings.changed(without=name)))


@pytest.mark.parametrize("cluster", STORIES)
def test_in_each_cluster_some_rules_decide_and_the_others_make_no_difference(cluster: str) -> None:
    answers, rules = ANSWERS[cluster]
    every = [each for each in EVERY if each.cluster == cluster]
    assert tuple(picked(decide(each)) for each in every) == answers
    assert {name for each in every for name in CHANGES if matters(each, name)} == rules
    assert set(STORIES[cluster].changes) == rules


@pytest.mark.parametrize(("without", "totals"), [("none", [468, 460]), ("hundred_points", [45, 46])])
def test_without_a_hundred_points_all_scores_of_v1_20_go_up_to_ten(without: str, totals: list[int]) -> None:
    scores = decide(Settings("one percent", "v1.20").changed(without=without)).scores
    assert scores is not None
    small = scores.results[[weight < 10_000 for weight in scores.weights]]  # without what every node gets
    assert small.sum(axis=0).tolist() == totals


def test_every_change_decides_in_some_cluster() -> None:
    assert set.union(*(rules for _, rules in ANSWERS.values())) == {*CHANGES}


@pytest.mark.parametrize("cluster", ["a budget", "one percent"])
def test_changes_that_matter_are_causes_for_compare_too(cluster: str) -> None:
    world = Cluster(loads(panel(cluster=cluster).yaml()))
    for step in compare(f"default/{STORIES[cluster].pod}", world).steps:
        settings = Settings(cluster, step.later)
        new = [rule for rule in NAMED_RULES if matters(settings, rule.name) and rule.first_of(NAMES) == step.later]
        causes = [each.change.rule for each in step.causes if effect(each) != "changes message"]
        for rule in new:
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
def test_without_its_new_changes_a_version_answers_as_the_one_before(cluster: str) -> None:
    for earlier, later in pairwise(GENERATIONS):
        new = [rule.name for rule in NAMED_RULES if rule.first_of([*GENERATIONS]) == later]
        built = decide(Settings(cluster, later).changed(without="; ".join(new) or "none"))
        assert picked(built) == picked(decide(Settings(cluster, earlier)))


@pytest.mark.parametrize(
    ("version", "without", "said"),
    [
        ("v1.16", "none", ["drops it", "ignores it"]),
        ("v1.20", "none", ["stores it", "obeys it"]),
        ("v1.20", "policy_stored", ["drops it", "sees none"]),
        ("v1.20", "policy_obeyed", ["stores it", "ignores it"]),
    ],
)
def test_the_picture_says_where_a_policy_is_lost(version: str, without: str, said: list[str]) -> None:
    settings = Settings("never preempt", version, without)
    assert [each.does for each in policy(settings, asks=False)] == ["Never", *said]
    evicts = picked(decide(settings)) != "no node"
    assert evicts == (said != ["stores it", "obeys it"])


def test_a_reason_names_whom_the_lists_of_victims_begin_with() -> None:
    said = {version: show(Settings("a budget", version)).sentence for version in ("v1.16", "v1.20", "v1.30")}
    assert said["v1.20"].endswith("Victims that break the budget come first: 50, 50, 0.")
    assert all(said[each].endswith("its most important victim: 100, 100, 150.") for each in ("v1.16", "v1.30"))


def test_the_answers_in_a_few_words() -> None:
    tight = [node(name, allocatable={"cpu": "1", "memory": "8Gi", "pods": "9"}) for name in ("a", "b")]
    running = [pod("v", "a", cpu="1"), pod("w", "b", cpu="1")]
    urgent = pod("p", "", cpu="1", priority=9)
    assert picked(schedule("default/p", cluster(tight[0], running[0], urgent))) == "a"
    assert picked(schedule("default/p", cluster(*tight, *running, urgent))) == "tie: a, b"
    assert picked(schedule("default/p", cluster(node("a"), node("b"), pod("p")))) == "tie: a, b"
    assert picked(schedule("default/p", cluster(tight[0], pod("p", "", cpu="2")))) == "no node"


def test_a_change_is_taken_out_and_put_back() -> None:
    settings = Settings(version="v1.37")
    assert settings.toggled("sorted_again") == "sorted_again"
    there = settings.changed(without="sorted_again")
    assert there.toggled("start_times") == "start_times; sorted_again" and there.toggled("sorted_again") == "none"
    assert picked(decide(settings)) == "node-b" and picked(decide(there)) == "node-c"
    earlier = there.changed(version="v1.20")
    assert earlier.missing == frozenset() and show(earlier).sentence.startswith("v1.20: ")


def test_every_version_of_the_timeline_is_without_what_was_taken_out() -> None:
    last = show(Settings(without="start_times")).text.splitlines()[-1]
    assert last == f"v1.13: {TIE}   v1.20: node-c   v1.30: {TIE}"


@pytest.mark.parametrize(("text", "said"), [("sorted", '"sorted" is not a change'), ("", '"" is not a change')])
def test_a_wrong_change_says_what_is_expected(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        panel(without=text)
    assert "the changes are start_times, counted_down" in str(caught.value)


def test_changes_are_read_in_any_order_and_settings_are_restored() -> None:
    made = panel(version="v1.16", without="sorted_again;start_times")
    assert made.settings.without == "start_times; sorted_again"
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
    named = [CHANGES[name] for name in STORIES[settings.cluster].changes]
    assert all(f"since {rule.since}" in str(view.table) for rule in named)
    assert str(view.table).count("<small") == 2 * len(named)


def test_a_question_hides_this_answer_and_the_later_ones() -> None:
    open_one = asked("a budget")
    before = open_one.question.before(open_one.settings)  # type: ignore[union-attr,misc]  # it has both
    markup = str(before(Room())) if callable(before) else ""
    assert hidden(markup) == [*GENERATIONS][[*GENERATIONS].index("v1.20") :]
    assert "data-set" not in markup
    assert re.findall('data-pick="([^"]*)"', markup) == [*NODES]
    assert "Right." not in repr(open_one) and "Right." in repr(open_one.answer("node-c"))
    wrong = repr(open_one.answer("node-a"))
    assert "Not quite." in wrong and says(wrong, "c-low", "50, 50 and 0", "node-c")


QUESTIONS = [
    ("a budget", "v1.20", "node-c"),
    ("never preempt", "v1.20", "node-a"),
    ("one percent", "v1.20", "node-a"),
]


def test_every_question_of_a_cluster_is_known_here() -> None:
    assert {(name, version) for name, each in STORIES.items() for version in each.asks} == {q[:2] for q in QUESTIONS}


@pytest.mark.parametrize(("cluster", "version", "right"), QUESTIONS)
def test_each_question_has_the_engine_s_answer(cluster: str, version: str, right: str) -> None:
    open_one = asked(cluster, version)
    assert open_one.question is not None and open_one.question.right(open_one.settings) == right
    assert right in open_one.question.choices and len(open_one.question.choices) > 1


def test_nothing_changes_its_size_with_the_version_or_the_answer() -> None:
    def high(markup: object) -> float:
        return float(re.search(r'viewBox="0 0 540 ([\d.]+)', str(markup))[1])  # type: ignore[index]  # there is one

    pictures = [show(Settings(version=version)).picture for version in GENERATIONS]
    open_one = asked("a budget")
    question = open_one.question
    before = question.before(open_one.settings) if question is not None and question.before is not None else None
    for room in (425, 475, 560):
        heights = [high(draw(Room(540, room))) for draw in pictures if callable(draw)]
        assert callable(before) and max(heights) - min(heights) < 1
        assert abs(high(before(Room(540, room))) - heights[0]) < 5


def test_the_flags_keep_their_places_from_version_to_version() -> None:
    pictures = [show(Settings(version=version)).picture for version in NAMES]
    flags = [re.findall(r'data-key="flag/(\w+)"', str(each(Room()))) for each in pictures if callable(each)]
    assert flags == [["sorted_again", "counted_down", "start_times"]] * len(NAMES)


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


@pytest.mark.parametrize(
    ("room", "v16", "v20"),
    [
        (51, "node-b", "tie"),
        (59, "node-b", "node-a"),
        (60, "tie", "node-a"),
        (69, "tie", "node-a"),
        (70, "node-a", "node-a"),
    ],
)
def test_a_little_more_or_less_room_makes_nodes_equal_in_one_version_only(room: int, v16: str, v20: str) -> None:
    for version, answer in (("v1.16", v16), ("v1.20", v20)):
        settings = Settings("one percent", version, room=room)
        assert picked(decide(settings)).partition(":")[0] == answer
        sums = [sum(got for got, _ in each.parts.values()) for each in points(settings).nodes]
        assert (sums[0] == sums[1]) == (answer == "tie")


@pytest.mark.parametrize(
    ("version", "room", "choice"),
    [
        ("v1.13", 60, "they take turns"),
        ("v1.16", 60, "picked at random"),
        ("v1.34", 51, "picked at random"),
        ("v1.35", 51, "the order of the search"),
    ],
)
def test_of_nodes_with_the_same_score_each_version_chooses_in_its_way(version: str, room: int, choice: str) -> None:
    sentence = show(Settings("one percent", version, room=room)).sentence
    assert says(sentence, "node-a and node-b tie", "the highest score", choice)


def test_a_bar_shows_what_rounding_takes_off() -> None:
    first, second = points(Settings("one percent", "v1.16")).nodes
    assert first.parts == {"room left": (5, 5.9), "image": (0, 0.9)} and second.parts == {
        "room left": (6, 6.0),
        "image": (0, 0.0),
    }
    first, _ = points(Settings("one percent", "v1.20")).nodes
    assert first.parts == {"room left": (59, 59.0), "image": (9, 9.0)}


@pytest.mark.parametrize("version", GENERATIONS)
def test_other_scores_give_both_nodes_the_same(version: str) -> None:
    for room in (1, 50, 59, 65, 78):
        settings = Settings("one percent", version, room=room)
        others = [(total(bare(decide(settings)), each.node) or 0) - each.sum for each in points(settings).nodes]
        assert others[0] == others[1]


@pytest.mark.parametrize(
    ("allowed", "answers"), [(0, {TIE, "node-b"}), (1, {TIE, "node-b", "node-c"}), (2, {TIE, "node-b"})]
)
def test_counting_down_matters_only_where_the_budget_lets_some_victims_go(allowed: int, answers: set[str]) -> None:
    assert {picked(decide(Settings(version=version, allowed=allowed))) for version in GENERATIONS} == answers


def test_what_changes_a_cluster_can_be_moved_in_that_cluster_only() -> None:
    moved = {
        "a budget": {"allowed"},
        "never preempt": set[str](),
        "one percent": {"room"},
    }
    for story, controls in moved.items():
        view = show(Settings(story))
        assert callable(view.picture)
        assert {*re.findall('data-drag="(allowed|room)"', str(view.picture(Room())))} == controls
        assert {"allowed", "room"} - {*view.idle} == controls


@pytest.mark.parametrize(
    ("version", "said"), [("v1.16", "score, 6; node-a has 5."), ("v1.20", "score, 68; node-b has 60.")]
)
def test_the_sentence_has_the_sums_of_the_bars(version: str, said: str) -> None:
    assert show(Settings("one percent", version)).sentence.endswith(said)


def test_points_that_one_node_does_not_get_stay() -> None:
    shop = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop", "uid": "shop-1", "controller": True}
    avoiding, asking = node("node-a"), pod("shop-2")
    avoiding["metadata"]["annotations"] = {
        ANNOTATION: json.dumps({"preferAvoidPods": [{"podSignature": {"podController": shop}}]})
    }
    asking["metadata"]["ownerReferences"] = [shop]
    scores = bare(schedule("default/shop-2", cluster(avoiding, node("node-b"), asking), V1_20)).scores
    assert scores is not None and max(scores.total) > 1_000_000


def test_one_change_is_named_where_it_is_enough_alone() -> None:
    assert [line.rpartition(": ")[2] for line in causes("default/urgent", budget_of(1)).splitlines()] == [
        "start times break ties",
        "budgets count down",
        "victims sorted again",
    ]
    assert causes("default/patient", never()) == "", "neither change is enough alone"
