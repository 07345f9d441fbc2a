"""The queues of v1.13, v1.16 and v1.20: an active heap, and unschedulable pods that any event moves."""
