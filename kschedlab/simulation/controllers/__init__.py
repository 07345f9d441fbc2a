"""The controllers around a scheduler: kubelets, owners of pods, budgets, claims, clean-up, drains.

Each is a pure function from objects to the writes that it wants, and a thin shell that watches, asks the function and
writes. None sleeps or polls while nothing is to be done.
"""
