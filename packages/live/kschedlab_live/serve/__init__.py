"""``kschedlab serve``: the simulation's API server over HTTP, for kubectl and other clients of Kubernetes.

===============================  =================================================================================
``server``, ``kubeconfig``       from a scenario to a port, and the file that says which
``plane``, ``clock``, ``timing`` the simulation follows the clock on the wall, which can be stopped and stepped
``app``, ``security``            HTTP: who may ask; which part answers
``requests``, ``verbs``          a request taken apart, and answered; ``subresources``, ``watching``, ``reviews``
``objects``, ``kept``            objects as JSON: the simulation's, and those that are only kept; ``events``
``patches``, ``strategic``       patches; ``filling``: defaults; ``selectors``: labels and fields
``discovery``, ``openapi``       what is served; ``kinds``, ``tables``
===============================  =================================================================================
"""
