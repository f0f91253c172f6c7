// Keeps the games of arenas whole: a run for each seating, because a run has one agent for each power.
//
//   DIR/1-1      the games of the first arena in which the agents sit as in its first game
//   DIR/1-2      those of the seating that comes next, and so on
//
// In a run the games are numbered anew, in the order of the arena. A shard that is not full yet is written anew with each
// save. What cannot be read again counts as not played.
import { join } from 'node:path';
import { loadMap } from '../../engine/internal.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { makeTable, removeTable, soundTable, tablePath } from '../records/game-table.js';
import { makeManifest } from '../records/make-manifest.js';
import { putManifest } from '../records/manifest.js';
import { joinShard, shardName } from '../records/record.js';
import { RECORD_VERSION } from '../records/record-writer.js';
import { GAMES_PER_SHARD } from '../records/run-spec.js';
import { gamesOfShard } from '../records/shard-file.js';
import { makeDirectories, writeWhole } from '../records/whole-file.js';
import { findCommit } from '../version.js';
import { type ArenaSpec, seatsOf } from './protocol.js';

/** Games of a shard by number, as they are stored. */
type Shard = Map<number, Uint8Array>;

const readShard = (path: string): Shard => {
  const games: Shard = new Map();
  try {
    const table = soundTable(path);
    if (table === null || typeof table === 'string') return games;
    for (const [i, { bytes }] of [...gamesOfShard(path)].entries()) games.set(table.columns.indices[i], bytes);
  } catch {
    // Its games are played again.
    games.clear();
  }
  return games;
};

/** The games of one seating. */
class SeatedRun {
  private readonly shards = new Map<number, Shard>();
  private readonly changed = new Set<number>();
  private written = 0;

  constructor(
    private readonly directory: string,
    private readonly spec: ArenaSpec,
    private readonly seats: readonly number[],
    private readonly botVersion: string | undefined,
  ) {}

  private pathOf(shard: number): string {
    return join(this.directory, shardName(shard));
  }

  private shardOf(number: number): Shard {
    const shard = Math.floor(number / GAMES_PER_SHARD);
    const games = this.shards.get(shard) ?? readShard(this.pathOf(shard));
    this.shards.set(shard, games);
    return games;
  }

  has(number: number): boolean {
    return this.shardOf(number).has(number);
  }

  add(number: number, record: Uint8Array): void {
    this.shardOf(number).set(number, record);
    this.changed.add(Math.floor(number / GAMES_PER_SHARD));
  }

  /** @param games that the arena has for this seating */
  save(games: number): void {
    if (this.changed.size === 0) return;
    const { directory, spec, seats, botVersion } = this;
    makeDirectories(directory);
    if (this.written !== games) {
      const agents = seats.map((agent) => spec.agents[agent]);
      const { chance: _, rounds = 0, ...rest } = spec;
      const run = {
        ...rest,
        rounds,
        agents,
        games,
        shardGames: GAMES_PER_SHARD,
        ...(botVersion !== undefined && { botVersion }),
      };
      putManifest(directory, makeManifest(run, findCommit()));
      this.written = games;
    }
    for (const shard of this.changed) {
      const path = this.pathOf(shard);
      const played = [...(this.shards.get(shard) ?? [])].sort(([a], [b]) => a - b);
      const records = played.map(([, record]) => record);
      const bytes = joinShard(records, this.spec.rounds === undefined ? undefined : RECORD_VERSION);
      // First, so that a table never lies next to another file than its own.
      removeTable(path);
      writeWhole(path, bytes);
      const table = makeTable(loadMap(spec.map), runRulesByName(spec.rules).adjudication, path, bytes);
      if (table !== null) writeWhole(tablePath(path), table.bytes);
    }
    this.changed.clear();
  }
}

/** Where a game of an arena is kept. */
export interface ArenaPlace {
  /** Of its run, from 1: behind the number of the arena in the name of the directory. */
  readonly seating: number;
  /** Of the game in that run. */
  readonly number: number;
}

/** Says where games of an arena are kept, by who sits where in each. */
export class Seatings {
  /** Numbers of seatings by their seats, and games of each so far. */
  private readonly known = new Map<string, number>();
  private readonly counts: number[] = [];
  private readonly places: ArenaPlace[] = [];

  /** @param seats of a game, by power */
  constructor(private readonly seats: (index: number) => readonly number[]) {}

  placeOf(index: number): ArenaPlace {
    for (let next = this.places.length; next <= index; next++) {
      const key = this.seats(next).join();
      const seating = this.known.get(key) ?? this.known.size + 1;
      this.known.set(key, seating);
      const number = this.gamesOf(seating);
      this.counts[seating] = number + 1;
      this.places.push({ seating, number });
    }
    return this.places[index];
  }

  /** Games of a seating among those whose place was asked for. */
  gamesOf(seating: number): number {
    return this.counts[seating] ?? 0;
  }
}

/** The games of one arena. */
export class ArenaRecords {
  private readonly runs = new Map<number, SeatedRun>();
  private readonly powers = loadMap(this.spec.map).powerCount;
  private readonly seatings = new Seatings((index) => seatsOf(this.spec, index, this.powers));

  /** @param directory up to the number of the seating: DIR/1 */
  constructor(
    private readonly directory: string,
    private readonly spec: ArenaSpec,
    private readonly botVersion?: string,
  ) {}

  private placeOf(index: number): { readonly run: SeatedRun; readonly number: number } {
    const { seating, number } = this.seatings.placeOf(index);
    const { directory, spec, powers, botVersion } = this;
    const run =
      this.runs.get(seating) ??
      new SeatedRun(`${directory}-${seating}`, spec, seatsOf(spec, index, powers), botVersion);
    this.runs.set(seating, run);
    return { run, number };
  }

  /** The number in the run of the game's seating. */
  numberOf(index: number): number {
    return this.seatings.placeOf(index).number;
  }

  has(index: number): boolean {
    const { run, number } = this.placeOf(index);
    return run.has(number);
  }

  add(index: number, record: Uint8Array): void {
    const { run, number } = this.placeOf(index);
    run.add(number, record);
  }

  /** @param games of the arena */
  save(games: number): void {
    if (games > 0) this.seatings.placeOf(games - 1);
    for (const [seating, run] of this.runs) run.save(this.seatings.gamesOf(seating));
  }
}
