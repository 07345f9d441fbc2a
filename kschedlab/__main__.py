"""``python -m kschedlab``: the program."""

import sys

from kschedlab.cli import main

sys.exit(main())
