// Keeps tables of a run's games in memory, so that runs of hundreds of thousands of games can be listed, filtered and
// plotted. Reads them shard by shard, including new shards of a growing run.

import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ScoreName, scoreInto, scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { GameRecord } from '../../selfplay/games/game-record.js';
import { GameCursor } from '../../selfplay/records/game-cursor.js';
import type { GameTable } from '../../selfplay/records/game-table.js';
import { agentsOf, shardNumber } from '../../selfplay/records/manifest.js';
import type { GamePlace } from '../../selfplay/records/record.js';
import { GAMES_PER_SHARD } from '../../selfplay/records/run-spec.js';
import { readPlace } from '../../selfplay/records/shard-file.js';
import { addTo, errorOf, type Moments, meanOf, moments } from '../../selfplay/records/stats.js';
import { LiveIndex } from '../find/make-index.js';
import { filled } from '../formats/games/played-games.js';
import type { Source } from '../formats/games/recorded-run.js';
import { type ShownGames, shownGames } from '../formats/games/shard-tasks.js';
import type { GameFilter, GameRow, GameSort, GamesFound, Mean } from './page-data.js';

/** A game in the index, with what filters need. */
interface IndexedGame extends GameRow {
  readonly isDraw: boolean;
  /** Names of agents, indexed by power; empty if the records do not name them. */
  readonly agents: readonly string[];
}

interface IndexedShard extends Omit<ShownGames, 'faults'> {
  readonly path: string;
  /** Version of the shard's file by stampOf(), to detect that it was rewritten. */
  readonly stamp: string;
}

/** A shard whose games are not indexed yet. In a file of saved games a shard is one game. */
interface WaitingShard {
  readonly shard: number;
  readonly path: string;
  readonly stamp: string;
  readonly place?: GamePlace;
}

export const PAGE_ROWS = 50;

const shown = (of: Moments): Mean => [of.count === 0 ? 0 : meanOf(of), of.count < 2 ? null : errorOf(of)];

/**
 * Returns a text that identifies a version of a file, to detect that it was rewritten. Null if there is no regular
 * file.
 */
export const stampOf = (path: string): string | null => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? `${found.size} ${found.mtimeMs}` : null;
};

export class RunIndex {
  /** Messages of errors in shards, keyed by number of the shard. */
  readonly faults: Map<number, string> = new Map();
  protected readonly shards: Map<number, IndexedShard> = new Map();
  /** Shards that are not indexed yet. The last one is indexed next. */
  protected waiting: WaitingShard[] = [];
  /** The shard that is being read, and the generator that reads it; null for none. */
  private begun: { readonly shard: WaitingShard; readonly games: Generator<undefined, void> } | null = null;
  /** Increases with each change of the index. */
  version = 0;

  constructor(readonly source: Source) {}

  /** Looks for new and changed shards in the directory, which advance() then reads. */
  refresh(): void {
    const { path, files } = this.source;
    this.waiting = [];
    const isFile = path === files[0];
    for (const name of isFile ? [basename(path)] : readdirSync(path)) {
      const shard = isFile ? 0 : shardNumber(name);
      if (shard === null) continue;
      const file = isFile ? path : join(path, name);
      const stamp = stampOf(file);
      if (stamp === null) this.faults.set(shard, `${name}: got a link or no file; no link is followed`);
      else if (this.shards.get(shard)?.stamp !== stamp) this.waiting.push({ shard, path: file, stamp });
    }
    this.waiting.sort((a, b) => b.shard - a.shard);
  }

  /** Makes advance() read the shard of a game next, if it waits. @param number number of the game in the run */
  prefer(number: number): void {
    const shard = Math.floor(number / (this.source.manifest?.shardGames ?? GAMES_PER_SHARD));
    const at = this.waiting.findIndex((one) => one.shard === shard);
    if (at >= 0) this.waiting.push(...this.waiting.splice(at, 1));
  }

  /**
   * Reads some games of the next shard. The shard is indexed once all its games are read. Returns false if no shard was
   * left.
   */
  advance(): boolean {
    const next = this.waiting.at(-1);
    if (next !== this.begun?.shard) {
      this.begun?.games.return();
      this.begun = next === undefined ? null : { shard: next, games: this.readShard(next) };
    }
    if (this.begun?.games.next().done) this.waiting.pop();
    return next !== undefined;
  }

  private *readShard({ shard, path, stamp }: WaitingShard): Generator<undefined, void> {
    this.faults.delete(shard);
    try {
      const { faults, ...games } = yield* shownGames(this.source, path);
      const fault = faults.at(-1);
      if (fault !== undefined) this.faults.set(shard, fault.replaceAll(`${this.source.path}/`, ''));
      this.shards.set(shard, { path, stamp, ...games });
    } catch (error) {
      this.faults.set(shard, (error as Error).message.replaceAll(`${this.source.path}/`, ''));
    }
    this.version++;
  }

  get left(): number {
    return this.waiting.length;
  }

