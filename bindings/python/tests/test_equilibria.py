"""Tests learners against plain loops, and equilibria of positions against exact best responses."""

import unittest
from typing import Any, List

import numpy as np

import lepanto
from lepanto import equilibria as eq

#: France and Austria in contact. In this fall both must guess which centre the other enters, so the policy is mixed.
CONTACT = {
    "phase": "F1901M",
    "units": {"FRANCE": ["A MUN", "A PIE"], "AUSTRIA": ["A TYR", "A VEN"]},
    "centers": {"FRANCE": ["PAR", "MAR", "MUN"], "AUSTRIA": ["VIE", "TRI", "VEN"]},
}


class Twins(unittest.TestCase):
    """Compares each learner with its formula, written as loops over games and powers."""

    def setUp(self) -> None:
        rng = np.random.default_rng(1)
        self.mask = np.arange(6) < rng.integers(1, 7, (4, 7))[..., None]
        self.utilities = rng.random((30, 4, 7, 6))
        weights = np.where(self.mask, rng.random((4, 7, 6)), 0)
        with np.errstate(divide="ignore"):
            self.anchor = np.log(weights / weights.sum(-1, keepdims=True))

    def each(self, learner: Any, twin: Any) -> None:
        """Compares a learner with its twin over all rounds. The twin plays the rounds of one power of one game:
        twin(utilities [R, n], g, q) -> policies [R, n], mean."""
        turns: List[Any] = []
        for utilities in self.utilities:
            turns.append(learner.policy.copy())
            learner.update(utilities)
        played, average = np.array(turns), learner.average
        self.assertTrue((played[:, ~self.mask] == 0).all())
        for g, q in np.ndindex(4, 7):
            n = int(self.mask[g, q].sum())
            policies, mean = twin(self.utilities[:, g, q, :n], g, q)
            np.testing.assert_allclose(played[:, g, q, :n], policies, atol=1e-6)
            np.testing.assert_allclose(average[g, q, :n], mean, atol=1e-6)

    def test_regret_matching(self) -> None:
        def twin(kind: Any) -> Any:
            def play(utilities: Any, g: Any, q: Any) -> Any:
                n = utilities.shape[1]
                regrets, last, total, policies = [0.0] * n, [0.0] * n, [0.0] * n, []
                for t, given in enumerate(utilities, 1):
                    hoped = [r + (x if kind == "optimistic" else 0) for r, x in zip(regrets, last)]
                    positive = [max(0.0, r) for r in hoped]
                    sum_ = sum(positive)
                    policy = [r / sum_ for r in positive] if sum_ > 0 else [1 / n] * n
                    mean = sum(p * u for p, u in zip(policy, given))
                    weight = t if kind == "linear" else 1
                    last = [u - mean for u in given]
                    regrets = [r + weight * x for r, x in zip(regrets, last)]
                    total = [s + weight * p for s, p in zip(total, policy)]
                    policies.append(policy)
                return np.array(policies), np.array(total) / sum(total)

            return play

        for kind in ("plain", "linear", "optimistic"):
            with self.subTest(kind):
                self.each(eq.RegretMatching(self.mask, kind), twin(kind))

    def test_hedge(self) -> None:
        def twin(utilities: Any, g: Any, q: Any) -> Any:
            sums, policies = np.zeros(utilities.shape[1]), []
            for given in utilities:
                weights = np.exp(0.7 * sums)
                policies.append(weights / weights.sum())
                sums = sums + given
            return np.array(policies), np.mean(policies, 0)

        self.each(eq.Hedge(self.mask, 0.7), twin)

    def test_pikl(self) -> None:
        temperatures, types = np.array([0.0, 0.1, 2.0]), np.array([0.2, 0.3, 0.5])

        def twin(utilities: Any, g: Any, q: Any) -> Any:
            n = utilities.shape[1]
            sums, policies = np.zeros(n), []
            anchor = self.anchor[g, q, :n]
            for t, given in enumerate(utilities):
                policy = np.zeros(n)
                for temperature, share in zip(temperatures, types):
                    if t == 0:
                        logits = anchor if temperature > 0 else np.zeros(n)
                    else:
                        logits = (sums + t * temperature * anchor) / (1 / 0.5 + t * temperature)
                    weights = np.exp(logits - logits.max())
                    policy += share * weights / weights.sum()
                policies.append(policy)
                sums = sums + given
            return np.array(policies), np.mean(policies, 0)

        self.each(eq.PiKL(self.mask, self.anchor, temperatures, types, rate=0.5), twin)

    def test_limits_of_pikl(self) -> None:
        hedge, free = eq.Hedge(self.mask, 0.5), eq.PiKL(self.mask, self.anchor, 0.0, rate=0.5)
        drawn = eq.PiKL(self.mask, self.anchor, 1e9, rate=0.5)
        for utilities in self.utilities:
            for learner in (hedge, free, drawn):
                learner.update(utilities)
        np.testing.assert_allclose(free.policy, hedge.policy, atol=1e-12)
        np.testing.assert_allclose(drawn.policy, np.exp(self.anchor), atol=1e-6)
        for wrong in (
            lambda: eq.RegretMatching(self.mask, "x"),
            lambda: eq.Hedge(self.mask, 0),
            lambda: eq.RegretMatching(self.mask & False),
        ):
            self.assertRaises(ValueError, wrong)
        for numbers in ([[[0, 1]]], np.ones((4, 7, 6)), np.ones((4, 7, 6), np.int64)):
            with self.assertRaisesRegex(TypeError, "mask: got an array of (int64|float64), wanted booleans"):
                eq.Hedge(numbers)  # type: ignore[arg-type]

    def test_draws(self) -> None:
        policy = eq.RegretMatching(self.mask).policy
        rng = np.random.default_rng(2)
        counts = np.zeros(policy.shape)
        for _ in range(4000):
            np.put_along_axis(
                counts, place := eq.draw(policy, rng)[..., None], np.take_along_axis(counts, place, -1) + 1, -1
            )
        np.testing.assert_allclose(counts / 4000, policy, atol=0.05)


