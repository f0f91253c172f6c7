// Reports how an arena, a gauntlet or a gate went: as text, in Markdown, and as JSON.
import { loadMap } from '../../engine/internal.js';
import { agentKinds } from '../../selfplay/agents/registry.js';
import { chanceOfGain, type GateResult, intervalOf, type PairedScores } from '../../selfplay/arena/gate.js';
import { type GauntletResult, type GauntletSpec, parityOf } from '../../selfplay/arena/gauntlet.js';
import type { ArenaSpec, GateSpec } from '../../selfplay/arena/protocol.js';
import type { AgentStanding, Standing } from '../../selfplay/arena/standings.js';
import type { BotUse } from '../../selfplay/crew/agent-report.js';
import { addUse } from '../../selfplay/crew/user-code.js';
import { isCommandName, isModuleName } from '../../selfplay/question/agent-name.js';
import { findCommit, lepantoVersion } from '../../selfplay/version.js';
import { percent, plusMinus, rangeText } from './figures.js';
import { type Block, type Column, makeTable, numbers, renderMarkdown, renderText, type Table, words } from './table.js';

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

  /** Returns their table; nothing without bots. */
  blocks(): Block[] {
    if (this.uses.size === 0) return [];
    const table = makeTable(
      [...this.uses.values()],
      [
        words('bot', ({ name, agent }) => (name === '' ? agent : `${name} (${agent})`)),
        numbers('choices', ({ requests }) => requests),
        numbers('no answer', ({ unanswered }) => unanswered),
        numbers('orders', ({ orders }) => orders),
        numbers('legal', ({ orders, refused }) => percent(orders - refused, orders)),
        numbers('cost', ({ cost, unit }) => (cost === null ? '-' : `${Number(cost.toPrecision(6))} ${unit}`.trim())),
        numbers('tokens', ({ tokens }) => (tokens === null ? '-' : Math.round(tokens))),
        numbers('mean time', ({ seconds, requests }) => duration(seconds / requests)),
        numbers('slowest', ({ slowest }) => duration(slowest)),
      ],
    );
    return [table];
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

/** Interval that holds the mean score with 95 % (t distribution); null for one game. */
const intervalOfScore = ({ score, error, games }: Standing) => intervalOf(score, error, games);

/** A standing in JSON. */
const withInterval = <T extends Standing>(one: T) => ({ ...one, interval: intervalOfScore(one) });

const RANGE = '95 % of scores';

type Named<T> = T & { readonly name: string };

const standingColumns: readonly Column<Standing>[] = [
  numbers('games', ({ games }) => games),
  numbers('seats', ({ seats }) => seats),
  numbers('mean score', ({ score, error }) => plusMinus(score, error)),
  numbers(RANGE, (one) => rangeText(intervalOfScore(one), 3)),
  numbers('solos', ({ solos, seats }) => percent(solos, seats)),
  numbers('most centres', ({ most, seats }) => percent(most, seats)),
  numbers('survived', ({ survived, seats }) => percent(survived, seats)),
  numbers('defeated', ({ defeated, seats }) => percent(defeated, seats)),
  numbers('centres', ({ centers }) => centers.toFixed(2)),
];

/** @param first title of the column of names @param without titles of the columns that are left out */
const namedStandings = (rows: readonly Named<Standing>[], first: string, without: readonly string[]): Table =>
  makeTable(rows, [
    words(first, ({ name }) => name),
    ...standingColumns.filter(({ title }) => !without.includes(title)),
  ]);

/** Standings by name. */
const withNames = (standings: readonly AgentStanding[], bots: BotUses): Named<AgentStanding>[] => {
  const names = shortNames(
    standings.map(({ agent }) => agent),
    bots,
  );
  return standings.map((one, i) => ({ ...one, name: names[i] }));
};

/** How the agents did. @param without titles of the columns that are left out */
export const standingsTable = (
  standings: readonly AgentStanding[],
  bots: BotUses,
  without: readonly string[] = [RANGE],
): Table => namedStandings(withNames(standings, bots), 'agent', without);

/** Mean scores by power and agent. */
export const powersTable = (standings: readonly AgentStanding[], bots: BotUses): Table => {
  const powers = new Set(standings.flatMap((one) => Object.keys(one.powers)));
  return makeTable([...powers].sort(), [
    words('mean score', String),
    ...withNames(standings, bots).map((one) => numbers<string>(one.name, (power) => scoreText(one.powers[power]))),
  ]);
};

/** '0.250 +- 0.013 (70)', with the number of games; '-' without games. */
export const scoreText = (standing: Standing | undefined): string =>
  standing === undefined || standing.games === 0
    ? '-'
    : `${plusMinus(standing.score, standing.error)} (${standing.games})`;

/** True for an agent whose play depends on the clock. */
const isTimed = (agent: string): boolean => /:ms=(?!0(:|$))/.test(agent);

export const timedNote = (agents: readonly string[]): string =>
  agents.some(isTimed) ? 'some agents search by milliseconds: these games cannot be repeated' : '';

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
  const listed = spec.agents.map((agent, i) => `\n  ${i + 1} ${agent}`).join('');
  return renderText([
    `${spec.games} games, ${spec.protocol}, to the end of ${spec.until}, ${spec.scoring}, ${seconds.toFixed(1)} s${listed}`,
    standingsTable(standings, bots),
    powersTable(standings, bots),
    timedNote(spec.agents),
    ...bots.blocks(),
  ]);
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
  standings: standings.map(withInterval),
});

