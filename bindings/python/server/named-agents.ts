// The agents that a client names while a batch is under way: as opponents of some games, or to be asked what they would do.
import { LepantoError } from '../../../engine/rules/error.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { loadOpponent } from './opponents.js';

/** Values of `seats` other than the number of a named agent: the opponent of the handshake, if there is one; the client. */
export const BY_HANDSHAKE = 0;
export const CLIENT = 255;
const MOST_AGENTS = CLIENT - 1;

/** Bytes that the threads share: the texts of all agents as JSON, filled up with zeros. */
const TEXT_BYTES = 1 << 16;

export const makeAgentTexts = (): Uint8Array => new Uint8Array(new SharedArrayBuffer(TEXT_BYTES));

/** Agents by number, from 1 on. Each thread has one of these over the same texts, and makes an agent when it first meets it. */
export class NamedAgents {
  private readonly made: (Agent | undefined)[] = [];

  constructor(private readonly bytes: Uint8Array) {}

  /** The texts of all agents: the first one is that of number 1. */
  list(): string[] {
    if (!this.hasAny()) return [];
    return JSON.parse(Buffer.from(this.bytes.slice(0, this.bytes.indexOf(0))).toString('utf8')) as string[];
  }
  /** False if there is no room for them. */
  private write(texts: readonly string[]): boolean {
    const data = Buffer.from(texts.length === 0 ? '' : JSON.stringify(texts));
    if (data.length >= this.bytes.length) return false;
    this.bytes.fill(0, data.length);
    this.bytes.set(data);
    return true;
  }

  /** True if the client has named any. */
  hasAny(): boolean {
    return this.bytes.length > 0 && this.bytes[0] !== 0;
  }

  /** Adds an agent; returns its number, that of before if it is known. @throws LepantoError if there is no room for it */
  add(text: string): number {
    const known = this.list();
    if (known.includes(text)) return known.indexOf(text) + 1;
    if (text === '' || known.length === MOST_AGENTS || !this.write([...known, text]))
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

  /** Those that this thread has made. */
  all(): Agent[] {
    return this.made.filter((agent) => agent !== undefined);
  }

  /** Makes an agent in this thread. @throws LepantoError for a number or text that is none, or a module that cannot be loaded */
  async load(number: number): Promise<Agent> {
    const known = this.made[number];
    if (known !== undefined) return known;
    const text = this.list()[number - 1];
    if (text === undefined)
      throw new LepantoError('argument', `agent: got number ${number}, wanted 1 to ${this.list().length}`);
    const agent = await loadOpponent(text);
    this.made[number] = agent;
    return agent;
  }
}
