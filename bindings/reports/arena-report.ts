// Says how an arena, a gauntlet or a gate went: as a table for people, in Markdown, and as JSON.
import { loadMap } from '../../engine/internal.js';
import { agentKinds } from '../../selfplay/agents/registry.js';
import { type GateResult, intervalOf, type PairedScores } from '../../selfplay/arena/gate.js';
import { type GauntletResult, type GauntletRow, type GauntletSpec, parityOf } from '../../selfplay/arena/gauntlet.js';
import type { ArenaSpec, GateSpec } from '../../selfplay/arena/protocol.js';
import type { AgentStanding } from '../../selfplay/arena/standings.js';
import type { BotUse } from '../../selfplay/crew/agent-report.js';
import { addUse } from '../../selfplay/crew/user-code.js';
import { isCommandName, isModuleName } from '../../selfplay/question/agent-name.js';
import { findCommit, lepantoVersion } from '../../selfplay/version.js';
import { digitsFor } from '../draw/titles.js';
import { columns, percent } from '../terminal/output.js';

const SCORES = ['mean score', 'solos', 'most centres'];
const ENDS = ['defeated', 'centres'];

export const plusMinus = (mean: number, error: number, least = 3): string => {
  const digits = digitsFor(error, least);
  return `${mean.toFixed(digits)}${Number.isNaN(error) ? '' : ` +- ${error.toFixed(digits)}`}`;
};

/** What `exec:` bots and modules were asked, by agent: sums over all arenas of a command. */
export class BotUses {
  private readonly uses = new Map<string, BotUse>();

  readonly add = (bots: readonly BotUse[]): void => {
    for (const bot of bots) {
      const known = this.uses.get(bot.agent);
      const sum = (read: (one: BotUse) => number): number => read(bot) + (known === undefined ? 0 : read(known));
      this.uses.set(bot.agent, {
        ...bot,
        ...(known !== undefined && addUse(known, bot)),
        name: inLine(bot.name),
        unit: inLine(bot.unit),
        requests: sum(({ requests }) => requests),
        unanswered: sum(({ unanswered }) => unanswered),
        refused: sum(({ refused }) => refused),
      });
    }
  };

  nameOf(agent: string): string | undefined {
    return this.uses.get(agent)?.name || undefined;
  }

  record(): object {
    return this.uses.size === 0 ? {} : { bots: [...this.uses.values()] };
  }

  text(): string {
    if (this.uses.size === 0) return '';
    const rows = [...this.uses.values()].map((use) => [
      use.name === '' ? use.agent : `${use.name} (${use.agent})`,
      use.requests,
      use.unanswered,
      use.orders,
      percent(use.orders - use.refused, use.orders),
      use.cost === null ? '-' : `${Number(use.cost.toPrecision(6))} ${use.unit}`.trim(),
      use.tokens === null ? '-' : Math.round(use.tokens),
      duration(use.seconds / use.requests),
      duration(use.slowest),
    ]);
    return `\n${columns([['bot', 'choices', 'no answer', 'orders', 'legal', 'cost', 'tokens', 'mean time', 'slowest'], ...rows])}\n`;
  }
}

const LONGEST_NAME = 40;

/** What a bot says about itself, in a table. */
const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_NAME);

const duration = (seconds: number): string =>
  seconds < 1 ? `${(1000 * seconds).toFixed(1)} ms` : `${seconds.toFixed(1)} s`;

/** Agents by the shortest text that tells them apart: name and number where two have the same. */
export const shortNames = (agents: readonly string[], bots: BotUses): string[] => {
  const names = agents.map(
    (agent) => bots.nameOf(agent) ?? (isModuleName(agent) || isCommandName(agent) ? agent : agent.split(':')[0]),
  );
  return names.map((name, i) => (names.indexOf(name) !== names.lastIndexOf(name) ? `${i + 1} ${name}` : name));
};

/** How the agents did, the head first. */
export const standingsCells = (standings: readonly AgentStanding[], bots: BotUses): string[][] => {
  const names = shortNames(
    standings.map(({ agent }) => agent),
    bots,
  );
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
  ]);
  return [['agent', 'games', 'seats', ...SCORES, 'survived', ...ENDS], ...rows];
};

