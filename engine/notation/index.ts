// Public entry `lepanto/notation`: reads and writes orders as text, and positions and results as JSON. Runs in browsers
// as well as in Node.
//
//   const game = newGame();
//   const results = adjudicate(game, orders(game, { FRANCE: ['A PAR - BUR', 'A MAR S A PAR - BUR'] }));
//   outcomes(game, results); // [{ power: 'FRANCE', unit: 'A PAR', order: 'A PAR - BUR', result: 'succeeds', ...}, ...]
//
// `lepanto/tensors` encodes positions for neural networks. `lepanto/games` reads saved games of other programs.
export { type AdjudicatedRecord, adjudicateRecord, type RecordId } from './json/adjudicate-record.js';
export { type LegalRecord, legalRecord } from './json/legal-record.js';
export { type OrderEntry, outcomes } from './json/outcomes.js';
export {
  type ByPower,
  formatPosition,
  orders,
  type PositionRecord,
  parsePosition,
  type RefusedOrder,
  type RetreatsByPower,
} from './json/position.js';
export {
  type OrderFields,
  type OrderKind,
  orderFields,
  orderText,
  type Place,
  type Position,
  parsePlace,
  parseUnit,
  type Reading,
  type Retreats,
  type RuleSet,
  ruleSetByName,
} from './text/index.js';
