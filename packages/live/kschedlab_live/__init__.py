"""A cluster that is there: kubectl's, one that is served, and one whose pods are scheduled."""
