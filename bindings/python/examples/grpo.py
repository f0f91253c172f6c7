"""Group-relative policy optimisation (GRPO): a small transformer learns to write orders; a trie allows only legal ones.

python grpo.py [steps]

In each step the model answers several prompts several times each. Each answer is played in a fork of its game, and its
reward is compared with those of the other answers to the same prompt. The last printed column is Lepanto's share of the
time.
"""

import re
import sys
import time
from typing import Any

import torch

from lepanto import llm
from lepanto.diplomacy import Game

PROMPTS, GROUP = 4, 8


class Words:
    """Tokenizer of the words in the contexts of a new game. A word includes the space before it."""

    eos_token_id = 0

    def __init__(self) -> None:
        texts = [llm.context(Game(), power).text for power in Game().powers]
        known = {word.strip() for text in texts for word in self.split(text)} | {"", "VIA", "R", "D", "B", "WAIVE", "C"}
        self.texts = ["<eos>", "?", "\n", *sorted(known - {""}), *sorted(f" {word}" for word in known)]
        self.ids = {text: i for i, text in enumerate(self.texts)}
        self.vocab_size = len(self.texts)

    @staticmethod
    def split(text: Any) -> Any:
        return re.findall(r"\n| ?[A-Z]{3}/[A-Z]C| ?\w+| ?[^\w\s]| ", text)

    def encode(self, text: Any) -> Any:
        return [self.ids.get(word, 1) for word in self.split(text)]

    def decode(self, ids: Any) -> Any:
        return "".join(self.texts[token] for token in ids)


class Model(torch.nn.Module):
    def __init__(self, vocabulary: Any, width: Any, layers: Any, longest: Any) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, width)
        self.places = torch.nn.Parameter(0.02 * torch.randn(longest, width))
        layer = torch.nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, batch_first=True, norm_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, layers)
        self.logits = torch.nn.Linear(width, vocabulary)
        self.later = torch.triu(torch.full((longest, longest), -torch.inf), 1)

    def forward(self, ids: Any) -> Any:
        """Returns the logits of the next token at each place, float[B, T, V]. ids: int64[B, T]."""
        size = ids.shape[1]
        return self.logits(self.layers(self.words(ids) + self.places[:size], self.later[:size, :size]))


class Clock:
    """Context that adds up the seconds spent in it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self.begun = time.perf_counter()

    def __exit__(self, *_: Any) -> None:
        self.seconds += time.perf_counter() - self.begun


def write(model: Any, ids: Any, tries: Any, most: Any) -> Any:
    """Samples answers. Returns prompts with answers, int64[B, P + N].

    ids: prompts, int64[B, P]. tries: legal answers of each prompt. most: greatest length of an answer, in tokens.
    """
    prompt, mask = ids.shape[1], llm.LegalMask(tries, ids.shape[1])
    with torch.no_grad():
        for _ in range(most):
            logits = mask(ids, model(ids)[:, -1])
            ids = torch.cat([ids, torch.multinomial(logits.softmax(1), 1)], 1)
            if (ids[:, prompt:] == 0).any(1).all():
                break
    return ids


def log_probs(model: Any, ids: Any, prompt: Any, tries: Any) -> Any:
    """Returns the log-probability of each answer among the legal answers, float[B].

    ids: prompts with answers. prompt: length of the prompts. tries: legal answers of each prompt.
    """
    logits, mask = model(ids[:, :-1])[:, prompt - 1 :], llm.LegalMask(tries, prompt)
    total = torch.zeros(len(ids))
    open_ = torch.ones(len(ids), dtype=torch.bool)
    for t in range(prompt, ids.shape[1]):
        chosen = mask(ids[:, :t], logits[:, t - prompt]).log_softmax(1).gather(1, ids[:, t, None])[:, 0]
        total = total + torch.where(open_, chosen, torch.zeros(()))
        open_ = open_ & (ids[:, t] != 0)
    return total


def reward(game: Any, power: Any, text: Any) -> Any:
    """Plays an answer in a fork of its game, where the other powers hold. Returns the rewards of its orders plus the
    number of centres won, divided by the number of orders."""
    game.set_orders(power, llm.parse(text, game, power).orders)
    game.process()
    found = llm.rewards(game, power)
    return (sum(worth for _, worth in found.orders) + found.phase) / max(1, len(found.orders))


def train(
    steps: Any, width: int = 192, layers: int = 4, prompt: int = 256, groups: Any = PROMPTS, seed: int = 1
) -> Any:
    """Trains the model. Returns the mean reward of each step, and the share of its time that was spent in Lepanto."""
    torch.manual_seed(seed)
    tokenizer = Words()
    model = Model(tokenizer.vocab_size, width, layers, prompt + 64)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    rewards, shares = [], []
    for step in range(steps):
        begun, lepanto = time.perf_counter(), Clock()
        with lepanto:
            game = Game()
            powers = [list(game.powers)[(step * groups + i) % 7] for i in range(groups)]
            texts = [llm.context(game, power, phases=0).dynamic for power in powers]
            tries = [llm.legal_trie(game, power, tokenizer) for power in powers]
            forks = llm.fork(game, groups * GROUP)
        prompts = [([0] * prompt + tokenizer.encode(text))[-prompt:] for text in texts]
        ids = torch.tensor(prompts).repeat_interleave(GROUP, 0)
        ids = write(model, ids, tries, 63)
        answers = [tokenizer.decode(row).split("<eos>")[0] for row in ids[:, prompt:].tolist()]
        with lepanto:
            worth = torch.tensor([reward(fork, powers[i // GROUP], answers[i]) for i, fork in enumerate(forks)])
        group = worth.view(groups, GROUP)
        advantage = ((group - group.mean(1, keepdim=True)) / (group.std(1, keepdim=True) + 1e-4)).view(-1)
        # With one update per batch the ratio to the sampling policy is 1, and its gradient that of the log-probability.
        loss = -(advantage * log_probs(model, ids, prompt, tries)).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds = time.perf_counter() - begun
        rewards.append(float(worth.mean()))
        shares.append(lepanto.seconds / seconds)
        print(
            f"step {step + 1:3}  reward {rewards[-1]:6.3f}  {seconds:5.2f} s  Lepanto {100 * shares[-1]:.2f} %",
            flush=True,
        )
    return rewards, shares


if __name__ == "__main__":
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
