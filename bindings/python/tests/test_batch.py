"""Tests the batch core: equal runs for any number of workers, copies, search, refusals, resets, halves."""

import hashlib
import os
import tempfile
import unittest
from typing import Any, Dict

import numpy as np

import lepanto

#: Module of a user's agent whose units hold. With lies=1 it orders Austria's units, which is illegal.
HOLDER = """
import { makeOrder, Phase, unitPower } from 'lepanto';
import { parseAgent } from 'lepanto/selfplay';

const random = parseAgent('random');
export default {
  name: 'holder',
  help: 'holds',
  options: { lies: { help: 'orders of Austria', default: 0, least: 0, most: 1 } },
  make: (options) => ({
    name: 'holder',
    options,
    answer(questions) {
      const [{ game, power }] = questions;
      if (game.phase !== Phase.MOVEMENT) return random.answer(questions);
      console.log('a line that is no answer');
      const orders = [];
      for (let p = 0; p < game.map.provinceCount; p++)
        if (game.unitAt(p) !== 0 && unitPower(game.unitAt(p)) === (options.lies ? 0 : power))
          orders.push(makeOrder.hold(game.unitLocation(p)));
      return [{ orders }];
    },
  }),
};
"""


def signature(workers: Any, observations: Any = "dipnet", mapped: bool = True) -> Any:
    """Returns a hash of all arrays over 25 random steps and some random_step() calls."""
    if not mapped:
        os.environ["LEPANTO_KOFFI"] = "none"
    try:
        with lepanto.Batch(150, workers=workers, observations=observations, seed=5, until=1904) as batch:
            digest = hashlib.sha256()
            names = ["state", "order_counts", "orderable", "legal_offsets", "rewards", "final_scores", "episode_seed"]
            seen = ["observation", "final_observation"] if observations else []
            if observations == "dipnet":
                seen += ["previous_orders", "final_previous_orders"]
            for _ in range(25):
                batch.step(batch.random_actions())
                for name in names + seen:
                    digest.update(np.ascontiguousarray(getattr(batch, name)).tobytes())
                offsets = batch.legal_offsets
                for game in range(len(batch)):
                    digest.update(batch.legal_ids[offsets[game, 0] : offsets[game, -1]].tobytes())
            for count in (3, 1, 1, 4, 1):
                assert batch.random_step(count, "policy") == 150 * count
                for name in ["state"] + seen:
                    digest.update(getattr(batch, name).tobytes())
            return digest.hexdigest()
    finally:
        os.environ.pop("LEPANTO_KOFFI", None)


class Runs(unittest.TestCase):
    def test_workers_and_memory_change_nothing(self) -> None:
        first = signature(1)
        self.assertEqual(signature(2), first)
        self.assertEqual(signature(3), first)
        self.assertEqual(signature(2, mapped=False), first)

    def test_seeds_decide(self) -> None:
        with lepanto.Batch(8, workers=1, observations=None, seed=0) as batch:
            batch.reset(seeds=[7] * 8)
            batch.random_step(4)
            self.assertTrue((batch.state == batch.state[0]).all())
            batch.reset(seeds=9)
            self.assertEqual(batch.episode_seed.tolist(), lepanto.episode_seeds(9, 8).tolist())
            self.assertEqual(len(set(batch.episode_seed.tolist())), 8)

    def test_reset_by_mask(self) -> None:
        with lepanto.Batch(6, workers=1, observations=None, seed=0) as batch:
            batch.random_step(2)
            before = batch.state.copy()
            batch.reset(mask=[True, False, False, True, False, False])
            self.assertEqual(batch.year[[0, 3]].tolist(), [1901, 1901])
            self.assertEqual(batch.steps.tolist(), [0, 2, 2, 0, 2, 2])
            self.assertTrue((batch.state[1:3] == before[1:3]).all())

    def test_halves(self) -> None:
        with (
            lepanto.Batch(130, workers=2, observations=None, seed=2) as one,
            lepanto.Batch(130, workers=2, observations=None, seed=2) as two,
        ):
            first, second = one.halves
            for _ in range(6):
                actions = two.random_actions()
                one.send(actions[first], 0)
                self.assertRaises(lepanto.LepantoError, one.send, actions[second], 1)
                self.assertEqual(one.recv(), first)
                one.send(actions[second], 1)
                self.assertEqual(one.recv(), second)
                two.step(actions)
                self.assertTrue((one.state == two.state).all())

    def test_other_maps(self) -> None:
        for name in ("1898", "chaos", "ancmed", "colonial,tsr,suez,hongKong", "loeb9,ice=no"):
            with lepanto.Batch(3, map=name, workers=1, observations="dipnet", seed=0) as batch:
                for _ in range(4):
                    batch.step(batch.random_actions())
                self.assertEqual(batch.map, name)
                self.assertEqual(batch.observation.shape[1], len(batch.locations))
                self.assertTrue((batch.observation[:, :, :3].sum(2) == 1).all())


