"""Tests that stale, missing, repeated, unknown and invalid input of a step is rejected or counted."""

import pickle
import unittest
from typing import Any, Callable, Dict

import numpy as np

import lepanto
import lepanto.ragged
from lepanto import equilibria as eq

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]
try:
    import pettingzoo
except ImportError:
    pettingzoo = None
try:
    import torch
except ImportError:
    torch = None

FRANCE, ENGLAND = 2, 1
#: Position in which FRANCE builds two units in three centres, and ENGLAND removes two of three units.
WINTER = {
    "phase": "W1901A",
    "units": {"FRANCE": ["F MAO"], "ENGLAND": ["F NTH", "F ENG", "A YOR"]},
    "centers": {"FRANCE": ["BRE", "PAR", "MAR"], "ENGLAND": ["LON"]},
}


class Steps(unittest.TestCase):
    batch: lepanto.Batch

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = lepanto.Batch(
            6, observations=None, workers=1, seed=1, until=1901, reset_mode="disabled", max_children=8
        )
        cls.addClassCleanup(cls.batch.close)

    def setUp(self) -> None:
        self.batch.reset(1)

    def test_the_score_of_a_game_stays_until_its_reset(self) -> None:
        batch = self.batch
        scores = np.zeros((6, 7), np.float32)
        while not batch.terminated.all():
            going = ~batch.terminated
            self.assertTrue((batch.returns[going] == 0).all())
            batch.step(batch.random_actions())
            scores += batch.rewards
        for _ in range(2):
            batch.step(batch.random_actions())
            self.assertTrue((batch.rewards == 0).all())
            self.assertTrue((batch.returns == scores).all())
        np.testing.assert_allclose(batch.returns.sum(1), 1, rtol=1e-6)
        self.assertTrue((batch.returns_by("survivors") == batch.final_scores[:, 5]).all())
        # The same for children of a finished game.
        children = batch.expand(2, np.full((2, 7, batch.max_orders), -1))
        for one in (children, children.step(np.full((2, 7, batch.max_orders), -1))):
            self.assertTrue(one.terminated.all())
            self.assertTrue((one.returns == scores[2]).all())
        batch.reset(mask=np.arange(6) < 3)
        self.assertTrue((batch.returns[:3] == 0).all() and (batch.returns[3:] == scores[3:]).all())

    def test_returns_in_other_modes(self) -> None:
        for mode in ("same_step", "next_step"):
            with lepanto.Batch(3, observations=None, workers=1, seed=1, until=1901, reset_mode=mode) as batch:
                ends = 0
                for _ in range(12):
                    batch.step(batch.random_actions())
                    self.assertTrue((batch.returns == batch.rewards).all())
                    ends += int(batch.terminated.sum())
                self.assertGreater(ends, 3)
        with lepanto.Batch(3, observations=None, workers=1, seed=1, max_steps=1, reset_mode="disabled") as batch:
            while not batch.truncated.all():
                batch.step(batch.random_actions())
            self.assertTrue((batch.returns == 0).all())

    def test_a_step_without_actions_says_so(self) -> None:
        batch = self.batch
        batch.step(batch.random_actions())
        before = batch.save()
        for call in (batch.step, batch.step_until_decision, lambda: batch.send(None, 0)):  # type: ignore[arg-type]
            with self.assertRaisesRegex(ValueError, "actions: got none, wanted actions of every slot, or hold=True"):
                call()
        with self.assertRaisesRegex(ValueError, "hold: got True with actions"):
            batch.step(batch.random_actions(), hold=True)
        self.assertEqual(batch.save(), before)
        batch.reset(1)
        batch.step(hold=True)
        held = batch.state.copy()
        batch.reset(1)
        batch.step(np.full((6, 7, batch.max_orders), -1))
        self.assertTrue((batch.state == held).all())
        # Actions may be written directly into the shared array.
        batch.reset(1)
        batch.actions[:] = -1
        batch.step(batch.actions)
        self.assertTrue((batch.state == held).all())

    def test_legal_orders_of_an_earlier_phase_are_refused(self) -> None:
        batch = self.batch
        legal = batch.legal()
        picks, _ = legal.sample(np.zeros(len(legal.ids)))
        actions = legal.actions(picks)
        only = batch.legal("FRANCE")
        batch.step(actions, np.arange(6) == 4)
        for lists, chosen in ((legal, picks), (only, np.zeros(len(only), int))):
            with self.assertRaisesRegex(lepanto.LepantoError, "legal orders of an earlier phase of game 4, wanted"):
                lists.actions(chosen)
        made = eq.sample_candidates(batch, "random", 2)
        eq.solve(batch, made, eq.Hedge(made.mask), 1)
        batch.step(hold=True)
        for call in (
            lambda: made.choose(np.zeros((6, 7), int)),
            lambda: eq.solve(batch, made, eq.Hedge(made.mask), 1),
            lambda: eq.MatrixGame(batch, made),
        ):
            with self.assertRaisesRegex(lepanto.LepantoError, "got candidates of an earlier phase of game 0, wanted"):
                call()
        pickle.loads(pickle.dumps(made)).choose(np.zeros((6, 7), int))
        # Probabilities can still be computed, and a pickled copy belongs to no batch.
        self.assertTrue(np.isfinite(legal.log_prob(np.zeros(len(legal.ids)), picks)).all())
        self.assertTrue((pickle.loads(pickle.dumps(legal)).actions(picks) == actions).all())
        batch.reset(1)
        self.assertTrue((legal.actions(picks) == actions).all())

    def test_picks_without_an_order(self) -> None:
        batch = self.batch
        legal = batch.legal()
        actions = batch.agent_actions("dumbbot")
        actions[:, FRANCE] = -1
        picks = legal.picks(actions)
        self.assertTrue((picks[legal.power == FRANCE] == -1).all())
        found = legal.log_prob(np.zeros(len(legal.ids), np.float32), picks)
        self.assertEqual(found.dtype, np.float32)
        self.assertTrue((found[picks < 0] == 0).all() and (found[picks >= 0] < 0).all())
        self.assertTrue((legal.actions(picks) == actions).all())
        legal.entropy(np.zeros(len(legal.ids)), picks)
        if torch is not None:
            logits = torch.zeros(len(legal.ids), requires_grad=True)
            tensor = legal.log_prob(logits, picks)
            np.testing.assert_allclose(tensor.detach().numpy(), found, rtol=1e-5)
            tensor.sum().backward()
            self.assertTrue(torch.isfinite(logits.grad).all())

    def test_actions_of_an_arena_net_are_whole_numbers(self) -> None:
        from lepanto.arena import Net, play

        class Floats(Net):
            observations = None

            def actions(self, batch: Any, seats: Any) -> Any:
                return batch.random_actions() + 0.9

        with self.assertRaisesRegex(TypeError, "Floats: actions: got an array of float64, wanted whole numbers"):
            play([Floats(), "hold"], games=7, until=1901, workers=1)

    def test_random_actions_of_a_seed_do_not_depend_on_the_row(self) -> None:
        options: Dict[str, Any] = {"observations": None, "workers": 1, "until": 1902, "reset_mode": "disabled"}
        with lepanto.Batch(4, seed=1, **options) as batch, lepanto.Batch(4, seed=1, **options) as other:
            seeds = batch.episode_seed.copy()
            other.reset(seeds[::-1])
            for seed in (7, 7, 8):
                actions, others = batch.random_actions(seed), other.random_actions(seed)
                self.assertTrue((actions == others[::-1]).all())
                self.assertTrue((actions == batch.random_actions(seed)).all())
                self.assertFalse((actions[0] == actions[1]).all())
                batch.step(actions)
                other.step(others)

    def test_a_net_in_an_arena_can_search(self) -> None:
        from lepanto.arena import Net, play

        class Looks(Net):
            observations = None
            max_children = 14
            seen = 0

            def actions(self, batch: Any, seats: Any) -> Any:
                games = np.flatnonzero(seats.any(1))
                joint = np.stack([batch.random_actions(seed=k) for k in range(2)], 1)[games]
                values = batch.expand(games, joint).values()
                found = batch.rollouts(games[:1], joint[:1], 2, 1, "policy")
                type(self).seen += len(values) + found.played
                return batch.random_actions(seed=1)

        play([Looks(), "hold"], games=7, until=1901, workers=1, at_once=7)
        self.assertGreater(Looks.seen, 7)

    def test_a_net_in_an_arena_cannot_change_the_games(self) -> None:
        from lepanto.arena import Net, play

        calls: Dict[str, Callable[[Any], Any]] = {
            "reset": lambda batch: batch.reset(),
            "step": lambda batch: batch.step(batch.random_actions()),
            "step_until_decision": lambda batch: batch.step_until_decision(hold=True),
            "send": lambda batch: batch.send(batch.random_actions(), 0),
            "random_step": lambda batch: batch.random_step(),
            "clone": lambda batch: batch.clone(0, 1),
            "reseed": lambda batch: batch.reseed(),
            "load": lambda batch: batch.load(batch.save()),
            "set_position": lambda batch: batch.set_position(0, batch.position(0)),
            "set_opponents": lambda batch: batch.set_opponents("random"),
            "set_record_names": lambda batch: batch.set_record_names([{}], [0]),
            "close": lambda batch: batch.close(),
        }
        refused = {}

        class Steps(Net):
            observations = None

            def actions(self, batch: Any, seats: Any) -> Any:
                for name, call in calls.items():
                    try:
                        call(batch)
                    except lepanto.LepantoError as error:
                        refused[name] = str(error)
                return batch.random_actions(seed=1)

        play([Steps(), "hold"], games=2, until=1901, workers=1, at_once=2)
        wanted = "got {}() in actions of Steps, wanted only reading, expand, rollouts, search"
        self.assertEqual(refused, {name: wanted.format(name) for name in calls})

    def test_a_searching_net_plays_the_same_games_with_any_number_at_once(self) -> None:
        from lepanto.arena import Net, play

        class Searches(Net):
            observations = None
            max_children = 6

            def actions(self, batch: Any, seats: Any) -> Any:
                actions = np.full((len(batch), 7, batch.max_orders), -1)
                for g, q in np.argwhere(seats):
                    seed = int(batch.episode_seed[g])
                    # Three joint actions with the agent's orders for the learning seat.
                    joint = np.stack([batch.agent_actions("policy", seats, seed=k)[g] for k in range(3)])
                    seen = batch.expand(int(g), joint, seed=seed).values("sum_of_squares")
                    seen = seen + batch.rollouts(int(g), joint, 2, 1, "policy", seed=seed).values
                    actions[g, q] = joint[seen[:, q].argmax(), q]
                return actions

        played = [play([Searches(), "random"], games=14, until=1902, workers=2, at_once=many).games for many in (3, 14)]
        self.assertEqual([game.centers for game in played[0]], [game.centers for game in played[1]])

    def test_masks_are_booleans(self) -> None:
        with lepanto.Batch(2, observations=None, workers=1, seed=1, max_children=2) as batch:
            actions = batch.random_actions()
            children = batch.expand(0, actions)
            before = batch.save()
            call: Callable[[], Any]
            for mask in ([0, 1], np.array([1, 0]), [0.0, 1.0], [1]):
                for call in (
                    lambda: batch.step(actions, mask),
                    lambda: batch.reset(mask=mask),
                    lambda: batch.step_until_decision(actions, mask),
                ):
                    with self.assertRaisesRegex(TypeError, r"mask: got (int64|float64)\[[12]\], wanted bool\[2\]"):
                        call()
            with self.assertRaisesRegex(TypeError, r"mask: got int64\[2\], wanted bool\[2\]"):
                children.step(np.full(batch.actions.shape, -1), [0, 1])
            with self.assertRaisesRegex(ValueError, r"mask: got bool\[3\], wanted bool\[2\]"):
                batch.step(actions, [True, False, True])
            self.assertEqual(batch.save(), before)
            batch.step(actions, [True, False])
            self.assertEqual(batch.phases.tolist(), [1, 0])

    def test_children_that_were_overwritten_are_not_read(self) -> None:
        with lepanto.Batch(2, observations=None, workers=1, seed=1, max_children=4) as batch:
            joint = np.stack([batch.random_actions(seed=k)[0] for k in range(2)])
            for overwrite in (lambda: batch.expand(1, joint), lambda: batch.rollouts(0, joint, 1, 1, "policy")):
                children = batch.expand(0, joint)
                self.assertEqual(len(children.state), len(children))
                overwrite()
                for name in ("state", "center_counts", "legal_ids", "legal_offsets", "rewards", "phase", "year"):
                    with self.assertRaisesRegex(lepanto.LepantoError, "got children that a later"):
                        getattr(children, name)
                self.assertEqual((len(children), children.shape), (2, (2,)))


