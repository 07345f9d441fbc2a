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
DOTS = {
    "mail": (
        ("C", "creationTimestamp", ""),
        ("T", "lastTransitionTime", "mail_transition"),
        ("P", "lastProbeTime", "mail_probe"),
    ),
    "web": (("C", "creationTimestamp", "web_created"),),
}
"""By pod, the times that are drawn, with their letters and their controls: web was not tried yet."""


def moment(minutes: int) -> str:
    """The time, or "not set"."""
    return later("not set") if minutes == UNSET else clock_time(minutes)


@dataclass(frozen=True)
class Settings(Restorable):
    """mail was created at 08:00. Without transition and probe, it has no PodScheduled condition."""

    mail_transition: int = slider("mail: transition", MAYBE, UNSET, moment)
    mail_probe: int = slider("mail: probe", MAYBE, UNSET, moment)
    web_created: int = slider("web: created", TIMES, 9 * HOUR, moment)
    web_priority: int = slider("web: priority", range(0, 201, 50), 100)


def manifests(settings: Settings) -> list[Manifest]:
    s = settings
    return [
        waiting("mail", 100, 8 * HOUR, s.mail_transition, s.mail_probe),
        waiting("web", s.web_priority, s.web_created),
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


def decoded(made: Manifest, **labels: str) -> Pod:
    """The pod of a manifest, with these labels added."""
    metadata = made["metadata"] | {"labels": made["metadata"].get("labels", {}) | labels}
    (pod,) = decode_objects([made | {"metadata": metadata}]).pods
    return pod


def at(minutes: int) -> str:
    """The time as it is written in a manifest."""
    return f"2026-03-02T{clock_time(minutes)}:00Z"


def pods(settings: Settings) -> tuple[Pod, Pod]:
    mail, web = map(decoded, manifests(settings))
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
    """The times that activeQComp does not read, and why."""
    mail, web = both
    if mail.spec.priority != web.spec.priority:
        unread = ("mail_transition", "mail_probe", "web_created")
        return dict.fromkeys(unread, say("not asked: the priorities differ"))
    if settings.mail_transition != UNSET and field_of(mail) == "lastProbeTime":
        return {"mail_transition": say("not read: {used} is set", used="lastProbeTime")}
    return {}


def picture(settings: Settings, room: Room, answered: bool = True) -> Html:
    """The two pods on the clock. ``answered``: mark what counts and who is next; else each pod can be picked."""
    both = pods(settings)
    first, equal = next_of(*both), both[0].spec.priority == both[1].spec.priority
    step = round(step_of(len(MAYBE), room), 1)
    found = []
    for pod in both:
        name, rank = pod.metadata.name, pod.spec.priority or 0
        dots = []
        for sign, field, control in DOTS[name]:
            minutes = getattr(settings, control, 8 * HOUR)
            said = say("{pod}: {field} {time}", pod=name, field=field, time=say(moment(minutes)))
            drag = dragged(control, "x", step, said, said) if answered and control else {}
            counts = answered and equal and field_of(pod) == field
            dots.append(Dot(field, sign, MAYBE.index(minutes), counts, drag))
        said = say("{pod}: priority", pod=name)
        handle = dragged("web_priority", "y", -10, said, said) if name == "web" else {}
        priority = say("priority {priority}", priority=rank)
        drawn = queue_pods.Pod(name, rank, priority, handle if answered else {"data_pick": name})
        found.append(Waiting(drawn, tuple(dots), answered and name == first))
    ticks = [(MAYBE.index(hour), clock_time(hour)) for hour in (8 * HOUR, 9 * HOUR, 10 * HOUR)]
    alt = describe(*both) if answered else say("Two pods and their timestamps.")
    return draw_order(found, ticks, len(MAYBE), alt, room)


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
        (*DOTS, say("a tie")),
        lambda _: next_of(*both),
        why,
        lambda settings: partial(picture, settings, answered=False),
    )
