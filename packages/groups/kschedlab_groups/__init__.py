"""Pod groups: gangs that are placed as a whole or not at all (v1.37, behind the feature gate GenericWorkload).

==================  =============================================================================
``group``           what a PodGroup asks for, the status of an attempt
``assume``          a pod takes its node, devices and volumes
``place``           the pods one after another
``placement``       the domains of a topology key, and decisions among the nodes of one
``topology``        one domain after another, and their scores (the gate TopologyAwareWorkloadScheduling)
``attempt``         one attempt, on a fork of the cluster
``claims``          what a group that finds no place gives back
``preemption``      which pods to evict for a group
``victims``         which groups to evict for a single pod
``cycle``           both together, and what each pod is told
==================  =============================================================================

Loaded only where the gate is on.
"""
