// Says how a gauntlet went: as a table for people, in Markdown, and as JSON.
import { loadMap } from '../../../engine/internal.js';
import { agentKinds } from '../../../selfplay/agents/registry.js';
import {
  type GauntletResult,
  type GauntletRow,
  type GauntletSpec,
  parityOf,
} from '../../../selfplay/arena/gauntlet.js';
import { columns, conditionsOf, percent, plusMinus, timedNote } from './arena-report.js';

const HEAD = ['against', 'games', 'mean score', 'solos', 'most centres', 'defeated', 'centres', 'rating'];

/** An agent without the options that are what they are by default: 'search:rollouts=200'. */
const shortAgent = (text: string): string => {
  const [name, ...pairs] = text.split(':');
  const options = agentKinds.find((kind) => kind.name === name)?.options;
  if (options === undefined) return text;
  const isDefault = (pair: string): boolean => {
    const [key, value] = pair.split('=');
    return String(options[key]?.default) === value;
  };
  return [name, ...pairs.filter((pair) => !isDefault(pair))].join(':');
};

const cellsOf = (spec: GauntletSpec, { ratings }: GauntletResult, { family, standing }: GauntletRow): string[] => {
  const rating = family === null ? undefined : ratings[1 + spec.families.indexOf(family)];
  return [
    family === null ? 'a mixed table' : `${loadMap(spec.map).powerCount - 1} ${shortAgent(family)}`,
    String(standing.games),
    plusMinus(standing.score, standing.error),
    percent(standing.solos, standing.seats),
    percent(standing.most, standing.seats),
    percent(standing.defeated, standing.seats),
    standing.centers.toFixed(2),
    rating === undefined ? '-' : `${rating.mu.toFixed(1)} +- ${rating.sigma.toFixed(1)}`,
  ];
};

const table = (spec: GauntletSpec, result: GauntletResult): string[][] => [
  HEAD,
  ...result.rows.map((row) => cellsOf(spec, result, row)),
];

/** What was measured, under which conditions. */
const titleOf = (spec: GauntletSpec, { games, ratings }: GauntletResult): string => {
  const [{ mu, sigma }] = ratings;
  const parity = spec.scoring.startsWith('sum_of') ? `, parity ${parityOf(spec).toFixed(3)}` : '';
  return (
    `${shortAgent(spec.agent)}: ${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}${parity}, ` +
    `rating ${mu.toFixed(1)} +- ${sigma.toFixed(1)}`
  );
};

/** How the agent did against each family, the worst first. The ratings are those of the families. */
export const gauntletText = (spec: GauntletSpec, result: GauntletResult, seconds: number): string => {
  const note = timedNote([spec.agent, ...spec.families]);
  return `${titleOf(spec, result)}, ${seconds.toFixed(1)} s\n\n${columns(table(spec, result))}\n${note}`;
};

/** The same as a table in Markdown. */
export const gauntletMarkdown = (spec: GauntletSpec, result: GauntletResult): string => {
  const [head, ...rows] = table(spec, result).map((cells) => `| ${cells.join(' | ')} |`);
  return `${[head, `|${'---|'.repeat(HEAD.length)}`, ...rows].join('\n')}\n\n${titleOf(spec, result)}\n`;
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
  rating: result.ratings[0],
  rows: result.rows.map(({ family, standing }) => ({
    family,
    rating: family === null ? null : result.ratings[1 + spec.families.indexOf(family)],
    standing,
  })),
});
