// The samples of an epoch, one batch after the other. While batches are taken from one window, workers read the next one:
// no more than two are in memory.
import { LepantoError } from '../../../engine/rules/error.js';
import type { Pool } from '../../../selfplay/crew/pool.js';
import type { DecodedGames, DecodeTask } from '../../formats/dataset/decode-games.js';
import type { Places } from '../../formats/dataset/find-games.js';
import type { ReaderConfig } from '../../formats/dataset/reader-config.js';
import { EpochOrder } from './sample-order.js';

/** Where an epoch goes on: the next sample of a window. */
export interface EpochPlace {
  readonly epoch: number;
  readonly window: number;
  readonly at: number;
}

/** Samples of a batch. */
export interface Taken {
  readonly blocks: readonly SharedArrayBuffer[];
  /** For each sample its block, its phase in it, and its power or -1. */
  readonly samples: Int32Array;
  /** Behind them. */
  readonly position: EpochPlace;
}

/** Games that one task reads. */
const GAMES_A_TASK = 16;

/** What is wrong with games so far. */
export interface ReadSoFar {
  games: number;
  skipped: number;
  /** Why the first one was. */
  trouble: string | null;
  disagreeing: number;
}

/** The samples of some games that were read together. */
interface Window {
  readonly blocks: readonly SharedArrayBuffer[];
  /** For each sample its block, phase and power, in the order in which they are taken. */
  readonly samples: Int32Array;
}

const NAME = new URL('../../formats/dataset/decode-games.js', import.meta.url).href;

export class SampleStream {
  readonly tally: ReadSoFar = { games: 0, skipped: 0, trouble: null, disagreeing: 0 };
  private order = new EpochOrder(this.config, this.places, 0);
  private window = 0;
  private at = 0;
  private current: Promise<Window> | null = null;
  private following: Promise<Window> | null = null;

  constructor(
    private readonly config: ReaderConfig,
    private readonly places: Places,
    private readonly pool: Pool,
  ) {}

  /** Goes to a position. @throws LepantoError if the epoch has no such window */
  seek({ epoch, window, at }: EpochPlace): void {
    if (epoch !== this.order.epoch) this.order = new EpochOrder(this.config, this.places, epoch);
    if (window > this.order.windows || at < 0)
      throw new LepantoError('argument', `position: got window ${window}, wanted 0 to ${this.order.windows}`);
    this.window = window;
    this.at = at;
    this.current = null;
    this.following = null;
  }

  /** The next samples, at most so many; fewer only at the end of the epoch. @throws LepantoError that names a game */
  async take(count: number): Promise<Taken> {
    const blocks: SharedArrayBuffer[] = [];
    const samples = new Int32Array(3 * count);
    let taken = 0;
    while (taken < count && this.window < this.order.windows) {
      const window = await this.open();
      const end = Math.min(window.samples.length / 3, this.at + count - taken);
      const known = new Map<number, number>();
      for (; this.at < end; this.at++, taken++) {
        const block = window.samples[3 * this.at];
        let place = known.get(block);
        if (place === undefined) {
          place = blocks.push(window.blocks[block]) - 1;
          known.set(block, place);
        }
        samples[3 * taken] = place;
        samples[3 * taken + 1] = window.samples[3 * this.at + 1];
        samples[3 * taken + 2] = window.samples[3 * this.at + 2];
      }
      if (3 * this.at >= window.samples.length) this.advance();
    }
    const position = { epoch: this.order.epoch, window: this.window, at: this.at };
    return { blocks, samples: samples.subarray(0, 3 * taken), position };
  }

  private advance(): void {
    this.window++;
    this.at = 0;
    this.current = this.following;
    this.following = null;
  }

  /** The window of the position; the one behind it is read meanwhile. */
  private async open(): Promise<Window> {
    this.current ??= this.read(this.window);
    try {
      const window = await this.current;
      if (this.following === null && this.window + 1 < this.order.windows) {
        this.following = this.read(this.window + 1);
        // Whoever takes it is told what is wrong with it.
        this.following.catch(() => {});
      }
      return window;
    } catch (error) {
      this.current = null;
      throw error;
    }
  }

  private async read(window: number): Promise<Window> {
    const { order } = this;
    const games = order.gamesOf(window);
    const tasks: Promise<DecodedGames>[] = [];
    for (let i = 0; i < games.length; i += GAMES_A_TASK) tasks.push(this.decode(games.subarray(i, i + GAMES_A_TASK)));
    const found = await Promise.all(tasks);
    this.count(games.length, found);
    const count = found.reduce((sum, { samples }) => sum + samples.length / 3, 0);
    const listed = new Int32Array(3 * count);
    let n = 0;
    for (const [block, { samples }] of found.entries())
      for (let i = 0; i < samples.length; i += 3, n += 3) listed.set([block, samples[i + 1], samples[i + 2]], n);
    const samples = new Int32Array(3 * count);
    for (const [i, place] of order.samplesOf(window, count).entries())
      samples.set(listed.subarray(3 * place, 3 * place + 3), 3 * i);
    return { blocks: found.map(({ memory }) => memory), samples };
  }

  private decode(games: Int32Array): Promise<DecodedGames> {
    // A copy: the whole list would travel with each part of it.
    const data: DecodeTask = { config: this.config, places: this.places, games: games.slice() };
    return this.pool.call({ module: NAME, name: 'decodeGames', data }, { label: `game ${games[0]}` });
  }

  private count(games: number, found: readonly DecodedGames[]): void {
    const { tally } = this;
    tally.games += games;
    for (const { skipped, trouble, disagreeing } of found) {
      tally.skipped += skipped;
      tally.trouble ??= trouble;
      tally.disagreeing += disagreeing;
    }
  }
}
