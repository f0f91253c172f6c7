// The agent that plays by a net alone, whose weights are in a file.
import { makeNet, readWeights } from '../nets/weights.js';
import type { AgentKind } from '../question/agent.js';
import { netKind } from './net-player.js';

/** Plays by the scores of a net. The hash keeps a run to one net. */
export const net: AgentKind = netKind((file, hash) => {
  const weights = readWeights(file, hash);
  return { hash: weights.hash, readsPast: weights.model !== undefined, make: (map) => makeNet(map, weights) };
});
