"""Tests lepanto.train.model and lepanto.train.joint against the engine's forward pass and its choices."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import torch

import lepanto
from lepanto import ragged
from lepanto.train.joint import RULED_OUT, Joint
from lepanto.train.model import GraphNet, Tables, phase_number
from lepanto.train.safetensors import read_tensors, write_tensors

DATA = Path(__file__).parents[3] / "test" / "data" / "net"


class Net(unittest.TestCase):
    def test_vectors(self) -> None:
        for name in ("standard", "ancmed"):
            vectors = json.loads((DATA / f"{name}.json").read_text())["positions"]
            with lepanto.Batch(len(vectors), map=name, workers=1, seed=0) as batch:
                for game, vector in enumerate(vectors):
                    batch.set_position(game, vector["position"])
                net = GraphNet.load(DATA / f"{name}.safetensors", Tables(batch))
                with torch.no_grad():
                    heads, values = net(batch.observation, phase_number(batch.phase, batch.season))
                shares = values.softmax(1).numpy()
                for game, vector in enumerate(vectors):
                    np.testing.assert_allclose(shares[game], vector["value"], atol=1e-4)
                    ids = np.searchsorted(batch.vocabulary.packed, vector["orders"])
                    with torch.no_grad():
                        scores = net.logits(heads, np.full(len(ids), game), ids)
                    np.testing.assert_allclose(scores.numpy(), vector["scores"], atol=1e-4)

    def test_file(self) -> None:
        with lepanto.Batch(1, workers=1, seed=0) as batch:
            tables = Tables(batch)
        net = GraphNet(tables, width=16, layers=1, head_width=4, value_width=8)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "net.safetensors"
            net.save(path)
            again = GraphNet.load(path, tables)
            self.assertEqual([one.name for one in Path(directory).iterdir()], ["net.safetensors"])
            net.export_onnx(Path(directory) / "net.onnx")
            model = (Path(directory) / "net.onnx").read_bytes()
            self.assertEqual(len(list(Path(directory).iterdir())), 2)
            arrays, _ = read_tensors(path)
            write_tensors(path, arrays, {"format": "lepanto mlp 1"})
            with self.assertRaisesRegex(
                ValueError, "got a file of format 'lepanto mlp 1', wanted 'lepanto graph net 1'"
            ):
                GraphNet.load(path, tables)
        for name in (b"boards", b"phases", b"heads", b"values"):
            self.assertIn(name, model)
        self.assertEqual(again.sizes, net.sizes)
        for key, tensor in net.tensors.items():
            self.assertTrue(torch.equal(tensor, again.tensors[key]), key)

    def test_gradients_by_finite_differences(self) -> None:
        with lepanto.Batch(4, workers=1, seed=2) as batch:
            batch.random_step(3)
            tables, legal = Tables(batch), batch.legal()
            boards, phases = batch.observation.copy(), phase_number(batch.phase, batch.season)
            _, allowed = Joint(batch).choose(
                np.zeros(len(legal.ids), np.float32),
                legal.starts,
                legal.ids,
                7 * legal.game + legal.power,
                np.random.default_rng(1),
            )
        picks = torch.as_tensor([int(np.flatnonzero(allowed[a:b])[-1]) for a, b in zip(legal.starts, legal.starts[1:])])
        net = GraphNet(tables, 16, 2, 4, 8).double()
        torch.manual_seed(1)
        for tensor in net.tensors.values():
            tensor.data.normal_(std=0.2)

        def loss() -> Any:
            heads, values = net(boards, phases)
            logits = net.logits(heads, legal.game[legal.index], legal.ids).masked_fill(
                torch.as_tensor(~allowed), float(RULED_OUT)
            )
            log_probs = ragged.log_prob(logits, legal.starts, picks)
            return ragged.entropy(logits, legal.starts).mean() - log_probs.mean() + values.square().sum()

        loss().backward()
        for name, tensor in net.tensors.items():
            way = torch.randn_like(tensor) * 1e-5
            with torch.no_grad():
                tensor += way
                above = float(loss())
                tensor -= 2 * way
                below = float(loss())
                tensor += way
            slope = float((tensor.grad * way).sum())
            self.assertAlmostEqual((above - below) / 2 / slope, 1, places=3, msg=name)

    def test_every_tensor_learns(self) -> None:
        with lepanto.Batch(4, workers=1, seed=2) as batch:
            net = GraphNet(Tables(batch), 16, 2, 4, 8)
        heads, values = net(batch.observation, phase_number(batch.phase, batch.season))
        sizes = np.diff(batch.legal_offsets[:, [0, -1]], axis=1)[:, 0]
        ids = np.concatenate([batch.legal_ids[a:b] for a, b in batch.legal_offsets[:, [0, -1]]])
        scores = net.logits(heads, np.repeat(np.arange(4), sizes), ids)
        (scores.square().sum() + values.square().sum()).backward()
        for key, tensor in net.tensors.items():
            self.assertGreater(float(tensor.grad.abs().sum()), 0, key)


class JointOrders(unittest.TestCase):
    """Tests joint.py, and that the agent `net` makes the same choices."""

    def choose(self, batch: Any, **options: Any) -> Any:
        net = GraphNet.load(DATA / "standard.safetensors", Tables(batch))
        legal = batch.legal()
        with torch.no_grad():
            heads, _ = net(batch.observation, phase_number(batch.phase, batch.season))
            logits = net.logits(heads, legal.game[legal.index], legal.ids).numpy()
        group = legal.game * len(batch.powers) + legal.power
        picks, allowed = Joint(batch).choose(logits, legal.starts, legal.ids, group, **options)
        return legal, picks, allowed

    def test_the_engine_chooses_alike(self) -> None:
        compared = differ = 0
        with lepanto.Batch(32, workers=1, seed=3) as batch:
            for _ in range(8):
                legal, picks, _ = self.choose(batch)
                units = batch.phase[legal.game] != lepanto.ADJUSTMENT
                ours = legal.ids[legal.starts[:-1] + picks][units]
                theirs = batch.agent_actions(f"net:file={DATA / 'standard.safetensors'}:temperature=0")
                at = legal.game, legal.power, legal.slot
                place = theirs[at]
                differ += int((legal.ids[legal.starts[:-1] + place][units] != ours).sum())
                compared += int(units.sum())
                batch.random_step(1)
        self.assertGreater(compared, 3000)
        # Sums round differently, so choices may differ between nearly equal orders or equally certain units.
        self.assertLess(differ, compared / 100)

    def test_orders_fit_together(self) -> None:
        with lepanto.Batch(32, workers=1, seed=4) as batch:
            batch.random_step(1)
            joint, legal = Joint(batch), batch.legal()
        group = 7 * legal.game + legal.power
        even = np.zeros(len(legal.ids), np.float32)

        def wrong(picks: Any) -> Any:
            """Returns the number of supports and convoys that do not match the order of the helped own unit."""
            orders = legal.ids[legal.starts[:-1] + picks]
            goes = {(g, joint.here[o]): joint.end[o] for g, o in zip(group, orders)}
            return sum(goes.get((g, joint.helped[o]), joint.to[o]) != joint.to[o] for g, o in zip(group, orders))

        picks, allowed = joint.choose(even, legal.starts, legal.ids, group, np.random.default_rng(1))
        alone, _ = legal.sample(even, np.random.default_rng(1))
        self.assertTrue(allowed[legal.starts[:-1] + picks].all())
        self.assertGreater(wrong(alone), 100)
        # Some units have no fitting order left.
        self.assertLess(10 * wrong(picks), wrong(alone))

    def test_given_picks_are_left_to_choose(self) -> None:
        with lepanto.Batch(8, workers=1, seed=5) as batch:
            batch.random_step(4)
            legal, picks, allowed = self.choose(batch, generator=np.random.default_rng(2))
            _, same, again = self.choose(batch, picks=picks)
            random = np.random.default_rng(3).integers(0, np.diff(legal.starts))
            _, given, left = self.choose(batch, picks=random)
        np.testing.assert_array_equal(same, picks)
        np.testing.assert_array_equal(again, allowed)
        np.testing.assert_array_equal(given, random)
        self.assertTrue(left[legal.starts[:-1] + random].all())


if __name__ == "__main__":
    unittest.main()
