"""The timeline of versions: what is a handle, what is secret, what is lit, and that texts keep apart."""

import re
from dataclasses import replace

import pytest

from kschedlab.build import budget, cluster, node, pod
from kschedlab.generations import V1_20
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, join
from kschedlab.whatif.titles import title_of
from kschedlab_lab.named_rules import NAMED_RULES
from kschedlab_lab.views.layout import NOTHING
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.picture import NO_HANDLES, Handles, question
from kschedlab_lab.views.preemption_scene import Scene
from kschedlab_lab.views.rules import rules_html
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.versions import Board, Flag, Stop, stage, stage_before, timeline
from tests.text.test_tables import Balanced

NAMES = ("v1.13", "v1.16", "v1.20", "v1.37")
STOPS = [Stop(name, "node-b", f"version: {name}", chosen=True) for name in NAMES]
FLAGS = [
    Flag(
        rule.name, rule.title, rule.since, NAMES.index(rule.first_of(NAMES)), False, f"without: {rule.name}", rule.after
    )
    for rule in NAMED_RULES
]
WIDTHS = pytest.mark.parametrize("width", [320, 400, 440, 559, 560, 640, 720, 1000])
DECISION = schedule("default/web", cluster(node("node-a"), node("node-b", 8), pod("web", cpu=2)), V1_20)


def board(**more: object) -> Board:
    plain = {"rungs": (), "about": lambda _: NOTHING, "handles": NO_HANDLES, "captions": True}
    return Board(**({"stops": STOPS, "at": 2, "flags": FLAGS} | plain | more))


