"""Reads and validates YAML and JSON manifests and turns them into objects. Errors name the file and line."""
