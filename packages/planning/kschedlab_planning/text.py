"""Parts that the texts of several plans share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kschedlab.text.sections import BAD, Part, Section, Table
from kschedlab.text.words import count, listing
from kschedlab_planning.check import Check

PODS = 3
"""Maximum number of pods named in a list."""


def first_table(sections: Sequence[Section]) -> list[Part]:
    tables: list[Part] = [part for section in sections for part in section.parts if isinstance(part, Table)]
    return tables[:1]


def before(pods: int) -> list[Part]:
    return [f"{count(pods, 'pending pod')} got a node before."] if pods else []


def grouped(messages: Mapping[str, str]) -> list[Part]:
    return [f"{listing(pods, PODS)}: {why}" for why, pods in by_value(messages).items()]


def by_value(values: Mapping[str, str]) -> dict[str, list[str]]:
    pods: dict[str, list[str]] = {}
    for pod, value in values.items():
        pods.setdefault(value, []).append(pod)
    return pods


def checked(check: Check | None) -> Iterator[Section]:
    if check is not None:
        verdict = "confirms" if check.holds else "does not confirm"
        yield Section(f"A simulation (seed {check.seed}) {verdict} it: {check.what}.", mark="" if check.holds else BAD)
