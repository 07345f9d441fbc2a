"""Lesson 10's panels: a claim on sliders, and a selector step by step."""

import re

import pytest
import yaml

from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab_lab.panels import devices, selector
from kschedlab_lab.views.device_sights import sights
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of
from tests.saying import says

CLAIMS = [*list(each_of(devices.Settings))[::11], devices.Settings().changed(model="h100", tolerates=True)]
ROOM = Room()


def drawn(view, room=ROOM) -> str:
    return str(view.picture(room) if callable(view.picture) else view.picture)


@pytest.mark.parametrize("settings", CLAIMS, ids=str)
def test_the_picture_says_what_is_decided(settings: devices.Settings):
    decision, view = devices.decide(settings), devices.show(settings)
    seen = sights(decision)
    takes = [device for each in seen for device in each.devices if device.state == "takes"]
    assert len(takes) == (settings.count if decision.node else 0)
    assert [each.node for each in seen if each.chosen] == ([decision.node] if decision.node else [])
    feasible = {decision.cluster.names[n] for n in decision.feasible}
    assert {each.node for each in seen if not each.reason} == feasible == {*decision.best}  # only claims matter
    for device in takes:
        facts = dict(fact.split(" ") for fact in device.facts)
        assert settings.model in ("any", facts["model"]) and int(facts["memory"][:-2]) >= settings.memory
    keys = re.findall(r'data-key="([^"]*)"', drawn(view))
    assert len(keys) == len(set(keys)) and sum(key.startswith("device/") for key in keys) == 18


@pytest.mark.parametrize("settings", CLAIMS, ids=str)
def test_the_story_ends_with_the_picture_and_never_shows_more_than_was_found(settings: devices.Settings):
    view = devices.show(settings)
    assert view.story is not None
    frames = view.story(ROOM)
    assert str(frames[-1].picture) == drawn(view) and frames[-1].caption == view.sentence
    assert len({str(frame.picture).split('viewBox="')[1].split('"')[0] for frame in frames}) == 1
    assert all('data-state="takes"' not in str(frame.picture) for frame in frames[:-1])
    results = re.findall("(node-.): (?:could give|cannot allocate)", " ".join(frame.caption for frame in frames))
    assert results == ["node-a", "node-b", "node-c"]  # one step for each


def test_the_claim_can_be_read_below_the_panel():
    table = str(devices.show(devices.Settings(count=2, together=True)).table)
    assert "count: 2<br" in table and "matchAttribute: resource.kubernetes.io/pcieRoot" in table


def test_a_device_that_is_clicked_says_what_it_sets():
    for rival, sets in ((True, "rival: off"), (False, "rival: on")):
        assert f'data-set="{sets}"' in drawn(devices.show(devices.Settings(rival=rival)))


def test_the_gpus_are_cards_that_are_sold():
    cards = {(model, memory) for gpus in devices.GPUS.values() for _, model, memory, _ in gpus}
    assert cards == {("a100", 40), ("a100", 80), ("h100", 80), ("t4", 16)}


def test_every_outcome_happens():
    nodes = {devices.decide(settings).node for settings in CLAIMS}
    assert nodes == {"node-a", "node-b", "node-c", None}
    states = {
        device.state for settings in CLAIMS for each in sights(devices.decide(settings)) for device in each.devices
    }
    assert states >= {"takes", "offered", "free", "held", "tried", "not selected", "tainted"}


def test_the_claim_as_text_is_the_claim_and_fits_a_page():
    for settings in CLAIMS:
        text = devices.claim_text(devices.claim(settings))
        assert max(map(len, text.splitlines())) < 60
        written = decode_objects([yaml.safe_load(text), *devices.fleet(devices.GPUS), devices.train()])
        plain = decode_objects([devices.claim(settings), *devices.fleet(devices.GPUS), devices.train()])
        one, other = (
            schedule("default/train", Cluster(each, devices.GENERATION.api), devices.GENERATION)
            for each in (written, plain)
        )
        assert one.node == other.node


@pytest.mark.parametrize("name", selector.SELECTORS)
def test_a_selector_for_every_device(name: str):
    for device in selector.DEVICES:
        settings = selector.Settings().changed(selector=name, device=device)
        view, parts = selector.show(settings), selector.evaluated(settings)
        last = parts[-1].values[-1]
        assert settings.selector == selector.SELECTORS[name]
        assert {"selected": "true", "not selected": "false"}.get(selector.verdict(settings), last) == last
        assert f"{device}" in view.sentence


