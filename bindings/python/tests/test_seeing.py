"""Tests the input of learners: vocabulary arrays, results of orders, rewards by score, observations of the wrappers."""

import unittest
import unittest.mock
import warnings
from typing import Any, Dict

import numpy as np

import lepanto
from lepanto.state import DiplomacyState, Engine, State

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]
try:
    import pettingzoo
except ImportError:
    pettingzoo = None


def setUpModule() -> None:
    warnings.simplefilter("ignore")


class Vocabularies(unittest.TestCase):
    def test_fields_are_those_of_the_texts(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, seed=0) as batch:
            words = batch.vocabulary
            at = {text: i for i, text in enumerate(words.text)}
            place = batch.locations.index
            for text, kind, location, target, helped, via in (
                ("PAR H", "hold", "PAR", None, None, False),
                ("PAR - BUR", "move", "PAR", "BUR", None, False),
                ("LON - BEL VIA", "move", "LON", "BEL", None, True),
                ("MAO - SPA/SC", "move", "MAO", "SPA/SC", None, False),
                ("PAR S MAR - BUR", "support move", "PAR", "BUR", "MAR", False),
                ("PAR S BUR", "support hold", "PAR", "BUR", "BUR", False),
                ("NTH C LON - BEL", "convoy", "NTH", "BEL", "LON", False),
                ("STP/NC R NWY", "retreat", "STP/NC", "NWY", None, False),
                ("PAR D", None, "PAR", None, None, False),
                ("F STP/SC B", "build fleet", "STP/SC", None, None, False),
                ("A PAR B", "build army", "PAR", None, None, False),
                ("WAIVE", "waive", None, None, None, False),
            ):
                i = at[text]
                if kind:
                    self.assertEqual(lepanto.ORDER_TYPES[words.type[i]], kind, text)
                seen = [words.location[i], words.target[i], words.helped[i]]
                wanted = [-1 if tag is None else place(tag) for tag in (location, target, helped)]
                self.assertEqual(seen, wanted, text)
                self.assertEqual(bool(words.via[i]), via, text)
            self.assertEqual(len(words), len(words.text))
            provinces = [location[:3] for location in batch.locations]
            known = words.location >= 0
            self.assertEqual(
                [provinces[i] for i in words.location[known]], [batch.provinces[i] for i in words.province[known]]
            )
            self.assertEqual(tuple(batch._server.ask(op="fields")["types"]), lepanto.ORDER_TYPES)
            with self.assertRaises(ValueError):
                words.type[0] = 3


