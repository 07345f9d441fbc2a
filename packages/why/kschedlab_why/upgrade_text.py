"""The pods that another generation would place differently, as sections."""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.messages import later, listed, say, terms
from kschedlab.text.sections import Limits, Lines, Row, Section, Strong, Table
from kschedlab.text.words import count
from kschedlab.whatif.comparison import SettingChange
from kschedlab.whatif.titles import title_of
from kschedlab_why.upgrade import MovedPod, Placement, Upgrade

NOT_ALONE = later("no change alone gives the whole of it")


def upgrade_sections(upgrade: Upgrade, limits: Limits) -> Iterator[Section]:
    """What changes in a sentence, the pods that move with the causes, and those whose message changes."""
    between = f"{upgrade.earlier} → {upgrade.later}"
    moved = sum(each.like for each in upgrade.moved)
    once = say("({decided:,} decided: pods that are alike are decided once)", decided=upgrade.decided)
    title = say(
        "{between}: {moved:,} of {pods} placed differently",
        between=between,
        moved=moved,
        pods=count(upgrade.pods, "pod"),
    )
    shown = upgrade.moved[: limits.groups]
    rows = [_row(each) for each in shown]
    table = [Table(terms("pod", upgrade.earlier, upgrade.later, "because of"), rows)] if rows else []
    yield Section(
        title, table, aside=once if upgrade.decided < upgrade.pods else "", cut=len(shown) < len(upgrade.moved)
    )
    if upgrade.reworded:
        words = say("{pods} with another message", pods=count(len(upgrade.reworded), "pending pod"))
        yield Section(words, [listed(upgrade.reworded[: limits.groups])], folded=True)


def _row(moved: MovedPod) -> Row:
    alike = say(" (and {number:,} like it)", number=moved.like - 1) if moved.like > 1 else ""
    causes = [line for cause in moved.causes for line in _cause(cause)]
    lines = causes if moved.whole else [say(NOT_ALONE), *causes]
    return Row([moved.pod + alike, place_text(moved.before), place_text(moved.after), Lines(lines)])


def _cause(change: SettingChange) -> Iterator[str]:
    if title := title_of(change.rule):
        yield Strong(say(title))
    yield say(change.rule)


def place_text(place: Placement) -> str:
    """Where the pod goes, in a few words."""
    if place.error:
        return say("error")
    if not place.nodes:
        return say("pending")
    nodes = listed(sorted(place.nodes)[:3]) + (" …" if len(place.nodes) > 3 else "")
    return say("evicts pods on {nodes}", nodes=nodes) if place.evicting else nodes
