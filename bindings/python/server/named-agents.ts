// Agents of a batch that play in the engine: the opponents in the handshake, and agents that the client names later, as
// opponents in some games or to choose actions.
import { register } from 'node:module';
import type { CompiledMap } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { loadAgent } from '../../../selfplay/agents/registry.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { isModuleName } from '../../../selfplay/question/agent-name.js';

/**
 * Values of the array `seats` other than numbers of agents. BY_HANDSHAKE: the player that the handshake named for the
 * power. CLIENT: the client orders the power.
 */
export const BY_HANDSHAKE = 0;
export const CLIENT = 255;
const MOST_AGENTS = CLIENT - 1;

/**
 * Size of the agents' texts in shared memory, in bytes. They are a JSON list, padded with zeros. The last byte is 1 if
 * an agent reads the past of games.
 */
const TEXT_BYTES = 1 << 16;

export const makeAgentTexts = (): Uint8Array => new Uint8Array(new SharedArrayBuffer(TEXT_BYTES));

/** Agents, keyed by name of the power. Paths of modules are relative to the client's working directory. */
type Opponents = Readonly<Record<string, string>>;

/**
 * Returns the number of each power's agent in the handshake, indexed by power; CLIENT for a power that the client
 * orders. Agents are numbered from 1 in the order in which they are first named.
 * @throws LepantoError for a power that is unknown or named twice
 */
export const usualSeats = ({ powerNames }: CompiledMap, opponents: Opponents): readonly number[] => {
  const texts = [...new Set(Object.values(opponents))];
  const seats = powerNames.map(() => CLIENT);
  for (const [name, text] of Object.entries(opponents)) {
    const power = powerNames.indexOf(name.toUpperCase());
    if (power < 0)
      throw new LepantoError('argument', `opponents: got "${name}", wanted one of ${powerNames.join(', ')}`);
    if (seats[power] !== CLIENT)
      throw new LepantoError('argument', `opponents: got "${name}" twice, wanted one agent for each power`);
    seats[power] = 1 + texts.indexOf(text);
  }
  return seats;
};

let hasName = false;

/** Makes `import ... from 'lepanto'` in a user's module resolve to this engine, wherever the module is. */
const nameOurselves = (): void => {
  if (hasName) return;
  hasName = true;
  const hook = `export const resolve = (name, context, next) =>
    next(name, /^lepanto(\\/|$)/.test(name) ? { ...context, parentURL: ${JSON.stringify(import.meta.url)} } : context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
};

/**
 * Agents of a batch, numbered from 1. Threads share the agents' texts; each thread creates an agent when it first needs
 * it.
 */
export class NamedAgents {
  private readonly made: (Agent | undefined)[] = [];

  constructor(private readonly bytes: Uint8Array) {}

  /** Returns the texts of all agents. Agent number n is at index n - 1. */
  list(): string[] {
    if (this.bytes[0] === 0) return [];
    return JSON.parse(Buffer.from(this.bytes.slice(0, this.bytes.indexOf(0))).toString('utf8')) as string[];
  }
  /**
   * Writes the texts of all agents to the memory of all threads. Returns false, without writing, if they do not fit.
   */
  private write(texts: readonly string[]): boolean {
    const data = Buffer.from(texts.length === 0 ? '' : JSON.stringify(texts));
    if (data.length >= TEXT_BYTES - 1) return false;
    this.bytes.fill(0, data.length, TEXT_BYTES - 1);
    this.bytes.set(data);
    return true;
  }

  /** True if any thread has created an agent that may read the past of a game. The same in all threads. */
  get readsPast(): boolean {
    return this.bytes[TEXT_BYTES - 1] !== 0;
  }

  /**
   * Adds an agent without creating it, and returns its number, from 1. A known agent keeps its number.
   * @param text name of the agent and its options, or the path of its module
   * @throws LepantoError for too many agents, or if their texts do not fit
   */
  add(text: string): number {
    const known = this.list();
    if (known.includes(text)) return known.indexOf(text) + 1;
    if (known.length === MOST_AGENTS || !this.write([...known, text]))
      throw new LepantoError(
        'argument',
        `agent: got "${text.slice(0, 60)}" after ${known.length} others, wanted at most ${MOST_AGENTS} of ${TEXT_BYTES} bytes`,
      );
    return known.length + 1;
  }

  /** Removes the agent that was added last. Called if it cannot be created. */
  drop(): void {
    this.write(this.list().slice(0, -1));
  }

  /** Returns the agent with a number, or undefined if this thread has not created it yet. */
  get(number: number): Agent | undefined {
    return this.made[number];
  }

  /**
   * Returns the agent with a number, and creates it in this thread if necessary.
   * @throws LepantoError for an unknown number, an invalid text, or a module that cannot be loaded
   */
  async load(number: number): Promise<Agent> {
    const known = this.made[number];
    if (known !== undefined) return known;
    const text = this.list()[number - 1];
    if (text === undefined)
      throw new LepantoError('argument', `agent: got number ${number}, wanted 1 to ${this.list().length}`);
    if (isModuleName(text)) nameOurselves();
    const agent = await loadAgent(text);
    if (agent.readsPast !== false) this.bytes[TEXT_BYTES - 1] = 1;
    this.made[number] = agent;
    return agent;
  }
}
