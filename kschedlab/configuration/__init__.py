"""Generations out of the configuration files of kube-scheduler: :func:`load_configuration`."""

from kschedlab.configuration.loading import Profiles, load_configuration

__all__ = ["Profiles", "load_configuration"]
