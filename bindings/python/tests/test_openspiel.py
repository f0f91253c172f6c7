"""Tests the game of OpenSpiel with OpenSpiel's checks and bots. Needs pyspiel."""

import copy
import random
import unittest
from typing import Any, Dict

import numpy as np

try:
    import pyspiel
except ImportError:
    pyspiel = None


@unittest.skipIf(pyspiel is None, "pyspiel is not installed")
class OpenSpiel(unittest.TestCase):
    game: Any

    @classmethod
    def setUpClass(cls) -> None:
        import lepanto.openspiel_game  # noqa: F401

        cls.game = pyspiel.load_game("lepanto(until=1901)")

    def test_random_games(self) -> None:
        rng = random.Random(1)
        for _ in range(3):
            state, moves = self.game.new_initial_state(), 0
            while not state.is_terminal():
                legal = state.legal_actions()
                self.assertEqual(legal, sorted(set(legal)))
                text = state.action_to_string(state.current_player(), legal[0])
                self.assertEqual(state.string_to_action(state.current_player(), text) in legal, True)
                state.apply_action(rng.choice(legal))
                moves += 1
            self.assertLess(moves, self.game.max_game_length())
            self.assertAlmostEqual(sum(state.returns()), 1.0, 5)

    def test_orders_are_played_together(self) -> None:
        import lepanto

        state = self.game.new_initial_state()
        chosen: Dict[Any, Any] = {}
        while str(state).startswith("S1901M"):
            action = state.legal_actions()[len(chosen) % 3]
            chosen.setdefault(state.current_player(), []).append(action)
            state.apply_action(action)
        with lepanto.Batch(1, workers=1, actions="vocabulary") as batch:
            actions = np.full((1, 7, batch.max_orders), -1)
            for q, ids in chosen.items():
                actions[0, q, : len(ids)] = ids
            batch.step(actions)
            self.assertTrue((state._board == batch.observation[0]).all())
            self.assertEqual([len(ids) for ids in chosen.values()], [3, 3, 3, 3, 3, 4, 3])

    def test_texts_name_positions(self) -> None:
        """Different positions have different texts, and a player's text has no orders of others in the phase."""
        rng = random.Random(2)
        states, keys = set(), set()
        for _ in range(4):
            state = self.game.new_initial_state()
            for _ in range(40):
                state.apply_action(rng.choice(state.legal_actions()))
            states.add((state._bytes, state._ordered))
            keys.add(str(state))
            player = state.current_player()
            seen = [text(player) for text in (state.observation_string, state.information_state_string)]
            other = state.resample_from_infostate(player, rng.random)
            self.assertEqual(
                [text(player) for text in (other.observation_string, other.information_state_string)], seen
            )
            self.assertEqual(other.legal_actions(), state.legal_actions())
            self.assertEqual(len(other._ordered), len(state._ordered))
            self.assertFalse(other is state)
        self.assertEqual(len(keys), len(states))
        self.assertGreater(len(states), 1)

    def test_ismcts(self) -> None:
        from open_spiel.python.algorithms import ismcts, mcts

        state = self.game.new_initial_state()
        for _ in range(8):
            state.apply_action(state.legal_actions()[0])
        for by_observation in (False, True):
            evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(1))
            bot = ismcts.ISMCTSBot(
                game=self.game,
                uct_c=1.0,
                max_simulations=6,
                evaluator=evaluator,
                random_state=np.random.RandomState(2),
                use_observation_string=by_observation,
            )
            self.assertIn(bot.step(state), state.legal_actions())

    def test_copies(self) -> None:
        state = self.game.new_initial_state()
        for _ in range(30):
            state.apply_action(state.legal_actions()[-1])
        for other in (
            state.clone(),
            copy.deepcopy(state),
            pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(self.game, state))[1],
        ):
            self.assertEqual(str(other), str(state))
            self.assertEqual(other.legal_actions(), state.legal_actions())
            other.apply_action(other.legal_actions()[0])
            self.assertNotEqual(str(other), str(state))

    def test_observer(self) -> None:
        from open_spiel.python.observation import make_observation

        state = self.game.new_initial_state()
        seen = make_observation(self.game)
        seen.set_from(state, 0)
        self.assertEqual(seen.dict["observation"].shape, (81, 35))
        self.assertEqual((seen.dict["observation"][:, 0].sum(), seen.dict["location"].sum()), (13, 1))

    def test_clones_of_later_phases(self) -> None:
        state = self.game.new_initial_state()
        while str(state).startswith("S1901M"):
            state.apply_action(state.legal_actions()[-1])
        chosen = [int(action) for action in np.random.default_rng(1).integers(1000, size=200)]

        def play(state: Any) -> Any:
            first = str(state)[:6]
            for pick in chosen:
                if state.is_terminal() or str(state)[:6] != first:
                    break
                legal = state.legal_actions()
                state.apply_action(legal[pick % len(legal)])
            return str(state), state.legal_actions(), state._board.tobytes()

        played = [play(state.clone()), play(state.clone()), play(state)]
        self.assertEqual(played[1:], played[:-1])

    def test_search_bot_plays_a_game(self) -> None:
        from open_spiel.python.algorithms import mcts

        state, rng = self.game.new_initial_state(), np.random.RandomState(1)
        bot = mcts.MCTSBot(self.game, 1.4, 2, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        moves = 0
        while not state.is_terminal():
            action = bot.step(state) if moves % 4 == 0 else state.legal_actions()[0]
            state.apply_action(action)
            moves += 1
        self.assertGreaterEqual(moves, 44)
        self.assertAlmostEqual(sum(state.returns()), 1.0, 5)

    def test_search_bot(self) -> None:
        from open_spiel.python.algorithms import mcts

        state = self.game.new_initial_state()
        evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
        bot = mcts.MCTSBot(self.game, 1.4, 6, evaluator, random_state=np.random.RandomState(2))
        for _ in range(3):
            action = bot.step(state)
            self.assertIn(action, state.legal_actions())
            state.apply_action(action)


if __name__ == "__main__":
    unittest.main()
