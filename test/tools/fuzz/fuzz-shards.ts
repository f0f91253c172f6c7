// Shards into replay, convert and stats: bytes flipped, cut and doubled, or records of another shape and content.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Packr, Unpackr } from 'msgpackr';
import type { Random } from '../../../engine/rules/random.js';
import { splitShard } from '../../../selfplay/records/record.js';
import { baseGames } from './base-games.js';
import { type Campaign, readersOf } from './campaign.js';
import { chance, changeBytes, changeJson, pick } from './random-input.js';

const packr = new Packr({ useRecords: false, variableMapSize: true });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });

const BYTES = 'bytes:';

/** Copies a value with each leaf changed: everything that is neither list nor object. */
const mapLeaves = (value: unknown, change: (leaf: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((entry) => mapLeaves(entry, change));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapLeaves(entry, change)]));
};

/** JSON has no bytes: they are text while the structure is changed. */
const asPlain = (leaf: unknown): unknown =>
  leaf instanceof Uint8Array ? `${BYTES}${Buffer.from(leaf).toString('hex')}` : leaf;
const fromPlain = (leaf: unknown): unknown =>
  typeof leaf === 'string' && leaf.startsWith(BYTES) ? Buffer.from(leaf.slice(BYTES.length), 'hex') : leaf;

const changeGame = (random: Random, game: Uint8Array): Buffer => {
  const plain = mapLeaves(unpackr.unpack(game), asPlain);
  const bytes = packr.pack(mapLeaves(changeJson(random, plain, 1 + random.below(3)), fromPlain));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const HEADER_SIZE = 8;

const changeShard = (random: Random, shard: Uint8Array): Buffer => {
  if (chance(random, 50)) return changeBytes(random, shard, 1 + random.below(4));
  const games = splitShard(shard);
  const changed = Array.from({ length: 1 + random.below(3) }, () => changeGame(random, pick(random, games)));
  return Buffer.concat([shard.subarray(0, HEADER_SIZE), ...changed]);
};

export const shardCampaign: Campaign = {
  name: 'shards',
  about: 'shards of records into replay, convert, stats, and selfplay that goes on with them',
  play: async (round) => {
    const { random, session } = round;
    const { shard, manifest, table, spec } = await baseGames(session);
    const directory = round.place();
    const path = join(directory, 'games-00000.lep');
    const tablePath = join(directory, 'games-00000.table');
    const bytes = changeShard(random, shard);
    const isChanged = !bytes.equals(shard);
    const hasTable = chance(random, 40);
    session.write(join(directory, 'manifest.json'), JSON.stringify(manifest));
    session.write(path, bytes);
    if (hasTable) session.write(tablePath, table);
    else rmSync(tablePath, { force: true });
    const [verify, ...others] = readersOf(directory);
    let isRefused = hasTable && isChanged;
    await round.read([verify], () => isRefused);
    // What one refuses, all do.
    isRefused ||= isChanged && round.findings.length === 0 && (await session.run(verify)).code === 1;
    await round.read(others, () => isRefused);
    await round.run(['replay', directory, '--json']);
    const again = ['selfplay', ...spec, '--out', directory, '--quiet'];
    await round.run(again);
    if (!readFileSync(path).equals(shard)) round.found('kept', again, 'a damaged shard');
    round.keep('.lep', bytes);
  },
};
