"""Tests that calls without a seed draw new random numbers, and that calls with a seed can be repeated."""

import unittest
from typing import Any, List

import numpy as np

import lepanto
from lepanto import equilibria as eq

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]
try:
    import pettingzoo
except ImportError:
    pettingzoo = None

FRANCE = 2
OTHERS = ("AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY")


def france(batch: Any, count: Any, game: int = 0) -> Any:
    """Returns random joint actions of one game in which only FRANCE has orders due, int32[count, Q, U]."""
    return np.stack([batch.random_actions(seed=k)[game] for k in range(count)])


class SeatedOpponents(unittest.TestCase):
    """FRANCE against six agents of the engine: children and rollouts must not reveal the agents' next orders."""

    batch: lepanto.Batch

    @classmethod
    def setUpClass(cls) -> None:
        opponents = dict.fromkeys(OTHERS, "random")
        cls.batch = lepanto.Batch(12, observations=None, workers=2, seed=1, opponents=opponents, max_children=200)
        cls.addClassCleanup(cls.batch.close)

    def setUp(self) -> None:
        self.batch.reset(1)

    def test_children_do_not_foretell_the_next_step(self) -> None:
        batch, games = self.batch, np.arange(12)
        joint = np.stack([france(batch, 8, g) for g in games.tolist()])
        children = batch.expand(games, joint)
        best = children.values()[:, :, FRANCE].argmax(1)
        states = children.state.reshape(12, 8, -1)
        chosen = states[games, best].copy()
        # Opponents draw separately in each child, and without a seed in each call.
        self.assertGreater(len({state.tobytes() for state in states[0]}), 4)
        again = batch.expand(games, joint).state.reshape(states.shape)
        self.assertFalse((again == chosen[:, None]).all(2).any())
        foreseen = batch.expand(games, joint, common=True).state.reshape(states.shape)[games, best].copy()
        batch.step(joint[games, best])
        self.assertFalse((chosen == batch.state).all(1).any())
        self.assertTrue((foreseen == batch.state).all())

    def test_the_chance_of_children_follows_from_a_seed(self) -> None:
        batch = self.batch
        joint = np.stack([france(batch, 3, g) for g in (4, 7)])
        whole = batch.expand([4, 7], joint, seed=5).state.copy()
        self.assertTrue((batch.expand(7, joint[1], seed=5).state == whole[3:]).all())
        self.assertFalse((batch.expand(7, joint[1], seed=6).state == whole[3:]).all())
        # A game listed twice counts as one game with twice as many joint actions.
        twice = batch.expand([7, 7], joint[[1, 1]], seed=5).state.copy()
        self.assertTrue((twice[:3] == whole[3:]).all())
        self.assertFalse((twice[3:] == whole[3:]).all(1).any())
        alike = batch.expand(4, joint[0, [0, 0, 0]], seed=5, common=True)
        self.assertEqual(len({state.tobytes() for state in alike.state}), 1)
        grand = alike.expand([0, 1], np.full((2, 2, 7, batch.max_orders), -1), seed=3).state.copy()
        self.assertTrue((alike.expand(1, np.full((2, 7, batch.max_orders), -1), seed=3).state == grand[2:]).all())

    def test_a_seed_of_children_may_be_that_of_the_batch(self) -> None:
        batch, games = self.batch, np.arange(12)
        joint = np.stack([france(batch, 1, g) for g in games.tolist()])
        values = [
            batch.expand(games, joint, seed=1, common=True).state.copy(),
            batch.expand(games, joint, seed=1).state.copy(),
        ]
        seen = []

        def look(children: Any) -> Any:
            seen.append(children.state.copy())
            return children.values()

        eq.values_of(batch, games, joint[:, 0], look, seed=1, common=True)
        batch.step(joint[:, 0])
        # With six opponents in each game an accidental match is practically impossible.
        for states in (*values, *seen):
            self.assertFalse((states == batch.state).all(1).any())

    def test_equal_games_have_equal_chance_in_any_row(self) -> None:
        batch = self.batch
        batch.step(france(batch, 12))
        batch.clone(0, [1, 2, 9], seeds="same")
        rows = [0, 1, 2, 9]
        joint = np.broadcast_to(france(batch, 3), (4, 3, 7, batch.max_orders))
        for common in (False, True):
            children = batch.expand(rows, joint, seed=7, common=common)
            states = children.state.reshape(4, 3, -1)
            self.assertTrue((states == states[0]).all())
            self.assertEqual(len({state.tobytes() for state in states[0]}) > 1, True)
            # The same for children of children, and for rollouts from children.
            holds = np.full((12, 2, 7, batch.max_orders), -1)
            valued = children.rollouts(3, 1, "policy", seed=7).values
            self.assertTrue((valued == valued[0]).all() and not (valued[0, 0] == valued[0, 1]).all())
            grand = children.expand(np.arange(12), holds, seed=7).state.reshape(4, 6, -1)
            self.assertTrue((grand == grand[0]).all())
        for found in (
            batch.rollouts(rows, joint, 3, 1, "policy", seed=7).values,
            batch.rollouts(rows, None, 3, 1, "policy", seed=7).values,
            batch.agent_actions("policy", seed=3)[rows],
        ):
            self.assertTrue((found == found[0]).all())
        # Other games draw other random numbers.
        self.assertFalse((batch.agent_actions("random", seed=3)[3] == batch.agent_actions("random", seed=3)[4]).all())

    def test_errors_of_rollouts_count_the_chance_of_opponents(self) -> None:
        batch = self.batch
        joint = france(batch, 4)
        for horizon, playout in ((1, "policy"), (2, "uniform"), (1, "hold")):
            many = [batch.rollouts(0, joint, 30, horizon, playout) for _ in range(40)]
            spread = np.var([one.values for one in many], axis=0, ddof=1).mean()
            ratio = spread / np.mean([one.errors**2 for one in many])
            # With 160 sets of seven dependent values the spread is known to about a tenth.
            self.assertGreater(ratio, 0.7, playout)
            self.assertLess(ratio, 1.4, playout)
        apart = batch.rollouts(0, joint[[0, 0]], 20).values
        self.assertFalse((apart[0] == apart[1]).all())
        alike = batch.rollouts(0, joint[[0, 0]], 20, common=True).values
        self.assertTrue((alike[0] == alike[1]).all())

    def test_rollouts_of_a_game_do_not_depend_on_other_games(self) -> None:
        batch = self.batch
        joint = np.stack([france(batch, 2, g) for g in (1, 3, 8)])
        for common in (False, True):
            whole = batch.rollouts([1, 3, 8], joint, 10, seed=4, common=common)
            for k, game in enumerate((1, 3, 8)):
                self.assertTrue(
                    (batch.rollouts(game, joint[k], 10, seed=4, common=common).values == whole.values[k]).all()
                )
        plain = batch.rollouts([1, 3, 8], None, 10, seed=4).values
        self.assertTrue((batch.rollouts([8], None, 10, seed=4).values == plain[2:]).all())

    def test_equilibria_meet_opponents_that_order_again(self) -> None:
        batch = self.batch
        candidates = eq.sample_candidates(batch, "policy", 3, seed=1)
        policy = eq.RegretMatching(candidates.mask).policy
        found = [eq.sampled_utilities(batch, candidates, policy, np.random.default_rng(k))[0] for k in (1, 2, 1)]
        self.assertTrue((found[0][:, FRANCE] != found[1][:, FRANCE]).any(-1).all())
        self.assertTrue((found[0] == found[2]).all())
        one, other = (eq.MatrixGame(batch, candidates, samples=2, seed=seed).values for seed in (1, 2))
        self.assertFalse((one == other).all())


