"""Counts illegal orders in answers that are drawn token by token from a trie, with two tokenizers that it trains.

    python random_decodes.py --decodes 1000000 --seed 1

An answer is what the tokenizer itself makes of the tokens. Each of its lines is read by the engine, apart from the list
that the trie was made of, and an answer must have one order for each unit, or as many builds or removals as are due.
"""

import argparse
import random
import re
import time

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from lepanto import llm
from lepanto.game import Game

EOS = 0


def trained():
    """Two tokenizers of the text of contexts: bytes with merges, as GPT has them; pieces with a mark for spaces, as Llama."""
    texts = [llm.context(Game(), power, legend=power == "FRANCE").text for power in Game().powers]
    merges = Tokenizer(models.BPE())
    merges.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    merges.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    merges.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=4000, special_tokens=["<eos>"], initial_alphabet=alphabet, show_progress=False)
    )
    pieces = Tokenizer(models.Unigram())
    pieces.pre_tokenizer = pre_tokenizers.Metaspace()
    pieces.decoder = decoders.Metaspace()
    lines = [part for text in texts for part in re.findall(r"\S.*|\n", text)]
    letters = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ-/", "\n"]
    pieces.train_from_iterator(
        lines,
        trainers.UnigramTrainer(
            vocab_size=2000, special_tokens=["<eos>", "<unk>"], unk_token="<unk>", initial_alphabet=letters, show_progress=False
        ),
    )
    return {"bytes": merges, "pieces": pieces}


def random_step(game, draw):
    legal, builds = game.get_all_possible_orders(), game.get_state()["builds"]
    for power, places in game.get_orderable_locations().items():
        due = abs(builds[power]["count"]) if game.phase_type == "A" else len(places)
        game.set_orders(power, [draw.choice(legal[place]) for place in draw.sample(places, min(due, len(places)))])
    game.process()


def drawn(trie, draw, tokens_at):
    """The tokens of a random answer, without the one that ends it."""
    node, ids = trie.root, []
    while True:
        token = draw.choice(tokens_at(node))
        node = trie.step(node, token)
        if node is None:
            return ids
        ids.append(token)


def wrong_in(text, due, known, game, power):
    """Orders in an answer that are illegal, missing or too many."""
    lines = text.split("\n") if text else []
    places = [line.split(" ")[1][:3] for line in lines if line != "WAIVE"]
    for line in lines:
        if line not in known:
            counts = llm.parse(line, game, power).counts
            known[line] = counts["legal"] + counts["unmatched"] == 1 and counts["illegal"] == 0
    return sum(not known[line] for line in lines) + abs(len(lines) - due) + len(places) - len(set(places))


def decode(tokenizer, decodes, seed, each=50):
    """Decodes random answers of all powers in the positions of random games. Returns answers, orders and illegal ones."""
    draw = random.Random(seed)
    answers = orders = illegal = 0
    game = Game()
    while answers < decodes:
        if game.is_game_done or len(game.get_phase_history()) > 60:
            game = Game()
        builds = game.get_state()["builds"]
        for power, places in game.get_orderable_locations().items():
            due = abs(builds[power]["count"]) if game.phase_type == "A" else len(places)
            if not places or answers >= decodes:
                continue
            trie, known, lists = llm.legal_trie(game, power, tokenizer, EOS), {}, {}

            def tokens_at(node, trie=trie, lists=lists):
                found = lists.get(node)
                if found is None:
                    found = lists[node] = trie.tokens_at(node)
                return found

            for _ in range(min(each, decodes - answers)):
                text = tokenizer.decode(drawn(trie, draw, tokens_at))
                illegal += wrong_in(text, due, known, game, power)
                answers += 1
                orders += due
        random_step(game, draw)
    return answers, orders, illegal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--decodes", type=int, default=1_000_000, help="answers for each tokenizer")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for name, tokenizer in trained().items():
        begun = time.time()
        answers, orders, illegal = decode(tokenizer, given.decodes, given.seed)
        print(f"{name}: {answers} answers, {orders} orders, {illegal} illegal, {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
