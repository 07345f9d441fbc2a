"""Queueing hints of v1.37: may something that happened let a waiting pod fit? One module a family of plugins."""
