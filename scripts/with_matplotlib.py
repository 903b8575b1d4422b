"""Restarts the program with Debian's Python if this one has no matplotlib; ends with 3 if that has none either.

Programs import it before what imports matplotlib.
"""
import importlib.util
import os
import sys

DEBIAN_PYTHON = "/usr/bin/python3"  # the one that the package python3-matplotlib serves

if importlib.util.find_spec("matplotlib") is None:
    if os.path.exists(DEBIAN_PYTHON) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN_PYTHON):
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
    print("plots need matplotlib; run scripts/setup or apt-get install python3-matplotlib", file=sys.stderr)
    sys.exit(3)
