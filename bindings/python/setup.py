"""Refuses to install the package before the engine is in it, and tags its wheel. Takes the addresses of the project
from the engine's package.json. All else is in pyproject.toml."""

import json
import posixpath
import re
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
    """Wheel for one platform if it contains native code, otherwise for all. Works with any version of Python 3."""

    def get_tag(self) -> Tuple[str, str, str]:
        return "py3", "none", PLATFORMS[native[0]] if native else "any"


manifest = json.loads((ENGINE / "package.json").read_text(encoding="utf-8"))
REPOSITORY = re.sub(r"^git\+|\.git$", "", manifest["repository"]["url"])
#: Address of the repository's files at this version.
FILES = f"{REPOSITORY}/blob/v{manifest['version']}"
FOLDER = "bindings/python"


def with_absolute_links(text: str) -> str:
    """Returns a Markdown text with its relative links replaced by links to the repository, for its page on PyPI."""
    return re.sub(
        r"(\]\()(?!\w+:|#)([^)\s]+)",
        lambda link: f"{link[1]}{FILES}/{posixpath.normpath(posixpath.join(FOLDER, link[2]))}",
        text,
    )


setup(
    cmdclass={"bdist_wheel": Wheel},
    distclass=Contents,
    long_description=with_absolute_links((Path(__file__).parent / "README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
    project_urls={
        "Homepage": manifest["homepage"],
        "Source": REPOSITORY,
        "Documentation": f"{FILES}/{FOLDER}/GUIDE.md",
        "Changelog": f"{FILES}/CHANGELOG.md",
        "Issues": manifest["bugs"],
    },
)
