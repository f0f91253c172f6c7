// Plays one game of an arena in a worker.
import { Game, loadMap, SOLO } from '../../engine/internal.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { loadAgent } from '../agents/registry.js';
import { loadState } from '../games/game-record.js';
import { play } from '../games/play.js';
import type { Agent } from '../question/agent.js';
import { encodeGame, withoutStates } from '../records/record.js';
import { type ArenaSpec, arenaGameSeed, seatsOf } from './protocol.js';

/** How one game ended. */
export interface ArenaGame {
  /** By power: place of its agent in the spec. */
  readonly seats: readonly number[];
  /** Supply centres at the end, by power. */
  readonly centers: readonly number[];
  /** Power that won alone; -1 for a draw. */
  readonly winner: number;
  /** Years that were begun. */
  readonly years: number;
}

export interface ArenaTask {
  readonly spec: ArenaSpec;
  readonly index: number;
  /** True if the whole game is wanted too. */
  readonly whole: boolean;
}

export interface PlayedArenaGame {
  readonly game: ArenaGame;
  /** The whole game as encodeGame() writes it; null if it is not wanted. */
  readonly record: Uint8Array | null;
}

const made = new Map<string, Agent>();

/** The agent of a name: the same one each time in a thread. */
export const agentFor = async (text: string): Promise<Agent> => {
  const agent = made.get(text) ?? (await loadAgent(text));
  made.set(text, agent);
  return agent;
};

/** Plays one game of an arena. @throws LepantoError if an agent fails or gives orders that are not legal */
export const playArenaGame = async ({ spec, index, whole }: ArenaTask): Promise<PlayedArenaGame> => {
  const map = loadMap(spec.map);
  const { adjudication: rules, running } = runRulesByName(spec.rules);
  const seats = seatsOf(spec, index, map.powerCount);
  const agents: Agent[] = [];
  for (const agent of seats) agents.push(await agentFor(spec.agents[agent]));
  const record = await play(map, rules, arenaGameSeed(spec, index), index, {
    agents,
    until: spec.until,
    ...(spec.chance !== undefined && { chanceByYear: spec.chance }),
    longGameDraw: running.longGameDraw === 'yes',
    ...(spec.rounds !== undefined && { rounds: spec.rounds }),
  });
  const last = new Game(map, rules);
  loadState(last, record.phases[record.phases.length - 1].state);
  const centers = new Int32Array(map.powerCount);
  last.countCenters(centers);
  const years = Number(record.phases.at(-2)?.phase.slice(1, -1) ?? map.startYear) - map.startYear + 1;
  const game = { seats, centers: Array.from(centers), winner: last.status === SOLO ? last.winner : -1, years };
  if (!whole) return { game, record: null };
  return { game, record: encodeGame(withoutStates({ ...record, agents: Uint16Array.from(seats) })) };
};
