// Reads the shards of recorded runs on worker threads: one task for each shard, results in the order of the shards.
import { statSync } from 'node:fs';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { openSetup, type PackedSetup, packSetup } from '../../../selfplay/crew/setup.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { type GameTable, GameTableWriter, soundTable, strayIn } from '../../../selfplay/records/game-table.js';
import type { Manifest } from '../../../selfplay/records/manifest.js';
import type { GamePlace } from '../../../selfplay/records/record.js';
import { gamesOfShard } from '../../../selfplay/records/shard-file.js';
import { addOrders, addTable, makeStats, type Stats } from '../../../selfplay/records/stats.js';
import type { Replay } from '../../../selfplay/records/verify.js';
import { filled } from './played-games.js';
import { gamesIn, MissingGames, type Source, type Stretches, verified } from './recorded-run.js';

/** A shard, for a thread. */
export interface ShardTask {
  readonly file: string;
  readonly path: string;
  readonly manifest: Manifest | null;
  readonly setup: PackedSetup;
  /** Name of the rules. */
  readonly rules: string;
}

const taskOf = ({ path, manifest, map, rules }: Source, file: string): ShardTask => ({
  ...{ file, path, manifest, setup: packSetup(map, rules.adjudication), rules: rules.name },
});

/** In the thread: the shard as records of their own. */
export const sourceOf = ({ file, path, manifest, setup, rules }: ShardTask): Source => ({
  ...{ path, manifest, files: [file], map: openSetup(setup).map, rules: ruleSetByName(rules) },
});

/** What is wrong with a file or one of its games, and whether it is only that games are missing. */
export type Fault = readonly [text: string, missing: boolean];

/** What a thread returns of a shard. */
export interface ShardFindings {
  readonly faults: readonly Fault[];
  /** Numbers of games that the file should have and has not. */
  readonly missing: Stretches;
}

/** Plays the games of a shard again, and calls `use` for each game that follows from its orders. */
const playShard = (source: Source, use: (game: GameCursor, replay: Replay) => void): ShardFindings => {
  const faults: Fault[] = [];
  const missing: Stretches = [];
  for (const { where, game, error } of gamesIn(source, source.files[0], missing))
    try {
      if (game === null) faults.push([`${where}: ${error}`, false]);
      else use(game, verified(source, game));
    } catch (problem) {
      faults.push([(problem as Error).message, false]);
    }
  return { faults, missing };
};

/** The games of a shard that were verified. */
export interface VerifiedShard extends ShardFindings {
  readonly games: number;
  readonly phases: number;
}

/** In a thread: adjudicates the games of a shard again. */
export const verifyShard = (task: ShardTask): VerifiedShard => {
  let games = 0;
  let phases = 0;
  const faults: Fault[] = [];
  const missing: Stretches = [];
  const source = sourceOf(task);
  for (const { where, game, error } of gamesIn(source, task.file, missing)) {
    if (game === null) {
      faults.push([`${where}: ${error}`, false]);
      continue;
    }
    games++;
    phases += game.phases - 1;
    try {
      verified(source, game);
    } catch (problem) {
      faults.push([(problem as Error).message, false]);
    }
  }
  return { games, phases, faults, missing };
};

/** Statistics of a shard. */
export interface CountedShard extends ShardFindings {
  readonly stats: Stats;
}

/**
 * In a thread: counts the games of a shard. If its table vouches for it, games are not played again, and all but the orders
 * comes from the table.
 */
export const countShard = (task: ShardTask): CountedShard => countGames(sourceOf(task));

/** The table that vouches for a shard of a run and was made by the same rules; null if there is none. */
const vouchedTable = ({ manifest, map, rules }: Source, file: string): GameTable | null => {
  const table = manifest === null ? null : soundTable(file);
  if (manifest === null || table === null || typeof table === 'string') return null;
  return table.isOf(map, rules.adjudication) && strayIn(manifest, table) === null ? table : null;
};

/** The same for records of one file. */
export const countGames = (source: Source): CountedShard => {
  const { map, rules, files } = source;
  const stats = makeStats(map.powerCount);
  const table = vouchedTable(source, files[0]);
  if (table !== null) {
    const cursor = new GameCursor();
    for (const { bytes, where } of gamesOfShard(files[0])) addOrders(stats, cursor.open(bytes, where));
    addTable(stats, table);
    return { stats, faults: [], missing: [] };
  }
  const made = new GameTableWriter(map, rules.adjudication);
  const found = playShard(source, (game, replay) => {
    addOrders(stats, game);
    made.add(game, replay);
  });
  addTable(stats, made.table());
  return { stats, ...found };
};

