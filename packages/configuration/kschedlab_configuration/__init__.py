"""Reads kube-scheduler's configuration files into generations: :func:`load_configuration`."""

from kschedlab_configuration.loading import Profiles, load_configuration

__all__ = ["Profiles", "load_configuration"]
