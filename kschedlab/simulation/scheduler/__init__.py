"""kube-scheduler at work: start-up, event handlers, cache, scheduling loop, binding cycles, preemption, plugins.

===================================  =============================================================================
``startup``, ``http``, ``metrics``   from a configuration to a running scheduler; ``/healthz`` and ``/metrics``
``kube_scheduler``, ``context``      the parts, wired together; what they share
``handlers``, ``watched_kinds``      changes that informers see reach the cache and the queue
``cache``, ``volumes``               the cluster as observed and as assumed
``queues``                           the queue, with its hints and gates
``loop``, ``outcome``                scheduleOne
``binding``, ``waiting_pods``        what happens to a pod that has a node
``cycle_orders``                     the two orders of that
``volume_binding``                   its volumes, from assumed to bound
``failure``, ``pod_status``          a pod that fits nowhere; writes to a pod's status
``preemption``, ``evictions``        nomination and eviction; who evicts, and when
``framework``, ``handle``            runs users' plugins; what the scheduler offers them
===================================  =============================================================================
"""
