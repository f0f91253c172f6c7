"""Tests the environments with Gymnasium's vectors and wrappers, in all reset modes. Needs gymnasium."""

import unittest
import warnings
from typing import Any, Dict

import numpy as np

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]


def setUpModule() -> None:
    warnings.simplefilter("ignore")


def drawn(space: Any, seed: Any, count: Any) -> Any:
    space.seed(seed)
    return [space.sample() for _ in range(count)]


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class VectorWrappers(unittest.TestCase):
    def make(self, mode: Any, **options: Any) -> Any:
        from lepanto.gymnasium_env import DiplomacyVectorEnv

        env = DiplomacyVectorEnv(3, until=1901, workers=1, autoreset_mode=mode, max_choices=64, **options)
        self.addCleanup(env.close)
        return env

    def play(self, env: Any, mode: Any) -> Any:
        """Steps an environment, and resets finished games if the mode does not. Returns observations, rewards and
        infos."""
        from gymnasium.vector import AutoresetMode

        # Keeps the wrapper: up to Gymnasium 1.2 a deleted wrapper closes the wrapped environment.
        self.addCleanup(lambda: env)
        seen, got, told = [env.reset(seed=5)[0]], [], []
        for actions in drawn(env.action_space, 3, 9):
            # Up to 1.2 NormalizeObservation has the space of the wrapped environment.
            if not type(env).__name__.startswith("Normalize"):
                self.assertIn(seen[-1], env.observation_space)
            observation, rewards, terminated, truncated, infos = env.step(actions)
            seen.append(observation)
            got.append(rewards)
            told.append(infos)
            ended = terminated | truncated
            if mode == AutoresetMode.DISABLED and ended.any():
                env.reset(options={"reset_mask": ended})
        return seen, np.stack(got), told

    def wrap(self, wrapper: Any, env: Any, mode: Any) -> Any:
        """Returns the wrapped environment; None if Gymnasium rejects the mode. It must accept the default mode."""
        from gymnasium.vector import AutoresetMode

        try:
            return wrapper(env)
        except (ValueError, AssertionError) as error:
            # Gymnasium 1.4 raises ValueError, earlier versions AssertionError.
            if isinstance(error, ValueError):
                self.assertIn("autoreset_mode", str(error))
            self.assertNotEqual(mode, AutoresetMode.NEXT_STEP)
            return None

    def test_of_observations(self) -> None:
        from gymnasium.vector import AutoresetMode
        from gymnasium.wrappers import vector

        def is_reshaped(new: Any, old: Any) -> Any:
            return new.shape == (3, 1, old.shape[1]) and (new[:, 0] == old).all()

        wrappers: Dict[str, Any] = {
            "DtypeObservation": (
                lambda env: vector.DtypeObservation(env, np.float64),
                lambda new, old: (new == old).all(),
            ),
            "RescaleObservation": (
                lambda env: vector.RescaleObservation(env, -1, 1),
                lambda new, old: np.allclose(new, 2 * old - 1),
            ),
            "ReshapeObservation": (
                lambda env: vector.ReshapeObservation(env, (1, env.single_observation_space.shape[0])),
                is_reshaped,
            ),
            "FlattenObservation": (vector.FlattenObservation, lambda new, old: (new == old).all()),
            "NormalizeObservation": (vector.NormalizeObservation, lambda new, old: np.isfinite(new).all()),
        }
        taken = []
        for mode in AutoresetMode:
            env = self.make(mode, flat=True)
            plain, _, _ = self.play(env, mode)
            for name, (wrapper, holds) in wrappers.items():
                wrapped = self.wrap(wrapper, env, mode)
                if wrapped is None:
                    continue
                taken.append(mode)
                with self.subTest(wrapper=name, mode=mode):
                    for new, old in zip(self.play(wrapped, mode)[0], plain):
                        self.assertTrue(holds(new, old))
        self.assertEqual(taken.count(AutoresetMode.NEXT_STEP), len(wrappers))

    def test_of_dicts(self) -> None:
        from gymnasium.vector import AutoresetMode
        from gymnasium.wrappers import vector

        env = self.make(AutoresetMode.NEXT_STEP)
        plain, _, _ = self.play(env, AutoresetMode.NEXT_STEP)
        flat, _, _ = self.play(vector.FlattenObservation(env), AutoresetMode.NEXT_STEP)
        part, _, _ = self.play(vector.FilterObservation(env, ["locations", "year"]), AutoresetMode.NEXT_STEP)
        for whole, row, some in zip(plain, flat, part):
            self.assertEqual(row.shape[1], sum(array[0].size for array in whole.values()))
            self.assertEqual(set(some), {"locations", "year"})
            self.assertTrue((some["locations"] == whole["locations"]).all())

    def test_of_rewards_and_statistics(self) -> None:
        from gymnasium.vector import AutoresetMode
        from gymnasium.wrappers import vector

        for mode in AutoresetMode:
            env = self.make(mode, flat=True)
            _, plain, _ = self.play(env, mode)
            _, clipped, _ = self.play(vector.ClipReward(env, 0, 0.1), mode)
            self.assertTrue((clipped == np.minimum(plain, 0.1)).all())
            _, doubled, _ = self.play(vector.TransformReward(env, lambda reward: reward * 2), mode)
            self.assertTrue((doubled == 2 * plain).all())
            _, scaled, _ = self.play(vector.NormalizeReward(env), mode)
            self.assertTrue(((scaled > 0) == (plain > 0)).all())
            _, _, told = self.play(vector.RecordEpisodeStatistics(env), mode)
            # A reset of the wrapper clears "_episode" in earlier infos.
            totals = [infos["episode"]["r"][infos["episode"]["l"] > 0] for infos in told if "episode" in infos]
            self.assertEqual(np.concatenate(totals).tolist(), plain[plain > 0].tolist())
            self.assertGreaterEqual(len(np.concatenate(totals)), 3)
            _, _, lists = self.play(vector.DictInfoToList(env), mode)
            self.assertEqual([len(infos) for infos in lists], [3] * 9)


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Learners(unittest.TestCase):
    """Calls of learning libraries other than step()."""

    def test_masks(self) -> None:
        from lepanto.gymnasium_env import DiplomacyEnv, DiplomacyVectorEnv

        for flat in (False, True):
            env = DiplomacyEnv(until=1902, flat=flat, max_choices=64, illegal="raise")
            self.addCleanup(env.close)
            observation, infos = env.reset(seed=1)
            for _ in range(8):
                masks = env.action_masks().reshape(17, 64)
                self.assertTrue((np.array(infos["action_mask"]) == masks).all())
                if not flat:
                    self.assertTrue((observation["action_mask"] == masks).all())
                counts = masks.sum(1)
                action = env.action_space.sample(infos["action_mask"])
                self.assertTrue((action < counts).all())
                if infos["action_mask"][0].sum() > 1:
                    # May choose two builds in one centre, which is rejected.
                    action = np.where(np.arange(17) == 0, action, counts - 1)
                try:
                    observation, _, ended, _, infos = env.step(action)
                except ValueError as error:
                    self.assertIn("adjustment", str(error))
                    break
                if ended:
                    break
        games = DiplomacyVectorEnv(3, until=1901, workers=1, max_choices=64)
        self.addCleanup(games.close)
        self.assertRaises(gymnasium.error.ResetNeeded, games.action_masks)
        observations, _ = games.reset(seed=1)
        self.assertTrue((games.action_masks().reshape(3, 17, 64) == observations["action_mask"]).all())

    def test_no_legal_order_is_hidden(self) -> None:
        from lepanto.gymnasium_env import DiplomacyEnv

        env = DiplomacyEnv(until=1902, max_choices=8)
        self.addCleanup(env.close)
        with self.assertRaisesRegex(ValueError, "max_choices: got 8, wanted"):
            env.reset(seed=1)

    def test_rewards_can_be_shaped(self) -> None:
        import lepanto
        from lepanto.gymnasium_env import DiplomacyVectorEnv, EnvOptions

        runs = []
        for shaping in (0.0, 0.5):
            env = DiplomacyVectorEnv(4, until=1903, workers=1, max_choices=128, shaping=shaping)
            self.addCleanup(env.close)
            observation, _ = env.reset(seed=1)
            rewards, gains = [], []
            for actions in drawn(env.action_space, 3, 12):
                _, reward, _, _, _ = env.step(actions)
                rewards.append(reward)
                gains.append(env._batch.center_gains[np.arange(4), env.powers].astype(float))
            runs.append((np.array(rewards), np.array(gains)))
        self.assertGreater(np.abs(runs[1][1]).sum(), 0)
        np.testing.assert_allclose(runs[1][0], runs[0][0] + 0.5 * runs[1][1])
        with self.assertRaises(ValueError):
            DiplomacyVectorEnv(1, shaping="much")  # type: ignore[arg-type]
        for name in EnvOptions.__annotations__.keys() - lepanto.BatchOptions.__annotations__.keys():
            self.assertRegex(str(EnvOptions.__doc__), rf"(?m)^ +{name}: .")
        wrong: Any
        for wrong, words in (
            ({"reset_mode": "disabled"}, "DiplomacyVectorEnv: got option 'reset_mode', wanted none"),
            ({"observation": "dipnet"}, "got option 'observation', wanted one of"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                DiplomacyVectorEnv(1, **wrong)

    def test_pictures(self) -> None:
        import importlib.util

        import lepanto
        from lepanto.gymnasium_env import DiplomacyEnv

        env = DiplomacyEnv(until=1901, render_mode="rgb_array")
        self.addCleanup(env.close)
        env.reset(seed=1)
        has = [importlib.util.find_spec(name) is not None for name in ("PIL", "resvg_py", "cairosvg")]
        if not (has[0] and any(has[1:])):
            self.assertRaises(lepanto.LepantoError, env.render)
            return
        pixels = env.render()
        self.assertEqual((pixels.ndim, pixels.shape[2], pixels.dtype), (3, 3, np.uint8))
        self.assertGreater(len(np.unique(pixels.reshape(-1, 3), axis=0)), 10)


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Vectors(unittest.TestCase):
    def test_gymnasium_makes_vectors_of_single_games(self) -> None:
        from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

        from lepanto.gymnasium_env import DiplomacyEnv

        def make() -> Any:
            return DiplomacyEnv(until=1901, flat=True, max_choices=64)

        for mode in AutoresetMode:
            seen = []
            for vector in (SyncVectorEnv, AsyncVectorEnv):
                env = vector([make] * 2, autoreset_mode=mode)
                try:
                    rows = [env.reset(seed=[3, 4])[0].copy()]
                    for actions in drawn(env.action_space, 1, 8):
                        observation, rewards, terminated, truncated, _ = env.step(actions)
                        rows.append(np.concatenate([observation.ravel(), rewards, terminated, truncated]))
                        if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
                            env.reset(options={"reset_mask": terminated | truncated})
                finally:
                    env.close()
                self.assertGreater(sum(row[-4:-2].sum() for row in rows[1:]), 0)
                seen.append(rows)
            for one, other in zip(*seen):
                self.assertTrue((one == other).all())


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Wrappers(unittest.TestCase):
    def play(self, env: Any) -> Any:
        """Plays one episode. Returns its observations and rewards, and how it ended."""
        seen, got = [env.reset(seed=5)[0]], []
        for actions in drawn(env.action_space, 3, 40):
            self.assertIn(seen[-1], env.observation_space)
            observation, reward, terminated, truncated, infos = env.step(actions)
            seen.append(observation)
            got.append(reward)
            if terminated or truncated:
                return seen, got, (terminated, truncated), infos
        self.fail("the episode has no end")

    def test_single_games(self) -> None:
        from gymnasium import wrappers

        from lepanto.gymnasium_env import DiplomacyEnv

        env = DiplomacyEnv(until=1902, flat=True, max_choices=64)
        self.addCleanup(env.close)
        plain, rewards, ended, _ = self.play(wrappers.OrderEnforcing(wrappers.PassiveEnvChecker(env)))
        self.assertEqual(ended, (True, False))
        seen, _, ended, _ = self.play(wrappers.TimeLimit(env, 3))
        self.assertEqual((len(seen), ended), (4, (False, True)))
        seen, got, _, infos = self.play(
            wrappers.RecordEpisodeStatistics(wrappers.TransformReward(env, lambda r: float(r) * 2))
        )
        self.assertAlmostEqual(float(infos["episode"]["r"]), 2 * sum(rewards), 5)
        self.assertEqual(int(infos["episode"]["l"]), len(rewards))
        seen, _, _, _ = self.play(wrappers.FrameStackObservation(env, 2))
        self.assertTrue((seen[3] == np.stack(plain[2:4])).all())
        seen, _, _, _ = self.play(wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 30)))
        self.assertEqual(len(seen), len(plain))
        seen, _, _, _ = self.play(wrappers.NormalizeObservation(env))
        self.assertTrue(np.isfinite(seen).all())
        again = wrappers.Autoreset(env)
        again.reset(seed=5)
        ends = sum(again.step(actions)[2] for actions in drawn(env.action_space, 3, 3 * len(plain)))
        self.assertGreaterEqual(ends, 2)


if __name__ == "__main__":
    unittest.main()
