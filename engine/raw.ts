// Low-level entry point of the engine: unchecked calls that write to buffers of the caller, packed positions, and
// orders as vocabulary indices. For programs in which every microsecond counts; other programs should use index.ts.
export { allLegalOrders, countLegalOrders, legalOrders, MAX_ORDERS_PER_PROVINCE } from './legal/lists.js';
export { legalMask, type Vocabulary, vocabulary } from './legal/vocabulary.js';
export type { SpecialTables } from './map/compiled-map.js';
export { hashGame, readGame, type StateLayout, writeGame } from './position/game.js';
export { makeResults } from './rules/results.js';
