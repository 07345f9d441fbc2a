"""Scores that only older generations have: priorities of v1.13 and v1.16, some of them still in v1.20."""
