// Knows of every game of a run who won, how long it was, what each power had at the end, and where it lies: some twenty
// bytes a game, so that runs of hundreds of thousands of games can be listed, filtered and plotted. It is made shard by
// shard, and takes up shards as they appear.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { COMPLETED, DRAW, Game, isMovementName, type ScoreName, scoreInto, scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { loadState } from '../../selfplay/games/game-record.js';
import { decodeGame, type StoredGame } from '../../selfplay/records/record.js';
import { GAMES_PER_SHARD } from '../../selfplay/records/run-spec.js';
import { type GamePlace, gamesOfShard, readPlace, shardNumber } from '../../selfplay/records/shard-file.js';
import { errorOf, type Moments, meanOf } from '../../selfplay/records/stats.js';
import type { Source } from '../formats/games/recorded-run.js';
import type { GameFilter, GameRow, GamesFound, Mean } from './page-data.js';

/** Winner of a draw, and of a game that was cut short. */
const NO_POWER = -1;

/** What is known of the games of a shard; lists are by their place in it, `centers` by place and power. */
interface IndexedShard {
  readonly path: string;
  /** Its size and time, which tell a shard that was written anew. */
  readonly stamp: string;
  readonly count: number;
  readonly numbers: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly winners: Int8Array;
  readonly drawn: Uint8Array;
  readonly years: Uint16Array;
  readonly phases: Uint16Array;
  readonly centers: Uint8Array;
}

/** Games on a page of the list. */
export const PAGE_ROWS = 50;

const yearOf = (phase: string): number => Number(phase.slice(1, -1));

const moments = (): Moments => ({ count: 0, sum: 0, squares: 0 });
const addTo = (to: Moments, value: number): void => {
  to.count++;
  to.sum += value;
  to.squares += value * value;
};
const shown = (of: Moments): Mean => [of.count === 0 ? 0 : meanOf(of), of.count < 2 ? null : errorOf(of)];

/** A plain file, and no link to one. */
const stampOf = (path: string): string | null => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? `${found.size} ${found.mtimeMs}` : null;
};

export class RunIndex {
  /** What is wrong with some of its shards, in words. */
  readonly faults: Map<number, string> = new Map();
  private readonly shards: Map<number, IndexedShard> = new Map();
  private readonly game = new Game(this.source.map, this.source.rules.adjudication);
  /** Shards that are there and not indexed yet. */
  private waiting: { readonly shard: number; readonly path: string; readonly stamp: string }[] = [];
  /** Changes with what is known. */
  version = 0;

  constructor(readonly source: Source) {}

  /** Looks which shards are there. */
  refresh(): void {
    const { path } = this.source;
    this.waiting = [];
    for (const name of readdirSync(path)) {
      const shard = shardNumber(name);
      if (shard === null) continue;
      const file = join(path, name);
      const stamp = stampOf(file);
      if (stamp !== null && this.shards.get(shard)?.stamp !== stamp) this.waiting.push({ shard, path: file, stamp });
    }
    this.waiting.sort((a, b) => b.shard - a.shard);
  }

  /** Reads the shard of a game before the others, if it is still to be read. */
  prefer(number: number): void {
    const shard = Math.floor(number / (this.source.manifest?.shardGames ?? GAMES_PER_SHARD));
    const at = this.waiting.findIndex((one) => one.shard === shard);
    if (at >= 0) this.waiting.push(...this.waiting.splice(at, 1));
  }

  /** Reads the next shard. False if none is left. */
  advance(): boolean {
    const next = this.waiting.pop();
    if (next === undefined) return false;
    this.version++;
    const { shard, path, stamp } = next;
    this.faults.delete(shard);
    const games: [StoredGame, GamePlace][] = [];
    try {
      for (const { bytes, where, end } of gamesOfShard(path))
        games.push([decodeGame(bytes, where), { offset: end - bytes.length, length: bytes.length }]);
    } catch (error) {
      this.faults.set(shard, (error as Error).message.replaceAll(`${this.source.path}/`, ''));
    }
    this.shards.set(shard, this.indexOf(path, stamp, shard, games));
    return true;
  }

  /** Shards that are still to be read. */
  get left(): number {
    return this.waiting.length;
  }

  /** Games that are indexed. */
  get games(): number {
    let sum = 0;
    for (const { count } of this.shards.values()) sum += count;
    return sum;
  }

