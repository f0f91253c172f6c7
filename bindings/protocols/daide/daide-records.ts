// Records the games of a DAIDE server as a run of self-play: what `lepanto replay`, `stats` and `convert` read.
import { endPhase, GameRecorder, gameScores, type SeatedSpec } from '../../../selfplay/index.js';
import type { GameTable } from './game-table.js';

/** A client's name and version in one word, as the name of an agent. */
const nameOf = ({ name, version }: { name: string; version: string }): string =>
  [name, version]
    .map((part) => part.trim().replace(/[^\w.+=:-]+/g, '_'))
    .filter((part) => part !== '')
    .join('-') || 'client';

/** Games that have ended. */
export class DaideRecords {
  private readonly games = new GameRecorder(this.directory, this.spec);

  /** @throws LepantoError if the directory holds anything, or cannot be made */
  constructor(
    private readonly directory: string,
    private readonly spec: SeatedSpec,
  ) {}

  /** Writes a game that has ended. @throws LepantoError if a file cannot be written */
  add({ game, seating }: GameTable): void {
    const phases = [...game.phases, endPhase(game.game)];
    this.games.add(seating.map(nameOf), { phases, scores: gameScores(game.game) });
    this.games.write();
  }
}
