// The engine's public names. Reading order: types, order, map, rules, state, legal, resolve, adjudicate, explain.
export { adjudicate, declareDraw } from './adjudicate.js';
export { civilDisorderDistance, civilDisorderRemoval } from './adjustment.js';
export { countBits, lowestBit, testBit } from './bitset.js';
export * from './explain.js';
export * from './legal/lists.js';
export { legalByPower } from './legal/orderer.js';
export { type Vocabulary, vocabulary } from './legal/vocabulary.js';
export { compile } from './map/compile.js';
export type { CompiledMap, MapRows, PowerRow, ProvinceRow } from './map/compiled-map.js';
export { loadMap, mapNames } from './map/index.js';
export { standard, standardRows } from './map/standard.js';
export * from './order.js';
export { hashSeed, mix, Random } from './random.js';
export { makeResults, type Results } from './results.js';
export * from './rules.js';
export { Batch, type BatchOptions, nextEpisodeSeed } from './sampling/batch.js';
export { boardOrder, POLICY, samplers, UNIFORM } from './sampling/stepper.js';
export * from './score.js';
export {
  checkGame,
  type Dislodged,
  Game,
  hashGame,
  newGame,
  readGame,
  resetGame,
  type StateLayout,
  stateLayout,
  writeGame,
} from './state.js';
export * from './types.js';
