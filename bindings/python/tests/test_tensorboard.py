"""Tests that TensorBoard can read the event files of a training run."""

import tempfile
import unittest
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from lepanto.train.metrics import Metrics


class Events(unittest.TestCase):
    def test_tensorboard_reads_the_same(self) -> None:
        given = tempfile.TemporaryDirectory()
        self.addCleanup(given.cleanup)
        folder = Path(given.name)
        metrics = Metrics(folder, 0, 0, True)
        for n in range(4):
            metrics.add(
                {"stage": "play", "positions": n + 1, "score": n / 2, "shares": {"random": 0.5}, "passed": True}
            )
        metrics.close()
        # Resumes from a checkpoint at two positions.
        metrics = Metrics(folder, 0, 2, True)
        metrics.add({"stage": "play", "positions": 3, "score": 7.0})
        metrics.close()
        events = EventAccumulator(str(folder / "tensorboard"))
        events.Reload()
        self.assertEqual(events.Tags()["scalars"], ["play/score", "play/shares/random"])
        self.assertEqual(
            [(one.step, one.value) for one in events.Scalars("play/score")], [(1, 0.0), (2, 0.5), (3, 7.0)]
        )


if __name__ == "__main__":
    unittest.main()
