"""Evolution strategy that trains a linear policy to beat random play, in numpy only.

France scores each legal order of each unit by six features and plays the order with the highest score. The other
powers play at random. The score of a policy is the mean number of centres of France after two years.

python evolve.py [seconds]
"""

import sys
import time
from typing import Any, Tuple

import numpy as np

import lepanto

POWER = 2  # FRANCE
YEARS = 2
GAMES = 64  # games of each policy
PAIRS = 6  # pairs of policies in each generation, with opposite perturbations


def features(batch: lepanto.Batch) -> np.ndarray:
    """Returns the features of all orders, float[V, 6], indexed by vocabulary id: hold, move, support, move to a centre,
    build, other."""
    orders = batch.vocabulary
    kind = np.array(lepanto.ORDER_TYPES)[orders.type]
    province = np.array([tag[:3] for tag in batch.locations])
    holds, moves = kind == "hold", kind == "move"
    to_center = moves & np.isin(province[orders.target], batch.centers)
    supports, builds = np.char.startswith(kind, "support"), np.char.startswith(kind, "build")
    others = ~(holds | moves | supports | builds)
    return np.stack([holds, moves, supports, to_center, builds, others], 1).astype(np.float32)


def choose(batch: lepanto.Batch, table: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns the actions of France in each game, int32[G, U]. table: features(). weights: policy of each game,
    float[G, 6]."""
    offsets = batch.legal_offsets[:, POWER * batch.max_orders : (POWER + 1) * batch.max_orders + 1]
    counts = np.diff(offsets, axis=1).reshape(-1)
    used = np.flatnonzero(counts)
    out = np.full(counts.size, lepanto.NO_ORDER, np.int32)
    if len(used):
        sizes = counts[used]
        slot = np.repeat(np.arange(len(used)), sizes)
        first = np.cumsum(sizes) - sizes
        place = np.arange(sizes.sum()) - first[slot]
        ids = batch.legal_ids[offsets[:, :-1].reshape(-1)[used][slot] + place]
        game = used[slot] // batch.max_orders
        score = (table[ids] * weights[game]).sum(1) + rng.gumbel(0, 0.3, len(ids))
        best = np.maximum.reduceat(score, first)
        at = np.flatnonzero(score == best[slot])
        out[used[slot[at]]] = place[at]
    return out.reshape(len(batch), batch.max_orders)


def evaluate(batch: lepanto.Batch, table: np.ndarray, policies: np.ndarray, seed: int) -> np.ndarray:
    """Returns the mean number of centres of France after YEARS years for each policy. All policies play with the same
    random streams. policies: float[P, 6]."""
    rng = np.random.default_rng(seed)
    weights = np.repeat(policies, GAMES, 0)
    batch.reset(seed)
    last = 1900 + YEARS
    centers = np.zeros(len(batch))
    for _ in range(40):
        over = (batch.year > last) | ((batch.year == last) & (batch.season == lepanto.WINTER))
        centers = batch.center_counts[:, POWER].astype(float)
        if over.all():
            break
        actions = batch.random_actions()
        actions[:, POWER] = choose(batch, table, weights, rng)
        batch.step(batch.without_repeats(actions))
    scores: np.ndarray[Any, Any] = centers.reshape(len(policies), GAMES).mean(1)
    return scores


def main(seconds: float = 40.0) -> Tuple[Any, ...]:
    """Returns the numbers of centres with random weights and with the trained policy."""
    rng = np.random.default_rng(0)
    policies = 2 * PAIRS
    with lepanto.Batch(policies * GAMES, observations=None, reset_mode="disabled", until=1900 + YEARS) as batch:
        table = features(batch)
        mean = np.zeros(table.shape[1])
        begin = evaluate(batch, table, np.repeat(mean[None], policies, 0), 1000).mean()
        print(f"at first: {begin:.2f} centres")
        start, round_ = time.time(), 0
        while time.time() - start < seconds:
            noise = rng.normal(size=(PAIRS, len(mean)))
            tried = np.concatenate([mean + noise, mean - noise])
            scores = evaluate(batch, table, tried, round_)
            gain = (scores[:PAIRS] - scores[PAIRS:]) / (scores.std() + 1e-6)
            mean = mean + 0.5 * (gain[:, None] * noise).mean(0)
            round_ += 1
            if round_ % 10 == 0:
                print(f"round {round_}: {scores.mean():.2f} centres")
        end = evaluate(batch, table, np.repeat(mean[None], policies, 0), 1000).mean()
    print(f"after {round_} rounds: {end:.2f} centres; weights {np.round(mean, 2).tolist()}")
    return begin, end


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 40.0)
