// Reads the shards of runs in worker threads. A task is one or more shards; results come in the order of the shards.
import { statSync } from 'node:fs';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { openMapAndRules, type PackedMapAndRules, packMapAndRules } from '../../../selfplay/crew/map-and-rules.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { type GameTable, GameTableWriter, soundTable, strayIn } from '../../../selfplay/records/game-table.js';
import type { Manifest } from '../../../selfplay/records/manifest.js';
import type { GamePlace } from '../../../selfplay/records/record.js';
import { gamesOfShard } from '../../../selfplay/records/shard-file.js';
import { addOrders, addTable, makeStats, type Stats } from '../../../selfplay/records/stats.js';
import { filled } from './played-games.js';
import { findStray, gamesIn, MissingGames, type Source, type Stretches, verified } from './recorded-run.js';

/** Some shards of a run, in the form that is sent to a worker. */
export interface ShardTask {
  readonly files: readonly string[];
  readonly path: string;
  readonly manifest: Manifest | null;
  readonly mapAndRules: PackedMapAndRules;
  /** Name of the rules of the run, for ruleSetByName(). */
  readonly rules: string;
}

const taskOf = ({ path, manifest, map, rules }: Source, files: readonly string[]): ShardTask => ({
  ...{ files, path, manifest, mapAndRules: packMapAndRules(map, rules.adjudication), rules: rules.name },
});

/** Returns the source of a task's shards, with their map and rules. Called in a worker. */
export const sourceOf = ({ files, path, manifest, mapAndRules, rules }: ShardTask): Source => ({
  ...{ path, manifest, files, map: openMapAndRules(mapAndRules).map, rules: ruleSetByName(rules) },
});

/** Problem with a shard or a game. text: its description; missing: true if it is only that games are missing. */
export type Fault = readonly [text: string, missing: boolean];

/** Result of reading some shards: number of games, problems, and missing games. */
export interface Findings {
  readonly games: number;
  readonly faults: Fault[];
  /** Ranges of the numbers of missing games. */
  readonly missing: Stretches;
}

const nothing = (): { games: number; faults: Fault[]; missing: Stretches } => ({ games: 0, faults: [], missing: [] });

/**
 * Reads the games of some shards.
 * @param use called with each game; errors that it throws are added to the faults
 * @param findings receives the number of games, the faults and the missing games
 * @returns `findings`
 */
export const readFiles = (source: Source, use: (game: GameCursor) => void, findings = nothing()): Findings => {
  for (const file of source.files)
    for (const { where, game, error } of gamesIn(source, file, findings.missing))
      try {
        if (game === null) findings.faults.push([`${where}: ${error}`, false]);
        else {
          findings.games++;
          use(game);
        }
      } catch (problem) {
        findings.faults.push([(problem as Error).message, false]);
      }
  return findings;
};

/** Result of replaying the games of some shards. phases: number of phases that were played. */
export interface VerifiedGames extends Findings {
  readonly phases: number;
}

/** Replays the games of some shards and compares them. Differences become faults. Called in a worker. */
export const verifyShards = (task: ShardTask): VerifiedGames => {
  let phases = 0;
  const source = sourceOf(task);
  const found = readFiles(source, (game) => {
    phases += game.phases - 1;
    verified(source, game);
  });
  return { ...found, phases };
};

/** Result of reading some shards, with statistics of their games. */
export interface CountedGames extends Findings {
  readonly stats: Stats;
}

/**
 * Counts statistics of some shards. Called in a worker. If a shard has a valid table, its games are not replayed, and
 * everything except the orders comes from the table.
 */
export const countShards = (task: ShardTask): CountedGames => countGames(sourceOf(task));

/**
 * Returns the table of a shard if it is valid and was made under the same rules. Null otherwise, and for a shard
 * without a run.
 */
const vouchedTable = ({ manifest, map, rules }: Source, file: string): GameTable | null => {
  const table = manifest === null ? null : soundTable(file);
  if (manifest === null || table === null || typeof table === 'string') return null;
  return table.isOf(map, rules.adjudication) && strayIn(manifest, table) === null ? table : null;
};

/** Returns statistics of the games in some shards, as countShards() does, in this thread. */
export const countGames = (source: Source): CountedGames => {
  const { map, rules } = source;
  const stats = makeStats(map.powerCount);
  const findings = nothing();
  const cursor = new GameCursor();
  for (const file of source.files) {
    const table = vouchedTable(source, file);
    if (table !== null) {
      for (const { bytes, where } of gamesOfShard(file)) addOrders(stats, cursor.open(bytes, where));
      addTable(stats, table);
      continue;
    }
    const made = new GameTableWriter(map, rules.adjudication);
    const count = (game: GameCursor): void => {
      made.add(game, verified(source, game));
      addOrders(stats, game);
    };
    readFiles({ ...source, files: [file] }, count, findings);
    addTable(stats, made.table());
  }
  return { stats, ...findings, games: stats.games };
};

