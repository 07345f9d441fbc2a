"""Filters that only v1.13 and v1.16 have: predicates that later generations dropped."""
