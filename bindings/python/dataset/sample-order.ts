// The order in which a dataset is read: by seed and epoch alone, whatever the number of workers.
//
// The games of the shard are put in a random order, and cut into windows of `shuffle` games, of which the first ones are
// smaller, so that the first batch does not wait for so many games. The samples of a window are shuffled together. So a position in an epoch is a window and a place in it, and is found again without reading what
// came before.
import { Random } from '../../../engine/internal.js';
import { shuffle } from '../../../selfplay/evaluation/shuffle.js';
import type { Places } from '../../formats/dataset/find-games.js';
import type { ReaderConfig } from '../../formats/dataset/reader-config.js';

/** Of a window that is not shuffled: games that are read together. */
const GAMES_IN_ORDER = 64;
/** Of the first window of an epoch; each has twice as many, up to those that are asked for. */
const FIRST_GAMES = 32;
/** Bytes of files that a window may have, but for its first game: what bounds the memory of long games. */
const MOST_BYTES = 1 << 28;

const GAME_STREAM = 0x6761;
const SAMPLE_STREAM = 0x7361;

/** The windows of one epoch. */
export class EpochOrder {
  declare private readonly games: Int32Array;
  /** Where each window begins among the games; and the end. */
  declare private readonly starts: readonly number[];

  constructor(
    private readonly config: ReaderConfig,
    places: Places,
    readonly epoch: number,
  ) {
    const [index, count] = config.shard;
    this.games = Int32Array.from(
      { length: Math.ceil(Math.max(0, places.count - index) / count) },
      (_, i) => index + i * count,
    );
    if (config.shuffle > 0) shuffle(this.games, new Random(config.seed, epoch, GAME_STREAM));
    this.starts = this.cut(places);
  }

  private cut({ length }: Places): number[] {
    const full = this.config.shuffle > 0 ? this.config.shuffle : GAMES_IN_ORDER;
    let most = Math.min(full, FIRST_GAMES);
    const starts = [0];
    let bytes = 0;
    for (const [i, game] of this.games.entries()) {
      const begin = starts[starts.length - 1];
      bytes += length[game];
      if (i > begin && (i - begin === most || bytes > MOST_BYTES)) {
        starts.push(i);
        bytes = length[game];
        most = Math.min(full, 2 * most);
      }
    }
    if (this.games.length > 0) starts.push(this.games.length);
    return starts;
  }

  get windows(): number {
    return this.starts.length - 1;
  }

  gamesOf(window: number): Int32Array {
    return this.games.subarray(this.starts[window], this.starts[window + 1]);
  }

  /** The samples of a window in the order in which they are taken. */
  samplesOf(window: number, count: number): Int32Array {
    const order = Int32Array.from({ length: count }, (_, i) => i);
    if (this.config.shuffle === 0) return order;
    // A stream has two numbers, so the epoch is part of the seed.
    return shuffle(order, new Random(this.config.seed ^ Math.imul(this.epoch, 0x9e37_79b9), window, SAMPLE_STREAM));
  }
}
