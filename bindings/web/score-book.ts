// What the list of runs says of their games: mean scores by agent. Games are read while nobody waits, shard by shard, and
// shards that were read are not read again.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readKeptArenas } from '../../selfplay/arena/kept-games.js';
import { ARENA_FILE } from '../../selfplay/records/manifest.js';
import { decodeGame } from '../../selfplay/records/record.js';
import { gamesOfShard, shardNumber } from '../../selfplay/records/shard-file.js';
import { shortAgent } from '../cli/shared/arena-report.js';
import { scoresOfArenas } from './arena-tables.js';
import type { ArenaRow, Scores } from './page-data.js';

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

/** The sums of a shard; of one that cannot be read, or is a link, those of no game. */
const sumsOf = (path: string): ShardSums => {
  try {
    if (!lstatSync(path).isFile()) return NOTHING;
    let games = 0;
    const sums: number[] = [];
    for (const { bytes, where } of gamesOfShard(path)) {
      games++;
      decodeGame(bytes, where).scores.sum_of_squares.forEach((score, q) => {
        sums[q] = (sums[q] ?? 0) + score;
      });
    }
    return { games, sums };
  } catch {
    return NOTHING;
  }
};

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
  /** By path: reads the next part of it, and says whether that was the last one. */
  private readonly waiting = new Map<string, () => boolean>();

  /** @param agents by power @param made when its manifest was written @param changed when anything was */
  scoresOf(path: string, agents: readonly string[], made: number, changed: number): Scores | null {
    const found = this.runs.get(path);
    const known: KnownRun =
      found?.made === made ? found : { made, shards: new Map(), changed: Number.NaN, scores: null };
    this.runs.set(path, known);
    if (known.changed !== changed && !this.waiting.has(path)) {
      let left: string[] | undefined;
      this.waiting.set(path, () => {
        left ??= readdirSync(path).filter((name) => shardNumber(name) !== null && !known.shards.has(name));
        const next = left.pop();
        if (next !== undefined) known.shards.set(next, sumsOf(join(path, next)));
        if (left.length > 0) return false;
        known.changed = changed;
        known.scores = meansOf(known.shards.values(), agents);
        return true;
      });
    }
    return known.scores;
  }

  /** @param changed when its file was written */
  arenaOf(path: string, changed: number): ArenaSums {
    const known = this.arenas.get(path);
    if (known?.changed !== changed && !this.waiting.has(path))
      this.waiting.set(path, () => {
        // What is wrong with its file is said on its page.
        this.arenas.set(path, { changed, sums: NO_SUMS });
        const { arenas } = readKeptArenas(join(path, ARENA_FILE));
        const sums = {
          briefs: [...new Set(arenas.flatMap(({ spec }) => spec.agents))].map(shortAgent),
          games: arenas.reduce((sum, { games }) => sum + games.length, 0),
          seed: arenas[0]?.spec.seed ?? null,
          scores: scoresOfArenas(arenas),
        };
        this.arenas.set(path, { changed, sums });
        return true;
      });
    return known?.sums ?? NO_SUMS;
  }

  /** Reads something more. False if nothing is left. */
  advance(): boolean {
    const [next] = this.waiting;
    if (next === undefined) return false;
    const [path, read] = next;
    let isDone = true;
    try {
      isDone = read();
    } catch {
      // It has gone.
    }
    if (isDone) this.waiting.delete(path);
    return true;
  }
}
