"""A small in-memory API server: typed stores, list and watch, admission, and the subresources that scheduling needs.

========================  ==========================================================================================
``api``, ``interface``    requests; those of a scheduler, which another server can answer as well
``store``, ``resources``  a kind's objects with their history and watches; the kinds served
``admission``, ``names``  defaults, admission and validation before an object is stored; generated names
``updates``               fields that an update may change
``deletion``              graceful deletion and finalizers
``subresources``          binding and eviction
``selection``             field selectors
========================  ==========================================================================================
"""
