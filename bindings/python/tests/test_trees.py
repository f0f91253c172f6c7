"""Tests clones, games at different phases, trees of children, rollouts and searches."""

import json
import os
import subprocess
import unittest
from typing import Any
from unittest import mock

import numpy as np

import lepanto
from lepanto._server import find_node, script
from lepanto.diplomacy import Game

POWERS = 7


def distinct(states: Any) -> Any:
    return len({state.tobytes() for state in states})


class Clones(unittest.TestCase):
    def test_clones_play_independently(self) -> None:
        clones = np.arange(1, 513)
        with lepanto.Batch(513, observations=None, workers=2, seed=1) as batch:
            ends = []
            for seeds in (None, "same", np.arange(512), 7, None):
                batch.reset(1)
                batch.clone(0, clones, seeds)
                batch.random_step(4, "policy")
                ends.append(batch.state[1:].copy())
            self.assertGreater(distinct(ends[0]), 500)
            self.assertEqual(distinct(ends[1]), 1)
            self.assertGreater(distinct(ends[2]), 500)
            # Resets with the same seeds repeat the games, other seeds give other games.
            self.assertTrue((ends[4] == ends[0]).all())
            for other in ends[1:4]:
                self.assertFalse((other == ends[0]).all())
            batch.reset(1)
            batch.clone(0, clones, "same")
            batch.reseed(clones, np.arange(512))
            batch.random_step(4, "policy")
            self.assertTrue((batch.state[1:] == ends[2]).all())
            batch.reset(1)
            batch.clone(0, clones)
            batch.clone(0, clones)
            batch.random_step(4, "policy")
            self.assertFalse((batch.state[1:] == ends[0]).all())
            batch.reset(1)
            batch.clone(0, clones)
            self.assertGreater(distinct(batch.agent_actions("random")[1:]), 500)
            batch.clone(0, clones, "same")
            self.assertEqual(distinct(batch.agent_actions("random")[1:]), 1)
            batch.reseed()
            self.assertGreater(distinct(batch.agent_actions("random")[1:]), 500)
            wrong: Any
            for wrong, error in (("other", ValueError), ([1, 2], ValueError), (0.5, TypeError)):
                with self.assertRaises(error):
                    batch.clone(0, [1, 2, 3], wrong)

    def test_errors_of_means_are_those_of_independent_games(self) -> None:
        """The spread of means over many sets of clones matches the standard error of one set."""
        with lepanto.Batch(1 + 64 * 40, observations=None, workers=2, seed=3) as batch:
            batch.random_step(2, "policy")
            batch.clone(0, np.arange(1, len(batch)))
            batch.random_step(2, "policy")
            centers = batch.center_counts[1:, 2].reshape(64, 40).astype(float)
            said = np.sqrt(np.mean(centers.var(1, ddof=1) / 40))
            found = centers.mean(1).std(ddof=1)
            self.assertGreater(found / said, 0.7)
            self.assertLess(found / said, 1.4)

    def test_a_copy_goes_on_with_the_same_draws(self) -> None:
        import pickle

        with lepanto.Batch(4, observations=None, workers=1, seed=1) as batch:
            batch.clone(0, [1, 2, 3])
            with pickle.loads(pickle.dumps(batch)) as copy:
                for one in (batch, copy):
                    one.clone(0, [1, 2, 3])
                    one.random_step(2)
                self.assertTrue((batch.state == copy.state).all())

    def test_lists_draw_by_the_seed(self) -> None:
        picks = []
        for seed in (1, 1, 2):
            with lepanto.Batch(3, observations=None, workers=1, seed=seed) as batch:
                legal = batch.legal()
                first = legal.sample(np.zeros(len(legal.ids)))[0]
                self.assertFalse((legal.sample(np.zeros(len(legal.ids)))[0] == first).all())
                other = batch.legal()
                self.assertFalse((other.sample(np.zeros(len(other.ids)))[0] == first).all())
                picks.append(first)
        self.assertTrue((picks[0] == picks[1]).all())
        self.assertFalse((picks[0] == picks[2]).all())


