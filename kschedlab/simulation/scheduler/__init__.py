"""kube-scheduler in motion: start-up, event handlers, cache, the loop, binding cycles, preemption, users' plugins."""