/** Mean scores by power and agent, the head first. */
export const powerCells = (standings: readonly AgentStanding[], bots: BotUses): string[][] => {
  const names = shortNames(
    standings.map(({ agent }) => agent),
    bots,
  );
  const powers = [...new Set(standings.flatMap((one) => Object.keys(one.powers)))].sort();
  const rows = powers.map((power) => [
    power,
    ...standings.map(({ powers: own }) =>
      own[power] === undefined ? '-' : `${plusMinus(own[power].score, own[power].error)} (${own[power].games})`,
    ),
  ]);
  return [['mean score', ...names], ...rows];
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
export const arenaText = (
  spec: ArenaSpec,
  standings: readonly AgentStanding[],
  bots: BotUses,
  seconds: number,
): string => {
  const listed = spec.agents.map((agent, i) => `  ${i + 1} ${agent}`).join('\n');
  return (
    `${spec.games} games, ${spec.protocol}, to the end of ${spec.until}, ${spec.scoring}, ${seconds.toFixed(1)} s\n` +
    `${listed}\n\n${columns(standingsCells(standings, bots))}\n\n${columns(powerCells(standings, bots))}\n${timedNote(spec.agents)}${bots.text()}`
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
  standings: standings.map((one) => ({ ...one, interval: intervalOf(one.score, one.error, one.seats) })),
});

// ---- gates ----

const agentsOf = ({ agent, against, anchors }: GateSpec): string[] => [agent, against, ...anchors];

/** Passed or not and why, and the scores of both sides in pairs of games. */
export const gateText = (spec: GateSpec, result: GateResult, seconds: number, bots = new BotUses()): string => {
  const { passed, reason, games, pairs, anchors } = result;
  const row = (name: string, { games: count, agent, against, gain, error }: PairedScores): string[] => [
    ...[name, String(count), agent.toFixed(3), against.toFixed(3), plusMinus(gain, error)],
  ];
  const rows = [
    ['one seat against six of', 'pairs', 'agent', 'other', 'gain'],
    row('each other', pairs),
    ...anchors.map((one) => row(bots.nameOf(one.anchor) ?? one.anchor, one)),
  ];
  const verdict = passed === null ? 'not decided' : passed ? 'passed' : 'did not pass';
  return (
    `${verdict}: ${reason}\n` +
    `${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}, ${seconds.toFixed(1)} s\n` +
    `  agent ${spec.agent}\n  other ${spec.against}\n\n${columns(rows)}\n${timedNote(agentsOf(spec))}`
  );
};

/** The same as one object. */
export const gateRecord = (spec: GateSpec, result: GateResult, workers: number, seconds: number): object => ({
  gate: spec,
  ...result,
  ...conditionsOf(agentsOf(spec), workers, seconds),
});

// ---- gauntlets ----

const HEAD = ['against', 'games', ...SCORES, ...ENDS];

/** An agent without the options that are what they are by default: 'search:rollouts=200'. */
export const shortAgent = (text: string): string => {
  const [name, ...pairs] = text.split(':');
  const options = agentKinds.find((kind) => kind.name === name)?.options;
  if (options === undefined) return text;
  const isDefault = (pair: string): boolean => {
    const [key, value] = pair.split('=');
    return key === 'hash' || String(options[key]?.default) === value;
  };
  return [name, ...pairs.filter((pair) => !isDefault(pair))].join(':');
};

const cellsOf = (spec: GauntletSpec, { family, standing }: GauntletRow, bots: BotUses): string[] => [
  family === null
    ? 'a mixed table'
    : `${loadMap(spec.map).powerCount - 1} ${bots.nameOf(family) ?? shortAgent(family)}`,
  String(standing.games),
  plusMinus(standing.score, standing.error),
  percent(standing.solos, standing.seats),
  percent(standing.most, standing.seats),
  percent(standing.defeated, standing.seats),
  standing.centers.toFixed(2),
];

const gauntletTable = (spec: GauntletSpec, result: GauntletResult, bots: BotUses): string[][] => [
  HEAD,
  ...result.rows.map((row) => cellsOf(spec, row, bots)),
];

/** What was measured, under which conditions. */
const titleOf = (spec: GauntletSpec, { games }: GauntletResult, bots: BotUses): string => {
  const parity = spec.scoring.startsWith('sum_of') ? `, parity ${parityOf(spec).toFixed(3)}` : '';
  return `${bots.nameOf(spec.agent) ?? shortAgent(spec.agent)}: ${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}${parity}`;
};

/** Returns how the agent did against each family, the worst first. */
export const gauntletText = (
  spec: GauntletSpec,
  result: GauntletResult,
  seconds: number,
  bots = new BotUses(),
): string => {
  const note = timedNote([spec.agent, ...spec.families]);
  return `${titleOf(spec, result, bots)}, ${seconds.toFixed(1)} s\n\n${columns(gauntletTable(spec, result, bots))}\n${note}`;
};

/** The same as a table in Markdown. */
export const gauntletMarkdown = (spec: GauntletSpec, result: GauntletResult, bots = new BotUses()): string => {
  const [head, ...rows] = gauntletTable(spec, result, bots).map((cells) => `| ${cells.join(' | ')} |`);
  return `${[head, `|${'---|'.repeat(HEAD.length)}`, ...rows].join('\n')}\n\n${titleOf(spec, result, bots)}\n`;
};

/** The same as one object. */
export const gauntletRecord = (
  spec: GauntletSpec,
  result: GauntletResult,
  workers: number,
  seconds: number,
): object => ({
  ...spec,
  played: result.games,
  parity: parityOf(spec),
  ...conditionsOf([spec.agent, ...spec.families], workers, seconds),
  rows: result.rows,
});
