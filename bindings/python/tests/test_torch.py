"""Tests choices from logits that are torch tensors, against those of arrays. Needs torch."""

import unittest

import numpy as np

import lepanto
from lepanto import ragged

try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class Torch(unittest.TestCase):
    def test_functions_are_those_of_arrays(self) -> None:
        rng = np.random.default_rng(2)
        starts = np.concatenate([[0], np.cumsum(rng.integers(1, 9, 40))])
        values = rng.normal(0, 2, starts[-1])
        values[rng.random(len(values)) < 0.1] = -np.inf
        values[starts[:-1]] = 0
        tensor = torch.tensor(values, requires_grad=True)
        picks = ragged.argmax(values, starts)
        self.assertEqual(ragged.argmax(tensor, starts).tolist(), picks.tolist())
        for name in ("log_softmax", "entropy"):
            array, got = getattr(ragged, name)(values, starts), getattr(ragged, name)(tensor, starts)
            np.testing.assert_allclose(got.detach().numpy(), array, atol=1e-6)
        for kind in (torch.float16, torch.bfloat16):
            given = torch.tensor([0, 0, -np.inf, 1]).to(kind)
            half = ragged.entropy(given, np.array([0, 3, 4]))
            self.assertEqual(half.dtype, kind)
            self.assertEqual(ragged.argmax(given, np.array([0, 3, 4])).tolist(), [0, 0])
            np.testing.assert_allclose(half.float().numpy(), [np.log(2), 0], atol=2e-2)
        chosen = ragged.log_prob(tensor, starts, torch.tensor(picks))
        np.testing.assert_allclose(chosen.detach().numpy(), ragged.log_prob(values, starts, picks), atol=1e-6)
        chosen.sum().backward()
        # d log p(pick) / d logit is the indicator of the pick minus the entry's probability.
        wanted = -np.exp(ragged.log_softmax(values, starts))
        wanted[starts[:-1] + picks] += 1
        np.testing.assert_allclose(tensor.grad.numpy(), wanted, atol=1e-6)

    def test_samples(self) -> None:
        starts = np.array([0, 2, 5])
        tensor = torch.tensor([0.0, 1.0, 0.0, 2.0, -np.inf])
        drawn = torch.stack([ragged.sample(tensor, starts, torch.Generator().manual_seed(i)) for i in range(2000)])
        for m, one in enumerate((tensor[:2], tensor[2:])):
            seen = torch.bincount(drawn[:, m], minlength=len(one)) / len(drawn)
            self.assertLess(float((seen - torch.softmax(one, 0)).abs().max()), 0.05)

    def test_half_precision(self) -> None:
        with lepanto.Batch(2, observations=None, workers=1, seed=1) as batch:
            legal = batch.legal()
            for kind in (torch.float16, torch.bfloat16):
                logits = torch.zeros(len(legal.ids)).to(kind).requires_grad_()
                picks, chances = legal.sample(logits, torch.Generator().manual_seed(1))
                self.assertEqual((chances.dtype, ragged.sample(logits, legal.starts).dtype), (kind, torch.int64))
                np.testing.assert_allclose(chances.detach().float().numpy(), -np.log(np.diff(legal.starts)), atol=2e-2)
                chances.float().sum().backward()
                self.assertEqual(logits.grad.dtype, kind)
                with self.assertRaisesRegex(ValueError, "logits: got nan for order 0 of game 0"):
                    legal.sample(logits.detach() * np.nan)

    def test_games_of_a_net(self) -> None:
        with lepanto.Batch(20, workers=1, observations=None, seed=1, until=1903) as batch:
            head = torch.nn.Embedding(len(batch.vocabulary), 1)
            generator = torch.Generator().manual_seed(3)
            for _ in range(14):
                legal = batch.legal()
                logits = head(torch.as_tensor(legal.ids, dtype=torch.long))[:, 0]
                picks, log_probs = legal.sample(logits, generator)
                array = logits.detach().numpy()
                np.testing.assert_allclose(log_probs.detach().numpy(), legal.log_prob(array, picks.numpy()), atol=1e-5)
                np.testing.assert_allclose(
                    legal.entropy(logits, picks).detach().numpy(), legal.entropy(array, picks.numpy()), atol=1e-5
                )
                batch.step(legal.actions(picks))
            head.zero_grad()
            log_probs.mean().backward()
            self.assertTrue(torch.isfinite(head.weight.grad).all())
            self.assertGreater(float(head.weight.grad.abs().sum()), 0)


if __name__ == "__main__":
    unittest.main()
