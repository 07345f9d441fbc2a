"""Plugins: filters and scores that a generation is put together from, one's own among them."""
