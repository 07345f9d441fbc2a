"""Plugins that only configurations name: those that the default provider of v1.13 and v1.16 leaves out, up to v1.24."""
