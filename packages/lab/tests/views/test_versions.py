"""The timeline of versions: what is a handle, what is secret, what is lit, and that texts keep apart."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_20
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, join
from kschedlab.whatif.named_rules import NAMED_RULES, title_of
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.picture import Handles
from kschedlab_lab.views.rules import rules_html, rules_text
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.versions import Board, Lever, Stop, stage, stage_before, timeline
from tests.text.test_tables import Balanced

NAMES = ("v1.13", "v1.16", "v1.20", "v1.37")
STOPS = [Stop(name, "node-b", f"version: {name}", chosen=True) for name in NAMES]
LEVERS = [
    Lever(rule.name, rule.title, NAMES.index(rule.since), True, False, None, f"{rule.name}: off", "tip")
    for rule in NAMED_RULES
]
WIDTHS = pytest.mark.parametrize("width", [400, 440, 559, 560, 640, 720, 1000])
DECISION = schedule("default/web", cluster(node("node-a"), node("node-b", 8), pod("web", cpu=2)), V1_20)


def board(**more: object) -> Board:
    return Board(**({"stops": STOPS, "at": 2, "levers": LEVERS} | more))


def texts(markup: Html) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each text, by the same upper estimate of letters as the drawing."""
    found, moves = [], [(0.0, 0.0)]
    pattern = r"<g([^>]*)>|</g>|<text([^>]*)>(.*?)</text>"
    for group, attributes, words in re.findall(pattern, str(markup)):
        if attributes:
            at = dict(re.findall(r'(\S+)="([^"]*)"', attributes))
            plain = re.sub("<[^>]*>", "", words)
            wide = text_width(plain, bold=at.get("font-weight") == "bold")
            shift = {"middle": wide / 2, "end": wide}.get(at.get("text-anchor", "start"), 0)
            dx, dy = (sum(move[i] for move in moves) for i in (0, 1))
            x, y = float(at["x"]) + dx - shift, float(at["y"]) + dy
            found.append((x, y - 11, x + wide, y + 2))
        elif group:
            move = re.search(r"translate\(([-.\d]+),([-.\d]+)\)", group)
            moves.append((float(move[1]), float(move[2])) if move else (0.0, 0.0))
        else:
            moves.pop()
    return found


