// Plays one game of an arena in a worker.
import { loadMap } from '../../engine/internal.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { loadAgent } from '../agents/registry.js';
import { scoresOf } from '../games/game-record.js';
import { type Match, playGames } from '../games/play.js';
import type { Agent } from '../question/agent.js';
import { RecordWriter } from '../records/record-writer.js';
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
  const matches: Match[] = [{ index, seed: arenaGameSeed(spec, index), agents }];
  const options = {
    ...{ map, rules, until: spec.until, longGameDraw: running.longGameDraw === 'yes' },
    keepsStates: agents.some(({ readsPast = true }) => readsPast),
    ...(spec.chance !== undefined && { chanceByYear: spec.chance }),
    ...(spec.rounds !== undefined && { rounds: spec.rounds }),
  };
  const played: PlayedArenaGame[] = [];
  await playGames(
    options,
    () => matches.pop() ?? null,
    1,
    (end) => {
      const { centers, winner, years } = end.log.course(end.game);
      const game = { seats, centers, winner, years };
      const of = { agents: Uint16Array.from(seats) };
      const scores = scoresOf(centers, winner);
      const record = whole ? new RecordWriter().game(index, end.seed, end.log, scores, of).slice() : null;
      played.push({ game, record });
    },
  );
  return played[0];
};
