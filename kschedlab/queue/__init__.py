"""The queue: which pod is next.

======================  ====================================  ================================================
                        v1.13, v1.16, v1.20 (``older/``)      v1.37
======================  ====================================  ================================================
the queue               without_backoff, with_backoff         with_events
a pod in it             queued_pod                            queued_pod
to be tried             heap, order                           heap, queued_pod (its order)
waits for its backoff   pod_backoff                           backoff
waits for an event      unschedulable_pods                    unschedulable; events, hints/, requeueing
held back, in flight                                          pre_enqueue, in_flight
nominated               nominated                             nominated
======================  ====================================  ================================================

``interface`` is what the loop asks of each of them.
"""
