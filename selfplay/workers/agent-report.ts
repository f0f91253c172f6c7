// Says what code of users did that its user should know, in sentences.
import type { AgentWarning } from './user-code.js';
import type { CodeWatch } from './watchdog.js';

const count = (n: number, one: string, many: string): string => (n === 1 ? `one ${one}` : `${n} ${many}`);

const describe = ({ agent, kind, count: n, what }: AgentWarning): string => {
  const first = n === 1 ? what : `the first one: ${what}`;
  switch (kind) {
    case 'chance':
      return `agent ${agent} calls Math.random: its games cannot be repeated; choose() is given the stream to draw from`;
    case 'thrown':
      return `agent ${agent} threw ${count(n, 'exception', 'exceptions')} after its answers, where nothing could catch them: ${first}`;
    case 'illegal':
      return `agent ${agent} gave ${count(n, 'order', 'orders')} that did not count: ${first}`;
    case 'silent':
      return `agent ${agent} was too slow ${count(n, 'time', 'times')}, and ordered nothing: ${first}`;
    case 'ended':
      return `agent ${agent} ended ${count(n, 'time', 'times')} twice over one question, and ordered nothing: ${first}`;
    case 'garbled':
      return `agent ${agent} gave ${count(n, 'answer', 'answers')} without orders: ${first}`;
    case 'rejected':
      return `agent ${agent} left ${count(n, 'rejected promise', 'rejected promises')} without a handler: ${first}`;
  }
};

export class AgentReport implements CodeWatch {
  private readonly warnings = new Map<string, AgentWarning>();

  /**
   * @param limit milliseconds for one answer; 0 for as many as it takes
   * @param isEndless true where sumUp() is never called: the first warning of each kind is said at once
   */
  constructor(
    readonly limit: number,
    private readonly say: (sentence: string) => void,
    private readonly isEndless = false,
  ) {}

  readonly onWarning = (warning: AgentWarning): void => {
    const key = `${warning.kind} ${warning.agent}`;
    const known = this.warnings.get(key);
    this.warnings.set(key, known === undefined ? warning : { ...known, count: known.count + warning.count });
    // Early: a long run may be worth stopping for this.
    if (known === undefined && (warning.kind === 'chance' || this.isEndless)) this.say(describe(warning));
  };

  onCrash(what: string, error: Error): void {
    this.say(`${error.message}; its thread is replaced, and ${what} is played again`);
  }

  /** At the end: all that was not said before. */
  sumUp(): void {
    for (const warning of this.warnings.values()) if (warning.kind !== 'chance') this.say(describe(warning));
  }
}
