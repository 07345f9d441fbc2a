"""Filters of volumes: binding, limits, restrictions and zones."""
