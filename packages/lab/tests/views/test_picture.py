"""The drawing: to scale, marked, described, and the same every time."""

from typing import Any
from xml.etree import ElementTree

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.preemption import Settings, decide
from kschedlab_lab.views.drawing import INSET, PARTED, Block, Box, draw
from kschedlab_lab.views.glyphs import Badge, badge
from kschedlab_lab.views.obstacles import blockers
from kschedlab_lab.views.picture import NODES, Handles, picture, question
from kschedlab_lab.views.style import CHOSEN, EVICTED, PRIORITIES, RAMP, ink, priority_fill
from kschedlab_lab.views.svg import Room
from tests.verdicts import PLENTY

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: Html) -> ElementTree.Element:
    return ElementTree.fromstring(str(svg))


def texts(svg: Html) -> list[str]:
    return ["".join(each.itertext()) for each in parsed(svg).iter(f"{SVG}text")]


def keyed(svg: Html) -> dict[str, ElementTree.Element]:
    """Elements by key; keys are unique."""
    found = [(key, each) for each in parsed(svg).iter() if (key := each.get("data-key"))]
    assert len(found) == len(dict(found))
    return dict(found)


def states(svg: Html) -> dict[str, str]:
    """By key of a node: chosen, tied or refused."""
    return {key: state for key, each in keyed(svg).items() if (state := each.get("data-state"))}


def tips(svg: Html) -> list[str]:
    return [each.get("data-tip", "") for key, each in keyed(svg).items() if each.tag == f"{SVG}g" and "pod/" in key]


def test_every_pod_is_drawn_with_what_happens_to_it() -> None:
    shield = "covered by the budget: shop allows 1"
    assert tips(picture(decide(Settings(allowed=1)))) == [
        f"shop-a, 100 · 09:30, evicted, {shield}",
        "logs-a, 150 · 07:00",
        "urgent, nominated, 500, arriving",
        "logs-b, 150 · 07:00, would be evicted",
        f"shop-b, 100 · 09:00, would be evicted, {shield}",
        "jobs-b, 0 · 09:30, its eviction would break the budget, so it returns first: shop allows 1",
        "logs-c, 150 · 07:00",
        "mail-c, 100 · 10:00, would be evicted",
        "jobs-c, 0 · 08:30, would be evicted",
        "vault-d, 900 ≥ 500 · 07:00, not less important, so it can't be evicted",
    ]


def test_a_question_shows_the_same_pods_and_tells_nothing() -> None:
    decision = decide(Settings(allowed=1))
    asked, answered = question(decision), picture(decision)
    assert keyed(asked).keys() - {"place/waiting"} == keyed(answered).keys() - {"place/waiting"}
    words = " ".join([*texts(asked), *tips(asked), parsed(asked).get("aria-label", "")])
    assert not any(word in words for word in ("★", "✕", "evicted", "reprieved", "≥", "victim", "break"))


def test_the_victims_leave_the_chosen_node_and_make_room() -> None:
    svg = picture(decide(Settings(allowed=1)))
    assert states(svg) == {"node/node-a": "chosen", "node/node-d": "refused"} and "evicted" in texts(svg)
    halos = [r for r in parsed(svg).iter(f"{SVG}rect") if r.get("stroke") == CHOSEN and r.get("stroke-opacity")]
    assert len(halos) == 1
    places = {key: place(each) for key, each in keyed(svg).items() if each.get("transform")}
    assert places["pod/shop-a"][0] == places["place/waiting"][0] < places["node/node-a"][0]
    assert places["pod/urgent"][0] == places["pod/logs-a"][0] == places["node/node-a"][0] + INSET
    assert keyed(svg)["pod/urgent"].get("data-order") == "1"


def place(each: ElementTree.Element) -> tuple[float, float]:
    x, y = each.get("transform", "")[len("translate(") : -1].split(",")
    return float(x), float(y)


