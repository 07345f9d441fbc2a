"""Dynamic resource allocation: which devices a pod gets on a node."""
