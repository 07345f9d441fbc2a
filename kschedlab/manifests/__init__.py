"""Manifests: YAML and JSON files read, validated and turned into objects; errors name the file and line."""
