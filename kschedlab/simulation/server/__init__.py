"""A small in-memory API server: typed stores, list and watch, admission, and the subresources that scheduling needs.

========================  ==========================================================================================
``api``, ``status``       requests, and the Status of a failed one
``store``, ``resources``  a kind's objects with their history and watches; the kinds served
``admission``, ``names``  defaults, admission and validation before an object is stored; generated names
``updates``               fields that an update may change
``deletion``              graceful deletion and finalizers
``subresources``          binding and eviction
``selection``             field selectors
========================  ==========================================================================================
"""
