// Reads and writes text and JSON for users of the engine: orders as people write them, positions as programs exchange
// them. Nothing here needs Node: it runs in a browser, like the engine.
//
//   const game = newGame();
//   const results = adjudicate(game, orders(game, { FRANCE: ['A PAR - BUR', 'A MAR S A PAR - BUR'] }));
//   outcomes(game, results); // [{ power: 'FRANCE', unit: 'A PAR', order: 'A PAR - BUR', result: 'succeeds', ...}, ...]
//
// `lepanto/tensors` has the encoders for nets, `lepanto/games` the saved games of other programs.
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
