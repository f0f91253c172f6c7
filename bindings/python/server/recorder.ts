// Records the games of a batch as a self-play run, for `lepanto stats`, `replay --verify` and `convert`. Each record names
// the agent or client that ordered each power.
//
// Games are numbered in the order of their end: by step, then by row. The files do not depend on the number of workers.

import { basename } from 'node:path';
import { COMPLETED, Game, newGame } from '../../../engine/internal.js';
import { fieldOf, listOf, text } from '../../../engine/rules/shape.js';
import { GameRecorder } from '../../../selfplay/arena/seated-run.js';
import { gameScores, loadState, recordState } from '../../../selfplay/games/game-record.js';
import type { StoredPhase } from '../../../selfplay/records/record.js';
import type { Recording, ServerConfig, Setup } from './config.js';
import type { GameLog } from './game-log.js';
import { BY_HANDSHAKE, type NamedAgents } from './named-agents.js';
import { wholeNumbers } from './requests.js';

/** Last year that records name for games that end only by a solo. */
const NO_LAST_YEAR = 9999;

/** Records the games of a batch in a directory. */
export class Recorder {
  private readonly start: Uint8Array = recordState(newGame(this.setup.map, this.setup.rules.adjudication));
  private readonly end = new Game(this.setup.map, this.setup.rules.adjudication);
  private readonly games = new GameRecorder(this.recording.directory, {
    map: this.setup.map.name,
    rules: this.setup.rules.name,
    seed: this.recording.seed,
    until: this.config.until > 0 ? this.config.until : NO_LAST_YEAR,
    command: `lepanto.Batch(record="${basename(this.recording.directory)}")`,
  });
  /** Names of the client, indexed by power, keyed by row; only for rows with other names than the recording's. */
  private readonly clients: Map<number, readonly string[]> = new Map();
  /** Phases of the game in each row so far; null for a game with an unknown beginning, which is not recorded. */
  private readonly phases: (StoredPhase[] | null)[] = Array.from({ length: this.setup.layout.games }, () => []);

  /**
   * Creates the directory and opens the recording.
   * @throws LepantoError if the directory is not empty or cannot be created
   */
  constructor(
    private readonly recording: Recording,
    private readonly config: ServerConfig,
    private readonly setup: Setup,
    private readonly agents: NamedAgents,
    private readonly log: GameLog,
    private readonly seats: Uint8Array,
  ) {}

  /** Returns the names of the agents or clients that order the powers of a game, indexed by power. */
  private agentsOf(row: number): string[] {
    const { recording, setup, agents } = this;
    const { powerNames, powerCount } = setup.map;
    const named = agents.list();
    return powerNames.map((name, power) => {
      const client = this.clients.get(row)?.[power] ?? recording.names[name] ?? recording.name;
      const seat = this.seats[row * powerCount + power];
      return named[(seat === BY_HANDSHAKE ? setup.seats[power] : seat) - 1] ?? client;
    });
  }

  /**
   * Sets the client's names in some games, for all later records of these rows.
   * @param request {games: rows, names: for each of them a list of names, indexed by power}
   * @throws LepantoError if the request is invalid
   */
  nameClients(request: object): null {
    const games = wholeNumbers(fieldOf(request, 'games'), 'games');
    const byPower = listOf(text, 0, this.setup.map.powerCount);
    const names = listOf(byPower, games.length, games.length)(fieldOf(request, 'names'), 'names');
    for (const [i, row] of games.entries()) this.clients.set(row, names[i]);
    return null;
  }

  /**
   * Takes over the phases that games first .. end - 1 played in the last step from the log, and records the games that
   * have ended.
   * @throws LepantoError if a file cannot be written
   */
  take(first: number, end: number): void {
    for (let row = first; row < end; row++) {
      try {
        this.takeRow(row);
      } catch (error) {
        // The phases of this and the later games are lost, so these games are not recorded.
        this.phases.fill(null, row, end);
        throw error;
      }
    }
  }

  private takeRow(row: number): void {
    for (const played of this.log.read(row)) {
      const phases = this.phases[row];
      const isEnd = played.phase === COMPLETED;
      phases?.push(isEnd ? played : { ...played, state: phases.length === 0 ? this.start : null });
      if (!isEnd) continue;
      this.phases[row] = [];
      if (phases !== null) this.finish(row, phases, played.state);
    }
  }

  private finish(row: number, phases: StoredPhase[], state: Uint8Array): void {
    loadState(this.end, state);
    this.games.add(this.agentsOf(row), { phases, scores: gameScores(this.end) });
  }

  /**
   * Drops the phases that were taken over for games with a set mask.
   * @param mask a byte for each row; not 0 for the games
   * @param isKnown true if the games restart; false if they continue from positions without a past, and are not
   *   recorded
   */
  forget(mask: Uint8Array, isKnown: boolean): void {
    for (let row = 0; row < this.phases.length; row++) if (mask[row] !== 0) this.phases[row] = isKnown ? [] : null;
  }

  /** Writes all games that have ended to disk. Returns their number since the recording began. */
  write(): number {
    return this.games.write();
  }
}
