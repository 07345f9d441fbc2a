"""The preemption stage: which pods to evict, and on which node."""
