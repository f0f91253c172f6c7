// The agent of the policy sampler: it orders what rollouts draw.
import { policyOrders } from '../heuristics/policy-orders.js';
import type { Agent, AgentKind } from './agent.js';

const agent: Agent = { name: 'policy', options: {}, choose: policyOrders };

export const policy: AgentKind = {
  name: 'policy',
  help: 'weighted templates: five moves to three supports of what could happen; the policy of the rollouts',
  options: {},
  make: () => agent,
};
