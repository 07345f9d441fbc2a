"""Kubernetes objects as the scheduler reads them: typed, immutable, spelled as in the API. All of them in one place.

Fields that no part of the scheduler reads are left out; fields that it obeys and this package does not model are kept
as ``Any``, to be reported. Absent text is ``""``, absent maps and sequences are empty; None stands where the API tells
"absent" from "empty".
"""

# ruff: noqa: F403 (a star passes on every type)

from kschedlab.objects.meta import *
from kschedlab.objects.nodes import *
from kschedlab.objects.pods import *
from kschedlab.objects.volumes import *
from kschedlab.objects.workloads import *
