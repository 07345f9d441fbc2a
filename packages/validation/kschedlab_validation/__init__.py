"""Checks of what the API server would refuse, one module for each part of the API."""
