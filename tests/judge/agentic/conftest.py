"""A judge that is run for real, with the real program in its sandbox, against a scripted model."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # `servers`
sys.path.insert(0, str(Path(__file__).parent))  # `play`; tests are no package
