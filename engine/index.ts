// The public engine: maps, games, orders, adjudication. README.md shows how to use it.
//
// A game is a view of a few hundred bytes (Game). An order is one int32: makeOrder packs it, orderType() and related
// functions read it. Provinces, locations, powers and centres are numbers, and the map (game.map) has their names.
// Nothing here does I/O or needs more than the language: it runs in Node, in a worker and in a browser. These exports are
// kept stable; raw.ts has what fills buffers of the caller. The other folders of the project import internal.ts.
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
