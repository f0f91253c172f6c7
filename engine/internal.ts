// Exports what the other folders of the project use of the engine: the public names, and names that may change without
// notice. Nothing in selfplay/, bindings/, bench/ or test/ imports index.ts, which is for users. Hot code imports the
// files of resolve/ and sampling/ directly.
export { adjudicate, declareDraw } from './adjudicate.js';
export { civilDisorderDistance, civilDisorderRemoval } from './adjustment.js';
export { countBits, lowestBit, testBit } from './bitset.js';
export * from './explain.js';
export { formerOptions, isFormerId } from './former-rules.js';
export * from './legal/lists.js';
export { legalMask } from './legal/mask.js';
export * from './legal/orderer.js';
export { type Vocabulary, vocabulary } from './legal/vocabulary.js';
export { compileMap } from './map/compile.js';
export {
  type CompiledMap,
  type MapOption,
  type MapRows,
  mapOptions,
  type PowerRow,
  type ProvinceRow,
  type SpecialTables,
} from './map/compiled-map.js';
export { addedMaps, addMap, changeMap, loadMap, mapNames } from './map/index.js';
export { hasPlace, type MapChanges, type MapEditName, mapEditNames, readMapChanges } from './map/map-options.js';
export { isCanal, isFrozen } from './map/special.js';
export { standard, standardRows } from './map/standard.js';
export * from './order.js';
export * from './phase-names.js';
export { hashSeed, mix, Random } from './random.js';
export { makeResults, type Results } from './results.js';
export * from './rule-text.js';
export {
  DATC_3_2,
  fallsBackToLand,
  type RuleKey,
  type Rules,
  ruleKeys,
  ruleOptions,
  rulePresets,
  rulesByName,
  ruleValue,
} from './rules.js';
export { Batch, type BatchOptions, nextEpisodeSeed } from './sampling/batch.js';
export { POLICY, Sampler, samplers, UNIFORM } from './sampling/stepper.js';
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
