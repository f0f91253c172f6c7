// Says what code of users did that its user should know, in sentences.
import type { Remark } from './user-code.js';
import type { CodeWatch } from './watchdog.js';

const count = (n: number, one: string, many: string): string => (n === 1 ? `one ${one}` : `${n} ${many}`);

const describe = ({ agent, kind, count: n, what }: Remark): string => {
  const first = n === 1 ? what : `the first one: ${what}`;
  switch (kind) {
    case 'chance':
      return `agent ${agent} calls Math.random: its games cannot be repeated; choose() is given the stream to draw from`;
    case 'thrown':
      return `agent ${agent} threw ${count(n, 'exception', 'exceptions')} after its answers, where nobody could catch them: ${first}`;
    case 'illegal':
      return `agent ${agent} gave ${count(n, 'order', 'orders')} that did not count: ${first}`;
    case 'silent':
      return `agent ${agent} was too slow ${count(n, 'time', 'times')}, and ordered nothing: ${first}`;
    case 'ended':
      return `agent ${agent} ended ${count(n, 'time', 'times')} twice over one question, and ordered nothing: ${first}`;
    case 'garbled':
      return `agent ${agent} gave ${count(n, 'answer', 'answers')} without orders: ${first}`;
    case 'rejected':
      return `agent ${agent} left ${count(n, 'rejected promise', 'rejected promises')} that nobody handled: ${first}`;
  }
};

/** Collects the remarks of one run or arena. */
export class AgentReport implements CodeWatch {
  readonly limit: number;
  private readonly isEndless: boolean;
  private readonly say: (sentence: string) => void;
  private readonly remarks = new Map<string, Remark>();

  /**
   * @param limit milliseconds for one answer; 0 for as many as it takes
   * @param isEndless true where nobody will sum up: the first remark of each kind is said at once
   */
  constructor(limit: number, say: (sentence: string) => void, isEndless = false) {
    this.limit = limit;
    this.say = say;
    this.isEndless = isEndless;
  }

  readonly onRemark = (remark: Remark): void => {
    const key = `${remark.kind} ${remark.agent}`;
    const known = this.remarks.get(key);
    this.remarks.set(key, known === undefined ? remark : { ...known, count: known.count + remark.count });
    // Early: a long run may be worth stopping for this.
    if (known === undefined && (remark.kind === 'chance' || this.isEndless)) this.say(describe(remark));
  };

  /** A thread has ended; what it was at will be done again. */
  onCrash(what: string, error: Error): void {
    this.say(`${error.message}; its thread is replaced, and ${what} is played again`);
  }

  /** At the end: all that was not said before. */
  sumUp(): void {
    for (const remark of this.remarks.values()) if (remark.kind !== 'chance') this.say(describe(remark));
  }
}
