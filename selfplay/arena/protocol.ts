// Defines the specifications of arenas and gates, and the seats of the agents in each game.

import { hashSeed, mix, Random, type ScoreName, scoreNames } from '../../engine/internal.js';
import { shuffle } from '../evaluation/shuffle.js';
import type { ChanceStep } from '../games/ending.js';
import { gameSeed } from '../games/game-record.js';
import { wholeIn } from '../question/option.js';

/** Names of the ways to seat agents, which ProtocolName describes. */
export const protocolNames = ['1v6', '6v1', 'round-robin', 'random-seats', 'mixed', 'population'] as const;
/**
 * How agents are seated in the games of an arena.
 *
 * - 1v6: the first agent in one seat, another in the six others; against each other agent in turn
 * - 6v1: the first agent in six seats, each other agent in turn in one
 * - round-robin: every agent in one seat against six of every other
 * - mixed: the first agent in one seat, the others one after the other in the rest, shifted by one after each round of
 * seats
 * - random-seats: seats are dealt at random in each game, as evenly as the number of agents allows
 * - population: each seat is drawn from all agents, with replacement; two arenas of one seed draw alike where the agent
 *   drawn is in both
 */
export type ProtocolName = (typeof protocolNames)[number];

const shortScores = { sos: 'sum_of_squares', dss: 'draw_size', soc: 'sum_of_centers' };

/** Command-line options of an arena. */
export const arenaOptions = {
  protocol: { words: protocolNames, help: 'seating' },
  games: { ...wholeIn(1, 10_000_000), help: 'number of games' },
  scoring: {
    words: scoreNames,
    short: shortScores,
    default: 'sum_of_squares',
    help: 'score of a seat',
  },
} as const;

/**
 * GATE_LOOKS: default maximum number of looks of a gate. GATE_P: default probability that an equal agent passes by
 * luck.
 */
export const GATE_LOOKS = 4;
export const GATE_P = 0.05;

/** Command-line options of a gate. */
export const gateOptions = {
  looks: {
    ...wholeIn(1, 1000),
    help: `maximum number of looks of --gate (default: ${GATE_LOOKS})`,
  },
  p: {
    least: 1e-9,
    most: 0.5,
    takes: 'P',
    help: `probability that an equal agent passes, over all looks (default: ${GATE_P})`,
  },
} as const;

/** Everything that determines the games of an arena. */
export interface ArenaSpec {
  /** Name of the map, as loadMap() takes it. */
  readonly map: string;
  /** Name of the rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /** Names of the agents (formatAgent()). */
  readonly agents: readonly string[];
  /** How agents are seated. */
  readonly protocol: ProtocolName;
  /** Scoring system. */
  readonly scoring: ScoreName;
  /** Number of games, at least 1. */
  readonly games: number;
  /** Last year of a game. A game that has no winner after its winter is a draw. */
  readonly until: number;
  /** Probability that a game ends as a draw after a year, in steps by year, ascending. Default: none. */
  readonly chance?: readonly ChanceStep[] | undefined;
  /** Seed of the arena, any int32. The seeds of the games derive from it. */
  readonly seed: number;
  /** Rounds of press before the orders of each movement phase (games/play.ts). Default 0. */
  readonly rounds?: number | undefined;
}

/** Everything that determines the games of a gate and its decision. */
export interface GateSpec extends Omit<ArenaSpec, 'agents' | 'protocol'> {
  /** Name of the agent to be tested (formatAgent()). */
  readonly agent: string;
  /** Name of the agent that the tested agent must beat. */
  readonly against: string;
  /** Names of agents against which the tested agent must not score worse than `against`. */
  readonly anchors: readonly string[];
  /** Number of games in each direction of one look, and against each anchor; at least 2. */
  readonly games: number;
  /** Maximum number of looks. Each look but the first adds games. */
  readonly looks: number;
  /** Maximum probability that an equal agent passes, over all looks; above 0, at most 0.5. */
  readonly p: number;
}

const pairings = ({ protocol, agents }: ArenaSpec): [number, number][] => {
  const others = agents.map((_, i) => i).slice(1);
  if (protocol === '1v6') return others.map((i) => [0, i]);
  if (protocol === '6v1') return others.map((i) => [i, 0]);
  return agents.flatMap((_, i) => agents.flatMap((__, k): [number, number][] => (i === k ? [] : [[i, k]])));
};

const dealSeats = ({ agents, seed }: ArenaSpec, index: number, powerCount: number): number[] => {
  const random = new Random(seed, index, 0x5ea7);
  // Every agent gets the same number of seats. The remaining seats are drawn.
  const rest = agents.map((_, i) => i);
  const seats: number[] = [];
  while (seats.length < powerCount) seats.push(...shuffle(rest, random).slice(0, powerCount - seats.length));
  return shuffle(seats, random);
};

const textHash = (text: string): number => {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = mix(Math.imul(hash, 31) + text.charCodeAt(i));
  return hash;
};

/**
 * Draws the agent of each seat uniformly from all agents. Each agent has a hash for each seat, and the agent with the
 * highest hash gets the seat. So another agent in the list changes only the seats that it gets.
 */
const drawSeats = ({ agents, seed }: ArenaSpec, index: number, powerCount: number): number[] => {
  const names = agents.map(textHash);
  return Array.from({ length: powerCount }, (_, q) => {
    const seat = hashSeed(seed ^ 0x9090, index, q);
    const draws = names.map(
      (name, agent) => hashSeed(seat, name, agents.indexOf(agents[agent]) === agent ? 0 : agent) >>> 0,
    );
    return draws.indexOf(Math.max(...draws));
  });
};

/**
 * Returns the agent of each power in a game, as index in the spec, indexed by power. In protocols with a single seat
 * for an agent, this seat moves to the next power with each game.
 * @param index number of the game
 */
export const seatsOf = (spec: ArenaSpec, index: number, powerCount: number): number[] => {
  if (spec.protocol === 'population') return drawSeats(spec, index, powerCount);
  if (spec.protocol === 'random-seats' || spec.agents.length === 1) return dealSeats(spec, index, powerCount);
  const round = Math.floor(index / powerCount);
  const hero = index % powerCount;
  if (spec.protocol === 'mixed') {
    const others = Array.from({ length: powerCount - 1 }, (_, k) => 1 + ((k + round) % (spec.agents.length - 1)));
    return [...others.slice(0, hero), 0, ...others.slice(hero)];
  }
  const pairs = pairings(spec);
  const [one, six] = pairs[round % pairs.length];
  return Array.from({ length: powerCount }, (_, q) => (q === hero ? one : six));
};

/** Returns the seed of a game of an arena. @param index number of the game */
export const arenaGameSeed = (spec: ArenaSpec, index: number): number => gameSeed(spec.seed, index);
