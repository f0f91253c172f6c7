"""Tests lepanto.train.model: its net gives the values and scores that the engine's own forward pass is held to."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch

import lepanto
from lepanto.train.model import GraphNet, MlpNet, Tables, load_net, phase_number

DATA = Path(__file__).parents[3] / "test" / "data" / "net"


class Net(unittest.TestCase):
    def test_vectors(self):
        for name, file in (("standard", "standard"), ("ancmed", "ancmed"), ("standard", "standard-mlp"), ("ancmed", "ancmed-mlp")):
            vectors = json.loads((DATA / f"{file}.json").read_text())["positions"]
            with lepanto.Batch(len(vectors), map=name, workers=1) as batch:
                for game, vector in enumerate(vectors):
                    batch.set_position(game, vector["position"])
                net = load_net(DATA / f"{file}.safetensors", Tables(batch))
                self.assertIsInstance(net, MlpNet if file.endswith("mlp") else GraphNet)
                with torch.no_grad():
                    heads, values = net(batch.observation, phase_number(batch.phase, batch.season))
                shares = values.softmax(1).numpy()
                for game, vector in enumerate(vectors):
                    np.testing.assert_allclose(shares[game], vector["value"], atol=1e-4)
                    ids = np.searchsorted(batch.vocabulary.packed, vector["orders"])
                    with torch.no_grad():
                        scores = net.logits(heads, np.full(len(ids), game), ids)
                    np.testing.assert_allclose(scores.numpy(), vector["scores"], atol=1e-4)

    def test_file(self):
        with lepanto.Batch(1, workers=1) as batch:
            tables = Tables(batch)
        net = GraphNet(tables, width=16, layers=1, head_width=4, value_width=8)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "net.safetensors"
            net.save(path)
            again = GraphNet.load(path, tables)
            self.assertEqual([one.name for one in Path(directory).iterdir()], ["net.safetensors"])
        self.assertEqual(again.sizes, net.sizes)
        for key, tensor in net.tensors.items():
            self.assertTrue(torch.equal(tensor, again.tensors[key]), key)

    def test_every_tensor_learns(self):
        with lepanto.Batch(4, workers=1, seed=2) as batch:
            tables = Tables(batch)
            for net in (GraphNet(tables, 16, 2, 4, 8), MlpNet(tables, 16, 2, 4, 8, 8)):
                self.learn(batch, net)

    def learn(self, batch, net):
        heads, values = net(batch.observation, phase_number(batch.phase, batch.season))
        sizes = np.diff(batch.legal_offsets[:, [0, -1]], axis=1)[:, 0]
        ids = np.concatenate([batch.legal_ids[a:b] for a, b in batch.legal_offsets[:, [0, -1]]])
        scores = net.logits(heads, np.repeat(np.arange(4), sizes), ids)
        (scores.square().sum() + values.square().sum()).backward()
        for key, tensor in net.tensors.items():
            self.assertGreater(float(tensor.grad.abs().sum()), 0, key)


if __name__ == "__main__":
    unittest.main()
