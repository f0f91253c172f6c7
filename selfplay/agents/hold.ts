// The agent that does nothing: its units hold.
import type { Agent, AgentKind } from './agent.js';

/** No orders at all: units hold, dislodged ones are disbanded, nothing is built, removals fall to civil disorder. */
const agent: Agent = { name: 'hold', options: {}, concurrency: Number.POSITIVE_INFINITY, choose: () => 0 };

export const hold: AgentKind = {
  name: 'hold',
  help: 'gives no orders: units hold, nothing is built',
  options: {},
  make: () => agent,
};