class Resets(unittest.TestCase):
    def play(self, batch: Any) -> Any:
        for _ in range(2):
            batch.step(batch.random_actions())
        return batch.state.tobytes()

    def test_a_reset_without_seeds_goes_on(self) -> None:
        with (
            lepanto.Batch(3, observations=None, workers=1, seed=4, until=1901, reset_mode="disabled") as batch,
            lepanto.Batch(3, observations=None, workers=1, seed=4, until=1901) as twin,
        ):
            first = batch.episode_seed.tolist()
            # The first episode has not been played, so reset() repeats it.
            self.assertEqual(batch.reset().episode_seed.tolist(), first)
            played = [self.play(batch)]
            seeds = [first]
            for _ in range(3):
                batch.reset()
                seeds.append(batch.episode_seed.tolist())
                played.append(self.play(batch))
            self.assertEqual(len(set(played)), 4)
            self.assertEqual(len({seed for row in seeds for seed in row}), 12)
            # The seeds equal those of automatic resets, and the run can be repeated.
            while (twin.episode_seed == first).any():
                twin.step(twin.random_actions())
            self.assertEqual(twin.episode_seed.tolist(), seeds[1])
            batch.reset(4)
            self.assertEqual([batch.episode_seed.tolist(), self.play(batch)], [first, played[0]])
            batch.reset()
            self.assertEqual([batch.episode_seed.tolist(), self.play(batch)], [seeds[1], played[1]])
            # With a mask, for single games.
            batch.reset(mask=[False, True, False])
            self.assertEqual(batch.episode_seed.tolist(), [seeds[1][0], seeds[2][1], seeds[1][2]])

    def test_a_batch_without_a_seed_draws_one(self) -> None:
        with (
            lepanto.Batch(2, observations=None, workers=1) as batch,
            lepanto.Batch(2, observations=None, workers=1) as other,
        ):
            self.assertNotEqual(batch.seed, other.seed)
            other.reset(batch.seed)
            self.assertEqual(batch.episode_seed.tolist(), other.episode_seed.tolist())
            self.assertEqual(self.play(batch), self.play(other))


