// Tests selfplay/nets: files of weights, the kernels, and the graph net against what torch said of the same positions
// (test/tools/net_vectors.py).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dipnetBoard } from '../../../bindings/formats/tensors/dipnet.js';
import { type Game, loadMap, newGame, Random } from '../../../engine/internal.js';
import { parsePosition } from '../../../engine/notation/json/position.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { type Position, softmax } from '../../../selfplay/nets/evaluator.js';
import { Features, SLOTS } from '../../../selfplay/nets/features.js';
import { GraphNet } from '../../../selfplay/nets/graph-net.js';
import { makeKernels } from '../../../selfplay/nets/kernels/kernels.js';
import { readTensors } from '../../../selfplay/nets/safetensors.js';
import { makeFolder } from '../../tools/command.js';
import { dataPath, readData } from '../../tools/data.js';
import { rejection, saying } from '../../tools/errors.js';
import { ordersBy } from '../../tools/simple-agents.js';

interface Vector {
  readonly position: object;
  readonly orders: readonly number[];
  readonly scores: readonly number[];
}

const maps = ['standard', 'ancmed'];
const weightsOf = (name: string): Uint8Array => readFileSync(dataPath(`net/${name}.safetensors`));
const vectorsOf = (name: string): readonly Vector[] =>
  readData<{ positions: readonly Vector[] }>(`net/${name}.json`).positions;
const gameOf = (name: string, { position }: Vector): Game => parsePosition(position, loadMap(name), DATC_3_2).game;
const positionOf = (name: string, vector: Vector): Position => {
  return { game: gameOf(name, vector), past: null, lists: [Int32Array.from(vector.orders)] };
};

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i])));

const net = suite('net');

for (const name of maps)
  for (const plain of [false, true]) {
    const how = `${name}${plain ? ', without WebAssembly' : ''}`;
    const graph = new GraphNet(loadMap(name), readTensors(weightsOf(name)), { plain });
    const vectors = vectorsOf(name);

    net(`thinks what torch thinks: ${how}`, () => {
      assert.ok(vectors.length >= 8);
      for (const vector of vectors) {
        const [[scores]] = graph.evaluate([positionOf(name, vector)]);
        assert.ok(furthest(scores, vector.scores) < 1e-4, JSON.stringify(vector.position));
      }
    });

    net(`scores a position alike in every batch: ${how}`, () => {
      const positions = Array.from({ length: 35 }, (_, i) => positionOf(name, vectors[i % vectors.length]));
      const alone = positions.map((position) => graph.evaluate([position])[0]);
      for (const size of [1, 2, 3, 16, 17, 35])
        for (let first = 0; first < positions.length; first += size)
          assert.equal(graph.evaluate(positions.slice(first, first + size)), alone.slice(first, first + size));
      assert.equal(graph.evaluate([]), []);
    });
  }

net('sees what the boards of DipNet show, and the phase', () => {
  for (const name of maps) {
    const map = loadMap(name);
    const features = new Features(map);
    const slots = new Int32Array(map.locationCount * SLOTS);
    const board = features.columns - 5;
    const phases = new Set<number>();
    for (const vector of vectorsOf(name)) {
      const game = gameOf(name, vector);
      features.list(game, slots);
      const seen = new Uint8Array(map.locationCount * board);
      dipnetLocations(map).forEach((location, row) => {
        for (const column of slots.subarray(location * SLOTS, (location + 1) * SLOTS - 1))
          if (column < board) seen[row * board + column] = 1;
          else if (column < features.columns) phases.add(column - board);
        assert.is(slots[(location + 1) * SLOTS - 1], features.columns + 1 + location);
      });
      assert.equal(seen, dipnetBoard(game));
    }
    assert.ok(phases.size >= 4, `got ${[...phases]}`);
  }
});

net('multiplies, gathers and pools alike in WebAssembly and in plain JavaScript', () => {
  const random = new Random(3);
  const bytes = 1 << 18;
  const fast = makeKernels(bytes);
  const plain = makeKernels(bytes, true);
  assert.is(makeKernels(100).memory.byteLength, 1 << 16, 'a page of WebAssembly');
  const start = Float32Array.from({ length: bytes / 4 }, () => random.fraction() - 0.5);
  const compare = (): void => {
    assert.ok(furthest(new Float32Array(fast.memory, 0, bytes / 4), new Float32Array(plain.memory)) < 1e-4);
  };
  for (const [rows, inner, width] of [
    [4, 4, 8],
    [84, 48, 120],
    [12, 64, 16],
  ]) {
    for (const { memory } of [fast, plain]) new Float32Array(memory).set(start);
    const [a, b, out] = [1 << 12, 1 << 16, 1 << 17];
    for (const { kernels } of [fast, plain]) {
      const size = { rows, inner, width };
      kernels.multiply(size, out, a, b, { at: 64 });
      kernels.multiply(size, out, a, b, { at: out, stride: width * 4, old: b });
      kernels.join(size, a, out, b, out, 64);
      kernels.pool(size, out + 32, out, 128);
    }
    compare();
  }
  for (const { memory, kernels } of [fast, plain]) {
    new Float32Array(memory).set(start);
    new Int32Array(memory, 0, 10).set([0, 2, 2, 5, 1, 3, 0, 2, 1, 3]);
    kernels.gather({ rows: 3, width: 16 }, 1 << 17, { offsets: 0, indices: 16, scales: 256 }, 1 << 12);
  }
  compare();
});