class NotFinite(unittest.TestCase):
    """Values that are not finite raise errors that name their place."""

    def test_values_of_children(self) -> None:
        with lepanto.Batch(2, observations=None, workers=1, seed=1, max_children=64) as batch:
            candidates = eq.sample_candidates(batch, "policy", 3, seed=1)

            def broken(children: Any) -> Any:
                values = children.values()
                values[5, 0, 0] = np.nan
                return values

            for learner in (
                eq.RegretMatching(candidates.mask),
                eq.Hedge(candidates.mask),
                eq.PiKL(candidates.mask, candidates.log_anchor, 0.1),
            ):
                before = learner.policy
                with self.assertRaisesRegex(
                    ValueError, r"value: got nan for AUSTRIA in child 5 \(game 0\), wanted finite"
                ):
                    eq.solve(batch, candidates, learner, 2, value=broken)
                self.assertTrue((learner.policy == before).all())
            with self.assertRaisesRegex(ValueError, r"learner: got a mask of shape \(1, 7, 3\), wanted \(2, 7, 3\)"):
                eq.solve(batch, candidates, eq.Hedge(candidates.mask[:1]), 1)
            with self.assertRaisesRegex(TypeError, "value: got .*, wanted a name as text"):
                batch.rollouts(0, value=lambda children: children)  # type: ignore[arg-type]
            # The result of Children.values() is accepted without reshaping.
            eq.solve(batch, candidates, eq.Hedge(candidates.mask), 1, value=lambda children: children.values())

    def test_utilities_and_policies(self) -> None:
        mask = np.ones((2, 3, 4), bool)
        mask[0, 1, 2:] = False
        utilities = np.zeros(mask.shape)
        utilities[0, 1, 3] = np.nan
        for learner in (eq.RegretMatching(mask), eq.Hedge(mask), eq.PiKL(mask, np.zeros(mask.shape), 0.1)):
            # Utilities of padding are not read.
            learner.update(utilities)
            wrong = utilities.copy()
            wrong[1, 2, 3] = np.inf
            with self.assertRaisesRegex(
                ValueError, "utilities: got inf for game 1, power 2, candidate 3, wanted finite"
            ):
                learner.update(wrong)
            for shape in ((4,), (2, 3, 1), (1, 3, 4)):
                with self.assertRaisesRegex(ValueError, r"utilities: got shape .*, wanted \(2, 3, 4\)"):
                    learner.update(np.zeros(shape))
            self.assertEqual(learner.rounds, 1)
        rng = np.random.default_rng(1)
        policy = np.full(mask.shape, 0.25)
        for value in (np.nan, -0.5):
            given = policy.copy()
            given[1, 0, 2] = value
            with self.assertRaisesRegex(ValueError, "policy: got .* for game 1, power 0"):
                eq.draw(given, rng)
        policy[1, 2] = 0
        with self.assertRaisesRegex(ValueError, r"policy: got \[0. 0. 0. 0.\] for game 1, power 2"):
            eq.draw(policy, rng)
        with self.assertRaisesRegex(TypeError, "generator: got 1, wanted a numpy.random.Generator"):
            eq.draw(np.full(mask.shape, 0.25), 1)  # type: ignore[arg-type]
        for types in ([0.5, 0.2], [5, 2], [1.5, -0.5], [np.nan, 1]):
            with self.assertRaisesRegex(
                ValueError, "types: got .*, wanted probabilities of 0 or more that are 1 together"
            ):
                eq.PiKL(mask, np.zeros(mask.shape), [0.1, 1], types=types)
        for make in (
            lambda: eq.Hedge(mask, np.inf),
            lambda: eq.PiKL(mask, np.full(mask.shape, np.nan), 0.1),
            lambda: eq.PiKL(mask, np.zeros(mask.shape), np.inf),
            lambda: eq.PiKL(mask, np.zeros(mask.shape), [0.1, 1], types=[0, 0]),
            lambda: eq.PiKL(mask, np.zeros(mask.shape), 0.1, rate=-1),
        ):
            self.assertRaises(ValueError, make)

    def test_logits(self) -> None:
        with lepanto.Batch(2, observations=None, workers=1, seed=1) as batch:
            legal = batch.legal()
        kinds = [np.zeros(len(legal.ids), np.float32)]
        if torch is not None:
            kinds.append(torch.zeros(len(legal.ids)))
        for logits in kinds:
            logits[legal.starts[23] + 2] = np.nan
            for call in (
                legal.sample,
                lambda x: legal.log_prob(x, np.zeros(44, int)),
                lambda x: legal.entropy(x, np.zeros(44, int)),
            ):
                with self.assertRaisesRegex(
                    ValueError, "logits: got nan for order 2 of game 1, power 0, slot 1, wanted finite numbers or -inf"
                ):
                    call(logits)
            logits[legal.starts[23] + 2] = -np.inf
            legal.sample(logits)
            whole = (
                np.zeros(len(logits), np.int32) if isinstance(logits, np.ndarray) else torch.zeros(len(logits)).int()
            )
            with self.assertRaisesRegex(TypeError, r"logits: got (torch\.)?int32, wanted floats"):
                legal.sample(whole)
            logits[legal.starts[23] : legal.starts[24]] = -np.inf
            values = logits + np.float32(0)
            values[1] = np.nan
            with self.assertRaisesRegex(ValueError, "values: got nan in list 0, wanted finite numbers or -inf"):
                lepanto.ragged.sample(values, legal.starts)
            with self.assertRaisesRegex(ValueError, "logits: got -inf for every order of game 1, power 0, slot 1"):
                legal.sample(logits)


