// Positions as tests write them, and orders as they read them.
import { type CompiledMap, DATC_3_2, Game, PLAYING, type Rules, standard } from '../../engine/internal.js';
import { parsePosition } from '../../engine/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../engine/notation/text/index.js';
import { loadState } from '../../selfplay/games/game-record.js';

/** The game of a record of a position, on the standard map. */
export const position = (record: object): Game => parsePosition(record, standard, DATC_3_2).game;

/** Returns the game of a recorded state: that of a phase in a record. */
export const gameOfState = (state: Uint8Array, map: CompiledMap = standard, rules: Rules = DATC_3_2): Game => {
  const game = new Game(map, rules);
  loadState(game, state);
  return game;
};

/** Returns the games of recorded phases, without those that are over. */
export const positionsOf = (phases: readonly { readonly state: Uint8Array }[], map?: CompiledMap): Game[] =>
  phases.map(({ state }) => gameOfState(state, map)).filter(({ status }) => status === PLAYING);

/** Returns orders as text, in the given sequence. */
export const textsOf = (game: Game, orders: Iterable<number>): string[] => {
  const units = orderedUnits(game);
  return Array.from(orders, (order) => formatOrder(game.map, order, units));
};
