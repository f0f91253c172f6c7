// Plays games of an arena in a worker.
import { loadMap } from '../../engine/internal.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { loadAgent } from '../agents/registry.js';
import { scoresOf } from '../games/game-record.js';
import { type Match, playGames } from '../games/play.js';
import type { Agent } from '../question/agent.js';
import { RecordWriter } from '../records/record-writer.js';
import { type ArenaSpec, arenaGameSeed, seatsOf } from './protocol.js';

/** Result of one game. */
export interface ArenaGame {
  /** Index of each power's agent in the spec, indexed by power. */
  readonly seats: readonly number[];
  /** Number of supply centres at the end, indexed by power. */
  readonly centers: readonly number[];
  /** Power that won a solo victory; -1 for a draw. */
  readonly winner: number;
  /** Number of years begun. */
  readonly years: number;
}

/** Games for a worker to play. */
export interface ArenaTask {
  readonly spec: ArenaSpec;
  /**
   * Numbers of the games. They are played at the same time: an agent is asked for the orders of all of them in one
   * call.
   */
  readonly games: readonly number[];
  /** True to return each game in encoded form too. */
  readonly whole: boolean;
}

export interface PlayedArenaGame {
  readonly game: ArenaGame;
  /** The game as encodeGame() writes it; null unless ArenaTask.whole is true. */
  readonly record: Uint8Array | null;
}

const loaded = new Map<string, Agent>();

/** Loads an agent by name. Returns the same object for the same name within a thread. */
export const agentFor = async (text: string): Promise<Agent> => {
  const agent = loaded.get(text) ?? (await loadAgent(text));
  loaded.set(text, agent);
  return agent;
};

/**
 * Plays games of an arena in a worker. Returns them in the order of the task.
 * @throws LepantoError if an agent fails or gives illegal orders
 */
export const playArenaGames = async ({ spec, games, whole }: ArenaTask): Promise<readonly PlayedArenaGame[]> => {
  const map = loadMap(spec.map);
  const { adjudication: rules, running } = runRulesByName(spec.rules);
  const seats = games.map((index) => seatsOf(spec, index, map.powerCount));
  const made = new Map<number, Agent>();
  for (const agent of new Set(seats.flat())) made.set(agent, await agentFor(spec.agents[agent]));
  const agents = [...made.values()];
  let next = 0;
  const nextMatch = (): Match | null => {
    const index = games[next];
    const seated = seats[next++];
    if (index === undefined) return null;
    return { index, seed: arenaGameSeed(spec, index), agents: seated.map((agent) => made.get(agent) as Agent) };
  };
  const options = {
    ...{ map, rules, until: spec.until, longGameDraw: running.longGameDraw === 'yes' },
    keepsStates: agents.some(({ readsPast = true }) => readsPast),
    ...(spec.chance !== undefined && { chanceByYear: spec.chance }),
    ...(spec.rounds !== undefined && { rounds: spec.rounds }),
  };
  const played: PlayedArenaGame[] = [];
  await playGames(options, nextMatch, games.length, ({ index, seed, game, log }) => {
    const place = games.indexOf(index);
    const { centers, winner, years } = log.course(game);
    const of = { agents: Uint16Array.from(seats[place]) };
    const scores = scoresOf(centers, winner);
    const record = whole ? new RecordWriter().game(index, seed, log, scores, of).slice() : null;
    played[place] = { game: { seats: seats[place], centers, winner, years }, record };
  });
  return played;
};