net('turns scores into probabilities, however large', () => {
  const scores = Float32Array.of(1000, 999, -1000);
  softmax(scores, 0.5);
  assert.ok(Math.abs(scores[0] - 1 / (1 + Math.exp(-2))) < 1e-6);
  assert.is(scores[2], 0);
});

net('reads weights of every width', () => {
  for (const [dtype, words] of [
    ['F32', [0, 0x3f80, 0, 0xc000, 0, 0x3f00, 0, 0x3380]],
    ['F16', [0x3c00, 0xc000, 0x3800, 0x0001]],
    ['BF16', [0x3f80, 0xc000, 0x3f00, 0x3380]],
  ] as const) {
    const file = fileOf(
      { a: { dtype, shape: [4], data_offsets: [0, 2 * words.length] }, __metadata__: { format: 'x' } },
      Buffer.from(Uint16Array.from(words).buffer),
    );
    const read = readTensors(file);
    assert.equal([...(read.tensors.get('a')?.values ?? [])], [1, -2, 0.5, 2 ** -24]);
    assert.equal(read.metadata, { format: 'x' });
  }
});

const fileOf = (header: unknown, data: Uint8Array, length?: bigint): Uint8Array => {
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(length ?? BigInt(text.length));
  return Buffer.concat([size, text, data]);
};

net('refuses files that are no weights', () => {
  const four = new Uint8Array(4);
  const entry = { dtype: 'F32', shape: [1], data_offsets: [0, 4] };
  const nan = Buffer.from(Float32Array.of(Number.NaN).buffer);
  for (const [bytes, wrong] of [
    [new Uint8Array(3), /got 3 bytes, wanted a safetensors file/],
    [Buffer.from('\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05torch'), /wanted a safetensors file/],
    [fileOf({ a: entry }, four, 1n << 40n), /got a header of 1099511627776 bytes/],
    [fileOf([1], four), /a header that is no object/],
    [Buffer.concat([fileOf({}, four).subarray(0, 8), Buffer.from('{]')]), /a header that is not JSON/],
    [fileOf({ a: { ...entry, dtype: 'I64' } }, four), /of type "I64", wanted F32, F16 or BF16/],
    [fileOf({ a: { ...entry, shape: [2 ** 40, 2 ** 40] } }, four), /wanted .* bytes of the file/],
    [fileOf({ a: { ...entry, shape: [-1] } }, four), /of shape \[-1\]/],
    [fileOf({ a: { ...entry, data_offsets: [4, 8] } }, four), /at 4 to 8 of 4 bytes/],
    [fileOf({ a: { ...entry, data_offsets: [0] } }, four), /wanted where it begins and ends/],
    [fileOf({ a: 1 }, four), /that is no object/],
    [fileOf({ a: entry, b: entry }, four), /tensors "a" and "b" in one place/],
    [fileOf({ a: entry }, nan), /with NaN at 0, wanted finite numbers/],
    [fileOf({ a: entry, __metadata__: { x: 1 } }, four), /metadata that are not texts/],
  ] as const)
    assert.throws(() => readTensors(bytes), saying(wrong));
});

net('refuses weights of another net or map', () => {
  const file = readTensors(weightsOf('standard'));
  const without = new Map(file.tensors);
  without.delete('value.1.bias');
  const more = new Map([...file.tensors, ['x"', { shape: [1], values: new Float32Array(1) }]]);
  const wide = new Map([...file.tensors, ['heads.weight', { shape: [12, 64], values: new Float32Array(12 * 64) }]]);
  for (const [map, change, wrong] of [
    ['ancmed', {}, /net: got "input.weight" of shape \[40, 16\], wanted \[34, 16\], as on the map ancmed/],
    ['standard', { tensors: without }, /got no tensor "value.1.bias"/],
    ['standard', { tensors: more }, /got tensor "x\\"", wanted those of a graph net/],
    ['standard', { tensors: wide }, /got a width of 12, wanted a multiple of 8/],
    [
      'standard',
      { metadata: { format: 'lepanto mlp 1' } },
      /net: got a file of format "lepanto mlp 1", wanted "lepanto graph net 1"/,
    ],
  ] as const)
    assert.throws(() => new GraphNet(loadMap(map), { ...file, ...change }), wrong);
});

net('says which file holds the weights of another map, or so large ones that scores are no numbers', async () => {
  const folder = makeFolder('net');
  const file = join(folder, 'large.safetensors');
  const bytes = Uint8Array.from(weightsOf('standard'));
  const view = new DataView(bytes.buffer);
  for (let at = 8 + Number(view.getBigUint64(0, true)); at < bytes.length; at += 4) view.setFloat32(at, 3e38, true);
  writeFileSync(file, bytes);
  const play = (name: string): Promise<unknown> =>
    ordersBy(parseAgent(`net:file=${file}`), newGame(loadMap(name)), 0, new Random(1));
  assert.match(await rejection(play('standard')), `${file}: got the score`);
  assert.match(await rejection(play('ancmed')), `${file}: net: got "input.weight"`);
});

net.run();
