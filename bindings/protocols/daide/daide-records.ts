// Records the games of a DAIDE server as a self-play run, for `lepanto replay`, `stats` and `convert`.
import { endPhase, GameRecorder, gameScores, type SeatedSpec } from '../../../selfplay/index.js';
import type { GameTable } from './game-table.js';

/**
 * Returns a client's name and version as one word, to serve as an agent name: 'Bot-1.0'. 'client' if both are blank.
 */
const nameOf = ({ name, version }: { name: string; version: string }): string =>
  [name, version]
    .map((part) => part.trim().replace(/[^\w.+=:-]+/g, '_'))
    .filter((part) => part !== '')
    .join('-') || 'client';

/** Writes finished games to a run directory. */
export class DaideRecords {
  private readonly games = new GameRecorder(this.directory, this.spec);

  /** Creates the directory of the run. @throws LepantoError if it is not empty or cannot be created */
  constructor(
    private readonly directory: string,
    private readonly spec: SeatedSpec,
  ) {}

  /** Appends the finished game of a table to the run and writes its files. @throws LepantoError if that fails */
  add({ game, seating }: GameTable): void {
    const phases = [...game.phases, endPhase(game.game)];
    this.games.add(seating.map(nameOf), { phases, scores: gameScores(game.game) });
    this.games.write();
  }
}
