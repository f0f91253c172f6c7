"""Refuses to install the package before the engine is in it. All else is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup

ENGINE = Path(__file__).parent / "src" / "lepanto" / "js" / "package.json"

if not ENGINE.is_file():
    sys.exit(
        "lepanto: got no built engine in src/lepanto/js, wanted it before the package is installed: "
        "run `npm ci && npm run build:python` in the root of the repository, then pip install again"
    )

setup()