def test_a_node_that_is_no_candidate_says_what_is_in_the_way() -> None:
    svg = picture(decide(Settings(allowed=1)))
    assert states(svg)["node/node-d"] == "refused" and texts(svg).count("900 ≥ 500") == 2
    tips = {each.get("data-tip") for each in keyed(svg)["node/node-d"].iter()}
    assert "900 ≥ 500" in tips and "can't be evicted" in keyed(svg)["pod/vault-d"].get("data-tip", "")
    assert str(badge(Badge("lock", "900 ≥ 500"), 0, 0, EVICTED)) in str(svg)


def test_every_pod_that_a_budget_covers_has_a_shield() -> None:
    """It is broken where the eviction breaks the budget."""
    svg = picture(decide(Settings(mail_in_shop=True, allowed=0, shop_b=0)))
    covered = {key: each for key, each in keyed(svg).items() if "budget" in each.get("data-tip", "")}
    assert sorted(covered) == ["pod/jobs-b", "pod/mail-c", "pod/shop-a", "pod/shop-b"]
    broken = [key for key, each in covered.items() if "its eviction breaks" in each.get("data-tip", "")]
    assert sorted(broken) == ["pod/mail-c", "pod/shop-a", "pod/shop-b"]


def test_a_tie_is_hatched_and_named() -> None:
    svg = picture(decide(Settings(shop_a=200, allowed=2, mail_c_start=540)))
    tied = [key for key, each in keyed(svg).items() if "tie" in [text.text for text in each.iter(f"{SVG}text")]]
    assert tied == ["node/node-b", "node/node-c"]
    assert "tie" not in texts(picture(decide(Settings(allowed=1))))


def test_pods_are_drawn_to_scale() -> None:
    boxes = {
        key: float(box.get("height", 0))
        for key, box in keyed(picture(decide(Settings(allowed=1)))).items()
        if "/box" in key
    }
    cpu = (boxes["node/node-a/box"] - 2 * INSET) / 4
    sizes = [(boxes[f"pod/{name}/box"] + PARTED) / cpu for name in ("urgent", "jobs-b", "logs-a")]
    assert sizes == pytest.approx([3, 1, 1], rel=0.01)


@pytest.mark.parametrize("room", [Room(400, 300), Room(640, 330), Room(720, 420), Room(1200, 800)])
def test_it_fits_into_its_room(room: Room) -> None:
    for drawn in (picture(decide(Settings(allowed=1)), room), question(decide(Settings(allowed=1)), room)):
        svg = parsed(drawn)
        width, height = (float(part) for part in svg.get("viewBox", "").split()[2:])
        assert width <= room.width and (height <= room.height or room.width < 500)
        for key, each in keyed(drawn).items():
            if each.get("transform"):
                x, y = place(each)
                assert 0 <= x < width and 0 <= y <= height, key


def test_a_panel_makes_pods_and_nodes_into_handles() -> None:
    handles = Handles(
        pods={"shop-a": {"data_drag": "shop_a"}},
        nodes={"node-b": {"data_pick": "node-b"}},
    )
    svg = picture(decide(Settings(allowed=1)), handles=handles)
    assert keyed(svg)["pod/shop-a"].get("data-drag") == "shop_a"
    assert keyed(svg)["node/node-b/pick"].get("data-pick") == "node-b"
    order = list(keyed(svg))
    assert order.index("node/node-b/pick") > order.index("pod/jobs-b"), "a click on a pod picks its node"


def test_it_says_in_words_what_it_shows() -> None:
    svg = parsed(picture(decide(Settings(allowed=0))))
    assert svg.get("role") == "img"
    said = svg.get("aria-label", "")
    assert said.startswith("urgent goes to node-c; mail-c and jobs-c have to leave. Rule 1 decides:")
    assert "node-c has 0, node-a 1, node-b 1" in said