  private indexOf(path: string, stamp: string, shard: number, games: [StoredGame, GamePlace][]): IndexedShard {
    const { powerCount } = this.source.map;
    const size = games.length;
    const made = {
      path,
      stamp,
      count: size,
      numbers: new Float64Array(size),
      offsets: new Float64Array(size),
      lengths: new Uint32Array(size),
      winners: new Int8Array(size),
      drawn: new Uint8Array(size),
      years: new Uint16Array(size),
      phases: new Uint16Array(size),
      centers: new Uint8Array(size * powerCount),
    };
    const counts = new Int32Array(powerCount);
    let count = 0;
    for (const [{ index, phases }, { offset, length }] of games) {
      try {
        loadState(this.game, phases[phases.length - 1].state ?? new Uint8Array(0));
      } catch (error) {
        this.faults.set(shard, `game ${index}: ${(error as Error).message}`);
        continue;
      }
      this.game.countCenters(counts);
      made.numbers[count] = index;
      made.offsets[count] = offset;
      made.lengths[count] = length;
      made.winners[count] = this.game.winner >= 0 && this.game.winner < powerCount ? this.game.winner : NO_POWER;
      made.drawn[count] = this.game.status === DRAW ? 1 : 0;
      const last = phases.findLast(({ phase }) => phase !== COMPLETED)?.phase ?? phases[0].phase;
      made.years[count] = yearOf(last) - yearOf(phases[0].phase) + 1;
      made.phases[count] = phases.filter(({ phase }) => isMovementName(phase)).length;
      made.centers.set(counts, count * powerCount);
      count++;
    }
    return { ...made, count };
  }

  private inOrder(): IndexedShard[] {
    return [...this.shards].sort(([a], [b]) => a - b).map(([, shard]) => shard);
  }

  /** Whether a game passes, as a function made once for all games. */
  private testOf({ winner, agent, years, centers }: GameFilter): (shard: IndexedShard, i: number) => boolean {
    const { powerCount } = this.source.map;
    const agents = this.agents();
    const isWinner = (q: number, drawn: number): boolean => {
      if (winner === 'draw') return q < 0 && drawn !== 0;
      if (winner === 'solo') return q >= 0;
      return winner === undefined || q === winner;
    };
    return (shard, i) => {
      const q = shard.winners[i];
      if (!isWinner(q, shard.drawn[i])) return false;
      if (agent !== undefined && (q < 0 || agents[q] !== agent)) return false;
      if (years !== undefined && (shard.years[i] < years[0] || shard.years[i] > years[1])) return false;
      if (centers === undefined) return true;
      const count = shard.centers[i * powerCount + centers[0]];
      return count >= centers[1] && count <= centers[2];
    };
  }

  private agents(): readonly string[] {
    return this.source.manifest?.agents ?? [];
  }

  /**
   * Counts the games that pass a filter, and lists a page of them.
   * @param from the first of the page, counted from 0 among those that pass
   */
  find(filter: GameFilter, scoring: ScoreName, from: number, rows: number): GamesFound {
    const { map } = this.source;
    const { powerCount, powerNames } = map;
    const passes = this.testOf(filter);
    const system = scoreNames.indexOf(scoring);
    const scores = new Float64Array(powerCount);
    const tally = powerNames.map(() => ({ solos: 0, survived: 0, centers: moments(), score: moments() }));
    const distribution = powerNames.map(() => new Array<number>(map.centerCount + 1).fill(0));
    const lengths = new Map<number, number>();
    const page: GameRow[] = [];
    let games = 0;
    let draws = 0;
    for (const shard of this.inOrder())
      for (let i = 0; i < shard.count; i++) {
        if (!passes(shard, i)) continue;
        const winner = shard.winners[i];
        const first = i * powerCount;
        if (games >= from && page.length < rows)
          page.push({
            game: shard.numbers[i],
            winner: winner < 0 ? null : powerNames[winner],
            years: shard.years[i],
            phases: shard.phases[i],
            centers: [...shard.centers.subarray(first, first + powerCount)],
          });
        games++;
        draws += shard.drawn[i];
        lengths.set(shard.years[i], (lengths.get(shard.years[i]) ?? 0) + 1);
        scoreInto(system, shard.centers, first, powerCount, winner, scores);
        for (let q = 0; q < powerCount; q++) {
          const owned = shard.centers[first + q];
          const of = tally[q];
          if (q === winner) of.solos++;
          if (owned > 0) of.survived++;
          addTo(of.centers, owned);
          addTo(of.score, scores[q]);
          distribution[q][owned]++;
        }
      }
    return {
      games,
      draws,
      lengths: [...lengths].sort(([a], [b]) => a - b),
      rows: page,
      powers: tally.map(({ solos, survived, centers, score }, q) => ({
        power: powerNames[q],
        agent: this.agents()[q] ?? '',
        solos,
        survived,
        centers: shown(centers),
        score: shown(score),
        distribution: distribution[q],
      })),
    };
  }

  private placeOf(number: number): [IndexedShard, number] | null {
    for (const shard of this.shards.values()) {
      const i = shard.numbers.subarray(0, shard.count).indexOf(number);
      if (i >= 0) return [shard, i];
    }
    return null;
  }

  /** True if a game is indexed. */
  has(number: number): boolean {
    return this.placeOf(number) !== null;
  }

  /** A game as it is stored; null if it is not indexed. @throws LepantoError if its file has changed */
  read(number: number): StoredGame | null {
    const found = this.placeOf(number);
    if (found === null) return null;
    const [{ path, stamp, offsets, lengths }, i] = found;
    if (stampOf(path) !== stamp)
      throw new LepantoError('file', `game ${number}: its file has changed; reload the page of the run`);
    return decodeGame(readPlace(path, { offset: offsets[i], length: lengths[i] }), `game ${number}`);
  }
}
