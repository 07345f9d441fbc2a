"""The language in which texts are shown: English, or Chinese from the catalogue ``zh.po`` beside this file.

What kube-scheduler and kubectl print is English in every language.

A kernel of Jupyter begins in the language that its reader chose (:mod:`memory`); everything else begins in English.
"""

from kschedlab_lab.language.memory import language as language, recall as _recall
from kschedlab_lab.language.speaker import ENGLISH as ENGLISH, LANGUAGES as LANGUAGES, spoken as spoken

_recall()
