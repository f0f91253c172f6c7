// The agent `hold`, which gives no orders.
import { plainKind } from '../question/agent.js';

/**
 * Agent kind `hold`. It gives no orders: units hold, dislodged units disband, builds are waived, and civil disorder
 * decides removals.
 */
export const hold = plainKind('hold', 0.1, 'no orders: units hold, no builds', () => 0);