/** A table of the games of a file that can be shown. */
export interface ShownGames {
  readonly table: GameTable;
  /** Where each game of the table lies in the file. */
  readonly places: readonly GamePlace[];
  /** What is wrong with the file and its other games. */
  readonly faults: readonly string[];
}

/** Games that are played before others get their turn. */
const GAMES_AT_ONCE = 4;

/**
 * Reads the table of a shard. Where no table vouches for the shard, makes it by playing the games, some at a time.
 * Outside a run games may go on from positions that their orders do not lead to.
 */
export function* shownGames(source: Source, file: string): Generator<undefined, ShownGames> {
  const known = vouchedTable(source, file);
  if (known !== null) return { table: known, places: known.places(), faults: [] };
  const made = new GameTableWriter(source.map, source.rules.adjudication);
  const places: GamePlace[] = [];
  const faults: string[] = [];
  let games = 0;
  for (const { where, game, error, bytes } of gamesIn(source, file, [])) {
    try {
      if (game === null) faults.push(`${where}: ${error}`);
      else {
        made.add(game, filled(source, game));
        places.push({ offset: bytes - game.length, length: game.length });
      }
    } catch (problem) {
      faults.push((problem as Error).message);
    }
    if (++games % GAMES_AT_ONCE === 0) yield;
  }
  return { table: made.table(), places, faults };
}

/** Bytes of records from which on threads are worth their start. */
const WORTH_IT = 1 << 25;
/** Shards that are read ahead for each thread. */
const AHEAD = 2;

type ShardFunction<T> = (task: ShardTask) => T;

/** What was found in a file of some records. */
export interface FoundShard<T> {
  readonly source: Source;
  readonly file: string;
  /** Bytes of the file. */
  readonly bytes: number;
  readonly found: T;
}

/** A call of a function of some module for each shard. */
export interface ShardCall<T> {
  /** import.meta.url of the module that exports the function. */
  readonly module: string;
  readonly run: ShardFunction<T>;
}

const callShard = <T>(pool: Pool, { module, run }: ShardCall<T>, task: ShardTask): Promise<T> => {
  const found = pool.call<T>({ module, name: run.name, data: task }, { label: task.file });
  // An error is met when its turn comes, or not at all if an earlier one ends everything.
  found.catch(() => {});
  return found;
};

/** Module of verifyShard() and countShard(). */
export const SHARD_TASKS: string = import.meta.url;

/** How records are shared among threads. */
export interface Sharing {
  /** Threads, from 1. */
  readonly workers: number;
  /** Called for a file that cannot be counted among its run, and for games that are missing. */
  readonly tell: (text: string, missing: boolean) => void;
}

/**
 * Calls a function for each shard of some records, in threads where there are many bytes. What comes does not depend on
 * the number of threads.
 */
export async function* forShards<T extends ShardFindings>(
  sources: readonly Source[],
  call: ShardCall<T>,
  { workers, tell }: Sharing,
): AsyncGenerator<FoundShard<T>> {
  const shards = sources.flatMap((source) =>
    source.files.map((file) => ({ source, file, bytes: statSync(file).size })),
  );
  const bytes = shards.reduce((sum, shard) => sum + shard.bytes, 0);
  const pool = bytes < WORTH_IT ? null : makePool({ workers: Math.max(1, Math.min(workers, shards.length)) });
  const ahead = pool === null ? 0 : AHEAD * pool.workers;
  const begun: (Promise<T> | undefined)[] = [];
  let missing: MissingGames | null = null;
  const end = (source: Source | undefined): void => {
    const lack = missing?.end() ?? null;
    if (lack !== null && source !== undefined) tell(`${source.path}: ${lack}`, true);
  };
  try {
    for (const [i, { source, file, bytes }] of shards.entries()) {
      if (shards[i - 1]?.source !== source) {
        end(shards[i - 1]?.source);
        missing = new MissingGames(source);
      }
      for (let k = begun.length; k < shards.length && k <= i + ahead; k++) {
        const task = taskOf(shards[k].source, shards[k].file);
        begun.push(pool === null ? undefined : callShard(pool, call, task));
      }
      const stray = missing?.before(file) ?? null;
      if (stray !== null) tell(`${file}: ${stray}`, false);
      else {
        const found = (await begun[i]) ?? call.run(taskOf(source, file));
        for (const [text, isMissing] of found.faults) tell(text, isMissing);
        missing?.add(found.missing);
        yield { source, file, bytes, found };
      }
      delete begun[i];
    }
    end(shards.at(-1)?.source);
  } finally {
    await pool?.close();
  }
}