def texts(markup: Html) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each text, by the same upper estimate of letters as the drawing."""
    found, moves = [], [(0.0, 0.0)]
    pattern = r"<g([^>]*)>|</g>|<text([^>]*)>(.*?)</text>"
    for group, attributes, words in re.findall(pattern, str(markup)):
        if attributes:
            at = dict(re.findall(r'(\S+)="([^"]*)"', attributes))
            plain = re.sub("<[^>]*>", "", words)
            wide = text_width(plain, float(at.get("font-size", 12)), at.get("font-weight") == "bold")
            shift = {"middle": wide / 2, "end": wide}.get(at.get("text-anchor", "start"), 0)
            dx, dy = (sum(move[i] for move in moves) for i in (0, 1))
            x, y = float(at.get("x", 0)) + dx - shift, float(at["y"]) + dy
            found.append((x, y - 11, x + wide, y + 2))
        elif group:
            move = re.search(r"translate\(([-.\d]+),([-.\d]+)\)", group)
            moves.append((float(move[1]), float(move[2])) if move else (0.0, 0.0))
        else:
            moves.pop()
    return found


@WIDTHS
def test_no_text_touches_another_or_leaves_the_room(width: int) -> None:
    part = timeline(board(), width)
    found = texts(join(part.shapes))
    for i, (left, top, right, bottom) in enumerate(found):
        assert left >= 0 and top >= 0 and right <= width + 1 and bottom <= part.height
        for other in found[i + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart, (found[i], other)


def test_versions_flags_and_the_knob_are_handles() -> None:
    markup = str(stage(DECISION, board(), Room(), "alt"))
    assert [name for name in NAMES if f'data-set="version: {name}"' in markup] == [*NAMES]
    assert all(f'data-set="without: {rule.name}"' in markup for rule in NAMED_RULES)
    assert 'data-drag="version" data-axis="x"' in markup
    keys = re.findall('data-key="([^"]*)"', markup)
    assert len(keys) == len(set(keys)) and {"timeline/knob", "version/v1.20", "pod/web"} <= {*keys}


def test_a_flag_names_its_version_and_hangs_between_the_versions_without_and_with_it() -> None:
    markup = str(join(timeline(board(), 640).shapes))
    assert all(f">{rule.since}<" in markup and f"> {rule.title}<" in markup for rule in NAMED_RULES)
    dots = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', markup)]
    for flag in FLAGS:
        pole = re.search(rf'<path d="M([\d.]+) [^>]*data-key="pole/{flag.name}"', markup)
        assert pole is not None and dots[flag.at - 1] < float(pole[1]) < dots[flag.at]


def test_a_change_that_is_taken_out_is_struck_through() -> None:
    whole, out = (str(join(timeline(board(flags=[replace(FLAGS[0], out=out)]), 640).shapes)) for out in (False, True))
    assert 'aria-pressed="true"' in whole and 'aria-pressed="false"' in out
    assert "stroke-dasharray" not in whole and out.count("stroke-dasharray") == 2


def test_a_secret_answer_is_a_question_mark_and_nothing_can_be_set() -> None:
    hidden = [replace(each, sets="") if i < 2 else Stop(each.name, "") for i, each in enumerate(STOPS)]
    flags = [replace(each, sets="") for each in FLAGS]
    handles = Handles(nodes={"node-a": {"data_pick": "node-a"}})
    markup = str(stage_before(DECISION, board(stops=hidden, flags=flags, handles=handles), Room()))
    assert (
        markup.count("not known yet") == len(STOPS) - 2
        and ">?<" in markup
        and "v1.20: node-b" not in markup
        and "data-set" not in markup
    )
    assert 'data-pick="node-a"' in markup and "default/web waits for v1.20" in markup


def test_names_of_users_are_escaped() -> None:
    shown = str(join(timeline(board(stops=[replace(STOPS[0], answer="<script>\u202e"), *STOPS[1:]]), 640).shapes))
    assert "<script" not in shown and "\u202e" not in shown


def test_the_source_before_and_after_a_rule() -> None:
    for rule in NAMED_RULES:
        first = rule.first_of(NAMES)
        assert (rule.old.version, rule.new.version) == (NAMES[NAMES.index(first) - 1], first)
        assert rule.new.file.startswith("pkg/") and rule.new.file.endswith(".go") and rule.new.function
    (rule,) = (each for each in NAMED_RULES if each.name == "counted_down")
    found = Balanced(markup := str(rules_html([rule])))
    assert "if pdb.Status.PodDisruptionsAllowed &lt;= 0 {" in markup and "pdbsAllowed[i]--" in markup
    assert found.rows[0] == ["change", "without it", "with it"] and found.rows[1][0] == "budgets count downsince v1.18"
    assert 'data-ref="rule/counted_down"' in markup


def from_the_top(markup: object) -> list[str]:
    """The pods of node-a by their height."""
    found = re.findall(r'translate\([\d.]+,([\d.]+)\)" data-key="pod/(low|middle|high)"', str(markup))
    return [name for _, name in sorted((float(y), name) for y, name in found)]


def test_victims_lie_as_their_list_has_them_and_before_by_their_priority() -> None:
    """So the picture of a question does not show what is first in the list."""
    apps = {"low": {"app": "shop"}, "high": {}, "middle": {}}
    running = [pod(name, "node-a", 1, at, labels=apps[name]) for name, at in (("low", 0), ("high", 9), ("middle", 5))]
    made = cluster(node("node-a", 3), *running, budget("shop", 0), pod("web", "", 3, 99))
    decision = schedule("default/web", made, V1_20)
    assert from_the_top(stage(decision, board(), Room(), "alt")) == ["low", "high", "middle"]
    hidden = board(stops=[Stop(name, "") for name in NAMES])
    assert from_the_top(stage_before(decision, hidden, Room())) == ["high", "middle", "low"]
    exercise = question(decision, Room(), as_listed=True), Scene(decision, as_listed=True).picture(Room())
    assert [from_the_top(each) for each in exercise] == [["high", "middle", "low"], ["low", "high", "middle"]]


def test_settings_of_a_comparison_have_the_titles_of_their_rules() -> None:
    assert title_of("preemption.victims.sorted_again") == "victims sorted again"
    assert title_of("score LeastRequestedPriority.highest") == "100 points, not 10"
    assert title_of("sampling.min_percentage") == ""
