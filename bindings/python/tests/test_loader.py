"""Tests datasets with torch's DataLoader: shuffling, workers, samplers, resuming within an epoch. Needs torch."""

import importlib.util
import shutil
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any, Dict, List

import numpy as np

import lepanto
from lepanto._server import find_node, script
from lepanto.dataset import Dataset, Sample, padded

try:
    import torch
    from torch.utils.data import DataLoader, DistributedSampler, Subset
except ImportError:
    torch = None


def keys(batches: Any) -> Any:
    return [
        key
        for batch in batches
        for key in zip(batch["game"].tolist(), batch["phase_index"].tolist(), batch["power"].tolist())
    ]


@unittest.skipIf(torch is None, "torch is not installed")
class Loaders(unittest.TestCase):
    dataset: Dataset
    folder: Path
    whole: List[Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="lepanto-loader-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        run = cls.folder / "run"
        arguments = [
            "--games",
            "12",
            "--until",
            "1903",
            "--agents",
            "policy",
            "--workers",
            "1",
            "--quiet",
            "--out",
            str(run),
        ]
        command = [find_node(), str(script("dist/bindings/cli/lepanto.js")), "selfplay", *arguments]
        subprocess.run(command, check=True, capture_output=True)
        cls.dataset = Dataset(run, workers=1)
        cls.whole = keys([cls.dataset[:]])
        torch.manual_seed(3)

    def loader(self, workers: int = 0, **options: Any) -> Any:
        """Returns a DataLoader of a dataset, by default the test's."""
        return DataLoader(options.pop("dataset", self.dataset), num_workers=workers, **options)

    def test_every_epoch_has_all_samples_in_another_order(self) -> None:
        """T3: with workers, every epoch used to have the same order."""
        kinds: List[Dict[str, Any]] = [
            {"workers": 0},
            {"workers": 1, "multiprocessing_context": "fork"},
            {"workers": 4, "multiprocessing_context": "fork", "persistent_workers": True},
            {"workers": 1, "multiprocessing_context": "spawn", "persistent_workers": True},
        ]
        for kind in kinds:
            with self.subTest(**kind):
                loader = self.loader(batch_size=50, shuffle=True, **kind)
                epochs = [keys(loader) for _ in range(3)]
                self.assertEqual(len(set(map(tuple, epochs))), 3)
                for epoch in epochs:
                    self.assertEqual(sorted(epoch), self.whole)

    def test_batches_are_those_of_indices(self) -> None:
        order = self.dataset.by_power().order(40, seed=2)
        for workers in (0, 2):
            loader = self.loader(workers, dataset=self.dataset.by_power(), batch_sampler=order)
            for indices, batch in zip(order, loader):
                wanted = self.dataset.by_power()[indices]
                self.assertEqual(list(batch), list(wanted))
                for name, tensor in batch.items():
                    self.assertIsInstance(tensor, torch.Tensor)
                    np.testing.assert_array_equal(tensor.numpy(), wanted[name], name)
                    self.assertEqual(tensor.numpy().dtype, wanted[name].dtype)
        samples = {name: tensor.numpy() for name, tensor in batch.items()}
        self.assertGreater(len(lepanto.lists_of(samples)[3]), 1)

    def test_tensors_are_taken_as_arrays_are(self) -> None:
        for dataset in (self.dataset, self.dataset.by_power()):
            tensors, arrays = next(iter(self.loader(dataset=dataset, batch_size=8))), dataset[:8]
            for one, other in zip(lepanto.lists_of(tensors), lepanto.lists_of(arrays)):
                np.testing.assert_array_equal(one, other)
            legal, wanted = dataset.legal(tensors), dataset.legal(arrays)
            for name in ("game", "power", "slot", "ids", "starts", "adjusts"):
                np.testing.assert_array_equal(getattr(legal, name), getattr(wanted, name), name)
            np.testing.assert_array_equal(legal.picks(tensors["actions"]), wanted.picks(arrays["actions"]))
            for name, array in padded(tensors).items():
                np.testing.assert_array_equal(array, padded(arrays)[name], name)

    def test_generators_are_of_the_kind_of_the_logits(self) -> None:
        legal = self.dataset.legal(self.dataset[:4])
        array = np.zeros(len(legal.ids), np.float32)
        for logits, generator, words in (
            (array, 3, "generator: got 3, wanted a numpy.random.Generator"),
            (array, torch.Generator(), "generator: got .*, wanted a numpy.random.Generator"),
            (torch.from_numpy(array), np.random.default_rng(3), "generator: got .*, wanted a torch.Generator"),
            (array.tolist(), None, "logits: got list, wanted a numpy array or a torch tensor"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                legal.sample(logits, generator)

    def test_one_year_is_a_range_of_years(self) -> None:
        self.assertEqual(set(self.dataset.where(years=1902).array("year").tolist()), {1902})
        for years in ((1903, 1901), (1901, 1902, 1903)):
            with self.assertRaisesRegex(ValueError, "years: got"):
                self.dataset.where(years=years)  # type: ignore[arg-type]

    def test_goes_on_in_the_middle_of_an_epoch(self) -> None:
        """T4: with workers, a saved state used to be the beginning of the epoch."""
        order = self.dataset.order(16, seed=5, epoch=1)
        for workers in (0, 2):
            loader = self.loader(workers, batch_sampler=order)
            seen = [batch for _, batch in zip(range(4), loader)]
            rest = self.loader(workers, batch_sampler=order[4:])
            self.assertEqual(keys(seen) + keys(rest), keys(self.dataset.batches(16, seed=5, epoch=1)))
        if importlib.util.find_spec("torchdata") is None:
            return
        from torchdata.stateful_dataloader import StatefulDataLoader

        for workers in (0, 2):
            loader = StatefulDataLoader(self.dataset, batch_size=16, shuffle=True, num_workers=workers)
            passing = iter(loader)
            seen = [next(passing) for _ in range(4)]
            state = loader.state_dict()
            wanted = keys(passing)
            other = StatefulDataLoader(self.dataset, batch_size=16, shuffle=True, num_workers=workers)
            other.load_state_dict(state)
            self.assertEqual(keys(other), wanted)
            self.assertEqual(sorted(keys(seen) + wanted), self.whole)

    def test_tensors_share_the_mapped_memory(self) -> None:
        shard = self.dataset.shards[0]
        with warnings.catch_warnings():
            # torch warns that it cannot make a tensor read-only.
            warnings.filterwarnings("ignore", "The given NumPy array is not writ")
            for view in (
                shard.orders["order_ids"],
                shard.orders["observation"][3:9],
                shard.legal,
                shard.phases["year"],
            ):
                tensor = torch.from_numpy(view)
                self.assertEqual((tensor.data_ptr(), tuple(tensor.shape)), (view.ctypes.data, view.shape))
                self.assertTrue((tensor[2:5].numpy() == view[2:5]).all())
        batch = self.dataset[:5]
        (loaded,) = self.loader(dataset=self.dataset.take(range(5)), batch_size=5)
        self.assertTrue(all((loaded[name].numpy() == array).all() for name, array in batch.items()))

    def test_samplers_and_subsets(self) -> None:
        shares = [DistributedSampler(self.dataset, 2, rank, seed=1) for rank in range(2)]
        epochs = []
        for epoch in range(2):
            for sampler in shares:
                sampler.set_epoch(epoch)
            epochs.append([keys(self.loader(batch_size=20, sampler=sampler)) for sampler in shares])
        self.assertNotEqual(*epochs)
        # The last sample may be repeated, so that all processes have the same number.
        self.assertEqual(sorted({*epochs[1][0], *epochs[1][1]}), self.whole)
        subset = Subset(self.dataset, range(3, 30))
        self.assertEqual(keys(self.loader(dataset=subset, batch_size=10)), self.whole[3:30])
        self.assertEqual(keys(self.loader(sampler=self.dataset.order(7, shuffle=False), batch_size=None)), self.whole)

    def test_own_collate_functions_see_samples(self) -> None:
        def years(samples: Any) -> Any:
            assert all(isinstance(one, Sample) for one in samples)
            return [int(one["year"]) for one in samples]

        loader = self.loader(batch_size=8, collate_fn=years)
        self.assertEqual([year for batch in loader for year in batch], self.dataset.array("year").tolist())


if __name__ == "__main__":
    unittest.main()
