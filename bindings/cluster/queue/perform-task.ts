// Plays a task of a job in a thread of a pool.

import { crc32 } from 'node:zlib';
import { addMap, loadMap } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { runRulesByName } from '../../../engine/rules/run-rules.js';
import { playArenaGames } from '../../../selfplay/arena/arena-game.js';
import { GameTable } from '../../../selfplay/records/game-table.js';
import type { SizedSpec } from '../../../selfplay/records/run-spec.js';
import { playShard, runShard, type ShardTask } from '../../../selfplay/records/shard.js';
import { fileOfTask } from './folder-store.js';
import { readStatsOf } from './gather-stats.js';
import type { Job } from './job.js';
import { MAX_TABLE, type PayloadHead, packPayload } from './payload.js';
import type { SentGame } from './play-arena.js';

export interface ThreadTask {
  readonly job: Job;
  readonly task: number;
  /** Folder for the file of the result; null to return its bytes. */
  readonly folder: string | null;
  readonly machine: string;
  readonly counters: BigInt64Array;
  readonly own: BigInt64Array;
}

export interface PlayedTask {
  readonly head: PayloadHead;
  /** Packed payload; null if the result is a file in the folder. */
  readonly packed: Uint8Array | null;
}

/**
 * Checks the map and rules of a job.
 * @throws LepantoError if this machine has a different map, or different rules, under the same name
 */
const checkJob = ({ map, rules }: Job): void => {
  if (map.rows !== undefined) addMap(map.rows);
  const check = (name: string, got: number, wanted: number): void => {
    if (got !== wanted)
      throw new LepantoError('queue', `${name}: got id ${got}, wanted ${wanted}, that of this machine`);
  };
  check(`map ${map.name}`, map.id, loadMap(map.name).id);
  check(`rules ${rules.name}`, rules.id, runRulesByName(rules.name).adjudication.id);
};

const headOf = ({ job, task, machine }: ThreadTask, table: GameTable): PayloadHead => ({
  ...{ run: job.id, task, games: table.games, crc: table.crc, size: table.size, machine },
  ...(table.bytes.length <= MAX_TABLE && { table: Buffer.from(table.bytes).toString('base64') }),
});

const playShardTask = async (given: ThreadTask, spec: SizedSpec): Promise<PlayedTask> => {
  const { task, folder, counters, own } = given;
  const shard: ShardTask = { spec, shard: task, path: folder === null ? '' : fileOfTask(folder, task), counters, own };
  if (folder === null) {
    const { bytes, table } = await playShard(shard);
    const head = headOf(given, table);
    return { head, packed: packPayload(head, bytes) };
  }
  const { table } = await runShard(shard);
  if (table === null)
    throw new LepantoError('queue', `${shard.path}: got a table of another run next to it, wanted none`);
  return { head: headOf(given, new GameTable(table)), packed: null };
};

const packJson = (given: ThreadTask, games: number, value: unknown): PlayedTask => {
  const bytes = Buffer.from(JSON.stringify(value));
  const { job, task, machine } = given;
  const head = { run: job.id, task, games, crc: crc32(bytes), size: bytes.length, machine };
  return { head, packed: packPayload(head, bytes) };
};

/**
 * Plays a task of a job, and returns its result as a payload, or writes it to a file in the folder. Called in a thread.
 * @throws LepantoError if the job is for another map or other rules, an agent fails, or the file cannot be written
 */
export const performTask = async (given: ThreadTask): Promise<PlayedTask> => {
  const { job, task, counters, own } = given;
  checkJob(job);
  const { work } = job;
  if (work.kind === 'selfplay') return playShardTask(given, work.spec);
  if (work.kind === 'arena') {
    const games: SentGame[] = [];
    const { spec, whole = false } = work;
    const end = Math.min(spec.games, (task + 1) * work.block);
    const numbers = Array.from({ length: end - task * work.block }, (_, i) => task * work.block + i);
    for (const { game, record } of await playArenaGames({ spec, games: numbers, whole })) {
      games.push(record === null ? game : { ...game, record: Buffer.from(record).toString('base64') });
      for (const count of [counters, own]) Atomics.add(count, 0, 1n);
    }
    return packJson(given, games.length, games);
  }
  const read = readStatsOf(work.files[task]);
  for (const count of [counters, own]) Atomics.add(count, 0, BigInt(read.stats.games));
  return packJson(given, read.stats.games, read);
};
