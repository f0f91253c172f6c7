// The kinds of agents that ship. Needs nothing of Node: pages list them too.
import type { AgentKind } from '../question/agent.js';
import { dumbbot } from './dumbbot.js';
import { greedy } from './greedy.js';
import { guard } from './guard.js';
import { hold } from './hold.js';
import { reply } from './reply.js';
import { policy, random } from './sampled.js';

/**
 * All kinds.
 * @param net the kind of nets, which reads its weights from a file or from the server of a page
 * @param search the kind of searches, which reads what is known of opponents from files, or refuses to
 */
export const kindsWith = (net: AgentKind, search: AgentKind): readonly AgentKind[] => [
  ...[random, hold, policy, guard, greedy, dumbbot, reply, net, search],
];
