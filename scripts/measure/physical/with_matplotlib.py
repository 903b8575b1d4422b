"""Restarts the script with Debian's Python if this one has no matplotlib. Scripts import it before anything else."""
import importlib.util
import os
import sys

DEBIAN_PYTHON = "/usr/bin/python3"  # the one that the package python3-matplotlib serves
if importlib.util.find_spec("matplotlib") is None and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN_PYTHON):
    os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
