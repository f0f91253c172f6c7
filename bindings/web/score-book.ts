// What the list of runs says of their games: mean scores by agent. Games are read while nobody waits, shard by shard, and
// shards that were read are not read again.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readKeptArenas } from '../../selfplay/arena/kept-games.js';
import { ARENA_FILE } from '../../selfplay/records/manifest.js';
import { decodeGame } from '../../selfplay/records/record.js';
import { gamesOfShard, shardNumber } from '../../selfplay/records/shard-file.js';
import { shortAgent } from '../reports/arena-report.js';
import { scoresOfArenas } from './arena-tables.js';
import type { ArenaRow, Scores } from './page-data.js';
import { GAMES_AT_ONCE } from './run-index.js';

/** Sums of a shard, by power. */
interface ShardSums {
  readonly games: number;
  readonly sums: readonly number[];
}

interface KnownRun {
  /** Of its manifest: another one is another run. */
  readonly made: number;
  readonly shards: Map<string, ShardSums>;
  changed: number;
  scores: Scores | null;
}

/** What is read of an arena. */
export type ArenaSums = Pick<ArenaRow, 'briefs' | 'games' | 'seed' | 'scores'>;

export const NO_SUMS: ArenaSums = { briefs: null, games: null, seed: null, scores: null };

const NOTHING: ShardSums = { games: 0, sums: [] };

/** Sums up a shard, some games at a time; one that cannot be read, or is a link, has those of no game. */
function* sumsOf(path: string): Generator<void, ShardSums> {
  try {
    if (!lstatSync(path).isFile()) return NOTHING;
    let games = 0;
    const sums: number[] = [];
    for (const { bytes, where } of gamesOfShard(path)) {
      games++;
      decodeGame(bytes, where).scores.sum_of_squares.forEach((score, q) => {
        sums[q] = (sums[q] ?? 0) + score;
      });
      if (games % GAMES_AT_ONCE === 0) yield;
    }
    return { games, sums };
  } catch {
    return NOTHING;
  }
}

/** Mean scores of a seat by agent. @param agents by power */
const meansOf = (shards: Iterable<ShardSums>, agents: readonly string[]): Scores | null => {
  const sums = new Map<string, number>();
  let games = 0;
  for (const shard of shards) {
    games += shard.games;
    for (const [q, agent] of agents.entries()) sums.set(agent, (sums.get(agent) ?? 0) + (shard.sums[q] ?? 0));
  }
  if (games === 0) return null;
  const seats = (agent: string): number => agents.filter((one) => one === agent).length;
  return Array.from(sums, ([agent, sum]) => [shortAgent(agent), sum / games / seats(agent)]);
};

export class ScoreBook {
  private readonly runs = new Map<string, KnownRun>();
  private readonly arenas = new Map<string, { readonly changed: number; readonly sums: ArenaSums }>();
  /** By path: what reads it, part by part. */
  private readonly waiting = new Map<string, Generator<void, void>>();

  /** @param agents by power @param made when its manifest was written @param changed when anything was */
  scoresOf(path: string, agents: readonly string[], made: number, changed: number): Scores | null {
    const found = this.runs.get(path);
    const known: KnownRun =
      found?.made === made ? found : { made, shards: new Map(), changed: Number.NaN, scores: null };
    this.runs.set(path, known);
    if (known.changed !== changed && !this.waiting.has(path))
      this.waiting.set(path, this.readRun(path, known, agents, changed));
    return known.scores;
  }

  private *readRun(path: string, known: KnownRun, agents: readonly string[], changed: number): Generator<void, void> {
    const left = readdirSync(path).filter((name) => shardNumber(name) !== null && !known.shards.has(name));
    for (const name of left) known.shards.set(name, yield* sumsOf(join(path, name)));
    known.changed = changed;
    known.scores = meansOf(known.shards.values(), agents);
  }

  /** @param changed when its file was written */
  arenaOf(path: string, changed: number): ArenaSums {
    const known = this.arenas.get(path);
    if (known?.changed !== changed && !this.waiting.has(path)) this.waiting.set(path, this.readArenas(path, changed));
    return known?.sums ?? NO_SUMS;
  }

  private *readArenas(path: string, changed: number): Generator<void, void> {
    // What is wrong with its file is said on its page.
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

  /** Reads something more. False if nothing is left. */
  advance(): boolean {
    const [next] = this.waiting;
    if (next === undefined) return false;
    const [path, parts] = next;
    try {
      if (parts.next().done) this.waiting.delete(path);
    } catch {
      // It has gone.
      this.waiting.delete(path);
    }
    return true;
  }
}
