"""Tests that the recipes of GUIDE.md with Gymnasium and Ray, and the notebook, run and learn if these are installed."""

import importlib
import importlib.util
import sys
import unittest
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"


def has(name: Any) -> Any:
    return importlib.util.find_spec(name) is not None


def load(name: Any) -> Any:
    # The recipes in torch import a net from their folder.
    sys.path.insert(0, str(EXAMPLES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(EXAMPLES))


class Recipes(unittest.TestCase):
    @unittest.skipUnless(has("gymnasium"), "got no gymnasium")
    def test_gymnasium_loop(self) -> None:
        scores = load("gym_seat").play(40, games=32)
        self.assertGreater(len(scores), 64)
        self.assertTrue(0.1 < scores.mean() < 0.2, "random play is near parity")

    @unittest.skipUnless(has("ray"), "got no ray")
    def test_ray_actors(self) -> None:
        import os

        import ray

        os.environ.setdefault("RAY_AUTH_MODE", "disabled")

        # Ray pickles functions by name, so its processes need the module's folder on their path.
        path = os.pathsep.join([str(EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {"env_vars": {"PYTHONPATH": path}}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
        try:
            scores = load("ray_actors").league(200)
        finally:
            ray.shutdown()
        self.assertEqual(scores.shape, (200, 7))
        self.assertAlmostEqual(float(scores.sum(1).mean()), 1.0, 4)

    @unittest.skipUnless(has("nbclient") and has("ipykernel"), "got no nbclient")
    def test_notebook(self) -> None:
        import nbclient
        import nbformat

        notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
        nbclient.NotebookClient(notebook, timeout=120).execute()
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.assertTrue(all(cell.execution_count for cell in cells))
        self.assertIn("AUSTRIA", cells[5].outputs[0].text)


if __name__ == "__main__":
    unittest.main()
