// The agent that does nothing: its units hold.
import { plainKind } from '../question/agent.js';

/** No orders at all: units hold, dislodged ones are disbanded, nothing is built, removals fall to civil disorder. */
export const hold = plainKind('hold', 0.1, 'gives no orders: units hold, nothing is built', () => 0);
