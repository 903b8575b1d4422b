"""Restarts the script if its Python has no numpy. Scripts import it before what imports numpy."""
from .common import with_package

with_package("numpy")
