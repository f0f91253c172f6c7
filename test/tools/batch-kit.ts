// A batch of the Python server without a client: its configuration, and one thread's share of it in memory of its own.

import { readConfig, type ServerConfig, setUp } from '../../bindings/python/server/config.js';
import { Core } from '../../bindings/python/server/core.js';
import { makeThreadMemory } from '../../bindings/python/server/games.js';
import type { Layout } from '../../bindings/python/server/layout.js';
import { Memory } from '../../bindings/python/server/memory.js';
import { NamedAgents } from '../../bindings/python/server/named-agents.js';
import { Game } from '../../engine/internal.js';

/** A request of a client with some fields changed, as it is read. */
export const readChanged = (changes: object): ServerConfig =>
  readConfig({
    ...{ map: 'standard', rules: 'datc-3.2', games: 1, children: 0, workers: 1, observations: 'none' },
    ...{ reset_mode: 'same_step', until: 0, actions: 'vocabulary', fd: 3, parent: 1 },
    ...changes,
  });

/** Seeds as a client would give them. */
export const writeSeeds = (memory: Memory): void =>
  memory.int32('seeds').forEach((_, i, seeds) => {
    seeds[i] = 7919 * i + 5;
  });

/** Sets up a batch: what its threads share. */
export const prepareBatch = (changes: object, makeMemory: (layout: Layout) => Memory) => {
  const config = readChanged(changes);
  const setup = setUp(config);
  const memory = makeMemory(setup.layout);
  const shared = makeThreadMemory(config, setup);
  const agents = new NamedAgents(shared.agentTexts);
  for (const text of Object.values(config.opponents)) agents.add(text);
  return { config, setup, memory, shared, agents };
};

/** One thread's share of a batch whose games have begun. @param past for what agents are told of games */
export const openShare = async (changes: object, past = new Int32Array(0)) => {
  const ownMemory = (layout: Layout): Memory => new Memory(layout, -1, new SharedArrayBuffer(layout.size));
  const { config, setup, memory, shared, agents } = prepareBatch(changes, ownMemory);
  const { map, layout, rules } = setup;
  const core = new Core(config, setup, memory, { ...shared, past });
  for (const i of agents.list().keys()) await core.perform('load', 0, 1, i + 1);
  memory.bytes('mask').fill(1);
  writeSeeds(memory);
  const game = (row: number): Game => {
    const made = new Game(map, rules.adjudication, memory.bytes('state'));
    made.offset = row * made.layout.stride;
    return made;
  };
  const eachChunk = (visit: (first: number, end: number) => unknown): void => {
    for (let first = 0; first < config.games; first += layout.chunk)
      visit(first, Math.min(first + layout.chunk, config.games));
  };
  eachChunk((first, end) => core.perform('reset', first, end));
  return { config, setup, memory, core, game, eachChunk };
};
export type Share = Awaited<ReturnType<typeof openShare>>;
