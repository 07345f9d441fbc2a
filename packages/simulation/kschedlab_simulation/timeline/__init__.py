"""Timelines: changes to a cluster from outside, read from scenario files and executed.

==================================  ==============================================================================
``scenario``, ``manifest_objects``  scenario files, and the objects in them
``entries``, ``targets``            the entries of a timeline, and the objects they apply to
``actions``, ``feasibility``        what an entry does; entries that cannot succeed
``runner``                          executes the entries
==================================  ==============================================================================
"""
