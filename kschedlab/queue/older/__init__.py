"""The queues of v1.13, v1.16 and v1.20: a heap, and pods that wait for anything to happen."""
