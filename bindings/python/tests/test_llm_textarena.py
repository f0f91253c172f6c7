"""Tests the environment of TextArena: seven players, whose orders are processed together."""

import unittest

import textarena

import lepanto.llm.textarena_env  # noqa: F401
from lepanto import llm


class TextArena(unittest.TestCase):
    def test_a_game_of_seven_players(self) -> None:
        env = textarena.make("Lepanto-Diplomacy-v0", until=1902)
        env.reset(num_players=7, seed=3)
        done, turns, legal = False, [], 0
        while not done:
            player, prompt = env.get_observation()
            power = env.powers[player]
            self.assertEqual(prompt, llm.context(env.game, power).text)
            orders = [unit["orders"][-1]["order"] for unit in llm.context(env.game, power).json["units"]]
            turns.append((env.game.get_current_phase(), player))
            done, info = env.step("\n".join(orders) if player else "A\ud800")
            self.assertEqual((info["phase"], info["power"]), (turns[-1][0], power))
            legal += info["legal"] + info["unmatched"]
        self.assertEqual([turn for turn in turns if turn[0] == "S1901M"], [("S1901M", player) for player in range(7)])
        self.assertGreater(legal, 50)
        self.assertEqual(env.game.get_current_phase(), "S1903M")
        rewards, infos = env.close()
        self.assertAlmostEqual(sum(rewards.values()), 1)
        self.assertEqual(
            [infos[player]["turn_count"] for player in (0, 1)],
            [sum(turn[1] == player for turn in turns) for player in (0, 1)],
        )
        env = textarena.make("Lepanto-Diplomacy-v0", until=1903)
        env.reset(num_players=7)
        player, prompt = env.get_observation()
        done, info = env.step("A BUD - SER\nF TRI - ALB\nA VIE - TRI")
        self.assertEqual((player, info["legal"]), (0, 3))
        with self.assertRaisesRegex(ValueError, "num_players: got 3, wanted 7"):
            env.reset(num_players=3)


if __name__ == "__main__":
    unittest.main()
