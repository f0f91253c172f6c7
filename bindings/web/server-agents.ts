// The agents that the server of a page plays: bots in processes of their own and modules, those of its command line alone.
// What a page names is looked up among them: a name of a page never becomes a command or a path.

import type { ByPower } from '../../engine/notation/json/position.js';
import { anything, byKey, fieldReader, oneOf } from '../../engine/rules/shape.js';
import { loadAgent } from '../../selfplay/agents/registry.js';
import type { Agent } from '../../selfplay/question/agent.js';
import { askOrders, openGame } from './orders/asked-game.js';

export class ServerAgents {
  static readonly none = new ServerAgents(new Map());

  private constructor(private readonly agents: ReadonlyMap<string, Agent>) {}

  /** @throws LepantoError for the name of no agent */
  static async load(names: readonly string[]): Promise<ServerAgents> {
    const agents = await Promise.all(names.map(async (name) => [name, await loadAgent(name)] as const));
    return new ServerAgents(new Map(agents));
  }

  get names(): readonly string[] {
    return [...this.agents.keys()];
  }

  /** Orders by power. @param asked AskedOrders of a page @throws LepantoError that names what is wrong */
  async ask(asked: unknown): Promise<ByPower> {
    const field = fieldReader(asked, 'request');
    const seats = field('seats', byKey(oneOf(this.names)));
    const seated = Object.fromEntries(
      Object.entries(seats).map(([power, name]) => [power, this.agents.get(name) as Agent]),
    );
    return askOrders(openGame(field('game', anything)), seated);
  }
}
