"""Events, recorded before and after somebody receives them."""

from __future__ import annotations

from kschedlab.objects.model import ObjectMeta, Pod
from kschedlab_simulation.events import NORMAL, Broadcaster, truncated
from kschedlab_simulation.log import Log


def test_events_recorded_before_the_start_are_sent_at_the_start():
    log, sent = Log(), []
    broadcaster = Broadcaster(lambda: 0, log)
    web = Pod(metadata=ObjectMeta(name="web", namespace="default"))
    broadcaster.record(web, NORMAL, "Early", "before", "scheduler")
    assert not log.entries
    broadcaster.start(sent.append)
    broadcaster.record(web, NORMAL, "Late", "after", "scheduler")
    assert [event.reason for event in sent] == ["Early", "Late"] and log.entries == sent


def test_a_note_has_at_most_1024_bytes():
    assert truncated("a" * 1024) == "a" * 1024
    assert truncated("a" * 1025) == "a" * 1020 + " ..."
    assert len(truncated("é" * 1024).encode()) == 1024
