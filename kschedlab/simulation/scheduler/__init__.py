"""kube-scheduler in motion: start-up, event handlers, cache, the loop, binding cycles, preemption, users' plugins.

===================================  =============================================================================
``startup``, ``http``, ``metrics``   from a configuration to a scheduler that runs; ``/healthz`` and ``/metrics``
``kube_scheduler``, ``context``      the parts wired together, and what they share
``handlers``, ``watched_kinds``      what the informers tell goes to the cache and to the queue
``cache``, ``volumes``               the cluster as told and as assumed
``queues``                           which queue, with which hints and gates
``loop``, ``outcome``                scheduleOne
``binding``, ``waiting_pods``        what happens to a pod that has a node
``cycle_orders``                     the two orders of that
``volume_binding``                   its volumes, from assumed to bound
``failure``, ``pod_status``          what becomes of a pod that has none; what is written to its status
``preemption``, ``evictions``        nomination and eviction; who evicts, and when
``plugin``, ``framework``            what a plugin of one's own can do, and how it is asked
``plugin_adapters``                  its filter and score as columns
===================================  =============================================================================
"""