/** Table of the readable games in a shard. */
export interface ShownGames {
  readonly table: GameTable;
  /** Place of each game of the table in the shard. */
  readonly places: readonly GamePlace[];
  /** Problems with the shard and with games that are not in the table. */
  readonly faults: readonly string[];
}

/** Number of games that shownGames() replays before it yields. */
const GAMES_AT_ONCE = 4;

/**
 * Reads the table of a shard. Without a valid table it makes one by replaying the games, and yields between groups of
 * games. Outside a run, positions need not follow from the orders.
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

/** Total size of shards in bytes from which worker threads save time. */
const WORTH_IT = 1 << 25;
/** Size of the shards of a task in bytes. A task has at least one shard. */
const TASK = 1 << 22;
/** Number of tasks per thread that are started before their results are needed. */
const AHEAD = 2;

/** Result for some shards of a source. */
export interface FoundFiles<T> {
  readonly source: Source;
  readonly bytes: number;
  readonly found: T;
}

/** Function to call for each task. Its module must export it, because workers import it. */
export interface ShardCall<T> {
  /** import.meta.url of the module that exports the function. */
  readonly module: string;
  readonly run: (task: ShardTask) => T;
}

/** URL of this module, which exports verifyShards() and countShards(). */
export const SHARD_TASKS: string = import.meta.url;

/** How to distribute shards over threads, and where to report problems. */
export interface Sharing {
  /** Number of threads, from 1. */
  readonly workers: number;
  /** Called with each problem in the order of the shards, and after each source with its missing games. */
  readonly reportFault: (text: string, missing: boolean) => void;
}

/** Shards of one task. bytes: their total size. */
interface Batch {
  readonly source: Source;
  readonly files: string[];
  bytes: number;
}

/**
 * Groups the shards of each source, in their order, into tasks of at most TASK bytes. A larger shard is a task of its
 * own.
 */
const batchesOf = (sources: readonly Source[]): Batch[] => {
  const batches: Batch[] = [];
  for (const source of sources)
    for (const file of source.files) {
      const { size } = statSync(file);
      const last = batches.at(-1);
      if (last?.source === source && last.bytes + size <= TASK) {
        last.files.push(file);
        last.bytes += size;
      } else batches.push({ source, files: [file], bytes: size });
    }
  return batches;
};

/**
 * Calls a function for all shards of some sources, and yields the results in the order of the shards. Uses threads if
 * there are enough bytes. The result is the same for any number of threads.
 */
export async function* forShards<T extends Findings>(
  sources: readonly Source[],
  { module, run }: ShardCall<T>,
  { workers, reportFault }: Sharing,
): AsyncGenerator<FoundFiles<T>> {
  const batches = batchesOf(sources);
  const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0);
  const pool = bytes < WORTH_IT ? null : makePool({ workers: Math.max(1, Math.min(workers, batches.length)) });
  const ahead = pool === null ? 0 : AHEAD * pool.workers;
  const begun: Promise<T>[] = [];
  const begin = ({ source, files }: Batch): Promise<T> => {
    const data = taskOf(
      source,
      files.filter((file) => findStray(source.manifest, file) === null),
    );
    if (pool === null) return Promise.resolve(run(data));
    const found = pool.call<T>({ module, name: run.name, data }, { label: files[0] });
    // Prevents an unhandled rejection. The error is thrown below, in the order of the shards.
    found.catch(() => {});
    return found;
  };
  let missing = new MissingGames(sources[0]);
  try {
    for (const [i, { source, files, bytes }] of batches.entries()) {
      if (i > 0 && batches[i - 1].source !== source) missing = new MissingGames(source);
      while (begun.length < batches.length && begun.length <= i + ahead) begun.push(begin(batches[begun.length]));
      for (const file of files) {
        const stray = missing.before(file);
        if (stray !== null) reportFault(`${file}: ${stray}`, false);
      }
      const found = await begun[i];
      delete begun[i];
      for (const [text, isMissing] of found.faults) reportFault(text, isMissing);
      missing.add(found.missing);
      yield { source, bytes, found };
      const lack = batches[i + 1]?.source === source ? null : missing.end();
      if (lack !== null) reportFault(`${source.path}: ${lack}`, true);
    }
  } finally {
    await pool?.close();
  }
}
