"""The README of a folder lists its files, all of them and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["interceptor", "judge", "rubrics", "runner", "traces"]
# One line per file: "- `align/values.py`: what it holds"
_ENTRY = re.compile(r"^- `([^`\s]+\.(?:py|json))`: \S", re.MULTILINE)


def files(folder: Path) -> set[str]:
    """Modules and data files below `folder`; `__init__.py` holds no code."""
    found = (path for pattern in ("*.py", "*.json") for path in folder.rglob(pattern))
    return {str(path.relative_to(folder)) for path in found if path.name != "__init__.py"}


# A folder that holds nothing yet has nothing to list.
@pytest.mark.parametrize("folder", [name for name in FOLDERS if files(ROOT / name)])
def test_readme_lists_the_files_of_its_folder(folder: str) -> None:
    listed = _ENTRY.findall((ROOT / folder / "README.md").read_text("utf-8"))
    assert len(listed) == len(set(listed)), "a file is listed twice"
    assert {"missing": files(ROOT / folder) - set(listed), "stale": set(listed) - files(ROOT / folder)} == {
        "missing": set(),
        "stale": set(),
    }