// ---- gates ----

const agentsOf = ({ agent, against, anchors }: GateSpec): string[] => [agent, against, ...anchors];

/** The scores of both agents in pairs of games. @param nameOf returns the name of an anchor */
export const gateTable = ({ pairs, anchors }: GateResult, nameOf: (anchor: string) => string): Table =>
  makeTable<Named<PairedScores>>(
    [{ ...pairs, name: 'each other' }, ...anchors.map((one) => ({ ...one, name: nameOf(one.anchor) }))],
    [
      words('one seat against six of', ({ name }) => name),
      numbers('pairs', ({ games }) => games),
      numbers('agent', ({ agent }) => agent.toFixed(3)),
      numbers('other', ({ against }) => against.toFixed(3)),
      numbers('gain', ({ gain, error }) => plusMinus(gain, error)),
    ],
  );

/** Passed or not and why, and the scores of both sides in pairs of games. */
export const gateText = (spec: GateSpec, result: GateResult, seconds: number, bots = new BotUses()): string => {
  const { passed, reason, games } = result;
  const verdict = passed === null ? 'not decided' : passed ? 'passed' : 'did not pass';
  return renderText([
    `${verdict}: ${reason}\n` +
      `${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}, ${seconds.toFixed(1)} s\n` +
      `  agent ${spec.agent}\n  other ${spec.against}`,
    gateTable(result, (anchor) => bots.nameOf(anchor) ?? anchor),
    timedNote(agentsOf(spec)),
    ...bots.blocks(),
  ]);
};

/** Pairs of games in JSON: with the interval of the gain, and how probable gains so high are for equal agents. */
const withChance = <T extends PairedScores>(one: T) => ({
  ...one,
  chance: chanceOfGain(one),
  interval: intervalOf(one.gain, one.error, one.games),
});

/** The same as one object. */
export const gateRecord = (spec: GateSpec, result: GateResult, workers: number, seconds: number): object => ({
  gate: spec,
  ...result,
  pairs: withChance(result.pairs),
  anchors: result.anchors.map(withChance),
  ...conditionsOf(agentsOf(spec), workers, seconds),
});

// ---- gauntlets ----

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

const gauntletTable = (spec: GauntletSpec, { rows }: GauntletResult, bots: BotUses): Table => {
  const others = loadMap(spec.map).powerCount - 1;
  const nameOf = (family: string): string => `${others} ${bots.nameOf(family) ?? shortAgent(family)}`;
  const named = rows.map(({ family, standing }) => ({
    ...standing,
    name: family === null ? 'a mixed table' : nameOf(family),
  }));
  return namedStandings(named, 'against', [RANGE, 'seats', 'survived']);
};

/** What was measured, under which conditions. */
const titleOf = (spec: GauntletSpec, { games }: GauntletResult, bots: BotUses): string => {
  const parity = spec.scoring.startsWith('sum_of') ? `, parity ${parityOf(spec).toFixed(3)}` : '';
  return `${bots.nameOf(spec.agent) ?? shortAgent(spec.agent)}: ${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}${parity}`;
};

/** How the agent did against each family, the worst first. */
export const gauntletText = (
  spec: GauntletSpec,
  result: GauntletResult,
  seconds: number,
  bots = new BotUses(),
): string =>
  renderText([
    `${titleOf(spec, result, bots)}, ${seconds.toFixed(1)} s`,
    gauntletTable(spec, result, bots),
    timedNote([spec.agent, ...spec.families]),
    ...bots.blocks(),
  ]);

/** The same as a table in Markdown. */
export const gauntletMarkdown = (spec: GauntletSpec, result: GauntletResult, bots = new BotUses()): string =>
  renderMarkdown([gauntletTable(spec, result, bots), titleOf(spec, result, bots)]);

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
  rows: result.rows.map(({ family, standing }) => ({ family, standing: withInterval(standing) })),
});
