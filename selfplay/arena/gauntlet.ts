// Plays a gauntlet, which measures one agent against six copies of each of several agents, and at one mixed table.
import { loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { playSeries, type SeriesOptions } from './arena.js';
import type { ArenaGame } from './arena-game.js';
import type { ArenaSpec } from './protocol.js';
import { type AgentStanding, summarizeArena } from './standings.js';

/** Default opponents of a gauntlet. */
export const gauntletFamilies: readonly string[] = [
  ...['dumbbot', 'greedy', 'guard', 'policy', 'reply', 'search:rollouts=200'],
];

/** Everything that determines the games of a gauntlet. */
export interface GauntletSpec extends Omit<ArenaSpec, 'agents' | 'protocol'> {
  /** Name of the agent to be measured (formatAgent()). */
  readonly agent: string;
  /** Names of the agents that it plays against (formatAgent()). */
  readonly families: readonly string[];
  /** Number of games against each of `families`, and at the mixed table. */
  readonly games: number;
  /**
   * Seed of all games, any int32. Game k against every opponent has the same seed and seat, for every measured agent.
   */
  readonly seed: number;
}

/** Result of the measured agent against one opponent. */
export interface GauntletRow {
  /** Name of the opponent; null for the mixed table. */
  readonly family: string | null;
  /** Standing of the measured agent. */
  readonly standing: AgentStanding;
}

/** Result of a gauntlet. */
export interface GauntletResult {
  /** Rows with at least one game, worst score first. */
  readonly rows: readonly GauntletRow[];
  /** Number of games played. */
  readonly games: number;
}

/** Returns the arenas of a gauntlet: one for each opponent and, if there are several, one for the mixed table. */
export const gauntletArenas = (spec: GauntletSpec): ArenaSpec[] => {
  const { agent, families, ...rest } = spec;
  const arenas = families.map((family): ArenaSpec => ({ ...rest, agents: [agent, family], protocol: '1v6' }));
  return families.length < 2 ? arenas : [...arenas, { ...rest, agents: [agent, ...families], protocol: 'mixed' }];
};

/** Sums up the games of a gauntlet. @param games list of games of each arena, in the order of gauntletArenas() */
export const summarizeGauntlet = (spec: GauntletSpec, games: readonly (readonly ArenaGame[])[]): GauntletResult => {
  const rows = gauntletArenas(spec).flatMap((arena, a): GauntletRow[] => {
    const played = games[a] ?? [];
    if (played.length === 0) return [];
    return [{ family: spec.families[a] ?? null, standing: summarizeArena(arena, played)[0] }];
  });
  rows.sort((a, b) => a.standing.score - b.standing.score);
  return { rows, games: games.reduce((sum, played) => sum + played.length, 0) };
};

/**
 * Plays a gauntlet. The result is the same for any number of workers, unless an agent has a budget in milliseconds.
 * @throws LepantoError if there are no opponents, if an agent fails or gives illegal orders, or if a game crashes three
 *   workers
 */
export const runGauntlet = async (spec: GauntletSpec, options: SeriesOptions): Promise<GauntletResult> => {
  const { families } = spec;
  if (families.length === 0) throw new LepantoError('argument', 'families: got none, wanted at least 1');
  const arenas = gauntletArenas(spec);
  const games: (readonly ArenaGame[])[] = [];
  await playSeries(options, arenas, async (play) => {
    for (const arena of arenas) {
      games.push((await play(arena)).games);
      if (options.signal?.aborted === true) break;
    }
  });
  return summarizeGauntlet(spec, games);
};

/** Returns the mean score of a seat if all agents are equal, for scores that sum to 1: 1 / number of powers. */
export const parityOf = ({ map }: GauntletSpec): number => 1 / loadMap(map).powerCount;
