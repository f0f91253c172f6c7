// The public engine: maps, games, orders, adjudication. README.md shows how to use it.
//
// A game is a view of a few hundred bytes (Game). An order is one int32: makeOrder packs it, orderType() and related
// functions read it. Provinces, locations, powers and centres are numbers, and the map (game.map) has their names.
// Nothing here does I/O or needs more than the language: it runs in Node, in a worker and in a browser. These exports are
// kept stable; the other folders of the project import internal.ts instead.
export { adjudicate, declareDraw } from './adjudicate.js';
export { explain, type Reason, ReasonCode } from './explain.js';
export {
  allLegalOrders,
  balance,
  countLegalOrders,
  isLegal,
  legalOrders,
  MAX_ORDERS_PER_PROVINCE,
} from './legal/lists.js';
export { legalMask } from './legal/mask.js';
export { legalByPower } from './legal/orderer.js';
export { type Vocabulary, vocabulary } from './legal/vocabulary.js';
export { compileMap } from './map/compile.js';
export type {
  CompiledMap,
  MapOption,
  MapRows,
  PowerRow,
  ProvinceRow,
  SpecialTables,
} from './map/compiled-map.js';
export { loadMap, mapNames } from './map/index.js';
export { standard } from './map/standard.js';
export {
  makeOrder,
  type Order,
  OrderType,
  orderAux,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
} from './order.js';
export { phaseName } from './phase-names.js';
export { Random } from './random.js';
export { makeResults, type Results } from './results.js';
export { type PresetName, presetNames } from './rule-text.js';
export { type Rules, rulesByName } from './rules.js';
export { Batch, type BatchOptions } from './sampling/batch.js';
export { Sampler } from './sampling/stepper.js';
export { type ScoreName, scoreNames } from './score.js';
export {
  checkGame,
  type Dislodged,
  Game,
  hashGame,
  newGame,
  readGame,
  type StateLayout,
  writeGame,
} from './state.js';
export {
  type Center,
  Fate,
  type Location,
  Phase,
  type Power,
  type Province,
  ProvinceKind,
  Result,
  Season,
  Status,
  type Unit,
  UnitType,
  unitPower,
  unitType,
} from './types.js';