def test_the_three_verdicts_happen():
    found = {
        selector.verdict(selector.Settings().changed(selector=name, device=device))
        for name in selector.SELECTORS
        for device in selector.DEVICES
    }
    assert found == {"selected", "not selected", "an error"}


def test_panels():
    assert devices.panel(model="h100").settings.model == "h100"
    assert selector.panel(selector="guarded").settings.selector == selector.SELECTORS["guarded"]


def test_a_selector_of_one_s_own_is_evaluated_and_restored():
    mine = 'device.attributes["gpu.example.com"].model in ["h100", "t4"]'
    settings = selector.Settings().changed(selector=mine, device="node-c/gpu-0")
    assert selector.verdict(settings) == "selected"
    assert selector.Settings.parse(str(settings)) == settings


def test_the_step_that_was_missed_is_what_compareto_gives():
    assert says(selector.question().why(selector.Settings(), "selected"), "0: equal", "> 0", "false")


def test_an_invalid_selector_replaces_what_was_true_before():
    view = selector.panel().move(selector="device.attributes[").view
    assert says(view.sentence, "not valid") and view.story is None
    assert "missing at its end" in view.text and "selected" not in drawn(view)
    assert says(selector.show(selector.Settings().changed(selector="")).text, "not valid", "empty")


def test_short_names_are_refused_with_the_long_ones():
    view = selector.panel().move(selector='memory.compareTo(quantity("30Gi")) > 0 && model == "a100"').view
    long = f"{selector.CAPACITY}.memory and {selector.ATTRIBUTES}.model"
    assert view.text.endswith(f"Write memory and model in full: {long}")
    assert says(selector.fault("model"), "model in full", f"{selector.ATTRIBUTES}.model")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (f"{selector.CAPACITY}.memory >", ("missing", "end")),
        ("(true", ("missing", "end")),
        ("true && && true", ("&&",)),
        (f'{selector.ATTRIBUTES}.model = "a100"', ("Write ==", "not =")),
        ("true and true", ("Write &&", "not and")),
        (f"{selector.ATTRIBUTES}.model == a100", ("a100 is unknown", '"a100"')),
    ],
)
def test_what_cannot_be_read_is_said_in_a_short_sentence(typed: str, words: tuple[str, ...]):
    said = selector.fault(typed)
    assert says(said, *words) and len(said) < 60 and "IDENTIFIER" not in said


def test_what_is_neither_true_nor_false_has_to_be_compared():
    assert says(selector.fault("1"), "neither true nor false", "int", "==") and "must evaluate" not in selector.fault(
        "1"
    )


def test_a_guard_that_is_right_selects_the_devices_with_the_firmware():
    selected = [
        each for each in selector.DEVICES if selector.judged(selector.SELECTORS["guarded"], each).state == "selected"
    ]
    assert selected == [*devices.FIRMWARE]


@pytest.mark.parametrize("expression", selector.SELECTORS.values())
def test_another_selector_moves_no_device(expression: str):
    def size(settings: selector.Settings) -> str:
        return drawn(selector.show(settings)).split('viewBox="')[1].split('"')[0]

    assert size(selector.Settings().changed(selector=expression)) == size(selector.Settings())


def test_a_second_pod_with_the_claim_of_train_goes_where_the_claim_is():
    panel = devices.reserved()
    claim = devices.claim(devices.Settings())
    result = {"request": "gpus", "driver": devices.DRIVER, "pool": "node-a", "device": "gpu-0"}
    only = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]}
    claim["status"] = {
        "allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [only]}},
        "reservedFor": [{"resource": "pods", "name": "first", "uid": "first"}],
    }
    decision = devices.decided(
        Cluster.from_dicts([*devices.fleet(devices.GPUS), claim, devices.train()], devices.GENERATION.api)
    )
    assert panel.question is not None and decision.node == panel.question.right(panel.settings) == "node-a"
    assert drawn(panel.view).count('data-state="held"') == 2
    assert "reservedFor: train, eval" in drawn(panel.view)


