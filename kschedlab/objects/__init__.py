"""Kubernetes objects: quantities, the model, selectors, requests, and reading manifests."""
