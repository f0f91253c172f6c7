"""Tests the wrappers for other libraries, with those libraries' checks if they are installed."""

import enum
import json
import random
import unittest
import warnings
from typing import Any, Dict, List
from unittest import mock

import numpy as np

import lepanto
from lepanto.diplomacy import Game
from lepanto.state import DiplomacyState, Engine, Season, State

try:
    import pettingzoo
except ImportError:
    pettingzoo = None
try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]


def setUpModule() -> None:
    warnings.simplefilter("ignore")


@unittest.skipIf(pettingzoo is None, "pettingzoo is not installed")
class PettingZoo(unittest.TestCase):
    def setUp(self) -> None:
        self.made: List[Any] = []

    def tearDown(self) -> None:
        for env in self.made:
            env.close()

    def make(self) -> Any:
        from lepanto.pettingzoo_env import parallel_env

        self.made.append(parallel_env(until=1902))
        return self.made[-1]

    def make_turns(self) -> Any:
        from lepanto.pettingzoo_env import env

        self.made.append(env(until=1902))
        return self.made[-1]

    def test_parallel_api(self) -> None:
        from pettingzoo.test import parallel_api_test

        self.assertIsNone(parallel_api_test(self.make(), num_cycles=60))

    def test_seeds(self) -> None:
        from pettingzoo.test import parallel_seed_test, seed_test

        self.assertIsNone(parallel_seed_test(self.make, num_cycles=20))
        self.assertIsNone(seed_test(self.make_turns, num_cycles=40))

    def test_turn_by_turn_api(self) -> None:
        from pettingzoo.test import api_test

        self.assertIsNone(api_test(self.make_turns(), num_cycles=40))

    def test_performance_benchmark(self) -> None:
        from pettingzoo.test import performance_benchmark

        self.assertIsNone(performance_benchmark(self.make_turns()))

    def test_step_before_reset(self) -> None:
        from gymnasium.error import ResetNeeded

        self.assertRaisesRegex(ResetNeeded, r"wanted reset\(\)", self.make().step, {})

    def test_episodes_differ_and_repeat(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(until=1901, opponents=dict.fromkeys(("AUSTRIA", "ITALY"), "random"))
        self.made.append(env)

        def play(seed: Any) -> Any:
            env.reset(seed=seed)
            while env.agents:
                env.step({agent: np.zeros(17, int) for agent in env.agents})
            return env.state().tobytes()

        first = [play(np.int64(4)), play(None), play(None)]
        self.assertEqual(len(set(first)), 3)
        self.assertEqual(first, [play(4), play(5), play(6)])

    def test_ends(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        for options, wanted in (({"until": 1901}, (True, False, 1.0)), ({"max_steps": 1}, (False, True, 0.0))):
            env = parallel_env(**options)
            self.made.append(env)
            env.reset(seed=1)
            while env.agents:
                _, rewards, terminated, truncated, _ = env.step({agent: np.zeros(17, int) for agent in env.agents})
            self.assertEqual(
                (all(terminated.values()), any(truncated.values()), round(sum(rewards.values()), 5)), wanted
            )

    def test_cycles_and_shaped_rewards(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(until=1903, max_cycles=4, shaping=0.25)
        self.addCleanup(env.close)
        for _ in range(2):
            env.reset(seed=2)
            for cycle in range(4):
                actions = {
                    agent: env.action_space(agent).sample(env._infos[agent]["action_mask"]) for agent in env.agents
                }
                _, rewards, ended, late, _ = env.step(actions)
                self.assertEqual(list(rewards.values()), (0.25 * env._batch.center_gains[0]).tolist())
                self.assertFalse(any(ended.values()))
                self.assertEqual(set(late.values()), {cycle == 3})
            self.assertEqual(env.agents, [])

    def test_illegal_action_is_refused_on_demand(self) -> None:
        from lepanto import IllegalAction
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(illegal="raise")
        self.made.append(env)
        env.reset(seed=1)
        actions = {agent: np.full(17, 500) for agent in env.agents}
        self.assertRaises(IllegalAction, env.step, actions)


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Gymnasium(unittest.TestCase):
    def test_modes(self) -> None:
        from gymnasium.vector import AutoresetMode

        from lepanto.gymnasium_env import DiplomacyVectorEnv

        for mode in AutoresetMode:
            env = DiplomacyVectorEnv(5, until=1901, autoreset_mode=mode)
            observation, info = env.reset(seed=3)
            self.assertIn(observation, env.observation_space)
            env.action_space.seed(1)
            ends = 0
            for _ in range(12):
                observation, rewards, terminated, truncated, info = env.step(env.action_space.sample())
                self.assertIn(observation, env.observation_space)
                self.assertEqual(rewards.shape, (5,))
                ended = terminated | truncated
                self.assertTrue((rewards[~ended] == 0).all())
                ends += int(ended.sum())
                if mode == AutoresetMode.SAME_STEP and ended.any():
                    self.assertTrue(all(info["final_obs"][i] is not None for i in np.flatnonzero(ended)))
                if mode == AutoresetMode.DISABLED and ended.any():
                    env.reset(options={"reset_mask": ended})
            self.assertGreaterEqual(ends, 5)
            env.close()

    def test_seeds(self) -> None:
        from lepanto.gymnasium_env import DiplomacyVectorEnv

        def run() -> Any:
            env = DiplomacyVectorEnv(3, until=1902)
            env.reset(seed=11)
            env.action_space.seed(5)
            seen = [env.step(env.action_space.sample())[0]["observation"].copy() for _ in range(8)]
            env.close()
            return np.stack(seen)

        self.assertTrue((run() == run()).all())

    def test_seeds_of_any_kind(self) -> None:
        from lepanto.gymnasium_env import DiplomacyVectorEnv

        env = DiplomacyVectorEnv(3, until=1902)
        self.addCleanup(env.close)

        def seeds(seed: Any) -> Any:
            return env.reset(seed=seed)[1]["episode_seed"].tolist()

        self.assertEqual(seeds(np.int64(7)), seeds(7))
        self.assertEqual(seeds([1, 2, 3]), [1, 2, 3])
        self.assertEqual(seeds((np.int32(4), 5, np.uint8(6))), [4, 5, 6])
        self.assertEqual(seeds(np.array([4, 5, 6])), [4, 5, 6])
        drawn, again = seeds([1, None, 3]), seeds([1, None, 3])
        self.assertEqual((drawn[0], drawn[2]), (1, 3))
        self.assertNotEqual(drawn[1], again[1])
        seeds(11)
        self.assertEqual([seeds(None), seeds([None, None, 9])[:2]], [seeds(12), seeds(13)[:2]])
        for wrong, error in (([1, 2], ValueError), (2**32, ValueError), (0.5, TypeError), ([1, 2, "3"], TypeError)):
            self.assertRaises(error, env.reset, seed=wrong)

    def test_step_before_reset(self) -> None:
        from gymnasium.error import ResetNeeded

        from lepanto.gymnasium_env import DiplomacyVectorEnv

        env = DiplomacyVectorEnv(2, until=1901)
        self.addCleanup(env.close)
        self.assertRaisesRegex(
            ResetNeeded, r"got a call before the first reset\(\)", env.step, env.action_space.sample()
        )

    def test_the_end_is_the_same_in_all_modes(self) -> None:
        from gymnasium.vector import AutoresetMode

        from lepanto.gymnasium_env import DiplomacyVectorEnv

        made = [DiplomacyVectorEnv(8, until=1901, autoreset_mode=mode) for mode in AutoresetMode]
        for env in made:
            self.addCleanup(env.close)
            env.reset(seed=6)
        made[0].action_space.seed(1)
        going = np.ones(8, bool)
        while going.any():
            actions = made[0].action_space.sample()
            steps = {env.metadata["autoreset_mode"]: env.step(actions) for env in made}
            ended = steps[AutoresetMode.SAME_STEP][2] & going
            final: Any = steps[AutoresetMode.SAME_STEP][4].get("final_obs")
            for game in np.flatnonzero(ended):
                self.assertGreater(final[game]["previous_orders"].sum(), 0)
                for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
                    observation, rewards, terminated, truncated, _ = steps[mode]
                    assert isinstance(observation, dict)
                    self.assertTrue(terminated[game] and not truncated[game])
                    self.assertEqual(rewards[game], steps[AutoresetMode.SAME_STEP][1][game])
                    for name, array in observation.items():
                        self.assertTrue((array[game] == final[game][name]).all(), f"{mode}, {name}")
            going &= ~ended

    def test_a_limit_of_steps_truncates(self) -> None:
        from gymnasium.vector import AutoresetMode

        from lepanto.gymnasium_env import DiplomacyVectorEnv

        for mode in AutoresetMode:
            env = DiplomacyVectorEnv(5, until=1905, max_steps=1, autoreset_mode=mode)
            self.addCleanup(env.close)
            env.reset(seed=3)
            env.action_space.seed(1)
            cut = np.zeros(5, bool)
            while not cut.all():
                observation, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
                self.assertTrue((rewards == 0).all() and not terminated.any())
                if mode == AutoresetMode.SAME_STEP and truncated.any():
                    final = infos["final_obs"][truncated.argmax()]
                    self.assertEqual((final["season"].tolist(), final["phase"].tolist()), ([1], [0]))
                cut |= truncated

    def test_statistics_wrapper(self) -> None:
        from gymnasium.wrappers.vector import RecordEpisodeStatistics

        from lepanto.gymnasium_env import DiplomacyVectorEnv

        env = RecordEpisodeStatistics(DiplomacyVectorEnv(4, until=1901))
        env.reset(seed=1)
        seen = 0
        for _ in range(10):
            *_, info = env.step(env.action_space.sample())
            seen += "episode" in info
        env.close()
        self.assertGreater(seen, 0)


class States(unittest.TestCase):
    def test_state_plays_to_its_end(self) -> None:
        engine = Engine(until=1902)
        state = State(engine)
        rng = np.random.default_rng(0)
        while not state.is_terminal():
            child = state.clone()
            child.apply_actions([[int(rng.integers(len(one))) for one in state.legal_actions(q)] for q in range(7)])
            self.assertNotEqual(child.serialize(), state.serialize())
            self.assertEqual(State(engine, child.serialize()).is_terminal(), child.is_terminal())
            state = child
        self.assertAlmostEqual(sum(state.returns()), 1.0, 5)
        engine.close()

    def test_deepmind_protocol(self) -> None:
        engine = Engine("deepmind", until=1903)
        state = DiplomacyState(engine)
        rng = np.random.default_rng(0)
        seasons = set()
        while not state.is_terminal():
            observation, legal = state.observation(), state.legal_actions()
            seasons.add(observation.season)
            self.assertEqual(observation.board.shape, (81, 35))
            self.assertEqual(len(legal), 7)
            actions = []
            for q in range(7):
                units: Dict[Any, Any] = {}
                for action in legal[q]:
                    self.assertTrue(0 <= action >> 48 < 18584)
                    units.setdefault((action >> 9) & 127, []).append(action)
                if observation.season == 4:
                    actions.append([legal[q][0]] if legal[q] else [])
                else:
                    actions.append([int(rng.choice(each)) for each in units.values()])
            state.step(actions)
            self.assertEqual(len(state.observation().last_actions), sum(map(len, actions)))
        self.assertAlmostEqual(float(state.returns().sum()), 1.0, 5)
        self.assertIn(4, seasons)
        self.assertRaises(ValueError, DiplomacyState(engine).step, [[12345]] + [[]] * 6)
        engine.close()

    def test_deepmind_seasons_answer_what_theirs_answer(self) -> None:
        class Theirs(enum.Enum):
            SPRING_MOVES = 0
            BUILDS = 4

        engine = Engine("deepmind", until=1903)
        self.addCleanup(engine.close)
        season = DiplomacyState(engine).observation().season
        self.assertEqual((season.value, season, int(season), season.name), (0, 0, 0, "SPRING_MOVES"))
        self.assertEqual([season.is_moves(), season.is_retreats(), season.is_builds()], [True, False, False])
        self.assertTrue(season == Theirs.SPRING_MOVES and Theirs.SPRING_MOVES == season)
        self.assertTrue(season != Theirs.BUILDS and season in {Season.SPRING_MOVES: 1})
        self.assertEqual([one.is_retreats() for one in Season], [False, True, False, True, False])

    def test_deepmind_clone_keeps_its_score(self) -> None:
        engine = Engine("deepmind", until=1901)
        self.addCleanup(engine.close)
        state = DiplomacyState(engine, score="survivors")
        while not state.is_terminal():
            state.step([[]] * 7)
        self.assertEqual(state.returns().tolist(), [1.0] * 7)
        self.assertEqual(state.clone().returns().tolist(), [1.0] * 7)


class Games(unittest.TestCase):
    def test_hash_of_the_start(self) -> None:
        # Result of Game().get_hash() in diplomacy 1.1.2.
        self.assertEqual(Game().get_hash(), "1919110489198082658")

    def test_game_of_texts(self) -> None:
        rng = np.random.default_rng(3)
        game = Game()
        for _ in range(30):
            possible = game.get_all_possible_orders()
            for power, places in game.get_orderable_locations().items():
                orders = [str(rng.choice(possible[place])) for place in places]
                if game.phase_type == "A":
                    orders = orders[: abs(game.get_state()["builds"][power]["count"])]
                self.assertEqual(game.set_orders(power, orders), [])
            played = game.process()
            self.assertEqual(played["state"]["name"], played["name"])
        again = Game.from_orders(game.to_saved_game_format())
        self.assertEqual((again.get_hash(), again.phase), (game.get_hash(), game.phase))
        back = game.rolled_back_to_phase_start("F1901M")
        self.assertEqual(back.get_current_phase(), "F1901M")
        self.assertEqual(len(game.clone_n_times(3)), 3)
        self.assertAlmostEqual(sum(game.get_scores()), 1.0, 5)

    def test_two_round_trips_a_phase(self) -> None:
        """The loop in the README of `diplomacy` gives the batch's orders and sends one or two requests per phase."""
        from lepanto.state import shared_engine

        rng = random.Random(5)
        game = Game()
        batch = shared_engine().batch
        alone, asked = batch._server._alone, []

        def counted(act: Any, *given: Any) -> Any:
            asked.append(given[0])
            return alone(act, *given)

        with mock.patch.object(batch._server, "_alone", counted):
            for phase in range(60):
                if game.is_game_done:
                    break
                asked.clear()
                possible = game.get_all_possible_orders()
                given = {}
                for name, _ in game.powers.items():
                    given[name] = [
                        rng.choice(possible[place]) for place in game.get_orderable_locations(name) if possible[place]
                    ]
                    self.assertEqual(game.set_orders(name, given[name]), [])
                set_, trips = game.get_orders(), len(asked)
                texts = batch.legal_as_text(0)
                for name, slots in texts.items():
                    lists = slots[:1] if game.phase_type == "A" else slots
                    told = {text for place, orders in possible.items() for text in orders}
                    self.assertLessEqual({text for orders in lists for text in orders}, told)
                    due = int(batch.order_counts[0, game._engine.batch.powers.index(name)])
                    # In winter the package keeps excess orders until the phase is processed.
                    self.assertTrue(game.phase_type == "A" or len(set_[name]) <= due)
                wanted = lepanto.adjudicate(game)
                asked.clear()
                played = game.process()
                self.assertLessEqual(trips + len(asked), 2, wanted["phase"])
                self.assertEqual(played["name"], wanted["phase"])
                self.assertEqual(game.get_current_phase(), wanted["next_phase"])
                units = {
                    name: sorted(u for u in own if not u.startswith("*"))
                    for name, own in game.clone().get_units().items()
                }
                self.assertEqual(units, {name: sorted(own) for name, own in wanted["units"].items()})
        self.assertGreater(phase, 20)
        # Results of a phase are requested when they are first read, in any order.
        history = game.get_phase_history()
        again = Game.from_orders(json.loads(game.to_json()))
        for one, other in zip(reversed(history), reversed(again.get_phase_history())):
            # Saved games have no waives.
            results = [{unit: words for unit, words in of["results"].items() if unit != "WAIVE"} for of in (one, other)]
            self.assertEqual((one["name"], one["orders"], results[0]), (other["name"], other["orders"], results[1]))
            states = [{**of["state"], "timestamp": 0} for of in (one, other)]
            self.assertEqual(*states)

    def test_orders_that_somebody_else_has_put_there(self) -> None:
        game = Game()
        game.powers["FRANCE"].orders["A PAR"] = "- BUR"
        game.process()
        self.assertIn("A BUR", game.get_units("FRANCE"))
        game.powers["FRANCE"].orders["A BUR"] = "nonsense"
        with self.assertRaises(lepanto.IllegalAction):
            game.process()
        power = game.powers["FRANCE"]
        self.assertEqual((power.units, power.centers), (game.get_units("FRANCE"), game.get_centers("FRANCE")))
        self.assertFalse(power.is_eliminated())

    def test_bounce_and_refusal(self) -> None:
        game = Game()
        self.assertEqual(
            game.set_orders("FRANCE", ["a par-bur", "A PAR - MOS", "nonsense"]), ["A PAR - MOS", "nonsense"]
        )
        game.set_orders("GERMANY", ["A MUN - BUR"])
        results = game.process()["results"]
        self.assertEqual((results["A PAR"], results["A MUN"], results["A MAR"]), (["bounce"], ["bounce"], []))

    def test_stalemate(self) -> None:
        game = Game()
        game.set_draw_on_stalemate_years(2)
        for _ in range(20):
            if game.is_game_done:
                break
            game.process()
        self.assertTrue(game.is_game_done)
        self.assertEqual(game.get_consecutive_years_without_sc_change(), 2)


if __name__ == "__main__":
    unittest.main()
