// The seats that agents of Lepanto take.
import type { Game, Power, Random } from '../../../engine/internal.js';
import { type Agent, type Past, UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { askAgent } from '../../../selfplay/games/ask.js';

/** An agent that plays at all tables. */
export class SeatedAgent {
  /** Its last question, for an agent that answers one after the other. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    /** As --agents has it. */
    readonly name: string,
    private readonly agent: Agent,
  ) {}

  /** Its orders for a power. @throws LepantoError as askAgent() does */
  async ask(game: Game, power: Power, random: Random, table: number, past: Past): Promise<Int32Array> {
    const out = new Int32Array(game.map.provinceCount);
    const ask = async (): Promise<number> =>
      askAgent(this.agent, { game, power, random, budget: UNBOUNDED, index: table, past }, out);
    const { concurrency = 1 } = this.agent;
    const answer = concurrency > 1 ? ask() : this.last.then(ask);
    this.last = answer.catch(() => {});
    return out.subarray(0, await answer);
  }
}
