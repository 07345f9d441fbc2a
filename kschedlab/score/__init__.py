"""The score stage and its plugins: which feasible node is best."""
