// The agents that a client names while a batch is under way: as opponents of some games, or to be asked what they would do.
import { LepantoError } from '../../../engine/rules/error.js';
import type { Agent } from '../../../selfplay/agents/agent.js';
import { loadOpponent } from './opponents.js';

/** Values of `seats` other than the number of a named agent: the opponent of the handshake, if there is one; the client. */
export const BY_HANDSHAKE = 0;
export const CLIENT = 255;
const MOST_AGENTS = CLIENT - 1;

/** Bytes that the threads share: the text of each agent behind its length, two bytes; 0 behind the last one. */
const TEXT_BYTES = 1 << 16;

export const makeAgentTexts = (): Uint8Array => new Uint8Array(new SharedArrayBuffer(TEXT_BYTES));

/** Agents by number, from 1 on. Each thread has one of these over the same texts, and makes an agent when it first meets it. */
export class NamedAgents {
  declare private readonly bytes: Uint8Array;
  declare private readonly made: (Agent | undefined)[];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.made = [];
  }

  /** Where each text begins, and at last where the next one would. */
  private places(): number[] {
    const { bytes } = this;
    const places = [0];
    for (let at = 0; at + 1 < bytes.length && bytes[at] + bytes[at + 1] > 0; ) {
      at += 2 + bytes[at] + 256 * bytes[at + 1];
      places.push(at);
    }
    return places;
  }

  /** The texts of all agents: the first one is that of number 1. */
  list(): string[] {
    const places = this.places();
    return places.slice(0, -1).map((at, i) => Buffer.from(this.bytes.slice(at + 2, places[i + 1])).toString('utf8'));
  }

  /** True if the client has named any. */
  hasAny(): boolean {
    return this.bytes.length > 1 && this.bytes[0] + this.bytes[1] > 0;
  }

  /** Adds an agent; returns its number, that of before if it is known. @throws LepantoError if there is no room for it */
  add(text: string): number {
    const known = this.list();
    if (known.includes(text)) return known.indexOf(text) + 1;
    const data = Buffer.from(text);
    const at = this.places()[known.length];
    if (known.length === MOST_AGENTS || at + data.length + 4 > TEXT_BYTES || data.length === 0)
      throw new LepantoError(
        'argument',
        `agent: got "${text.slice(0, 60)}" after ${known.length} others, wanted at most ${MOST_AGENTS} of ${TEXT_BYTES} bytes`,
      );
    this.bytes.set(data, at + 2);
    this.bytes[at] = data.length & 255;
    this.bytes[at + 1] = data.length >> 8;
    return known.length + 1;
  }

  /** Takes the last agent back: it cannot be made. */
  drop(): void {
    const places = this.places();
    this.bytes.fill(0, places[Math.max(0, places.length - 2)]);
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