class Positions(unittest.TestCase):
    def test_exact_best_replies_of_two_powers(self) -> None:
        with lepanto.Batch(1, observations=None, workers=2, max_children=8192, seed=0) as batch:
            batch.set_position(0, CONTACT)
            candidates = eq.all_candidates(batch)
            sizes = candidates.mask[0].sum(-1)
            self.assertEqual([int(n) for n in sizes[[1, 3, 4, 5, 6]]], [1] * 5)
            self.assertGreater(min(sizes[0], sizes[2]), 50)
            game = eq.MatrixGame(batch, candidates)
            uniform = eq.RegretMatching(candidates.mask)
            self.assertGreater(game.gains(uniform.policy).max(), 0.01)
            for kind in ("plain", "linear", "optimistic"):
                policy = game.solve(eq.RegretMatching(candidates.mask, kind), 2000)
                self.assertLess(game.gains(policy).max(), 0.01, kind)
            policy = game.solve(eq.Hedge(candidates.mask, 3.0), 2000)
            self.assertLess(game.gains(policy).max(), 0.01)
            # Solves on samples: some hundred rounds, and best responses that join from all legal sets.
            make = lambda mask: eq.RegretMatching(mask, "linear")  # noqa: E731
            found, playing = eq.double_oracle(batch, candidates, make, 30, 200, start=1, samples=16, seed=3)
            self.assertLess(playing[0].sum(-1).max(), 20)
            self.assertTrue((found.policy[~playing] == 0).all())
            self.assertLess(game.gains(found.policy).max(), 0.02)

    def test_sampled_equilibria_of_many_games(self) -> None:
        with lepanto.Batch(3, observations=None, workers=2, seed=1, max_children=1024) as batch:
            batch.random_step(2, "policy")
            before = batch.save()
            candidates = eq.sample_candidates(batch, ["policy", "dumbbot"], 4, seed=5)
            again = eq.sample_candidates(batch, ["policy", "dumbbot"], 4, seed=5)
            self.assertTrue((candidates.actions == again.actions).all())
            np.testing.assert_allclose(np.exp(candidates.log_anchor).sum(-1), 1)
            found = eq.solve(
                batch, candidates, eq.PiKL(candidates.mask, candidates.log_anchor, [0.01, 0.1]), 10, seed=1
            )
            same = eq.solve(batch, candidates, eq.PiKL(candidates.mask, candidates.log_anchor, [0.01, 0.1]), 10, seed=1)
            self.assertTrue((found.policy == same.policy).all())
            np.testing.assert_allclose(found.policy.sum(-1), 1)
            np.testing.assert_allclose(found.values.sum(-1), 1, atol=1e-6)
            own = eq.solve(
                batch, candidates, eq.Hedge(candidates.mask), 2, lambda children: children.center_counts / 34
            )
            self.assertTrue((own.values <= 18 / 34).all())
            self.assertEqual(batch.save(), before)
            batch.step(candidates.choose(eq.draw(found.policy, np.random.default_rng(1))))

    def test_adjustments(self) -> None:
        with lepanto.Batch(1, observations=None, workers=1, seed=0) as batch:
            centers = {"FRANCE": ["PAR", "MAR", "BRE", "SPA"], "ENGLAND": ["LON"]}
            batch.set_position(
                0, {"phase": "W1901A", "units": {"FRANCE": ["A SPA"], "ENGLAND": ["F LON"]}, "centers": centers}
            )
            candidates = eq.all_candidates(batch)
            # Each of the three home centres gets an army, a fleet where legal, or no unit: (1 + 1) (1 + 2) (1 + 2)
            # sets.
            self.assertEqual(int(candidates.mask[0, 2].sum()), 18)
            for place in range(18):
                choice = np.zeros((1, 7), np.int64)
                choice[0, 2] = place
                batch.expand([0], candidates.choose(choice)[:, None])


if __name__ == "__main__":
    unittest.main()
