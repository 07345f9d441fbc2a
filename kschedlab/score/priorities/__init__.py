"""Scores that only older generations have: priorities of v1.13 and v1.16, and what v1.20 kept of them."""
