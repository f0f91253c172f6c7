// Records games with different agents in the seats of each as one run, such as the games of an arena, of a Python batch
// or of a DAIDE server. Each save rewrites a shard that is not full yet.

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
import { findStranger, type Manifest, shardName, writeManifest } from '../records/manifest.js';
import { encodeGame, joinShard, type StoredGame, withoutStates } from '../records/record.js';
import { GAMES_PER_SHARD, type RunSpec } from '../records/run-spec.js';
import { makeDirectories, settleNow, writeWhole } from '../records/whole-file.js';
import { findCommit } from '../version.js';

/**
 * Specification of a seated run: map, rules, seed and ending. The agents and the number of games grow with the games.
 */
export interface SeatedSpec extends Omit<RunSpec, 'agents' | 'games' | 'shardGames'> {
  /** Command line that plays these games, for the manifest. */
  readonly command?: string;
}

/**
 * `record`: an encoded game. `table`: a table of games that has this game at index `place`; null if the game does not
 * follow from its orders.
 */
interface SeatedGame {
  readonly record: Uint8Array;
  readonly table: GameTable | null;
  readonly place: number;
}

/** Games of a shard, keyed by index in the run; null for a full shard that is on disk. */
type Shard = Map<number, SeatedGame> | null;

/** A run directory to which games are added in any order. */
export class SeatedRun {
  private readonly shards: Map<number, Shard> = new Map();
  private readonly changed: Set<number> = new Set();
  private readonly commit = findCommit();
  private readonly map = loadMap(this.spec.map);
  private readonly rules = runRulesByName(this.spec.rules).adjudication;
  /** Numbers of games and agents in the manifest on disk: '100 7'. Empty before the first save. */
  private told = '';

  /**
   * Opens a run directory, or prepares a new one, which save() creates.
   * @param directory run directory, which may have games of an earlier start
   * @param agents names of the agents known so far; new agents are appended to this list
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

  /**
   * Reads the games of a shard written by an earlier start. Returns null if the shard is full, and no games if it is
   * missing, damaged or of another run.
   */
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

  /** Returns the index of an agent in Manifest.agents. Adds the agent if it is new. */
  numberOf(agent: string): number {
    const found = this.agents.indexOf(agent);
    return found < 0 ? this.agents.push(agent) - 1 : found;
  }

  /** True if the game of this index is recorded. */
  has(index: number): boolean {
    return this.shardOf(index)?.has(index) ?? true;
  }

  /**
   * Adds a game, without writing it to disk.
   * @param index index of the game in the run
   * @param record game as encoded by encodeGame()
   */
  add(index: number, record: Uint8Array): void {
    const number = Math.floor(index / GAMES_PER_SHARD);
    const table = makeTable(this.map, this.rules, this.pathOf(number), joinShard([record]));
    this.shardOf(index)?.set(index, { record, table, place: 0 });
    this.changed.add(number);
  }

  /**
   * Writes the games added since the last save, and flushes them to disk. Does nothing if `games` is 0.
   * @param games number of games of the run so far, including missing ones
   * @throws LepantoError that names the file that cannot be written
   */
  save(games: number): void {
    if (games === 0) return;
    const told = `${games} ${this.agents.length}`;
    if (told !== this.told) {
      makeDirectories(this.directory);
      // The manifest is written before the games, so that a killed process leaves no game without a manifest.
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
    // The old table is removed before the shard changes, so that no table ever lies next to a shard of other games.
    removeTable(path);
    writeWhole(path, bytes);
    settleNow(path);
    const writer = new GameTableWriter(this.map, this.rules);
    for (const { table, place } of games) if (table !== null) writer.copy(table, place);
    if (writer.games === games.length) writeWhole(tablePath(path), writer.table(number, crc32(bytes)).bytes);
    if (games.length === GAMES_PER_SHARD) this.shards.set(number, null);
  }
}

/** Play that a killed process may lose, at most. GAMES_AT_RISK: number of games. MS_AT_RISK: milliseconds. */
const GAMES_AT_RISK = 32;
const MS_AT_RISK = 30_000;

/** Records games as a new run, in the order in which they end. */
export class GameRecorder {
  /**
   * `count`: number of finished games. `written`: number of games on disk. `writtenAt`: time of the last write
   * (performance.now()).
   */
  private count = 0;
  private written = 0;
  private writtenAt: number = performance.now();
  declare private readonly run: SeatedRun;

  /**
   * Begins a run in a new or empty directory.
   * @throws LepantoError if the directory is not empty or cannot be made, or if a manifest cannot name the map or the
   *   rules
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
   * Adds a finished game. Writes all games that are not on disk if the shard is full, if 32 games are not on disk, or
   * if the last write was 30 seconds ago.
   * @param agents names of the agents, indexed by power
   * @throws LepantoError that names the file that cannot be written
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

  /**
   * Writes all finished games. Returns their number.
   * @throws LepantoError that names the file that cannot be written
   */
  write(): number {
    this.run.save(this.count);
    this.written = this.count;
    this.writtenAt = performance.now();
    return this.count;
  }
}
