"""Scores that only older generations have: priorities of v1.13 and v1.16, and plugins of releases before v1.28."""
