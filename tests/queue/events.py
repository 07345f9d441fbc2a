"""For tests of the queue with events: hints that always requeue, and the number of events stored for pods in flight."""

from kschedlab.queue.hints.table import DEFAULT
from kschedlab.queue.in_flight import InFlight

ALWAYS = tuple(one._replace(hint=lambda pod, old, new: True) for one in DEFAULT)


def survives_update(flight: InFlight) -> int:
    """The number of events since the oldest pod in flight was popped; without pods in flight, of all stored events."""
    pods = flight.pods()
    return len(list(flight.events_since_pop(pods[0].metadata.uid) or ())) if pods else len(flight._events)