  get games(): number {
    let sum = 0;
    for (const { table } of this.shards.values()) sum += table.games;
    return sum;
  }

  private rowOf(table: GameTable, game: number): IndexedGame {
    const { map, manifest } = this.source;
    const { indices, winners, steps, draws } = table.columns;
    return {
      game: indices[game],
      winner: map.powerNames[winners[game]] ?? null,
      years: table.yearsOf(game),
      phases: steps[game],
      centers: Array.from(table.lastCenters(game)),
      isDraw: draws[game] === 1,
      agents: manifest === null ? [] : agentsOf(manifest, { agents: table.seatsOf(game) }),
    };
  }

  /** Returns a function that tests whether a game passes all conditions of a filter. */
  private testOf({ winner, agent, years, centers }: GameFilter): (game: IndexedGame) => boolean {
    const { powerNames } = this.source.map;
    const isWithin = (value: number, [least, most]: readonly [number, number]): boolean =>
      value >= least && value <= most;
    return (game) => {
      if (winner === 'draw' && !game.isDraw) return false;
      if (winner === 'solo' && game.winner === null) return false;
      if (winner !== undefined && winner !== 'draw' && winner !== 'solo' && game.winner !== winner) return false;
      if (agent !== undefined && (game.winner === null || game.agents[powerNames.indexOf(game.winner)] !== agent))
        return false;
      if (years !== undefined && !isWithin(game.years, years)) return false;
      if (centers === undefined) return true;
      const [power, ...range] = centers;
      return (power < 0 ? game.centers : [game.centers[power]]).some((owned) => isWithin(owned, range));
    };
  }

  /**
   * Counts the games that pass a filter, and lists one page of them.
   * @param scoring scoring system of the mean scores
   * @param from index of the page's first game among the passing games
   * @param rows largest number of games on the page
   * @param sort order of the games; null: by number
   */
  find(filter: GameFilter, scoring: ScoreName, from: number, rows: number, sort: GameSort | null = null): GamesFound {
    const { map, manifest } = this.source;
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
    for (const [, { table }] of [...this.shards].sort(([a], [b]) => a - b))
      for (let k = 0; k < table.games; k++) {
        const one = this.rowOf(table, k);
        if (!passes(one)) continue;
        const { game, winner, years, phases, centers, isDraw } = one;
        if (sort !== null || (games >= from && page.length < rows)) page.push({ game, winner, years, phases, centers });
        games++;
        if (isDraw) draws++;
        lengths.set(years, (lengths.get(years) ?? 0) + 1);
        const won = winner === null ? -1 : powerNames.indexOf(winner);
        scoreInto(system, centers, 0, powerCount, won, scores);
        for (const [q, owned] of centers.entries()) {
          const of = tally[q];
          if (q === won) of.solos++;
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
      rows: sort === null ? page : this.sorted(page, sort).slice(from, from + rows),
      powers: tally.map(({ solos, survived, centers, score }, q) => ({
        power: powerNames[q],
        agent: manifest?.seated === true ? '' : (manifest?.agents[q] ?? ''),
        solos,
        survived,
        centers: shown(centers),
        score: shown(score),
        distribution: distribution[q],
      })),
    };
  }

  private sorted(games: GameRow[], { by, isDown }: GameSort): GameRow[] {
    const { powerNames } = this.source.map;
    const power = powerNames.indexOf(by);
    const keyOf = ({ winner, years, phases, centers }: GameRow): number =>
      ({ years, phases, winner: powerNames.indexOf(winner ?? '') })[by] ?? centers[power] ?? 0;
    const sign = isDown ? -1 : 1;
    return games.sort((a, b) => sign * (keyOf(a) - keyOf(b)) || a.game - b.game);
  }

  protected placeOf(number: number): readonly [IndexedShard, GamePlace] | null {
    for (const shard of this.shards.values()) {
      const place = shard.table.columns.indices.indexOf(number);
      if (place >= 0) return [shard, shard.places[place]];
    }
    return null;
  }

  has(number: number): boolean {
    return this.placeOf(number) !== null;
  }

  /**
   * Returns a game with all its positions; null if it is not indexed. @param number number of the game in the run
   * @throws LepantoError if its file has changed or is damaged
   */
  whole(number: number): GameRecord | null {
    const game = this.read(number);
    return game === null ? null : filled(this.source, game).record(game);
  }

  /** Makes an index of the same games for searching conditions and openings. It reads the games itself. */
  searchable(): LiveIndex {
    return new LiveIndex(this.source);
  }

  /**
   * Returns a game as it is stored; null if it is not indexed. @param number number of the game in the run
   * @throws LepantoError if its file has changed since it was indexed
   */
  read(number: number): GameCursor | null {
    const found = this.placeOf(number);
    if (found === null) return null;
    const [{ path, stamp }, place] = found;
    if (stampOf(path) !== stamp)
      throw new LepantoError('file', `game ${number}: its file has changed; reload the page of the run`);
    return new GameCursor().open(readPlace(path, place), `game ${number}`);
  }
}
