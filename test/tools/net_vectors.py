"""Makes test/data/net: small nets with random weights, and what torch says of some positions by them.

python net_vectors.py test/data/net      (with LEPANTO_JS, or the package installed)
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch

import lepanto
from lepanto.train.model import GraphNet, Tables, phase_number

GAMES = 24
STEPS = 40
ORDERS = 12


def positions_of(name: str):
    """Positions of all phases from games at random, with what torch says of them by a net with random weights."""
    torch.manual_seed(len(name))
    with lepanto.Batch(GAMES, map=name, workers=1, seed=11) as batch:
        net = GraphNet(Tables(batch), width=16, layers=2, head_width=4, value_width=8)
        for tensor in net.parameters():
            torch.nn.init.normal_(tensor, std=0.3)
        seen = {}
        chance = np.random.default_rng(5)
        for _ in range(STEPS):
            batch.step(batch.random_actions(seed=int(chance.integers(1 << 30))))
            for game in range(GAMES):
                kind = (int(batch.phase[game]), int(batch.season[game]))
                if len(seen.setdefault(kind, [])) < 2:
                    seen[kind].append(describe(batch, net, game, chance))
    return net, [one for kind in sorted(seen) for one in seen[kind]]


def describe(batch, net, game: int, chance):
    with torch.no_grad():
        heads, values = net(batch.observation[game : game + 1], phase_number(batch.phase, batch.season)[game : game + 1])
        first, last = batch.legal_offsets[game, [0, -1]]
        ids = np.sort(chance.permutation(np.unique(batch.legal_ids[first:last]))[:ORDERS])
        scores = net.logits(heads, np.zeros(len(ids), int), ids)
    return {
        "position": batch.position(game),
        "value": values.softmax(1)[0].tolist(),
        "orders": batch.vocabulary.packed[ids].tolist(),
        "scores": scores.tolist(),
    }


def main() -> None:
    target = Path(sys.argv[1])
    for name in ("standard", "ancmed"):
        net, positions = positions_of(name)
        net.save(target / f"{name}.safetensors")
        if name == "standard":
            net.export_onnx(target / f"{name}.onnx")
        (target / f"{name}.json").write_text(json.dumps({"map": name, "positions": positions}, indent=1) + "\n")


if __name__ == "__main__":
    main()
