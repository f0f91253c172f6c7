// Who among agents is to be watched, and how.
import { Conduct } from '../workers/conduct.js';
import { CHOICE_MS } from '../workers/patience.js';
import { isCommandName, isModuleName } from './agent-name.js';

/** Options of runs and arenas about agents of users: RunOptions. */
interface Watching {
  readonly choiceMs?: number;
  readonly onRemark?: (sentence: string) => void;
}

/** What watches modules of users among some agents; undefined if there are none. */
export const watchAgents = (
  agents: readonly string[],
  { choiceMs = CHOICE_MS, onRemark = () => {} }: Watching,
): Conduct | undefined =>
  agents.some((agent) => isModuleName(agent) || isCommandName(agent)) ? new Conduct(choiceMs, onRemark) : undefined;
