"""Why is this pod pending, or where it is, and what would change that? About a cluster that somebody else has read."""

from kschedlab_why.answer import Answer, Setting, answer
from kschedlab_why.pending import PendingCause, PendingCauses, sorted_out

__all__ = ["Answer", "PendingCause", "PendingCauses", "Setting", "answer", "sorted_out"]
