// Agents against each other: who sits where, many games over a pool of workers, and what they came to.

import { rate, rating } from 'openskill';
import { Piscina } from 'piscina';
import { loadMap, Random, type ScoreName, scoreInto, scoreNames } from '../../engine/internal.js';
import { gameSeed } from '../games/play.js';
import { threadArguments } from '../workers/threads.js';

/**
 * - 1v6: the first agent in one seat, another in the six others; against each other agent in turn
 * - 6v1: the first agent in six seats, another in one
 * - round-robin: every agent in one seat against six of every other
 * - random-seats: each game deals the seats anew, as evenly as the number of agents allows
 */
export const protocolNames = ['1v6', '6v1', 'round-robin', 'random-seats'] as const;
export type ProtocolName = (typeof protocolNames)[number];

/** Everything that the games of an arena follow from. */
export interface ArenaSpec {
  readonly map: string;
  readonly rules: string;
  /** As formatAgent() writes them. */
  readonly agents: readonly string[];
  readonly protocol: ProtocolName;
  readonly scoring: ScoreName;
  readonly games: number;
  readonly until: number;
  readonly seed: number;
}

/** How one game ended. */
export interface ArenaGame {
  /** By power: place of its agent in the spec. */
  readonly seats: readonly number[];
  readonly centers: readonly number[];
  /** -1 for a draw. */
  readonly winner: number;
  readonly years: number;
}

export interface ArenaTask {
  readonly spec: ArenaSpec;
  readonly index: number;
}

/** Hero and rest in the pairings of a protocol. */
const pairings = ({ protocol, agents }: ArenaSpec): [number, number][] => {
  const others = agents.map((_, i) => i).slice(1);
  if (protocol === '1v6') return others.map((i) => [0, i]);
  if (protocol === '6v1') return others.map((i) => [i, 0]);
  return agents.flatMap((_, i) => agents.flatMap((__, k): [number, number][] => (i === k ? [] : [[i, k]])));
};

const dealSeats = ({ agents, seed }: ArenaSpec, index: number, powerCount: number): number[] => {
  const random = new Random(seed, index, 0x5ea7);
  // Every agent sits as often as any other; who gets the seats left over is drawn.
  const rest = agents.map((_, i) => i);
  const shuffle = (list: number[]): number[] => {
    for (let i = list.length - 1; i > 0; i--) {
      const k = random.below(i + 1);
      [list[i], list[k]] = [list[k], list[i]];
    }
    return list;
  };
  const seats: number[] = [];
  while (seats.length < powerCount) seats.push(...shuffle(rest).slice(0, powerCount - seats.length));
  return shuffle(seats);
};

/** Places of the agents by power in one game. The seat of a single agent moves on by one power with each game. */
export const seatsOf = (spec: ArenaSpec, index: number, powerCount: number): number[] => {
  if (spec.protocol === 'random-seats' || spec.agents.length === 1) return dealSeats(spec, index, powerCount);
  const pairs = pairings(spec);
  const [one, six] = pairs[Math.floor(index / powerCount) % pairs.length];
  return Array.from({ length: powerCount }, (_, q) => (q === index % powerCount ? one : six));
};

export const arenaGameSeed = (spec: ArenaSpec, index: number): number => gameSeed(spec.seed, index);

/** What an agent came to, over all its seats or those of one power. */
export interface Standing {
  /** Games that it played in, and seats that it had in them. */
  games: number;
  seats: number;
  /** Mean score of a seat; games count alike, and the standard error is over games (NaN for one game). */
  score: number;
  error: number;
  solos: number;
  /** Seats with more centres than any other seat. */
  most: number;
  survived: number;
  defeated: number;
  centers: number;
}

export interface AgentStanding extends Standing {
  readonly agent: string;
  /** Bayesian rating (Weng and Lin 2011): skill, its uncertainty, and the skill it has almost surely. */
  readonly rating: { readonly mu: number; readonly sigma: number; readonly ordinal: number };
  readonly powers: Readonly<Record<string, Standing>>;
}

export interface ArenaResult {
  readonly games: readonly ArenaGame[];
  readonly standings: readonly AgentStanding[];
}

