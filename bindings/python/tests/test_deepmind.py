"""Tests DiplomacyState with a separately written game runner and random agent that call it as DeepMind's do."""

import enum
import unittest
from typing import Any, List, Set

import numpy as np

from lepanto.state import DiplomacyState, Engine

POWERS, ORDERS, LEGAL, VOCABULARY = 7, 17, 11900, 18584
#: Indices of columns of the board.
ARMY, FLEET, POWER, DISLODGED, DISLODGED_POWER, OWNER = 0, 1, 3, 13, 16, 27


class Season(enum.Enum):
    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4


def areas_of(observation: Any, power: Any) -> Any:
    """Returns the provinces of the units that a power orders, read from an observation; empty for builds."""
    is_dislodged = observation.season.is_retreats()
    areas = np.flatnonzero(observation.board[:, (DISLODGED_POWER if is_dislodged else POWER) + power])
    provinces = np.where(areas < 72, areas, 72 + (areas - 72) // 3)
    return sorted(set(provinces.tolist()))


def centers_of(power: Any, board: Any) -> Any:
    areas = np.flatnonzero(board[:, OWNER + power])
    return [area for area in areas if area < 72 or (area - 72) % 3 == 0]


class RandomAgent:
    def __init__(self, seed: Any) -> None:
        self.rng = np.random.default_rng(seed)
        self.resets = 0

    def reset(self) -> None:
        self.resets += 1

    def actions(self, slots: Any, observation: Any, legal_actions: Any) -> Any:
        return [self.of(slot, observation, np.asarray(legal_actions[slot], np.int64)) for slot in slots], {
            "seen": len(slots)
        }

    def of(self, slot: Any, observation: Any, legal: Any) -> Any:
        if observation.season.is_builds():
            due = abs(int(observation.build_numbers[slot]))
            one_each = {int(action >> 9) & 127: action for action in self.rng.permutation(legal)}
            return [int(action) for action in list(one_each.values())[:due]]
        by_province = (legal >> 9) & 127
        return [int(self.rng.choice(legal[by_province == province])) for province in areas_of(observation, slot)]


class Silent(RandomAgent):
    """Agent that gives no actions."""

    def actions(self, slots: Any, observation: Any, legal_actions: Any) -> Any:
        return [None] * len(slots), None


def run_game(state: Any, policies: Any, seats: Any, most_turns: Any = np.inf, draw_if_out: Any = None) -> Any:
    """Plays a game. Returns observations, padded legal actions and actions of each turn, and the returns."""
    for policy in policies:
        policy.reset()
    seen: List[Any] = []
    turn = 0
    while not state.is_terminal() and turn < most_turns:
        observation = state.observation()
        if observation.season == Season.SPRING_MOVES and draw_if_out is not None:
            if not centers_of(draw_if_out, observation.board):
                owns = np.array([bool(centers_of(q, observation.board)) for q in range(POWERS)], np.float32)
                return seen, owns / owns.sum()
        legal = state.legal_actions()
        padded_legal = np.zeros((POWERS, LEGAL), np.int64)
        for q in range(POWERS):
            padded_legal[q, : len(legal[q])] = legal[q]
        lists: List[List[Any]] = [[] for _ in range(POWERS)]
        for number, policy in enumerate(policies):
            slots = [q for q in range(POWERS) if seats[q] == number]
            chosen, _ = policy.actions(slots, observation, legal)
            for q, actions in zip(slots, chosen):
                lists[q] = actions
        padded = np.full((POWERS, ORDERS), -1, np.int64)
        for q, actions in enumerate(lists):
            if actions is not None:
                padded[q, : len(actions)] = actions
        state.step(lists)
        turn += 1
        seen.append((observation, padded_legal, padded))
    return seen, state.returns()


class Runner(unittest.TestCase):
    engine: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.engine = Engine("deepmind", until=1905)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.engine.close()

    def test_a_random_agent_plays(self) -> None:
        # Random orders dislodge few units: about one game in five has a retreat.
        seasons: Set[Any] = set()
        seed = 0
        while seasons != set(range(5)) and seed < 100:
            seed += 1
            agents = [RandomAgent(seed), RandomAgent(seed + 10)]
            seen, returns = run_game(DiplomacyState(self.engine), agents, [0, 1, 0, 1, 0, 1, 0])
            self.assertEqual([agent.resets for agent in agents], [1, 1])
            self.assertEqual((returns.shape, round(float(returns.sum()), 5)), ((7,), 1.0))
            for (observation, legal, actions), after in zip(seen, [*seen[1:], None]):
                seasons.add(observation.season.value)
                self.look(observation, legal)
                if after is not None:
                    given = actions[actions >= 0].tolist()
                    self.assertEqual(sorted(after[0].last_actions), sorted(given))
        self.assertEqual(seasons, set(range(5)))

    def look(self, observation: Any, legal: Any) -> None:
        """Checks shapes and types, and that exactly the units with an order due have legal actions."""
        board = observation.board
        self.assertEqual((board.shape, board.dtype), ((81, 35), np.uint8))
        self.assertEqual((observation.build_numbers.shape, observation.build_numbers.dtype), ((7,), np.int32))
        self.assertTrue((legal[legal > 0] >> 48 < VOCABULARY).all())
        for q in range(POWERS):
            own = legal[q][legal[q] > 0]
            if not observation.season.is_builds():
                self.assertEqual(sorted(set(((own >> 9) & 127).tolist())), areas_of(observation, q))
            elif observation.build_numbers[q] == 0:
                self.assertEqual(len(own), 0)

    def test_cut_short(self) -> None:
        seen, returns = run_game(DiplomacyState(self.engine), [RandomAgent(1)], [0] * 7, most_turns=4)
        self.assertEqual((len(seen), returns.tolist()), (4, [0.0] * 7))

    def test_no_actions_are_no_orders(self) -> None:
        with_out = [0, 0, 1, 0, 0, 0, 0]
        seen, returns = run_game(DiplomacyState(self.engine), [RandomAgent(5), Silent(0)], with_out, draw_if_out=2)
        self.assertTrue((np.stack([actions[2] for _, _, actions in seen]) == -1).all())
        self.assertAlmostEqual(float(returns.sum()), 1.0, 5)


if __name__ == "__main__":
    unittest.main()
