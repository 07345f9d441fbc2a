"""Timelines: what happens to a cluster, read from files and carried out.

===============================  =================================================================================
``scenario``, ``manifest_objects``  scenario files, and the objects in them
``entries``, ``targets``         the entries of a timeline, and the objects they apply to
``actions``, ``feasibility``     what an entry does; entries that cannot succeed
``running``                      carries the entries out
===============================  =================================================================================
"""
