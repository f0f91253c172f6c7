// Checks a record from a file before use: refuses impossible positions and orders that no power may give.
import { type CompiledMap, checkGame, Game, isLegal, phaseName, type Rules } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { type GameRecord, loadState } from '../../../selfplay/games/play.js';

/** @throws LepantoError that names the phase; LepantoError for a position of another map */
export const checkRecord = (map: CompiledMap, rules: Rules, record: GameRecord): void => {
  const game = new Game(map, rules);
  record.phases.forEach(({ phase, state, orders }, i) => {
    const refuse = (what: string): never => {
      throw new LepantoError('record', `game ${record.index}, phase ${i} (${phase.slice(0, 20)}): ${what}`);
    };
    loadState(game, state);
    const wrong = checkGame(game);
    if (wrong !== null) refuse(wrong);
    const name = phaseName(game);
    if (name !== phase) refuse(`the position is that of ${name}`);
    const illegal = orders.findIndex((order) => !isLegal(game, order));
    if (illegal >= 0) refuse(`order ${illegal + 1} is not legal there`);
  });
};