class Episodes(unittest.TestCase):
    def run_mode(self, mode: Any) -> Any:
        with lepanto.Batch(4, workers=1, reset_mode=mode, until=1901, observations=None, seed=3) as batch:
            seen = []
            for _ in range(9):
                batch.step(batch.random_actions())
                seen.append((bool(batch.terminated[0]), int(batch.steps[0]), round(float(batch.rewards[0].sum()), 3)))
            return seen, batch.final_scores[0, 0].sum()

    def test_same_step(self) -> None:
        seen, final = self.run_mode("same_step")
        ends = [entry for entry in seen if entry[0]]
        self.assertTrue(ends)
        self.assertTrue(all(steps == 0 and reward == 1.0 for _, steps, reward in ends))
        self.assertAlmostEqual(float(final), 1.0, 5)

    def test_next_step(self) -> None:
        seen, _ = self.run_mode("next_step")
        at = next(i for i, entry in enumerate(seen) if entry[0])
        self.assertEqual(seen[at], (True, 2, 1.0))
        self.assertEqual(seen[at + 1], (False, 0, 0.0))

    def test_disabled(self) -> None:
        seen, _ = self.run_mode("disabled")
        at = next(i for i, entry in enumerate(seen) if entry[0])
        self.assertEqual(seen[at], (True, 2, 1.0))
        self.assertEqual(seen[at + 1 :], [(True, 2, 0.0)] * (len(seen) - at - 1))

    def test_the_last_year_is_the_end_of_the_game(self) -> None:
        with lepanto.Batch(
            2, workers=1, reset_mode="disabled", until=1901, max_steps=3, observations=None, seed=0
        ) as batch:
            while not batch.terminated.any():
                self.assertFalse(batch.truncated.any())
                batch.step(batch.random_actions())
            self.assertEqual((batch.terminated.tolist(), batch.truncated.any()), ([True, True], False))

    def test_a_limit_of_steps_truncates(self) -> None:
        def play(mode: Any, random: Any) -> None:
            with lepanto.Batch(40, workers=2, reset_mode=mode, until=1905, max_steps=3, seed=3) as batch:
                for _ in range(200):
                    if random:
                        batch.random_step()
                    else:
                        batch.step(batch.random_actions())
                    cut = batch.truncated
                    self.assertFalse(batch.terminated.any())
                    self.assertTrue((batch.rewards == 0).all())
                    if not cut.any():
                        continue
                    self.assertTrue((batch.final_scores[cut, 0].sum(1) > 0.999).all())
                    if mode == "same_step":
                        self.assertTrue((batch.steps[cut] == 0).all())
                        self.assertTrue((batch.year[cut] == 1901).all())
                        self.assertTrue((batch.final_previous_orders[cut].sum((1, 2)) > 0).all())
                        return
                    self.assertEqual(set(batch.steps[cut].tolist()), {3})
                    self.assertEqual(set(batch.phase[cut].tolist()), {lepanto.MOVEMENT})
                    self.assertEqual(set(batch.status[cut].tolist()), {lepanto.DRAW})
                    if cut.all():
                        return
            self.fail(f"{mode}: no episode was cut")

        for random in (False, True):
            for mode in ("same_step", "disabled"):
                with self.subTest(mode=mode, random=random):
                    play(mode, random)

    def test_a_limit_of_steps_cuts_many_random_steps_alike(self) -> None:
        def play(counts: Any) -> Any:
            with lepanto.Batch(30, workers=2, max_steps=4, seed=9, until=1903) as batch:
                # Starts with retreats due, so that some games reach the limit in the middle of a phase-step.
                for _ in range(2):
                    batch.step(batch.random_actions(seed=5))
                for count in counts:
                    batch.random_step(count)
                return batch.save()

        self.assertEqual(play([9]), play([1] * 9))

    def test_long_games_are_draws_by_the_rules(self) -> None:
        with lepanto.Batch(3, rules="dptg", workers=1, observations=None, reset_mode="disabled", seed=0) as batch:
            holds = np.full((3, 7, batch.max_orders), lepanto.NO_ORDER, np.int32)
            for _ in range(8):
                batch.step(holds)
            saved = batch.save([0])
            batch.reset(mask=[False, True, True])
            batch.load(saved, [1])
            for _ in range(6):
                self.assertFalse(batch.terminated.any())
                batch.step(holds)
            self.assertEqual(batch.terminated.tolist(), [True, True, False])
            self.assertEqual(batch.status.tolist(), [lepanto.DRAW, lepanto.DRAW, lepanto.PLAYING])
            self.assertEqual(batch.winner.tolist(), [-1, -1, -1])

    def test_winner(self) -> None:
        with lepanto.Batch(2, workers=1, observations=None, seed=0) as batch:
            self.assertEqual(batch.winner.tolist(), [-1, -1])
            batch.state[1, 5] = batch.powers.index("FRANCE") + 1
            self.assertEqual(batch.winner.tolist(), [-1, 2])
            self.assertEqual(batch.winner.dtype, np.int8)

    def test_opponents(self) -> None:
        with (
            lepanto.Batch(
                12,
                workers=2,
                actions="vocabulary",
                observations=None,
                opponents={"FRANCE": "random"},
                until=1903,
                seed=0,
            ) as listed,
            lepanto.Batch(
                12,
                workers=1,
                actions="vocabulary",
                lists=False,
                observations=None,
                opponents={"FRANCE": "random"},
                until=1903,
                seed=0,
            ) as bare,
        ):
            for _ in range(15):
                actions = listed.random_actions()
                listed.step(actions)
                bare.step(actions)
                self.assertTrue((listed.state == bare.state).all())
                self.assertFalse(listed.acting[:, 2].any())
            self.assertEqual(listed.opponents, ["FRANCE"])

    def test_opponents_of_a_module(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "holder.mjs")
            with open(path, "w") as file:
                file.write(HOLDER)
            with lepanto.Batch(
                70, workers=2, observations=None, opponents={"FRANCE": f"{path}:lies=0"}, seed=0
            ) as batch:
                batch.step(batch.random_actions())
                self.assertEqual(batch.opponents, ["FRANCE"])
                france = batch.powers.index("FRANCE")
                at = [batch.provinces.index(name) for name in ("BRE", "MAR", "PAR")]
                self.assertTrue((batch.units[:, at] >> 1 == france + 1).all())
            with lepanto.Batch(
                70, workers=2, observations=None, opponents={"FRANCE": f"{path}:lies=1"}, seed=0
            ) as batch:
                with self.assertRaisesRegex(
                    lepanto.LepantoError, r"holder.mjs for FRANCE in S1901M of game 0\.1: .* hold at BUD"
                ):
                    batch.step(batch.random_actions())
            with self.assertRaisesRegex(lepanto.LepantoError, "nothing.mjs"):
                lepanto.Batch(1, opponents={"FRANCE": os.path.join(folder, "nothing.mjs")}, seed=0)


