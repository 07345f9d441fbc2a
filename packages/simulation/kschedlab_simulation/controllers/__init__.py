"""The controllers around a scheduler: kubelets, workloads, budgets, volumes, garbage collection, drains.

Each pairs pure functions, which compute the writes for the observed objects, with a thin controller that watches,
calls them and writes. No controller polls while there is nothing to do.

=====================  ==========================================================  ============================
controller             its pure functions                                          manages
=====================  ==========================================================  ============================
``kubelet``            ``kubelet_status``, ``kubelet_resize``                      pods on nodes
``owners``             ``replicas``, ``stateful_sets``, ``jobs``, ``deployments``  the desired number of pods
                       ``deployment_status``, ``template_hash``, ``owner_events``
``disruption``         ``budgets``                                                 PodDisruptionBudgets
``volumes``            ``claim_binding``, ``provisioning``                         claims and volumes
``resource_claims``                                                                claims of devices
``node_lifecycle``     ``taints``                                                  nodes that are not ready
``podgc``                                                                          pods of deleted nodes
``garbage_collector``                                                              dependents of deleted owners
``drain``                                                                          nodes taken out of service
=====================  ==========================================================  ============================

They share ``work_queue``, ``writes`` and ``ownership``.
"""
