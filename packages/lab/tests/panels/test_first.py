"""The first stage: at every setting the picture says what the scheduler decides."""

import re
from xml.etree import ElementTree

import pytest

from kschedlab.build import node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import decode_objects, loads
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.first import (
    GENERATION,
    NODES,
    PODS,
    WHICH,
    Settings,
    best,
    decide,
    panel,
    picture,
    show,
    where,
    which,
)
from kschedlab_lab.views.picture import decided_and_why
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of
from tests.saying import says

ALL = list(each_of(Settings))


def keys(drawing: Html) -> dict[str, ElementTree.Element]:
    """The elements by key; each key stands once."""
    found = [each for each in ElementTree.fromstring(str(drawing)).iter() if each.get("data-key")]
    by_key = {each.get("data-key", ""): each for each in found}
    assert len(by_key) == len(found)
    return by_key


def fated(found: dict[str, ElementTree.Element], fate: str) -> set[str]:
    """The pods of which the picture says this."""
    return {key[4:] for key, each in found.items() if fate in re.split(", | and ", each.get("data-tip", ""))}


def test_every_node_is_chosen_somewhere_and_every_outcome_happens() -> None:
    decided = [decide(settings) for settings in ALL]
    assert {each.node for each in decided} == {"node-a", "node-b", "node-c", None}
    assert {each.nominated_node for each in decided} == {"node-c", "node-d", None}
    assert any(each.node is None and each.nominated_node is None for each in decided)


@pytest.mark.parametrize("room", [Room(400, 330), Room(640, 330), Room()], ids=str)
def test_the_picture_says_what_is_decided(room: Room) -> None:
    for settings in ALL[::7]:
        decision, view = decide(settings), show(settings)
        chosen = decision.node or decision.nominated_node
        drawing = picture(decision, view.sentence, room)
        found, said = keys(drawing), str(drawing)
        states = {key: state for key, each in found.items() if (state := each.get("data-state"))}
        assert ("way" in found) == bool(chosen) and ("pod/web" in found) == bool(chosen)
        assert [key for key, state in states.items() if state == "chosen"] == ([f"node/{chosen}"] if chosen else [])
        assert {f"node/{node}" for node in NODES} | {f"pod/{pod}" for pod in PODS} <= set(found)
        free = {node: cpu - sum(size for on, size, _ in PODS.values() if on == node) for node, cpu in NODES.items()}
        refused = [f"node/{node}" for node in NODES if free[node] < settings.request and node != chosen]
        preemption = decision.preemption
        victims = [each.pod.metadata.name for each in preemption.victims] if preemption is not None else []
        assert [key for key, state in states.items() if state == "refused"] == refused
        assert fated(found, "evicted") == set(victims) and len(victims) <= 2, "two have room below the nodes"
        assert all(pod in view.sentence for pod in victims)
        assert found["ask"].get("data-drag") == "request" and found["priority"].get("data-drag") == "priority"
        assert ElementTree.fromstring(said).get("aria-label") == view.sentence


@pytest.mark.parametrize("settings", ALL[::5], ids=str)
def test_a_node_shows_who_would_leave_and_who_may_not(settings: Settings) -> None:
    preemption, found = decide(settings).preemption, keys(picture(decide(settings), "", Room()))
    others = {} if preemption is None else preemption.candidates
    would = {
        each.pod.metadata.name
        for node, candidate in others.items()
        if node != decide(settings).nominated_node
        for each in candidate.victims
    }
    staying = {
        pod for pod, (node, _, priority) in PODS.items() if preemption is not None and priority >= settings.priority
    }
    assert fated(found, "would be evicted") == would
    assert fated(found, "so it can't be evicted") == staying


def test_at_first_nobody_leaves_for_the_pod() -> None:
    """The second question of the lesson raises its priority."""
    for request in range(500, 6501, 500):
        assert decide(Settings(request)).nominated_node is None
    needed = [each.priority for each in ALL if each.request == 6500 and decide(each).nominated_node is not None]
    assert min(needed) == 400


def test_the_pod_goes_where_the_larger_share_of_cpu_stays_free() -> None:
    """The lesson asks how the score follows from the number below it."""
    free = {node: cpu - sum(size for on, size, _ in PODS.values() if on == node) for node, cpu in NODES.items()}
    fits = {each.request: node for each in ALL if each.priority == 0 and (node := decide(each).node) is not None}
    for request, node in fits.items():
        shares = {each: (free[each] - request) / cpu for each, cpu in NODES.items() if free[each] >= request}
        assert node == max(shares, key=lambda each: shares[each])
        decision = decide(Settings(request))
        if (scores := decision.scores) is not None:
            found = {
                decision.cluster.names[at]: int(total) for at, total in zip(scores.nodes, scores.total, strict=True)
            }
            assert found == {each: 375 + int(100 * share + 1e-9) for each, share in shares.items()}
    assert [fits[request] for request in (500, 1000, 3000)] == ["node-a", "node-b", "node-c"]


