"""The queues up to v1.30: an active heap, and unschedulable pods that any event moves."""
