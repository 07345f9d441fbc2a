"""The terminals and the workspace of the notebooks' JupyterLab."""

import json
import os
import sys
from pathlib import Path

from jupyter_core.paths import jupyter_runtime_dir
from jupyterlab.commands import get_workspaces_dir
from jupyterlab_server.workspaces_handler import WorkspacesManager

# kubectl in terminals finds a lesson's cluster while one lives; else what it finds elsewhere.
_OURS = str(Path(jupyter_runtime_dir()) / "kschedlab.kubeconfig")
_OWN = os.environ.get("KUBECONFIG") or str(Path.home() / ".kube" / "config")
_FILES = [_OURS, *(each for each in _OWN.split(os.pathsep) if each != _OURS and Path(each).exists())]
os.environ["KUBECONFIG"] = os.pathsep.join(_FILES)

# Terminals find kschedlab, which is beside this Python, also where its environment is not active.
_BESIDE = str(Path(sys.executable).parent)
if _BESIDE not in os.environ["PATH"].split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join([_BESIDE, os.environ["PATH"]])

# The notebooks have a workspace of their own. It begins without the file browser, because a lesson's picture is beside
# its text; afterwards it is as the reader left it.
_SPACE = "kschedlab"
_spaces = WorkspacesManager(get_workspaces_dir())
if not any(each["metadata"]["id"] == _SPACE for each in _spaces.list_workspaces()):
    _shown = {"collapsed": True, "visible": True, "current": None, "widgets": []}
    _layout = {"layout-restorer:data": {"left": _shown}}
    _spaces.save(_SPACE, json.dumps({"data": _layout, "metadata": {"id": _SPACE}}))
