"""The controllers around a scheduler: kubelets, owners of pods, budgets, claims, clean-up, drains.

Each is a pure function from objects to the writes that it wants, and a thin shell that watches, asks the function and
writes. None sleeps or polls while nothing is to be done.

==============  =================================================================  =================================
the shell       what it asks                                                       of what it takes care
==============  =================================================================  =================================
``kubelet``     ``kubelet_status``                                                 pods on nodes
``owners``      ``replicas``, ``stateful``, ``jobs``, ``deployments``              as many pods as there should be
``disruption``  ``budgets``                                                        PodDisruptionBudgets
``claims``      ``storage``, ``provisioning``                                      claims and volumes
``nodes``       ``taints``                                                         nodes that are not ready
``podgc``                                                                          pods of lost nodes
``garbage``                                                                        what has lost its owner
``drain``                                                                          nodes taken out of service
==============  =================================================================  =================================

``work_queue``, ``writes`` and ``ownership`` are what they share.
"""
