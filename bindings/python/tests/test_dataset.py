"""Tests what a dataset reads: the same as a batch shows when the games are stepped, in an order that follows from the seed."""

import collections
import functools
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

import lepanto
from lepanto._server import find_node, script
from lepanto.dataset import padded

#: With one thread, where a test does not say how many: what starts is most of what a test costs.
Dataset = functools.partial(lepanto.dataset.Dataset, workers=1)
SEVEN = "dumbbot,policy,random,policy,policy,dumbbot,hold"


def lepanto_command(*args):
    done = subprocess.run([find_node(), str(script("dist/bindings/cli/lepanto.js")), *args, "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def setUpModule():
    global folder, run, solos
    folder = Path(tempfile.mkdtemp(prefix="lepanto-dataset-"))
    run, solos = folder / "run", folder / "solos"
    common = ["--workers", "1"]
    lepanto_command("selfplay", "--games", "20", "--until", "1904", "--agents", SEVEN, "--out", str(run), *common)
    lepanto_command("selfplay", "--games", "30", "--until", "1915", "--agents", "policy", "--out", str(solos), *common)
    lepanto_command("convert", str(run), str(folder / "games.jsonl"))


def tearDownModule():
    shutil.rmtree(folder, ignore_errors=True)


def key(batch, i):
    return int(batch["file"][i]), int(batch["game"][i]), int(batch["phase_index"][i]), int(batch["power"][i])


def keys(batches):
    return [key(batch, i) for batch in batches for i in range(len(batch["game"]))]


def lists(offsets, ids):
    return [ids[offsets[k] : offsets[k + 1]].tolist() for k in range(len(offsets) - 1)]


def rows(batches):
    """Samples by key, each a dict of its rows."""
    found = {}
    for batch in batches:
        for i in range(len(batch["game"])):
            row = {name: array[i] for name, array in batch.items() if name not in ("legal_ids", "legal_offsets")}
            row["lists"] = lists(batch["legal_offsets"][i], batch["legal_ids"])
            found[key(batch, i)] = row
    return found


def same(test, one, other, names):
    test.assertEqual(one.keys(), other.keys())
    for k in one:
        for name in names:
            test.assertTrue(np.array_equal(one[k][name], other[k][name]), (k, name))


class Samples(unittest.TestCase):
    NAMES = ("year", "season", "phase", "build_numbers", "center_counts", "order_counts", "orderable")
    KINDS = {
        "dipnet": ("observation", "previous_orders"),
        "deepmind": ("observation", "deepmind_season", "deepmind_builds", "last_actions", "last_action_count"),
    }

    def check(self, kind, mapped):
        names = self.NAMES + self.KINDS[kind]
        with Dataset(run, 100, shuffle=0, observations=kind, workers=2) as dataset:
            self.assertEqual(dataset.mapped, mapped)
            found = rows(dataset)
        games = 20
        batch = lepanto.Batch(games, observations=kind, reset_mode="disabled", until=1904, actions="vocabulary", workers=1)
        with batch:
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
                for game, row in enumerate(rows_now):
                    if row is None:
                        continue
                    given = row["order_ids"] >= 0
                    self.assertTrue((given == (row["results"] >= 0)).all())
            self.assertEqual(seen, len(found))
            for (_, game, _, _), row in found.items():
                self.assertTrue((row["returns"] == batch.final_scores[game, 0]).all())

    def test_samples_are_what_a_batch_shows(self):
        for kind in self.KINDS:
            self.check(kind, True)

    def test_without_koffi(self):
        with mock.patch.dict(os.environ, {"LEPANTO_KOFFI": "none"}):
            self.check("dipnet", False)

    def test_results_are_those_that_are_recorded(self):
        with Dataset(run, shuffle=0) as dataset:
            found = rows(dataset)
            locations = dataset.locations
        done = subprocess.run(
            [find_node(), str(script("dist/bindings/cli/lepanto.js")), "replay", str(run), "--game", "3", "--json"], capture_output=True, text=True
        )
        for index, phase in enumerate(json.loads(done.stdout)["phases"][:-1]):
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
                got[locations[row["orderable"][q, s]]] = (lepanto.RESULTS[row["results"][q, s]], int(row["fates"][q, s]))
            self.assertEqual(got, wanted)

    def test_dipcc_boards(self):
        with Dataset(run, shuffle=0, observations="dipcc", legal=False) as dataset, Dataset(run, shuffle=0) as other:
            for batch, dipnet in zip(dataset, other):
                self.assertNotIn("legal_ids", batch)
                self.assertNotIn("actions", batch)
                self.assertEqual(batch["observation"].dtype, np.float32)
                self.assertEqual(batch["observation"].shape[1:], (81, 38))
                # Without its columns for nobody, and with those of the homes, it has the columns of DipNet.
                self.assertTrue((batch["observation"][:, :, :2] == dipnet["observation"][:, :, :2]).all())
                self.assertTrue((batch["observation"][:, :, 31:].sum(axis=(1, 2)) == 24).all())

    def test_one_power_a_sample(self):
        with Dataset(run, shuffle=0) as dataset, Dataset(run, 70, shuffle=0, per="power") as single:
            all_powers = rows(dataset)
            found = rows(single)
        self.assertEqual(len(found), sum(int(row["acting"].sum()) for row in all_powers.values()))
        for (file, game, phase, power), row in found.items():
            whole = all_powers[(file, game, phase, -1)]
            self.assertEqual(np.flatnonzero(row["acting"]).tolist(), [power])
            for name in ("order_counts", "orderable", "order_ids", "results", "fates", "actions"):
                self.assertTrue((row[name] == whole[name][power]).all())
            self.assertEqual(row["lists"], whole["lists"][17 * power : 17 * power + 17])
            for name in ("returns", "observation", "agents", "center_counts"):
                self.assertTrue((row[name] == whole[name]).all())

    def test_targets(self):
        searched = self.searched()
        with Dataset(searched, targets=True, observations=None) as dataset:
            batch = next(iter(dataset))
        self.assertEqual((batch["policy"].dtype, batch["policy"].shape), (np.float32, batch["legal_ids"].shape))
        full = padded(batch)
        given = batch["actions"] >= 0
        self.assertTrue(np.allclose(full["policy"].sum(-1), given, atol=1e-6))
        moves = batch["phase"] == 0
        self.assertTrue(batch["targeted"][moves].all())
        self.assertTrue(((batch["values"][moves] > 0) & (batch["values"][moves] < 1)).all())
        # Retreats and adjustments are settled without one.
        self.assertTrue(np.isnan(batch["values"][~moves]).all())
        with Dataset(searched, targets=True, observations=None, per="power", shuffle=0) as dataset:
            single = next(iter(dataset))
        policy = padded(single)["policy"].sum(-1)
        self.assertTrue(np.allclose(policy, single["actions"] >= 0, atol=1e-6))
        with Dataset(run, targets=True, observations=None) as dataset:
            batch = next(iter(dataset))
        self.assertFalse(batch["targeted"].any())
        full = padded(batch)
        chosen = np.take_along_axis(full["policy"], np.maximum(batch["actions"], 0)[..., None], -1)[..., 0]
        self.assertTrue((chosen == (batch["actions"] >= 0)).all())

    @staticmethod
    def searched():
        return Path(__file__).parents[3] / "test/data/searched-run"

    def test_n_step(self):
        with Dataset(run, shuffle=0) as plain:
            before = rows(plain)
        for steps, discount in ((1, 1.0), (3, 0.5)):
            with Dataset(run, 64, shuffle=0, n_step=steps, discount=discount) as dataset:
                found = rows(dataset)
            length = collections.Counter(game for _, game, _, _ in found)
            for (file, game, phase, _), row in found.items():
                later = min(phase + steps, length[game])
                self.assertEqual(row["steps"], later - phase)
                is_end = later == length[game]
                self.assertAlmostEqual(float(row["discounts"]), 0 if is_end else discount ** (later - phase))
                wanted = row["returns"] * discount ** (later - phase - 1) if is_end else np.zeros(7)
                self.assertTrue(np.allclose(row["rewards"], wanted))
                self.assertTrue((row["observation"] == before[(file, game, phase, -1)]["observation"]).all())
                if not is_end:
                    for name in ("observation", "previous_orders"):
                        self.assertTrue((row["next_" + name] == before[(file, game, later, -1)][name]).all())

    def test_a_missing_shard_is_named(self):
        part = folder / "part"
        lepanto_command("selfplay", "--games", "8", "--until", "1901", "--shard-games", "4", "--out", str(part))
        for path in part.glob("games-00000.*"):
            path.unlink()
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            with Dataset(part) as dataset:
                self.assertEqual(dataset.num_games, 4)
        messages = [str(one.message) for one in found if one.category is UserWarning]
        self.assertEqual(messages, [f"{part}: games 0 to 3 are missing"])

    def test_saved_games_read_as_the_run_they_were_made_of(self):
        names = ("observation", "previous_orders", "order_ids", "actions", "results", "fates", "returns", "winner")
        with Dataset(run, shuffle=0) as dataset:
            wanted = rows(dataset)
        for ending in ("games.jsonl", "dipcc.jsonl", "games.lep"):
            path = folder / ending
            if ending != "games.jsonl":
                lepanto_command("convert", str(run), str(path), *(["--to", "dipcc"] if "dipcc" in ending else []))
            with Dataset(path, shuffle=0) as dataset:
                found = rows(dataset)
                self.assertTrue(all((row["agents"] == -1).all() for row in found.values()))
                same(self, found, wanted, names if ending != "dipcc.jsonl" else names[:4])


class Course(unittest.TestCase):
    def test_order_follows_from_the_seed_alone(self):
        def course(seed, workers, size=300, prefetch=2):
            with Dataset(solos, size, shuffle=20, seed=seed, workers=workers, prefetch=prefetch, observations=None) as dataset:
                return keys(dataset), keys(dataset)

        first, second = course(1, 1)
        self.assertEqual((first, second), course(1, 3, 137, 5))
        self.assertNotEqual(first, second)
        self.assertNotEqual(first, course(2, 1)[0])
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual(len(first), len(set(first)))
        with Dataset(solos, shuffle=0, observations=None, legal=False) as dataset:
            self.assertEqual(keys(dataset), sorted(first))
        # Games from all over the run are in the first batches.
        self.assertGreater(len({game for _, game, _, _ in first[:200]}), 15)

    def test_resumes_anywhere(self):
        options = dict(shuffle=16, seed=5, observations=None, legal=False)
        with Dataset(solos, 50, **options) as dataset:
            whole = keys(dataset) + keys(dataset)
        for batches in (1, 20):
            with Dataset(solos, 50, **options) as dataset:
                taken, passes = [], iter(dataset)
                for batch in passes:
                    if len(taken) == batches:
                        break
                    taken.append(batch)
                    state = json.loads(json.dumps(dataset.state_dict()))
            with Dataset(solos, 33, workers=3, **options) as other:
                other.load_state_dict(state)
                rest = keys(other) + keys(other)
            seen = keys(taken)
            self.assertEqual((seen + rest)[: len(whole)], whole)
            self.assertEqual(len(seen) + len(rest), len(whole))
        with Dataset(solos, shuffle=17, seed=5) as other:
            with self.assertRaisesRegex(ValueError, "state, shuffle: got 16, wanted 17"):
                other.load_state_dict(state)

    def test_a_state_at_the_end_is_the_next_epoch(self):
        with Dataset(run, 64, observations=None, legal=False) as dataset:
            first = keys(dataset)
            state = dataset.state_dict()
            second = keys(dataset)
        self.assertEqual(state["position"], [1, 0, 0])
        with Dataset(run, 64, observations=None, legal=False) as other:
            other.load_state_dict(state)
            self.assertEqual(keys(other), second)
        self.assertNotEqual(first, second)

    def test_shards_share_the_games(self):
        with Dataset(solos, shuffle=0, observations=None, legal=False) as dataset:
            whole = keys(dataset)
            parts, found = [], []
            for i in (0, 2, 1):
                with Dataset(solos, shard=(i, 3), observations=None, legal=False) as shard:
                    wanted = sorted(keys(shard))
                    parts += wanted
            self.assertEqual(sorted(parts), whole)
            # The last one, in two parts.
            with shard:
                for i in range(2):
                    with shard.part(i, 2) as part:
                        found += keys(part)
            self.assertEqual(sorted(found), wanted)

    def test_drop_last_and_a_pass_that_is_left(self):
        with Dataset(run, 64, observations=None, legal=False, drop_last=True) as dataset:
            self.assertEqual({len(batch["game"]) for batch in dataset}, {64})
            for batch in dataset:
                break
            third = keys(dataset)
        with Dataset(run, 64, observations=None, legal=False, drop_last=True) as other:
            list(other), list(other)
            self.assertEqual(keys(other), third)


class Choice(unittest.TestCase):
    def test_filters(self):
        with Dataset(solos, shuffle=0, observations=None) as dataset:
            every = rows(dataset)
        outcomes = {game: int(row["winner"]) for (_, game, _, _), row in every.items()}
        self.assertTrue(-1 in outcomes.values() and len(set(outcomes.values())) > 2)
        with Dataset(solos, powers=["france", "ITALY"], phases=["retreat", "adjustment"], years=(1902, 1905), observations=None) as dataset:
            found = rows(dataset)
        self.assertTrue(found)
        for k, row in every.items():
            acting = [q for q in (2, 4) if row["order_counts"][q] > 0]
            wanted = acting and row["phase"] != lepanto.MOVEMENT and 1902 <= row["year"] <= 1905
            self.assertEqual(k in found, bool(wanted))
            if wanted:
                self.assertEqual(np.flatnonzero(found[k]["acting"]).tolist(), acting)
        with Dataset(solos, winners="DRAW", observations=None) as dataset:
            self.assertEqual({game for _, game, _, _ in keys(dataset)}, {game for game, who in outcomes.items() if who < 0})
        with Dataset(solos, winner_only=True, per="power", observations=None) as dataset:
            for batch in dataset:
                self.assertTrue((batch["power"] == batch["winner"]).all())
                self.assertTrue((batch["returns"][np.arange(len(batch["power"])), batch["power"]] == 1).all())

    def test_agents(self):
        with Dataset([run, solos], agents="dumbbot", per="power", observations=None, shuffle=0) as dataset:
            self.assertEqual(dataset.agent_names, ["dumbbot", "hold", "policy", "random"])
            for batch in dataset:
                self.assertLessEqual(set(batch["power"].tolist()), {0, 5})
                self.assertEqual(set(batch["file"].tolist()), {0})
                self.assertTrue((batch["agents"] == [0, 2, 3, 2, 2, 0, 1]).all())

    def test_refuses_by_name(self):
        for options, wanted in (
            ({"powers": ["SPAIN"]}, "powers: got \"SPAIN\", wanted one of AUSTRIA"),
            ({"phases": "moves"}, "phases, entry 1: got \"moves\", wanted one of movement, retreat, adjustment"),
            ({"winners": []}, "winners: got"),
            ({"shard": (2, 2)}, "shard: got"),
            ({"discount": 2}, "discount: got 2"),
            ({"map": "nowhere"}, "nowhere"),
            ({"observations": "cicero"}, "observations: got \"cicero\""),
            ({"targets": True, "legal": False}, "targets: got True with legal=False"),
            ({"batch_size": 0}, "batch_size: got 0, wanted a whole number from 1"),
            ({"shuffle": 1.5}, "shuffle: got 1.5, wanted a whole number"),
        ):
            with self.assertRaisesRegex((lepanto.LepantoError, ValueError, TypeError), wanted):
                with Dataset(run, **options) as dataset:
                    next(iter(dataset))
        with self.assertRaisesRegex(lepanto.LepantoError, "paths: got .*nothing, wanted a file or a directory"):
            next(iter(Dataset(folder / "nothing")))

    def test_games_that_cannot_be_read(self):
        lines = (folder / "broken.jsonl", folder / "games.jsonl")
        text = lines[1].read_text().split("\n")
        text[4] = text[4].replace('"A PAR"', '"A XYZ"', 1)
        lines[0].write_text("\n".join(text))
        with Dataset(lines[0]) as dataset:
            with self.assertRaisesRegex(lepanto.LepantoError, "broken.jsonl, game 4: "):
                list(dataset)
        with Dataset(lines[0], errors="skip") as dataset:
            self.assertEqual({game for _, game, _, _ in keys(dataset)}, set(range(20)) - {4})
            self.assertEqual(dataset.skipped, 1)
            self.assertRegex(dataset.trouble, "broken.jsonl, game 4: ")


    def test_a_cut_first_line_is_one_game(self):
        """A file of JSON lines whose beginning is lost has the other games, whatever its name."""
        cut = b"".join((folder / "games.jsonl").read_bytes().splitlines(keepends=True)[:6])[1000:]
        for name in ("cut.jsonl", "cut.json"):
            (folder / name).write_bytes(cut)
            with Dataset(folder / name, errors="skip", observations=None) as dataset:
                games = {int(game) for batch in dataset for game in batch["game"]}
                self.assertEqual((len(games), dataset.skipped), (5, 1))
                self.assertIn("game 0", dataset.trouble)
            with Dataset(folder / name, errors="raise") as dataset, self.assertRaisesRegex(lepanto.LepantoError, "game 0"):
                list(dataset)
        # What is left out behind the last sample is counted as well.
        (folder / "bad.json").write_text('{"phases": [')
        with Dataset(folder / "bad.json", errors="skip") as dataset:
            self.assertEqual((list(dataset), dataset.skipped), ([], 1))

    def test_order_of_former_states_is_refused(self):
        with Dataset(run, seed=1) as dataset:
            state = dataset.state_dict()
            del state["order"]
            with self.assertRaisesRegex(ValueError, "order"):
                dataset.load_state_dict(state)


class Lists(unittest.TestCase):
    def test_legal_lists_of_batches(self):
        for per in ("phase", "power"):
            with Dataset(run, 64, per=per, seed=1, powers=None if per == "phase" else ["FRANCE", "ITALY"]) as dataset:
                for samples in dataset:
                    legal = dataset.legal(samples)
                    self.assertEqual(len(legal), int((samples["order_counts"]).sum()))
                    picks = legal.picks(samples["actions"])
                    at = np.flatnonzero(picks >= 0)
                    slots = (legal.game[at], legal.slot[at]) if per == "power" else (legal.game[at], legal.power[at], legal.slot[at])
                    self.assertTrue((legal.ids[legal.starts[:-1][at] + picks[at]] == samples["order_ids"][slots]).all())
                    drawn, logs = legal.sample(np.zeros(len(legal.ids)))
                    again, _ = dataset.legal(samples).sample(np.zeros(len(legal.ids)))
                    self.assertTrue((drawn == again).all() and np.isfinite(logs).all())
                    self.assertEqual(legal.actions(drawn).reshape(samples["actions"].shape).shape, samples["actions"].shape)
                    row, power, ids, starts, chosen = lepanto.lists_of(samples)
                    self.assertEqual(len(starts) - 1, len(at))
                    self.assertTrue((ids[starts[:-1] + chosen] == samples["order_ids"][samples["actions"] >= 0]).all())
                    wanted = legal.power[at] if per == "phase" else samples["power"][legal.game[at]]
                    self.assertTrue((power[starts[:-1]] == wanted).all())
                    self.assertTrue((row[starts[:-1]] == legal.game[at]).all())

    def test_rows_and_columns(self):
        with Dataset(run, 16, phases=["movement"]) as dataset:
            samples = next(iter(dataset))
            row, power, slot = np.nonzero(samples["orderable"] >= 0)
            at = dataset.rows[samples["orderable"][row, power, slot]]
            column = [dataset.columns.index(f"unit of {name}") for name in dataset.powers]
            self.assertTrue((samples["observation"][row, at, np.array(column)[power]] == 1).all())
            self.assertTrue((dataset.adjacency.armies.sum(), len(dataset.order_columns)) == (222, 40))
        with Dataset(run, 16, observations="dipcc") as dataset:
            samples = next(iter(dataset))
            self.assertEqual(len(dataset.columns), samples["observation"].shape[2])
            home = samples["observation"][:, dataset.rows[dataset.locations.index("PAR")], dataset.columns.index("home of FRANCE")]
            self.assertTrue((home == 1).all())


class Libraries(unittest.TestCase):
    def test_padded(self):
        for per in ("phase", "power"):
            with Dataset(run, 50, per=per, observations=None) as dataset:
                batch = next(iter(dataset))
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

    def test_pickle(self):
        with Dataset(run, 64, observations=None, seed=3) as dataset:
            with pickle.loads(pickle.dumps(dataset)) as other:
                self.assertEqual(keys(other), keys(dataset))

    def test_fork(self):
        with Dataset(run, 64, observations=None, seed=3) as dataset:
            wanted = len(keys(dataset))
            child = os.fork()
            if child == 0:
                os._exit(0 if len(keys(dataset)) == wanted else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(len(keys(dataset)), wanted)

    def test_torch(self):
        # Whoever has torch has its classes; here their shape is enough.
        info = [None]
        data = types.SimpleNamespace(IterableDataset=object, get_worker_info=lambda: info[0])
        torch = types.SimpleNamespace(from_numpy=lambda array: ("tensor", array), utils=types.SimpleNamespace(data=data))
        modules = {"torch": torch, "torch.utils": torch.utils, "torch.utils.data": data}
        with mock.patch.dict(sys.modules, modules):
            lepanto.dataset._torch_dataset.cache_clear()
            with Dataset(run, 64, observations=None) as dataset:
                wanted = sorted(keys(dataset))
                tensors = dataset.torch()
                for workers in (0, 2):
                    found = []
                    for i in range(max(1, workers)):
                        info[0] = types.SimpleNamespace(id=i, num_workers=workers) if workers else None
                        for batch in tensors:
                            self.assertEqual({kind for kind, _ in batch.values()}, {"tensor"})
                            found += keys([{name: array for name, (_, array) in batch.items()}])
                    self.assertEqual(sorted(found), wanted)
        lepanto.dataset._torch_dataset.cache_clear()

    def test_jax(self):
        put = types.SimpleNamespace(device_put=lambda batch: {name: array for name, array in batch.items()})
        with mock.patch.dict(sys.modules, {"jax": put}):
            with Dataset(run, 64, observations=None) as dataset:
                shapes = [{name: array.shape for name, array in batch.items()} for batch in dataset.jax(500)]
        self.assertGreater(len(shapes), 2)
        self.assertTrue(all(one == shapes[0] for one in shapes))


if __name__ == "__main__":
    unittest.main()