def test_a_device_is_free_when_the_last_pod_of_its_claim_has_ended():
    """Then a pod gets it that waits for all three of a node; until then it stays with the claim."""
    panel = devices.reserved()
    for ended in ("train", "eval"):
        picture = drawn(panel.move(**{ended: False}).view)
        assert picture.count('data-state="held"') == 2 and 'data-state="takes"' not in picture
    both = panel.move(train=False, eval=False).view
    assert drawn(both).count('data-state="takes"') == 3 and says(both.sentence, "gpu-0 is free", "large", "node-a")
    assert 'data-set="train: on, eval: on"' in drawn(both)


def test_a_reader_hears_when_what_the_lesson_asks_for_is_reached():
    asked = devices.Settings().changed(model="any", memory=60, count=2, tolerates=True)
    assert "✓" in devices.show(asked).sentence and "✓" not in devices.show(asked.changed(tolerates=False)).sentence
    model = f"{selector.ATTRIBUTES}.model"
    assert "✓" in selector.show(selector.Settings(selector.SELECTORS["guarded"])).sentence
    for typed in (f'{model} == "a100"', selector.SELECTORS["an unknown attribute"]):
        assert "✓" not in selector.show(selector.Settings(typed)).sentence


def test_only_the_toleration_lets_train_have_the_broken_h100():
    settings = devices.Settings().changed(model="h100")
    assert devices.decide(settings).node is None
    assert devices.decide(settings.changed(tolerates=True)).node == "node-c"


@pytest.mark.parametrize("expression", selector.SELECTORS.values())
def test_the_picture_shows_which_devices_a_selector_selects_and_each_can_be_clicked(expression: str):
    settings = selector.Settings().changed(selector=expression)
    svg, states = drawn(selector.show(settings)), {"selected": "selected", "an error": "fails"}
    for device in selector.DEVICES:
        of = re.search(rf'<g data-key="device/{devices.DRIVER}/{device}"[^>]*>', svg)
        assert of and f'data-set="device: {device}"' in of[0]
        state = states.get(selector.verdict(settings.changed(device=device)), "not selected")
        assert re.search(f'data-state="{state}"', of[0])
    before = selector.question().before
    assert before is not None
    hidden = before(settings)
    assert callable(hidden) and not any(f'data-state="{each}"' in str(hidden(ROOM)) for each in ("selected", "fails"))


def test_the_first_device_that_will_do_is_taken_and_not_the_one_that_fits_best():
    asked, settings = devices.first_fit(), devices.Settings()
    assert asked.right(settings) == "gpu-1"
    assert says(asked.why(settings, "gpu-0"), "h100", "a100") and says(asked.why(settings, "gpu-1"), "first", "ends")
    assert says(asked.why(settings, "gpu-2"), "would do, too", "gpu-1") and asked.before is not None
    open_picture = asked.before(settings)
    assert callable(open_picture)
    picks = re.findall('data-key="([^"]*)"[^>]*data-pick="([^"]*)"', str(open_picture(ROOM)))
    assert picks == [(f"device/{devices.DRIVER}/node-c/{gpu}", gpu) for gpu in asked.choices]


def test_what_is_in_the_way_of_the_only_h100():
    asked, settings = devices.what_is_wrong(), devices.Settings().changed(model="h100", memory=60)
    small, held, broken = asked.choices
    assert asked.right(settings) == broken and says(asked.why(settings, broken), "taint", "broken")
    assert says(asked.why(settings, small), "80Gi", "60Gi") and says(asked.why(settings, held), "node-b/gpu-0")


def test_a_panel_for_one_device_says_nothing_of_pairs_and_keeps_no_room_for_roots():
    single, pair = devices.one().view, devices.panel().view
    assert single.idle == {"count": "", "together": ""} and 'data-set="count' not in drawn(single)
    assert "root p0" in drawn(pair) and "root" not in re.sub("<title>.*?</title>", "", drawn(single)).replace(
        "pcieRoot", ""
    )


def test_where_no_node_can_serve_the_claim_the_picture_says_why():
    settings = devices.Settings().changed(count=2, together=True)
    view = devices.show(settings)
    assert says(view.sentence, "no node", "0/3 nodes are available: 3 cannot allocate all claims.")
    assert all(says(drawn(view), said) for said in ("held by rival", "other root", "given back", "not a100"))


@pytest.mark.parametrize(
    ("changes", "helps"),
    [
        ({"model": "h100"}, {"tolerates": True}),
        ({"model": "h100", "count": 2, "tolerates": True}, {"count": 1}),
        ({"count": 2, "memory": 60}, {"count": 1}),
        ({"count": 2, "together": True}, {"together": False}),
    ],
)
def test_one_change_of_the_claim_helps(changes: dict, helps: dict):
    settings = devices.Settings().changed(**changes)
    assert devices.decide(settings).node is None
    assert devices.decide(settings.changed(**helps)).node is not None


