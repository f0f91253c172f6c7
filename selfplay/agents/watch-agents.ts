// Creates the report that watches user agents in a run.
import { AgentReport } from '../crew/agent-report.js';
import { CHOICE_MS } from '../crew/watchdog.js';
import { isCommandName, isModuleName } from '../question/agent-name.js';

interface Watching {
  readonly choiceMs?: number;
  readonly onWarning?: (sentence: string) => void;
}

/** Returns a report that watches the user modules and exec: bots among some agents; undefined if there are none. */
export const watchAgents = (
  agents: readonly string[],
  { choiceMs = CHOICE_MS, onWarning = () => {} }: Watching,
): AgentReport | undefined =>
  agents.some((agent) => isModuleName(agent) || isCommandName(agent))
    ? new AgentReport(choiceMs, onWarning)
    : undefined;
