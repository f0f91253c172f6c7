// Makes the reports of arenas, gauntlets and gates, as text, Markdown or JSON.
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

/** Usage of `exec:` bots and user modules by agent, summed over all arenas of a command. */
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

  /** Returns the name that a bot or module gives itself; undefined if it gives none, and for any other agent. */
  nameOf(agent: string): string | undefined {
    return this.uses.get(agent)?.name || undefined;
  }

  /** Returns an object with the usages as its field `bots`, for JSON. An empty object if there are none. */
  record(): object {
    return this.uses.size === 0 ? {} : { bots: [...this.uses.values()] };
  }

  /** Returns a list with the table of usage, one row per bot or module. An empty list if there are none. */
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

/** Returns a text of a bot in the form for a table cell: on one line, cut to LONGEST_NAME characters. */
const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_NAME);

const duration = (seconds: number): string =>
  seconds < 1 ? `${(1000 * seconds).toFixed(1)} ms` : `${seconds.toFixed(1)} s`;

/**
 * Returns short, distinct names of agents: a bot's own name, the text of a module or a bot without one, otherwise the
 * agent without its options. Agents with the same name get their number before it, from 1.
 */
export const shortNames = (agents: readonly string[], bots: BotUses): string[] => {
  const names = agents.map(
    (agent) => bots.nameOf(agent) ?? (isModuleName(agent) || isCommandName(agent) ? agent : agent.split(':')[0]),
  );
  return names.map((name, i) => (names.indexOf(name) !== names.lastIndexOf(name) ? `${i + 1} ${name}` : name));
};

/** Returns the 95 % interval of the mean score (t distribution); null for one game. */
const intervalOfScore = ({ score, error, games }: Standing) => intervalOf(score, error, games);

/** Returns a standing with the field `interval`, the 95 % interval of its mean score, for JSON. */
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

/**
 * Returns a table of standings, one per row.
 * @param first title of the column of names
 * @param without titles of columns to omit
 */
const namedStandings = (rows: readonly Named<Standing>[], first: string, without: readonly string[]): Table =>
  makeTable(rows, [
    words(first, ({ name }) => name),
    ...standingColumns.filter(({ title }) => !without.includes(title)),
  ]);

/** Adds short names to standings. */
const withNames = (standings: readonly AgentStanding[], bots: BotUses): Named<AgentStanding>[] => {
  const names = shortNames(
    standings.map(({ agent }) => agent),
    bots,
  );
  return standings.map((one, i) => ({ ...one, name: names[i] }));
};

/** Returns the table of results, one row per agent. @param without titles of columns to omit */
export const standingsTable = (
  standings: readonly AgentStanding[],
  bots: BotUses,
  without: readonly string[] = [RANGE],
): Table => namedStandings(withNames(standings, bots), 'agent', without);

/** Returns the table of mean scores: one row per power, one column per agent. */
export const powersTable = (standings: readonly AgentStanding[], bots: BotUses): Table => {
  const powers = new Set(standings.flatMap((one) => Object.keys(one.powers)));
  const table = makeTable([...powers].sort(), [
    words('mean score', String),
    ...withNames(standings, bots).map((one) => numbers<string>(one.name, (power) => scoreText(one.powers[power]))),
  ]);
  return { ...table, shades: 'plain' };
};

/** Formats a mean score, its standard error and the number of games: '0.250 +- 0.013 (70)'. '-' without games. */
export const scoreText = (standing: Standing | undefined): string =>
  standing === undefined || standing.games === 0
    ? '-'
    : `${plusMinus(standing.score, standing.error)} (${standing.games})`;

/** True for an agent whose play depends on the clock: its option ms is not 0. */
const isTimed = (agent: string): boolean => /:ms=(?!0(:|$))/.test(agent);

/** A report before it is formatted. */
export interface Report {
  /** Returns a description of the games and their conditions. @param time elapsed time, ', 1.5 s', or '' */
  readonly title: (time: string) => string;
  readonly tables: readonly Table[];
  /** Text below the tables. Absent if there is none. */
  readonly note?: string;
  /** All agents that played. */
  readonly agents: readonly string[];
  readonly bots: BotUses;
  /** Contents of the report as an object for JSON, without bots, number of threads and elapsed time. */
  readonly record: object;
}

/** Formats a report as text for a terminal. @param seconds elapsed time */
export const reportText = ({ title, tables, note = '', agents, bots }: Report, seconds: number): string => {
  const timed = agents.some(isTimed) ? 'some agents search by milliseconds: these games cannot be repeated' : '';
  return renderText([title(`, ${seconds.toFixed(1)} s`), ...tables, note, timed, ...bots.blocks()]);
};

