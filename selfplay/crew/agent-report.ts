// Reports faults of user agents in sentences, and totals of their use.
import { type AgentWarning, joinWarnings, type Use } from './user-code.js';
import type { CodeWatch } from './watchdog.js';

/** Sentences for faults of an agent, by kind of fault. # stands for the number of faults. */
const sentences = {
  illegal: 'gave # order that did not count',
  unsaid: 'said # message that did not count',
  silent: 'was too slow # time, and gave no answer',
  ended: 'left # question unanswered, as it ended at both tries',
  garbled: 'gave # answer that did not count',
  failed: 'failed # time, and gave no answer',
} as const;

type Fault = Exclude<AgentWarning['kind'], 'asked'>;

/** Totals of a user's agent, a bot in a separate process or a module: requests, faults, cost and time. */
export interface BotUse extends Use {
  /** Name of the agent in the spec, such as 'exec:COMMAND'. */
  readonly agent: string;
  /** Name that the bot gives itself. '' for a module. */
  readonly name: string;
  /** Number of requests for orders or messages. */
  readonly requests: number;
  /** Number of requests at which the bot was too slow, ended, or gave an invalid answer. */
  readonly unanswered: number;
  /** Number of rejected orders. Always 0 for a module, whose first illegal order ends the command. */
  readonly refused: number;
}

const describe = ({ agent, kind, count, what }: AgentWarning & { readonly kind: Fault }): string => {
  const times = sentences[kind].replace(/# (\w+)/, count === 1 ? 'one $1' : `${count} $1s`);
  const first = count === 1 ? what : `the first one: ${what}`;
  return `agent ${agent} ${times}: ${first}`;
};

const isFault = (warning: AgentWarning): warning is AgentWarning & { readonly kind: Fault } => warning.kind !== 'asked';

/** Describes a fault of an agent in a sentence. Returns null for the kind 'asked', which is no fault. */
export const faultText = (warning: AgentWarning): string | null => (isFault(warning) ? describe(warning) : null);

/** Collects warnings about user agents during a command, and prints them as sentences. */
export class AgentReport implements CodeWatch {
  private readonly warnings = new Map<string, AgentWarning>();

  /**
   * Begins a report without warnings.
   * @param limit time limit of one answer in milliseconds; 0 for no limit
   * @param say prints a sentence
   * @param isEndless true if sumUp() is never called; prints the first warning of each kind and agent at once
   */
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

  /** Returns the totals of all agents that were asked for orders or messages. */
  bots(): BotUse[] {
    return [...this.warnings.values()].flatMap(({ agent, what: name, count: requests, use }) => {
      if (use === undefined) return [];
      const count = (kind: Fault): number => this.warnings.get(`${kind} ${agent}`)?.count ?? 0;
      const unanswered = count('silent') + count('ended') + count('garbled') + count('failed');
      return [{ agent, name, requests, unanswered, refused: count('illegal'), ...use }];
    });
  }

  /** Prints a sentence for each kind of fault of each agent, with the number of faults. */
  sumUp(): void {
    for (const warning of this.warnings.values()) if (isFault(warning)) this.say(describe(warning));
  }
}