def test_the_picture_fills_its_room_and_no_name_is_cut():
    for height in (340, 360, 400):
        svg = drawn(devices.show(devices.Settings(together=True, tolerates=True, rival=False)), Room(420, height))
        assert "…" not in svg and f'viewBox="0 0 420 {height}"' in svg


def test_the_pair_of_node_a():
    settings = devices.Settings().changed(count=2, together=True, model="any", memory=0)
    asked = devices.pair()
    right = asked.right(settings)
    assert right == "gpu-1 and gpu-2" and right in asked.choices and says(asked.why(settings, right), "given back")


def test_before_the_answer_only_what_other_claims_hold_is_shown():
    before = devices.first_fit().before
    assert before is not None
    open_picture = before(devices.Settings())
    assert callable(open_picture)
    svg = str(open_picture(ROOM))
    assert "★" not in svg and "✕" not in svg and "goes to the pod" not in svg and "rival" in svg
    assert 'data-state="takes"' not in svg and "held by rival" in svg and "taint: broken" in svg
    assert not re.search(">(held by rival|taint: broken)</text>", svg)  # no search has come to them
    hidden = selector.question().before
    assert hidden is not None
    for device in selector.DEVICES:
        unknown = hidden(selector.Settings().changed(device=device))
        assert callable(unknown) and not re.search(">(true|false)<", str(unknown(ROOM)))


FAILING = (
    "An error is not `false`: if the search reaches this device, the decision ends, on all nodes. Guard it with "
    "`has(...) &&`."
)


@pytest.mark.parametrize(
    ("selected", "device", "words"),
    [
        ("both", "node-a/gpu-0", '`compareTo` gives 0: equal. `memory.compareTo(quantity("40Gi")) > 0` is false.'),
        ("both", "node-c/gpu-0", '`model == "a100"` is false.'),
        ("guarded", "node-a/gpu-0", "`has(firmware)` is false."),
        ("either", "node-a/gpu-0", '`model == "a100"` is true.'),
        (
            "either",
            "node-b/gpu-2",
            FAILING,
        ),
        (
            "an unknown attribute",
            "node-a/gpu-0",
            FAILING,
        ),
    ],
)
def test_the_feedback_names_the_part_that_decides(selected: str, device: str, words: str):
    settings = selector.Settings().changed(selector=selected, device=device)
    question = selector.question(settings)
    assert {question.why(settings, answer) for answer in question.choices} == {words}


@pytest.mark.parametrize("expression", selector.SELECTORS.values())
def test_an_error_on_a_device_that_the_search_reaches_ends_the_decision(expression: str):
    made = [*devices.fleet(devices.GPUS), devices.claim_of([expression]), devices.train()]
    error = devices.decided(Cluster.from_dicts(made, devices.GENERATION.api)).error
    firsts = [selector.judged(expression, f"{node}/gpu-0") for node in devices.GPUS]
    failing = [each.why for each in firsts if each.state == "fails"]
    assert bool(failing) == bool(error) and all(each in error for each in failing)


@pytest.mark.parametrize("typed", ['{memory} >= quantity("40Gi")', "{memory} >= 40Gi", '{memory} == "40Gi"'])
def test_who_compares_amounts_like_numbers_hears_how_it_is_done(typed):
    said = selector.fault(typed.format(memory=f"{selector.CAPACITY}.memory"))
    (example,) = re.findall(r"^Compare amounts with (.*?) \(\d", said)
    assert not selector.fault(example)


def test_errors_on_other_devices_are_told_of_a_device_without_one():
    settings = selector.Settings().changed(selector="an unknown attribute", device="node-b/gpu-1")
    assert says(selector.show(settings).sentence, "node-b/gpu-1 is selected.", "2 of 9", "On 7", "error")


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("an unknown attribute", "train: no node; the search stops at node-a/gpu-0"),
        ("guarded", "train: node-b or node-c"),
    ],
)
def test_the_picture_of_a_selector_says_where_the_pod_can_go(name: str, ends: str):
    shown = selector.show(selector.Settings().changed(selector=name))
    assert says(drawn(shown), *ends.split())
