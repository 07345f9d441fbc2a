"""Devices inside their nodes, and the evaluation of a selector."""

import re

import pytest

from kschedlab import schedule
from kschedlab.build import node
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.objects.model import ResourceSlice
from kschedlab_lab.panels import devices
from kschedlab_lab.views.device_map import draw_sights, spoken
from kschedlab_lab.views.device_search import branches, search_story
from kschedlab_lab.views.device_sights import sights, unasked
from kschedlab_lab.views.evaluation import evaluation_part, evaluation_text, worth_showing
from kschedlab_lab.views.glyphs import OUTLINES, STAR
from kschedlab_lab.views.style import INK_2
from kschedlab_lab.views.svg import Room
from kube_cel import compile
from packages.devices.tests.device_manifests import device, device_class, exactly, resource_claim, resource_slice

D, C = 'device.attributes["gpu.example.com"]', 'device.capacity["gpu.example.com"]'
LARGE = f'{C}.memory.compareTo(quantity("50Gi")) >= 0'
HELD = {"devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "node-c", "device": "gpu-1"}]}}
TAINT = {"taints": [{"key": "broken", "effect": "NoSchedule"}]}


def gpu(name: str, model: str, memory: str, **fields) -> dict:
    return device(name, attributes={"model": model}, capacity={"memory": memory}, **fields)


def decision(*selectors: str) -> Decision:
    claim = {"name": "gpu", "resourceClaimName": "want"}
    spec = {"containers": [{"name": "c", "image": "x"}], "resourceClaims": [claim]}
    objects = Cluster.from_dicts(
        [
            *(node(name) for name in ("node-a", "node-b", "node-c")),
            resource_slice("node-a", [gpu("gpu-0", "a100", "40Gi"), gpu("gpu-1", "a100", "80Gi")]),
            resource_slice("node-b", [gpu("gpu-0", "t4", "16Gi")]),
            resource_slice("node-c", [gpu("gpu-0", "a100", "80Gi", **TAINT), gpu("gpu-1", "a100", "80Gi")]),
            resource_slice("node-b", [device("nic-0", attributes={"model": "<b>"})], driver="nic.example.com"),
            device_class("gpu", 'device.driver == "gpu.example.com"'),
            resource_claim("want", exactly("r", "gpu", *selectors)),
            resource_claim("other", exactly("r", "gpu"), allocation=HELD),
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train"}, "spec": spec},
        ]
    )
    return schedule("default/train", objects)


def drawn(made: Decision, room: Room, asked: bool) -> str:
    """The picture, before the pod has asked for devices or after it."""
    seen = sights(made)
    return str(draw_sights(seen if asked else [unasked(each) for each in seen], room))


def test_each_device_says_what_it_is_for_the_pod():
    seen = sights(decision(f'{D}.model == "a100"', LARGE))
    assert spoken(seen) == "; ".join(
        [
            "node-a: the pod goes here",
            "gpu-0 has memory 40Gi; the claim wants 50Gi or more",
            "gpu-1 goes to the pod",
            "node-b: cannot allocate all claims",
            "gpu-0 has model t4; the claim wants a100",
            'nic-0 is not selected: device.driver == "gpu.example.com" is false',
            "node-c: cannot allocate all claims",
            "gpu-0 has a taint that the claim does not tolerate: broken",
            "gpu-1 is held by other",
        ]
    )


@pytest.mark.parametrize("width", [320, 400, 720, 1280])
def test_the_picture(width: int):
    made = decision(f'{D}.model == "a100"', LARGE)
    svg = str(draw_sights(sights(made), Room(width, 300)))
    keys = re.findall(r'data-key="([^"]*)"', svg)
    assert len(keys) == len(set(keys))
    assert {"node/node-a", "device/gpu.example.com/node-a/gpu-1"} <= set(keys)
    assert svg.count("★ node-a") == svg.count('data-state="takes"') == 1
    assert "<b>" not in svg and "model &lt;b&gt;" in svg
    assert len(re.findall(r">(?:a100 |t4 )?(?:40|80|16)Gi</text>", svg)) == 5  # a device never loses its unit
    assert max(map(float, re.findall(r'<rect width="([\d.]+)"', svg))) <= width


def test_a_selector_that_fails_says_why_on_every_node():
    seen = sights(decision(f"{D}.missing > 3"))
    assert all("no such key: missing" in each.reason for each in seen[:2])
    assert any("no such key: missing" in device.reason.why for device in seen[0].devices) or "missing" in seen[0].reason


def test_an_evaluation():
    made = decision()
    first = next(iter(made.cluster.objects_of(ResourceSlice))).spec.devices[0]
    steps = compile(f'{D}.model == "a100" && {LARGE}').steps("gpu.example.com", first)
    svg = "".join(map(str, evaluation_part(steps, 720).shapes))
    shown = [steps[int(each)].text for each in re.findall(r'data-key="part/(\d+)"', svg)]
    compared = f'{C}.memory.compareTo(quantity("50Gi"))'
    assert shown == [f'{D}.model == "a100"', compared, f"{compared} >= 0", f'{D}.model == "a100" && {compared} >= 0']
    assert "-1: less" in svg
    assert evaluation_text(steps).splitlines()[-1].endswith("= false")
    before = "".join(map(str, evaluation_part(steps, 400, evaluates=False).shapes))
    assert ">true<" not in before and ">false<" not in before


def test_of_what_is_not_evaluated_only_the_whole_is_shown():
    made = decision()
    first = next(iter(made.cluster.objects_of(ResourceSlice))).spec.devices[0]
    steps = compile(f'{D}.model == "t4" && ({D}.model == "a100" || {D}.model == "h100")').steps(
        "gpu.example.com", first
    )
    shown = [steps[at].text for at in worth_showing(steps)]
    either = next(each.text for each in steps if "||" in each.text and "&&" not in each.text)
    assert shown == [f'{D}.model == "t4"', either, steps[-1].text]


def test_side_by_side_where_rounding_would_leave_no_room_for_the_last_node():
    made = decision()
    for width in range(540, 1300, 7):
        svg = str(draw_sights(sights(made), Room(width, 300)))
        wide = [float(each) for each in re.findall(r'<rect width="([\d.]+)"[^>]*data-key="node/', svg)]
        assert len(wide) == 3 and 3 * max(wide) < width, width


def test_the_picture_says_why_in_two_words_and_the_tip_with_the_expression():
    svg = str(draw_sights(sights(decision(f'{D}.model == "a100"', LARGE)), Room(720, 300)))
    assert ">not a100<" in svg and ">&lt; 50Gi<" in svg
    assert "t4; the claim wants a100 (model t4, memory 16Gi). " in svg and "a100&quot; is false" in svg


def test_in_little_room_too_each_node_has_its_tree_and_a_low_device_its_kind():
    picture = str(draw_sights(sights(decision(f'{D}.model == "a100"', LARGE)), Room(300, 300)))
    assert all(f"branch/{node}/0" in picture for node in ("node-a", "node-b", "node-c"))
    assert picture.count(">t4</text>") == 1 and ">16Gi</text>" in picture


def test_a_story_keeps_its_size():
    seen = sights(decision(f'{D}.model == "a100"', LARGE))
    (first, _), *_ = search_story(seen, "the end")
    before = str(draw_sights([unasked(node) for node in seen], Room(720, 300)))
    after = str(draw_sights(first, Room(720, 300)))
    assert before.split('viewBox="')[1].split('"')[0] == after.split('viewBox="')[1].split('"')[0]


def test_the_nodes_are_as_large_before_the_answer_as_after_it():
    made = decision(f'{D}.model == "a100"', LARGE)
    asked, answered = (drawn(made, Room(540, 360), each) for each in (False, True))
    sizes = [re.findall(r'<rect width="[\d.]+" height="([\d.]+)" rx="11"', each) for each in (asked, answered)]
    assert sizes[0] == sizes[1] and len(sizes[0]) == 3


def test_a_broken_device_has_its_sign_before_the_answer_and_after_any():
    for settings in (devices.Settings(), devices.Settings().changed(model="h100", tolerates=True)):
        made = devices.decide(settings)
        for asked in (False, True):
            svg = drawn(made, Room(720, 300), asked)
            assert OUTLINES["taint"] in svg


def test_a_taint_is_known_before_the_pod_asks():
    before = drawn(decision(LARGE), Room(720, 300), asked=False)
    assert "taint: broken" in before and "not selected" not in before and "★" not in before


def test_a_taint_that_is_tolerated_is_not_what_decides():
    settings = devices.Settings().changed(model="h100", count=2, tolerates=True)
    svg = str(draw_sights(sights(devices.decide(settings)), Room(720, 300)))
    (colour,) = re.findall(f'd="{re.escape(OUTLINES["taint"])}"[^>]*stroke="([^"]*)"', svg)
    assert colour == INK_2


def test_what_the_pod_cannot_have_is_pale():
    def pale(asked: bool) -> list[str]:
        svg = drawn(decision(f'{D}.model == "a100"', LARGE), Room(720, 300), asked)
        return re.findall(r'<g opacity="0.5"><rect[^>]*data-key="device/[^/]*/([^"]*)/box"', svg)

    assert pale(False) == ["node-c/gpu-1"]  # another claim holds it
    assert pale(True) == ["node-a/gpu-0", "node-b/gpu-0", "node-b/nic-0", "node-c/gpu-0", "node-c/gpu-1"]


def test_the_search_as_a_story():
    seen = sights(decision(f'{D}.model == "a100"', LARGE))
    frames = list(search_story(seen, "the end"))
    assert [caption for *_, caption in frames[:4]] == [
        "node-a: gpu-0 has memory 40Gi; the claim wants 50Gi or more.",
        "node-a: gpu-1 is taken so far.",
        "node-a: could give gpu-1.",
        "node-b: cannot allocate all claims.",
    ]
    assert frames[-1] == (seen, "the end")
    first = frames[0][0]
    assert [node.chosen for node in first] == [False] * 3 and first[0].devices[1].state == "open"


def test_a_tree_says_what_ended_each_try():
    two = devices.Settings().changed(count=2, together=True)
    (first, *_) = sights(devices.decide(two))
    assert [(each.device.id.device, each.state) for each in branches(first)] == [
        ("gpu-0", "tried"),
        ("gpu-1", "constraint"),
        ("gpu-2", "not selected"),
        ("gpu-1", "tried"),
        ("gpu-2", "not selected"),
    ]


def test_each_sign_has_its_corner():
    def corners(**changed: object) -> dict[str, float]:
        view = devices.show(devices.Settings().changed(**changed))
        svg = str(view.picture(Room(720, 300)))  # type: ignore[operator]
        device = svg.partition('data-key="device/gpu.example.com/node-b/gpu-0/box"')[2].partition("gpu-0</text>")[0]
        places = re.findall(r'translate\(([\d.]+),-[\d.]+\)"[^>]*>(.*?)(?=<g transform="translate\([\d.]+,-|$)', device)
        names = {name: OUTLINES[name] for name in ("lock",)} | {"star": STAR}
        return {name: float(x) for x, drawn in places for name, path in names.items() if path in drawn}

    held, free = corners(), corners(rival=False, memory=80, model="any")
    assert held["lock"] < free["star"]


def test_the_line_at_the_wanted_memory_is_where_such_a_device_ends():
    svg = str(devices.show(devices.Settings().changed(memory=60)).picture(Room(720, 300)))  # type: ignore[operator]
    line, step = map(float, re.findall(r'least/node-b" .*?data-step="-([\d.]+)"><path d="M-\d+ ([\d.]+)H', svg)[0])
    high = float(re.findall(r'height="([\d.]+)"[^>]*node-b/gpu-0/box"', svg)[0])  # 80Gi, from its upper edge at 0
    assert step == pytest.approx(high / 4, rel=0.01) and line == pytest.approx(high / 4, rel=0.03)


def test_the_tree_of_a_search_has_dead_ends():
    two = devices.Settings().changed(count=2, together=True, model="any", memory=0)
    (first, *_) = sights(devices.decide(two))
    assert [(each.device.id.device, each.deep, each.state) for each in branches(first)] == [
        ("gpu-0", 0, "tried"),
        ("gpu-1", 1, "constraint"),
        ("gpu-2", 1, "constraint"),
        ("gpu-1", 0, "picked"),
        ("gpu-2", 1, "picked"),
    ]


def test_height_says_how_much_a_device_has_and_wires_join_a_root():
    svg = str(draw_sights(sights(devices.decide(devices.Settings())), Room(904, 420)))
    low, middle, high = (
        float(re.search(rf'height="([\d.]+)"[^>]*{key}/box"', svg)[1])  # type: ignore[index]
        for key in ("node-a/gpu-2", "node-a/gpu-0", "node-b/gpu-0")
    )
    assert (low / high, middle / high) == pytest.approx((16 / 80, 40 / 80), rel=0.01)
    assert len(re.findall(r'data-key="wire/node-a/', svg)) == 2