class Repeats(unittest.TestCase):
    """Tests adjustments that were chosen for each slot independently."""

    def names(self, batch: Any, power: Any) -> Any:
        return sorted(batch.position(0)["units"][power])

    def test_the_second_of_two_becomes_another(self) -> None:
        for options in ({}, {"actions": "vocabulary"}, {"actions": "vocabulary", "lists": False}):
            with lepanto.Batch(2, observations=None, workers=1, seed=1, **options) as batch:
                batch.set_position(0, WINTER)
                ids = {
                    power: batch._server.ask(op="parse", game=0, power=power, orders=[text])[0]["id"]
                    for power, text in (("FRANCE", "A MAR B"), ("ENGLAND", "F NTH D"))
                }
                actions = np.full((2, 7, batch.max_orders), -1)
                for q, power in ((FRANCE, "FRANCE"), (ENGLAND, "ENGLAND")):
                    action = ids[power]
                    if not options:
                        first, end = batch.legal_offsets[0, q * batch.max_orders :][:2]
                        action = int(np.flatnonzero(batch.legal_ids[first:end] == action)[0])
                    actions[0, q, :2] = action
                mended = batch.without_repeats(actions)
                self.assertEqual(np.argwhere(mended != actions).tolist(), [[0, ENGLAND, 1], [0, FRANCE, 1]])
                self.assertEqual(batch.replaced.tolist(), [[0, 1, 1, 0, 0, 0, 0], [0] * 7])
                batch.step(mended)
                if options.get("lists", True):
                    # The repeated build becomes another unit, not a waive, because FRANCE chose two builds.
                    self.assertEqual(len(self.names(batch, "FRANCE")), 3)
                    self.assertIn("A MAR", self.names(batch, "FRANCE"))
                    self.assertEqual(len(self.names(batch, "ENGLAND")), 1)
                else:
                    self.assertEqual(mended[mended != actions].tolist(), [-1, -1])

    @unittest.skipIf(gymnasium is None, "gymnasium is not installed")
    def test_minus_one_is_no_order_in_environments(self) -> None:
        from lepanto.gymnasium_env import DiplomacyVectorEnv

        states = []
        for illegal in ("modulo", "raise"):
            env = DiplomacyVectorEnv(1, opponents="hold", workers=1, illegal=illegal, max_choices=64)
            self.addCleanup(env.close)
            env.reset(seed=1)
            with self.assertRaisesRegex(lepanto.IllegalAction, "FRANCE, unit at PAR: got action -2"):
                env.step(np.full((1, 17), -2))
            with self.assertRaisesRegex(TypeError, r"reset_mask: got int64\[1\], wanted bool\[1\]"):
                env.reset(options={"reset_mask": np.array([1])})
            env.step(np.full((1, 17), -1))
            # No unit has moved.
            self.assertIn("A PAR", self.names(env._batch, "FRANCE"))
            self.assertIn("F BRE", self.names(env._batch, "FRANCE"))
            states.append(env._batch.state.tobytes())
            env._batch.set_position(0, WINTER)
            env._observe()
            env.step(np.full((1, 17), -1))
            states.append(env._batch.state.tobytes())
        self.assertEqual(states[:2], states[2:])

    @unittest.skipIf(gymnasium is None, "gymnasium is not installed")
    def test_a_masked_learner_gets_the_builds_that_it_asks_for(self) -> None:
        from lepanto.gymnasium_env import DiplomacyEnv, DiplomacyVectorEnv

        for illegal in ("modulo", "raise"):
            env = DiplomacyEnv("ansi", opponents="hold", illegal=illegal, max_choices=64)
            self.addCleanup(env.close)
            env.reset(seed=1)
            env._games._batch.set_position(0, WINTER)
            env._games._observe()
            mask = env.action_masks().reshape(17, 64)
            first = mask.argmax(1)
            after = env.action_masks(np.where(np.arange(17) < 1, first, -1)).reshape(17, 64)
            self.assertTrue((after[0] == mask[0]).all())
            self.assertFalse(after[1, first[0]])
            self.assertTrue((after[2:] == mask[2:]).all() and after.any(1).all())
            infos = env.step(first)[4]
            self.assertEqual((int(infos["replaced"]), env.replaced), (1, 1))
            self.assertEqual(len(self.names(env._games._batch, "FRANCE")), 3)
        games = DiplomacyVectorEnv(2, opponents="hold", workers=1, illegal="raise", max_choices=64)
        self.addCleanup(games.close)
        games.reset(seed=1)
        with self.assertRaises(lepanto.IllegalAction):
            games.step(np.full((2, 17), 63))
        for wrong in (np.zeros((2, 3), int), np.zeros(17, int)):
            with self.assertRaisesRegex(ValueError, r"actions: got shape .*, wanted \(2, 17\)"):
                games.step(wrong)
        self.assertEqual(games.replaced.tolist(), [0, 0])

    @unittest.skipIf(pettingzoo is None, "pettingzoo is not installed")
    def test_an_environment_of_seven_wants_an_action_of_each(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(illegal="raise", max_choices=64)
        self.addCleanup(env.close)
        env.reset(seed=1)
        actions = {agent: np.zeros(17, int) for agent in env.agents}
        before = env._batch.save()
        for wrong, error, pattern in (
            (
                np.zeros((7, 17), int),
                TypeError,
                "actions: got ndarray, wanted a dict with an action of each of AUSTRIA, ENGLAND",
            ),
            ({**actions, "Frnace": 0}, ValueError, "actions: got 'Frnace', wanted a dict"),
            ({"FRANCE": actions["FRANCE"]}, ValueError, "actions: got no AUSTRIA, no ENGLAND, no GERMANY"),
            ({**actions, "ITALY": np.zeros(3, int)}, ValueError, r"action of ITALY: got shape \(3,\), wanted \(17,\)"),
            ({**actions, "ITALY": np.zeros(17)}, TypeError, "action of ITALY: got an array of float64"),
        ):
            with self.assertRaisesRegex(error, pattern):
                env.step(wrong)  # type: ignore[arg-type]
            self.assertEqual(env._batch.save(), before)
        env._batch.set_position(0, WINTER)
        env._observations()
        self.assertTrue(env.action_mask("FRANCE").any(1).all())
        self.assertFalse(env.action_mask("FRANCE", np.where(np.arange(17) < 1, 0, -1))[1, 0])
        infos = env.step(actions)[4]
        self.assertEqual(
            (infos["FRANCE"]["replaced"], infos["ENGLAND"]["replaced"], infos["ITALY"]["replaced"]), (1, 1, 0)
        )
        self.assertEqual(env.replaced["FRANCE"], 1)
        self.assertEqual((len(self.names(env._batch, "FRANCE")), len(self.names(env._batch, "ENGLAND"))), (3, 1))


class Results(unittest.TestCase):
    def test_what_rollouts_are_called(self) -> None:
        found = lepanto.Rollouts(np.zeros((2, 7)), np.ones((2, 7)), 5)
        values, errors, played = found
        self.assertTrue(values is found.values and errors is found.errors)
        self.assertEqual((played, found.played), (5, 5))
        self.assertFalse(hasattr(found, "count") or hasattr(found, "index"))

    def test_a_search_is_shown_in_a_few_lines(self) -> None:
        with lepanto.Batch(1, observations=None, workers=1, seed=1, max_children=0) as batch:
            found = batch.search(0, "all", rollouts=40, seed=1)
        self.assertLess(len(repr(found)), 2500)
        self.assertRegex(repr(found), "^<lepanto.SearchResult: S1901M, .* rollouts; AUSTRIA, best of .*value 0")


if __name__ == "__main__":
    unittest.main()
