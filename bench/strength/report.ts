// Writes bench/strength/results.md, its plot and a copy of the result, from a measurement by strength.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeXml } from '../../bindings/draw/escape-xml.js';
import { reportMarkdown, shortAgent } from '../../bindings/reports/arena-report.js';
import { plusMinus } from '../../bindings/reports/figures.js';
import { byElo, populationReport } from '../../bindings/reports/population-report.js';
import { makeTable, numbers, renderMarkdown, type Table, words } from '../../bindings/reports/table.js';
import type { ArenaGame } from '../../selfplay/arena/arena-game.js';
import { MEAN_ELO } from '../../selfplay/arena/elo.js';
import { type Member, summarizePopulation } from '../../selfplay/arena/population.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import { summarizeArena } from '../../selfplay/arena/standings.js';
import { writeWhole } from '../../selfplay/records/whole-file.js';
import { packageRoot } from '../../selfplay/version.js';
import type { AgentProfile } from './agent-profile.js';
import type { Exploitability } from './exploitability.js';

/** An arena with its games. */
interface Played {
  readonly spec: ArenaSpec;
  readonly games: readonly ArenaGame[];
}

/** Result of strength.ts. */
export interface StrengthResult {
  readonly lepanto: string;
  readonly commit: string | null;
  readonly machine: string;
  /** Seconds that the games of the population took; null if they were played in several runs. */
  readonly seconds: number | null;
  readonly population: Played;
  /** Games of every agent in one seat against every other agent in six. */
  readonly pairs: Played;
  /** Measurements of each agent in all seats, in the order of the population. */
  readonly profiles: readonly AgentProfile[];
  /** Exploitability of each agent, in the order of the population. Empty if it was not measured. */
  readonly exploited: readonly Exploitability[];
}

export const readStrength = (path: string): StrengthResult => {
  const result: Partial<StrengthResult> = JSON.parse(readFileSync(path, 'utf8'));
  if (
    !Array.isArray(result.population?.games) ||
    !Array.isArray(result.pairs?.games) ||
    !Array.isArray(result.profiles)
  )
    throw new RangeError(`${path}: got another file, wanted a result.json of strength.js`);
  return result as StrengthResult;
};

/**
 * Formats the mean score of an agent against another one, in the games in which the agent has one seat. Returns '-'
 * without such a game, '' for an agent against itself.
 */
const pairScore = ({ spec, games }: Played, agent: number, other: number): string => {
  if (other === agent) return '';
  const met = games.filter(
    (game) => game.seats.includes(other) && game.seats.filter((one) => one === agent).length === 1,
  );
  const { score, error } = summarizeArena(spec, met)[agent];
  return met.length === 0 ? '-' : plusMinus(score, error);
};

const pairTable = (played: Played, order: readonly number[]): Table => {
  const nameOf = (agent: number): string => shortAgent(played.spec.agents[agent]);
  return makeTable(order, [
    words('one', nameOf),
    ...order.map((other) => numbers<number>(nameOf(other), (agent) => pairScore(played, agent, other))),
  ]);
};

const HABITS = ['uncaptured', 'lost_empty', 'stubborn', 'void', 'fleets', 'at_leader'] as const;

const profileTable = ({ profiles, exploited, population }: StrengthResult, order: readonly number[]): Table =>
  makeTable(order, [
    words('agent', (agent) => shortAgent(population.spec.agents[agent])),
    numbers('ms a choice', (agent) => profiles[agent].ms.toPrecision(2)),
    numbers('slowest', (agent) => profiles[agent].slowest.toPrecision(2)),
    numbers('memory, MB', (agent) => profiles[agent].memory.toFixed(0)),
    ...HABITS.map((name) => numbers<number>(name.replace('_', ' '), (agent) => profiles[agent].habits[name] ?? '-')),
    numbers('gain of a best response', (agent) =>
      exploited[agent] === undefined ? '-' : plusMinus(exploited[agent].gain, exploited[agent].error),
    ),
  ]);

const WIDTH = 720;
const ROW = 26;
const LEFT = 180;
const TOP = 40;

/** Returns a plot of the Elo of each agent with its interval, as SVG. */
export const eloPlot = (members: readonly Member[], title: string): string => {
  const low = Math.min(...members.map((one) => one.low));
  const high = Math.max(...members.map((one) => one.high));
  const at = (elo: number): string => (LEFT + ((elo - low) / (high - low || 1)) * (WIDTH - LEFT - 70)).toFixed(1);
  const height = TOP + ROW * members.length + 30;
  const rows = members.map((one, i) => {
    const y = TOP + ROW * i + 12;
    return (
      `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${escapeXml(shortAgent(one.agent))}</text>` +
      `<line x1="${at(one.low)}" x2="${at(one.high)}" y1="${y}" y2="${y}" stroke="#0f4394" stroke-width="3"/>` +
      `<circle cx="${at(one.elo)}" cy="${y}" r="5" fill="#0f4394"/>` +
      `<text x="${at(one.high)}" dx="8" y="${y + 4}">${one.elo.toFixed(0)}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    `<text x="12" y="22" font-size="15">${escapeXml(title)}</text>`,
    `<line x1="${at(MEAN_ELO)}" x2="${at(MEAN_ELO)}" y1="${TOP - 6}" y2="${height - 26}" stroke="#ccc"/>`,
    ...rows,
    `<text x="12" y="${height - 8}">95 % by bootstrap over games; the line is the mean of the population, ${MEAN_ELO}</text>`,
    '</svg>\n',
  ].join('\n');
};

/** Returns the page of results as Markdown, and the plot as SVG. */
export const strengthReport = (result: StrengthResult): { readonly text: string; readonly plot: string } => {
  const { population, pairs, commit, lepanto, machine, seconds, exploited } = result;
  const summary = summarizePopulation(population.spec, population.games);
  const members = byElo(summary);
  const order = members.map((member) => summary.members.indexOf(member));
  const [response] = exploited;
  const text = renderMarkdown([
    `# Strength of the agents

Written by \`node dist/bench/strength/strength.js\` from [results.json](results.json); [README.md](README.md) describes the method.
lepanto ${lepanto}, commit ${commit ?? 'unknown'}; ${machine}; the population took ${seconds === null ? 'several runs' : `${(seconds / 60).toFixed(1)} minutes`}.

## A population

${reportMarkdown(populationReport(population.spec, summary))}
![Elo of each agent with its interval](elo.svg)

## One seat against six

Mean scores to ${pairs.spec.until}, ${pairs.spec.scoring}; one seat of the row against six of the column. Each of the six has a sixth of the rest.`,
    pairTable(pairs, order),
    `## Alone

Tables of one agent: milliseconds of a choice of movements (median and slowest), memory of the process, and habits as
[habits.ts](habits.ts) defines them.${
      response === undefined
        ? ''
        : ` Last, the gain above parity of an approximate best response in one seat against six, to ${response.until}, ${response.games} games: a lower bound.`
    }`,
    profileTable(result, order),
  ]);
  return { text, plot: eloPlot(members, `Elo of ${population.games.length} games`) };
};

/** Writes the tables (results.md), the plot (elo.svg) and the result (results.json) to bench/strength. */
export const writeReport = (result: StrengthResult): void => {
  const { text, plot } = strengthReport(result);
  const write = (name: string, content: string): void => writeWhole(join(packageRoot, 'bench/strength', name), content);
  write('results.md', text);
  write('elo.svg', plot);
  write('results.json', `${JSON.stringify(result)}\n`);
};
