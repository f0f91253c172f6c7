// Sums up games in which each seat was drawn from a population: shares of agents with errors by game, skills, and who
// gains from whom.
import { type CompiledMap, loadMap } from '../../engine/internal.js';
import type { ChanceStep } from '../games/ending.js';
import type { ArenaGame } from './arena-game.js';
import { type EloFit, type EloRange, fitElo } from './elo.js';
import type { ArenaSpec } from './protocol.js';
import { ownSeats, scoresOf, Tally } from './standings.js';

/**
 * How games of a population end where nothing else is said, as tables of the literature do: by chance, from the ninth
 * year on.
 */
export const populationEnding = ({
  startYear,
}: Pick<CompiledMap, 'startYear'>): { readonly until: number; readonly chance: readonly ChanceStep[] } => ({
  until: startYear + 29,
  chance: [
    { from: startYear + 8, chance: 0.2 },
    { from: startYear + 12, chance: 0.4 },
  ],
});

/** A mean over seats, and its standard error, in which the seats of one game count as one draw. */
export interface ClusteredMean {
  /** Of a seat. */
  readonly mean: number;
  /** NaN for fewer than two games. */
  readonly error: number;
  /** Seats that it is over. */
  readonly seats: number;
  /** Games with such seats. */
  readonly games: number;
}

/** What one agent of a population did. */
export interface Member extends EloRange {
  /** As the spec names it. */
  readonly agent: string;
  /** What its seats got of the whole. */
  readonly share: ClusteredMean;
  /** Games that a seat of it won alone. */
  readonly solos: number;
  /** Seats with more centres than any other. */
  readonly most: number;
  /** Seats without a centre at the end. */
  readonly defeated: number;
  /** Mean number of centres at the end. */
  readonly centers: number;
  /** By power, by name. */
  readonly powers: Readonly<Record<string, ClusteredMean>>;
  /** By other agent in the order of the spec: how much more a seat gets where one of them sits at the table. */
  readonly gains: readonly ClusteredMean[];
}

/** What a population did. */
export interface PopulationResult {
  /** In the order of the spec. */
  readonly members: readonly Member[];
  /** What a seat of each power is worth, in Elo. */
  readonly powers: Readonly<Record<string, EloRange>>;
  /** Mean of the years that games began. */
  readonly years: number;
}

/** A sum of scores and the number of seats that it is over, of one game. */
type Part = readonly [sum: number, seats: number];

/** The mean of a ratio of sums by game, with the error of its linear part (Cochran 1977, section 6.4). */
export const clusteredMean = (parts: readonly Part[], against = 0): ClusteredMean => {
  const games = parts.filter(([, count]) => count > 0);
  const seats = games.reduce((all, [, count]) => all + count, 0);
  const mean = games.reduce((all, [sum]) => all + sum, 0) / seats;
  const squares = games.reduce((all, [sum, count]) => all + (sum - mean * count) ** 2, 0);
  const n = games.length;
  return { mean: mean - against, error: Math.sqrt((squares * n) / (n - 1)) / seats, seats, games: n };
};

/** Scores as parts of a whole; all 0 where none scored. */
const sharesOf = (scores: Float64Array): Float64Array => {
  const sum = scores.reduce((all, score) => all + score, 0);
  return sum > 0 ? scores.map((score) => score / sum) : scores;
};

const memberOf = (
  spec: ArenaSpec,
  agent: number,
  games: readonly ArenaGame[],
  scores: readonly Float64Array[],
  { agents }: EloFit,
): Member => {
  const { powerNames } = loadMap(spec.map);
  const partOf = (g: number, counts: (seat: number, seats: readonly number[]) => boolean): Part => {
    const own = ownSeats(games[g], agent).filter((q) => counts(q, games[g].seats));
    return [own.reduce((sum, q) => sum + scores[g][q], 0), own.length];
  };
  const meanOf = (counts: (seat: number, seats: readonly number[]) => boolean, against = 0): ClusteredMean =>
    clusteredMean(
      games.map((_, g) => partOf(g, counts)),
      against,
    );
  const share = meanOf(() => true);
  const tally = new Tally();
  for (const [g, game] of games.entries()) tally.add(game, ownSeats(game, agent), scores[g]);
  const { solos, most, defeated, centers } = tally.result();
  return {
    agent: spec.agents[agent],
    ...agents[agent],
    share,
    ...{ solos, most, defeated, centers },
    powers: Object.fromEntries(powerNames.map((name, power) => [name, meanOf((q) => q === power)])),
    gains: spec.agents.map((_, other) =>
      meanOf((q, seats) => seats.some((one, at) => one === other && at !== q), share.mean),
    ),
  };
};

/**
 * Sums up the games of a population.
 * @param spec whose agents the seats of the games name
 * @param resamples as fitElo() takes it
 */
export const summarizePopulation = (
  spec: ArenaSpec,
  games: readonly ArenaGame[],
  resamples?: number,
): PopulationResult => {
  const { powerNames } = loadMap(spec.map);
  const scores = games.map((game) => scoresOf(spec, game));
  const shared = games.map(({ seats }, g) => ({ seats, shares: sharesOf(scores[g]) }));
  const fit = fitElo(shared, spec.agents.length, powerNames.length, spec.seed, resamples);
  return {
    members: spec.agents.map((_, agent) => memberOf(spec, agent, games, scores, fit)),
    powers: Object.fromEntries(powerNames.map((name, q) => [name, fit.powers[q]])),
    years: games.reduce((sum, { years }) => sum + years, 0) / games.length,
  };
};
