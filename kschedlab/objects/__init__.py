"""Kubernetes objects: the model, quantities, selectors and requests."""