class OutOfStep(unittest.TestCase):
    def test_masks(self) -> None:
        with (
            lepanto.Batch(90, workers=2, seed=2, until=1902, results=True) as batch,
            lepanto.Batch(90, workers=1, seed=2, until=1902, results=True) as all_,
        ):
            rng = np.random.default_rng(1)
            due = np.zeros(90, int)
            for step in range(12):
                actions = all_.random_actions(seed=step)
                all_.step(actions)
                # Steps the games that are behind, a random part at a time.
                while (due <= step).any():
                    mask = (due <= step) & (rng.random(90) < 0.6)
                    before = {
                        name: getattr(batch, name).copy()
                        for name in ("state", "rewards", "terminated", "observation", "order_counts")
                    }
                    batch.step(actions, mask)
                    for name, array in before.items():
                        self.assertTrue((getattr(batch, name)[~mask] == array[~mask]).all(), name)
                    due[mask] += 1
                for name in (
                    "state",
                    "phases",
                    "rewards",
                    "terminated",
                    "observation",
                    "last_orders",
                    "order_counts",
                    "center_gains",
                ):
                    self.assertTrue((getattr(batch, name) == getattr(all_, name)).all(), name)
                self.assertTrue((batch.legal().ids == all_.legal().ids).all())
            bad = np.full((90, POWERS, batch.max_orders), 9999)
            with self.assertRaises(lepanto.IllegalAction):
                batch.step(bad)
            # Actions of games that are not stepped are not read.
            batch.step(bad, np.zeros(90, bool))
            with self.assertRaises(ValueError):
                batch.step(bad, [True])

    def test_agents_play_steps(self) -> None:
        with (
            lepanto.Batch(20, workers=2, seed=5, until=1903) as batch,
            lepanto.Batch(20, workers=1, seed=5, until=1903) as slow,
        ):
            self.assertEqual(batch.random_step(3, "dumbbot"), 60)
            for _ in range(3):
                slow.step(slow.agent_actions("dumbbot"))
                while (due := slow.phase != lepanto.MOVEMENT).any():
                    slow.step(slow.agent_actions("dumbbot"), due)
            self.assertTrue((batch.state == slow.state).all())
            self.assertTrue((batch.phases == slow.phases).all())
            self.assertTrue((batch.observation == slow.observation).all())
            self.assertTrue((batch.legal().ids == slow.legal().ids).all())
            with self.assertRaises(lepanto.LepantoError):
                batch.random_step(1, "nobody")

    def test_center_gains(self) -> None:
        with lepanto.Batch(30, observations=None, workers=2, seed=4, until=1904, reset_mode="disabled") as batch:
            while not batch.terminated.all():
                before = batch.center_counts.astype(int)
                batch.step_until_decision(batch.random_actions())
                self.assertTrue((batch.center_gains == batch.center_counts - before).all())


class Children(unittest.TestCase):
    def test_many_roots_and_generations(self) -> None:
        with lepanto.Batch(70, workers=2, seed=1, max_children=2000, until=1905) as batch:
            batch.random_step(2, "policy")
            games = [3, 69, 3]
            joint = np.stack([[batch.random_actions(seed=k)[g] for k in range(5)] for g in games])
            children = batch.expand(games, joint)
            self.assertEqual(children.shape, (3, 5))
            self.assertEqual(children.parents.tolist(), np.repeat(games, 5).tolist())
            self.assertEqual(children.values().shape, (3, 5, POWERS))
            single = [batch.expand(g, own).state.copy() for g, own in zip(games, joint)]
            children = batch.expand(games, joint)
            self.assertTrue((children.state == np.concatenate(single)).all())
            # Children of children equal the positions after two steps.
            second = np.full((2, 2, POWERS, batch.max_orders), -1)
            legal = children.legal_offsets
            second[:, 1][children.order_counts[[1, 7]][..., None] > np.arange(batch.max_orders)] = 0
            self.assertEqual(len(legal), 15)
            grand = children.expand([1, 7], second)
            batch.clone([3, 69], [0, 1], "same")
            two = np.full((70, POWERS, batch.max_orders), -1)
            two[0], two[1] = joint[0, 1], joint[1, 2]
            batch.step(two, np.arange(70) < 2)
            two[0], two[1] = second[0, 1], second[1, 1]
            batch.step(two, np.arange(70) < 2)
            self.assertTrue((grand.state[[1, 3]] == batch.state[:2]).all())
            self.assertTrue((grand.observation[[1, 3]] == batch.observation[:2]).all())
            # A step of some children leaves others unchanged. Overwritten children raise an error.
            kept = grand.state.copy()
            children.step(np.full((15, POWERS, batch.max_orders), -1), np.arange(15) < 4)
            self.assertTrue((grand.state == kept).all())
            grand.values()
            children.expand(0, second[0])
            with self.assertRaisesRegex(lepanto.LepantoError, "overwritten"):
                grand.values()
            batch.expand(0, joint[0, :, :, :] * 0 - 1)
            with self.assertRaisesRegex(lepanto.LepantoError, "overwritten"):
                children.rollouts(2)
            for wrong in (joint[0], joint[:2], joint[:, :, :3]):
                with self.assertRaises(ValueError):
                    batch.expand(games, wrong)
            with self.assertRaisesRegex(ValueError, "max_children"):
                batch.expand(np.arange(70), np.full((70, 30, POWERS, batch.max_orders), -1))

    def test_without_mapped_memory(self) -> None:
        """Results are the same without koffi, when arrays are copied through the file."""
        found = []
        for koffi in (os.environ.get("LEPANTO_KOFFI"), "none"):
            with mock.patch.dict(os.environ, {} if koffi is None else {"LEPANTO_KOFFI": koffi}):
                with lepanto.Batch(70, workers=2, seed=1, max_children=300) as batch:
                    batch.clone(0, np.arange(10, 30))
                    batch.reseed([1, 2], [5, 6])
                    batch.random_step(1, "dumbbot")
                    batch.step(batch.random_actions(), np.arange(70) % 3 == 0)
                    children = batch.expand([0, 40], np.full((2, 3, POWERS, batch.max_orders), -1))
                    values = children.values()
                    children.step(np.full((6, POWERS, batch.max_orders), -1))
                    grand = children.expand(1, np.full((2, POWERS, batch.max_orders), -1))
                    found.append(
                        [
                            batch.state.copy(),
                            values,
                            children.state.copy(),
                            grand.observation.copy(),
                            grand.rollouts(20).values,
                        ]
                    )
        for one, other in zip(*found):
            self.assertTrue((one == other).all())


