"""Makes the modules of scripts/models importable. Scripts import it before they import from there."""
import sys

from .common import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "models"))
