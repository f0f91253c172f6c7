// Says what a population did: as tables for people, in Markdown, and as JSON.
import type { EloRange } from '../../selfplay/arena/elo.js';
import type { ClusteredMean, Member, PopulationResult } from '../../selfplay/arena/population.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import type { ChanceStep } from '../../selfplay/games/ending.js';
import { columns, percent } from '../terminal/output.js';
import { type BotUses, conditionsOf, plusMinus, shortAgent, timedNote } from './arena-report.js';

const HEAD = ['agent', 'seats', 'mean share', 'Elo', '95 %', 'solos', 'most centres', 'defeated', 'centres'];
/** A gain of more standard errors than this is marked. */
const MARKED = 2;

const elo = (x: number): string => (Number.isNaN(x) ? '-' : x.toFixed(0));
const signed = (x: number, digits: number): string => {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : `${x > 0 ? '+' : ''}${text}`;
};
const interval = ({ low, high }: EloRange): string => (Number.isNaN(low) ? '-' : `${elo(low)} to ${elo(high)}`);

/** The members, best first. */
export const byElo = ({ members }: PopulationResult): Member[] => [...members].sort((a, b) => b.elo - a.elo);

const memberCells = (member: Member): string[] => {
  const { agent, share, solos, most, defeated, centers } = member;
  return [
    ...[shortAgent(agent), String(share.seats), plusMinus(share.mean, share.error), elo(member.elo), interval(member)],
    ...[percent(solos, share.seats), percent(most, share.seats), percent(defeated, share.seats), centers.toFixed(2)],
  ];
};

const shareOf = ({ mean, error, games }: ClusteredMean): string => (games === 0 ? '-' : plusMinus(mean, error));

const powerCells = (result: PopulationResult): string[][] => {
  const members = byElo(result);
  return [
    ['mean share', ...members.map(({ agent }) => shortAgent(agent)), 'Elo', '95 %'],
    ...Object.entries(result.powers).map(([power, range]) => [
      ...[power, ...members.map(({ powers }) => shareOf(powers[power]))],
      ...[signed(range.elo, 0), interval(range)],
    ]),
  ];
};

const gainOf = ({ mean, error, games }: ClusteredMean): string =>
  games < 2 ? '-' : `${signed(mean, 3)}${Math.abs(mean) > MARKED * error ? '*' : ''}`;

const gainCells = (result: PopulationResult): string[][] => {
  const members = byElo(result);
  const places = members.map((member) => result.members.indexOf(member));
  return [
    ['gains where there is', ...members.map(({ agent }) => shortAgent(agent))],
    ...members.map(({ agent, gains }) => [shortAgent(agent), ...places.map((other) => gainOf(gains[other]))]),
  ];
};

const chanceText = (steps: readonly ChanceStep[] = []): string =>
  steps.map(({ from, chance }) => `, from ${from} each year the last one with ${chance * 100} %`).join('');

/** What was played, under which conditions. */
export const titleOf = (spec: ArenaSpec, { years }: PopulationResult): string =>
  `${spec.games} games of a population to ${spec.until}${chanceText(spec.chance)}, seed ${spec.seed}, ${spec.scoring}; ` +
  `${years.toFixed(1)} years on average`;

export const NOTE =
  '+- is one standard error, with the seats of a game as one draw; Elo: 400 points are ten times the share, its\n' +
  'intervals by bootstrap over games. * marks gains of more than two standard errors.\n';

/** The members, best first; what they got by power; who gains from whom. Heads first. */
export const populationCells = (result: PopulationResult): string[][][] => [
  [HEAD, ...byElo(result).map(memberCells)],
  powerCells(result),
  gainCells(result),
];

/** The members, best first, what they got by power, and who gains from whom. @param spec with the games that were played */
export const populationText = (spec: ArenaSpec, result: PopulationResult, bots: BotUses, seconds: number): string => {
  const text = populationCells(result)
    .map((table) => `${columns(table)}\n\n`)
    .join('');
  return `${titleOf(spec, result)}, ${seconds.toFixed(1)} s\n\n${text}${NOTE}${timedNote(spec.agents)}${bots.text()}`;
};

/** Rows of cells, the head first, as a table in Markdown. */
export const markdown = ([head, ...rows]: string[][]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** The same as tables in Markdown. */
export const populationMarkdown = (spec: ArenaSpec, result: PopulationResult): string =>
  `${populationCells(result).map(markdown).join('\n')}\n${titleOf(spec, result)}. ${NOTE.replaceAll('\n', ' ').trim()}\n`;

/** The same as one object. */
export const populationRecord = (
  spec: ArenaSpec,
  result: PopulationResult,
  workers: number,
  seconds: number,
): object => ({ ...spec, ...conditionsOf(spec.agents, workers, seconds), ...result });
