"""Extenders: any Python object (:mod:`plain`), a program that is called over HTTP (:mod:`http`), and the
description of one in a scenario (:mod:`described`)."""
