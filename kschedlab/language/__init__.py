"""The language in which texts are shown: English, or Chinese from the catalogue ``zh.po`` beside this file.

A text in the code is English, with named fields, and is its own key: ``say("{node} is chosen.", node=name)``. Nothing
is looked up while the language is English. What kube-scheduler and kubectl print is English in every language.

A kernel of Jupyter begins in the language that its reader chose (:mod:`memory`); everything else begins in English.
"""

from kschedlab.language.memory import language as language, recall as _recall
from kschedlab.language.speaker import (
    ENGLISH as ENGLISH,
    LANGUAGES as LANGUAGES,
    gap as gap,
    later as later,
    listed as listed,
    meant as meant,
    say as say,
    sentences as sentences,
    spoken as spoken,
    terms as terms,
    translation as translation,
)

_recall()