/** Formats a report as Markdown: the tables, then the description of the games. */
export const reportMarkdown = ({ title, tables, note }: Report): string =>
  renderMarkdown([...tables, title('') + (note === undefined ? '' : `. ${note.replaceAll('\n', ' ')}`)]);

/** Returns a report as an object for JSON. @param workers number of threads @param seconds elapsed time */
export const reportRecord = ({ agents, bots, record }: Report, workers: number, seconds: number): object => ({
  reproducible: !agents.some(isTimed),
  lepanto: lepantoVersion,
  commit: findCommit(),
  ...{ workers, seconds },
  ...record,
  ...bots.record(),
});

/**
 * Makes the report of an arena: the results of its agents, overall and by power.
 * @param spec settings of the arena; games: the number that was played
 */
export const arenaReport = (spec: ArenaSpec, standings: readonly AgentStanding[], bots = new BotUses()): Report => {
  const { games, protocol, until, scoring, agents } = spec;
  const listed = agents.map((agent, i) => `\n  ${i + 1} ${agent}`).join('');
  return {
    title: (time) => `${games} games, ${protocol}, to the end of ${until}, ${scoring}${time}${listed}`,
    tables: [standingsTable(standings, bots), powersTable(standings, bots)],
    ...{ agents, bots },
    record: { ...spec, standings: standings.map(withInterval) },
  };
};

// ---- gates ----

/**
 * Returns the table of a gate: mean scores of both agents in pairs of games, against each other and against each anchor
 * (an agent that fills the other seats).
 * @param nameOf returns the name of an anchor for the table
 */
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

/**
 * Returns the scores of pairs of games for JSON, with two more fields. interval: 95 % interval of the mean gain;
 * chance: probability that equal agents reach such a gain.
 */
const withChance = <T extends PairedScores>(one: T) => ({
  ...one,
  chance: chanceOfGain(one),
  interval: intervalOf(one.gain, one.error, one.games),
});

/** Makes the report of a gate: the verdict with its reason, and the scores of both agents in pairs of games. */
export const gateReport = (spec: GateSpec, result: GateResult, bots = new BotUses()): Report => {
  const { agent, against, anchors, until, seed, scoring } = spec;
  const { passed, reason, games } = result;
  const verdict = passed === null ? 'not decided' : passed ? 'passed' : 'did not pass';
  return {
    title: (time) =>
      `${verdict}: ${reason}\n${games} games to the end of ${until}, seed ${seed}, ${scoring}${time}\n` +
      `  agent ${agent}\n  other ${against}`,
    tables: [gateTable(result, (anchor) => bots.nameOf(anchor) ?? anchor)],
    agents: [agent, against, ...anchors],
    bots,
    record: { gate: spec, ...result, pairs: withChance(result.pairs), anchors: result.anchors.map(withChance) },
  };
};

// ---- gauntlets ----

/**
 * Returns an agent's text without `hash` and the options that have their default value: 'search:rollouts=200'. Text of
 * modules, bots and unknown agents is returned unchanged.
 */
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

/**
 * Returns the table of an agent's results against each family of a gauntlet, an agent that fills all other seats. The
 * worst result is first.
 */
export const gauntletTable = (
  spec: GauntletSpec,
  { rows }: GauntletResult,
  bots = new BotUses(),
  without = [RANGE],
): Table => {
  const others = loadMap(spec.map).powerCount - 1;
  const nameOf = (family: string): string => `${others} ${bots.nameOf(family) ?? shortAgent(family)}`;
  const named = rows.map(({ family, standing }) => ({
    ...standing,
    name: family === null ? 'a mixed table' : nameOf(family),
  }));
  return namedStandings(named, 'against', [...without, 'seats', 'survived']);
};

/** Makes the report of a gauntlet: the agent's results against each family of opponents, the worst first. */
export const gauntletReport = (spec: GauntletSpec, result: GauntletResult, bots = new BotUses()): Report => {
  const { agent, families, until, seed, scoring } = spec;
  const parity = parityOf(spec);
  const scored = scoring.startsWith('sum_of') ? `${scoring}, parity ${parity.toFixed(3)}` : scoring;
  const name = bots.nameOf(agent) ?? shortAgent(agent);
  return {
    title: (time) => `${name}: ${result.games} games to the end of ${until}, seed ${seed}, ${scored}${time}`,
    tables: [gauntletTable(spec, result, bots)],
    agents: [agent, ...families],
    bots,
    record: {
      ...{ ...spec, played: result.games, parity },
      rows: result.rows.map(({ family, standing }) => ({ family, standing: withInterval(standing) })),
    },
  };
};