class Rollouts(unittest.TestCase):
    def test_values(self) -> None:
        results = []
        for workers in (1, 3):
            with lepanto.Batch(5, observations=None, workers=workers, seed=1, max_children=7) as batch:
                batch.random_step(2, "policy")
                joint = np.stack([[batch.random_actions(seed=k)[g] for k in range(4)] for g in (0, 3)])
                before = batch.save()
                parts = [
                    batch.rollouts([0, 3], joint, 60, 3, playout, seed=9)
                    for playout in ("dumbbot", "policy", "uniform")
                ]
                parts.append(batch.rollouts([0, 3], joint, 2, 2, "random", seed=9))
                parts.append(batch.rollouts([0, 3], joint, 60, 3, "policy", "sum_of_squares", seed=9, common=True))
                parts.append(batch.rollouts([0, 3], None, 10, seed=3))
                self.assertEqual(batch.save(), before)
                results.append(parts)
                self.assertEqual(batch.rollouts(0, count=3).values.shape, (POWERS,))
                fresh = [batch.rollouts(0, count=30).values for _ in range(2)]
                self.assertFalse((fresh[0] == fresh[1]).all())
                self.assertTrue(np.isnan(batch.rollouts(0, count=1).errors).all())
                for wrong in ({"playout": "nobody"}, {"value": "x"}, {"count": 0}, {"horizon": -1}):
                    with self.assertRaises((ValueError, lepanto.LepantoError)):
                        batch.rollouts(0, **wrong)
        for one, other in zip(*results):
            self.assertTrue((one.values == other.values).all() and (one.errors == other.errors).all())
            self.assertEqual(one.values.shape[-1], POWERS)
            np.testing.assert_allclose(one.values.sum(-1), 1)

    def test_errors_are_those_of_the_means(self) -> None:
        with lepanto.Batch(1, observations=None, workers=2, seed=1) as batch:
            many = [batch.rollouts(0, count=50, playout="policy") for _ in range(60)]
            spread = np.std([one.values for one in many], axis=0, ddof=1)
            said = np.mean([one.errors for one in many], axis=0)
            self.assertTrue((spread / said > 0.7).all() and (spread / said < 1.4).all(), spread / said)
            # Equal joint actions have equal values with common random numbers; without, they differ by about the
            # errors.
            joint = np.full((2, POWERS, batch.max_orders), -1)
            alike = batch.rollouts(0, joint, 40, common=True).values
            self.assertTrue((alike[0] == alike[1]).all())
            apart = batch.rollouts(0, joint, 40).values
            self.assertFalse((apart[0] == apart[1]).all())

    def test_ends(self) -> None:
        with lepanto.Batch(2, observations=None, workers=1, until=1901, reset_mode="disabled", seed=0) as batch:
            joint = np.full((1, POWERS, batch.max_orders), -1)
            # No unit moves and the last year ends, so the value is the score, for any horizon.
            batch.step(np.full((2, POWERS, batch.max_orders), -1))
            found = batch.rollouts(0, joint, 5, 9)
            counts = batch.center_counts[0].astype(float)
            np.testing.assert_allclose(found.values[0], counts**2 / (counts**2).sum())
            self.assertLess(found.errors.max(), 1e-6)


