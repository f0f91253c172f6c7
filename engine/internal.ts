// Exports what the other folders of the project use of the engine: the public names, and names that may change without
// notice. Nothing in selfplay/, bindings/, bench/ or test/ imports index.ts, which is for users. Play and hot code are
// imported from their files in adjudicate/ and play/, so that a reader of text does not load them.

export { adjudicate, declareDraw } from './adjudicate/calendar.js';
export * from './adjudicate/civil-disorder.js';
export * from './adjudicate/explain.js';
export * from './legal/lists.js';
export * from './legal/orderer.js';
export * from './legal/vocabulary.js';
export { cheapestChain } from './map/chains.js';
export { compileMap } from './map/compile.js';
export * from './map/compiled-map.js';
export * from './map/index.js';
export * from './map/map-options.js';
export { perMap } from './map/per-map.js';
export { isCanal, isFrozen } from './map/special.js';
export * from './map/standard.js';
export * from './position/game.js';
export { countBits, lowestBit, testBit } from './rules/bitset.js';
export * from './rules/error.js';
export * from './rules/options.js';
export * from './rules/order.js';
export { hashSeed, mix, Random } from './rules/random.js';
export { makeResults, type Results } from './rules/results.js';
export * from './rules/rule-text.js';
export * from './rules/score.js';
export * from './rules/types.js';
