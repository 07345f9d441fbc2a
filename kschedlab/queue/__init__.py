"""The queue: which pod is next."""
