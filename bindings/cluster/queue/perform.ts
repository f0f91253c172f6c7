// Plays a part of an errand in a thread of a pool.
import { crc32 } from 'node:zlib';
import { addMap, loadMap } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { type ArenaGame, playArenaGame } from '../../../selfplay/arena/arena-game.js';
import { runRulesByName } from '../../../selfplay/games/run-rules.js';
import { playShard, type RunSpec, runShard, type ShardTask } from '../../../selfplay/records/shard.js';
import type { Errand } from './errand.js';
import { fileOfPart } from './folder-store.js';
import { readStatsOf } from './gather-stats.js';
import { type ParcelHead, packParcel } from './parcel.js';

/** A part for a thread. */
export interface PartTask {
  readonly errand: Errand;
  readonly part: number;
  /** Where its file is to be written; null if its bytes are wanted. */
  readonly folder: string | null;
  readonly machine: string;
  readonly counters: BigInt64Array;
  readonly own: BigInt64Array;
}

/** What a thread has made of a part. */
export interface PlayedPart {
  readonly head: ParcelHead;
  /** The parcel; null if the file is in the folder. */
  readonly packed: Uint8Array | null;
}

/** @throws LepantoError if this machine has another map or other rules under these names */
const checkErrand = ({ map, rules }: Errand): void => {
  if (map.rows !== undefined) addMap(map.rows);
  const { id } = loadMap(map.name);
  if (id !== map.id)
    throw new LepantoError('queue', `map ${map.name}: got id ${map.id}, wanted ${id}, that of this machine`);
  const { adjudication } = runRulesByName(rules.name);
  if (adjudication.id !== rules.id)
    throw new LepantoError(
      'queue',
      `rules ${rules.name}: got id ${rules.id}, wanted ${adjudication.id}, that of this machine`,
    );
};

const playShardPart = async (task: PartTask, spec: RunSpec): Promise<PlayedPart> => {
  const { errand, part, folder, machine, counters, own } = task;
  const shard: ShardTask = { spec, shard: part, path: folder === null ? '' : fileOfPart(folder, part), counters, own };
  if (folder === null) {
    const { summary, bytes, crc } = await playShard(shard);
    const head = { run: errand.id, part, games: summary.games, crc, size: bytes.length, summary, machine };
    return { head, packed: packParcel(head, bytes) };
  }
  const { summary, check } = await runShard(shard);
  if (check?.crc32 === undefined)
    throw new LepantoError('queue', `${shard.path}: got a check of another run beside it, wanted none`);
  const crc = Number.parseInt(check.crc32, 16);
  return {
    head: { run: errand.id, part, games: summary.games, crc, size: check.bytes, summary, machine },
    packed: null,
  };
};

const packJson = (task: PartTask, games: number, value: unknown): PlayedPart => {
  const bytes = Buffer.from(JSON.stringify(value));
  const { errand, part, machine } = task;
  const head = { run: errand.id, part, games, crc: crc32(bytes), size: bytes.length, machine };
  return { head, packed: packParcel(head, bytes) };
};

/** Plays a part. @throws LepantoError if an agent fails, or if the file cannot be written */
export const performPart = async (task: PartTask): Promise<PlayedPart> => {
  const { errand, part, counters, own } = task;
  checkErrand(errand);
  const { work } = errand;
  if (work.kind === 'selfplay') return playShardPart(task, work.spec);
  if (work.kind === 'arena') {
    const games: ArenaGame[] = [];
    const end = Math.min(work.spec.games, (part + 1) * work.block);
    for (let index = part * work.block; index < end; index++) {
      games.push(await playArenaGame({ spec: work.spec, index }));
      for (const count of [counters, own]) Atomics.add(count, 0, 1n);
    }
    return packJson(task, games.length, games);
  }
  const read = readStatsOf(work.files[part]);
  for (const count of [counters, own]) Atomics.add(count, 0, BigInt(read.stats.games));
  return packJson(task, read.stats.games, read);
};
