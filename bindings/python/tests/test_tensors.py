"""Tests that tensors yield the batches of a dataset, from files that do not depend on workers or on being killed."""

import json
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

from lepanto._server import find_node, script
from lepanto.dataset import Dataset, padded
from lepanto.tensors import Tensors

SEARCHED = Path(__file__).parents[3] / "test/data/searched-run"
GAMES = 40


def command(*args):
    return [find_node(), str(script("dist/bindings/cli/lepanto.js")), *map(str, args), "--quiet"]


def lepanto_command(*args):
    return subprocess.run(command(*args), capture_output=True, text=True)


def setUpModule():
    global folder, run, tensors
    folder = Path(tempfile.mkdtemp(prefix="lepanto-tensors-"))
    run, tensors = folder / "run", folder / "tensors"
    done = lepanto_command("selfplay", "--games", GAMES, "--until", "1903", "--agents", "policy", "--out", run, "--workers", 1)
    assert done.returncode == 0, done.stderr
    written = lepanto_command("tensors", run, "--out", tensors, "--part-games", 16, "--workers", 2, "--json")
    assert written.returncode == 0, written.stderr
    told = json.loads(written.stdout)
    assert (told["games"], told["parts"], told["skipped"]) == (GAMES, 3, 0), told


def tearDownModule():
    shutil.rmtree(folder, ignore_errors=True)


def contents(place):
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def keys(batch):
    return list(zip(batch["game"].tolist(), batch["phase_index"].tolist(), batch["power"].tolist()))


