"""``kschedlab serve``: the simulation's API server over HTTP."""
