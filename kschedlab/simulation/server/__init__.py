"""A small API server in memory: typed stores, list and watch, admission, the subresources that scheduling needs."""
