// Tests models in ONNX (selfplay/nets/onnx-net.ts): what they are shown and asked, and what is refused, with a stand-in for
// the package onnxruntime-node; and with the package itself, of 290 MB, where somebody has installed it:
//   NODE_PATH=DIR/node_modules node dist/test/run.js onnx
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dipnetBoard } from '../../../bindings/formats/tensors/dipnet.js';
import { parsePosition } from '../../../bindings/notation/json/position.js';
import { FALL, type Game, loadMap, MOVEMENT, newGame, Random, vocabulary } from '../../../engine/internal.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { loadOnnx, type OnnxLibrary, OnnxNet, type OnnxTensor } from '../../../selfplay/nets/onnx-net.js';
import { makeNet, readWeights } from '../../../selfplay/nets/weights.js';

interface Vector {
  readonly position: object;
  readonly value: readonly number[];
  readonly orders: readonly number[];
  readonly scores: readonly number[];
}

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../../test/data/net/${name}`, import.meta.url));
const map = loadMap('standard');
const { positions } = JSON.parse(readFileSync(pathOf('standard.json'), 'utf8')) as { positions: readonly Vector[] };
const games = positions.map(({ position }): Game => parsePosition(position, map, DATC_3_2).game);

class FakeTensor implements OnnxTensor {
  readonly type: string;
  readonly data: unknown;
  readonly dims: readonly number[];

  constructor(type: string, data: unknown, dims: readonly number[]) {
    this.type = type;
    this.data = data;
    this.dims = dims;
  }
}

type Tensors = Readonly<Record<string, OnnxTensor>>;
const floats = (dims: readonly number[], fill: (i: number) => number): OnnxTensor => {
  const count = dims.reduce((product, length) => product * length, 1);
  return new FakeTensor(
    'float32',
    Float32Array.from({ length: count }, (_, i) => fill(i)),
    dims,
  );
};

/** A library whose models say what a function says. */
const libraryOf = (say: (inputs: Tensors) => Tensors, outputNames: string[], boards?: string): OnnxLibrary => ({
  Tensor: FakeTensor,
  InferenceSession: {
    create: async () => ({
      inputNames: ['phases', 'boards'],
      outputNames,
      ...(boards === undefined ? {} : { inputMetadata: [{ name: 'boards', type: boards }] }),
      run: async (inputs) => say(inputs),
    }),
  },
});

const { size } = vocabulary(map);
const scoresOf = (count: number): Tensors => ({
  scores: floats([count, size], (i) => i % size),
  values: floats([count, 7], (i) => i % 7),
});

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i])));

const onnx = suite('onnx');

for (const type of [undefined, 'float32'])
  onnx(
    `a model is shown the boards of DipNet as ${type ?? 'bytes'}, with the phase, and its scores are read`,
    async () => {
      let seen: Tensors = {};
      const say = (inputs: Tensors): Tensors => {
        seen = inputs;
        return scoresOf(games.length);
      };
      const net = new OnnxNet(map, new Uint8Array(0), games.length, libraryOf(say, ['values', 'scores'], type));
      await net.evaluate(games);
      const { boards, phases } = seen;
      assert.is(boards.type, type ?? 'uint8');
      assert.equal(boards.dims, [games.length, 81, 35]);
      assert.equal(
        Uint8Array.from(boards.data as Uint8Array),
        Uint8Array.from(games.flatMap((game) => [...dipnetBoard(game)])),
      );
      const numbers = games.map(({ phase, season }) => (phase === 2 ? 4 : 2 * phase + (season === FALL ? 1 : 0)));
      assert.equal([...(phases.data as BigInt64Array)].map(Number), numbers);
      assert.ok(new Set(numbers).size >= 4 && numbers.includes(MOVEMENT));
      const orders = Int32Array.from(positions[2].orders);
      const scores = new Float32Array(orders.length);
      net.scoreOrders(2, orders, orders.length, scores);
      assert.equal([...scores], [...orders].map(vocabulary(map).indexOf));
      const powers = [0, 1, 2, 3, 4, 5, 6].map((q) => Math.exp(q));
      const sum = powers.reduce((a, b) => a + b, 0);
      assert.ok(
        furthest(
          powers.map((value) => value / sum),
          net.values.subarray(14, 21),
        ) < 1e-6,
      );
    },
  );

onnx('models of other names, shapes or types are refused, and so are numbers that are none', async () => {
  const good = scoresOf(1);
  for (const [names, said, wrong] of [
    [['values'], good, /got a model with the outputs values, wanted values and one of heads and scores/],
    [['values', 'heads', 'scores'], good, /got a model with the outputs values, heads, scores/],
    [
      ['values', 'scores'],
      { ...good, values: floats([1, 5], () => 0) },
      /got values of shape \[1, 5\], wanted float32 \[1, 7\]/,
    ],
    [['values', 'scores'], { values: good.values }, /got scores of no type, wanted float32 \[1, \d+\]/],
    [
      ['values', 'scores'],
      { ...good, scores: floats([1, size], (i) => (i === 3 ? Number.NaN : 0)) },
      /got scores with NaN at 3, wanted finite numbers/,
    ],
    [
      ['values', 'scores'],
      { ...good, scores: new FakeTensor('float64', new Float64Array(size), [1, size]) },
      /got scores of float64/,
    ],
    [
      ['values', 'heads'],
      { values: good.values, heads: floats([1, 81, 63], () => 0) },
      /got heads of 63 columns, wanted 14 x n \+ 8/,
    ],
    [['values', 'heads'], { values: good.values, heads: floats([1, 80, 64], () => 0) }, /wanted float32 \[1, 81, n\]/],
  ] as [string[], Tensors, RegExp][]) {
    const net = new OnnxNet(
      map,
      new Uint8Array(0),
      1,
      libraryOf(() => said, names),
    );
    const thrown = await net.evaluate([games[0]]).catch((error: Error) => error);
    assert.match(thrown instanceof Error ? thrown.message : 'nothing was thrown', wrong);
  }
});

const isInstalled = (): boolean => {
  try {
    loadOnnx();
    return true;
  } catch {
    return false;
  }
};

if (isInstalled()) {
  onnx('the model of a graph net says what torch says, one position or many', async () => {
    const weights = readWeights(pathOf('standard.onnx'));
    for (const room of [1, games.length]) {
      const net = makeNet(map, weights, room);
      for (let first = 0; first < games.length; first += room) {
        await net.evaluate(games.slice(first, first + room));
        for (let i = 0; i < room; i++) {
          const { orders, scores, value } = positions[first + i];
          const out = new Float32Array(orders.length);
          net.scoreOrders(i, Int32Array.from(orders), orders.length, out);
          assert.ok(furthest(scores, out) < 1e-4);
          assert.ok(furthest(value, net.values.subarray(7 * i, 7 * i + 7)) < 1e-4);
        }
      }
    }
  });

  onnx('the agent gives the orders that it gives by the same weights as safetensors', async () => {
    const agents = await Promise.all(
      ['onnx', 'safetensors'].map((ending) => parseAgent(`net:file=${pathOf(`standard.${ending}`)}:temperature=0.3`)),
    );
    for (const game of [newGame(map, DATC_3_2), ...games])
      for (let power = 0; power < 7; power++) {
        const given = await Promise.all(
          agents.map(async (agent) => {
            const out = new Int32Array(map.provinceCount);
            const count = await agent.choose(game, power, out, new Random(power), UNBOUNDED);
            return [...out.subarray(0, count)];
          }),
        );
        assert.equal(given[0], given[1]);
      }
  });
} else {
  process.stdout.write('onnxruntime-node is not installed: models in ONNX were tested with a stand-in alone\n');
  onnx('without the package an agent says how to install it', async () => {
    const thrown = await Promise.resolve(`net:file=${pathOf('standard.onnx')}`)
      .then(parseAgent)
      .catch((error: Error) => error);
    assert.match(
      (thrown as Error).message,
      /agent net, option file: .*standard.onnx: got no package onnxruntime-node, wanted it .*npm install onnxruntime-node/,
    );
  });
}

onnx.run();
