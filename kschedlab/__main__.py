"""``python -m kschedlab``: the program."""

import sys

from kschedlab.program.main import main

sys.exit(main())