class Copies(unittest.TestCase):
    batch: lepanto.Batch
    data: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = lepanto.Batch(64, workers=2, seed=1)
        for _ in range(9):
            cls.batch.step(cls.batch.random_actions())
        cls.data = cls.batch.save([3, 5])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.batch.close()

    def test_save_and_load(self) -> None:
        batch = self.batch
        batch.load(batch.save([3, 5]), [10, 11])
        for name in ("state", "observation", "previous_orders", "order_counts", "streams"):
            rows = batch._rows[name]
            self.assertTrue((rows[[3, 5]] == rows[[10, 11]]).all(), name)

    def test_rules_that_read_and_end_otherwise_load_each_other(self) -> None:
        holds = np.full((1, 7, self.batch.max_orders), lepanto.NO_ORDER, np.int32)
        options: Dict[str, Any] = {"workers": 1, "observations": None, "reset_mode": "disabled"}
        with lepanto.Batch(1, rules="datc-3.2,waive=no", **options) as plain:
            plain.step(holds)
            data = plain.save()
            with lepanto.Batch(1, rules="datc-3.2,longGameDraw=yes", **options) as long:
                for _ in range(9):
                    long.step(holds)
                long.load(data)
                for _ in range(13):
                    self.assertFalse(long.terminated.any())
                    long.step(holds)
                self.assertEqual((long.year.tolist(), long.status.tolist()), ([1908], [lepanto.DRAW]))
                plain.load(long.save())
                self.assertEqual(plain.status.tolist(), [lepanto.DRAW])

    def test_clone(self) -> None:
        self.batch.clone(3, [20, 21, 22])
        self.assertTrue((self.batch.state[20:23] == self.batch.state[3]).all())
        self.assertTrue((self.batch.observation[20:23] == self.batch.observation[3]).all())

    def test_expand_is_clone_and_step(self) -> None:
        batch = self.batch
        batch.clone(3, list(range(24, 40)))
        joint = batch.random_actions()
        before = batch.state.copy()
        children = batch.expand(3, joint[24:40])
        self.assertTrue((batch.state == before).all())
        seen = {
            name: getattr(children, name).copy() for name in ("state", "observation", "previous_orders", "order_counts")
        }
        batch.step(joint)
        for name, array in seen.items():
            self.assertTrue((array == getattr(batch, name)[24:40]).all(), name)

    def test_broken_bytes_are_refused(self) -> None:
        for broken in (b"", self.data[:50], self.data[:-3], self.data + b"x", b"LEPB" + b"\xff" * 40, b"x" * 100):
            self.assertRaises(ValueError, self.batch.load, broken, [0, 1])
        before = self.batch.state.copy()
        wrong = bytearray(self.data)
        wrong[self.data.index(b"state") + 9 + 5] = 250
        self.assertRaises(lepanto.LepantoError, self.batch.load, bytes(wrong), [0, 1])
        self.assertTrue((self.batch.state == before).all())

    def test_random_bytes_are_refused_or_whole(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(100):
            wrong = bytearray(self.data)
            for _ in range(4):
                wrong[rng.integers(len(wrong))] = rng.integers(256)
            try:
                self.batch.load(bytes(wrong), [0, 1])
            except (ValueError, lepanto.LepantoError):
                pass
        self.batch.step(self.batch.random_actions())


class Refusals(unittest.TestCase):
    def test_illegal_action_names_and_steps_nothing(self) -> None:
        for workers in (1, 2):
            with lepanto.Batch(300, workers=workers, observations=None, seed=0) as batch:
                actions = batch.random_actions()
                actions[17, 3, 1] = 999
                actions[290, 0, 0] = -7
                before = batch.state.copy()
                with self.assertRaises(lepanto.IllegalAction) as caught:
                    batch.step(actions)
                self.assertRegex(
                    str(caught.exception), r"game 17, GERMANY, unit at \w+: got action 999, wanted 0 to \d+"
                )
                self.assertTrue((batch.state == before).all())
                batch.step(batch.random_actions())

    def test_wrong_arguments(self) -> None:
        with self.assertRaisesRegex(lepanto.LepantoError, "standard"):
            lepanto.Batch(1, map="atlantis", seed=0)
        with self.assertRaisesRegex(lepanto.LepantoError, "datc-3.2"):
            lepanto.Batch(1, rules="house", seed=0)
        with self.assertRaisesRegex(lepanto.LepantoError, "games"):
            lepanto.Batch(0, seed=0)
        with self.assertRaisesRegex(lepanto.LepantoError, "random"):
            lepanto.Batch(1, opponents={"FRANCE": "nobody"}, seed=0)
        with lepanto.Batch(2, workers=1, observations=None, seed=0) as batch:
            self.assertRaises(ValueError, batch.step, np.zeros((2, 7)))
            self.assertRaises(IndexError, batch.save, [2])
            self.assertRaises(lepanto.LepantoError, lambda: batch.observation)
            self.assertRaises(lepanto.LepantoError, batch.recv)
        self.assertRaises(lepanto.LepantoError, batch.step, hold=True)

    def test_node_missing(self) -> None:
        os.environ["LEPANTO_NODE"] = "/nowhere/node"
        try:
            with self.assertRaisesRegex(lepanto.LepantoError, "/nowhere/node"):
                lepanto.Batch(1, seed=0)
        finally:
            del os.environ["LEPANTO_NODE"]


class Text(unittest.TestCase):
    def test_text_and_back(self) -> None:
        with lepanto.Batch(2, workers=1, observations=None, seed=4) as batch:
            for _ in range(12):
                actions = batch.random_actions()
                text = batch.orders_as_text(0, actions[0])
                again = batch.actions_from_text(0, text)
                self.assertEqual(batch.orders_as_text(0, again), text)
                batch.step(actions)

    def test_refusal(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, seed=0) as batch:
            with self.assertRaisesRegex(lepanto.IllegalAction, "A PAR - MOS"):
                batch.actions_from_text(0, {"FRANCE": ["A PAR - MOS"]})

    def test_position(self) -> None:
        with lepanto.Batch(2, workers=1, observations=None, seed=4) as batch:
            batch.random_step(5)
            position = batch.position(0)
            batch.set_position(1, {key: position[key] for key in ("phase", "units", "centers")})
            self.assertTrue((batch.state[0] == batch.state[1]).all())


class Tensors(unittest.TestCase):
    def test_dipnet_start(self) -> None:
        with lepanto.Batch(1, workers=1, seed=0) as batch:
            board = batch.observation[0]
            # 13 armies; 9 fleets and the row of STP for the fleet in STP/SC; 34 centres and the coasts of three of
            # them.
            self.assertEqual(board[:, 0].sum(), 13)
            self.assertEqual(board[:, 1].sum(), 10)
            self.assertEqual(board[:, 27:].sum(), 40)
            self.assertEqual(batch.previous_orders.sum(), 0)

    def test_deepmind_actions(self) -> None:
        with lepanto.Batch(1, workers=1, observations="deepmind", seed=0) as batch:
            batch.step(batch.actions_from_text(0, {"FRANCE": ["A PAR - BUR"]})[None])
            paris, burgundy = batch.provinces.index("PAR"), batch.provinces.index("BUR")
            self.assertEqual(batch.last_action_count[0], 1)
            self.assertEqual(int(batch.last_actions[0, 0]) & 0xFFFFFFFF, 4 | paris << 9 | burgundy << 17)
            self.assertEqual(batch.deepmind_season[0], 2)


if __name__ == "__main__":
    unittest.main()
