// Public entry point of the engine: maps, games, orders and adjudication. README.md shows how to use it.
//
// A Game is a view of a few hundred bytes. An order is one int32: makeOrder packs it, orderType() and related functions
// unpack it. Provinces, locations, powers and centres are numbers; the map (game.map) has their names. The engine does
// no I/O and runs in Node, in workers and in browsers. These exports are stable. raw.ts exports calls that write to
// buffers of the caller. The other folders of this repository import internal.ts instead.
export { adjudicate, declareDraw } from './adjudicate/calendar.js';
export { explain, type Reason, ReasonCode } from './adjudicate/explain.js';
export { adjustmentDue, isLegal } from './legal/lists.js';
export { legalByPower } from './legal/orderer.js';
export { compileMap } from './map/compile.js';
export type {
  CompiledMap,
  MapOption,
  MapRows,
  PowerRow,
  ProvinceRow,
} from './map/compiled-map.js';
export { loadMap, mapNames } from './map/index.js';
export { standard } from './map/standard.js';
export { Batch, type BatchOptions } from './play/batch.js';
export { Sampler } from './play/step.js';
export {
  checkGame,
  type Dislodged,
  Game,
  newGame,
  phaseName,
} from './position/game.js';
export { type ErrorCode, LepantoError } from './rules/error.js';
export { type Rules, rulesByName } from './rules/options.js';
export {
  makeOrder,
  type Order,
  OrderType,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
} from './rules/order.js';
export { Random } from './rules/random.js';
export type { Results } from './rules/results.js';
export { type PresetName, presetNames } from './rules/rule-text.js';
export { Score, type ScoreName, scoreNames } from './rules/score.js';
export {
  type Center,
  Fate,
  type Location,
  NO_UNIT,
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
} from './rules/types.js';
