// Says what code of users did that its user should know, in sentences.
import { type AgentWarning, joinWarnings, type Use } from './user-code.js';
import type { CodeWatch } from './watchdog.js';

/** What an agent did, with # for how often. */
const sentences = {
  illegal: 'gave # order that did not count',
  unsaid: 'said # message that did not count',
  silent: 'was too slow # time, and gave no answer',
  ended: 'ended # time twice over one question, and gave no answer',
  garbled: 'gave # answer that did not count',
} as const;

type Fault = Exclude<AgentWarning['kind'], 'asked'>;

/** What a bot in a process of its own, or a module, was asked for, gave and took. */
export interface BotUse extends Use {
  /** As the spec names it: 'exec:COMMAND'. */
  readonly agent: string;
  /** What a bot calls itself; '' for a module. */
  readonly name: string;
  /** How often it was asked for orders, or for messages. */
  readonly requests: number;
  /** How often it was too slow, ended, or answered something else. */
  readonly unanswered: number;
  /** Orders that did not count. A module that gives one ends the command. */
  readonly refused: number;
}

const describe = ({ agent, kind, count, what }: AgentWarning & { readonly kind: Fault }): string => {
  const times = sentences[kind].replace(/# (\w+)/, count === 1 ? 'one $1' : `${count} $1s`);
  const first = count === 1 ? what : `the first one: ${what}`;
  return `agent ${agent} ${times}: ${first}`;
};

const isFault = (warning: AgentWarning): warning is AgentWarning & { readonly kind: Fault } => warning.kind !== 'asked';

/** Describes a fault of an agent in a sentence. Returns null if the warning is none. */
export const faultText = (warning: AgentWarning): string | null => (isFault(warning) ? describe(warning) : null);

export class AgentReport implements CodeWatch {
  private readonly warnings = new Map<string, AgentWarning>();

  /** @param isEndless true where sumUp() is never called: the first warning of each kind is said at once */
  constructor(
    readonly limit: number,
    private readonly say: (sentence: string) => void,
    private readonly isEndless = false,
  ) {}

  readonly onWarning = (warning: AgentWarning): void => {
    const key = `${warning.kind} ${warning.agent}`;
    const known = this.warnings.get(key);
    this.warnings.set(key, known === undefined ? warning : joinWarnings(known, warning));
    if (known === undefined && this.isEndless && isFault(warning)) this.say(describe(warning));
  };

  bots(): BotUse[] {
    return [...this.warnings.values()].flatMap(({ agent, what: name, count: requests, use }) => {
      if (use === undefined) return [];
      const count = (kind: Fault): number => this.warnings.get(`${kind} ${agent}`)?.count ?? 0;
      const unanswered = count('silent') + count('ended') + count('garbled');
      return [{ agent, name, requests, unanswered, refused: count('illegal'), ...use }];
    });
  }

  /** At the end: says what was wrong. */
  sumUp(): void {
    for (const warning of this.warnings.values()) if (isFault(warning)) this.say(describe(warning));
  }
}
