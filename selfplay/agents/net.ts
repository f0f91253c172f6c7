// The agent `net`, with weights from a file.
import { makeNet, readWeights } from '../nets/weights.js';
import type { AgentKind } from '../question/agent.js';
import { netKind } from './net-player.js';

/**
 * Agent kind `net`. It draws orders by the scores of a neural net. The agent text contains the hash of the weights, so
 * that a run uses one net.
 */
export const net: AgentKind = netKind((file, hash) => {
  const weights = readWeights(file, hash);
  return { hash: weights.hash, readsPast: weights.model !== undefined, make: (map) => makeNet(map, weights) };
});
