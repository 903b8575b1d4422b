"""Where files of the user are, as golden/files/disk/places.cpp has them."""
import os
import pathlib


def cache_home():
    """$XDG_CACHE_HOME, else ~/.cache. A relative path is no place, as the XDG specification says."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return pathlib.Path(given if os.path.isabs(given) else os.path.expanduser("~/.cache"))
