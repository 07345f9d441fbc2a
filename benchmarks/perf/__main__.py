"""kschedlab's program, which then reads scheduler_perf's files, too:

python -m benchmarks.perf simulate performance-config.yaml --workload SchedulingBasic/500Nodes
"""

import sys

from kschedlab.program.main import main

sys.exit(main(program="python -m benchmarks.perf"))
