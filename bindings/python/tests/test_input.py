"""Tests input from users: integers of any width, and errors that name invalid input."""

import unittest
from typing import Any, List

import numpy as np

import lepanto
from lepanto.state import DiplomacyState, Engine, State

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]
try:
    import pettingzoo
except ImportError:
    pettingzoo = None


class Numbers(unittest.TestCase):
    batch: lepanto.Batch

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = lepanto.Batch(4, workers=1, observations=None, seed=1)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.batch.close()

    def setUp(self) -> None:
        self.batch.reset()
        self.actions = self.batch.random_actions()

    def refused(self, error: Any, pattern: Any, call: Any, *given: Any, **options: Any) -> None:
        """Asserts that a call raises an error and leaves the games unchanged."""
        before = self.batch.save()
        with self.assertRaisesRegex(error, pattern):
            call(*given, **options)
        self.assertEqual(self.batch.save(), before)

    def test_actions_of_more_than_32_bits(self) -> None:
        far = self.actions.astype(np.int64) + 2**32
        self.refused(lepanto.IllegalAction, "game 0, AUSTRIA, slot 0: got action 42949", self.batch.step, far)
        far = self.actions.astype(np.uint64)
        far[2, 3, 1] = 2**63
        far[self.actions < 0] = 2**64 - 1
        self.refused(lepanto.IllegalAction, "game 2, GERMANY, slot 1: got action 9223", self.batch.step, far)
        joint = self.actions.astype(np.int64)[1:2]
        self.refused(
            lepanto.IllegalAction,
            "game 4, AUSTRIA, slot 0: got action -10995.*, wanted one that is legal",
            self.batch.expand,
            1,
            joint - 2**40,
        )
        self.refused(lepanto.IllegalAction, "game 2, AUSTRIA, slot 0", self.batch.send, far[2:] + np.uint64(2**33), 1)

    def test_whole_numbers_of_any_width_are_taken(self) -> None:
        self.batch.step(self.actions)
        wanted = self.batch.state.copy()
        unused = self.actions < 0
        for dtype in (np.int16, np.int64, np.uint64):
            self.batch.reset()
            given = np.where(unused, 0, self.actions).astype(dtype)
            self.batch.step(given)
            self.assertTrue((self.batch.state == wanted).all())
        self.batch.reset()
        # Values in unused slots are not read.
        self.batch.step(np.where(unused, 2**40, self.actions.astype(np.int64)))
        self.assertTrue((self.batch.state == wanted).all())
        self.batch.reset()
        self.batch.step(self.actions.tolist())
        self.assertTrue((self.batch.state == wanted).all())

    def test_actions_that_are_no_whole_numbers(self) -> None:
        shape = self.actions.shape
        for given in (
            self.actions + 0.7,
            self.actions.astype(np.float32),
            self.actions.astype(str),
            np.zeros(shape, bool),
            np.zeros(shape, "datetime64[s]"),
            np.zeros(shape, "timedelta64[s]"),
            np.zeros(shape, complex),
            np.full(shape, None),
            np.full(shape, 2**70, object),
        ):
            for call in (
                self.batch.step,
                lambda actions: self.batch.send(actions[:2], 0),
                lambda actions: self.batch.expand(0, actions[:1]),
                lambda actions: self.batch.orders_as_text(0, actions[0]),
            ):
                self.refused(TypeError, r"actions: got an array of .*, wanted whole numbers", call, given)

    def test_seeds(self) -> None:
        seed: Any
        for seed in (2**32, -(2**31) - 1):
            self.refused(ValueError, f"seed: got {seed}, wanted -2147483648 to 4294967295", self.batch.reset, seed)
            self.refused(ValueError, f"seeds: got {seed}, wanted", self.batch.reset, [1, 2, seed, 4])
            self.assertRaisesRegex(ValueError, f"seed: got {seed}", lepanto.Batch, 1, seed=seed)
            self.assertRaisesRegex(ValueError, f"seed: got {seed}", lepanto.episode_seeds, seed, 3)
        for seeds in (0.5, "7", True, [0.5] * 4, ["7"] * 4, [True] * 4):
            self.refused(TypeError, "seeds: got .*, wanted (a )?whole number", self.batch.reset, seeds)
        for seed in (2**32 - 1, -1, np.int64(5), np.uint8(5), np.array(5)):
            self.batch.reset(seed)
            self.assertEqual(self.batch.episode_seed.tolist(), lepanto.episode_seeds(int(seed), 4).tolist())
        self.batch.reset(np.array([2**32 - 1, 0, 1, 2], np.uint32))
        self.assertEqual(self.batch.episode_seed.tolist(), [-1, 0, 1, 2])
        sizes: List[Any] = [np.int64(3), np.int32(1), np.uint16(1905), np.int8(0)]
        with lepanto.Batch(sizes[0], workers=sizes[1], seed=-5, until=sizes[2], max_children=sizes[3]) as batch:
            self.assertEqual((len(batch), type(batch.num_games)), (3, int))
            batch.step(batch.random_actions())

    def test_games_masks_and_counts(self) -> None:
        batch = self.batch
        for games in ([0.7], [True, False], ["1"], 1.0):
            self.refused(TypeError, "games: got an array of", batch.save, games)
        self.assertEqual(batch.save([]), batch.save(np.zeros(0, np.int64)))
        for game in (0.7, "0", True, None):
            self.refused(TypeError, "game: got .*, wanted a whole number", batch.position, game)
        for mask in (["1", "", "1", ""], [0.5, 0, 0, 0]):
            self.refused(TypeError, "mask: got .*, wanted bool", batch.reset, 1, mask)
        self.refused(ValueError, "count: got -1, wanted 0 to", batch.random_step, -1)
        self.refused(ValueError, "count: got 2147483648, wanted 0 to", batch.random_step, 2**31)
        self.refused(TypeError, "count: got 1.5, wanted a whole number", batch.random_step, 1.5)
        self.refused(ValueError, "half: got 2, wanted 0 to 1", batch.send, self.actions[:2], 2)

    def test_what_a_batch_is_made_of(self) -> None:
        for options, error, pattern in (
            ({"until": 1800}, lepanto.LepantoError, r"until: got 1800, wanted 0 .* or a year from 1901"),
            ({"until": -1}, lepanto.LepantoError, "until: got -1"),
            ({"until": 1905.5}, TypeError, "until: got 1905.5"),
            ({"workers": -3}, lepanto.LepantoError, "workers: got -3, wanted a whole number from 1"),
            ({"workers": 0}, lepanto.LepantoError, "workers: got 0"),
            ({"workers": "2"}, TypeError, "workers: got '2'"),
            ({"num_games": 4.0}, TypeError, "num_games: got 4.0"),
            ({"num_games": True}, TypeError, "num_games: got True"),
            ({"max_children": -1}, lepanto.LepantoError, "children: got -1"),
            (
                {"opponents": {"FRANCE": "random", "france": "hold"}},
                lepanto.LepantoError,
                'opponents: got "france" twice',
            ),
        ):
            with self.assertRaisesRegex(error, pattern):
                lepanto.Batch(**{"num_games": 1, "observations": None, **options})  # type: ignore[arg-type]
        with self.assertRaisesRegex(
            TypeError, "Batch: got option 'wrkers', wanted one of workers, reset_mode, max_steps"
        ):
            lepanto.Batch(1, wrkers=1)  # type: ignore[call-arg]
        with self.assertRaisesRegex(TypeError, "positional"):
            lepanto.Batch(1, "standard", "datc-3.2", 1)  # type: ignore[call-arg]

    def test_arrays_that_are_not_there(self) -> None:
        self.assertFalse(hasattr(self.batch, "last_actions"))
        self.assertFalse(hasattr(self.batch, "observation"))
        with self.assertRaisesRegex(
            lepanto.LepantoError, 'last_actions: got a batch without it, wanted one with observations="deepmind"'
        ):
            self.batch.last_actions


