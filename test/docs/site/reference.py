"""Writes the reference of the Python package as HTML: python reference.py SOURCES OUT HOME, the last the address of the site.

Modules of other projects (torch, ray, ...) are stood in for, so that none of them must be installed. numpy must.
"""

import importlib.abc
import importlib.util
import pkgutil
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType

sources, out, home = sys.argv[1:]
sys.path.insert(0, sources)

ABSENT = ("torch", "ray", "gymnasium", "pettingzoo", "pyspiel", "open_spiel", "jax", "tensorboard", "textarena", "inspect_ai")


class Absent(ModuleType):
    """A module of which every name is a class, to be derived from, called, and asked for other names."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(f"{self.__name__}.{name}")


class Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(f"{cls.__module__}.{cls.__name__}.{name}")

    def __or__(cls, other):
        return cls

    def __getitem__(cls, item):
        return cls

    def __contains__(cls, item):
        return False


def stand_in(path):
    module, _, name = path.rpartition(".")

    def call(cls, *args, **options):
        # As a decorator it leaves what it is given as it is.
        return args[0] if len(args) == 1 and callable(args[0]) else object.__new__(cls)

    # So does one that was made with options.
    names = {"__init__": lambda self, *args, **options: None, "__call__": lambda self, made: made}
    return Meta(name, (), {"__module__": module, "__new__": call, **names})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, is_package=True) if name.split(".")[0] in ABSENT else None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Finder())

import pdoc  # noqa: E402

import lepanto  # noqa: E402

# This module raises an error for whoever imports it: its page has its first line alone.
client = ModuleType("lepanto.diplomacy.client", "There is no server here: an import of this raises an error that says so.")
sys.modules[client.__name__] = client

names = ["lepanto"]
for found in pkgutil.walk_packages(lepanto.__path__, "lepanto."):
    if not any(part.startswith("_") for part in found.name.split(".")):
        # A module that cannot be imported is an error, not a page that is missing.
        importlib.import_module(found.name)
        # pdoc takes the modules of a package with it, unless the package says what is public: then those of these names.
        if found.name.count(".") == 1 and found.name.split(".")[1] not in lepanto.__all__:
            names.append(found.name)

# Of named tuples pdoc looks for the types of fields in another module, and then shows them as they are written.
warnings.filterwarnings("ignore", message="Error parsing type annotation")
templates = Path(__file__).parent / "reference"
pdoc.render.configure(template_directory=templates, show_source=False, logo_link=home, favicon="data:,")
pdoc.pdoc(*names, output_directory=Path(out))

# pdoc links to members of private bases, which have no place on a page: their names stay as text.
pages = {page: page.read_text(encoding="utf-8") for page in Path(out).rglob("*.html")}
places = {page.resolve(): set(re.findall(r'id="([^"]*)"', text)) for page, text in pages.items()}
for page, text in pages.items():

    def keep(link):
        path, _, place = link[1].partition("#")
        target = (page.parent / path).resolve() if path else page.resolve()
        return link[0] if place in places.get(target, {place}) else link[2]

    page.write_text(re.sub(r'<a href="([^":]*#[^"]*)">(.*?)</a>', keep, text, flags=re.S), encoding="utf-8")
