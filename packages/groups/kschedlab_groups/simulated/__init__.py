"""Pod groups in the scheduler: loaded where the feature gate GenericWorkload is on.

================  ================================================================
``parts``         what takes the place of the parts for single pods
``states``        the groups, and where their pods are
``plugin``        GangScheduling: PreEnqueue, Permit and the events that help
``handlers``      event handlers that know groups
``loop``          scheduleOnePodGroup
``evictions``     the victims of a group
================  ================================================================
"""
