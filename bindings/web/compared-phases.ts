// Finds the phases of recorded games in which two agents differ most, for `lepanto compare`, and reads its results.

import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Game, hasOrders } from '../../engine/internal.js';
import { formatPosition } from '../../engine/notation/json/position.js';
import {
  byKey,
  fieldReader,
  listOf,
  numberIn,
  type Shape,
  text,
  textLike,
  wholeNumber,
} from '../../engine/rules/shape.js';
import type { AgentCode } from '../../selfplay/agents/agent-code.js';
import { agentFor } from '../../selfplay/arena/arena-game.js';
import { openMapAndRules, type PackedMapAndRules } from '../../selfplay/crew/map-and-rules.js';
import { loadState } from '../../selfplay/games/game-record.js';
import { COMPARISONS_FILE } from '../../selfplay/records/manifest.js';
import { shortAgent } from '../reports/arena-report.js';
import { askOrders } from './orders/asked-game.js';
import { meanOf, unitDistances, wholeOrders } from './orders/order-shares.js';
import type { ComparedAgents, ComparedPhase } from './page-data.js';

const MOST_BYTES = 1 << 26;
const MOST = 10_000_000;
/** Number of phases of a comparison that the page of a run lists. */
const LISTED = 10;

/** Comparison of two agents in phases of a run's games, made by `lepanto compare`. */
export interface Comparison {
  readonly agents: readonly [string, string];
  /** Hashes of the code of users' agents, keyed by name of the agent. */
  readonly code: AgentCode;
  readonly samples: number;
  readonly seed: number;
  /** The compared phases, those with the greatest distance first. */
  readonly phases: readonly ComparedPhase[];
}

const phaseIn: Shape<ComparedPhase> = (value, where) => {
  const field = fieldReader(value, where);
  return {
    game: field('game', wholeNumber(0, MOST)),
    phase: field('phase', textLike(/^[SFW]\d{1,5}[MRA]$/, 'a phase')),
    distance: field('distance', numberIn(0, 1)),
    power: field('power', text),
  };
};

const comparisonIn: Shape<Comparison> = (value, where) => {
  const field = fieldReader(value, where);
  const [first, second] = field('agents', listOf(text, 2, 2));
  return {
    agents: [first, second],
    code: field('code', byKey(text)),
    samples: field('samples', wholeNumber(1, MOST)),
    seed: field('seed', numberIn(-MOST * MOST, MOST * MOST)),
    phases: field('phases', listOf(phaseIn, 0, MOST)),
  };
};

export const fileOfComparisons = (run: string): string => join(run, COMPARISONS_FILE);

/** Returns the comparisons that are kept in a run's directory; empty if there are none or the file cannot be read. */
export const readComparisons = (run: string): readonly Comparison[] => {
  const file = fileOfComparisons(run);
  try {
    // Throws if the run is a file of imported games instead of a directory.
    const found = lstatSync(file);
    if (!found.isFile() || found.size > MOST_BYTES) return [];
    return listOf(comparisonIn, 0, MOST)(JSON.parse(readFileSync(file, 'utf8')), file);
  } catch {
    return [];
  }
};

export const gamesIn = (phases: readonly ComparedPhase[]): number => new Set(phases.map(({ game }) => game)).size;

/**
 * Returns the address of the page that compares both agents in a phase. @param run name of the run in `lepanto view`
 */
export const pageOf = (
  run: string,
  { agents, samples, seed }: Comparison,
  { game, phase, power }: ComparedPhase,
): string => {
  const asked = { agents: agents.map(shortAgent), power, samples, seed };
  return `compare?run=${encodeURIComponent(run)}&game=${game}&phase=${phase}#${encodeURIComponent(JSON.stringify(asked))}`;
};

/**
 * Returns the comparisons in a run's directory in the form that the page of the run shows.
 * @param name name of the run in `lepanto view`
 * @param path directory of the run
 */
export const furthestApart = (name: string, path: string): ComparedAgents[] =>
  readComparisons(path).map((one) => ({
    agents: one.agents.map(shortAgent),
    games: gamesIn(one.phases),
    phases: one.phases.slice(0, LISTED).map((phase) => ({ ...phase, page: pageOf(name, one, phase) })),
  }));

/** Task to compare two agents in a recorded phase. game: number of its game. state: its position. */
export interface CompareTask extends Pick<Comparison, 'agents' | 'samples' | 'seed'> {
  readonly mapAndRules: PackedMapAndRules;
  readonly game: number;
  readonly state: Uint8Array;
}

/**
 * Compares two agents in a movement phase, and returns the distance between their orders. They see only the position,
 * not the past, as on the page. Called in a worker.
 */
export const comparePhase = async (task: CompareTask): Promise<ComparedPhase> => {
  const { map, rules } = openMapAndRules(task.mapAndRules);
  const game = new Game(map, rules);
  loadState(game, task.state);
  const placed = formatPosition(game);
  const powers = map.powerNames.filter((_, q) => hasOrders(game, q));
  const answers = task.agents.map(() => powers.map((): (readonly string[])[] => []));
  for (const [a, name] of task.agents.entries()) {
    const agent = await agentFor(name);
    const seats = Object.fromEntries(powers.map((power) => [power, agent]));
    for (let sample = 0; sample < task.samples; sample++) {
      const given = await askOrders({ game, seed: task.seed + sample, phases: [] }, seats, String(task.game));
      for (const [p, power] of powers.entries()) answers[a][p].push(wholeOrders(placed, power, given[power]));
    }
  }
  const distances = powers.map((_, p) => unitDistances(answers[0][p], answers[1][p]));
  const means = distances.map(meanOf);
  const power = powers[means.indexOf(Math.max(...means))];
  return { game: task.game, phase: placed.phase, distance: Number(meanOf(distances.flat()).toFixed(4)), power };
};
