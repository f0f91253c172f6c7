// Computes the standings of an arena: scores with their standard errors, solos, survivors.
import { loadMap, scoreInto, scoreNames } from '../../engine/internal.js';
import type { ArenaGame } from './arena-game.js';
import type { ArenaSpec } from './protocol.js';

/** Results of an agent, either over all its seats or over its seats of one power. */
export interface Standing {
  /** Number of games in which the agent had a seat. */
  games: number;
  /** Number of seats that the agent had in all games together. */
  seats: number;
  /**
   * Mean over games of the mean score of the agent's seats in a game. Games have equal weight, whatever the number of
   * seats, so the total can lie above or below the scores of all single powers.
   */
  score: number;
  /** Standard error of `score`; NaN for one game. */
  error: number;
  /** Number of solo victories. */
  solos: number;
  /** Number of seats with more centres at the end than any other seat of the game. */
  most: number;
  /** Number of seats with a centre at the end. */
  survived: number;
  /** Number of seats without a centre at the end. */
  defeated: number;
  /** Mean number of centres of a seat at the end. */
  centers: number;
}

/** Results of an agent in an arena. */
export interface AgentStanding extends Standing {
  /** Name of the agent in the spec of the arena. */
  readonly agent: string;
  /** Results keyed by name of the power, for powers that the agent played. */
  readonly powers: Readonly<Record<string, Standing>>;
}

/** Accumulates the Standing of one agent, or of one agent with one power. */
export class Tally {
  private readonly total: Standing = {
    ...{ games: 0, seats: 0, score: 0, error: 0, solos: 0, most: 0, survived: 0, defeated: 0, centers: 0 },
  };
  private squares = 0;

  /**
   * Adds one game. Does nothing without seats.
   * @param seats powers that the agent played
   * @param scores score of each power, indexed by power
   */
  add(game: ArenaGame, seats: readonly number[], scores: Float64Array): void {
    if (seats.length === 0) return;
    const { total } = this;
    const score = seats.reduce((sum, q) => sum + scores[q], 0) / seats.length;
    total.games++;
    total.seats += seats.length;
    total.score += score;
    this.squares += score * score;
    for (const q of seats) {
      if (game.winner === q) total.solos++;
      if (game.centers.every((n, other) => other === q || n < game.centers[q])) total.most++;
      if (game.centers[q] > 0) total.survived++;
      else total.defeated++;
      total.centers += game.centers[q];
    }
  }

  result(): Standing {
    const { games, seats, score, centers } = this.total;
    const variance = Math.max(0, this.squares - (score * score) / games) / (games - 1);
    return { ...this.total, score: score / games, error: Math.sqrt(variance / games), centers: centers / seats };
  }
}

/** Returns the powers that an agent played in a game, ascending. @param agent index of the agent in the spec */
export const ownSeats = ({ seats }: ArenaGame, agent: number): number[] =>
  [...seats.keys()].filter((q) => seats[q] === agent);

/** Returns the score of each power by the scoring system of the arena, indexed by power. */
export const scoresOf = ({ scoring }: ArenaSpec, { centers, winner }: ArenaGame): Float64Array => {
  const scores = new Float64Array(centers.length);
  scoreInto(scoreNames.indexOf(scoring), centers, 0, centers.length, winner, scores);
  return scores;
};

/**
 * Returns the mean score of an agent's seats in each game, indexed by game; NaN for a game without such a seat.
 * @param agent index of the agent in the spec
 */
export const seatScores = (spec: ArenaSpec, games: readonly ArenaGame[], agent: number): number[] =>
  games.map((game) => {
    const own = scoresOf(spec, game).filter((_, q) => game.seats[q] === agent);
    return own.reduce((sum, score) => sum + score, 0) / own.length;
  });

/**
 * True if a game counts as a meeting of two agents. In protocols with one seat against six, the first one must have the
 * single seat.
 * @param agent index of the first agent in the spec
 * @param other index of the other agent in the spec; may be the same
 */
export const isMeeting = ({ protocol }: ArenaSpec, { seats }: ArenaGame, agent: number, other: number): boolean => {
  const own = seats.filter((seat) => seat === agent).length;
  if (protocol === '1v6' || protocol === '6v1' || protocol === 'round-robin')
    return own === 1 && other !== agent && seats.includes(other);
  return own > (other === agent ? 1 : 0) && seats.includes(other);
};

/** Returns the standing of each agent in its meetings with each other agent, at result[agent][other]. */
export const meetingsOf = (spec: ArenaSpec, games: readonly ArenaGame[]): Standing[][] => {
  const tallies = spec.agents.map(() => spec.agents.map(() => new Tally()));
  for (const game of games) {
    const scores = scoresOf(spec, game);
    for (const [agent, row] of tallies.entries())
      for (const [other, tally] of row.entries())
        if (isMeeting(spec, game, agent, other)) tally.add(game, ownSeats(game, agent), scores);
  }
  return tallies.map((row) => row.map((tally) => tally.result()));
};

/** Returns the standing of each agent over the given games, in the order of the spec. */
export const summarizeArena = (spec: ArenaSpec, games: readonly ArenaGame[]): AgentStanding[] => {
  const { powerNames } = loadMap(spec.map);
  const totals = spec.agents.map(() => new Tally());
  const byPower = spec.agents.map(() => powerNames.map(() => new Tally()));
  for (const game of games) {
    const scores = scoresOf(spec, game);
    for (let agent = 0; agent < spec.agents.length; agent++) {
      const own = ownSeats(game, agent);
      totals[agent].add(game, own, scores);
      for (const q of own) byPower[agent][q].add(game, [q], scores);
    }
  }
  return spec.agents.map((agent, i): AgentStanding => {
    const powers = powerNames.map((name, q): [string, Standing] => [name, byPower[i][q].result()]);
    return {
      agent,
      ...totals[i].result(),
      powers: Object.fromEntries(powers.filter(([, { games }]) => games > 0)),
    };
  });
};
