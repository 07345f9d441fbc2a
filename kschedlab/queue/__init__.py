"""The scheduling queue: which pod is next.

======================  ====================================  ================================================
                        v1.13 to v1.30 (``older/``)           v1.32 to v1.37
======================  ====================================  ================================================
the queue               without_, with_, with_kept_backoff    with_events
a pod in it             queued_pod                            queued_pod
active                  heap, order                           heap, queued_pod (its order)
in backoff              with_backoff                          backoff
unschedulable           without_backoff                       with_events; events, requeueing
gated, in flight        with_kept_backoff, pre_enqueue        pre_enqueue, in_flight
nominated               nominated                             nominated
======================  ====================================  ================================================

The hints, which say what event concerns a pod, come with the loop: ``kschedlab_simulation.scheduler.hints``.
``interface`` is the protocol that the scheduling loop uses for all of them; ``kschedlab.generations.queues`` creates a
generation's queue.
"""
