// The raw engine: calls that fill buffers of the caller and check nothing, packed positions, and orders as indices. They
// are for programs that count every microsecond; index.ts has the same for everybody else.
export { allLegalOrders, countLegalOrders, legalOrders, MAX_ORDERS_PER_PROVINCE } from './legal/lists.js';
export { legalMask, type Vocabulary, vocabulary } from './legal/vocabulary.js';
export type { SpecialTables } from './map/compiled-map.js';
export { hashGame, readGame, type StateLayout, writeGame } from './position/game.js';
export { makeResults } from './rules/results.js';
