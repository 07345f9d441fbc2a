"""The checks that this package adds to those of kschedlab."""

from kschedlab.manifests.checks import Checks
from kschedlab_validation.kinds import faults_of
from kschedlab_validation.tolerated import warnings_of

CHECKS = Checks(faults_of, warnings_of)
