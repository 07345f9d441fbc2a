"""Exercises: predict the outcome, build a cluster, repair a function. ``Lesson("preemption", seed=1)[1]``."""

from kschedlab_lab.exercises.desk import RosterForm as RosterForm, SheetForm as SheetForm
from kschedlab_lab.exercises.lesson import LESSONS as LESSONS, Lesson as Lesson
from kschedlab_lab.exercises.progress import Progress as Progress
from kschedlab_lab.exercises.sheet import answers as answers, sheets as sheets
