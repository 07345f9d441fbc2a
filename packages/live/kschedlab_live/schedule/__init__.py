"""``kschedlab schedule``: the scheduler on a real cluster.

============================  =============================================================
``service``                   the whole: synchronize, win the lease, schedule, stop
``access``                    where the cluster is, and who we are to it
``client``                    HTTP: connections, TLS, retries
``api``                       the API server as the scheduler asks it, and what is written
``reflector``, ``decoding``   what is read: lists and watches
``clock``                     SimPy by the clock on the wall
``election``, ``events``      the lease; events as the cluster stores them
============================  =============================================================
"""
