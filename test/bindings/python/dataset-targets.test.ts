// Tests that the rows of a dataset have what the agents of a recorded run weighed.
import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedArrays } from '../../../bindings/formats/arrays/shared-arrays.js';
import { decodeGames } from '../../../bindings/formats/dataset/decode-games.js';
import { encodeRows } from '../../../bindings/formats/dataset/encode-rows.js';
import { findGames, openFiles } from '../../../bindings/formats/dataset/find-games.js';
import { GameBlock } from '../../../bindings/formats/dataset/game-block.js';
import { readReaderConfig } from '../../../bindings/formats/dataset/reader-config.js';
import { layOutRows } from '../../../bindings/formats/dataset/row-layout.js';
import { type Power, standard, vocabulary } from '../../../engine/internal.js';
import type { PolicyTargets } from '../../../selfplay/games/targets.js';
import { decodeShard, encodeShard, type StoredGame } from '../../../selfplay/records/record.js';
import { makeFolder } from '../../tools/command.js';

const fixture = fileURLToPath(new URL('../../../../test/data/searched-run/', import.meta.url));
const place = makeFolder('targets-rows');

const rows = suite('targets in rows');

const ITALY = standard.powerNames.indexOf('ITALY') as Power;

/** The game of the fixture, but that nothing is known of Italy in its first phase, and others have a set at probability 0. */
const changed = (): StoredGame => {
  const [record] = decodeShard(readFileSync(join(fixture, 'games-00000.lep')));
  const [first, ...others] = record.phases;
  const known = first.targets?.filter(({ power }) => power !== ITALY) ?? [];
  const holds = { orders: new Int32Array(0), probability: 0, value: 0.1, error: 0.01 };
  const targets = known.map((one) => ({ ...one, candidates: [...one.candidates, holds] }));
  return { ...record, phases: [{ ...first, targets }, ...others] };
};

/** Probability of each order of a power, by its packed form. */
const marginals = ({ candidates }: PolicyTargets): Map<number, number> => {
  const found = new Map<number, number>();
  for (const { orders, probability } of candidates)
    for (const order of orders) found.set(order, (found.get(order) ?? 0) + probability);
  return found;
};

rows('each legal order has the share of the sets that have it', () => {
  const record = changed();
  const shard = join(place, 'games-00000.lep');
  writeFileSync(shard, encodeShard([record]));
  writeFileSync(join(place, 'memory'), '');
  const fd = openSync(join(place, 'memory'), 'r+');
  const config = readReaderConfig({
    ...{ paths: [shard], observations: 'none', per: 'phase', score: 'sum_of_squares', n_step: 0, discount: 1 },
    ...{ batch_size: 8, prefetch: 1, shuffle: 0, seed: 1, shard: [0, 1], errors: 'raise', workers: 1, fd, parent: 1 },
    targets: true,
  });
  const files = openFiles(config);
  const places = findGames(files);
  const { memory: games } = decodeGames({ config, places, games: Int32Array.from(places.file.keys()) });
  const played = record.phases.slice(0, -1);
  const block = new GameBlock(games);
  const values = played.map((_, i) => block.weighed(i).map((one) => one?.value));
  assert.equal(
    values,
    played.map(({ targets = [] }) => {
      const wanted: (number | undefined)[] = new Array(standard.powerCount);
      for (const { power, value } of targets) wanted[power] = value;
      return Array.from(wanted);
    }),
  );

  const layout = layOutRows(standard, config);
  ftruncateSync(fd, layout.size);
  const copy = new SharedArrayBuffer(layout.size);
  const samples = Int32Array.from(played.flatMap((_, i) => [0, i, -1]));
  encodeRows({ config, copy, slot: 0, first: 0, blocks: [games], samples });
  const memory = new SharedArrays(layout, fd, copy);
  const [ids, offsets, actions] = ['legal_ids', 'legal_offsets', 'actions'].map((name) => memory.int32(name));
  const policy = memory.float32('policy');
  const targeted = memory.bytes('targeted');
  const roots = memory.float32('values');
  const { orders } = vocabulary(standard);
  const slots = standard.powerCount * layout.maxOrders;
  let mixed = 0;
  for (const [row, { phase, targets = [] }] of played.entries())
    for (let q = 0; q < standard.powerCount; q++) {
      const target = targets.find(({ power }) => power === q);
      assert.is(targeted[row * standard.powerCount + q], target === undefined ? 0 : 1);
      const root = roots[row * standard.powerCount + q];
      assert.ok(Object.is(root, target?.value ?? Number.NaN), `${phase}, ${q}: ${root}`);
      const wanted = target === undefined ? null : marginals(target);
      for (let k = q * layout.maxOrders; k < (q + 1) * layout.maxOrders; k++) {
        const [begin, end] = offsets.subarray(row * (slots + 1) + k);
        const action = actions[row * slots + k];
        let sum = 0;
        for (let i = begin; i < end; i++) {
          sum += policy[i];
          if (policy[i] > 0.01 && policy[i] < 0.99) mixed++;
          if (wanted === null) assert.is(policy[i], i - begin === action ? 1 : 0);
          else if (phase.endsWith('M'))
            assert.ok(Math.abs(policy[i] - (wanted.get(orders[ids[i]]) ?? 0)) < 1e-6, `${phase}, slot ${k}`);
        }
        assert.ok(Math.abs(sum - (action < 0 ? 0 : 1)) < 1e-6, `${phase}, slot ${k}: ${sum}`);
        // What was played was among what was weighed.
        if (action >= 0) assert.ok(policy[begin + action] > 0);
      }
    }
  assert.ok(mixed > 20);
  closeSync(fd);
});

rows.run();
