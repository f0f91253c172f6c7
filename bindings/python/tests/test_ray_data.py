"""Tests lepanto.ray.read(): the samples of lepanto.dataset as a ray.data.Dataset. Needs `pip install "ray[data]"`."""

import os
import tempfile
import unittest
from typing import Any

os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np
import ray

import lepanto.ray
from lepanto.dataset import Dataset, padded


def by_sample(batches: Any) -> Any:
    """Returns the rows of each sample, in the order of games and phases."""
    found = {}
    for batch in batches:
        rows = padded(batch, 300)
        for i, key in enumerate(zip(rows["game"].tolist(), rows["phase_index"].tolist())):
            found[key] = {name: array[i] for name, array in rows.items()}
    return found


class Data(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        cls.addClassCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False

    def test_the_samples_of_a_run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            lepanto.ray.selfplay(run, games=40, agents="policy", until=1903)
            dataset = Dataset(run)
            wanted = by_sample(dataset.batches(256))
            rows = lepanto.ray.read(dataset, parts=3, batch_size=100)
            found = by_sample(map(lepanto.ray.joined, rows.iter_batches(batch_size=64)))
            self.assertEqual(found.keys(), wanted.keys())
            for key, sample in wanted.items():
                self.assertEqual(found[key].keys(), sample.keys())
                for name, array in sample.items():
                    np.testing.assert_array_equal(found[key][name], array, f"{key}, {name}")
            bare = lepanto.ray.read(dataset.where(powers="FRANCE").by_power().only("game", "power"), parts=2)
            self.assertEqual(set(bare.unique("power")), {2})


if __name__ == "__main__":
    unittest.main()
