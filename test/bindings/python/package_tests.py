"""Runs the own tests of the package `diplomacy` against lepanto.diplomacy, by the package's rules. Nothing of them is kept here.

    package_tests.py [FOLDER] [--words]    FOLDER: its diplomacy/tests; default: that of the installed package

Prints one JSON object: by module how many tests passed, and the names of those that failed. Of the DATC cases the boards count;
with --words also the words for what became of each order.
"""
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import sys
import types

import lepanto.diplomacy


def folder():
    given = [one for one in sys.argv[1:] if not one.startswith("-")]
    if given:
        return given[0]
    # Before install() the name is that of the package.
    return os.path.join(os.path.dirname(importlib.util.find_spec("diplomacy").origin), "tests")


def cases(module):
    for name, value in list(vars(module).items()):
        if name.startswith("test") and callable(value):
            yield name, value
        elif inspect.isclass(value) and value.__module__ == module.__name__:
            yield from ((case, getattr(value(), case)) for case in dir(value) if case.startswith("test"))


def run(name):
    module = importlib.import_module(f"diplomacy.tests.{name}")
    for value in list(vars(module).values()):
        if inspect.isclass(value) and "check_results" in vars(value) and "--words" not in sys.argv:
            value.check_results = staticmethod(lambda *_, **__: True)
    passed, failed = 0, []
    for case, act in cases(module):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                act()
            passed += 1
        except Exception as error:
            failed.append(f"{case}: {error!r}"[:200])
    return {"passed": passed, "failed": failed}


tests = types.ModuleType("diplomacy.tests")
tests.__path__ = [folder()]
lepanto.diplomacy.install(rules="package")
sys.modules["diplomacy.tests"] = tests
names = ("test_map", "test_game", "test_datc", "test_datc_no_expand", "test_datc_no_check")
print(json.dumps({name: run(name) for name in names}))
