"""Writes the reference of the Python package as HTML, and its names as JSON: python reference.py TEMPLATES SOURCES OUT HOME NAMES FIRST.

TEMPLATES is the folder of pdoc's templates, HOME the address of the site, NAMES the JSON to write, FIRST the JSON with the names of modules that one needs first.

Modules of other projects (torch, ray, ...) are stood in for, so that none of them must be installed. numpy must.
"""

import functools
import importlib.abc
import importlib.util
import inspect
import json
import pkgutil
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType

templates, sources, out, home, listed, first = sys.argv[1:]
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

full_annotation = inspect.formatannotation


def short_annotation(*args, **options):
    """Returns a type as one writes it: NDArray[uint8], Sequence[int]."""
    text = full_annotation(*args, **options)
    text = re.sub(r"numpy\.ndarray\[(?:tuple\[.*?\]|typing\.Any), numpy\.dtype\[(.*?)\]\]", r"NDArray[\1]", text)
    return re.sub(r"\b(?:typing|typing_extensions|collections\.abc|numpy|pathlib)\.(?=[A-Za-z])", "", text)


convert_as_found = pdoc.docstrings.convert


def convert(docstring, *args):
    """Returns the Markdown of a docstring, with the parameters of a class as a list."""
    head, line, rows = docstring.partition("Parameters\n----------\n")
    return convert_as_found(head + line + re.sub(r"^(\w[\w, ]*): ", r"- **\1**: ", rows, flags=re.M), *args)


pdoc.docstrings.convert = convert
first_names = json.loads(Path(first).read_text(encoding="utf-8"))["python"]
members_as_written = pdoc.doc.Module.__dict__["_member_objects"].func


def members_in_order(module):
    """Returns the members of a module: those that one needs first, then classes and functions, then constants."""
    wanted = first_names.get(module.modulename, [])

    def place(name):
        return wanted.index(name) if name in wanted else len(wanted) + name.isupper()

    members = members_as_written(module)
    return {name: members[name] for name in sorted(members, key=place)}


location_as_found = pdoc.doc.Class._taken_from
bases_as_found = pdoc.doc.Class.__dict__["bases"].func


def is_private(module):
    """True for `lepanto._expansion`, which no user imports."""
    return any(part.startswith("_") for part in module.split("."))


def location(cls, member, value):
    """Returns where a member is documented: members of private bases (Batch has several) at the class that has them."""
    module, name = location_as_found(cls, member, value)
    return (cls.modulename, f"{cls.qualname}.{member}") if is_private(module) else (module, name)


pdoc.doc.Class._taken_from = location
pdoc.doc.Class.bases = property(lambda cls: [base for base in bases_as_found(cls) if not is_private(base[0])])
pdoc.doc.Module._member_objects = functools.cached_property(members_in_order)
pdoc.doc.Module._member_objects.__set_name__(pdoc.doc.Module, "_member_objects")
inspect.formatannotation = pdoc.doc.formatannotation = short_annotation

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
pdoc.render.configure(template_directory=Path(templates), show_source=False, logo_link=home, favicon="data:,")
pdoc.render.env.globals["first_names"] = first_names
pdoc.pdoc(*names, output_directory=Path(out))

# pdoc links to members of private bases, which have no place on a page: their names stay as text.
pages = {page: page.read_text(encoding="utf-8") for page in Path(out).rglob("*.html")}
places = {page.resolve(): set(re.findall(r'id="([^"]*)"', text)) for page, text in pages.items()}
for page, text in pages.items():

    def keep(link):
        path, _, place = link[1].partition("#")
        target = (page.parent / path).resolve() if path else page.resolve()
        return link[0] if place in places.get(target, {place}) else link[2]

    text = re.sub(r'<a href="([^":]*#[^"]*)">(.*?)</a>', keep, text, flags=re.S)
    # Headings skip no level, and what scrolls sideways can be reached by keys.
    text = text.replace("<h5>Inherited Members", '<h5 aria-level="2">Inherited Members').replace("<pre>", '<pre tabindex="0">')
    # An empty link shows a sign by the style sheet, which says nothing to a screen reader.
    text = re.sub(r'<a class="headerlink" href="#([^"]*)"></a>', r'<a class="headerlink" href="#\1" aria-label="Link to \1"></a>', text)
    page.write_text(text, encoding="utf-8")


def names_of(module, path):
    """Returns the public names that have a place on the page of a module, members of classes behind their class."""
    places = set(re.findall(r'id="([^"]*)"', pages[Path(out) / path]))
    found = []
    for member in module.own_members:
        if member.name in places and not member.name.startswith("_") and member.kind != "module":
            found.append({"name": member.name, "link": f"python/{path}#{member.name}", "about": member.docstring})
            for inner in getattr(member, "own_members", []):
                if f"{member.name}.{inner.name}" in places and not inner.name.startswith("_") and inner.docstring:
                    name = f"{member.name}.{inner.name}"
                    found.append({"name": name, "link": f"python/{path}#{name}", "about": inner.docstring})
    return found


modules = []
for page in sorted(pages):
    path = page.relative_to(out).as_posix()
    name = path.removesuffix(".html").replace("/", ".")
    if name in ("index", "search"):
        continue
    module = pdoc.doc.Module(sys.modules[name])
    modules.append({"name": name, "link": f"python/{path}", "about": module.docstring, "names": names_of(module, path)})
Path(listed).write_text(json.dumps(modules), encoding="utf-8")