class Environments(unittest.TestCase):
    @unittest.skipIf(gymnasium is None, "gymnasium is not installed")
    def test_members_of_a_vector_without_seeds_differ(self) -> None:
        env = gymnasium.make_vec(
            "lepanto.gymnasium_env:lepanto/Diplomacy-v0", num_envs=3, vectorization_mode="sync", until=1901, flat=True
        )
        self.addCleanup(env.close)
        _, infos = env.reset()
        self.assertEqual(len(set(infos["episode_seed"].tolist())), 3)
        _, again = env.reset()
        self.assertEqual(len({*infos["episode_seed"].tolist(), *again["episode_seed"].tolist()}), 6)
        seeds = [env.reset(seed=3)[1]["episode_seed"].tolist() for _ in range(2)]
        self.assertEqual(seeds[0], seeds[1])

    @unittest.skipIf(gymnasium is None, "gymnasium is not installed")
    def test_environments_without_seeds_differ(self) -> None:
        from lepanto.gymnasium_env import DiplomacyEnv, DiplomacyVectorEnv

        made: List[Any] = [
            DiplomacyEnv(until=1901),
            DiplomacyVectorEnv(1, until=1901, workers=1),
            DiplomacyEnv(until=1901, seed=7, workers=1),
        ]
        for env in made:
            self.addCleanup(env.close)
        seeds = [int(env.reset()[1]["episode_seed"].item()) for env in made]
        self.assertEqual(len(set(seeds)), 3)
        self.assertEqual(seeds[2], lepanto.episode_seeds(7, 1)[0])

    @unittest.skipIf(pettingzoo is None, "pettingzoo is not installed")
    def test_environments_of_seven_without_seeds_differ(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        made = [parallel_env(until=1901), parallel_env(until=1901), parallel_env(until=1901, seed=7)]
        seeds = []
        for env in made:
            self.addCleanup(env.close)
            env.reset()
            seeds.append(int(env._batch.episode_seed[0]))
        self.assertEqual(len(set(seeds)), 3)
        self.assertEqual(seeds[2], lepanto.episode_seeds(7, 1)[0])


if __name__ == "__main__":
    unittest.main()
