// Tests models in ONNX (selfplay/nets/onnx-net.ts): what they are shown and asked, and what is refused, with a stand-in for
// the package onnxruntime-node; and with the package itself, of 290 MB, where somebody has installed it:
//   NODE_PATH=DIR/node_modules node dist/test/run.js onnx
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dipnetBoard, dipnetOrders } from '../../../bindings/formats/tensors/dipnet.js';
import {
  FALL,
  HOLD,
  legalByPower,
  MOVEMENT,
  newGame,
  orderLocation,
  orderType,
  Random,
  standard,
  vocabulary,
} from '../../../engine/internal.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import type { PlayedMoves, Position } from '../../../selfplay/nets/evaluator.js';
import { loadOnnx, type OnnxLibrary, OnnxNet, type OnnxTensor } from '../../../selfplay/nets/onnx-net.js';
import { makeNet, readWeights } from '../../../selfplay/nets/weights.js';
import { dataPath, readData } from '../../tools/data.js';
import { errorOf, rejection } from '../../tools/errors.js';
import { position } from '../../tools/positions.js';
import { ordersBy } from '../../tools/simple-agents.js';

interface Vector {
  readonly position: object;
  readonly orders: readonly number[];
  readonly scores: readonly number[];
}

const pathOf = (name: string): string => dataPath(`net/${name}`);
const { positions } = readData<{ positions: readonly Vector[] }>('net/standard.json');
const games = positions.map((vector) => position(vector.position));
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
  const length = dims.reduce((product, n) => product * n, 1);
  return new FakeTensor(
    'float32',
    Float32Array.from({ length }, (_, i) => fill(i)),
    dims,
  );
};

/** A model that says what a function says, and what it was shown last. */
const modelOf = (
  say: Tensors,
  outputNames: string[],
  { boards, inputNames = ['phases', 'boards'] }: { boards?: string; inputNames?: string[] } = {},
) => {
  const shown: { inputs: Tensors } = { inputs: {} };
  const library: OnnxLibrary = {
    Tensor: FakeTensor,
    InferenceSession: {
      create: async () => ({
        inputNames,
        outputNames,
        ...(boards === undefined ? {} : { inputMetadata: [{ name: 'boards', type: boards }] }),
        run: async (inputs) => {
          shown.inputs = inputs;
          return say;
        },
      }),
    },
  };
  return { net: new OnnxNet(standard, new Uint8Array(0), library), shown };
};

const { size, indexOf } = vocabulary(standard);
const scoresOf = (count: number): Tensors => ({
  scores: floats([count, size], (i) => i % size),
  values: floats([count, 7], (i) => i % 7),
});

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i])));

const onnx = suite('onnx');

onnx('a model that reads them is shown the orders of the last movement phase, and zeros before the first', async () => {
  const inputNames = ['boards', 'phases', 'previous_orders'];
  const start = newGame(standard);
  const orders = Int32Array.from(legalByPower(start, 2), (list) => list[list.length - 1]);
  const two = [positionOf(0, { game: start, orders }), positionOf(0)];
  const { net, shown } = modelOf(scoresOf(2), ['values', 'scores'], { inputNames });
  await net.evaluate(two);
  assert.equal(shown.inputs.previous_orders.dims, [2, 81, 40]);
  const data = shown.inputs.previous_orders.data as Uint8Array;
  assert.equal(data.slice(0, data.length / 2), dipnetOrders(start, orders));
  assert.ok(data.subarray(data.length / 2).every((one) => one === 0));
  const without = modelOf(scoresOf(2), ['values', 'scores']);
  await without.net.evaluate(two);
  assert.is(without.shown.inputs.previous_orders, undefined);
});

for (const boards of [undefined, 'float32'])
  onnx(
    `a model is shown the boards of DipNet as ${boards ?? 'bytes'}, with the phase, and its scores are read`,
    async () => {
      const { net, shown } = modelOf(scoresOf(1), ['values', 'scores'], boards === undefined ? {} : { boards });
      const kinds = new Set<number>();
      for (const [i, game] of games.entries()) {
        const [[scores]] = await net.evaluate([positionOf(i)]);
        const { boards: board, phases } = shown.inputs;
        assert.equal([board.type, board.dims], [boards ?? 'uint8', [1, 81, 35]]);
        assert.equal(Uint8Array.from(board.data as Uint8Array), Uint8Array.from(dipnetBoard(game)));
        const kind = game.phase === 2 ? 4 : 2 * game.phase + (game.season === FALL ? 1 : 0);
        assert.equal([...(phases.data as BigInt64Array)].map(Number), [kind]);
        kinds.add(kind);
        assert.equal([...scores], positions[i].orders.map(indexOf));
      }
      assert.ok(kinds.size >= 4 && kinds.has(MOVEMENT));
    },
  );

