"""Tests views and batches of a dataset as arrays of JAX."""

import tempfile
import unittest
from pathlib import Path

import jax
import numpy as np

from lepanto.dataset import Dataset, padded

SEARCHED = Path(__file__).parents[3] / "test/data/searched-run"


class Arrays(unittest.TestCase):
    def test_views_and_batches(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            dataset = Dataset(SEARCHED, cache=cache)
            shard = dataset.shards[0]
            for view in (shard.orders["order_ids"][3:9], shard.legal, shard.games["scores"]):
                np.testing.assert_array_equal(np.asarray(jax.numpy.asarray(view)), view)
            batch = padded(dataset[:16], 400)
            put = jax.device_put(batch)
            for name, array in batch.items():
                np.testing.assert_array_equal(np.asarray(put[name]), array)


if __name__ == "__main__":
    unittest.main()
