"""Queueing hints of v1.37: whether an event may make a queued pod schedulable. One module per family of plugins."""
