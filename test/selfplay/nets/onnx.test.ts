// Tests models in ONNX (selfplay/nets/onnx-net.ts): what they are shown and asked, and what is refused, with a stand-in for
// the package onnxruntime-node; and with the package itself, of 290 MB, where somebody has installed it:
//   NODE_PATH=DIR/node_modules node dist/test/run.js onnx
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dipnetBoard, dipnetOrders } from '../../../bindings/formats/tensors/dipnet.js';
import {
  FALL,
  type Game,
  HOLD,
  legalByPower,
  loadMap,
  MOVEMENT,
  newGame,
  orderLocation,
  orderType,
  Random,
  vocabulary,
} from '../../../engine/internal.js';
import { parsePosition } from '../../../engine/notation/json/position.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import type { PlayedMoves, Position } from '../../../selfplay/nets/evaluator.js';
import { loadOnnx, type OnnxLibrary, OnnxNet, type OnnxTensor } from '../../../selfplay/nets/onnx-net.js';
import { makeNet, readWeights } from '../../../selfplay/nets/weights.js';
import { dataPath } from '../../tools/data.js';
import { ordersBy } from '../../tools/simple-agents.js';

interface Vector {
  readonly position: object;
  readonly value: readonly number[];
  readonly orders: readonly number[];
  readonly scores: readonly number[];
}

const pathOf = (name: string): string => dataPath(`net/${name}`);
const map = loadMap('standard');
const { positions } = JSON.parse(readFileSync(pathOf('standard.json'), 'utf8')) as { positions: readonly Vector[] };
const games = positions.map(({ position }): Game => parsePosition(position, map, DATC_3_2).game);
const positionOf = (i: number, past: PlayedMoves | null = null): Position => {
  return { game: games[i], past, lists: [Int32Array.from(positions[i].orders)] };
};

class FakeTensor implements OnnxTensor {
  constructor(
    readonly type: string,
    readonly data: unknown,
    readonly dims: readonly number[],
  ) {}
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
const libraryOf = (
  say: (inputs: Tensors) => Tensors,
  outputNames: string[],
  boards?: string,
  inputNames: string[] = ['phases', 'boards'],
): OnnxLibrary => ({
  Tensor: FakeTensor,
  InferenceSession: {
    create: async () => ({
      inputNames,
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

onnx('a model that reads them is shown the orders of the last movement phase, and zeros before the first', async () => {
  let seen: Tensors = {};
  const say = (inputs: Tensors): Tensors => {
    seen = inputs;
    return scoresOf(2);
  };
  const names = ['boards', 'phases', 'previous_orders'];
  const net = new OnnxNet(map, new Uint8Array(0), libraryOf(say, ['values', 'scores'], undefined, names));
  const start = newGame(map, DATC_3_2);
  const orders = legalByPower(start, 2).map((list) => list[list.length - 1]);
  const past = { game: start, orders: Int32Array.from(orders) };
  await net.evaluate([positionOf(0, past), positionOf(0)]);
  assert.equal(seen.previous_orders.dims, [2, 81, 40]);
  const data = seen.previous_orders.data as Uint8Array;
  assert.equal(data.slice(0, data.length / 2), dipnetOrders(start, past.orders));
  assert.ok(data.subarray(data.length / 2).every((one) => one === 0));
  const without = new OnnxNet(map, new Uint8Array(0), libraryOf(say, ['values', 'scores']));
  await without.evaluate([positionOf(0, past), positionOf(0)]);
  assert.is(seen.previous_orders, undefined);
});

for (const type of [undefined, 'float32'])
  onnx(
    `a model is shown the boards of DipNet as ${type ?? 'bytes'}, with the phase, and its scores are read`,
    async () => {
      let seen: Tensors = {};
      const say = (inputs: Tensors): Tensors => {
        seen = inputs;
        return scoresOf(1);
      };
      const net = new OnnxNet(map, new Uint8Array(0), libraryOf(say, ['values', 'scores'], type));
      const kinds = new Set<number>();
      for (const [i, game] of games.entries()) {
        const [[scores]] = await net.evaluate([positionOf(i)]);
        const { boards, phases } = seen;
        assert.is(boards.type, type ?? 'uint8');
        assert.equal(boards.dims, [1, 81, 35]);
        assert.equal(Uint8Array.from(boards.data as Uint8Array), Uint8Array.from(dipnetBoard(game)));
        const kind = game.phase === 2 ? 4 : 2 * game.phase + (game.season === FALL ? 1 : 0);
        assert.equal([...(phases.data as BigInt64Array)].map(Number), [kind]);
        kinds.add(kind);
        assert.equal([...scores], positions[i].orders.map(vocabulary(map).indexOf));
      }
      assert.ok(kinds.size >= 4 && kinds.has(MOVEMENT));
    },
  );

onnx('a model is shown several positions at once, and its scores or heads are read for each', async () => {
  let seen: Tensors = {};
  const values = floats([2, 7], () => 0);
  const scores = floats([2, size], (i) => i);
  // One number a vector: a hold has the first of the single scores, which is here the row of the location.
  const heads = floats([2, 81, 22], (i) => Math.floor(i / 22));
  for (const [name, said, wanted] of [
    ['scores', { values, scores }, [0, 1].map((i) => (order: number) => i * size + vocabulary(map).indexOf(order))],
    ['heads', { values, heads }, [0, 1].map((i) => (order: number) => i * 81 + orderLocation(order))],
  ] as const) {
    const say = (inputs: Tensors): Tensors => {
      seen = inputs;
      return said;
    };
    const net = new OnnxNet(map, new Uint8Array(0), libraryOf(say, ['values', name]));
    const lists = legalByPower(newGame(map, DATC_3_2), 2).map((list) => list.filter((o) => orderType(o) === HOLD));
    const got = await net.evaluate([0, 1].map((i) => ({ ...positionOf(i), lists })));
    assert.equal(seen.boards.dims, [2, 81, 35]);
    const shown = [games[0], games[1]].flatMap((game) => [...dipnetBoard(game)]);
    assert.equal([...(seen.boards.data as Uint8Array)], shown);
    assert.equal(seen.phases.dims, [2]);
    for (const [i, ofPosition] of got.entries())
      assert.equal(
        ofPosition.map((own) => [...own]),
        lists.map((list) => [...list].map(wanted[i])),
      );
  }
});

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
      libraryOf(() => said, names),
    );
    const thrown = await net.evaluate([positionOf(0)]).catch((error: Error) => error);
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
  onnx('the model of a graph net says what torch says', async () => {
    const net = makeNet(map, readWeights(pathOf('standard.onnx')));
    const got = await net.evaluate(positions.map((_, i) => positionOf(i)));
    for (const [i, { scores }] of positions.entries()) assert.ok(furthest(scores, got[i][0]) < 1e-4);
  });

  onnx('the agent gives the orders that it gives by the same weights as safetensors', async () => {
    const agents = await Promise.all(
      ['onnx', 'safetensors'].map((ending) => parseAgent(`net:file=${pathOf(`standard.${ending}`)}:temperature=0.3`)),
    );
    for (const game of [newGame(map, DATC_3_2), ...games])
      for (let power = 0; power < 7; power++) {
        const given = await Promise.all(
          agents.map(async (agent) => [...(await ordersBy(agent, game, power, new Random(power)))]),
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
      /agent net, option file: .*standard.onnx: a model in ONNX: got no package onnxruntime-node, wanted it in .*: npm install --no-save --save-dev onnxruntime-node$/,
    );
  });
}

onnx.run();
