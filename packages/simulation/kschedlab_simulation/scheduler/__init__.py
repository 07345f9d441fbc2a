"""kube-scheduler at work: start-up, event handlers, cache, scheduling loop, binding cycles, preemption, plugins.

===================================  =============================================================================
``startup``, ``http``, ``metrics``   starts a scheduler from a configuration; serves ``/healthz`` and ``/metrics``
``kube_scheduler``, ``context``      wires the parts together; the state that they share
``handlers``, ``watched_kinds``      pass changes from informers to the cache and the queue
``cache``, ``volumes``               the cluster as observed by informers and as assumed
``queues``, ``hints``                creates the queue with its hints and gates; which event concerns which pod
``loop``, ``outcome``                scheduleOne
``binding``, ``waiting_pods``        the binding cycle; pods that wait on Permit
``cycle_orders``                     the two orders of Reserve, assume and bind
``volume_binding``                   assumes and binds a pod's volumes
``failure``, ``pod_status``          handles failed attempts; writes a pod's status
``preemption``, ``evictions``        nomination; who evicts victims, and when
``framework``, ``handle``            runs users' plugins; the handle that they receive
===================================  =============================================================================
"""
