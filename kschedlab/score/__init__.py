"""The score stage and its plugins: which of them is best."""
