// Lists the kinds of agents that ship with Lepanto. Imports nothing from Node, because browser pages list them too.
import type { AgentKind } from '../question/agent.js';
import { dumbbot } from './dumbbot.js';
import { greedy } from './greedy.js';
import { guard } from './guard.js';
import { hold } from './hold.js';
import { reply } from './reply.js';
import { policy, random } from './sampled.js';

/**
 * Returns all kinds of agents that ship with Lepanto.
 * @param net kind `net`, which reads weights from a file or from the server of a page
 * @param search kind `search`, which reads named opponents from files, or rejects them in a browser
 */
export const kindsWith = (net: AgentKind, search: AgentKind): readonly AgentKind[] => [
  ...[random, hold, policy, guard, greedy, dumbbot, reply, net, search],
];
