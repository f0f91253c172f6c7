// The public names of the bindings: text, JSON positions, and what the commands do to them.
export { adjudicateRecord } from './json/adjudicate-record.js';
export { legalRecord } from './json/legal-record.js';
export * from './json/position.js';
export { describeFailure } from './json/reasons.js';
export * from './text/index.js';