class Maps(unittest.TestCase):
    def test_rows_and_columns_have_names(self) -> None:
        """Names of rows and columns describe the position, for both kinds of observations and in all phases."""
        for kind in ("dipnet", "deepmind"):
            with lepanto.Batch(40, observations=kind, workers=1, seed=3) as batch:
                rows, columns = batch.rows, batch.columns
                self.assertEqual(sorted(rows.tolist()), list(range(81)))
                self.assertEqual((len(columns), len(set(columns))), (35, 35))
                seen = set()
                for _ in range(14):
                    board = batch.observation[:, rows[: len(batch.provinces)]]
                    units = batch.units.astype(int)
                    self.assertTrue((board[..., columns.index("no unit")] == (units == 0)).all())
                    self.assertTrue((board[..., columns.index("fleet")] == ((units > 0) & (units & 1 == 1))).all())
                    for q, power in enumerate(batch.powers):
                        self.assertTrue((board[..., columns.index(f"unit of {power}")] == (units >> 1 == q + 1)).all())
                    at = [batch.provinces.index(name) for name in batch.centers]
                    self.assertTrue((board[:, at, columns.index("centre of FRANCE")] == (batch.owners == 3)).all())
                    builds = board[..., columns.index("build possible")].any(1)
                    self.assertTrue((builds <= (batch.build_numbers > 0).any(1)).all())
                    dislodged = board[..., columns.index("none dislodged")].all(1)
                    self.assertTrue((dislodged == (batch.phase != lepanto.RETREAT)).all())
                    seen |= set(batch.phase.tolist())
                    batch.step(batch.random_actions())
                self.assertEqual(seen, {0, 1, 2})

    def test_previous_orders(self) -> None:
        with lepanto.Batch(1, workers=1, seed=0) as batch:
            orders = {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR", "F BRE H"]}
            batch.step(batch.actions_from_text(0, orders)[None])
            names = batch.order_columns
            self.assertEqual((len(names), batch.previous_orders.shape[2]), (40, 40))
            said = {
                place: [
                    name
                    for name, one in zip(names, batch.previous_orders[0, batch.rows[batch.locations.index(place)]])
                    if one
                ]
                for place in ("PAR", "MAR", "BRE")
            }
            self.assertEqual(said["PAR"][:4], ["army", "order of FRANCE", "move", "helps nobody"])
            self.assertEqual(said["MAR"][:4], ["army", "order of FRANCE", "support", "helps FRANCE"])
            self.assertEqual(
                said["BRE"], ["fleet", "order of FRANCE", "hold", "helps nobody", "aims at nobody", "centre of FRANCE"]
            )

    def test_adjacency(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, seed=0) as batch:
            armies, fleets = batch.adjacency
            self.assertTrue((armies == armies.T).all() and (fleets == fleets.T).all())
            words, kinds = batch.vocabulary, np.array(lepanto.ORDER_TYPES)
            moves = (kinds[words.type] == "move") & ~words.via
            wanted = np.zeros(armies.shape, bool)
            wanted[words.location[moves], words.target[moves]] = True
            self.assertTrue(((armies | fleets) == wanted).all())
            at = batch.locations.index
            self.assertTrue(armies[at("PAR"), at("BUR")] and fleets[at("STP/SC"), at("BOT")])
            self.assertFalse(fleets[at("STP/NC"), at("BOT")] or armies[at("BRE"), at("MAO")])
            with self.assertRaises(lepanto.LepantoError):
                batch.rows

    def test_orders_of_others(self) -> None:
        import json
        import tempfile

        with (
            lepanto.Batch(1, workers=1, observations=None, seed=0) as batch,
            tempfile.NamedTemporaryFile("w", suffix=".json") as file,
        ):
            json.dump(
                {
                    "A PAR": ["A PAR - BUR", "A PAR H"],
                    "F NTH": ["F NTH C A YOR - BEL"],
                    "x": ["A ANK B;F CON B", "A XYZ H"],
                },
                file,
            )
            file.flush()
            found = batch.vocabulary.mapped(file.name)
            self.assertEqual([len(ids) for ids in found.ids], [1, 1, 1, 2, 0])
            self.assertEqual(batch.vocabulary.text[found.ids[0][0]], "PAR - BUR")
            self.assertEqual(list(found.unmapped), ["A XYZ H"])
            legal = sum(batch.legal_as_text(0)["FRANCE"], [])
            self.assertEqual(
                {legal[i]: p for i, p in enumerate(found.places(legal)) if p >= 0}, {"A PAR - BUR": 0, "A PAR H": 1}
            )
            self.assertEqual(batch.vocabulary.mapped(file.name, dipcc=True).entries[:2], ["A PAR - BUR", "A PAR H"])


class Results(unittest.TestCase):
    def step(self, batch: Any, **orders: Any) -> None:
        batch.step(batch.actions_from_text(0, orders)[None])

    def of(self, batch: Any, power: Any, place: Any) -> Any:
        """Returns order, result and fate of a unit in the last step."""
        q = batch.powers.index(power)
        (slot,) = np.flatnonzero(batch.last_locations[0, q] == batch.locations.index(place))
        text = batch.vocabulary.text[batch.last_orders[0, q, slot]]
        return text, lepanto.RESULTS[batch.last_results[0, q, slot]], lepanto.FATES[batch.last_fates[0, q, slot]]

    def test_a_game_of_three_phases(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, results=True, seed=0) as batch:
            self.assertEqual(batch.last_phase.tolist(), [-1])
            self.assertTrue((batch.last_orders == -1).all())
            self.step(batch, FRANCE=["A PAR - BUR", "A MAR S A PAR - BUR"], GERMANY=["A MUN - BUR"])
            self.assertEqual(batch.last_phase.tolist(), [lepanto.MOVEMENT])
            self.assertEqual(self.of(batch, "FRANCE", "PAR"), ("PAR - BUR", "succeeds", ""))
            self.assertEqual(self.of(batch, "FRANCE", "MAR"), ("MAR S PAR - BUR", "given", ""))
            self.assertEqual(self.of(batch, "GERMANY", "MUN"), ("MUN - BUR", "fails", ""))
            self.assertEqual(self.of(batch, "FRANCE", "BRE"), ("BRE H", "stands", ""))
            self.step(batch, GERMANY=["A BER - PRU"], FRANCE=["A BUR - MUN"], ITALY=["A VEN - TYR"])
            self.assertEqual(self.of(batch, "FRANCE", "BUR"), ("BUR - MUN", "fails", ""))
            self.step(batch, ITALY=["A TYR - MUN"], FRANCE=["A BUR S A TYR - MUN"])
            self.assertEqual(self.of(batch, "GERMANY", "MUN"), ("MUN H", "stands", "dislodged"))
            self.assertEqual(batch.phase.tolist(), [lepanto.RETREAT])
            self.step(batch, GERMANY=["A MUN R RUH"])
            self.assertEqual(batch.last_phase.tolist(), [lepanto.RETREAT])
            self.assertEqual(self.of(batch, "GERMANY", "MUN"), ("MUN R RUH", "succeeds", ""))
            self.assertEqual((batch.last_orders >= 0).sum(), 1)
            while batch.phase[0] != lepanto.ADJUSTMENT:
                self.step(batch)
            self.step(batch, ITALY=["A VEN B"])
            self.assertEqual(self.of(batch, "ITALY", "VEN")[1:], ("succeeds", ""))
            # Germany has lost Munich, and civil disorder removes a unit.
            self.assertEqual((batch.last_orders[0, batch.powers.index("GERMANY")] >= 0).sum(), 1)
            batch.reset()
            self.assertEqual(batch.last_phase.tolist(), [-1])

    def test_slots_are_those_of_the_actions(self) -> None:
        shown = []
        for workers, mapped in ((1, True), (2, False)):
            with unittest.mock.patch.dict("os.environ", {} if mapped else {"LEPANTO_KOFFI": "none"}):
                batch = lepanto.Batch(150, workers=workers, observations=None, until=1903, results=True, seed=4)
            with batch:
                seen = []
                for _ in range(20):
                    actions, phase = batch.random_actions(), batch.phase.copy()
                    at = batch.legal_offsets[:, :-1].reshape(actions.shape) + np.maximum(actions, 0)
                    ids = np.where(actions >= 0, batch.legal_ids[at], -1)
                    locations = batch.orderable.copy()
                    batch.step(actions)
                    self.assertEqual(batch.last_phase.tolist(), phase.tolist())
                    units = phase != lepanto.ADJUSTMENT
                    self.assertTrue((batch.last_orders[units] == ids[units]).all())
                    self.assertTrue((batch.last_locations[units] == locations[units]).all())
                    used = batch.last_orders >= 0
                    for name in ("last_locations", "last_results", "last_fates"):
                        self.assertTrue(((getattr(batch, name) >= 0) == used).all())
                        seen.append(getattr(batch, name).copy())
                    seen.append(batch.last_orders.copy())
                shown.append(np.concatenate([array.reshape(-1) for array in seen]))
                batch.random_step(1)
                self.assertTrue((batch.last_phase == -1).all())
        self.assertTrue((shown[0] == shown[1]).all())

    def test_orders_of_opponents_and_children(self) -> None:
        opponents = dict.fromkeys(("AUSTRIA", "ITALY", "RUSSIA"), "policy")
        with lepanto.Batch(5, workers=1, observations=None, opponents=opponents, results=True, seed=0) as batch:
            joint = batch.random_actions()
            children = batch.expand(2, joint[2:4], common=True)
            ordered = children.last_orders.copy()
            batch.step(joint)
            self.assertTrue((ordered[0] == batch.last_orders[2]).all())
            q = batch.powers.index("RUSSIA")
            self.assertEqual((batch.last_orders[:, q] >= 0).sum(1).tolist(), [4] * 5)
            kinds = np.array(lepanto.ORDER_TYPES)[batch.vocabulary.type[batch.last_orders[:, q, :4]]]
            self.assertIn("move", kinds)

    def test_only_on_demand(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, seed=0) as batch:
            with self.assertRaisesRegex(lepanto.LepantoError, "last_results: .* wanted one with results=True"):
                batch.last_results


class Masks(unittest.TestCase):
    def check(self, games: Any, ids: Any, offsets: Any) -> None:
        """Asserts that the mask of each game contains exactly the orders of its legal lists."""
        self.assertEqual(games.legal_mask.dtype, np.uint8)
        for row, mask in enumerate(games.legal_mask):
            listed = ids[offsets[row, 0] : offsets[row, -1]]
            self.assertEqual(np.flatnonzero(mask).tolist(), np.unique(listed).tolist())
            self.assertTrue((mask <= 1).all())

    def test_of_legal_lists(self) -> None:
        for mapped in (True, False):
            with unittest.mock.patch.dict("os.environ", {} if mapped else {"LEPANTO_KOFFI": "none"}):
                options: Dict[str, Any] = dict(
                    actions="vocabulary", observations=None, until=1902, opponents={"ITALY": "policy"}, seed=4
                )
                batch = lepanto.Batch(70, workers=2, masks=True, **options)
                bare = lepanto.Batch(70, workers=1, masks=True, lists=False, **options)
            phases = set()
            with batch, bare:
                self.check(batch, batch.legal_ids, batch.legal_offsets)
                for k in range(14):
                    joint = batch.random_actions()
                    children = batch.expand(3, np.repeat(joint[3:4], 3, 0))
                    self.check(children, children.legal_ids, children.legal_offsets)
                    self.assertTrue((bare.random_actions(k) == batch.random_actions(k)).all())
                    batch.step(joint)
                    bare.step(joint)
                    self.check(batch, batch.legal_ids, batch.legal_offsets)
                    self.assertTrue((bare.legal_mask == batch.legal_mask).all())
                    phases.update(batch.phase.tolist())
                batch.random_step(3)
                self.check(batch, batch.legal_ids, batch.legal_offsets)
                batch.reset(mask=np.arange(70) < 5)
                self.check(batch, batch.legal_ids, batch.legal_offsets)
                self.assertEqual(phases, {0, 1, 2})
                with self.assertRaisesRegex(lepanto.LepantoError, "legal: got a batch with lists=False"):
                    bare.legal()

    def test_of_one_slot_is_a_run(self) -> None:
        with lepanto.Batch(3, workers=1, observations=None, masks=True, seed=0) as batch:
            place = batch.vocabulary.location
            batch.random_step(2)
            for row, q, s in np.argwhere((batch.orderable >= 0) & (batch.phase != lepanto.ADJUSTMENT)[:, None, None]):
                of_unit = np.flatnonzero(place == batch.orderable[row, q, s])
                first, end = of_unit[0], of_unit[-1] + 1
                # Waives, which have no location, are next to the orders of the first location.
                self.assertLessEqual(set(place[first:end].tolist()), {place[first], -1})
                k = q * batch.max_orders + s
                listed = batch.legal_ids[batch.legal_offsets[row, k] : batch.legal_offsets[row, k + 1]]
                marked = first + np.flatnonzero(batch.legal_mask[row, first:end])
                self.assertEqual(marked.tolist(), np.sort(listed).tolist())

    def test_only_on_demand(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, seed=0) as batch:
            with self.assertRaisesRegex(lepanto.LepantoError, "legal_mask: .* wanted one with masks=True"):
                batch.legal_mask


class Rewards(unittest.TestCase):
    def test_by_score(self) -> None:
        options: Dict[str, Any] = {
            "workers": 1,
            "until": 1902,
            "observations": None,
            "reset_mode": "disabled",
            "seed": 3,
        }
        with lepanto.Batch(3, score="survivors", **options) as batch, lepanto.Batch(3, **options) as other:
            for each in (batch, other):
                each.random_step(5)
            self.assertEqual((batch.score, other.score), ("survivors", "sum_of_squares"))
            self.assertTrue(batch.terminated.all())
            self.assertTrue((batch.rewards == (batch.center_counts > 0)).all())
            for name in lepanto.SCORES:
                self.assertTrue((batch.rewards_by(name) == batch.final_scores[:, batch.score_index(name)]).all())
            self.assertTrue((batch.rewards_by("sos") == other.rewards).all())
            self.assertTrue(np.shares_memory(batch.rewards, batch.rewards_by("soc")) or batch.rewards.base is not None)
        with self.assertRaisesRegex(ValueError, "scoring system: got 'wins'"):
            lepanto.Batch(1, score="wins", seed=0)  # type: ignore[arg-type]


class States(unittest.TestCase):
    def test_ids_and_locations(self) -> None:
        make: Any
        for kind, make in ((State, "dipnet"), (DiplomacyState, "deepmind")):
            engine = Engine(make)
            try:
                state = kind(engine)
                batch = engine.batch
                france = batch.powers.index("FRANCE")
                self.assertEqual([batch.locations[at] for at in state.locations(france)], ["PAR", "BRE", "MAR"])
                ids = state.legal_ids(france)
                texts = [[batch.vocabulary.text[i] for i in slot] for slot in ids]
                self.assertIn("PAR - BUR", texts[0])
                self.assertEqual((state.year, state.season, state.phase), (1901, lepanto.SPRING, lepanto.MOVEMENT))
                self.assertEqual(state.center_counts, [3, 3, 3, 3, 3, 4, 3])
                if isinstance(state, State):
                    self.assertEqual([len(slot) for slot in ids], [len(slot) for slot in state.legal_actions(france)])
            finally:
                engine.close()


@unittest.skipIf(pettingzoo is None, "pettingzoo is not installed")
class PettingZoo(unittest.TestCase):
    def test_observations(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(until=1901, rules="2000", opponents={"ITALY": "hold"}, score="sum_of_centers")
        try:
            self.assertEqual(env._batch.rules, "2000")
            self.assertEqual(len(env.possible_agents), 6)
            seen, infos = env.reset(seed=2)
            while env.agents:
                batch = env._batch
                for agent in env.agents:
                    self.assertIn(seen[agent], env.observation_space(agent))
                    q = batch.powers.index(agent)
                    offsets = batch.legal_offsets[0, q * 17 :]
                    for s in range(17):
                        ids = batch.legal_ids[offsets[s] : offsets[s + 1]]
                        self.assertEqual(seen[agent]["legal_ids"][s, : len(ids)].tolist(), ids.tolist())
                        self.assertTrue((seen[agent]["legal_ids"][s, len(ids) :] == -1).all())
                        self.assertEqual(seen[agent]["action_mask"][s].sum(), max(1, len(ids)))
                    self.assertEqual(seen[agent]["locations"].tolist(), batch.orderable[0, q].tolist())
                    self.assertEqual(seen[agent]["year"].tolist(), batch.year.tolist())
                    self.assertEqual(seen[agent]["power"].tolist(), [q])
                    self.assertEqual(seen[agent]["center_counts"].tolist(), batch.center_counts[0].tolist())
                italy = batch.units[0, [batch.provinces.index(tag) for tag in ("NAP", "ROM", "VEN")]]
                if batch.year[0] == 1901 and batch.phase[0] == lepanto.MOVEMENT:
                    self.assertTrue((italy >> 1 == batch.powers.index("ITALY") + 1).any())
                chosen = {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}
                seen, rewards, _, _, infos = env.step(chosen)
            self.assertTrue(0 < sum(rewards.values()) <= 1)
        finally:
            env.close()

    def test_flat(self) -> None:
        from pettingzoo.test import parallel_api_test

        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(until=1901, flat=True)
        try:
            self.assertIsNone(parallel_api_test(env, num_cycles=20))
            seen, infos = env.reset(seed=1)
            parts = env.flat_parts
            for q, agent in enumerate(env.agents):
                flat = seen[agent]
                self.assertEqual(flat[parts["power"]].argmax(), q)
                self.assertTrue((flat[parts["observation"]].reshape(81, 35) == env.state()).all())
                places = flat[parts["locations"]].reshape(17, 81)
                self.assertEqual(
                    [int(row.argmax()) for row in places if row.any()],
                    env._batch.orderable[0, q, : places.any(1).sum()].tolist(),
                )
                self.assertEqual(len(infos[agent]["action_mask"]), 17)
        finally:
            env.close()


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Gymnasium(unittest.TestCase):
    def test_observations(self) -> None:
        from gymnasium.vector import AutoresetMode

        from lepanto.gymnasium_env import DiplomacyVectorEnv

        for flat in (False, True):
            env = DiplomacyVectorEnv(
                6,
                power="TURKEY",
                until=1901,
                workers=2,
                rules="2000",
                flat=flat,
                autoreset_mode=AutoresetMode.SAME_STEP,
            )
            try:
                seen, infos = env.reset(seed=5)
                env.action_space.seed(3)
                for _ in range(9):
                    self.assertIn(seen, env.observation_space)
                    batch = env._batch
                    if not isinstance(seen, dict):
                        self.assertEqual(infos["action_mask"].shape, (6, 17, 512))
                        self.assertTrue((seen[:, env.flat_parts["power"]].argmax(1) == 6).all())
                    else:
                        offsets = batch.legal_offsets[:, 6 * 17 :]
                        for i in range(6):
                            ids = batch.legal_ids[offsets[i, 0] : offsets[i, 1]]
                            self.assertEqual(seen["legal_ids"][i, 0, : len(ids)].tolist(), ids.tolist())
                        self.assertTrue((seen["locations"] == batch.orderable[:, 6]).all())
                    seen, _, terminated, truncated, infos = env.step(env.action_space.sample())
                    for i in np.flatnonzero(terminated | truncated).tolist():
                        self.assertIn(infos["final_obs"][i], env.single_observation_space)
                        if not flat:
                            final = infos["final_obs"][i]
                            self.assertEqual(final["year"].tolist(), [1902] if final["season"] == 0 else [1901])
                            self.assertLessEqual(final["center_counts"].sum(), 34)
                self.assertEqual(env._batch.rules, "2000")
            finally:
                env.close()


if __name__ == "__main__":
    unittest.main()
