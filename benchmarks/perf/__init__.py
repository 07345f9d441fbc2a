"""The format of scheduler_perf: test cases, operations and object templates.

==========================================  ======================================================================
``workload``, ``operations``                test cases and their operations
``object_templates``, ``go_templates``      objects from template files, in Go's notation
``runner``, ``created_objects``             runs the operations; the objects that they create
``steady_state``, ``device_claims``         keeps the scheduler busy for a while; allocates claims without pods
``mocked_features``                         features that stand for those that nodes declare
==========================================  ======================================================================
"""

from benchmarks.perf import workload
from kschedlab_simulation.timeline.formats import READERS, SCHEDULER_PERF

READERS[SCHEDULER_PERF] = workload