class Tally {
  declare private readonly total: Standing;
  declare private squares: number;

  constructor() {
    this.total = { games: 0, seats: 0, score: 0, error: 0, solos: 0, most: 0, survived: 0, defeated: 0, centers: 0 };
    this.squares = 0;
  }

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

/** Ratings by agent. An agent with several seats is rated in each alone, and moves by the mean of them. */
const rateAgents = (agents: number, games: readonly ArenaGame[]): { mu: number; sigma: number }[] => {
  const ratings = Array.from({ length: agents }, () => rating());
  for (const { seats, centers, winner } of games) {
    const score = centers.map((n, q) => (winner < 0 ? n : q === winner ? 1 : 0));
    const rated = rate(
      seats.map((agent) => [ratings[agent]]),
      { score },
    );
    for (let agent = 0; agent < agents; agent++) {
      const own = rated.filter((_, q) => seats[q] === agent).map(([one]) => one);
      if (own.length === 0) continue;
      const mean = (read: (one: { mu: number; sigma: number }) => number): number =>
        own.reduce((sum, one) => sum + read(one), 0) / own.length;
      ratings[agent] = { mu: mean(({ mu }) => mu), sigma: mean(({ sigma }) => sigma) };
    }
  }
  return ratings;
};

/** What the games came to, agent by agent in the order of the spec. Games are rated in their order. */
export const summarizeArena = (spec: ArenaSpec, games: readonly ArenaGame[]): AgentStanding[] => {
  const { powerNames, powerCount } = loadMap(spec.map);
  const scores = new Float64Array(powerCount);
  const totals = spec.agents.map(() => new Tally());
  const byPower = spec.agents.map(() => powerNames.map(() => new Tally()));
  for (const game of games) {
    scoreInto(scoreNames.indexOf(spec.scoring), game.centers, 0, powerCount, game.winner, scores);
    for (let agent = 0; agent < spec.agents.length; agent++) {
      const own = powerNames.map((_, q) => q).filter((q) => game.seats[q] === agent);
      totals[agent].add(game, own, scores);
      for (const q of own) byPower[agent][q].add(game, [q], scores);
    }
  }
  const ratings = rateAgents(spec.agents.length, games);
  return spec.agents.map((agent, i): AgentStanding => {
    const { mu, sigma } = ratings[i];
    const powers = powerNames.map((name, q): [string, Standing] => [name, byPower[i][q].result()]);
    return {
      agent,
      ...totals[i].result(),
      rating: { mu, sigma, ordinal: mu - 3 * sigma },
      powers: Object.fromEntries(powers.filter(([, { games }]) => games > 0)),
    };
  });
};

export interface ArenaOptions {
  readonly workers: number;
  /** Called after each game, in the order in which they end. */
  readonly onGame?: (played: number) => void;
}

/**
 * Plays an arena. The result does not depend on the number of workers, but for agents that are given milliseconds.
 * @throws Error if an agent fails or gives orders that are not legal
 */
export const runArena = async (spec: ArenaSpec, { workers, onGame }: ArenaOptions): Promise<ArenaResult> => {
  if (spec.protocol !== 'random-seats' && spec.agents.length < 2)
    throw new RangeError(`agents: got ${spec.agents.length}, wanted at least 2 for ${spec.protocol}`);
  const threads = Math.min(workers, spec.games);
  const pool = new Piscina<ArenaTask, ArenaGame>({
    filename: new URL('./arena-worker.js', import.meta.url).href,
    execArgv: threadArguments,
    minThreads: threads,
    maxThreads: threads,
    recordTiming: false,
  });
  const games: ArenaGame[] = [];
  let next = 0;
  let played = 0;
  const work = async (): Promise<void> => {
    while (next < spec.games) {
      const index = next++;
      games[index] = await pool.run({ spec, index });
      onGame?.(++played);
    }
  };
  try {
    await Promise.all(Array.from({ length: threads * 2 }, work));
  } finally {
    await pool.destroy();
  }
  return { games, standings: summarizeArena(spec, games) };
};
