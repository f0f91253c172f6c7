// Computes the mean scores of agents for the list of runs. Reads games in the background, shard by shard, and each
// shard only once.

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { scoreInto, scoreNames } from '../../engine/internal.js';
import { readKeptArenas } from '../../selfplay/arena/kept-games.js';
import { ARENA_FILE, agentsOf, shardNumber } from '../../selfplay/records/manifest.js';
import type { Source } from '../formats/games/recorded-run.js';
import { shownGames } from '../formats/games/shard-tasks.js';
import { shortAgent } from '../reports/arena-report.js';
import { scoresOfArenas } from './arena-tables.js';
import type { ArenaRow, Scores } from './page-data.js';

/** Sum of scores and number of seats of each agent in a shard, keyed by agent, in order of appearance. */
type ShardSums = ReadonlyMap<string, readonly [score: number, seats: number]>;

interface KnownRun {
  /** Modification time of the run's manifest. A different time means a different run. */
  readonly made: number;
  readonly shards: Map<string, ShardSums>;
  changed: number;
  scores: Scores | null;
}

/** Facts about the arenas of a directory, for its row in the list. Null until they were read. */
export type ArenaSums = Pick<ArenaRow, 'briefs' | 'games' | 'seed' | 'scores'>;

export const NO_SUMS: ArenaSums = { briefs: null, games: null, seed: null, scores: null };

const SUM_OF_SQUARES = scoreNames.indexOf('sum_of_squares');
const NOTHING: ShardSums = new Map();

/**
 * Computes the sums of a shard in parts: yields between parts, and returns the sums at the end. Empty if the file is a
 * link or cannot be read.
 */
function* sumsOf(source: Source, path: string): Generator<undefined, ShardSums> {
  try {
    if (source.manifest === null || !lstatSync(path).isFile()) return NOTHING;
    const { table } = yield* shownGames(source, path);
    const sums = new Map<string, readonly [number, number]>();
    const scores = new Float64Array(table.powers);
    for (let game = 0; game < table.games; game++) {
      scoreInto(SUM_OF_SQUARES, table.lastCenters(game), 0, table.powers, table.columns.winners[game], scores);
      for (const [q, agent] of agentsOf(source.manifest, { agents: table.seatsOf(game) }).entries()) {
        const [score, seats] = sums.get(agent) ?? [0, 0];
        sums.set(agent, [score + scores[q], seats + 1]);
      }
    }
    return sums;
  } catch {
    return NOTHING;
  }
}

/** Returns the mean score per seat of each agent over some shards; null without games. */
const meansOf = (shards: Iterable<ShardSums>): Scores | null => {
  const sums = new Map<string, [score: number, seats: number]>();
  for (const shard of shards)
    for (const [agent, [score, seats]] of shard) {
      const [before, had] = sums.get(agent) ?? [0, 0];
      sums.set(agent, [before + score, had + seats]);
    }
  return sums.size === 0 ? null : Array.from(sums, ([agent, [score, seats]]) => [shortAgent(agent), score / seats]);
};

export class ScoreBook {
  private readonly runs = new Map<string, KnownRun>();
  private readonly arenas = new Map<string, { readonly changed: number; readonly sums: ArenaSums }>();
  /** Generators that read runs and arenas in parts, keyed by path of the directory. */
  private readonly waiting = new Map<string, Generator<undefined, void>>();

  /**
   * Returns the mean scores of a run's agents as far as games were read, null before; has advance() read the others.
   * @param path directory of the run
   * @param open opens the run
   * @param made modification time of its manifest
   * @param changed latest modification time in its directory
   */
  scoresOf(path: string, open: () => Source, made: number, changed: number): Scores | null {
    const found = this.runs.get(path);
    const known: KnownRun =
      found?.made === made ? found : { made, shards: new Map(), changed: Number.NaN, scores: null };
    this.runs.set(path, known);
    if (known.changed !== changed && !this.waiting.has(path))
      this.waiting.set(path, this.readRun(path, open, known, changed));
    return known.scores;
  }

  private *readRun(path: string, open: () => Source, known: KnownRun, changed: number): Generator<undefined, void> {
    known.changed = changed;
    const source = open();
    const left = readdirSync(path).filter((name) => shardNumber(name) !== null && !known.shards.has(name));
    for (const name of left) known.shards.set(name, yield* sumsOf(source, join(path, name)));
    known.scores = meansOf(known.shards.values());
  }

  /**
   * Returns facts about the arenas of a directory, or NO_SUMS until they were read. If their file is new or changed,
   * advance() reads it later.
   * @param path the directory
   * @param changed modification time of the file
   */
  arenaOf(path: string, changed: number): ArenaSums {
    const known = this.arenas.get(path);
    if (known?.changed !== changed && !this.waiting.has(path)) this.waiting.set(path, this.readArenas(path, changed));
    return known?.sums ?? NO_SUMS;
  }

  private *readArenas(path: string, changed: number): Generator<undefined, void> {
    // Errors of the file are shown on its page.
    this.arenas.set(path, { changed, sums: NO_SUMS });
    const { arenas } = readKeptArenas(join(path, ARENA_FILE));
    yield;
    const sums = {
      briefs: [...new Set(arenas.flatMap(({ spec }) => spec.agents))].map(shortAgent),
      games: arenas.reduce((sum, { games }) => sum + games.length, 0),
      seed: arenas[0]?.spec.seed ?? null,
      scores: scoresOfArenas(arenas),
    };
    this.arenas.set(path, { changed, sums });
  }

  /** Reads another part of the runs and arenas that wait. Returns false if none was left. */
  advance(): boolean {
    const [next] = this.waiting;
    if (next === undefined) return false;
    const [path, parts] = next;
    try {
      if (parts.next().done) this.waiting.delete(path);
    } catch {
      // The file was removed or is damaged.
      this.waiting.delete(path);
    }
    return true;
  }
}
