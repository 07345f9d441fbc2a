"""A recording has what the panel itself shows, in each room; its answers are the question's own."""

from html import unescape
from typing import Any

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab.manifests.loading import loads
from kschedlab.plugins import node_filter
from kschedlab_lab.exercises import Lesson
from kschedlab_lab.exercises.exercise import Exercise, State
from kschedlab_lab.panels import (
    map_reduce,
    overview_inside,
    overview_path,
    preemption,
    score,
    your_cluster,
    your_plugin,
)
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.views.cluster_picture import QUESTIONS
from packages.lab.tests.grids import each_of
from tools.site.cards import recorded
from tools.site.parts import Parts
from tools.site.record import ROOMS, Limits, Shared, recording
from tools.site.run import ShownPanel
from tools.site.states import nearest

LIMITS = Limits(pairs=25, states=25, stories=2)


def shown(panel: Panel[Any], asks: bool = False) -> ShownPanel:
    return ShownPanel(panel, panel.still(), asks, ())


def test_a_state_is_what_the_panel_shows() -> None:
    record = recording(shown(overview_inside.panel()), Shared(), LIMITS)
    parts = Parts()
    parts.all = record["parts"]
    assert len(record["states"]) == 5  # all that there are
    for state in record["states"]:
        panel = overview_inside.panel().restore(state["state"])
        assert state["sentence"] == panel.view.sentence
        assert parts.whole(state["table"]) == str(panel.view.table)
        assert "---\n".join(map(parts.whole, state["yaml"])) == panel.yaml()
        for room, number in zip(ROOMS, state["pictures"], strict=True):
            assert parts.whole(number) == panel.state(panel.settings, room)["picture"]
    link = f'{record["link"]}"{record["states"][3]["state"]}")'
    assert link == overview_inside.panel().restore(record["states"][3]["state"]).link()


def test_a_story_ends_with_its_picture() -> None:
    record = recording(shown(preemption.panel()), Shared(), LIMITS)
    told = [state for state in record["states"] if "tale" in state]
    assert len(told) == LIMITS.stories
    for state in told:
        assert [frames[-1][0] for frames in state["tale"]] == state["pictures"]


def test_an_answer_gets_the_verdict_of_the_question() -> None:
    panel = overview_inside.panel().ask(overview_inside.where_to())
    record = recording(shown(panel, asks=True), Shared(), LIMITS)
    asks, question = record["asks"], overview_inside.where_to()
    for answer in (None, *question.choices):
        verdict = question.verdict(answer, panel.settings)
        said = asks["said"][asks["answers"]["" if answer is None else answer]]
        assert said == [verdict["right"], verdict["mark"], verdict["why"]]
    assert asks["asked"] == question.asked()
    assert all(record["parts"][number] for number in asks["before"])


def test_numbers_are_judged_around_the_right_one() -> None:
    panel = score.panel("normalised", plugin="NodeAffinity", node="node-c").ask(score.without_the_disk())
    asks = recording(shown(panel, asks=True), Shared(), Limits(1, 1, 0))["asks"]
    right = [answer for answer, number in asks["answers"].items() if answer and asks["said"][number][0]]
    assert right == ["100"]
    assert {"0", "50", "99"} <= asks["answers"].keys()


def test_the_nearest_settings_come_first() -> None:
    panel = preemption.panel()
    first, others = nearest(panel.settings, 50, 60)
    names = list(panel.settings.controls())
    near = first + others
    changed = [sum(getattr(each, name) != getattr(panel.settings, name) for name in names) for each in near]
    assert near[0] == panel.settings and changed == sorted(changed) and changed.index(2) == len(first)
    assert len(others) == 60 and len(set(map(str, near))) == len(near)


def test_each_control_is_recorded_over_its_whole_range() -> None:
    settings = preemption.panel().settings
    first, _ = nearest(settings, 0, 0)
    for name, control in settings.controls().items():
        assert {settings.changed(**{name: value}) for value in control.allowed(settings)} <= {*first}


def test_steps_are_recorded_up_to_the_last_of_each_story() -> None:
    panel = overview_path.panel()
    first, others = nearest(panel.settings, 500, 500)
    assert {*first, *others} >= {*each_of(type(panel.settings))}


def test_a_control_moves_on_from_a_value_that_took_another_one_along() -> None:
    settings = map_reduce.panel().move(workers=1, step=20).settings
    states = {str(each) for each in nearest(settings, 0, 0)[0]}
    eight = _with_workers(settings, 8)
    for workers in map_reduce.WORKERS:  # eight workers have fewer steps, and fewer do not bring the old one back
        assert str(_with_workers(eight, workers)) in states
    assert eight.step < settings.step


def _with_workers(settings: map_reduce.Settings, workers: int) -> map_reduce.Settings:
    """As a reader moves the dial."""
    return settings.at({**settings.indices(), "workers": map_reduce.WORKERS.index(workers)})


def test_a_recording_ends_where_it_grows_too_large_but_has_what_is_tried_first() -> None:
    panel = preemption.panel()
    first, others = nearest(panel.settings, 80, 80)
    record = recording(shown(panel), Shared(), Limits(pairs=80, states=80, stories=2, kilobytes=45))
    assert len(first) < len(record["states"]) < len(first + others)
    least = recording(shown(panel), Shared(), Limits(pairs=80, states=80, stories=2, kilobytes=0))
    assert [state["state"] for state in least["states"]] == [str(each) for each in first + others[:1]]
    whole = recording(shown(panel), Shared(), Limits(*[len(record["states"]) - len(first)] * 2, 2))
    assert record == whole


