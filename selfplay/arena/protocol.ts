// Defines what an arena plays: which agents, by which protocol, and who sits where in which game.
import { Random, type ScoreName } from '../../engine/internal.js';
import { shuffle } from '../evaluation/shuffle.js';
import { gameSeed } from '../games/game-record.js';

/** Names of the ways to seat agents: see ProtocolName. */
export const protocolNames = ['1v6', '6v1', 'round-robin', 'random-seats', 'mixed'] as const;
/**
 * How agents are seated in the games of an arena.
 *
 * - 1v6: the first agent in one seat, another in the six others; against each other agent in turn
 * - 6v1: the first agent in six seats, another in one
 * - round-robin: every agent in one seat against six of every other
 * - mixed: the first agent in one seat, the others one after the other in the rest, shifted by one after each round of seats
 * - random-seats: each game deals the seats anew, as evenly as the number of agents allows
 */
export type ProtocolName = (typeof protocolNames)[number];

/** Everything that determines the games of an arena. */
export interface ArenaSpec {
  /** Name of a map: loadMap(). */
  readonly map: string;
  /** Name of rules: '2000,paradox=allHold'. */
  readonly rules: string;
  /** The agents that play against each other, as formatAgent() writes them. */
  readonly agents: readonly string[];
  /** How they are seated. */
  readonly protocol: ProtocolName;
  /** By which system a game is worth something. */
  readonly scoring: ScoreName;
  /** How many games, from 1. */
  readonly games: number;
  /** Games end as draws after the winter of this year. */
  readonly until: number;
  /** Any int32; the seeds of the games follow from it. */
  readonly seed: number;
}

const pairings = ({ protocol, agents }: ArenaSpec): [number, number][] => {
  const others = agents.map((_, i) => i).slice(1);
  if (protocol === '1v6') return others.map((i) => [0, i]);
  if (protocol === '6v1') return others.map((i) => [i, 0]);
  return agents.flatMap((_, i) => agents.flatMap((__, k): [number, number][] => (i === k ? [] : [[i, k]])));
};

const dealSeats = ({ agents, seed }: ArenaSpec, index: number, powerCount: number): number[] => {
  const random = new Random(seed, index, 0x5ea7);
  // Every agent gets the same number of seats; who gets the remaining ones is drawn.
  const rest = agents.map((_, i) => i);
  const seats: number[] = [];
  while (seats.length < powerCount) seats.push(...shuffle(rest, random).slice(0, powerCount - seats.length));
  return shuffle(seats, random);
};

/** Places of the agents by power in one game. The seat of a single agent moves on by one power with each game. */
export const seatsOf = (spec: ArenaSpec, index: number, powerCount: number): number[] => {
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

export const arenaGameSeed = (spec: ArenaSpec, index: number): number => gameSeed(spec.seed, index);
