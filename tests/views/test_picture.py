"""The drawing: to scale, marked, described, and the same every time."""

from xml.etree import ElementTree

import pytest

from kschedlab.lab.panels.preemption import Settings, decide
from kschedlab.scheduler import schedule
from kschedlab.testing import PLENTY, cluster, node, pod
from kschedlab.views.drawing import TALL, Block, Box, draw
from kschedlab.views.html import Html
from kschedlab.views.picture import NODES, picture
from kschedlab.views.style import CHOSEN, EVICTED, PRIORITIES, fills, ink, priority_fill

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: Html) -> ElementTree.Element:
    return ElementTree.fromstring(str(svg))


def texts(svg: Html) -> list[str]:
    return [each.text or "" for each in parsed(svg).iter(f"{SVG}text")]


def titles(svg: Html) -> list[str]:
    return [each.text or "" for each in parsed(svg).iter(f"{SVG}title")]


def test_every_pod_is_drawn_with_what_happens_to_it() -> None:
    drawn = titles(picture(decide(Settings())))
    assert drawn == [
        "urgent priority 500",
        "logs-a 150 · 07:00 reprieved",
        "shop-a 100 · 09:30 evicted",
        "logs-b 150 · 07:00 evicted",
        "shop-b 100 · 09:00 evicted",
        "jobs-b 0 · 09:30 reprieved PDB",
        "logs-c 150 · 07:00 reprieved",
        "mail-c 100 · 10:00 evicted",
        "jobs-c 0 · 09:30 evicted",
        "vault-d 900 · 07:00",
    ]


def test_the_chosen_node_is_framed_and_the_victims_struck_out() -> None:
    svg = picture(decide(Settings()))
    assert [t for t in texts(svg) if t.startswith("★")] == ["★ node-a"]
    frames = [r for r in parsed(svg).iter(f"{SVG}rect") if r.get("stroke") == CHOSEN and r.get("stroke-width") == "5"]
    assert len(frames) == 1
    assert len([p for p in parsed(svg).iter(f"{SVG}path") if p.get("stroke") == EVICTED]) == 5


def test_pods_are_drawn_to_scale() -> None:
    heights = {}
    for group in parsed(picture(decide(Settings()))).iter(f"{SVG}g"):
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        if title is not None and rect is not None:
            heights[(title.text or "").split()[0]] = float(rect.get("height", 0))
    cpu = TALL / 4
    assert (heights["urgent"], heights["shop-a"], heights["logs-a"]) == (3 * cpu, 2 * cpu, cpu)


def test_it_says_in_words_what_it_shows() -> None:
    svg = parsed(picture(decide(Settings(allowed=0))))
    assert svg.get("role") == "img"
    assert svg.get("aria-label", "").endswith(
        "rule 1 (fewest PodDisruptionBudget violations) chooses node-c over node-a, node-b."
    )


def test_a_pod_that_fits_is_drawn_on_its_node() -> None:
    world = cluster(node("n1", allocatable=PLENTY), node("n2", unschedulable=True), pod("web", memory="500Gi"))
    svg = picture(schedule("default/web", world))
    assert titles(svg) == ["web priority 0", "web priority 0 arriving"]
    assert "500Gi memory free" in texts(svg) and "NodeUnschedulable" in texts(svg)


def test_of_many_nodes_the_best_are_drawn() -> None:
    nodes = [node(f"n{i:02}", allocatable={"cpu": str(4 + i), "memory": "8Gi", "pods": "10"}) for i in range(30)]
    decision = schedule("default/web", cluster(*nodes, pod("web", cpu="1", memory="1Gi")))
    svg = picture(decision)
    names = [t.removeprefix("★ ") for t in texts(svg) if t.removeprefix("★ ") in decision.cluster.names]
    assert len(names) == NODES and names[0] == decision.node
    assert "21 more nodes" in texts(svg)


def test_the_same_decision_gives_the_same_drawing() -> None:
    assert str(picture(decide(Settings()))) == str(picture(decide(Settings())))


def test_names_are_escaped_and_shortened() -> None:
    box = Box("<n>" * 20, 4, (Block("a&b\u202e", 1, 0), Block("thin", 0, 0)))
    svg = draw([box], "<alt>", "cpu")
    assert parsed(svg).get("aria-label") == "<alt>"
    assert titles(svg) == ["a&b[U+202E]", "thin"]
    assert max(map(len, texts(svg))) <= 20


@pytest.mark.parametrize("priorities", [{5}, {1, 2}, {-(2**31), 0, 2**31 - 1}, set(range(50))])
def test_higher_priorities_are_darker(priorities: set[int]) -> None:
    colour = fills(priorities)
    ranks = [PRIORITIES.index(colour[p]) for p in sorted(priorities)]
    assert ranks == sorted(ranks) and ranks[0] == 0
    assert len(priorities) == 1 or ranks[-1] == len(PRIORITIES) - 1


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("fill", PRIORITIES)
def test_labels_can_be_read_on_every_colour(fill: str) -> None:
    """WCAG's contrast ratio for normal text is 4.5."""
    light, dark = sorted((luminance(fill), luminance(ink(fill))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_a_pods_colour_depends_on_its_priority_alone() -> None:
    assert [priority_fill(p) for p in (-5, 0, 100, 1000, 2_000_000_000, 2**31 - 1)] == [
        PRIORITIES[0],
        PRIORITIES[0],
        PRIORITIES[1],
        PRIORITIES[4],
        PRIORITIES[5],
        PRIORITIES[5],
    ]
    assert len({priority_fill(p) for p in range(0, 1001, 50)}) == 21
