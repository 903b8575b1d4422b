"""Restarts the script with Debian's Python if this one has no numpy. Scripts import it before what imports numpy."""
import importlib.util
import os
import sys

DEBIAN_PYTHON = "/usr/bin/python3"  # the one that the package python3-matplotlib serves, with numpy
if importlib.util.find_spec("numpy") is None and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN_PYTHON):
    os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
