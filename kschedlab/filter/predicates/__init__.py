"""Filters that only older generations have: predicates of v1.13 and v1.16."""
