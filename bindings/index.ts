// The public names of the bindings: text, JSON positions, and what the commands do to them.
export { adjudicateRecord } from './adjudicate.js';
export { legalRecord } from './legal.js';
export * from './position.js';
export { describeFailure } from './reasons.js';
export * from './text.js';
