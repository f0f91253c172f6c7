// Computes the standings of an arena: scores with their standard errors, solos, survivors.
import { loadMap, scoreInto, scoreNames } from '../../engine/internal.js';
import type { ArenaGame } from './arena-game.js';
import type { ArenaSpec } from './protocol.js';

/** How an agent did, over all its seats or those of one power. */
export interface Standing {
  /** Games that it played in. */
  games: number;
  /** Seats that it had in them. */
  seats: number;
  /**
   * Mean over games of the mean score of its seats in a game. Games have equal weight, however many seats it has in
   * them, so the total can lie above or below the scores of all its powers.
   */
  score: number;
  /** Standard error of the mean over games; NaN for one game. */
  error: number;
  /** Games that it won alone. */
  solos: number;
  /** Seats with more centres than any other seat. */
  most: number;
  /** Seats with a centre at the end. */
  survived: number;
  /** Seats without a centre at the end. */
  defeated: number;
  /** Mean number of centres of a seat at the end. */
  centers: number;
}

/** How an agent did in an arena. */
export interface AgentStanding extends Standing {
  /** As the spec of the arena names it. */
  readonly agent: string;
  /** By the name of the power that it played. */
  readonly powers: Readonly<Record<string, Standing>>;
}

/** Sums up the seats of one agent, or of one power that it played. */
export class Tally {
  private readonly total: Standing = {
    ...{ games: 0, seats: 0, score: 0, error: 0, solos: 0, most: 0, survived: 0, defeated: 0, centers: 0 },
  };
  private squares = 0;

  /** Adds the seats that the agent had in one game. */
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

/** Seats of an agent in a game: the powers that it played. */
export const ownSeats = ({ seats }: ArenaGame, agent: number): number[] =>
  [...seats.keys()].filter((q) => seats[q] === agent);

export const scoresOf = ({ scoring }: ArenaSpec, { centers, winner }: ArenaGame): Float64Array => {
  const scores = new Float64Array(centers.length);
  scoreInto(scoreNames.indexOf(scoring), centers, 0, centers.length, winner, scores);
  return scores;
};

/** Mean score of an agent's seats, game by game. */
export const seatScores = (spec: ArenaSpec, games: readonly ArenaGame[], agent: number): number[] =>
  games.map((game) => {
    const own = scoresOf(spec, game).filter((_, q) => game.seats[q] === agent);
    return own.reduce((sum, score) => sum + score, 0) / own.length;
  });

/**
 * True if a game says how an agent does where another one sits: with two agents at a table, in the only seat of its
 * own.
 */
export const isMeeting = ({ protocol }: ArenaSpec, { seats }: ArenaGame, agent: number, other: number): boolean => {
  const own = seats.filter((seat) => seat === agent).length;
  if (protocol === '1v6' || protocol === '6v1' || protocol === 'round-robin')
    return own === 1 && other !== agent && seats.includes(other);
  return own > (other === agent ? 1 : 0) && seats.includes(other);
};

/** By agent and other agent, in the order of the spec: how the agent did in their meetings. */
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

/** Returns the standings of the agents after these games, in the order of the spec. */
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
