"""For tests of the queue with events: hints that always requeue, and the number of events stored for pods in flight."""

from kschedlab.queue.events import ASSIGNED_POD, NODE, TARGET_POD, Registration, event
from kschedlab.queue.in_flight import InFlight

EVENTS = {
    "InterPodAffinity": [event(ASSIGNED_POD, "Add", "Delete"), event(NODE, "Add")],
    "NodeName": [event(NODE, "Add")],
    "NodePorts": [event(NODE, "Add"), event(ASSIGNED_POD, "Delete")],
    "NodeResourcesFit": [event(NODE, "Add"), event(ASSIGNED_POD, "Delete"), event(ASSIGNED_POD, "UpdatePodScaleDown")],
    "SchedulingGates": [event(TARGET_POD, "UpdatePodSchedulingGatesEliminated")],
    "TaintToleration": [event(TARGET_POD, "UpdatePodToleration")],
}
ALWAYS = tuple(Registration(name, each, lambda pod, old, new: True) for name in EVENTS for each in EVENTS[name])


def survives_update(flight: InFlight) -> int:
    """The number of events since the oldest pod in flight was popped; without pods in flight, of all stored events."""
    pods = flight.pods()
    return len(list(flight.events_since_pop(pods[0].metadata.uid) or ())) if pods else len(flight._events)
