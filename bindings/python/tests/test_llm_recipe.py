"""Tests that the recipe for language models learns, and that masks accept tensors."""

import sys
import unittest
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

import grpo  # noqa: E402

from lepanto import llm  # noqa: E402
from lepanto.diplomacy import Game  # noqa: E402


class Recipe(unittest.TestCase):
    def test_rewards_grow(self) -> None:
        rewards, shares = grpo.train(12, width=64, layers=1, prompt=48)
        self.assertGreater(sum(rewards[-4:]) / 4, sum(rewards[:4]) / 4 + 0.2)
        self.assertTrue(all(0 < share < 1 for share in shares))

    def test_masks_of_half_precision(self) -> None:
        tokenizer = grpo.Words()
        trie = llm.legal_trie(Game(), "FRANCE", tokenizer)
        for kind in (torch.float32, torch.bfloat16):
            logits = torch.randn(2, tokenizer.vocab_size).to(kind)
            masked = llm.LegalMask(trie)(torch.zeros(2, 0, dtype=torch.int64), logits)
            kept = trie.tokens_at(trie.root)
            self.assertEqual(masked.dtype, kind)
            self.assertTrue(torch.equal(masked[:, kept], logits[:, kept]))
            self.assertEqual(int(torch.isinf(masked).sum()), 2 * (tokenizer.vocab_size - len(kept)))


if __name__ == "__main__":
    unittest.main()