def winter(batch: Any, game: int = 0) -> Any:
    """Sets a game to a position in which France builds two units, and England removes two."""
    position = {
        "phase": "W1901A",
        "units": {"FRANCE": ["F MAO"], "ENGLAND": ["F NTH", "F ENG", "A YOR"]},
        "centers": {"FRANCE": ["BRE", "PAR", "MAR"], "ENGLAND": ["LON"]},
    }
    batch.set_position(game, position)
    return batch.powers.index("FRANCE"), batch.powers.index("ENGLAND")


class Adjustments(unittest.TestCase):
    def setUp(self) -> None:
        self.batch = lepanto.Batch(300, workers=1, observations=None, seed=0)
        self.addCleanup(self.batch.close)
        self.france, self.england = winter(self.batch)

    def joint(self, power: Any, orders: Any) -> Any:
        """Returns actions with the given orders of one power, in the order of its slots."""
        batch = self.batch
        listed = batch.legal_as_text(0)[batch.powers[power]]
        joint = np.where(batch.order_counts[:, :, None] > np.arange(batch.max_orders), 0, -1).astype(np.int32)
        joint[0] = -1
        for slot, order in enumerate(orders):
            joint[0, power, slot] = listed[slot].index(order)
        return joint

    def test_two_builds_in_one_centre(self) -> None:
        joint = self.joint(self.france, ["A BRE B", "F BRE B"])
        before = self.batch.state.copy()
        for step in (self.batch.step, lambda actions: self.batch.expand(0, actions[:1])):
            pattern = (
                r"game \d+, FRANCE, adjustment 1: got action \d+, wanted an order elsewhere than in BRE, which has one"
            )
            with self.assertRaisesRegex(lepanto.IllegalAction, pattern):
                step(joint)
            self.assertTrue((self.batch.state == before).all())
        self.batch.step(self.joint(self.france, ["A BRE B", "A PAR B"]))
        self.assertEqual(self.batch.position(0)["units"]["FRANCE"], ["A BRE", "F MAO", "A PAR"])

    def test_two_removals_of_one_unit(self) -> None:
        with self.assertRaisesRegex(lepanto.IllegalAction, "ENGLAND, adjustment 1: got .* elsewhere than in NTH"):
            self.batch.step(self.joint(self.england, ["F NTH D", "F NTH D"]))
        self.batch.step(self.joint(self.england, ["F NTH D", "A YOR D"]))
        self.assertEqual(self.batch.position(0)["units"]["ENGLAND"], ["F ENG"])

    def test_what_was_chosen_slot_by_slot(self) -> None:
        for mode in ("index", "vocabulary"):
            with lepanto.Batch(20, workers=1, observations=None, actions=mode, seed=0) as batch:
                winter(batch, 7)
                count = batch.order_counts[:, :, None] > np.arange(batch.max_orders)
                starts = batch.legal_offsets[:, :-1].reshape(count.shape)
                first = np.where(count, 0 if mode == "index" else batch.legal_ids[starts * count], -1)
                self.assertRaises(lepanto.IllegalAction, batch.step, first)
                mended = batch.without_repeats(first)
                self.assertEqual(np.argwhere(mended != first).tolist(), [[7, 1, 1], [7, 2, 1]])
                self.assertTrue((mended[mended != first] != lepanto.NO_ORDER).all())
                batch.step(mended)
                self.assertEqual([len(batch.position(7)["units"][power]) for power in ("FRANCE", "ENGLAND")], [3, 1])

    def test_waives_are_as_many_as_one_likes(self) -> None:
        self.batch.step(self.joint(self.france, ["WAIVE", "WAIVE"]))
        self.assertEqual(self.batch.position(0)["units"]["FRANCE"], ["F MAO"])

    def test_random_actions_are_legal_together_and_reach_all(self) -> None:
        batch = self.batch
        batch.clone(0, list(range(1, 300)))
        actions = batch.random_actions()
        chosen = {tuple(batch.orders_as_text(game, actions[game])["FRANCE"]) for game in range(300)}
        # BRE and MAR build an army or a fleet, PAR an army: 2 * (2 * 2 + 2 + 2) pairs, 2 * 5 sets with one waive, and
        # one set with two waives.
        self.assertIn(("WAIVE", "WAIVE"), chosen)
        self.assertEqual(len(chosen), 27)
        batch.step(actions)
        self.assertTrue((batch.phase == lepanto.MOVEMENT).all())

    def test_random_play_by_lists_goes_on_for_years(self) -> None:
        with lepanto.Batch(60, workers=2, observations=None, seed=9, actions="vocabulary") as batch:
            for _ in range(60):
                batch.step(batch.random_actions())
            self.assertGreater(int(batch.year.min()), 1908)

    @unittest.skipIf(gymnasium is None, "gymnasium is not installed")
    def test_an_environment_takes_any_action(self) -> None:
        from lepanto.gymnasium_env import DiplomacyVectorEnv

        env = DiplomacyVectorEnv(2, opponents="hold", workers=1)
        self.addCleanup(env.close)
        env.reset(seed=1)
        winter(env._batch)
        env._observe()
        env.step(np.zeros((2, 17), np.int64))
        self.assertEqual(len(env._batch.position(0)["units"]["FRANCE"]), 3)
        self.assertEqual(env.replaced.tolist(), [1, 0])
        with self.assertRaisesRegex(TypeError, "actions: got an array of float64"):
            env.step(np.zeros((2, 17)))

    @unittest.skipIf(pettingzoo is None, "pettingzoo is not installed")
    def test_an_environment_of_seven_takes_whole_numbers(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env()
        self.addCleanup(env.close)
        env.reset(seed=1)
        with self.assertRaisesRegex(TypeError, "action of FRANCE: got an array of float64"):
            env.step({agent: np.full(17, 0.7 if agent == "FRANCE" else 0) for agent in env.agents})
        env.step({agent: np.zeros(17, np.int64) for agent in env.agents})


class States(unittest.TestCase):
    def test_actions_of_a_state(self) -> None:
        engine = Engine(None)
        self.addCleanup(engine.close)
        state = State(engine)
        actions = [[0] * len(state.legal_actions(q)) for q in range(7)]
        before = state.serialize()
        for wrong, error, pattern in (
            ([[0.7, 0, 0], *actions[1:]], TypeError, "actions of player 0: got an array of float64"),
            ([[2**32, 0, 0], *actions[1:]], lepanto.IllegalAction, "AUSTRIA, slot 0: got action 4294967296"),
            ([[0, 0, 0, 0], *actions[1:]], ValueError, "actions of player 0: got 4, wanted 3"),
            (actions[1:], ValueError, "actions: got 6 lists, wanted 7"),
        ):
            with self.assertRaisesRegex(error, pattern):
                state.apply_actions(wrong)  # type: ignore[arg-type]
            self.assertEqual(state.serialize(), before)
        state.apply_actions(actions)
        self.assertNotEqual(state.serialize(), before)

    def test_a_state_that_is_over(self) -> None:
        engine = Engine("deepmind", until=1901)
        self.addCleanup(engine.close)
        state, deepmind = State(engine), DiplomacyState(engine)
        while not state.is_terminal():
            state.apply_actions([[]] * 7)
            deepmind.step([[]] * 7)
        self.assertTrue(deepmind.is_terminal())
        before = state.serialize()
        for play in (state.apply_actions, deepmind.step):
            with self.assertRaisesRegex(lepanto.IllegalAction, "got orders for a game that is over"):
                play([[]] * 7)
        self.assertEqual(state.serialize(), before)

    def test_an_action_of_deepmind(self) -> None:
        engine = Engine("deepmind")
        self.addCleanup(engine.close)
        state = DiplomacyState(engine)
        legal = state.legal_actions()
        with self.assertRaisesRegex(TypeError, "action of AUSTRIA: got .*, wanted a whole number"):
            state.step([[float(legal[0][0])]] + [[]] * 6)  # type: ignore[arg-type]
        state.step([[legal[0][0]]] + [[]] * 6)


if __name__ == "__main__":
    unittest.main()
