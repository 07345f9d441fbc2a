"""Which of two pods is next in v1.13, and which field decides: activeQComp and podTimestamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab import testing
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, slider
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.queue.order import active_q_comp, pod_timestamp
from kschedlab.testing import HOUR, Manifest, clock_time
from kschedlab.views.html import Html
from kschedlab.views.queue import Lane, Moment, draw_lanes
from kschedlab.views.style import DECIDES
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, clock

UNSET = -1
CREATED = tuple(hour * HOUR for hour in (8, 9, 10))
TRANSITION = (UNSET, 8 * HOUR + 20, 9 * HOUR + 20)
PROBE = (UNSET, 8 * HOUR + 40, 9 * HOUR + 40)
"""Minutes after midnight. The lists are disjoint, so a moment identifies its field."""
FIELDS = {"creationTimestamp": "C", "lastTransitionTime": "T", "lastProbeTime": "P"}
NAMES = ("mail", "web")


def moment(minutes: int) -> str:
    """The time, or "none"."""
    return "not set" if minutes == UNSET else clock_time(minutes)


@dataclass(frozen=True)
class Settings(Restorable):
    """The priorities and times of two pods. Without transition and probe, a pod has no PodScheduled condition."""

    mail_priority: int = slider("mail: priority", (50, 100, 150), 100)
    mail_created: int = slider("mail: creationTimestamp", CREATED, CREATED[0], moment)
    mail_transition: int = slider("mail: lastTransitionTime", TRANSITION, UNSET, moment)
    mail_probe: int = slider("mail: lastProbeTime", PROBE, UNSET, moment)
    web_created: int = slider("web: creationTimestamp", CREATED, CREATED[1], moment)
    web_transition: int = slider("web: lastTransitionTime", TRANSITION, UNSET, moment)
    web_probe: int = slider("web: lastProbeTime", PROBE, UNSET, moment)


WEB_PRIORITY = 100


def manifests(settings: Settings) -> list[Manifest]:
    """The two pods."""
    s = settings
    return [
        waiting("mail", s.mail_priority, s.mail_created, s.mail_transition, s.mail_probe),
        waiting("web", WEB_PRIORITY, s.web_created, s.web_transition, s.web_probe),
    ]


def waiting(name: str, priority: int, created: int, transition: int = UNSET, probe: int = UNSET) -> Manifest:
    """A waiting pod; a transition or a probe means that an attempt failed."""
    made = testing.pod(name, priority=priority)
    made["metadata"] |= {"uid": f"uid-{name}", "creationTimestamp": at(created)}
    if transition != UNSET or probe != UNSET:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
        times = {"lastTransitionTime": transition, "lastProbeTime": probe}
        condition |= {field: at(minutes) for field, minutes in times.items() if minutes != UNSET}
        made["status"] = {"conditions": [condition]}
    return made


def at(minutes: int) -> str:
    """The time as it is written in a manifest."""
    return f"2026-03-02T{clock_time(minutes)}:00Z"


def pods(settings: Settings) -> tuple[Pod, Pod]:
    """The two pods as objects."""
    mail, web = decode_objects(manifests(settings)).pods
    return mail, web


def fields(pod: Pod) -> dict[str, int | None]:
    """The three timestamps of a pod, in microseconds since 1970."""
    conditions = pod.status.conditions
    transition = conditions[0].lastTransitionTime if conditions else None
    probe = conditions[0].lastProbeTime if conditions else None
    found = (pod.metadata.creationTimestamp, transition, probe)
    return dict(zip(FIELDS, found, strict=True))


def field_of(pod: Pod) -> str:
    """The field that podTimestamp reads for this pod."""
    stamp = pod_timestamp(pod)
    return next(name for name, value in fields(pod).items() if value == stamp)


def next_of(mail: Pod, web: Pod) -> str:
    """The name of the pod that activeQComp puts first, "" if it puts neither."""
    return "mail" if active_q_comp(mail, web) else "web" if active_q_comp(web, mail) else ""


def describe(mail: Pod, web: Pod) -> str:
    """The next pod, and the field that decides."""
    first = next_of(mail, web)
    if not first:
        return "Neither comes before the other: activeQComp is false both ways, and the heap leaves them as they lie."
    winner, other = (mail, web) if first == "mail" else (web, mail)
    if winner.spec.priority != other.spec.priority:
        return f"{first} is next: its priority is {winner.spec.priority}, the other's {other.spec.priority}."
    write = clock([pod_timestamp(mail), pod_timestamp(web)])
    one, two = (f"{field_of(pod)} {write(pod_timestamp(pod))}" for pod in (winner, other))
    return f"{first} is next: the priorities are equal, and its {one} is before the other's {two}."


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    both = pods(settings)
    sentence, first = describe(*both), next_of(*both)
    lanes = [_lane(name, pod, name == first) for name, pod in zip(NAMES, both, strict=True)]
    ticks = [(_step(hour * HOUR), clock_time(hour * HOUR)) for hour in (8, 9, 10)]
    picture = draw_lanes(lanes, ticks, sentence, steps=_step(10 * HOUR + 30))
    rows = _rows(both)
    text = "\n".join([sentence, *aligned([["", *NAMES], *rows])])
    return View(picture, sentence, _table(both, rows), text)


def _lane(name: str, pod: Pod, first: bool) -> Lane:
    used = field_of(pod)
    found = ((field, value) for field, value in fields(pod).items() if value is not None)
    moments = (
        Moment(_step(value // 60_000_000 % (24 * HOUR)), FIELDS[field], field, field == used) for field, value in found
    )
    return Lane(f"{name} {pod.spec.priority}", moments=tuple(moments), lit=first)


def _step(minutes: int) -> float:
    return (minutes - 8 * HOUR) / 6 + 1


def _rows(both: tuple[Pod, Pod]) -> list[list[str]]:
    """Field by field; the timestamp that counts is marked."""
    rows = [["priority", *(str(pod.spec.priority) for pod in both)]]
    for field, sign in FIELDS.items():
        cells = []
        for pod in both:
            value = fields(pod)[field]
            written = "not set" if value is None else clock([value])(value)
            cells.append(f"{written} ← podTimestamp" if field_of(pod) == field else written)
        rows.append([f"{sign} {field}", *cells])
    return rows


def _table(both: tuple[Pod, Pod], rows: list[list[str]]) -> Html:
    equal = both[0].spec.priority == both[1].spec.priority
    decides = [not equal, *(equal and any("←" in cell for cell in cells) for cells in rows[1:])]
    return table(
        ["", *NAMES], (row(*cells, style=DECIDES if d else "") for cells, d in zip(rows, decides, strict=True))
    )


def as_yaml(settings: Settings) -> str:
    """The two pods."""
    return testing.as_yaml(manifests(settings))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "queue_order.panel()")


def who_is_next() -> Prediction:
    """The prediction before the second panel."""
    return Prediction(
        "Both have priority 100. mail was created at 08:00 and tried in vain at 09:40; web was created at 09:00. Next?",
        {
            "mail: it was created first": "So it would be tried again and again, and web would never get its turn.",
            "web: it was not tried yet": "Right, but not for that reason: what matters is 09:00 against 09:40.",
        },
    )
