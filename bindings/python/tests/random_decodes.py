"""Counts illegal orders in random answers, drawn token by token from a trie. Trains two tokenizers for this.

    python random_decodes.py --decodes 1000000 --seed 1

The tokenizer decodes each answer. The engine parses each of its lines independently of the list of legal orders from
which the trie was made. An answer must have one order for each unit, or the number of builds or removals due.
"""

import argparse
import itertools
import random
import re
import time
from typing import Any, Dict, List

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from lepanto import llm
from lepanto.diplomacy import Game

EOS = 0


def trained() -> Any:
    """Returns two tokenizers trained on contexts: byte-level BPE, as in GPT, and pieces with a mark for spaces, as in
    Llama."""
    texts = [llm.context(Game(), power, legend=power == "FRANCE").text for power in Game().powers]
    merges = Tokenizer(models.BPE())
    merges.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    merges.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    merges.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=4000, special_tokens=["<eos>"], initial_alphabet=alphabet, show_progress=False),
    )
    pieces = Tokenizer(models.Unigram())
    pieces.pre_tokenizer = pre_tokenizers.Metaspace()
    pieces.decoder = decoders.Metaspace()
    lines = [part for text in texts for part in re.findall(r"\S.*|\n", text)]
    letters = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ-/", "\n"]
    pieces.train_from_iterator(
        lines,
        trainers.UnigramTrainer(
            vocab_size=2000,
            special_tokens=["<eos>", "<unk>"],
            unk_token="<unk>",
            initial_alphabet=letters,
            show_progress=False,
        ),
    )
    return {"bytes": merges, "pieces": pieces}


def random_step(game: Any, draw: Any) -> None:
    legal, builds = game.get_all_possible_orders(), game.get_state()["builds"]
    for power, places in game.get_orderable_locations().items():
        due = abs(builds[power]["count"]) if game.phase_type == "A" else len(places)
        game.set_orders(power, [draw.choice(legal[place]) for place in draw.sample(places, min(due, len(places)))])
    game.process()


def drawn(trie: Any, draw: Any, tokens_at: Any) -> Any:
    """Returns the tokens of a random answer, without the end token."""
    node = trie.root
    ids: List[Any] = []
    while True:
        token = draw.choice(tokens_at(node))
        node = trie.step(node, token)
        if node is None:
            return ids
        ids.append(token)


def place_of(line: Any) -> Any:
    return line.split(" ")[1][:3] if " " in line else line


def illegal_among(lines: Any, due: Any, game: Any, power: Any) -> Any:
    """Returns the lines that are not legal orders. The engine parses them in groups of one line for each place, at most
    the number of orders due."""
    by_place: Dict[Any, Any] = {}
    for line in sorted(lines):
        by_place.setdefault(place_of(line), []).append(line)
    illegal = set()
    for together in itertools.zip_longest(*by_place.values()):
        given = [line for line in together if line is not None]
        for i in range(0, len(given), due):
            found = llm.parse("\n".join(given[i : i + due]), game, power)
            legal = {one.text for one in found.verdicts if one.order == one.text}
            illegal.update(set(given[i : i + due]) - legal)
    return illegal


def wrong_in(texts: Any, due: Any, game: Any, power: Any) -> Any:
    """Returns the number of illegal, missing and excess orders in answers."""
    answers = [text.split("\n") for text in texts]
    illegal = illegal_among(set(itertools.chain(*answers)), due, game, power)
    wrong = 0
    for lines in answers:
        places = [place_of(line) for line in lines if line != "WAIVE"]
        wrong += sum(line in illegal for line in lines) + abs(len(lines) - due) + len(places) - len(set(places))
    return wrong


def decode(tokenizer: Any, decodes: Any, seed: Any, each: int = 100) -> Any:
    """Decodes random answers of all powers in positions of random games. Returns the numbers of answers, of orders and
    of wrong orders."""
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
            trie = llm.legal_trie(game, power, tokenizer, EOS)
            lists: Dict[Any, Any] = {}

            def tokens_at(node: Any, trie: Any = trie, lists: Any = lists) -> Any:
                found = lists.get(node)
                if found is None:
                    found = lists[node] = trie.tokens_at(node)
                return found

            texts = [tokenizer.decode(drawn(trie, draw, tokens_at)) for _ in range(min(each, decodes - answers))]
            illegal += wrong_in(texts, due, game, power)
            answers += len(texts)
            orders += due * len(texts)
        random_step(game, draw)
    return answers, orders, illegal


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decodes", type=int, default=1_000_000, help="answers for each tokenizer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="bytes or pieces (default: both)")
    given = parser.parse_args()
    for name, tokenizer in trained().items():
        if given.only not in (None, name):
            continue
        begun = time.time()
        answers, orders, illegal = decode(tokenizer, given.decodes, given.seed)
        print(f"{name}: {answers} answers, {orders} orders, {illegal} illegal, {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
