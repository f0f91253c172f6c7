"""Tests the update of arrays after changes of games, the arrays of children, and where koffi is loaded from."""

import os
import unittest
from typing import Any
from unittest import mock

import numpy as np

import lepanto


def lists(batch: Any, row: Any) -> Any:
    """Returns the legal lists of a game: vocabulary ids, indexed by slot."""
    offsets = batch.legal_offsets[row]
    return [batch.legal_ids[offsets[k] : offsets[k + 1]].tolist() for k in range(len(offsets) - 1)]


class Described(unittest.TestCase):
    """After changes of some games, the arrays equal those of a batch that updates all games."""

    NAMES = ("build_numbers", "center_counts", "order_counts", "orderable", "observation")

    def check(self, batch: Any) -> None:
        seen = {name: getattr(batch, name).copy() for name in self.NAMES}
        listed = [lists(batch, row) for row in range(len(batch))]
        batch._describe()
        for name, array in seen.items():
            self.assertTrue((getattr(batch, name) == array).all(), name)
        self.assertEqual([lists(batch, row) for row in range(len(batch))], listed)

    def test_games_that_changed(self) -> None:
        rng = np.random.default_rng(1)
        for mapped in (True, False):
            with mock.patch.dict(os.environ, {} if mapped else {"LEPANTO_KOFFI": "none"}):
                batch = lepanto.Batch(300, workers=2, seed=3, max_children=0)
            with batch:
                position = batch.position(0)
                for turn in range(40):
                    batch.clone(int(rng.integers(300)), rng.integers(300, size=rng.integers(1, 5)))
                    batch.set_position(int(rng.integers(300)), position)
                    batch.load(batch.save([7, 8]), [9, 295])
                    batch.reset(mask=rng.random(300) < 0.1)
                    if turn % 10 == 0:
                        self.check(batch)
                        batch.step(batch.random_actions())
                self.check(batch)

    def test_lists_of_the_others_stay_where_they_are(self) -> None:
        with lepanto.Batch(640, workers=1, observations=None, seed=0) as batch:
            batch.step(batch.random_actions())
            offsets = batch.legal_offsets.copy()
            batch.clone(5, 6)
            changed = (batch.legal_offsets != offsets).any(1)
            self.assertEqual(np.flatnonzero(changed).tolist(), [6])

    def test_a_chunk_without_room_is_described_whole(self) -> None:
        with lepanto.Batch(64 * 64, workers=2, observations=None, max_children=0, seed=0) as batch:
            batch.step(batch.random_actions())
            wanted = lists(batch, 70)
            # Each turn writes 31 games with about 500 legal orders each, into room for about 160,000.
            for _ in range(20):
                batch.clone(70, np.arange(65, 96))
            self.assertEqual([lists(batch, row) for row in (65, 70, 95)], [wanted] * 3)
            self.assertLessEqual(batch.legal_offsets[64:128].max(), 2 * batch._all["legal_ids"].shape[1])

    def test_lists_after_random_steps(self) -> None:
        with lepanto.Batch(300, workers=2, max_children=0, seed=0) as batch:
            batch.random_step(3)
            batch.clone(0, [1, 2])
            self.check(batch)
            batch.random_step(1)
            batch.reset(mask=np.arange(300) < 7)
            self.check(batch)


class ChildArrays(unittest.TestCase):
    def test_all_but_the_final_ones(self) -> None:
        with lepanto.Batch(2, workers=1, until=1901, max_children=3, seed=0) as batch:
            joint = np.full((3, len(batch.powers), batch.max_orders), lepanto.NO_ORDER)
            children = batch.expand(0, joint)
            self.assertEqual(len(children), 3)
            self.assertEqual((children.year.tolist(), children.season.tolist()), ([1901] * 3, [lepanto.FALL] * 3))
            self.assertTrue((children.units == batch.units[0]).all())
            self.assertTrue((children.owners == batch.owners[0]).all())
            self.assertEqual(children.acting.shape, (3, 7))
            self.assertEqual(children.winner.tolist(), [-1] * 3)
            self.assertFalse(hasattr(children, "final_scores"))
            batch.step(joint[:2])
            children = batch.expand(1, joint)
            self.assertTrue(children.terminated.all())
            self.assertAlmostEqual(float(children.rewards[0].sum()), 1.0, 5)


class Koffi(unittest.TestCase):
    def test_a_wrong_path_is_an_error(self) -> None:
        with mock.patch.dict(os.environ, {"LEPANTO_KOFFI": "/nowhere/koffi"}):
            with self.assertRaisesRegex(
                lepanto.LepantoError, 'LEPANTO_KOFFI: got "/nowhere/koffi", wanted "none" or the directory'
            ):
                lepanto.Batch(1, seed=0)

    def test_none_writes_through_the_file(self) -> None:
        with mock.patch.dict(os.environ, {"LEPANTO_KOFFI": "none"}), lepanto.Batch(1, workers=1, seed=0) as batch:
            self.assertFalse(batch.mapped)


if __name__ == "__main__":
    unittest.main()
