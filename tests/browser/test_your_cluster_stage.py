"""Lesson 07's pictures over a grid of clusters and questions: nothing overlaps or is cut, and they fit a screen."""

from typing import Any

import pytest
from playwright.sync_api import expect

from kschedlab.build import node, pod
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab_lab.panels import cluster_questions, your_cluster
from kschedlab_lab.views.cluster_picture import WHAT_IF
from tests.browser.conftest import Show
from tests.browser.layout import CLASS_SCREEN, CLOSE, WINDOWS

BUNDLED: list[dict[str, str]] = [
    {},
    {"pod": "postgres-0", "node": "data-02"},
    {"pod": "banner", "node": "general-07"},
    {"pod": "payment-burst"},
    {"pod": "payment-burst", "node": "general-44"},
    {"pod": "forecast", "question": WHAT_IF, "change": "one more general node"},
    {"pod": "train-small", "show": "gpu"},
    {"pod": "tune-0", "show": "nothing"},
]
ANY: list[dict[str, str]] = [{}, {"node": "pool-0"}, {"question": WHAT_IF}, {"pod": "small"}]


def made(nodes: int) -> Objects:
    """Nodes with long names, in pools by the label ``pool``, with two pods each; pods that wait."""
    machines = [
        node(f"gke-production-pool-{i % 4}-7f3a9c1e-{i:04}", 8, labels={"pool": f"pool-{i % 4}"}) for i in range(nodes)
    ]
    running = [
        pod(f"web-{i}-{j}", machines[i]["metadata"]["name"], 2, j) for i in range(len(machines)) for j in range(2)
    ]
    waiting = [
        pod("too-large-for-all-of-them", "", 7, 500),
        pod("small", "", 1),
        *(pod(f"w{i}", "", 9) for i in range(30)),
    ]
    return decode_objects([*machines, *running, *waiting])


CASES: dict[str, tuple[Any, list[dict[str, str]]]] = {
    "bundled": (None, BUNDLED),
    "3": (made(3), ANY),
    "20": (made(20), ANY),
    "40": (made(40), ANY),
    "2000": (made(2000), ANY),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_overlaps_is_cut_or_too_small(shown: Show, case: str) -> None:
    source, states = CASES[case]
    panel = your_cluster.panel(source)
    page, faults = shown(panel), []
    for window in CLOSE:
        page.resize(**WINDOWS[window])
        for state in states:
            page.put(panel.move(**state).settings)
            faults += [f"{window}: {each} | {state}" for each in page.faults()]
            alone = not {"node", "question"} & state.keys()
            if window == "classroom" and alone and page.tall() > CLASS_SCREEN:
                faults.append(f"the sentence ends at {page.tall():.0f} | {state}")
    assert faults == [], "\n".join(faults)


def test_who_looks_at_a_node_keeps_the_verdict(shown: Show) -> None:
    panel = cluster_questions.one_obstacle()
    assert panel.question is not None
    page = shown(panel.answer(panel.question.choices[0]))
    expect(page.question).to_contain_text("Right. Only TaintToleration keeps it from 12 nodes")
    where = page.picture.bounding_box()
    page.picture.locator("[data-set^='node:']").first.click(position={"x": 8, "y": 4})  # above its pods
    page.settled()
    assert page.session.panel.settings.node != "none"
    expect(page.question).to_contain_text("Right. Only TaintToleration keeps it from 12 nodes")
    after = page.picture.bounding_box()
    assert where is not None and after is not None and after["y"] == where["y"], "what is said stays as it was"
    expect(page.picture.get_by_role("button", name="what would change it")).to_have_count(1)


LINES = "(said) => said.getBoundingClientRect().height / parseFloat(getComputedStyle(said).lineHeight)"


def test_a_wrong_answer_in_its_box_makes_no_line_taller_and_the_changes_are_buttons(shown: Show) -> None:
    page = shown(cluster_questions.one_obstacle(), opened=False)
    page.question.get_by_role("button", name="95", exact=True).click()
    page.settled()
    expect(page.question.locator(".ks-mine")).to_have_text("Your answer: 95")
    lines = page.question.locator("p", has_text="Your answer").evaluate(LINES)
    assert lines == pytest.approx(round(lines), abs=0.02), "else all pictures of the lesson would have less room"
    page.picture.get_by_role("button", name="what would change it").click()
    page.settled()
    expect(page.picture.locator("[data-key^='change/']")).to_have_count(1)
    page.put(page.session.panel.move(pod="report-builder", question=WHAT_IF).settings)
    expect(page.picture.locator("[data-key^='change/']")).to_have_count(4)
