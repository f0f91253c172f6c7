"""Tests the choice of actions: agents' orders, opponents of single games, random actions, samples from logits."""

import os
import tempfile
import unittest
from typing import Any, Set
from unittest import mock

import numpy as np

import lepanto
from lepanto import ragged

POWERS = 7

#: Module of a user's agent that gives no orders. %s: condition on which it ends its process.
HOLDER = """
export default { name: 'holder', help: '', options: {}, make: (options) => ({ name: 'holder', options,
  answer([{ game, power }]) { if (%s) process.exit(3); return [{ orders: [] }]; } }) };
"""


def every_way(test: Any) -> Any:
    """Runs a test with one worker without mapped memory, and with two workers with it. Its results must be equal."""

    def run(self: Any) -> None:
        seen = []
        for workers, koffi in ((1, "none"), (2, None)):
            with mock.patch.dict(os.environ, {"LEPANTO_KOFFI": koffi} if koffi else {}):
                seen.append(test(self, workers))
        self.assertTrue(len(seen[0]) > 0)
        for other in seen[1:]:
            self.assertEqual(len(other), len(seen[0]))
            for a, b in zip(seen[0], other):
                self.assertTrue(np.array_equal(a, b))

    return run


class AgentActions(unittest.TestCase):
    @every_way
    def test_are_those_of_an_opponent(self, workers: Any) -> Any:
        """A batch stepped with agent_actions() of a power plays the same games as one whose opponent plays that
        power."""
        seen = []
        options = {"workers": workers, "observations": None, "seed": 3, "until": 1902}
        actions: Any
        for agent, actions in (("dumbbot", "index"), ("random", "vocabulary")):
            with (
                lepanto.Batch(20, actions=actions, **options) as asked,
                lepanto.Batch(20, actions=actions, opponents={"ITALY": agent}, **options) as played,
            ):
                for _ in range(6):
                    joint = played.random_actions()
                    italy = asked.agent_actions(agent, "ITALY")
                    self.assertTrue((italy[:, [0, 1, 2, 3, 5, 6]] == -1).all())
                    self.assertTrue(((italy[:, 4] >= 0).sum(1) <= asked.order_counts[:, 4]).all())
                    joint[:, 4] = italy[:, 4]
                    asked.step(joint)
                    played.step(joint)
                    self.assertTrue((asked.state == played.state).all())
                    seen.append(italy)
        return seen

    def test_powers_seeds_and_games(self) -> None:
        with lepanto.Batch(130, workers=2, observations=None, until=1902, seed=1) as batch:
            batch.random_step(1)
            everyone = batch.agent_actions("policy")
            self.assertTrue(((everyone >= 0).any(2) == batch.acting).all())
            some = np.zeros((130, POWERS), bool)
            some[5, 2] = some[99, 0] = True
            self.assertTrue((batch.agent_actions("policy", some)[some] == everyone[some]).all())
            self.assertTrue((batch.agent_actions("policy", some)[~some] == -1).all())
            self.assertTrue((batch.agent_actions("policy") == everyone).all())
            other = batch.agent_actions("policy", seed=0)
            self.assertFalse((other == everyone).all())
            self.assertTrue((batch.agent_actions("policy", seed=0) == other).all())
            batch.clone(0, 1, seeds="same")
            clones = batch.agent_actions("policy")[:2]
            self.assertTrue((clones[0] == clones[1]).all())
            first, second = batch.halves
            self.assertTrue(
                (batch.agent_actions("policy", games=second) == batch.agent_actions("policy")[second]).all()
            )
            batch.step(batch.agent_actions("dumbbot"))
            for wrong, error, pattern in (
                (("nobody",), lepanto.LepantoError, 'agent: got "nobody", wanted one of random'),
                (("./nothing.mjs",), lepanto.LepantoError, "nothing.mjs"),
                (("random", "ATLANTIS"), ValueError, "power: got 'ATLANTIS'"),
                (("random", np.ones((2, 7), bool)), ValueError, "powers: got shape"),
                (("random", None, 2**40), ValueError, "seed: got"),
            ):
                with self.assertRaisesRegex(error, pattern):
                    batch.agent_actions(*wrong)
            self.assertTrue((batch.agent_actions("hold", "FRANCE")[:, 2] >= -1).all())

    def test_while_a_half_is_on_its_way(self) -> None:
        with (
            lepanto.Batch(130, workers=2, observations=None, seed=1) as batch,
            lepanto.Batch(130, workers=1, observations=None, seed=1) as twin,
        ):
            first, second = batch.halves
            wanted = twin.agent_actions("policy")[second]
            batch.send(batch.random_actions(games=first), 0)
            self.assertTrue((batch.agent_actions("policy", games=second) == wanted).all())
            self.assertEqual(batch.random_actions(games=second).shape, wanted.shape)
            with self.assertRaisesRegex(lepanto.LepantoError, "half 0, which is under way"):
                batch.random_actions()
            batch.recv()

    def test_modules(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            holder, dying = os.path.join(folder, "holder.mjs"), os.path.join(folder, "dying.mjs")
            for path, dies in ((holder, "false"), (dying, "power === 2")):
                with open(path, "w") as file:
                    file.write(HOLDER % dies)
            with lepanto.Batch(3, workers=1, observations=None, seed=1) as batch:
                self.assertTrue((batch.agent_actions(holder) == -1).all())
                before = batch.state.copy()
                with self.assertRaisesRegex(
                    lepanto.LepantoError, r"dying.mjs for FRANCE in S1901M of game 0\.1: ended its thread"
                ):
                    batch.agent_actions(dying)
                self.assertTrue((batch.state == before).all())
                batch.step(batch.agent_actions("dumbbot"))
                batch.set_opponents({"FRANCE": holder}, [1])
                batch.step(batch.random_actions())


class Opponents(unittest.TestCase):
    @every_way
    def test_by_game_and_seat(self, workers: Any) -> Any:
        """With another learning seat in each game and dumbbots in the others, games equal those of seven uniform
        batches."""
        powers = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
        each = [{power: "dumbbot" for power in powers if power != powers[g % 7]} for g in range(14)]
        options = {"workers": workers, "observations": None, "seed": 5, "until": 1903, "max_children": 2}
        seen = []
        with lepanto.Batch(14, opponents=each, **options) as batch, lepanto.Batch(14, **options) as plain:
            self.assertEqual((batch.opponents, batch.opponents_of(1)), ([], each[1]))
            mine = np.arange(14)[:, None] % 7 == np.arange(7)
            for turn in range(8):
                self.assertTrue((batch.acting == (plain.acting & mine)).all())
                joint = plain.agent_actions("dumbbot", ~mine)
                own = batch.random_actions()
                self.assertTrue((own[~mine] == -1).all())
                children = batch.expand(turn, own[turn : turn + 1], common=True)
                joint[mine] = own[mine]
                batch.step(own)
                plain.step(joint)
                self.assertTrue((batch.state == plain.state).all())
                if not batch.terminated[turn]:
                    self.assertTrue((children.state[0] == batch.state[turn]).all())
                seen.append(batch.state.copy())
        return seen

    def test_can_change(self) -> None:
        with lepanto.Batch(
            10, workers=1, observations=None, opponents={"france": "hold"}, results=True, seed=0
        ) as batch:
            self.assertEqual(batch.opponents, ["FRANCE"])
            self.assertEqual(batch.opponents_of(0), {"FRANCE": "hold"})
            batch.set_opponents({}, [0])
            batch.set_opponents([{"ITALY": "policy"}, {"ITALY": "hold", "TURKEY": "hold"}], [1, 2])
            self.assertEqual(batch.acting.sum(1).tolist(), [7, 6, 5] + [6] * 7)
            self.assertEqual([batch.opponents_of(g) for g in (0, 1, 3)], [{}, {"ITALY": "policy"}, {"FRANCE": "hold"}])
            self.assertEqual(batch.opponents, [])
            batch.step(batch.random_actions())
            kinds = np.array(lepanto.ORDER_TYPES)[batch.vocabulary.type[batch.last_orders[2, 4, :3]]]
            self.assertEqual(kinds.tolist(), ["hold"] * 3)
            before = [batch.opponents_of(g) for g in range(10)]
            for wrong, error in (
                ({"ITALY": "nobody"}, lepanto.LepantoError),
                ({"ATLANTIS": "hold"}, ValueError),
                ([{}], ValueError),
            ):
                self.assertRaises(error, batch.set_opponents, wrong)
            self.assertEqual([batch.opponents_of(g) for g in range(10)], before)


class Decisions(unittest.TestCase):
    @every_way
    def test_until_decision(self, workers: Any) -> Any:
        """step_until_decision() equals step() with further steps of the games in which France has no orders due."""
        agents = dict.fromkeys(("AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"), "random")
        options = {
            "workers": workers,
            "observations": "dipnet",
            "seed": 2,
            "until": 1903,
            "opponents": agents,
            "reset_mode": "disabled",
        }
        seen = []
        with lepanto.Batch(12, **options) as batch, lepanto.Batch(12, **options) as twin:
            for _ in range(11):
                actions = batch.random_actions()
                batch.step_until_decision(actions)
                playing = twin.status == lepanto.PLAYING
                twin.step(actions)
                idle = playing & (twin.status == lepanto.PLAYING) & ~twin.acting[:, 2]
                while idle.any():
                    kept = np.flatnonzero(~idle)
                    data = twin.save(kept)
                    twin.step(np.full(actions.shape, -1))
                    twin.load(data, kept)
                    idle &= (twin.status == lepanto.PLAYING) & ~twin.acting[:, 2]
                self.assertTrue((batch.acting[:, 2] | (batch.status != lepanto.PLAYING)).all())
                self.assertTrue((batch.state == twin.state).all())
                self.assertTrue((batch.observation == twin.observation).all())
                seen.append(batch.state.copy())
            self.assertTrue((batch.status != lepanto.PLAYING).any())
        return seen

    def test_ends_keep_their_rewards(self) -> None:
        agents = dict.fromkeys(("AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"), "hold")
        with lepanto.Batch(3, workers=1, observations=None, until=1901, opponents=agents, seed=0) as batch:
            ends = 0
            for _ in range(8):
                batch.step_until_decision(np.full((3, 7, batch.max_orders), -1))
                ended = batch.terminated.copy()
                ends += int(ended.sum())
                self.assertTrue((batch.rewards[ended].sum(1) > 0.99).all())
                self.assertTrue((batch.rewards[~ended] == 0).all())
                self.assertTrue(batch.acting[:, 2].all())
            self.assertGreater(ends, 6)


class RandomActions(unittest.TestCase):
    @every_way
    def test_seeds(self, workers: Any) -> Any:
        seen = []
        with lepanto.Batch(70, workers=workers, observations=None, seed=8) as batch:
            for _ in range(4):
                self.assertTrue((batch.random_actions(4) == batch.random_actions(4)).all())
                self.assertFalse((batch.random_actions(4) == batch.random_actions(5)).all())
                actions = batch.random_actions()
                self.assertFalse((actions == batch.random_actions()).all())
                seen += [actions, batch.random_actions(4)]
                batch.step(actions)
            batch.reset(8)
            self.assertTrue((batch.random_actions() == seen[0]).all())
            batch.clone(0, 1)
            self.assertFalse((batch.random_actions()[0] == batch.random_actions()[1]).all())
        return seen

    @every_way
    def test_without_lists(self, workers: Any) -> Any:
        options = {"workers": workers, "observations": None, "actions": "vocabulary", "seed": 1, "until": 1902}
        seen = []
        with lepanto.Batch(30, **options) as listed, lepanto.Batch(30, lists=False, **options) as bare:
            for _ in range(8):
                actions = listed.random_actions()
                self.assertTrue((bare.random_actions() == actions).all())
                self.assertTrue(((actions >= 0).sum(2) == listed.order_counts).all())
                listed.step(actions)
                bare.step(actions)
                seen.append(actions)
        return seen

    def test_all_are_alike_likely(self) -> None:
        with lepanto.Batch(4096, workers=2, observations=None, seed=1, max_children=0) as batch:
            actions = batch.random_actions()
            offsets = batch.legal_offsets[0]
            for k in np.flatnonzero(np.diff(offsets))[:6]:
                n = offsets[k + 1] - offsets[k]
                counts = np.bincount(actions[:, k // 17, k % 17], minlength=n)
                expected = 4096 / n
                self.assertLess(((counts - expected) ** 2 / expected).sum(), n + 6 * np.sqrt(2 * n))


def softmax(values: Any) -> Any:
    exp = np.exp(values - values.max())
    return exp / exp.sum()


class Ragged(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(4)
        self.starts = np.concatenate([[0], np.cumsum(rng.integers(1, 9, 50))])
        self.values = rng.normal(0, 2, self.starts[-1])
        self.values[rng.random(len(self.values)) < 0.1] = -np.inf
        self.values[self.starts[:-1]] = np.maximum(self.values[self.starts[:-1]], -5)
        self.lists = [self.values[a:b] for a, b in zip(self.starts, self.starts[1:])]

    def test_against_a_loop(self) -> None:
        with np.errstate(divide="ignore"):
            wanted = np.concatenate([np.log(softmax(one)) for one in self.lists])
        np.testing.assert_allclose(ragged.log_softmax(self.values, self.starts), wanted, atol=1e-12)
        picks = np.array([int(one.argmax()) for one in self.lists])
        self.assertTrue((ragged.argmax(self.values, self.starts) == picks).all())
        np.testing.assert_allclose(ragged.log_prob(self.values, self.starts, picks), wanted[self.starts[:-1] + picks])
        entropies = [-sum(p * np.log(p) for p in softmax(one) if p > 0) for one in self.lists]
        np.testing.assert_allclose(ragged.entropy(self.values, self.starts), entropies, atol=1e-12)
        half = ragged.entropy(np.array([0, 0, -np.inf, 1], np.float16), np.array([0, 3, 4]))
        np.testing.assert_allclose(half, [np.log(2), 0], atol=2e-3)

    def test_samples_have_the_chances(self) -> None:
        rng = np.random.default_rng(1)
        drawn = np.stack([ragged.sample(self.values, self.starts, rng) for _ in range(4000)])
        for m, one in enumerate(self.lists):
            seen = np.bincount(drawn[:, m], minlength=len(one)) / len(drawn)
            self.assertLess(np.abs(seen - softmax(one)).max(), 0.04)
        again = ragged.sample(self.values, self.starts, np.random.default_rng(1))
        self.assertTrue((again == drawn[0]).all())

    def test_refusals(self) -> None:
        for starts in ([0, 3], [1, len(self.values)], [0, 4, 4, len(self.values)], [[0]]):
            self.assertRaises(ValueError, ragged.log_softmax, self.values, starts)


class LegalLists(unittest.TestCase):
    def test_loop_of_whole_games(self) -> None:
        for actions in ("index", "vocabulary"):
            with lepanto.Batch(25, workers=2, observations=None, seed=1, until=1903, actions=actions) as batch:
                rng = np.random.default_rng(0)
                adjusted = 0
                for _ in range(15):
                    legal = batch.legal()
                    offsets = batch.legal_offsets
                    for m in range(0, len(legal), 37):
                        at = offsets[legal.game[m], legal.power[m] * 17 + legal.slot[m] :]
                        ids = batch.legal_ids[at[0] : at[1]]
                        self.assertTrue((legal.ids[legal.starts[m] : legal.starts[m + 1]] == ids).all())
                    logits = rng.normal(0, 3, len(legal.ids)).astype(np.float32)
                    picks, log_probs = legal.sample(logits, rng)
                    joint = legal.actions(picks)
                    self.assertTrue(((joint >= 0).sum(2) == batch.order_counts).all())
                    self.assertTrue((legal.picks(joint) == picks).all())
                    self.check(batch, legal, logits, picks, log_probs)
                    adjusted += int((legal.slot[legal.adjusts] > 0).sum())
                    # Would raise for two adjustments in one province.
                    batch.step(joint)
                self.assertGreater(adjusted, 10)

    def check(self, batch: Any, legal: Any, logits: Any, picks: Any, log_probs: Any) -> None:
        """Compares log-probabilities and entropies with a loop that masks provinces already taken."""
        taken: Set[Any] = set()
        entropies = legal.entropy(logits, picks)
        for m in range(len(legal)):
            if legal.slot[m] == 0:
                taken = set()
            ids = legal.ids[legal.starts[m] : legal.starts[m + 1]]
            values = logits[legal.starts[m] : legal.starts[m + 1]].astype(float)
            if legal.adjusts[m]:
                free = [batch.vocabulary.province[i] not in taken for i in ids]
                values = np.where(free, values, -np.inf)
                province = batch.vocabulary.province[ids[picks[m]]]
                if province >= 0:
                    taken.add(province)
            chances = softmax(values)
            self.assertAlmostEqual(float(log_probs[m]), float(np.log(chances[picks[m]])), 4)
            self.assertAlmostEqual(float(entropies[m]), -sum(p * np.log(p) for p in chances if p > 0), 3)

    def test_open_slots_and_agents(self) -> None:
        with lepanto.Batch(8, workers=1, observations=None, seed=1) as batch:
            while not (batch.order_counts[batch.phase == lepanto.ADJUSTMENT] > 1).any():
                batch.step(batch.random_actions())
            legal = batch.legal()
            self.assertTrue(legal.allowed(np.full(len(legal), -1)).all())
            expert = batch.agent_actions("dumbbot")
            picks = legal.picks(expert)
            allowed = legal.allowed(picks)
            given = picks >= 0
            self.assertTrue(allowed[legal.starts[:-1][given] + picks[given]].all())
            self.assertFalse(allowed.all())
            one = batch.legal("ITALY")
            self.assertTrue((one.power == 4).all())
            for wrong in (picks[1:], picks.astype(float), np.full(len(legal), 10**6)):
                self.assertRaises(ValueError, legal.actions, wrong)
            self.assertRaises(ValueError, legal.sample, np.zeros(3))

    def test_nothing_to_order(self) -> None:
        agents = dict.fromkeys(("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"), "hold")
        with lepanto.Batch(2, workers=1, observations=None, opponents=agents, seed=0) as batch:
            legal = batch.legal()
            picks, log_probs = legal.sample(np.zeros(0, np.float32))
            self.assertEqual((len(legal), len(picks), len(log_probs)), (0, 0, 0))
            batch.step(legal.actions(picks))


if __name__ == "__main__":
    unittest.main()
