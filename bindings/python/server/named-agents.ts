// The agents of a batch that play in the engine: those of the handshake, and those that a client names while the batch is
// under way, as opponents of some games or to be asked what they would do.
import { register } from 'node:module';
import type { CompiledMap } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { loadAgent } from '../../../selfplay/agents/registry.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { isModuleName } from '../../../selfplay/question/agent-name.js';

/** Values of `seats` other than the number of an agent: as the handshake says; the client. */
export const BY_HANDSHAKE = 0;
export const CLIENT = 255;
const MOST_AGENTS = CLIENT - 1;

/** Bytes that the threads share: the texts of all agents as JSON, filled up with zeros; the last byte see readsPast. */
const TEXT_BYTES = 1 << 16;

export const makeAgentTexts = (): Uint8Array => new Uint8Array(new SharedArrayBuffer(TEXT_BYTES));

/** Texts of agents by power. Names of modules are relative to the working directory of the client. */
type Opponents = Readonly<Record<string, string>>;

/**
 * By power: the number of its agent, CLIENT for a power that the client orders. The agents are numbered from 1 on in the
 * order in which they were named.
 * @throws LepantoError for a power that is unknown, or named twice
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

/** Makes `import ... from 'lepanto'` in a user's module mean this engine, wherever the module lies. */
const nameOurselves = (): void => {
  if (hasName) return;
  hasName = true;
  const hook = `export const resolve = (name, context, next) =>
    next(name, /^lepanto(\\/|$)/.test(name) ? { ...context, parentURL: ${JSON.stringify(import.meta.url)} } : context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
};

/** Agents by number, from 1 on. Each thread has one of these over the same texts, and makes an agent when it first meets it. */
export class NamedAgents {
  private readonly made: (Agent | undefined)[] = [];

  constructor(private readonly bytes: Uint8Array) {}

  /** The texts of all agents: the first one is that of number 1. */
  list(): string[] {
    if (this.bytes[0] === 0) return [];
    return JSON.parse(Buffer.from(this.bytes.slice(0, this.bytes.indexOf(0))).toString('utf8')) as string[];
  }
  /** False if there is no room for them. */
  private write(texts: readonly string[]): boolean {
    const data = Buffer.from(texts.length === 0 ? '' : JSON.stringify(texts));
    if (data.length >= TEXT_BYTES - 1) return false;
    this.bytes.fill(0, data.length, TEXT_BYTES - 1);
    this.bytes.set(data);
    return true;
  }

  /** True if some thread has made an agent that may want to know what was played before. The same in all threads. */
  get readsPast(): boolean {
    return this.bytes[TEXT_BYTES - 1] !== 0;
  }

  /** Adds an agent; returns its number, that of before if it is known. @throws LepantoError if there is no room for it */
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

  /** Takes the last agent back: it cannot be made. */
  drop(): void {
    this.write(this.list().slice(0, -1));
  }

  /** The agent of a number; undefined until this thread has made it. */
  get(number: number): Agent | undefined {
    return this.made[number];
  }

  /** Makes an agent in this thread. @throws LepantoError for a number or text that is none, or a module that cannot be loaded */
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
