"""Tests datasets: samples equal the arrays of a batch that steps the same games, and the cache is written once."""

import collections
import inspect
import json
import os
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import lepanto
from lepanto import _cache
from lepanto._server import find_node, script
from lepanto.dataset import Dataset, Sample, joined, padded

folder: Path
run: Path
solos: Path


SEVEN = "dumbbot,policy,random,policy,policy,dumbbot,hold"
SEARCHED = Path(__file__).parents[3] / "test/data/searched-run"


def command(*args: Any) -> Any:
    return [find_node(), str(script("dist/bindings/cli/lepanto.js")), *map(str, args), "--quiet"]


def lepanto_command(*args: Any) -> None:
    done = subprocess.run(command(*args), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def setUpModule() -> None:
    global folder, run, solos
    folder = Path(tempfile.mkdtemp(prefix="lepanto-dataset-"))
    run, solos = folder / "run", folder / "solos"
    common = ["--workers", "1", "--out"]
    lepanto_command("selfplay", "--games", "20", "--until", "1904", "--agents", SEVEN, *common, run)
    lepanto_command("selfplay", "--games", "30", "--until", "1915", "--agents", "policy", *common, solos)
    lepanto_command("convert", run, folder / "games.jsonl")


def tearDownModule() -> None:
    shutil.rmtree(folder, ignore_errors=True)


def key(batch: Any, i: Any) -> Any:
    return int(batch["file"][i]), int(batch["game"][i]), int(batch["phase_index"][i]), int(batch["power"][i])


def keys(batches: Any) -> Any:
    return [key(batch, i) for batch in batches for i in range(len(batch["game"]))]


def lists(offsets: Any, ids: Any) -> Any:
    return [ids[offsets[k] : offsets[k + 1]].tolist() for k in range(len(offsets) - 1)]


def rows(dataset: Any) -> Any:
    """Returns samples as dicts of their rows, keyed by game, phase and power."""
    found = {}
    for batch in dataset.batches(100, shuffle=False):
        for i in range(len(batch["game"])):
            row = {name: array[i] for name, array in batch.items() if name not in ("legal_ids", "legal_offsets")}
            if "legal_ids" in batch:
                row["lists"] = lists(batch["legal_offsets"][i], batch["legal_ids"])
            found[key(batch, i)] = row
    return found


def assert_same(one: Any, other: Any) -> None:
    """Asserts that two batches have the same arrays, of the same types."""
    assert one.keys() == other.keys(), (one.keys(), other.keys())
    for name, array in one.items():
        assert array.dtype == other[name].dtype, name
        np.testing.assert_array_equal(array, other[name], name)


class Samples(unittest.TestCase):
    NAMES = ("year", "season", "phase", "build_numbers", "center_counts", "order_counts", "orderable")
    KINDS = {
        "dipnet": ("observation", "previous_orders"),
        "deepmind": ("observation", "deepmind_season", "deepmind_builds", "last_actions", "last_action_count"),
    }

    def check(self, kind: Any) -> None:
        names = self.NAMES + self.KINDS[kind]
        found = rows(Dataset(run, kind))
        games = 20
        options = {"observations": kind, "reset_mode": "disabled", "until": 1904, "actions": "vocabulary"}
        with lepanto.Batch(games, workers=1, **options) as batch:
            seen = 0
            for phase in range(200):
                rows_now = [found.get((0, game, phase, -1)) for game in range(games)]
                if not any(row is not None for row in rows_now):
                    break
                actions = np.full((games, 7, batch.max_orders), -1, np.int32)
                for game, row in enumerate(rows_now):
                    if row is None:
                        self.assertNotEqual(batch.status[game], lepanto.PLAYING)
                        continue
                    seen += 1
                    for name in names:
                        now = getattr(batch, name)[game]
                        if name == "last_actions":
                            count = int(batch.last_action_count[game])
                            self.assertEqual(sorted(now[:count]), sorted(row[name][:count]))
                        else:
                            self.assertTrue((now == row[name]).all(), (name, game, phase))
                    self.assertEqual(lists(batch.legal_offsets[game], batch.legal_ids), row["lists"])
                    self.assertTrue((row["acting"] == (row["order_counts"] > 0)).all())
                    flat = row["order_ids"].reshape(-1)
                    for k, place in enumerate(row["actions"].reshape(-1)):
                        self.assertEqual(flat[k], -1 if place < 0 else row["lists"][k][place])
                    actions[game] = row["order_ids"]
                batch.step(actions)
                for row in rows_now:
                    if row is not None:
                        self.assertTrue(((row["order_ids"] >= 0) == (row["results"] >= 0)).all())
            self.assertEqual(seen, len(found))
            for (_, game, _, _), row in found.items():
                self.assertTrue((row["returns"] == batch.final_scores[game, 0]).all())

    def test_samples_are_what_a_batch_shows(self) -> None:
        for kind in self.KINDS:
            self.check(kind)

    def test_results_are_those_that_are_recorded(self) -> None:
        dataset = Dataset(run)
        found = rows(dataset.only("results", "fates", "orderable", "file", "game", "phase_index", "power"))
        show = subprocess.run(command("replay", run, "--game", "3", "--json")[:-1], capture_output=True, text=True)
        for index, phase in enumerate(json.loads(show.stdout)["phases"][:-1]):
            row = found[(0, 3, index, -1)]
            if phase["phase"].endswith("A"):
                continue
            wanted = {}
            for order in phase["orders"]:
                tag = order["order"].split(" ")[1]
                fate = {None: 0, "dislodged": 1, "destroyed": 2}[order["fate"]]
                wanted[tag] = (order["result"], fate)
            got = {}
            for q, s in np.argwhere(row["results"] >= 0):
                location = dataset.locations[row["orderable"][q, s]]
                got[location] = (lepanto.RESULTS[row["results"][q, s]], int(row["fates"][q, s]))
            self.assertEqual(got, wanted)

    def test_dipcc_boards(self) -> None:
        cicero, dipnet = Dataset(run, "dipcc").array("observation"), Dataset(run).array("observation")
        self.assertEqual((cicero.dtype, cicero.shape[1:]), (np.float32, (81, 38)))
        # The columns are DipNet's, without those for no unit and no owner, and with those of home centres.
        self.assertTrue((cicero[:, :, :2] == dipnet[:, :, :2]).all())
        self.assertTrue((cicero[:, :, 31:].sum(axis=(1, 2)) == 24).all())

    def test_one_power_a_sample(self) -> None:
        dataset = Dataset(run)
        all_powers, found = rows(dataset), rows(dataset.by_power())
        self.assertEqual(len(found), sum(int(row["acting"].sum()) for row in all_powers.values()))
        for (file, game, phase, power), row in found.items():
            whole = all_powers[(file, game, phase, -1)]
            self.assertEqual(np.flatnonzero(row["acting"]).tolist(), [power])
            for name in ("order_counts", "orderable", "order_ids", "results", "fates", "actions"):
                self.assertTrue((row[name] == whole[name][power]).all())
            self.assertEqual(row["lists"], whole["lists"][17 * power : 17 * power + 17])
            for name in ("returns", "observation", "agents", "center_counts"):
                self.assertTrue((row[name] == whole[name]).all())

    def test_targets(self) -> None:
        searched = Dataset(SEARCHED, None, cache=folder / "cache")
        batch = searched[:]
        self.assertEqual((batch["policy"].dtype, batch["policy"].shape), (np.float32, batch["legal_ids"].shape))
        given = batch["actions"] >= 0
        self.assertTrue(np.allclose(padded(batch)["policy"].sum(-1), given, atol=1e-6))
        moves = batch["phase"] == 0
        self.assertTrue(batch["targeted"][moves].all())
        self.assertTrue(((batch["values"][moves] > 0) & (batch["values"][moves] < 1)).all())
        self.assertGreater(((batch["policy"] > 0.01) & (batch["policy"] < 0.99)).sum(), 20)
        # The search estimates no values in retreats and adjustments.
        self.assertTrue(np.isnan(batch["values"][~moves]).all())
        single = searched.by_power()[:]
        self.assertTrue(np.allclose(padded(single)["policy"].sum(-1), single["actions"] >= 0, atol=1e-6))
        # only() gives a run without targets default ones. Runs with and without targets can be read together.
        plain = Dataset(run)
        self.assertNotIn("policy", plain.arrays)
        both = Dataset([run, SEARCHED], None, cache=folder / "cache").take(slice(-8, None))
        for dataset in (plain.only("policy", "actions", "targeted"), both):
            batch = dataset[:]
            full = padded(batch) if dataset is both else padded({**batch, **plain.only("legal_ids", "order_ids")[:]})
            chosen = np.take_along_axis(full["policy"], np.maximum(batch["actions"], 0)[..., None], -1)[..., 0]
            untold = ~batch["targeted"][..., None] & (batch["actions"] >= 0)
            self.assertTrue((chosen[untold] == 1).all() and untold.any())
            self.assertEqual(bool(batch["targeted"].any()), dataset is both)

    def test_steps_ahead(self) -> None:
        plain = Dataset(run)
        before = rows(plain)
        length = collections.Counter(game for _, game, _, _ in before)
        for steps, discount in ((1, 1.0), (3, 0.5)):
            found = rows(plain.ahead(steps, discount))
            for (file, game, phase, _), row in found.items():
                later = min(phase + steps, length[game])
                self.assertEqual(row["steps"], later - phase)
                is_end = later == length[game]
                self.assertAlmostEqual(float(row["discounts"]), 0 if is_end else discount ** (later - phase))
                wanted = row["returns"] * discount ** (later - phase - 1) if is_end else np.zeros(7)
                self.assertTrue(np.allclose(row["rewards"], wanted))
                for name in ("observation", "previous_orders"):
                    self.assertTrue((row[name] == before[(file, game, phase, -1)][name]).all())
                    if not is_end:
                        self.assertTrue((row["next_" + name] == before[(file, game, later, -1)][name]).all())
        few = plain.only("returns").ahead(2)
        self.assertEqual(
            set(few[:2]), {"returns", "steps", "rewards", "discounts", "next_observation", "next_previous_orders"}
        )

    def test_a_missing_shard_is_named(self) -> None:
        part = folder / "part"
        lepanto_command("selfplay", "--games", "8", "--until", "1901", "--shard-games", "4", "--out", part)
        for path in part.glob("games-00000.*"):
            path.unlink()
        for _ in range(2):
            with self.assertWarnsRegex(UserWarning, "part: games 0 to 3 are missing"):
                self.assertEqual(Dataset(part, None).num_games, 4)

    def test_saved_games_read_as_the_run_they_were_made_of(self) -> None:
        names = ("observation", "previous_orders", "order_ids", "actions", "results", "fates", "returns", "winner")
        wanted = Dataset(run).only(*names)[:]
        for ending in ("games.jsonl", "dipcc.jsonl", "games.lep"):
            path = folder / ending
            if ending != "games.jsonl":
                lepanto_command("convert", run, path, *(["--to", "dipcc"] if "dipcc" in ending else []))
            dataset = Dataset(path)
            self.assertTrue((dataset.array("agents") == -1).all())
            found = dataset.only(*names)[:]
            kept = names if ending != "dipcc.jsonl" else names[:4]
            assert_same({name: found[name] for name in kept}, {name: wanted[name] for name in kept})


class Sequences(unittest.TestCase):
    dataset: Dataset

    @classmethod
    def setUpClass(cls) -> None:
        cls.dataset = Dataset(run)

    def test_indices(self) -> None:
        dataset = self.dataset
        whole = dataset[:]
        self.assertEqual(len(dataset), len(whole["game"]))
        chosen = [5, -1, 5, 70]
        batch = dataset[chosen]
        one = dataset[5]
        self.assertIsInstance(one, Sample)
        self.assertEqual((one["year"].shape, one["acting"].shape, one["legal_offsets"][0]), ((), (7,), 0))
        assert_same(batch, joined([dataset[i] for i in chosen]))
        assert_same(batch, dataset[np.array(chosen)])
        mask = np.zeros(len(dataset), bool)
        mask[3:7] = True
        assert_same(dataset[mask], dataset[3:7])
        assert_same(dataset.take(chosen)[:], batch)
        self.assertEqual(dataset[[]]["observation"].shape, (0, 81, 35))
        self.assertEqual(keys([joined(list(dataset.take(range(9))))]), keys([whole])[:9])
        for wrong, error in (
            (len(dataset), IndexError),
            ([0, -len(dataset) - 1], IndexError),
            ([0.5], TypeError),
            ([[1]], TypeError),
        ):
            with self.assertRaises(error):
                dataset[wrong]

    def test_arrays_are_ones_own(self) -> None:
        batch = self.dataset[:4]
        wanted = self.dataset[:4]
        for array in batch.values():
            self.assertTrue(array.flags.writeable and array.flags.c_contiguous)
            array[...] = 0
        assert_same(self.dataset[:4], wanted)

    def test_arrays_by_name(self) -> None:
        self.assertEqual(self.dataset.array("returns").shape, (len(self.dataset), 7))
        few = self.dataset.only("legal_ids", "returns")
        self.assertEqual(few.arrays, ("legal_ids", "returns", "legal_offsets"))
        self.assertEqual(list(few[:3]), list(few.arrays))
        with self.assertRaisesRegex(ValueError, "arrays: got 'steps', wanted some of game, file"):
            self.dataset.only("steps")
        with self.assertRaisesRegex(ValueError, "array: got 'legal_ids'"):
            self.dataset.array("legal_ids")

    def test_batches_follow_from_seed_and_epoch(self) -> None:
        dataset = Dataset(solos, None).only("file", "game", "phase_index", "power")
        first = keys(dataset.batches(64, seed=1))
        self.assertEqual(first, keys(dataset.batches(100, seed=1)))
        self.assertNotEqual(first, keys(dataset.batches(64, seed=1, epoch=1)))
        self.assertNotEqual(first, keys(dataset.batches(64, seed=-2)))
        self.assertEqual(sorted(first), keys(dataset.batches(shuffle=False)))
        self.assertEqual(len(first), len(set(first)))
        order = dataset.order(64, seed=1, drop_last=True)
        self.assertEqual({len(indices) for indices in order}, {64})
        self.assertEqual(len(order), len(dataset) // 64)
        self.assertEqual(keys(dataset[indices] for indices in order[3:]), first[192 : 64 * len(order)])
        self.assertGreater(len({game for _, game, _, _ in first[:100]}), 20)

    def test_passes_do_not_disturb_each_other(self) -> None:
        """T13: a second pass used to end the first one silently."""
        whole = keys(self.dataset.batches(32, seed=3))
        seen = []
        for batch in self.dataset.batches(32, seed=3):
            seen += keys([batch])
            next(self.dataset.batches(32, seed=4))
            next(iter(self.dataset))
        self.assertEqual(seen, whole)

    def test_pickle(self) -> None:
        few = self.dataset.where(powers="FRANCE").by_power().take(slice(3, 40))
        data = pickle.dumps(few)
        self.assertLess(len(data), 100_000)
        assert_same(pickle.loads(data)[:], few[:])

    def test_parameters(self) -> None:
        given = [name for name, one in inspect.signature(Dataset).parameters.items() if one.kind != one.VAR_KEYWORD]
        self.assertLessEqual(len(given), 8)
        for name, hint in (
            ("batch_size", "batches"),
            ("powers", "where"),
            ("per", "by_power"),
            ("shard", "take"),
            ("n_step", "ahead"),
        ):
            with self.assertRaisesRegex(TypeError, f"unexpected parameter '{name}': .*{hint}"):
                Dataset(run, **{name: 1})  # type: ignore[arg-type]
        for options, wanted in (
            ({"observations": "cicero"}, "observations: got 'cicero', wanted one of dipnet, deepmind, dipcc or None"),
            ({"errors": "ask"}, "errors: got 'ask'"),
            ({"map": "nowhere"}, "nowhere"),
            ({"score": "points"}, "points"),
            ({"workers": 1.5}, "workers: got 1.5, wanted a whole number"),
        ):
            with self.assertRaisesRegex((lepanto.LepantoError, ValueError, TypeError), wanted):
                Dataset(run, **options)
        with self.assertRaisesRegex(lepanto.LepantoError, "paths: got .*nothing, wanted a file or a directory"):
            Dataset(folder / "nothing")
        with self.assertRaisesRegex(ValueError, "discount: got 2"):
            self.dataset.ahead(1, 2)

    def test_rows_and_columns(self) -> None:
        samples = self.dataset.where(phases="movement")[:16]
        row, power, slot = np.nonzero(samples["orderable"] >= 0)
        at = self.dataset.rows[samples["orderable"][row, power, slot]]
        column = [self.dataset.columns.index(f"unit of {name}") for name in self.dataset.powers]
        self.assertTrue((samples["observation"][row, at, np.array(column)[power]] == 1).all())
        self.assertTrue((self.dataset.adjacency.armies.sum(), len(self.dataset.order_columns)) == (222, 40))
        cicero = Dataset(run, "dipcc")
        samples = cicero[:16]
        self.assertEqual(len(cicero.columns), samples["observation"].shape[2])
        home = samples["observation"][
            :, cicero.rows[cicero.locations.index("PAR")], cicero.columns.index("home of FRANCE")
        ]
        self.assertTrue((home == 1).all())


class Views(unittest.TestCase):
    @staticmethod
    def bases(array: Any) -> Any:
        found = []
        while isinstance(array, np.ndarray):
            found.append(array)
            array = array.base
        return found

    def test_shards_are_the_mapped_files(self) -> None:
        dataset = Dataset([run, solos])
        self.assertEqual([len(shard.games) for shard in dataset.shards], [20, 30])
        for shard in dataset.shards:
            tables = [table for table in shard if table is not None]
            self.assertEqual(len(tables), 4)
            columns = [table[name] for table in tables[:3] for name in table.dtype.names or ()]
            for view in [*tables, *columns, shard.orders["order_ids"][5:9, 2]]:
                mapped = self.bases(view)[-1]
                self.assertIsInstance(mapped, np.memmap)
                self.assertTrue(np.shares_memory(view, mapped) and not view.flags.writeable)
        ids = dataset.shards[0].orders["order_ids"]
        again = dataset.where(powers="FRANCE").take(slice(4)).shards[0].orders["order_ids"][1:]
        self.assertTrue(np.shares_memory(ids, again))
        with self.assertRaisesRegex(ValueError, "read-only"):
            ids[0] = 0

    def test_views_and_batches_agree(self) -> None:
        dataset = Dataset([solos, run]).where(years=1902).take(slice(None, None, -3))
        shard, row = dataset.places()
        self.assertEqual((shard.dtype, row.dtype, set(shard.tolist())), (np.int64, np.int64, {0, 1}))
        batch = dataset[:]
        for number, tables in enumerate(dataset.shards):
            mine, rows = shard == number, row[shard == number]
            orders, phases = tables.orders, tables.phases
            for name in ("orderable", "order_ids", "results", "fates", "center_counts"):
                np.testing.assert_array_equal(orders[name][rows], batch[name][mine])
            for name in ("observation", "previous_orders"):
                np.testing.assert_array_equal(dataset.unpacked(orders[name][rows], name), batch[name][mine])
            np.testing.assert_array_equal(phases["year"][rows], batch["year"][mine])
            games = tables.games[phases["game"][rows]]
            score = games["scores"][:, lepanto.SCORES.index("sum_of_squares")]
            np.testing.assert_array_equal(score, batch["returns"][mine])
            sizes = orders["list_sizes"][rows].sum((1, 2))
            for begin, size, i in zip(phases["legal"][rows], sizes, np.flatnonzero(mine)):
                first, last = batch["legal_offsets"][i, [0, -1]]
                np.testing.assert_array_equal(tables.legal[begin : begin + size], batch["legal_ids"][first:last])

    def test_boards_as_bits(self) -> None:
        dataset = Dataset(run)
        stored = dataset.shards[0].orders["observation"]
        self.assertEqual(dataset.unpacked(stored[3]).shape, (81, 35))
        np.testing.assert_array_equal(dataset.unpacked(stored[:6].reshape(2, 3, -1))[1, 0], dataset.unpacked(stored[3]))
        for wrong, name, wanted in (
            (stored[:, 1:], "observation", r"stored: got uint8\[\d+, 354\], wanted uint8\[..., 355\]"),
            (stored.astype(int), "observation", "stored: got int64"),
            (stored, "results", "name: got 'results', wanted some of observation, previous_orders"),
        ):
            with self.assertRaisesRegex(ValueError, wanted):
                dataset.unpacked(wrong, name)


class Choice(unittest.TestCase):
    def test_where(self) -> None:
        dataset = Dataset(solos, None)
        every = rows(dataset)
        outcomes = {game: int(row["winner"]) for (_, game, _, _), row in every.items()}
        self.assertTrue(-1 in outcomes.values() and len(set(outcomes.values())) > 2)
        chosen = dataset.where(powers=["france", "ITALY"], phases=["retreat", "adjustment"], years=(1902, 1905))
        found = rows(chosen)
        self.assertTrue(found)
        for k, row in every.items():
            acting = [q for q in (2, 4) if row["order_counts"][q] > 0]
            wanted = acting and row["phase"] != lepanto.MOVEMENT and 1902 <= row["year"] <= 1905
            self.assertEqual(k in found, bool(wanted))
            if wanted:
                self.assertEqual(np.flatnonzero(found[k]["acting"]).tolist(), acting)
        stepwise = (
            dataset.where(years=(1902, 1905))
            .where(powers="FRANCE,ITALY".split(","))
            .where(phases=["retreat", "adjustment"])
        )
        assert_same(stepwise[:], chosen[:])
        assert_same(dataset.by_power().where(powers="ITALY")[:], dataset.where(powers="ITALY").by_power()[:])
        drawn = {game for game, who in outcomes.items() if who < 0}
        self.assertEqual(set(dataset.where(winners="draw").array("game").tolist()), drawn)
        self.assertEqual(len(dataset.where(years=(1800, 1801))), 0)
        for options, wanted in (
            ({"powers": ["SPAIN"]}, "powers: got 'SPAIN', wanted some of AUSTRIA"),
            ({"phases": "moves"}, "phases: got 'moves', wanted some of movement, retreat, adjustment"),
            ({"winners": []}, "winners: got none"),
            ({"years": (1905, 1902)}, "years: got 1905 to 1902, wanted the first and the last year"),
            ({"agents": "dumbot"}, "agents: got 'dumbot', wanted some of policy"),
        ):
            with self.assertRaisesRegex(ValueError, wanted):
                dataset.where(**options)

    def test_agents(self) -> None:
        dataset = Dataset([run, solos], None).where(agents="dumbbot").by_power()
        self.assertEqual(dataset.agent_names, ["dumbbot", "hold", "policy", "random"])
        self.assertEqual(dataset.files, [str(run / "games-00000.lep"), str(solos / "games-00000.lep")])
        self.assertEqual(set(dataset.array("power").tolist()), {0, 5})
        self.assertEqual(set(dataset.array("file").tolist()), {0})
        self.assertTrue((dataset.array("agents") == [0, 2, 3, 2, 2, 0, 1]).all())

    def test_others_have_no_lists(self) -> None:
        """T1: legal lists used to contain all powers, not only the chosen ones."""
        for dataset, options in (
            (Dataset(run), {"agents": ["dumbbot"]}),
            (Dataset(run), {"powers": ["FRANCE"]}),
            (Dataset(solos), {"winner_only": True}),
        ):
            every, chosen = dataset[:], dataset.where(**options)
            samples = chosen[:]
            acting = samples["acting"]
            self.assertTrue(acting.any() and (acting.sum() < (Dataset(run).array("order_counts") > 0).sum()))
            self.assertEqual(int(samples["order_counts"].sum()), int(samples["order_counts"][acting].sum()))
            self.assertTrue((samples["actions"][~acting] == -1).all())
            self.assertTrue((samples["order_ids"][~acting] >= 0).any())
            row, power, _, starts, _ = lepanto.lists_of(samples)
            self.assertTrue(acting[row, power].all() and len(starts) > 1)
            legal = chosen.legal(samples)
            self.assertTrue(acting[legal.game, legal.power].all())
            self.assertEqual(len(legal), int(samples["order_counts"].sum()))
            full = padded(samples)
            self.assertEqual(full["legal_mask"].any((2, 3)).tolist(), acting.tolist())
            # The lists and orders of the chosen powers are unchanged.
            wanted = padded(
                {
                    name: array
                    for name, array in dataset.take(np.isin(np.arange(len(dataset)), self.rows(dataset, chosen)))[
                        :
                    ].items()
                },
                512,
            )
            self.assertTrue((padded(samples, 512)["legal"][acting] == wanted["legal"][acting]).all())
            self.assertTrue((samples["actions"][acting] == wanted["actions"][acting]).all())
            self.assertEqual(every["game"].shape, (len(dataset),))
            single = chosen.by_power()[:]
            self.assertEqual(len(single["game"]), int(acting.sum()))
            self.assertEqual(len(lepanto.lists_of(single)[3]), len(starts))

    @staticmethod
    def rows(dataset: Any, chosen: Any) -> Any:
        places = {key: i for i, key in enumerate(keys([dataset[:]]))}
        return [places[key] for key in keys([chosen[:]])]


class Lists(unittest.TestCase):
    def test_legal_lists_of_batches(self) -> None:
        whole = Dataset(run)
        for dataset in (whole, whole.where(powers=["FRANCE", "ITALY"]).by_power()):
            for samples in dataset.batches(64, seed=1):
                legal = dataset.legal(samples)
                self.assertEqual(len(legal), int((samples["order_counts"]).sum()))
                picks = legal.picks(samples["actions"])
                at = np.flatnonzero(picks >= 0)
                by_power = samples["actions"].ndim == 2
                slots = (
                    (legal.game[at], legal.slot[at]) if by_power else (legal.game[at], legal.power[at], legal.slot[at])
                )
                self.assertTrue((legal.ids[legal.starts[:-1][at] + picks[at]] == samples["order_ids"][slots]).all())
                drawn, logs = legal.sample(np.zeros(len(legal.ids)))
                again, _ = dataset.legal(samples).sample(np.zeros(len(legal.ids)))
                self.assertTrue((drawn == again).all() and np.isfinite(logs).all())
                self.assertEqual(legal.actions(drawn).reshape(samples["actions"].shape).shape, samples["actions"].shape)
                row, power, ids, starts, chosen = lepanto.lists_of(samples)
                self.assertEqual(len(starts) - 1, len(at))
                self.assertTrue((ids[starts[:-1] + chosen] == samples["order_ids"][samples["actions"] >= 0]).all())
                wanted = samples["power"][legal.game[at]] if by_power else legal.power[at]
                self.assertTrue((power[starts[:-1]] == wanted).all())
                self.assertTrue((row[starts[:-1]] == legal.game[at]).all())

    def test_padded(self) -> None:
        for dataset in (Dataset(run), Dataset(run).by_power()):
            batch = dataset[:50]
            full = padded(batch, 400)
            self.assertEqual(full["legal"].shape, batch["order_ids"].shape + (400,))
            self.assertTrue(((full["legal"] >= 0) == full["legal_mask"]).all())
            chosen = np.take_along_axis(full["legal"], np.maximum(batch["actions"], 0)[..., None], -1)[..., 0]
            given = batch["actions"] >= 0
            self.assertTrue((chosen[given] == batch["order_ids"][given]).all())
            flat = full["legal"].reshape(50, -1, 400)
            for i in (0, 49):
                for k, ids in enumerate(lists(batch["legal_offsets"][i], batch["legal_ids"])):
                    self.assertEqual(flat[i, k][full["legal_mask"].reshape(50, -1, 400)[i, k]].tolist(), ids)
            with self.assertRaisesRegex(ValueError, "width: got 1, wanted"):
                padded(batch, 1)


def contents(place: Any) -> Any:
    """Returns the bytes of all tables below a folder, keyed by path."""
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*.npy"))}


class Cache(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Path(tempfile.mkdtemp(dir=folder))

    def open_in(self, options: str = "", times: int = 1, **how: Any) -> Any:
        """Starts processes that open games.jsonl with a cache, and print the number of samples."""
        where = f"{str(folder / 'games.jsonl')!r}, cache={str(self.place)!r}{options}"
        code = f"from lepanto.dataset import Dataset\nprint(len(Dataset({where})))"
        pipe = subprocess.PIPE
        return [
            subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True, **how)
            for _ in range(times)
        ]

    def test_the_second_use_starts_no_engine(self) -> None:
        wanted = Dataset(run, cache=self.place)[:]
        with mock.patch.object(subprocess, "Popen", side_effect=AssertionError("an engine was started")):
            dataset = Dataset(run, cache=self.place)
            assert_same(dataset[:], wanted)
        size = sum(len(data) for data in contents(self.place).values())
        self.assertLess(size / len(dataset), 5000)
        # A cache next to the games is found after both were moved.
        place = self.place / "here"
        shutil.copytree(run, place / "run")
        Dataset(place / "run", None)
        place.rename(self.place / "there")
        with mock.patch.object(subprocess, "Popen", side_effect=AssertionError("an engine was started")):
            moved = Dataset(self.place / "there/run", None)
        self.assertEqual(moved.files, [str(self.place / "there/run/games-00000.lep")])
        assert_same(moved[:], Dataset(run, None)[:])

    def test_one_engine_writes_the_caches_of_many_runs(self) -> None:
        find_node()
        with mock.patch.object(subprocess, "Popen", wraps=subprocess.Popen) as started:
            both = Dataset([run, solos], None, cache=self.place)
        self.assertEqual((started.call_count, len(both.folders)), (1, 2))
        one, other = (Dataset(path, None)[:] for path in (run, solos))
        found = both.take(slice(len(one["game"]), None)).only("game", "phase_index", "returns", "order_ids")[:]
        assert_same(found, {name: other[name] for name in found})

    def test_of_two_processes_one_writes(self) -> None:
        found = [process.communicate() for process in self.open_in(times=2)]
        self.assertEqual({out for out, _ in found}, {f"{len(Dataset(run))}\n"}, found)
        (part,) = self.place.glob("*/part-*")
        self.assertEqual([path.name for path in self.place.glob("*/*.part")], [], part)

    def test_the_same_call_resumes_after_a_kill(self) -> None:
        for begun in ("*/*.part", "*/*.part/orders.npy"):
            (process,) = self.open_in(start_new_session=True)
            while process.poll() is None and not any(self.place.glob(begun)):
                time.sleep(0.002)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        again = Dataset(folder / "games.jsonl", cache=self.place)
        assert_same(again[:], Dataset(folder / "games.jsonl")[:])

    def test_a_run_grows_while_a_dataset_is_open(self) -> None:
        whole, grown = self.place / "whole", self.place / "grown"
        lepanto_command(
            "selfplay", "--games", "6", "--until", "1901", "--agents", "policy", "--shard-games", "2", "--out", whole
        )
        grown.mkdir()
        lengths = []
        former = None
        for shard in range(3):
            for name in ("manifest.json", f"games-0000{shard}.lep", f"games-0000{shard}.table"):
                shutil.copy2(whole / name, grown / name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dataset = Dataset(grown, None)
            lengths.append(len(dataset))
            if former is not None:
                # An open dataset keeps its games, also when it is pickled.
                assert_same(former[:], dataset.take(slice(len(former)))[:])
                assert_same(pickle.loads(pickle.dumps(former))[:], former[:])
            former = dataset
        self.assertEqual(lengths, sorted(set(lengths)))
        assert former is not None
        assert_same(former[:], Dataset(whole, None)[:])
        # Changed games are read again.
        for path in grown.glob("games-00002.*"):
            path.unlink()
        with self.assertWarnsRegex(UserWarning, "games 4 to 5 are missing"):
            self.assertEqual(len(Dataset(grown, None)), lengths[1])

    def test_changed_files_are_refused_by_name(self) -> None:
        dataset = Dataset(run, None, cache=self.place)
        (path,) = self.place.glob("*/part-*/orders.npy")
        data = path.read_bytes()
        # A later modification time alone is not a change.
        os.utime(path)
        assert_same(Dataset(run, None, cache=self.place)[:], dataset[:])
        for wrong, words in (
            (data[:-100], "bytes, wanted"),
            (data[:-1] + b"\xff", "got other bytes than were written"),
        ):
            path.write_bytes(wrong)
            with self.assertRaisesRegex(ValueError, f"orders.npy: .*{words}.*: remove .*part-"):
                Dataset(run, None, cache=self.place)
        path.unlink()
        with self.assertRaisesRegex(ValueError, "orders.npy: got no such file"):
            Dataset(run, None, cache=self.place)
        shutil.rmtree(path.parent)
        (path.parents[1] / "index.json").unlink()
        Dataset(run, None, cache=self.place)

    def test_a_cache_of_another_version_is_written_again(self) -> None:
        wanted = Dataset(run, None, cache=self.place)[:]
        (index,) = self.place.glob("*/index.json")
        facts = json.loads(index.read_text())
        for change in ({"lepanto": "0.1.0"}, {"version": 2}):
            index.write_text(json.dumps({**facts, **change}))
            with self.assertWarnsRegex(UserWarning, "a cache of Lepanto .* is written again"):
                assert_same(Dataset(run, None, cache=self.place)[:], wanted)
            self.assertEqual(json.loads(index.read_text())["lepanto"], lepanto.__version__)

    def test_a_folder_that_cannot_be_written_is_named(self) -> None:
        for cache in ("/proc/lepanto", folder / "games.jsonl"):
            with self.assertRaisesRegex(
                lepanto.LepantoError, f"cache: cannot write in {cache}.*wanted another directory: cache=DIR"
            ):
                Dataset(run, "deepmind", cache=cache)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        (process,) = self.open_in(preexec_fn=limit)
        said = process.communicate()[1].splitlines()[-1]
        self.assertRegex(said, "LepantoError: cannot write .*orders.npy: .*; wanted another directory: cache=DIR")
        self.assertEqual(list(self.place.glob("*/*.part")), [])

    def test_games_that_cannot_be_read(self) -> None:
        path = self.place / "broken.jsonl"
        text = (folder / "games.jsonl").read_text().split("\n")
        text[4] = text[4].replace('"A PAR"', '"A XYZ"', 1)
        path.write_text("\n".join(text))
        with self.assertRaisesRegex(lepanto.LepantoError, "broken.jsonl, game 4: "):
            Dataset(path)
        dataset = Dataset(path, None, errors="skip")
        self.assertEqual(set(dataset.array("game").tolist()), set(range(20)) - {4})
        self.assertEqual(dataset.skipped, 1)
        self.assertRegex(str(dataset.trouble), "broken.jsonl, game 4: ")
        # JSON lines without their beginning are read from the next line, whatever the name of the file.
        cut = self.place / "cut.json"
        cut.write_bytes(b"".join((folder / "games.jsonl").read_bytes().splitlines(keepends=True)[:6])[1000:])
        dataset = Dataset(cut, None, errors="skip")
        self.assertEqual((len(set(dataset.array("game").tolist())), dataset.skipped), (5, 1))
        self.assertIn("game 0", str(dataset.trouble))
        (self.place / "bad.json").write_text('{"phases": [')
        dataset = Dataset(self.place / "bad.json", None, errors="skip")
        self.assertEqual((len(dataset), dataset.skipped, list(dataset.batches())), (0, 1, []))

    def test_games_by_other_rules_are_told(self) -> None:
        """T11: games whose record contradicts the rules used to cause no warning."""
        played, saved = self.place / "run", self.place / "games.jsonl"
        options = ["--rules", "datc-2.4", "--agents", "random", "--games", "12", "--until", "1904", "--seed", "3"]
        lepanto_command("selfplay", *options, "--workers", "1", "--out", played)
        lepanto_command("convert", played, saved)
        for _ in range(2):
            with self.assertWarnsRegex(
                UserWarning, r'[1-9]\d* of 12 games contradict the rules datc-3.2.*; rules="datc-2.4" fits'
            ):
                dataset = Dataset(saved, None)
        self.assertIn("datc-2.4", dataset.fitting_rules)
        self.assertGreater(dataset.disagreeing, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(Dataset(saved, None, rules="datc-2.4").disagreeing, 0)


class Folders(unittest.TestCase):
    """Tests datasets of folders written by `lepanto tensors`."""

    def write(self, place: Any, *options: Any, games: Any = None) -> Any:
        arguments = command("tensors", games or solos, "--out", place, "--part-games", 12, *options)
        return subprocess.run(arguments, capture_output=True, text=True)

    def test_the_files_do_not_depend_on_workers_or_on_being_killed(self) -> None:
        place, killed = folder / "tensors", folder / "killed"
        written = self.write(place, "--workers", 2, "--json")
        self.assertEqual(written.returncode, 0, written.stderr)
        told = json.loads(written.stdout)
        dataset = Dataset(place)
        self.assertEqual((told["games"], told["parts"], told["skipped"], told["samples"]), (30, 3, 0, len(dataset)))
        assert_same(dataset[:], Dataset(solos)[:])
        wanted = contents(place)
        for part in ("part-00000000-12*", "part-00000012-12*"):
            child = subprocess.Popen(command("tensors", solos, "--out", killed, "--part-games", 12, "--workers", 1))
            while child.poll() is None and not any(killed.glob(part)):
                time.sleep(0.002)
            child.send_signal(signal.SIGKILL)
            child.wait()
        with self.assertRaisesRegex(ValueError, "killed: got tensors that are not whole, wanted the same"):
            Dataset(killed)
        self.assertEqual(self.write(killed, "--workers", 1).returncode, 0)
        self.assertEqual(contents(killed), wanted)
        # Writes damaged and missing parts again, removes files of a killed start, and keeps the other parts.
        kept = (killed / "part-00000000-12/orders.npy").stat().st_mtime_ns
        (killed / "part-00000012-12/orders.npy").write_bytes(b"short")
        shutil.rmtree(killed / "part-00000024-6")
        (killed / "part-00000000-12.elsewhere.part").mkdir()
        self.assertEqual(self.write(killed).returncode, 0)
        self.assertEqual(contents(killed), wanted)
        self.assertEqual((killed / "part-00000000-12/orders.npy").stat().st_mtime_ns, kept)
        self.assertEqual(len(list(killed.iterdir())), 4)

    def test_others_are_refused(self) -> None:
        place = folder / "others"
        self.assertEqual(self.write(place, games=run).returncode, 0)
        for options, games, wanted in (
            (["--encoder", "none"], run, "holds other tensors: its options is"),
            (["--part-games", "8"], run, "holds other tensors: its part_games is 12, wanted 8"),
            ([], solos, "holds other tensors: it has games of .*--replace"),
            (["--encoder", "cicero"], run, '--encoder: got "cicero", wanted one of none, dipnet'),
        ):
            done = self.write(place, *options, games=games)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, wanted)
        self.assertIn("but no index.json, wanted an empty or a new one", self.write(run, games=run).stderr)
        self.assertEqual(self.write(place, "--replace").returncode, 0)
        self.assertEqual(Dataset(place).num_games, 30)
        index = json.loads((place / "index.json").read_text())
        (place / "index.json").write_text(json.dumps({**index, "version": 2}))
        with self.assertRaisesRegex(ValueError, "got tensors of version 2, wanted 3"):
            Dataset(place)

    def test_indices_name_what_the_cache_reads(self) -> None:
        """The index that the engine writes has the format and stamps that the Python cache expects."""
        index = Dataset(run).folders[0] / "index.json"
        facts = json.loads(index.read_text())
        self.assertEqual((facts["format"], facts["version"]), _cache.FORMAT)
        names = ["run", "run/games-00000.lep", "run/manifest.json"]
        self.assertEqual(facts["stamps"], {name: _cache._stamp(str(folder / name)) for name in names})


if __name__ == "__main__":
    unittest.main()
