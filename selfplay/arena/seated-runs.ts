// Writes games that end one by one as runs of self-play, one run for each seating: a run has one agent for each power.
//
//   DIR                 the games of the seating that ended first; DIR-2, DIR-3 those of others
//
// Games are numbered as they end. Shards appear whole; the one that is not full yet is written anew after every so many
// games, and when it is asked for.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import { gameSeed } from '../games/game-record.js';
import { makeTable, removeTable, sealShard } from '../records/game-table.js';
import { type Manifest, mapOfRun, rulesOfRun, writeManifest } from '../records/manifest.js';
import { encodeShard, type StoredGame, shardName } from '../records/record.js';
import { GAMES_PER_SHARD } from '../records/run-spec.js';
import { makeDirectories, writeWhole } from '../records/whole-file.js';

/** What may be lost if the process is killed: so many games, or the ones of so many milliseconds. */
const GAMES_AT_RISK = 32;
const MS_AT_RISK = 30_000;

/** The games of one seating. */
class RecordedRun {
  /** Games that have ended. */
  count = 0;
  /** Games of the last shard, and how many of them are on the disk. */
  private shard: StoredGame[] = [];
  private written = 0;
  /** When that was, by performance.now(). */
  private writtenAt: number = performance.now();

  constructor(
    readonly directory: string,
    private readonly manifest: Manifest,
  ) {}

  /** True if it is time to write. What the files hold at the end does not depend on it. */
  private get isDue(): boolean {
    const { shard, written, writtenAt } = this;
    if (shard.length === GAMES_PER_SHARD || shard.length - written >= GAMES_AT_RISK) return true;
    return performance.now() - writtenAt >= MS_AT_RISK;
  }

  async add(game: Omit<StoredGame, 'index' | 'seed'>): Promise<void> {
    const index = this.count++;
    this.shard.push({ ...game, index, seed: gameSeed(this.manifest.seed, index) });
    if (this.isDue) await this.write();
  }

  /** Writes the last shard as it is. The manifest first: games that it has and no shard are missing, and no more. */
  async write(): Promise<void> {
    if (this.shard.length === this.written) return;
    await writeManifest(this.directory, { ...this.manifest, games: this.count });
    const path = join(this.directory, shardName(Math.floor((this.count - 1) / GAMES_PER_SHARD)));
    const bytes = encodeShard(this.shard);
    const table = makeTable(mapOfRun(this.manifest), rulesOfRun(this.manifest).adjudication, path, bytes);
    // First, so that a table never lies next to another file than its own.
    removeTable(path);
    writeWhole(path, bytes);
    if (table !== null) await sealShard(path, table.bytes);
    this.written = this.shard.length;
    this.writtenAt = performance.now();
    if (this.written < GAMES_PER_SHARD) return;
    this.shard = [];
    this.written = 0;
  }
}

/** Makes the directory of a run. @throws LepantoError if it holds anything, or cannot be made */
const openDirectory = (directory: string): void => {
  makeDirectories(directory);
  const [other] = readdirSync(directory);
  if (other !== undefined)
    throw new LepantoError(
      'argument',
      `record: got ${directory}, which has ${other} in it, wanted an empty or a new directory`,
    );
};

/** The runs of all seatings. */
export class SeatedRuns {
  /** By seating: names joined. */
  private readonly runs: Map<string, RecordedRun> = new Map();

  /** @throws LepantoError if the directory holds anything, or cannot be made */
  constructor(
    private readonly directory: string,
    private readonly manifestOf: (seating: readonly string[]) => Manifest,
  ) {
    openDirectory(directory);
  }

  /** The run of those who play, by power. */
  of(seating: readonly string[]): RecordedRun {
    const key = JSON.stringify(seating);
    const known = this.runs.get(key);
    if (known !== undefined) return known;
    const { directory } = this;
    const number = this.runs.size + 1;
    const place = number === 1 ? directory : join(dirname(directory), `${basename(directory)}-${number}`);
    openDirectory(place);
    const run = new RecordedRun(place, this.manifestOf(seating));
    this.runs.set(key, run);
    return run;
  }

  /** Writes all games that have ended; returns their number. */
  async write(): Promise<number> {
    let games = 0;
    for (const run of this.runs.values()) {
      await run.write();
      games += run.count;
    }
    return games;
  }
}