class Searches(unittest.TestCase):
    def ask(self, command: Any, record: Any, *options: Any) -> Any:
        done = subprocess.run(
            [find_node(), str(script("dist/bindings/cli/lepanto.js")), command, *options, "-"],
            input=json.dumps(record),
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def test_search_is_that_of_the_command(self) -> None:
        told = []
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR"])
        game.process()
        found = lepanto.search(game, ["FRANCE", "ITALY"], 300, lambda done, all_: told.append((done, all_)), seed=5)
        position = {name: game._enter().position(0)[name] for name in ("phase", "units", "centers")}
        same = self.ask(
            "search",
            position,
            "--json",
            "--quiet",
            "--rollouts",
            "300",
            "--seed",
            "5",
            "--power",
            "france,italy",
            "--top",
            "1000",
        )
        self.assertEqual(found.phase, same["phase"])
        for power, sets in same["powers"].items():
            self.assertEqual([list(one.orders) for one in found.powers[power]], [one["orders"] for one in sets])
            self.assertEqual([one.probability for one in found.powers[power]], [one["probability"] for one in sets])
            self.assertEqual([one.error for one in found.powers[power]], [one["error"] for one in sets])
        self.assertEqual(told[-1][0], found.rollouts)
        self.assertTrue(found.reproducible)
        by_json = lepanto.search(position, "FRANCE", 300, seed=5, method="best")
        with lepanto.Batch(2, observations=None, workers=1, max_children=0, seed=0) as batch:
            batch.set_position(1, position)
            in_batch = batch.search(1, "FRANCE", 300, seed=5, method="best")
            self.assertEqual(in_batch.powers, by_json.powers)
            best = in_batch.sample("FRANCE", np.random.default_rng(1))
            actions = batch.actions_from_ids(1, "FRANCE", best.ids)
            joint = np.full((POWERS, batch.max_orders), -1)
            joint[2] = actions
            self.assertEqual(sorted(batch.orders_as_text(1, joint)["FRANCE"]), sorted(best.orders))
            with self.assertRaises(lepanto.IllegalAction):
                batch.actions_from_ids(1, "ITALY", best.ids)

    def test_a_search_ends_when_progress_raises(self) -> None:
        game = Game()

        def stop(done: Any, all_: Any) -> None:
            raise KeyError(done)

        with self.assertRaises(KeyError):
            lepanto.search(game, "all", 10**9, stop)
        self.assertLess(lepanto.search(game, "FRANCE", milliseconds=50).seconds, 30)
        with self.assertRaisesRegex(ValueError, 'search: got "dept", wanted one of .*depth'):
            lepanto.search(game, "FRANCE", 5, dept=2)
        # A position on another map has other powers.
        ancient = {"map": "ancmed", "phase": "S1M", "units": {"ROME": ["A ROM"]}, "centers": {"ROME": ["ROM"]}}
        self.assertIn("ROME", lepanto.search(ancient, "all", 50).powers)
        for wrong in ({"depth": -1}, {"rollouts": 5, "milliseconds": 5}, {"value": "x"}):
            with self.assertRaises(lepanto.LepantoError):
                lepanto.search(game, "FRANCE", **wrong)
        with self.assertRaisesRegex(
            lepanto.LepantoError, "/none: got no file, wanted a file of bench/strength/fit-opponent"
        ):
            lepanto.search(game, "FRANCE", 5, model="/none")
        with self.assertRaisesRegex(lepanto.LepantoError, "model: got 3, wanted text"):
            lepanto.search(game, "FRANCE", 5, model=3)

    def test_adjudicate_is_the_command(self) -> None:
        position = {
            "phase": "S1901M",
            "units": {"FRANCE": ["A PAR", "F BRE"], "ENGLAND": ["F LON"]},
            "centers": {"FRANCE": ["PAR"]},
        }
        orders = {"FRANCE": ["A PAR - LON", "F BRE - ENG"], "ENGLAND": ["F LON - ENG"]}
        wanted = self.ask("adjudicate", {**position, "orders": orders})
        self.assertEqual(lepanto.adjudicate(position, orders), wanted)
        self.assertEqual(lepanto.adjudicate(json.dumps({**position, "orders": orders})), wanted)
        many = lepanto.adjudicate([position, position], [orders, {}])
        self.assertEqual(many[0], wanted)
        self.assertEqual(sorted(many[1]["units"]["FRANCE"]), ["A PAR", "F BRE"])
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR"])
        said = lepanto.adjudicate(game)
        self.assertIn("A BUR", said["units"]["FRANCE"])
        self.assertEqual(game.get_current_phase(), "S1901M")
        with self.assertRaisesRegex(lepanto.LepantoError, "position 1"):
            lepanto.adjudicate([position, {"phase": "x"}])
        with self.assertRaises(ValueError):
            lepanto.adjudicate([position], [orders, orders])


if __name__ == "__main__":
    unittest.main()
