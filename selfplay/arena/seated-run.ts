// Keeps games that each say who sat where as one run: the games of an arena, of a Python batch, of a DAIDE server.
//
// A shard that is not full yet is written again with each save.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { gameSeed } from '../games/game-record.js';
import {
  type GameTable,
  GameTableWriter,
  makeTable,
  removeTable,
  soundTable,
  tablePath,
} from '../records/game-table.js';
import { makeManifest } from '../records/make-manifest.js';
import { findStranger, type Manifest, writeManifest } from '../records/manifest.js';
import { encodeGame, joinShard, type StoredGame, shardName, withoutStates } from '../records/record.js';
import { GAMES_PER_SHARD, type RunSpec } from '../records/run-spec.js';
import { makeDirectories, settleNow, writeWhole } from '../records/whole-file.js';
import { findCommit } from '../version.js';

/**
 * Map, rules, seed and ending of a run whose games each say who sat where. Agents and games are counted as they come.
 */
export interface SeatedSpec extends Omit<RunSpec, 'agents' | 'games' | 'shardGames'> {
  /** Command for the manifest, if a command plays these games. */
  readonly command?: string;
}

/** A game as it is stored, and its place in a table of games; no table if it does not follow from its orders. */
interface SeatedGame {
  readonly record: Uint8Array;
  readonly table: GameTable | null;
  readonly place: number;
}

/** Games of a shard by number; null for a full shard that the disk has. */
type Shard = Map<number, SeatedGame> | null;

export class SeatedRun {
  private readonly shards: Map<number, Shard> = new Map();
  private readonly changed: Set<number> = new Set();
  private readonly commit = findCommit();
  private readonly map = loadMap(this.spec.map);
  private readonly rules = runRulesByName(this.spec.rules).adjudication;
  /**
   * What the manifest on the disk says: games and number of agents. Unknown before the first save, which writes it
   * again.
   */
  private told = '';

  /**
   * @param agents of the run; it may hold games of these agents from an earlier start
   * @throws LepantoError for a map or rules that no manifest can name
   */
  constructor(
    private readonly directory: string,
    private readonly spec: SeatedSpec,
    private readonly agents: string[] = [],
  ) {}

  private manifest(games: number): Manifest {
    const { spec, agents } = this;
    const run = { ...spec, agents, games, seated: true, shardGames: GAMES_PER_SHARD };
    return makeManifest(run, this.commit, spec.command);
  }

  private pathOf(shard: number): string {
    return join(this.directory, shardName(shard));
  }

  /** Games of a shard that an earlier start has written. A damaged file, or one of another run, counts as none. */
  private readShard(shard: number): Shard {
    const path = this.pathOf(shard);
    const games = new Map<number, SeatedGame>();
    const table = soundTable(path);
    if (table === null || typeof table === 'string' || !table.isOf(this.map, this.rules)) return games;
    const run = { seed: this.spec.seed, games: Number.POSITIVE_INFINITY, agents: this.agents, seated: true };
    const { indices, seeds } = table.columns;
    const bytes = readFileSync(path);
    for (const [place, { offset, length }] of table.places().entries()) {
      const index = indices[place];
      if (findStranger(run, { index, seed: seeds[place], agents: table.seatsOf(place) }) !== null) return new Map();
      games.set(index, { record: bytes.subarray(offset, offset + length), table, place });
    }
    return games.size === GAMES_PER_SHARD ? null : games;
  }

  private shardOf(index: number): Shard {
    const number = Math.floor(index / GAMES_PER_SHARD);
    const known = this.shards.get(number);
    if (known !== undefined) return known;
    const shard = this.readShard(number);
    this.shards.set(number, shard);
    return shard;
  }

  /** Number of an agent in this run, which it joins if it is new. */
  numberOf(agent: string): number {
    const found = this.agents.indexOf(agent);
    return found < 0 ? this.agents.push(agent) - 1 : found;
  }

  has(index: number): boolean {
    return this.shardOf(index)?.has(index) ?? true;
  }

  /** @param record the game as encodeGame() writes it */
  add(index: number, record: Uint8Array): void {
    const number = Math.floor(index / GAMES_PER_SHARD);
    const table = makeTable(this.map, this.rules, this.pathOf(number), joinShard([record]));
    this.shardOf(index)?.set(index, { record, table, place: 0 });
    this.changed.add(number);
  }

  /**
   * Writes the games that were added, and waits until the disk has them.
   * @param games of the run so far, whether they are there or not
   * @throws LepantoError that names the file
   */
  save(games: number): void {
    if (games === 0) return;
    const told = `${games} ${this.agents.length}`;
    if (told !== this.told) {
      makeDirectories(this.directory);
      // First, so that a kill leaves no game without a manifest.
      writeManifest(this.directory, this.manifest(games));
      this.told = told;
    }
    for (const number of this.changed) {
      const shard = this.shards.get(number);
      if (shard) this.writeShard(number, shard);
      this.changed.delete(number);
    }
  }

  private writeShard(number: number, shard: ReadonlyMap<number, SeatedGame>): void {
    const path = this.pathOf(number);
    const games = [...shard].sort(([a], [b]) => a - b).map(([, game]) => game);
    const bytes = joinShard(games.map(({ record }) => record));
    // First, so that a table never lies next to another file than its own.
    removeTable(path);
    writeWhole(path, bytes);
    settleNow(path);
    const writer = new GameTableWriter(this.map, this.rules);
    for (const { table, place } of games) if (table !== null) writer.copy(table, place);
    if (writer.games === games.length) writeWhole(tablePath(path), writer.table(number, crc32(bytes)).bytes);
    if (games.length === GAMES_PER_SHARD) this.shards.set(number, null);
  }
}

/** What may be lost if the process is killed: so many games, or the games of so many milliseconds. */
const GAMES_AT_RISK = 32;
const MS_AT_RISK = 30_000;

/** Records games as a new run, numbered in the order in which they end. */
export class GameRecorder {
  /** Games that have ended, and how many of them are on the disk since when, by performance.now(). */
  private count = 0;
  private written = 0;
  private writtenAt: number = performance.now();
  declare private readonly run: SeatedRun;

  /**
   * @throws LepantoError if the directory is not empty or cannot be made, or a manifest cannot name the map or the
   * rules
   */
  constructor(
    directory: string,
    private readonly spec: SeatedSpec,
  ) {
    makeDirectories(directory);
    const [other] = readdirSync(directory);
    if (other !== undefined)
      throw new LepantoError(
        'argument',
        `record: got ${directory}, which has ${other} in it, wanted an empty or a new directory`,
      );
    this.run = new SeatedRun(directory, spec);
  }

  /**
   * Adds a game that has ended. It is written soon after: at once if 32 games or those of 30 seconds wait.
   * @param agents names of the agents, by power
   * @throws LepantoError that names a file that cannot be written
   */
  add(agents: readonly string[], game: Pick<StoredGame, 'phases' | 'scores'>): void {
    const index = this.count++;
    const seed = gameSeed(this.spec.seed, index);
    const seats = Uint16Array.from(agents, (agent) => this.run.numberOf(agent));
    this.run.add(index, encodeGame({ ...withoutStates(game), index, seed, agents: seats }));
    const isFull = this.count % GAMES_PER_SHARD === 0;
    if (isFull || this.count - this.written >= GAMES_AT_RISK || performance.now() - this.writtenAt >= MS_AT_RISK)
      this.write();
  }

  /** Writes all games that have ended; returns their number. @throws LepantoError that names the file */
  write(): number {
    this.run.save(this.count);
    this.written = this.count;
    this.writtenAt = performance.now();
    return this.count;
  }
}
