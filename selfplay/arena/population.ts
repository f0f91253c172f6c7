// Sums up games whose seats were drawn from a population of agents: shares with standard errors, skills, and the effect
// of each agent on the shares of the others.
import { type CompiledMap, loadMap } from '../../engine/internal.js';
import type { ChanceStep } from '../games/ending.js';
import type { ArenaGame } from './arena-game.js';
import { type EloFit, type EloRange, fitElo } from './elo.js';
import type { ArenaSpec } from './protocol.js';
import { ownSeats, scoresOf, Tally } from './standings.js';

/** Returns the default ending of population games: by chance from the ninth year on, as in the literature. */
export const populationEnding = ({
  startYear,
}: Pick<CompiledMap, 'startYear'>): { readonly until: number; readonly chance: readonly ChanceStep[] } => ({
  until: startYear + 29,
  chance: [
    { from: startYear + 8, chance: 0.2 },
    { from: startYear + 12, chance: 0.4 },
  ],
});

/** A mean over seats, with a standard error that treats the seats of one game as one sample. */
export interface ClusteredMean {
  /** Mean over seats. */
  readonly mean: number;
  /** Standard error of the mean; NaN for fewer than two games. */
  readonly error: number;
  /** Number of seats over which the mean is taken. */
  readonly seats: number;
  /** Number of games with at least one of the seats over which the mean is taken. */
  readonly games: number;
}

/** Results of one agent of a population. */
export interface Member extends EloRange {
  /** Name of the agent in the spec. */
  readonly agent: string;
  /** Mean share of the agent's seats, 0 to 1. */
  readonly share: ClusteredMean;
  /** Number of solo victories. */
  readonly solos: number;
  /** Number of seats with more centres at the end than any other seat of the game. */
  readonly most: number;
  /** Number of seats without a centre at the end. */
  readonly defeated: number;
  /** Mean number of centres of a seat at the end. */
  readonly centers: number;
  /** Mean share of the agent's seats, keyed by name of the power. */
  readonly powers: Readonly<Record<string, ClusteredMean>>;
  /**
   * Mean share in games in which another agent is at the table, minus the mean share in all games, indexed by the other
   * agent.
   */
  readonly gains: readonly ClusteredMean[];
}

/** Results of a population. */
export interface PopulationResult {
  /** Results of each agent, in the order of the spec. */
  readonly members: readonly Member[];
  /** Advantage of each power in Elo, keyed by name of the power. */
  readonly powers: Readonly<Record<string, EloRange>>;
  /** Mean number of years begun in a game. */
  readonly years: number;
}

/** Sum of the scores of the counted seats in one game, and number of these seats. */
type Part = readonly [sum: number, seats: number];

/**
 * Returns the mean over all seats, as a ratio of sums over games, with its linearised standard error (Cochran 1977,
 * section 6.4).
 * @param parts sum of scores and number of seats of each game; games without seats are ignored
 * @param against number to subtract from the mean
 */
export const clusteredMean = (parts: readonly Part[], against = 0): ClusteredMean => {
  const games = parts.filter(([, count]) => count > 0);
  const seats = games.reduce((all, [, count]) => all + count, 0);
  const mean = games.reduce((all, [sum]) => all + sum, 0) / seats;
  const squares = games.reduce((all, [sum, count]) => all + (sum - mean * count) ** 2, 0);
  const n = games.length;
  return { mean: mean - against, error: Math.sqrt((squares * n) / (n - 1)) / seats, seats, games: n };
};

/** Returns the scores divided by their sum; unchanged if no score is positive. */
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
 * @param spec arena of the games
 * @param resamples number of bootstrap samples for intervals; 0 for none, default 400
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