def test_what_a_click_in_the_picture_sets_is_recorded() -> None:
    panel = your_cluster.panel(pod="data/postgres-0")
    pods = "".join(f'<g data-set="pod: {pod}"/>' for pod in ("data/redis-7", "data/kafka-3"))
    clicks = f'<g data-set="node: data-02"/><g data-set="node: &lt;nowhere&gt;"/>{pods}'
    first, others = nearest(panel.settings, 80, 80, clicks)
    assert [each.generation for each in first].count("v1.20") == 1 and "data-02" in [each.node for each in first]
    assert {each.pod for each in first} == {"data/postgres-0", "data/redis-7", "data/kafka-3"}
    again = [each.question for each in others if each.pod == "data/redis-7"]  # what is clicked is asked about, too
    assert {*QUESTIONS} == {*again}


def test_a_field_suggests_what_is_recorded() -> None:
    placed = [pod(f"p{number}", f"n{number % 5}") for number in range(40)]
    panel = your_cluster.panel(loads(as_yaml([*(node(f"n{number}") for number in range(5)), *placed, pod("new")])))
    record = recording(shown(panel), Shared(), Limits(0, 0, 0))
    names = [each["name"] for each in record["controls"]]
    suggested = {name: record["controls"][names.index(name)]["values"] for name in ("pod", "node")}
    for name, values in suggested.items():
        assert {*values} == {state["at"][names.index(name)] for state in record["states"]}
    assert {f"n{number}" for number in range(5)} <= {*suggested["node"]} and len(suggested["pod"]) < 30


def test_panels_of_a_page_share_their_parts() -> None:
    shared = Shared()
    one, other = (recording(shown(overview_inside.panel()), shared, LIMITS) for _ in range(2))
    assert one["first"] == 0 and other["first"] == len(one["parts"]) and other["parts"] == []


def test_panels_that_show_the_same_share_their_states() -> None:
    shared = Shared()
    above = recording(shown(preemption.panel()), shared, LIMITS)
    below = recording(shown(preemption.panel(preemptor=1000)), shared, LIMITS)
    texts = [[state["state"] for state in record["states"] if "tale" not in state] for record in (above, below)]
    assert above["world"] == below["world"] and above["start"] != below["start"]
    assert not {*texts[0]} & {*texts[1]}  # those that are known already are not repeated, but for their stories
    known = {state["state"] for record in (above, below) for state in record["states"]}
    first, _ = nearest(preemption.panel(preemptor=1000).settings, 0, 0)
    assert {str(each) for each in first} <= known
    assert len({*texts[1]} - {*map(str, first)}) >= LIMITS.states - LIMITS.stories  # and the others lie further away


def test_panels_that_show_something_else_share_nothing() -> None:
    shared, refuse = Shared(), node_filter("Refuse")(lambda pod, node: "no")
    panels = (your_plugin.panel(), your_plugin.panel(refuse), your_plugin.panel([refuse]), your_plugin.panel())
    worlds = [shared.world(panel).name for panel in panels]
    assert worlds[0] == worlds[3] != worlds[1] == worlds[2]
    assert shared.world(your_cluster.panel()) is shared.world(your_cluster.panel(pod="data/postgres-0"))
    assert shared.world(your_cluster.panel()) is not shared.world(
        your_cluster.panel(loads(as_yaml([node("n1"), pod("p")])))
    )


def test_what_another_control_takes_along_is_recorded() -> None:
    panel = overview_path.panel(step=3)
    record = recording(shown(panel), Shared(), Limits(60, 60, 0))
    begins = "|".join(map(str, panel.settings.indices().values()))
    stories = len(panel.settings.controls()["story"].values)
    assert record["along"][begins] == {f"story:{other}": {"step": 0} for other in range(1, stories)}


@pytest.fixture(scope="module")
def exercises() -> Lesson:
    return Lesson("score", seed=1)


def replies(exercise: Exercise) -> dict[str, tuple[bool, str]]:
    record = recorded(exercise)
    return {answer: (right, record["replies"][number]) for answer, (right, number) in record["answers"].items()}


def test_the_choices_of_an_exercise_have_their_replies(exercises: Lesson) -> None:
    found = replies(exercises[1])
    assert len(found) == len(exercises[1].choices())
    assert [right for right, _ in found.values()].count(True) == 1
    for answer in exercises[1].choices():
        verdict = exercises[1].judge(answer)
        right, reply = found[answer.replace(" ", "").replace(",", "").casefold()]
        assert right == (verdict.state is State.RIGHT) and verdict.words[:20] in unescape(reply)


def test_a_typed_answer_has_the_right_reply_and_remarks_on_wrong_numbers() -> None:
    exercise = Lesson("map_reduce", seed=1)[1]
    found, right = replies(exercise), exercise.right
    assert found[right][0] and not found[str(int(right) + 1)][0] and "0" in found


def test_what_code_must_judge_has_hints_and_the_solution(exercises: Lesson) -> None:
    record = recorded(exercises[2])
    assert record["answers"] == {} and len(record["hints"]) == len(record["early"]) == len(exercises[2].hints)
    assert "Solution" in record["solution"] and "Not yet" in record["early"][0]
