"""A decision as text, tables and plain data."""
