"""A small API server in memory: typed stores, list and watch, admission, the subresources that scheduling needs.

========================  ==========================================================================================
``api``, ``status``       requests, and the answer to one that is refused
``store``, ``resources``  the objects of a kind with their history and watches; the kinds
``admission``, ``names``  what becomes of an object on its way in
``updates``               what an update may change
``deletion``              how objects go
``subresources``          binding and eviction
``selection``             field selectors
========================  ==========================================================================================
"""
