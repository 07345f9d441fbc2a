"""Policy files of v1.13 and v1.16: predicates and priorities chosen by name."""
