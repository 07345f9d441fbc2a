"""Which of two pods is next in v1.13, and which field decides: activeQComp and podTimestamp."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from kschedlab import build
from kschedlab.build import HOUR, Manifest, clock_time
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import Pod
from kschedlab.queue.order import SCHEDULED, active_q_comp, pod_timestamp
from kschedlab.text.html import Html
from kschedlab.text.words import clock
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views import queue_pods
from kschedlab_lab.views.queue_order import Dot, Waiting, draw_order, step_of
from kschedlab_lab.views.svg import Room, dragged

UNSET = -1
TIMES = tuple(range(8 * HOUR, 10 * HOUR + 1, 10))
"""Minutes after midnight: the moments on the clock."""
MAYBE = (UNSET, *TIMES)
FIELDS = {"creationTimestamp": "C", "lastTransitionTime": "T", "lastProbeTime": "P"}
CONTROLS = {"creationTimestamp": "created", "lastTransitionTime": "transition", "lastProbeTime": "probe"}
"""By field: the end of its control's name."""
NAMES = ("mail", "web")
PRIORITIES = range(0, 201, 50)


def moment(minutes: int) -> str:
    """The time, or "not set"."""
    return later("not set") if minutes == UNSET else clock_time(minutes)


@dataclass(frozen=True)
class Settings(Restorable):
    """The priorities and times of two pods. Without transition and probe, a pod has no PodScheduled condition."""

    mail_priority: int = slider("mail: priority", PRIORITIES, 100)
    mail_created: int = slider("mail: created", TIMES, 8 * HOUR, moment)
    mail_transition: int = slider("mail: transition", MAYBE, UNSET, moment)
    mail_probe: int = slider("mail: probe", MAYBE, UNSET, moment)
    web_priority: int = slider("web: priority", PRIORITIES, 100)
    web_created: int = slider("web: created", TIMES, 9 * HOUR, moment)
    web_transition: int = slider("web: transition", MAYBE, UNSET, moment)
    web_probe: int = slider("web: probe", MAYBE, UNSET, moment)


def manifests(settings: Settings) -> list[Manifest]:
    s = settings
    return [
        waiting("mail", s.mail_priority, s.mail_created, s.mail_transition, s.mail_probe),
        waiting("web", s.web_priority, s.web_created, s.web_transition, s.web_probe),
    ]


def waiting(name: str, priority: int, created: int, transition: int = UNSET, probe: int = UNSET) -> Manifest:
    """A waiting pod; a transition or a probe means that an attempt failed."""
    made = build.pod(name, priority=priority)
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
    mail, web = decode_objects(manifests(settings)).pods
    return mail, web


def field_of(pod: Pod) -> str:
    """The field that podTimestamp reads for this pod."""
    conditions = [each for each in pod.status.conditions if each.type == SCHEDULED]
    if not conditions:
        return "creationTimestamp"
    return "lastTransitionTime" if conditions[0].lastProbeTime is None else "lastProbeTime"


def next_of(mail: Pod, web: Pod) -> str:
    """The name of the pod that activeQComp puts first, "" if it puts neither."""
    return "mail" if active_q_comp(mail, web) else "web" if active_q_comp(web, mail) else ""


def describe(mail: Pod, web: Pod) -> str:
    """The next pod, and the field that decides."""
    first = next_of(mail, web)
    if not first:
        return say(
            "A tie: neither comes before the other. activeQComp is false both ways, and the heap leaves them alone."
        )
    is_next = say("{pod} is next.", pod=first)
    winner, other = (mail, web) if first == "mail" else (web, mail)
    if winner.spec.priority != other.spec.priority:
        ranks = {"priority": winner.spec.priority, "other": other.spec.priority}
        return sentences([is_next, say("Its priority is {priority}, the other's {other}.", **ranks)])
    write = clock([pod_timestamp(mail), pod_timestamp(web)])
    one, two = (f"{field_of(pod)} {write(pod_timestamp(pod))}" for pod in (winner, other))
    because = say("The priorities are equal, and its {one} is before the other's {two}.", one=one, two=two)
    return sentences([is_next, because])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    both = pods(settings)
    said = describe(*both)
    return View(partial(picture, settings), said, Html(), said, idle=idle(settings, both))


def idle(settings: Settings, both: tuple[Pod, Pod]) -> dict[str, str]:
    """The timestamps that activeQComp does not read, and why."""
    equal, found = both[0].spec.priority == both[1].spec.priority, {}
    for name, pod in zip(NAMES, both, strict=True):
        for field, control in CONTROLS.items():
            if not equal:
                found[f"{name}_{control}"] = say("not asked: the priorities differ")
            elif (used := field_of(pod)) != field and getattr(settings, f"{name}_{control}") != UNSET:
                found[f"{name}_{control}"] = say("not read: {used} is set", used=used)
    return found


def picture(settings: Settings, room: Room, answered: bool = True) -> Html:
    """The two pods on the clock. ``answered``: mark what counts and who is next; else each pod can be picked."""
    both = pods(settings)
    sentence, first = describe(*both), next_of(*both)
    step = round(step_of(len(MAYBE), room), 1)
    equal = both[0].spec.priority == both[1].spec.priority
    found = []
    for i, (name, pod) in enumerate(zip(NAMES, both, strict=True)):
        dots = []
        for field, control in CONTROLS.items():
            minutes = getattr(settings, f"{name}_{control}")
            said = say("{pod}: {field} {time}", pod=name, field=field, time=say(moment(minutes)))
            drag = dragged(f"{name}_{control}", "x", step, said, said) if answered else {}
            counts = answered and equal and field_of(pod) == field
            dots.append(Dot(field, FIELDS[field], MAYBE.index(minutes), counts, drag))
        priority = say("priority {priority}", priority=pod.spec.priority)
        said = say("{pod}: priority", pod=name)
        handle = dragged(f"{name}_priority", "y", -10, said, said)
        drawn = queue_pods.Pod(name, pod.spec.priority or 0, priority, handle if answered else {"data_pick": name})
        place = i if not answered else None if not first else int(first != name)
        found.append(Waiting(drawn, tuple(dots), place))
    ticks = [(MAYBE.index(hour), clock_time(hour)) for hour in (8 * HOUR, 9 * HOUR, 10 * HOUR)]
    alt = sentence if answered else say("Two pods and their timestamps.")
    return draw_order(found, ticks, len(MAYBE), alt, room, answered=answered)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "queue_order.panel()")


def who_is_next() -> Question[Settings]:
    """Which pod is popped next: one that was tried in vain, or one that came later and was not tried."""
    both = pods(Settings(mail_transition=8 * HOUR + 20, mail_probe=9 * HOUR + 40))
    mail, web = map(pod_timestamp, both)
    write = clock([mail, web])

    def why(_: Settings, answer: str) -> str:
        if answer == next_of(*both):
            return ""  # the sentence says it
        if answer == say("a tie"):
            return say("They differ in what activeQComp compares.")
        reason = say("{pod} was tried in vain, so its lastProbeTime counts:", pod="mail")
        message = later("{reason} {time}, after the {other} of {name}.")
        return say(message, reason=reason, time=write(mail), other=write(web), name="web")

    return Question(
        say(
            "v1.13: mail was created at 08:00 and tried in vain at 08:20 and 09:40. web was created at 09:00 and not "
            "tried yet. Which pod is next?"
        ),
        (*NAMES, say("a tie")),
        lambda _: next_of(*both),
        why,
        lambda settings: partial(picture, settings, answered=False),
    )
