// What the other folders of this project take from the engine: the public names, and those that are no promise.
// Users import index.ts; nothing in selfplay/, bindings/ or bench/ does.
export * from './index.js';
export { hasOrders, ordererIn, ordererOf } from './legal/orderer.js';
export * from './phase-names.js';
