// Records the games of a DAIDE server as runs of self-play: what `lepanto replay`, `stats` and `convert` read.
import { COMPLETED } from '../../../engine/internal.js';
import { SeatedRuns } from '../../../selfplay/arena/seated-runs.js';
import { gameScores, recordState } from '../../../selfplay/games/game-record.js';
import { makeManifest } from '../../../selfplay/records/make-manifest.js';
import { type StoredGame, withoutStates } from '../../../selfplay/records/record.js';
import { GAMES_PER_SHARD } from '../../../selfplay/records/run-spec.js';
import { findCommit } from '../../../selfplay/version.js';
import type { GameTable } from './game-table.js';

/** What manifests say of the games. */
export interface RecordedGames {
  readonly map: string;
  readonly rules: string;
  readonly seed: number;
  readonly until: number;
  readonly command: string;
}

/** A client's name and version in one word, as the name of an agent. */
const nameOf = ({ name, version }: { name: string; version: string }): string =>
  [name, version]
    .map((part) => part.trim().replace(/[^\w.+=:-]+/g, '_'))
    .filter((part) => part !== '')
    .join('-') || 'client';

/** Games that have ended, in runs by who played them. */
export class DaideRecords {
  declare private readonly runs: SeatedRuns;

  /** @throws LepantoError if the directory holds anything, or cannot be made */
  constructor(directory: string, { map, rules, seed, until, command }: RecordedGames) {
    this.runs = new SeatedRuns(directory, (agents) => ({
      ...makeManifest({ map, rules, agents, games: 0, seed, until, shardGames: GAMES_PER_SHARD }, findCommit()),
      command,
    }));
  }

  /** Writes a game that has ended. @throws LepantoError if a file cannot be written */
  async add({ game, seating, seed }: GameTable): Promise<void> {
    const state = recordState(game.game);
    const last = { phase: COMPLETED, state, orders: new Int32Array(0), results: new Uint8Array(0) };
    const record = { index: 0, seed, phases: [...game.phases, last], scores: gameScores(game.game) };
    const stored: StoredGame = withoutStates(record);
    await this.runs.of(seating.map(nameOf)).add(stored);
    await this.runs.write();
  }
}
