"""What the commands print: results laid out for the width of a terminal, with rich."""
