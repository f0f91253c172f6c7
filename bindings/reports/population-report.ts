// Makes the report of a population.
import type { EloRange } from '../../selfplay/arena/elo.js';
import type { ClusteredMean, Member, PopulationResult } from '../../selfplay/arena/population.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import type { ChanceStep } from '../../selfplay/games/ending.js';
import { BotUses, type Report, shortAgent } from './arena-report.js';
import { percent, plusMinus } from './figures.js';
import { makeTable, numbers, type Table, words } from './table.js';

/** Number of standard errors above which a gain is marked with an asterisk in the table of gains. */
const MARKED = 2;

const elo = (x: number): string => (Number.isNaN(x) ? '-' : x.toFixed(0));
const signed = (x: number, digits: number): string => {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : `${x > 0 ? '+' : ''}${text}`;
};
const interval = ({ low, high }: EloRange): string => (Number.isNaN(low) ? '-' : `${elo(low)} to ${elo(high)}`);

/** Returns the members of a population, sorted by descending Elo. */
export const byElo = ({ members }: PopulationResult): Member[] => [...members].sort((a, b) => b.elo - a.elo);

const membersTable = (members: readonly Member[]): Table =>
  makeTable(members, [
    words('agent', ({ agent }) => shortAgent(agent)),
    numbers('seats', ({ share }) => share.seats),
    numbers('mean share', ({ share }) => plusMinus(share.mean, share.error)),
    numbers('Elo', (member) => elo(member.elo)),
    numbers('95 %', interval),
    numbers('solos', ({ solos, share }) => percent(solos, share.seats)),
    numbers('most centres', ({ most, share }) => percent(most, share.seats)),
    numbers('defeated', ({ defeated, share }) => percent(defeated, share.seats)),
    numbers('centres', ({ centers }) => centers.toFixed(2)),
  ]);

const shareOf = ({ mean, error, games }: ClusteredMean): string => (games === 0 ? '-' : plusMinus(mean, error));

const powersTable = (members: readonly Member[], powers: PopulationResult['powers']): Table =>
  makeTable(Object.entries(powers), [
    words('mean share', ([power]) => power),
    ...members.map((member) =>
      numbers<[string, EloRange]>(shortAgent(member.agent), ([power]) => shareOf(member.powers[power])),
    ),
    numbers('Elo', ([, range]) => signed(range.elo, 0)),
    numbers('95 %', ([, range]) => interval(range)),
  ]);

const gainOf = ({ mean, error, games }: ClusteredMean): string =>
  games < 2 ? '-' : `${signed(mean, 3)}${Math.abs(mean) > MARKED * error ? '*' : ''}`;

/**
 * Returns the table of gains: how much the mean share of the score of the member in a row changes in games in which the
 * member in a column also plays.
 * @param members members in the order of the rows and columns
 * @param inOrder the same members in the order of Member.gains
 */
const gainsTable = (members: readonly Member[], inOrder: readonly Member[]): Table => {
  const table = makeTable(members, [
    words('gains where there is', ({ agent }) => shortAgent(agent)),
    ...members.map((other) =>
      numbers<Member>(shortAgent(other.agent), ({ gains }) => gainOf(gains[inOrder.indexOf(other)])),
    ),
  ]);
  return { ...table, shades: 'signed' };
};

const chanceText = (steps: readonly ChanceStep[] = []): string =>
  steps.map(({ from, chance }) => `, from ${from} each year the last one with ${chance * 100} %`).join('');

/** Returns the title of the report: number of games and their conditions. */
export const titleOf = (spec: ArenaSpec, { years }: PopulationResult): string =>
  `${spec.games} games of a population to ${spec.until}${chanceText(spec.chance)}, seed ${spec.seed}, ${spec.scoring}; ` +
  `${years.toFixed(1)} years on average`;

export const NOTE =
  '+- is one standard error, with the seats of a game as one draw; Elo: 400 points are ten times the share, its\n' +
  'intervals by bootstrap over games. * marks gains of more than two standard errors.';

/**
 * Returns three tables of a population: the members, best first; their mean shares of the score by power; and how much
 * the share of each changes when each other member plays.
 */
export const populationTables = (result: PopulationResult): Table[] => {
  const members = byElo(result);
  return [membersTable(members), powersTable(members, result.powers), gainsTable(members, result.members)];
};

/** Makes the report of a population. @param spec settings of the arena; games: the number that was played */
export const populationReport = (spec: ArenaSpec, result: PopulationResult, bots = new BotUses()): Report => ({
  title: (time) => titleOf(spec, result) + time,
  tables: populationTables(result),
  note: NOTE,
  ...{ agents: spec.agents, bots },
  record: { ...spec, ...result },
});
