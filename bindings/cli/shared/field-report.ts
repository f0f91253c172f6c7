// Says how an agent did against a field: as a table for people, in Markdown, and as JSON.
import { loadMap } from '../../../engine/internal.js';
import { agentKinds } from '../../../selfplay/agents/registry.js';
import { type FieldResult, type FieldRow, type FieldSpec, parityOf } from '../../../selfplay/arena/field.js';
import { findCommit, lepantoVersion } from '../../../selfplay/records/version.js';
import { columns, isTimed, percent, plusMinus } from './arena-report.js';

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

const cellsOf = (spec: FieldSpec, { ratings }: FieldResult, { family, standing }: FieldRow): string[] => {
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

const table = (spec: FieldSpec, result: FieldResult): string[][] => [
  HEAD,
  ...result.rows.map((row) => cellsOf(spec, result, row)),
];

/** What was measured, under which conditions. */
const titleOf = (spec: FieldSpec, { games, ratings }: FieldResult): string => {
  const [{ mu, sigma }] = ratings;
  const parity = spec.scoring.startsWith('sum_of') ? `, parity ${parityOf(spec).toFixed(3)}` : '';
  return (
    `${shortAgent(spec.agent)}: ${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}${parity}, ` +
    `rating ${mu.toFixed(1)} +- ${sigma.toFixed(1)}`
  );
};

const isFieldTimed = ({ agent, families }: FieldSpec): boolean => [agent, ...families].some(isTimed);

/** How the agent did against each family, the worst first. The ratings are those of the families. */
export const fieldText = (spec: FieldSpec, result: FieldResult, seconds: number): string => {
  const note = isFieldTimed(spec) ? '\nsome agents search by milliseconds: these games cannot be repeated\n' : '';
  return `${titleOf(spec, result)}, ${seconds.toFixed(1)} s\n\n${columns(table(spec, result))}\n${note}`;
};

/** The same as a table in Markdown. */
export const fieldMarkdown = (spec: FieldSpec, result: FieldResult): string => {
  const [head, ...rows] = table(spec, result).map((cells) => `| ${cells.join(' | ')} |`);
  return `${[head, `|${'---|'.repeat(HEAD.length)}`, ...rows].join('\n')}\n\n${titleOf(spec, result)}\n`;
};

/** The same as one object. */
export const fieldRecord = (spec: FieldSpec, result: FieldResult, workers: number, seconds: number): object => ({
  ...spec,
  played: result.games,
  parity: parityOf(spec),
  reproducible: !isFieldTimed(spec),
  lepanto: lepantoVersion,
  commit: findCommit(),
  workers,
  seconds,
  rating: result.ratings[0],
  rows: result.rows.map(({ family, standing }) => ({
    family,
    rating: family === null ? null : result.ratings[1 + spec.families.indexOf(family)],
    standing,
  })),
});