@WIDTHS
def test_no_text_touches_another_or_leaves_the_room(width: int) -> None:
    shapes, height = timeline(STOPS, 2, [replace(each, matters=True) for each in LEVERS], width)
    found = texts(join(shapes))
    assert len(found) == 2 * len(STOPS) + len(LEVERS) + 3
    assert all(f">between {one} and {two}<" in str(join(shapes)) for one, two in pairwise(NAMES))
    for i, (left, top, right, bottom) in enumerate(found):
        assert left >= 0 and top >= 0 and right <= width + 1 and bottom <= height
        for other in found[i + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart, (found[i], other)


def test_in_a_low_room_the_switches_stand_beside_the_nodes() -> None:
    high, low = (str(stage(DECISION, board(), Room(540, height), "alt")) for height in (600, 280))
    assert _height(low) < _height(high) and _height(low) < 340
    node = float(re.search(r'translate\(([\d.]+),[\d.]+\)" data-key="node/node-b"', low)[1])  # type: ignore[index]
    beside = float(re.search(r'<g transform="translate\(([\d.]+),0\)"><text[^>]*>between v1.13 and v1.16', low)[1])  # type: ignore[index]
    assert beside > node + 90
    for markup in (high, low):
        found = texts(stage(DECISION, board(), Room(540, 280), "alt"))
        assert all(right <= 541 for _, _, right, _ in found)
        assert "…" not in markup


def _height(markup: str) -> float:
    return float(re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', markup)[1])  # type: ignore[index]


def test_titles_of_rules_fit_below_their_part_of_the_timeline() -> None:
    shapes, _ = timeline(STOPS, 2, [replace(each, matters=True) for each in LEVERS], 640)
    assert "…" not in str(join(shapes))


def test_versions_rules_and_the_knob_are_handles() -> None:
    markup = str(stage(DECISION, board(), Room(), "alt"))
    assert [name for name in NAMES if f'data-set="version: {name}"' in markup] == [*NAMES]
    assert all(f'data-set="{rule.name}: off"' in markup for rule in NAMED_RULES)
    assert 'data-drag="version" data-axis="x"' in markup
    keys = re.findall('data-key="([^"]*)"', markup)
    assert len(keys) == len(set(keys)) and {"timeline/knob", "version/v1.20", "rule/sorted_again", "pod/web"} <= {*keys}


def test_a_version_that_is_changed_keeps_its_key() -> None:
    changed = [*STOPS[:2], replace(STOPS[2], changed=True), STOPS[3]]
    markup = str(stage(DECISION, board(stops=changed), Room(), "alt"))
    assert 'data-key="version/v1.20"' in markup and ">v1.20, changed<" in markup


def test_a_secret_answer_is_a_question_mark_and_nothing_can_be_set() -> None:
    hidden = [replace(each, answer="", sets="", chosen=False) for each in STOPS]
    levers = [replace(each, sets="") for each in LEVERS]
    handles = Handles(nodes={"node-a": {"data_pick": "node-a"}})
    markup = str(stage_before(DECISION, board(stops=hidden, levers=levers, handles=handles), Room()))
    assert markup.count(">?<") == len(STOPS) and "★" not in markup and "data-set" not in markup
    assert 'data-pick="node-a"' in markup and "default/web waits for v1.20" in markup


def test_rules_that_matter_are_lit_and_the_others_pale() -> None:
    levers = [replace(each, matters=i == 0, pinned=i == 1) for i, each in enumerate(LEVERS)]
    shapes, _ = timeline(STOPS, 2, levers, 640)
    rules = [str(shape) for shape in shapes if 'data-key="rule/' in str(shape)]
    assert [shape.count('opacity="0.5"') for shape in rules] == [0, 0, *[1] * (len(rules) - 2)]
    assert [('font-weight="bold"' in shape) for shape in rules] == [True, True, *[False] * (len(rules) - 2)]
    assert all('aria-pressed="true"' in shape for shape in rules)


def test_names_of_users_are_escaped() -> None:
    shapes, _ = timeline([replace(STOPS[0], answer="<script>\u202e"), *STOPS[1:]], 0, LEVERS, 640)
    assert "<script" not in str(join(shapes)) and "\u202e" not in str(join(shapes))


def test_the_source_before_and_after_a_rule() -> None:
    for rule in NAMED_RULES:
        assert (rule.old.version, rule.new.version) == (NAMES[NAMES.index(rule.since) - 1], rule.since)
        assert rule.new.file.startswith("pkg/") and rule.new.file.endswith(".go") and rule.new.function
    (rule,) = (each for each in NAMED_RULES if each.name == "counted_down")
    text = "\n".join(rules_text([rule]))
    assert "if pdb.Status.PodDisruptionsAllowed <= 0 {" in text and "pdbsAllowed[i]--" in text
    found = Balanced(markup := str(rules_html([rule], DECISION)))
    assert (
        found.rows[0] == ["rule", "without it", "with it"]
        and found.rows[1][0] == "budgets count downbetween v1.16 and v1.20"
    )
    assert 'data-ref="rule/counted_down"' in markup and "<summary>the points of each node</summary>" in markup
    assert "No rule changes this answer alone." in str(rules_html([], DECISION))


def test_settings_of_a_comparison_have_the_titles_of_their_rules() -> None:
    assert title_of("preemption.victims.sorted_again") == "victims sorted again"
    assert title_of("score LeastRequestedPriority.highest") == "100 points, not 10"
    assert title_of("sampling.min_percentage") == ""
