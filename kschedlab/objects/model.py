"""All objects that the scheduler or a simulated control plane reads: typed, immutable, spelled as in the API.

Fields that neither reads are left out. Fields that the scheduler obeys but this package does not model are ``Any``:
they are kept in order to report them. Absent text is ``""``, absent maps and sequences are empty; None is used only
where the API distinguishes "absent" from "empty".
"""

# ruff: noqa: F403 (the star re-exports every type)

from kschedlab.objects.devices import *
from kschedlab.objects.meta import *
from kschedlab.objects.nodes import *
from kschedlab.objects.pods import *
from kschedlab.objects.policies import *
from kschedlab.objects.volumes import *
from kschedlab.objects.workloads import *
