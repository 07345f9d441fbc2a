"""The output of the commands, laid out for the width of the terminal with rich."""