class Batches(unittest.TestCase):
    def assert_same(self, one, other):
        self.assertEqual(sorted(one), sorted(other))
        for name, array in one.items():
            self.assertEqual((array.dtype, array.shape), (other[name].dtype, other[name].shape), name)
            self.assertTrue(np.array_equal(array, other[name], equal_nan=array.dtype == np.float32), name)

    def check(self, paths, place, **options):
        with Dataset(paths, 50, shuffle=0, **options) as dataset:
            wanted = list(dataset)
            mapped = Tensors(place, 50, shuffle=0)
            found = list(mapped)
            self.assertEqual((mapped.agent_names, mapped.files), (dataset.agent_names, dataset.files))
            self.assertEqual((mapped.powers, mapped.locations), (dataset.powers, dataset.locations))
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            self.assert_same(one, other)

    def test_in_order_they_are_those_of_a_dataset(self):
        self.check(run, tensors)

    def test_targets_per_power(self):
        place = folder / "searched"
        options = ["--targets", "--per", "power", "--encoder", "none", "--score", "draw_size"]
        self.assertEqual(lepanto_command("tensors", SEARCHED, "--out", place, *options).returncode, 0)
        self.check(SEARCHED, place, targets=True, per="power", observations=None, score="draw_size")

    def test_shuffled_they_are_all_there_once_in_an_order_of_the_seed(self):
        whole = {}
        for batch in Tensors(tensors, 50, shuffle=0):
            full = padded(batch, 400)
            whole.update({key: (full["legal"][i], full["observation"][i]) for i, key in enumerate(keys(batch))})
        shuffled = Tensors(tensors, 64, shuffle=32, seed=-7)
        epochs = [list(shuffled), list(shuffled)]
        orders = [[key for batch in epoch for key in keys(batch)] for epoch in epochs]
        self.assertNotEqual(*orders)
        self.assertEqual(sorted(orders[0]), sorted(whole))
        self.assertEqual(sorted(orders[1]), sorted(whole))
        for batch in epochs[1]:
            full = padded(batch, 400)
            for i, key in enumerate(keys(batch)):
                legal, observation = whole[key]
                self.assertTrue((full["legal"][i] == legal).all() and (full["observation"][i] == observation).all())
        again = [key for batch in Tensors(tensors, 50, shuffle=20, seed=-7) for key in keys(batch)]
        # Two parts of 16 games either way.
        self.assertEqual(again, orders[0])

    def test_resumes_anywhere(self):
        whole = Tensors(tensors, 64, shuffle=16, seed=3)
        order = [key for _ in range(2) for batch in whole for key in keys(batch)]
        for batches in (0, 1, 7, len(order) // 128 + 1):
            first = Tensors(tensors, 64, shuffle=16, seed=3)
            taken = [key for _, batch in zip(range(batches), first) for key in keys(batch)] if batches else []
            rest = Tensors(tensors, 30, shuffle=16, seed=3)
            rest.load_state_dict(json.loads(json.dumps(first.state_dict())))
            taken += [key for batch in rest for key in keys(batch)]
            self.assertEqual(taken, order[: len(taken)])
            self.assertIn(len(taken), (len(order) // 2, len(order)))
        with self.assertRaisesRegex(ValueError, "state, seed: got 3, wanted 4"):
            Tensors(tensors, shuffle=16, seed=4).load_state_dict(whole.state_dict())

    def test_shards_and_last_batches(self):
        shards = [Tensors(tensors, 100, shard=(i, 2)) for i in range(2)]
        found = [key for shard in shards for batch in shard for key in keys(batch)]
        self.assertEqual(len(set(found)), sum(shard.num_samples for shard in shards))
        whole = Tensors(tensors, 100, drop_last=True)
        self.assertEqual(sorted(found), sorted(key for batch in Tensors(tensors) for key in keys(batch)))
        self.assertEqual([len(batch["game"]) for batch in whole], [100] * (whole.num_samples // 100))
        self.assertEqual(whole.part(1, 2).num_samples, shards[1].num_samples)


class Folders(unittest.TestCase):
    def write(self, place, *options):
        return lepanto_command("tensors", run, "--out", place, "--part-games", 16, *options)

    def test_the_files_do_not_depend_on_workers_or_on_being_killed(self):
        wanted = contents(tensors)
        place = folder / "killed"
        for wait in (0.5, 0.8, 1.1):
            options = ["--out", str(place), "--part-games", "16", "--workers", "1"]
            child = subprocess.Popen(command("tensors", run, *options), stdout=subprocess.DEVNULL)
            time.sleep(wait)
            child.send_signal(signal.SIGKILL)
            child.wait()
        self.assertEqual(self.write(place, "--workers", 1).returncode, 0)
        self.assertEqual(contents(place), wanted)
        # What is damaged or missing is written again, what a killed start has left is removed.
        part = place / "part-00001"
        (part / "year.npy").write_bytes(b"short")
        shutil.rmtree(place / "part-00002")
        (place / "part-00000.elsewhere.part").mkdir()
        self.assertEqual(self.write(place).returncode, 0)
        self.assertEqual(contents(place), wanted)
        self.assertEqual(sorted(path.name for path in place.iterdir()), sorted({Path(name).parts[0] for name in wanted}))

    def test_others_are_refused(self):
        for options, wanted in (
            (["--per", "power"], "holds other tensors: its options is"),
            (["--part-games", "8"], "holds other tensors: its part_games is 16, here it is 8"),
            (["--encoder", "cicero"], '--encoder: got "cicero", wanted one of none, dipnet'),
        ):
            done = self.write(tensors, *options)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(wanted, done.stderr)
        done = self.write(run)
        self.assertIn("but no index.json, wanted an empty or a new one", done.stderr)

    def test_python_refuses_what_is_not_whole(self):
        with self.assertRaisesRegex(ValueError, "tensors: got .*run, wanted a folder that `lepanto tensors` has written"):
            Tensors(run)
        place = folder / "damaged"
        shutil.copytree(tensors, place)
        np.save(place / "part-00002/year.npy", np.zeros(3, np.int16))
        with self.assertRaisesRegex(ValueError, "year.npy: got 3 rows, wanted "):
            list(Tensors(place))
        index = json.loads((place / "index.json").read_text())
        (place / "index.json").write_text(json.dumps({**index, "parts": None}))
        with self.assertRaisesRegex(ValueError, "which is not whole, wanted the same `lepanto tensors` command to end"):
            Tensors(place)


if __name__ == "__main__":
    unittest.main()