onnx('a model is shown several positions at once, and its scores or heads are read for each', async () => {
  const values = floats([2, 7], () => 0);
  const scores = floats([2, size], (i) => i);
  // One number a vector: a hold has the first of the single scores, which is here the row of the location.
  const heads = floats([2, 81, 22], (i) => Math.floor(i / 22));
  const lists = legalByPower(newGame(standard), 2).map((list) => list.filter((o) => orderType(o) === HOLD));
  for (const [name, said, wanted] of [
    ['scores', { values, scores }, (i: number, order: number) => i * size + indexOf(order)],
    ['heads', { values, heads }, (i: number, order: number) => i * 81 + orderLocation(order)],
  ] as const) {
    const { net, shown } = modelOf(said, ['values', name]);
    const got = await net.evaluate([0, 1].map((i) => ({ ...positionOf(i), lists })));
    const { boards, phases } = shown.inputs;
    assert.equal([boards.dims, phases.dims], [[2, 81, 35], [2]]);
    assert.equal(
      [...(boards.data as Uint8Array)],
      [games[0], games[1]].flatMap((game) => [...dipnetBoard(game)]),
    );
    assert.equal(
      got.map((ofPosition) => ofPosition.map((own) => [...own])),
      [0, 1].map((i) => lists.map((list) => Array.from(list, (order) => wanted(i, order)))),
    );
  }
});

onnx('models of other names, shapes or types are refused, and so are numbers that are none', async () => {
  const { values, scores } = scoresOf(1);
  const zeros = (...dims: number[]): OnnxTensor => floats(dims, () => 0);
  const nan = floats([1, size], (i) => (i === 3 ? Number.NaN : 0));
  const doubles = new FakeTensor('float64', new Float64Array(size), [1, size]);
  for (const [names, said, wrong] of [
    ['values', { values, scores }, /a model with the outputs values, wanted values and one of heads and scores/],
    ['values heads scores', { values, scores }, /got a model with the outputs values, heads, scores/],
    ['values scores', { values: zeros(1, 5), scores }, /got values of shape \[1, 5\], wanted float32 \[1, 7\]/],
    ['values scores', { values }, /got scores of no type, wanted float32 \[1, \d+\]/],
    ['values scores', { values, scores: nan }, /got scores with NaN at 3, wanted finite numbers/],
    ['values scores', { values, scores: doubles }, /got scores of float64/],
    ['values heads', { values, heads: zeros(1, 81, 63) }, /got heads of 63 columns, wanted 14 x n \+ 8/],
    ['values heads', { values, heads: zeros(1, 80, 64) }, /wanted float32 \[1, 81, n\]/],
  ] as [string, Tensors, RegExp][]) {
    const { net } = modelOf(said, names.split(' '));
    assert.match(await rejection(Promise.resolve(net.evaluate([positionOf(0)]))), wrong);
  }
});

if (errorOf(loadOnnx) === '') {
  onnx('the model of a graph net says what torch says', async () => {
    const net = makeNet(standard, readWeights(pathOf('standard.onnx')));
    const got = await net.evaluate(positions.map((_, i) => positionOf(i)));
    for (const [i, { scores }] of positions.entries()) assert.ok(furthest(scores, got[i][0]) < 1e-4);
  });

  onnx('the agent gives the orders that it gives by the same weights as safetensors', async () => {
    const agents = await Promise.all(
      ['onnx', 'safetensors'].map((ending) => parseAgent(`net:file=${pathOf(`standard.${ending}`)}:temperature=0.3`)),
    );
    for (const game of [newGame(standard), ...games])
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
    const refusal = await rejection(Promise.resolve(`net:file=${pathOf('standard.onnx')}`).then(parseAgent));
    assert.match(
      refusal,
      /agent net, option file: .*standard.onnx: a model in ONNX: got no package onnxruntime-node, wanted it in .*: npm install --no-save --save-dev onnxruntime-node$/,
    );
  });
}

onnx.run();
