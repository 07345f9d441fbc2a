"""The cluster as columns."""
