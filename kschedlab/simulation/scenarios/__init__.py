"""What happens to a cluster: timelines and the operations of scheduler_perf, read from files and carried out.

===============================  =================================================================================
``scenario``, ``given``          files of any mixture, and the objects in them
``timeline``, ``targets``        the entries of a timeline, and whom they are about
``acts``, ``possible``           what they ask for; what cannot come true
``acting``                       carries it out
``workload``, ``operations``     scheduler_perf's test cases and their operations
``blueprints``, ``templates``    objects from template files, in Go's notation
``operating``, ``perf_objects``  carries operations out; what they create
===============================  =================================================================================
"""
