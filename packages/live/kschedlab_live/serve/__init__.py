"""``kschedlab serve``: the simulation's API server over HTTP, for kubectl and other clients of Kubernetes.

==========================================  =====================================================================
``server``, ``background``, ``kubeconfig``  from a scenario to a port, and the file that says which
``plane``                                   the simulation follows the clock on the wall, which can be stopped
``app``, ``security``, ``bounds``           HTTP: who may ask, how much; which part answers
``requests``, ``verbs``                     a request taken apart, and answered; ``subresources``, ``watching``
``objects``, ``kept``                       objects as JSON: the simulation's, and those only kept; ``events``
``custom``, ``versions``                    kinds that clients define; kinds of which two versions are served
``patches``, ``apply``, ``relations``       patches; server-side apply; how it treats the fields of each type
``filling``, ``selectors``                  defaults; selectors of labels and fields
``discovery``, ``openapi``                  what is served, and reviews; ``kinds``, ``tables``
==========================================  =====================================================================
"""
