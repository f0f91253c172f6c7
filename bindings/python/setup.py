"""Refuses to install the package before the engine is in it, and tags its wheel. All else is in pyproject.toml."""

import sys
from pathlib import Path
from typing import Tuple

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

ENGINE = Path(__file__).parent / "src" / "lepanto" / "js"

#: Platforms of a wheel by the native package that lies in it. package.ts puts it there.
PLATFORMS = {
    "koffi-linux-x64": "manylinux_2_28_x86_64",
    "koffi-linux-arm64": "manylinux_2_28_aarch64",
    "koffi-darwin-x64": "macosx_11_0_x86_64",
    "koffi-darwin-arm64": "macosx_11_0_arm64",
}

if not (ENGINE / "package.json").is_file():
    sys.exit(
        "lepanto: got no built engine in src/lepanto/js, wanted it before the package is installed: "
        "run `npm ci && npm run build:python` in the root of the repository, then pip install again"
    )

native = [path.name for path in (ENGINE / "node_modules" / "@koromix").glob("*")]


class Contents(Distribution):
    def has_ext_modules(self) -> bool:
        return bool(native)


class Wheel(bdist_wheel):
    """A wheel for one platform if it has native code, else for all. No part of it depends on the version of Python."""

    def get_tag(self) -> Tuple[str, str, str]:
        return "py3", "none", PLATFORMS[native[0]] if native else "any"


setup(cmdclass={"bdist_wheel": Wheel}, distclass=Contents)
