"""``kschedlab schedule``: the scheduler on a real cluster."""
