"""The lab: panels to move and exercises to solve, for the notebooks."""
