// Exports of notation/text: parses orders in any common notation, and formats them as canonical text.
export {
  formatOrder,
  formatUnit,
  type OrderFields,
  orderedUnits,
  orderFields,
  orderText,
  type Units,
  unitsOf,
} from './format.js';
export { interpretOrders, settleTwice } from './interpret.js';
export type { Interpreted, Position, Retreats } from './judge.js';
export {
  coastOn,
  findPower,
  isSea,
  listLocations,
  listPowers,
  MAX_TEXT,
  type NamedUnit,
  type Names,
  namesOf,
  type OrderKind,
  orderKinds,
  type Place,
  parseOrder,
  parsePlace,
  parseUnit,
  plainWord,
  provincesIn,
  type RawOrder,
} from './parse.js';
export { DATC_READING, type Reading, readingOptions } from './reading-options.js';
export { DEFAULT_RULES, type RuleSet, ruleSetByName } from './rule-set.js';