def test_a_pod_that_fits_is_drawn_on_its_node() -> None:
    world = cluster(node("n1", allocatable=PLENTY), node("n2", unschedulable=True), pod("web", memory="500Gi"))
    svg = picture(schedule("default/web", world))
    assert tips(svg) == ["web, 500Gi memory, arriving"]
    assert "1000Gi → 500Gi memory free" in texts(svg) and {"n1", "n2", "unschedulable"} <= set(texts(svg))
    assert states(svg) == {"node/n1": "chosen", "node/n2": "refused"}


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}, ["taint gpu=yes", "taint gpu=yes"]),
        ({"taints": [{"key": "gpu", "effect": "NoExecute"}]}, ["taint gpu", "taint gpu"]),
        ({"cpu": 1}, ["Insufficient cpu", "Insufficient cpu"]),
    ],
)
def test_a_refusal_is_drawn_on_the_node(about: dict[str, Any], said: list[str]) -> None:
    svg = picture(schedule("default/web", cluster(node("n1"), node("n2", **about), pod("web", cpu=2))))
    drawn = keyed(svg)["node/n2"]
    assert [tip for each in drawn.iter() if (tip := each.get("data-tip"))] == said
    assert "data-tip" not in keyed(svg)["node/n1"].attrib


def test_of_many_nodes_the_best_are_drawn() -> None:
    nodes = [node(f"n{i:02}", allocatable={"cpu": str(4 + i), "memory": "8Gi", "pods": "10"}) for i in range(30)]
    decision = schedule("default/web", cluster(*nodes, pod("web", cpu="1", memory="1Gi")))
    svg = picture(decision)
    names = [name for t in texts(svg) if (name := t) in decision.cluster.names]
    assert len(names) == NODES and names[0] == decision.node
    assert "21 more nodes" in texts(svg)


def test_of_many_nodes_the_first_are_shown_if_the_pod_fits_nowhere() -> None:
    nodes = [node(f"node-{i:02d}", cpu="1") for i in range(12)]
    decision = schedule("default/web", cluster(*nodes, pod("web", cpu="2")))
    names = [name for name in texts(picture(decision)) if name in decision.cluster.names]
    assert names == [f"node-{i:02d}" for i in range(NODES)]


def test_the_same_decision_gives_the_same_drawing() -> None:
    assert str(picture(decide(Settings(allowed=1)))) == str(picture(decide(Settings(allowed=1))))


def test_names_are_escaped_and_shortened() -> None:
    box = Box("<n>" * 20, 4, (Block("a&b\u202e", 1, 0), Block("thin", 0, 0)))
    svg = draw([box], "<alt>", "cpu")
    assert parsed(svg).get("aria-label") == "<alt>"
    assert tips(svg) == ["a&b[U+202E]", "thin"]
    assert max(map(len, texts(svg))) <= 20


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("fill", [colour for ramp in RAMP for colour in ramp])
def test_labels_can_be_read_on_every_colour(fill: str) -> None:
    """WCAG's contrast ratio for normal text is 4.5."""
    light, dark = sorted((luminance(fill), luminance(ink(fill))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_a_pods_colour_depends_on_its_priority_alone() -> None:
    assert [priority_fill(p) for p in (-5, 0, 200, 1000, 2_000_000_000, 2**31 - 1)] == [
        PRIORITIES[0],
        PRIORITIES[0],
        PRIORITIES[1],
        PRIORITIES[4],
        PRIORITIES[5],
        PRIORITIES[5],
    ]
    assert len({priority_fill(p) for p in range(0, 1001, 50)}) == 21


def test_a_pod_that_stays_locks_no_node_that_is_a_candidate() -> None:
    world = cluster(
        *(node(name, cpu=4) for name in ("node-a", "node-b")),
        pod("vault", cpu=2, priority=900, on="node-a"),
        pod("jobs", cpu=2, priority=0, on="node-a"),
        pod("bank", cpu=3, priority=900, on="node-b"),
        pod("urgent", cpu=2, priority=500),
    )
    decision = schedule("default/urgent", world, "v1.37")
    assert decision.nominated_node == "node-a"
    assert [[info.pod.metadata.name for info in blockers(decision, name)] for name in ("node-a", "node-b")] == [
        [],
        ["bank"],
    ]
