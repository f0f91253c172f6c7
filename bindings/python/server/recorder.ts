// Records the games of a batch as a run of self-play: what `lepanto stats`, `replay --verify` and `convert` read.
//
//   DIR                 the games of the seating that ended first; DIR-2, DIR-3 those of others: a run has one agent for
//                       each power
//   DIR/manifest.json   as of any run, with the names of who ordered each power
//
// Games are numbered as they end: by step, then by their rows, so that the files depend on no number of workers. Shards
// appear whole; the one that is not full yet is written anew after every so many games, and at the end.

import { basename } from 'node:path';
import { COMPLETED, Game, newGame } from '../../../engine/internal.js';
import { fieldOf, listOf, text } from '../../../engine/rules/shape.js';
import { SeatedRuns } from '../../../selfplay/arena/seated-runs.js';
import { gameScores, loadState, recordState } from '../../../selfplay/games/game-record.js';
import { makeManifest } from '../../../selfplay/records/make-manifest.js';
import type { Manifest } from '../../../selfplay/records/manifest.js';
import type { StoredPhase } from '../../../selfplay/records/record.js';
import { GAMES_PER_SHARD } from '../../../selfplay/records/run-spec.js';
import { findCommit } from '../../../selfplay/version.js';
import type { Recording, ServerConfig, Setup } from './config.js';
import type { GameLog } from './game-log.js';
import { BY_HANDSHAKE, CLIENT, type NamedAgents } from './named-agents.js';
import { wholeNumbers } from './requests.js';

/** Of games that end by a solo alone. */
const NO_LAST_YEAR = 9999;

/** Records what the games of a batch play. */
export class Recorder {
  declare private readonly start: Uint8Array;
  declare private readonly end: Game;
  declare private readonly runs: SeatedRuns;
  /** Names of the client by row and power, where they are others than those of the recording. */
  private readonly clients: Map<number, readonly string[]> = new Map();
  /** Phases of the game that each row plays; null for one whose beginning is not known. */
  declare private readonly phases: (StoredPhase[] | null)[];

  /** @throws LepantoError if the directory holds anything, or cannot be made */
  constructor(
    private readonly recording: Recording,
    private readonly config: ServerConfig,
    private readonly setup: Setup,
    private readonly agents: NamedAgents,
    private readonly log: GameLog,
    private readonly seats: Uint8Array,
  ) {
    const { map, rules, layout } = setup;
    this.start = recordState(newGame(map, rules.adjudication));
    this.end = new Game(map, rules.adjudication);
    this.phases = Array.from({ length: layout.games }, () => []);
    this.runs = new SeatedRuns(recording.directory, (agents) => this.manifestOf(agents));
    // Refuses at once what no manifest can say.
    this.manifestOf(map.powerNames);
  }

  private manifestOf(agents: readonly string[]): Manifest {
    const { map, rules } = this.setup;
    const until = this.config.until > 0 ? this.config.until : NO_LAST_YEAR;
    const { seed } = this.recording;
    const spec = { map: map.name, rules: rules.name, agents, games: 0, seed, until, shardGames: GAMES_PER_SHARD };
    return makeManifest(spec, findCommit(), `lepanto.Batch(record="${basename(this.recording.directory)}")`);
  }

  /** Who orders each power of a game. */
  private seatingOf(row: number): string[] {
    const { recording, config, setup, agents } = this;
    const { powerNames, powerCount } = setup.map;
    const named = agents.list();
    const opponents = Object.values(config.opponents);
    return powerNames.map((name, power) => {
      const client = this.clients.get(row)?.[power] ?? recording.names[name] ?? recording.name;
      const seat = this.seats[row * powerCount + power];
      if (seat === CLIENT) return client;
      if (seat !== BY_HANDSHAKE) return named[seat - 1] ?? client;
      return opponents[setup.opponents.indexOf(power)] ?? client;
    });
  }

  /** Says who the client is in some games from now on: {games: [...], names: [...]}, a list of names by power for each game. */
  nameClients(request: object): null {
    const games = wholeNumbers(fieldOf(request, 'games'), 'games');
    const byPower = listOf(text, 0, this.setup.map.powerCount);
    const names = listOf(byPower, games.length, games.length)(fieldOf(request, 'names'), 'names');
    for (const [i, row] of games.entries()) this.clients.set(row, names[i]);
    return null;
  }

  /** Takes what games first .. end have played in the step that is done. @throws LepantoError if a file cannot be written */
  async take(first: number, end: number): Promise<void> {
    for (let row = first; row < end; row++) {
      try {
        await this.takeRow(row);
      } catch (error) {
        // What these games have played is not taken: they are left out.
        this.phases.fill(null, row, end);
        throw error;
      }
    }
  }

  private async takeRow(row: number): Promise<void> {
    for (const played of this.log.read(row)) {
      const phases = this.phases[row];
      const isEnd = played.phase === COMPLETED;
      phases?.push(isEnd ? played : { ...played, state: phases.length === 0 ? this.start : null });
      if (!isEnd) continue;
      this.phases[row] = [];
      if (phases !== null) await this.finish(row, phases, played.state);
    }
  }

  private async finish(row: number, phases: StoredPhase[], state: Uint8Array): Promise<void> {
    loadState(this.end, state);
    await this.runs.of(this.seatingOf(row)).add({ phases, scores: gameScores(this.end) });
  }

  /** The games of a mask begin again, or with isKnown false go on from positions whose past nobody knows: these are left out. */
  forget(mask: Uint8Array, isKnown: boolean): void {
    for (let row = 0; row < this.phases.length; row++) if (mask[row] !== 0) this.phases[row] = isKnown ? [] : null;
  }

  /** Writes all games that have ended; returns their number. */
  write(): Promise<number> {
    return this.runs.write();
  }
}
