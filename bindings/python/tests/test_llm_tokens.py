"""Tests legal answers with tokenizers of the package tokenizers, and with grammars for vLLM's backend `guidance`."""

import inspect
import random
import sys
import unittest
from pathlib import Path
from typing import Any, List

import llguidance
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from random_decodes import EOS, decode, random_step, trained

from lepanto import llm
from lepanto.diplomacy import Game

TOKENIZERS = trained()


class Tokenizers(unittest.TestCase):
    def test_random_decodes_are_legal(self) -> None:
        for name, tokenizer in TOKENIZERS.items():
            answers, orders, illegal = decode(tokenizer, 1000, seed=7)
            self.assertEqual((answers, illegal), (1000, 0), name)
            self.assertGreater(orders, 2000)

    def test_the_usual_tokens_of_an_answer_are_among_the_legal_ones(self) -> None:
        text = "F BRE - MAO\nA MAR S A PAR - BUR\nA PAR - BUR"
        for name, tokenizer in TOKENIZERS.items():
            trie = llm.legal_trie(Game(), "FRANCE", tokenizer, EOS)
            ids = tokenizer.encode(text).ids
            self.assertEqual(tokenizer.decode(ids), text, name)
            self.assertIn(EOS, trie.tokens_at(trie.walk(ids) or trie.root))

    def test_masks_keep_rows_and_beams_to_legal_tokens(self) -> None:
        draw = np.random.default_rng(5)
        tokenizer = TOKENIZERS["bytes"]
        game = Game()
        powers = ["FRANCE", "TURKEY"]
        tries = [llm.legal_trie(game, power, tokenizer, EOS) for power in powers]
        size = tokenizer.get_vocab_size()
        mask = llm.LegalMask(tries, prompt=3)
        # Three rows of each trie, after a prompt of three tokens. Rows of a trie change places, as in beam search.
        ids = np.full((6, 3), 9)
        for _ in range(200):
            logits = mask(ids, draw.normal(size=(6, size)))
            ids = np.column_stack([ids, logits.argmax(1)])
            ids = ids[[*draw.permutation(3), *(3 + draw.permutation(3))]]
            if (ids[:, -1] == EOS).all():
                break
        self.assertTrue((ids[:, -1] == EOS).all())
        for row, tokens in enumerate(ids.tolist()):
            answer = llm.parse(tokenizer.decode(tokens[3:]), game, powers[row // 3])
            self.assertEqual((answer.counts["illegal"], answer.missing), (0, []))
        # The same as a processor of one vLLM request, called with the tokens so far and one row of logits.
        one = llm.LegalMask(tries[0])
        written: List[Any] = []
        while not written or written[-1] != EOS:
            written.append(int(one(written, draw.normal(size=size)).argmax()))
        self.assertEqual(llm.parse(tokenizer.decode(written), game, "FRANCE").missing, [])
        self.assertEqual(int(one(written, np.zeros(size)).argmax()), EOS)
        # transformers and vLLM choose the arguments by the number of parameters.
        self.assertEqual(len(inspect.signature(mask).parameters), 2)
        with self.assertRaisesRegex(ValueError, "ids: got 3 rows, wanted as many as tries"):
            mask(ids[:3], np.zeros((3, size)))

    def test_a_library_of_vllm_reads_the_grammars(self) -> None:
        tokenizer = TOKENIZERS["bytes"]
        words = llguidance.LLTokenizer(tokenizer.to_str(), n_vocab=tokenizer.get_vocab_size(), eos_token=EOS)
        draw = random.Random(4)
        game, kinds = Game(), set()
        for _ in range(25):
            for power, places in game.get_orderable_locations().items():
                if not places or (power != "FRANCE" and game.phase_type == "M"):
                    continue
                kinds.add(game.phase_type)
                grammar = llm.Grammar.of(game, power)
                for source in (
                    llguidance.LLMatcher.grammar_from_regex(grammar.regex()),
                    llguidance.LLMatcher.grammar_from_lark(llguidance.gbnf_to_lark.any_to_lark(grammar.gbnf())),
                    llguidance.LLMatcher.grammar_from_json_schema(grammar.json_schema()),
                ):
                    matcher, ids = llguidance.LLMatcher(words, source), []
                    while not matcher.is_stopped():
                        bits = matcher.compute_bitmask()
                        allowed = [i for i in range(tokenizer.get_vocab_size()) if bits[i >> 3] >> (i & 7) & 1]
                        token = draw.choice(allowed)
                        self.assertTrue(matcher.consume_token(token), matcher.get_error())
                        ids.append(token)
                    answer = llm.parse(tokenizer.decode(ids), game, power)
                    self.assertEqual(answer.counts["illegal"], 0)
                    if game.phase_type != "A":
                        self.assertEqual(answer.missing, [])
            random_step(game, draw)
        self.assertEqual(kinds, {"M", "R", "A"})


if __name__ == "__main__":
    unittest.main()
