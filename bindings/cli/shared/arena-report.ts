// Says how an arena went: as a table for people, and as JSON.
import { isCommandName, isModuleName } from '../../../selfplay/agents/agent-name.js';
import type { ArenaSpec } from '../../../selfplay/arena/protocol.js';
import type { AgentStanding } from '../../../selfplay/arena/standings.js';
import { findCommit, lepantoVersion } from '../../../selfplay/records/version.js';

export const percent = (n: number, of: number): string => `${((100 * n) / of).toFixed(1)} %`;

export const plusMinus = (mean: number, error: number): string =>
  `${mean.toFixed(3)}${Number.isNaN(error) ? '' : ` +- ${error.toFixed(3)}`}`;

/** Columns of text, the first to the left, the others to the right. */
export const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '))
    .join('\n');
};

/** Agents by the shortest text that tells them apart: name and number where two have the same. */
const shortNames = (agents: readonly string[]): string[] =>
  agents.map((agent, i) => {
    const name = isModuleName(agent) || isCommandName(agent) ? agent : agent.split(':')[0];
    return agents.filter((other) => other.split(':')[0] === name).length > 1 ? `${i + 1} ${name}` : name;
  });

const table = (standings: readonly AgentStanding[]): string => {
  const names = shortNames(standings.map(({ agent }) => agent));
  const head = [
    'agent',
    'games',
    'seats',
    'mean score',
    'solos',
    'most centres',
    'survived',
    'defeated',
    'centres',
    'rating',
  ];
  const rows = standings.map((one, i) => [
    names[i],
    String(one.games),
    String(one.seats),
    plusMinus(one.score, one.error),
    percent(one.solos, one.seats),
    percent(one.most, one.seats),
    percent(one.survived, one.seats),
    percent(one.defeated, one.seats),
    one.centers.toFixed(2),
    `${one.rating.mu.toFixed(1)} +- ${one.rating.sigma.toFixed(1)}`,
  ]);
  return columns([head, ...rows]);
};

const powerTable = (standings: readonly AgentStanding[]): string => {
  const names = shortNames(standings.map(({ agent }) => agent));
  const powers = [...new Set(standings.flatMap((one) => Object.keys(one.powers)))].sort();
  const rows = powers.map((power) => [
    power,
    ...standings.map(({ powers: own }) =>
      own[power] === undefined ? '-' : `${plusMinus(own[power].score, own[power].error)} (${own[power].games})`,
    ),
  ]);
  return columns([['mean score', ...names], ...rows]);
};

/** True for an agent whose play depends on the clock. */
const isTimed = (agent: string): boolean => /:ms=(?!0(:|$))/.test(agent);

export const timedNote = (agents: readonly string[]): string =>
  agents.some(isTimed) ? '\nsome agents search by milliseconds: these games cannot be repeated\n' : '';

/** What every record says of how its games were played. */
export const conditionsOf = (agents: readonly string[], workers: number, seconds: number): object => ({
  reproducible: !agents.some(isTimed),
  lepanto: lepantoVersion,
  commit: findCommit(),
  workers,
  seconds,
});

/** What was played and how the agents did, all and by power. @param spec with the games that were played */
export const arenaText = (spec: ArenaSpec, standings: readonly AgentStanding[], seconds: number): string => {
  const listed = spec.agents.map((agent, i) => `  ${i + 1} ${agent}`).join('\n');
  return (
    `${spec.games} games, ${spec.protocol}, to the end of ${spec.until}, ${spec.scoring}, ${seconds.toFixed(1)} s\n` +
    `${listed}\n\n${table(standings)}\n\n${powerTable(standings)}\n${timedNote(spec.agents)}`
  );
};

/** The same as one object. */
export const arenaRecord = (
  spec: ArenaSpec,
  standings: readonly AgentStanding[],
  workers: number,
  seconds: number,
): object => ({
  ...spec,
  ...conditionsOf(spec.agents, workers, seconds),
  standings,
});
