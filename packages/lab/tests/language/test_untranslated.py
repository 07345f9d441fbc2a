"""Nothing English is left in what a translated lesson shows, but names, code, and kube-scheduler's own words."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kschedlab.objects.quantity import Quantity
from kschedlab.plugins import NodeView, check_plugin, node_filter, node_score
from kschedlab_lab.exercises.desk import NAMES, RosterForm, SheetForm
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.lesson import Lesson, exercises_of
from kschedlab_lab.exercises.progress import Progress
from kschedlab_lab.exercises.seeds import parse_seeds
from kschedlab_lab.exercises.sheet import answers, answers_html, sheets
from kschedlab_lab.language import language
from kschedlab_lab.panels import (
    barrier,
    class_vote,
    cluster_questions,
    contents,
    devices,
    first,
    lost_update,
    map_reduce,
    overview_gate as gate,
    overview_inside as inside,
    overview_path as path,
    overview_sampling as sampling,
    overview_watch as watch,
    pairs,
    preemption,
    preemption_questions,
    queue_clock,
    queue_heap,
    queue_parts,
    score,
    score_two,
    select_host,
    selector,
    speedup,
    tosses,
    two_runs,
    weights,
    your_cluster,
    your_plugin,
    your_plugin_motion,
)
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.session import Session, described
from kschedlab_lab.views.svg import Room
from packages.lab.tests.language.shown import Shown, english
from packages.lab.tests.panels.policies import BOTH, NUMBERS, Three
from tests.browser.layout import states

ROOMS = (Room(), Room(320, 480))
STATES, STORIES, SEEDS = 40, 4, (1, 2, 3)

ALONE = node_filter("Alone")(lambda _, node: "node(s) had other pods" if node.pods else None)
COLD = node_filter("ColdNode")(lambda pod, node: "node(s) were too hot" if celsius(node) >= 60 else None)
COOLER = node_score("Cooler", formula="100 - {celsius}")(lambda pod, node: (100 - celsius(node), {"celsius": 1}))
HALF = node_score("Half")(lambda pod, node: 0.5)  # type: ignore[arg-type, return-value]  # a mistake of lesson 09


def celsius(node: NodeView) -> int:
    return int(node.metadata.labels.get("celsius", 0))


PANELS: dict[str, Callable[[], Panel[Any]]] = {
    "preemption": preemption.panel,
    "preemption, which node": lambda: preemption.panel().ask(preemption_questions.which_node()),
    "preemption, which pod": lambda: preemption.panel(shop_a=200, allowed=2).ask(preemption_questions.which_pod()),
    "preemption, victims": lambda: preemption.panel().ask(preemption_questions.who_returns()),
    "first": first.panel,
    "overview, path": path.panel,
    "overview, what next": lambda: path.panel(step=5).ask(path.what_next()),
    "overview, what is undone": lambda: path.panel(story="bind failure", step=9).ask(path.what_is_undone()),
    "overview, inside": lambda: inside.panel().ask(inside.where_to()),
    "overview, gate": lambda: gate.panel(port=True, taint=True).ask(gate.how_many_reasons()),
    "overview, a class votes": class_vote.three_in_the_way,
    "overview, sampling": lambda: sampling.panel(nodes=5000).ask(sampling.how_many()),
    "overview, watch": lambda: watch.panel(story="another node becomes free", change=9).ask(watch.where_to()),
    "queue, heap, after pop": lambda: queue_heap.panel().ask(queue_heap.after_pop()),
    "queue, parts": lambda: queue_parts.panel().ask(queue_parts.where_to()),
    "queue, versions": lambda: queue_clock.panel().ask(queue_clock.when_is_web_tried()),
    "queue, clock, all": lambda: queue_clock.panel(lanes=queue_clock.ALL).ask(queue_clock.how_often_beside_web()),
    "score, two nodes": lambda: score_two.panel().ask(score_two.which()),
    "score": lambda: score.panel("raw", plugin="NodeResourcesLeastAllocated", node="node-b").ask(score.the_least()),
    "score, summed": lambda: score.panel().ask(score.who_wins()),
    "score, selectHost": lambda: select_host.panel().ask(select_host.first_stays()),
    "score, weights": lambda: weights.panel(nodes=2),
    "map_reduce, worker": lambda: map_reduce.panel(step=4).ask(map_reduce.which_worker()),
    "map_reduce, lost update": lambda: lost_update.panel().ask(lost_update.what_is_left()),
    "map_reduce, too soon": lambda: barrier.panel().ask(barrier.too_soon()),
    "map_reduce, times": lambda: speedup.panel(workers=16).ask(speedup.how_long()),
    "devices": lambda: devices.one().ask(devices.first_fit()),
    "devices, two": lambda: devices.panel(model="any", memory=0, count=2, together=True).ask(devices.pair()),
    "devices, no h100": lambda: devices.panel(model="h100"),
    "devices, reserved": devices.reserved,
    "devices, selector": lambda: selector.panel().ask(selector.question()),
    "devices, unknown attribute": lambda: selector.panel(selector="an unknown attribute"),
    "contents": contents.panel,
    "your_cluster": lambda: your_cluster.panel(pod="data/postgres-0", node="data-02"),
    "your_cluster, change": lambda: your_cluster.panel(
        pod="data/redis-24", question="what would change it", change="one more data node"
    ),
    "your_cluster, one obstacle": cluster_questions.one_obstacle,
    "your_cluster, which zone": cluster_questions.which_zone,
    "your_cluster, how little": cluster_questions.how_little,
    "your_cluster, who leaves": cluster_questions.who_leaves,
    "your_cluster, what moves it": cluster_questions.what_moves_it,
    "your_plugin": lambda: your_plugin.panel().ask(your_plugin.where()),
    "your_plugin, both": lambda: your_plugin.panel([COLD, COOLER]).ask(your_plugin.where([COLD, COOLER])),
    "your_plugin, preemption": lambda: your_plugin.panel([COLD, ALONE], priority=9).ask(
        your_plugin.where([COLD, ALONE])
    ),
    "your_plugin, motion": lambda: your_plugin_motion.panel(
        cold=COLD, patient=node_filter("ColdNode", events=[])(COLD)
    ),
    "experiments, two runs": lambda: two_runs.panel(Three(), BOTH),
    "experiments, tosses": lambda: tosses.panel([9.0, -3.0, 0.0, 4.0, 9.0, 12.0, 4.0, 9.0]),
    "experiments": lambda: pairs.panel(NUMBERS, hero=1).ask(pairs.do_the_same(NUMBERS, 1)),
    "experiments, real": lambda: pairs.panel(NUMBERS, policy="lucky", joined=False).ask(pairs.is_it_chance(NUMBERS)),
}
"""By name, the panels of the lessons, with their questions."""
LESSONS = ("preemption", "overview", "queue", "score", "generations", "map_reduce", "devices")
LESSONS += ("your_cluster", "your_plugin", "experiments")
"""The lessons with exercises."""


pytestmark = pytest.mark.release


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    language("zh")
    yield
    language("en")


def of_state(state: dict[str, Any]) -> Iterator[str]:
    yield from (state["sentence"], state["error"], *state["idle"].values())
    for markup in (state["picture"], state["table"]):
        yield from Shown(markup).texts
    if asking := state.get("asking"):
        yield from (asking["text"], *asking["choices"], asking.get("numbers", ""))
    if verdict := state.get("verdict"):
        yield from (verdict["mark"], verdict["why"])


def of_panel(panel: Panel[Any]) -> Iterator[str]:
    yield from (text for each in described(panel.settings) for text in (each["label"], *each["shown"]))
    session = Session(panel)
    yield from of_state(session.shown)
    if panel.question is not None:
        wrong = (each for each in panel.question.choices if each != panel.question.right(panel.settings))
        panel.predict(next(wrong, "1"))
        yield from of_state(session.look())
        panel.predict(panel.question.right(panel.settings))
    for number, settings in enumerate(states(panel.settings, STATES)):
        panel.go(settings)
        yield from panel.view.text.splitlines()
        for room in ROOMS if number < STORIES else ROOMS[:1]:
            session.room = room
            yield from of_state(session.look())
            for picture, caption in panel.frames(room) if number < STORIES else ():
                yield from (caption, *Shown(str(picture)).texts)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_shows_no_english(name: str) -> None:
    assert english(of_panel(PANELS[name]()), name.partition(",")[0]) == {}


def of_exercise(exercise: Exercise) -> Iterator[str]:
    yield from (exercise.title, *exercise.question.splitlines(), *exercise.hints, *exercise.choices())
    yield from Shown(str(exercise.html())).texts
    answers: list[Any] = [None, *exercise.choices(), "?", 0]
    for answer in answers:
        verdict = exercise.check(answer)
        yield from (verdict.words, *Shown(str(verdict.html())).texts)
    for note in (*(exercise.hint() for _ in exercise.hints), exercise.solution()):
        yield note.title
        yield from () if exercise.answered_by == "function" else Shown(str(note.html())).texts
    yield from Shown(str(exercise.check(exercise.right).html())).texts


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_exercise_shows_no_english(lesson: str) -> None:
    for seed in SEEDS:
        assert english((text for each in exercises_of(lesson, seed) for text in of_exercise(each)), lesson) == {}


def test_progress_shows_no_english() -> None:
    lesson = Lesson("preemption", 1, Progress(None))
    lesson[1].check("?")
    assert english(iter([*repr(lesson.progress()).splitlines(), *Shown(lesson.progress()._repr_html_()).texts])) == {}


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_a_teacher_prints_shows_no_english(lesson: str) -> None:
    for seeds, solutions in (("1", False), ("2-3", True)):
        sheet = sheets(lesson, seeds, solutions)
        written = answers_html(lesson, seeds)
        made = [each for seed in parse_seeds(seeds) for each in exercises_of(lesson, seed)]
        written_by_hand = "\n".join(each.model() for each in made if each.answered_by != "text")
        code = "|".join(re.escape(line) for line in written_by_hand.splitlines() if line != "…")
        texts = (*Shown(sheet).texts, *Shown(written).texts, answers(lesson, seeds))
        shown = (re.sub(code, "", each).replace(lesson, "") for each in texts)
        assert english(shown, lesson) == {}
        assert '<html lang="zh">' in sheet and '<html lang="zh">' in written


def test_the_forms_of_a_teacher_show_no_english() -> None:
    form, roster = SheetForm("preemption", "1-30"), RosterForm()
    exported = "lesson,seed,number,title,state,tries,hints,solution\npreemption,1,1,谁？,right,2,1,False\n"
    files = {"li-na.csv": exported, "notes.txt": "?", "wrong.csv": exported.replace("right", "great")}
    roster.obey({"files": files})
    made = roster.merged["table"]
    seeds = form.obey({"lesson": "queue", "seeds": "x"})["error"]
    texts = [*Shown(made).texts, seeds, repr(form), repr(roster), *form.form["contents"].values()]
    columns = "lesson, seed, number, title, state, tries, hints, solution|not tried, not yet, error, right|great|state"
    others = "preemption|Progress.usual.*export..|kschedlab-progress.json|[a-z-]+.(csv|txt)|“x”"
    names = re.compile("|".join((columns, others, *NAMES)))  # a wrong file leaves the class that is made up
    assert english(names.sub("", each.replace("、", ", ")) for each in texts) == {}


def test_the_check_of_a_plugin_is_chinese() -> None:
    alone = node_filter("Alone", depends_on_pods=False)(lambda pod, node: "others" if node.pods else None)
    report = check_plugin(alone)
    said = str(report)
    assert "有错误（查了 9 个集群）" in said and "从放行变成“others”" in said
    assert {*english(iter([said]), "overview")} == {"Alone", "others"}


def test_a_wrong_manifest_is_told_in_chinese() -> None:
    for quantity, why in (("1 core", "应当写成"), ("1GB", "没有“GB”这个后缀"), ("1,5", "小数点请用句点")):
        with pytest.raises(ValueError, match=f"“{quantity}”不是有效的数量（{why}"):
            Quantity(quantity)


@pytest.mark.parametrize("wrong", ["preemptor: 7", "nothing: 1", "preemptor: a, b"])
def test_an_error_is_chinese(wrong: str) -> None:
    with pytest.raises(ValueError) as error:
        preemption.Settings.parse(wrong)
    assert re.search("[一-鿿]", str(error.value))


def test_english_is_found() -> None:
    shown = Shown(
        '<p data-tip="not asked">节点 <code>some code</code></p><svg aria-label="urgent"><text>规则 rule</text></svg>'
    )
    assert english(iter(shown.texts)) == {"not": "not asked", "asked": "not asked", "rule": "规则 rule"}
    assert english(iter(["shop-a（0/4 nodes are available: 4 Insufficient cpu.）"])) == {}