def test_every_second_best_node_is_named() -> None:
    nodes = [node(name, cpu) for name, cpu in (("node-a", 4), ("node-b", 2), ("node-c", 2))]
    objects = decode_objects([*nodes, pod("web", "", "1", 0)])
    decision = schedule("default/web", Cluster(objects, GENERATION.api), GENERATION)
    assert "; node-b, node-c have " in decided_and_why(decision)[1]


def test_what_is_said_of_a_score() -> None:
    """Nine functions, 1,500 points at most."""
    assert len(GENERATION.scores) == 9 and sum(100 * weight for _, weight in GENERATION.scores) == 1500


def test_what_is_free_is_said_before_and_after() -> None:
    """Of each node with room for the pod, and of the others what they have."""
    for request, *free in (
        (1500, "1.5 → 0 CPU free", "3.5 → 2 CPU free", "4 → 2.5 CPU free", "1.5 → 0 CPU free"),
        (2500, "3.5 → 1 CPU free", "4 → 1.5 CPU free"),
    ):
        drawn = str(show(Settings(request=request)).picture(Room()))
        assert all(f">{each}<" in drawn for each in free) and drawn.count("→") == len(free)


def test_below_a_node_is_the_share_that_stays_free() -> None:
    drawn = str(show(Settings()).picture(Room()))
    assert all(f">{share} % free<" in drawn for share in (0, 40, 31))


@pytest.mark.parametrize("room", [Room(320, 330), Room(640, 330), Room()], ids=str)
def test_a_pod_that_leaves_is_as_large_as_it_was(room: Room) -> None:
    waits, leaves = (keys(show(Settings(6500, each)).picture(room)) for each in (0, 400))
    for name in ("report", "batch"):
        before, after = (float(found[f"pod/{name}/box"].get("height", 0)) for found in (waits, leaves))
        assert after == pytest.approx(before, abs=0.1)


def test_a_saved_picture_has_nothing_to_pull() -> None:
    assert "ks-hold" in str(show(Settings()).picture(Room())) and "ks-hold" not in str(panel().still())


@pytest.mark.parametrize("width", [320, 480, 540, 720])
def test_a_pod_that_leaves_has_one_cross_at_every_width(width: int) -> None:
    for settings in (Settings(request=5500, priority=500), Settings(request=6000, priority=900)):
        preemption, drawn = decide(settings).preemption, str(show(settings).picture(Room(width)))
        assert preemption is not None and drawn.count('data-tip="evicted"') == len(preemption.victims)


def test_the_priority_matters_only_where_the_pod_fits_nowhere() -> None:
    for settings in ALL[::5]:
        assert bool(show(settings).idle) == (decide(settings).node is not None)


def test_panel_and_yaml() -> None:
    assert panel().move(request=500).view.text == show(Settings(request=500)).text
    assert panel().restore("request: 4.5 CPU").settings.request == 4500
    assert len(loads(panel().yaml()).pods) == len(PODS) + 1


@pytest.mark.parametrize("room", [Room(320, 240), Room(540, 240), Room(540, 300), Room(720, 420)])
def test_every_pod_has_its_name_and_verdicts_are_whole(room):
    for settings in (Settings(), Settings(request=5500, priority=500), Settings(request=6500, priority=900)):
        drawn = str(show(settings).picture(room))
        shown = [name for name in PODS if f'data-key="pod/{name}"' in drawn]
        assert shown and all(re.search(rf">{name[: 4 if room.width >= 500 else 1]}", drawn) for name in shown)
        assert not re.search(r"(score|fits|lacks)[^<]*…", drawn)


@pytest.mark.parametrize(
    ("question", "settings", "right", "words"),
    [
        (
            best(),
            Settings(2000),
            "node-b",
            {"node-b": ("30 %", "25 %"), "node-c": ("30 %", "25 %"), "node-d": ("no room",)},
        ),
        (where(), Settings(6500, 500), "node-d", {"node-d": ("report (300)", "batch (0)"), "node-c": ("db (800)",)}),
        (which(), WHICH, "node-c", {"node-c": ("100",), "node-b": ("300", "100"), "node-d": ("300", "100")}),
    ],
)
def test_a_question_has_its_answer_in_the_picture(question, settings, right, words):
    assert question.right(settings) == right
    for answer, told in words.items():
        assert says(question.why(settings, answer), answer, *told)
    before = str(question.before(settings)(Room(540, 420)))
    assert {*re.findall('data-pick="([^"]*)"', before)} == {*question.choices}
    assert 'data-state="chosen"' not in before and "score" not in before and "data-drag" not in before


@pytest.mark.parametrize("width", [320, 392, 480, 540, 720])
def test_whoever_would_leave_has_a_cross_and_its_priority(width):
    """So that one can compare: nothing covers a number."""
    before = which().before(WHICH)(Room(width, 420))
    assert str(before).count('data-tip="would be evicted"') >= 4
