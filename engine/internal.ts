// Engine exports for the other folders of this repository: the public names, and unstable names. selfplay/, bindings/,
// bench/ and test/ import this file instead of index.ts, which is for users. They import play/ and performance-critical
// code of adjudicate/ directly, so that programs that only read text do not load it.

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
