// Reads the shards of recorded runs on worker threads: one task for each shard, results in the order of the shards.
import { statSync } from 'node:fs';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { openSetup, type PackedSetup, packSetup } from '../../../selfplay/crew/setup.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { type GameTable, GameTableWriter, soundTable, strayIn } from '../../../selfplay/records/game-table.js';
import type { Manifest } from '../../../selfplay/records/manifest.js';
import type { GamePlace } from '../../../selfplay/records/record.js';
import { gamesOfShard } from '../../../selfplay/records/shard-file.js';
import { addOrders, addTable, makeStats, type Stats } from '../../../selfplay/records/stats.js';
import { filled } from './played-games.js';
import { findStray, gamesIn, MissingGames, type Source, type Stretches, verified } from './recorded-run.js';

/** Some files of a run, for a thread. */
export interface ShardTask {
  readonly files: readonly string[];
  readonly path: string;
  readonly manifest: Manifest | null;
  readonly setup: PackedSetup;
  /** Name of the rules. */
  readonly rules: string;
}

const taskOf = ({ path, manifest, map, rules }: Source, files: readonly string[]): ShardTask => ({
  ...{ files, path, manifest, setup: packSetup(map, rules.adjudication), rules: rules.name },
});

/** In the thread: the files as records. */
export const sourceOf = ({ files, path, manifest, setup, rules }: ShardTask): Source => ({
  ...{ path, manifest, files, map: openSetup(setup).map, rules: ruleSetByName(rules) },
});

/** What is wrong with a file or one of its games, and whether it is only that games are missing. */
export type Fault = readonly [text: string, missing: boolean];

/** What a thread finds in some files. */
export interface Findings {
  readonly games: number;
  readonly faults: Fault[];
  /** Numbers of games that the files should have and have not. */
  readonly missing: Stretches;
}

const nothing = (): { games: number; faults: Fault[]; missing: Stretches } => ({ games: 0, faults: [], missing: [] });

/**
 * Reads the games of some files.
 * @param use called for each game; what it throws is a fault
 * @param findings takes the number of games, and what is wrong
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

/** Games of some files that were verified. */
export interface VerifiedGames extends Findings {
  readonly phases: number;
}

/** In a thread: adjudicates the games of some files again. */
export const verifyShards = (task: ShardTask): VerifiedGames => {
  let phases = 0;
  const source = sourceOf(task);
  const found = readFiles(source, (game) => {
    phases += game.phases - 1;
    verified(source, game);
  });
  return { ...found, phases };
};

/** Statistics of some files. */
export interface CountedGames extends Findings {
  readonly stats: Stats;
}

/**
 * In a thread: counts the games of some files. If the table of a file vouches for it, its games are not played again, and
 * all but the orders comes from the table.
 */
export const countShards = (task: ShardTask): CountedGames => countGames(sourceOf(task));

/** The table that vouches for a shard of a run and was made by the same rules; null if there is none. */
const vouchedTable = ({ manifest, map, rules }: Source, file: string): GameTable | null => {
  const table = manifest === null ? null : soundTable(file);
  if (manifest === null || table === null || typeof table === 'string') return null;
  return table.isOf(map, rules.adjudication) && strayIn(manifest, table) === null ? table : null;
};

/** The same for records. */
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
/** Bytes of a task, at least one file. */
const TASK = 1 << 22;
/** Tasks that are begun ahead for each thread. */
const AHEAD = 2;

/** What was found in some files of a source, or files that are none of its run. */
export interface FoundFiles<T> {
  readonly source: Source;
  readonly bytes: number;
  readonly found: T;
}

/** A call of an exported function for each task. */
export interface ShardCall<T> {
  /** import.meta.url of the module that exports the function. */
  readonly module: string;
  readonly run: (task: ShardTask) => T;
}

/** Module of verifyShards() and countShards(). */
export const SHARD_TASKS: string = import.meta.url;

/** How records are shared among threads. */
export interface Sharing {
  /** Threads, from 1. */
  readonly workers: number;
  /** Called with what is wrong, in the order of the files, and at the end of a source with what is missing. */
  readonly tell: (text: string, missing: boolean) => void;
}

interface Batch {
  readonly source: Source;
  readonly files: string[];
  bytes: number;
}

/** The files of some records by task. */
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
 * Calls a function for all files of some records, in threads where there are many bytes. What comes, and in which order,
 * does not depend on the number of threads.
 */
export async function* forShards<T extends Findings>(
  sources: readonly Source[],
  { module, run }: ShardCall<T>,
  { workers, tell }: Sharing,
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
    // An error is met when its turn comes, or not at all if an earlier one ends everything.
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
        if (stray !== null) tell(`${file}: ${stray}`, false);
      }
      const found = await begun[i];
      delete begun[i];
      for (const [text, isMissing] of found.faults) tell(text, isMissing);
      missing.add(found.missing);
      yield { source, bytes, found };
      const lack = batches[i + 1]?.source === source ? null : missing.end();
      if (lack !== null) tell(`${source.path}: ${lack}`, true);
    }
  } finally {
    await pool?.close();
  }
}
