"""For tests of the queue with events: hints that always requeue, and the number of events stored for pods in flight."""

from pathlib import Path

from kschedlab.queue.events import Registration, event
from kschedlab.queue.in_flight import InFlight

VECTORS = Path(__file__).parent / "vectors" / "registrations-v1.37.tsv"
ROWS = [line.split("\t") for line in VECTORS.read_text().splitlines()]
REGISTERED = [(row[0], event(row[1], *row[2].split("|")), int(row[3])) for row in ROWS if row[0] != "action"]
"""What the plugins of the real default profile register, with the bits of the actions."""
REAL_ACTIONS = {row[1]: int(row[2]) for row in ROWS if row[0] == "action"}
ALWAYS = tuple(Registration(plugin, happens, lambda pod, old, new: True) for plugin, happens, _ in REGISTERED)


def survives_update(flight: InFlight) -> int:
    """The number of events since the oldest pod in flight was popped; without pods in flight, of all stored events."""
    pods = flight.pods()
    return len(list(flight.events_since_pop(pods[0].metadata.uid) or ())) if pods else len(flight._events)
