// Encodes inputs and outputs of nets: boards, orders and actions as defined by DipNet, DeepMind and dipcc. Does not
// require Node.
//
//   const board = dipnetBoard(game);                       // Uint8Array, [81, 35] row after row
//   const legal = legalByPower(game, power)[0];            // orders of one unit
//   const logits = [...legal].map((order) => policy[vocabulary(game.map).indexOf(order)]);
//
// Rows are locations, in the order of dipnetLocations() or deepmindLocations(). The `...Into` functions write to an
// array of the caller, for batches of boards.
export { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
export { type BoardLayout, boardLayout } from './board.js';
export {
  type DeepmindActions,
  deepmindAction,
  deepmindActions,
  deepmindBoard,
  deepmindBoardInto,
  deepmindKinds,
  deepmindLocations,
  deepmindSeason,
} from './deepmind.js';
export { type DipccVersion, dipccBoard, dipccBoardInto } from './dipcc.js';
export { DipccOrders, dipccVocabulary, type OrderedPhase, type PossibleOrders } from './dipcc-orders.js';
export { dipnetBoard, dipnetBoardInto, dipnetOrders, dipnetOrdersInto } from './dipnet.js';

export { type MappedVocabulary, mapVocabulary, readVocabulary } from './vocabulary-file.js';
