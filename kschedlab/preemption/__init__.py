"""The preemption stage: whom to evict, and where."""
