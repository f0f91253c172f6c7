// A gauntlet measures one agent against players that differ in kind: six of each family, and a table of different ones.
import { loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { playSeries, type SeriesOptions } from './arena.js';
import type { ArenaGame } from './arena-game.js';
import type { ArenaSpec } from './protocol.js';
import { type AgentStanding, summarizeArena } from './standings.js';

/** The families of a gauntlet that names none. */
export const gauntletFamilies: readonly string[] = [
  ...['dumbbot', 'greedy', 'guard', 'policy', 'reply', 'search:rollouts=200'],
];

/** Everything that determines the games of a gauntlet. */
export interface GauntletSpec extends Omit<ArenaSpec, 'agents' | 'protocol'> {
  /** The agent that is measured, as formatAgent() writes it. */
  readonly agent: string;
  /** The agents that it meets, likewise. */
  readonly families: readonly string[];
  /** Games against each family, and as many at the mixed table. */
  readonly games: number;
  /** Any int32. Game k of every family has the same seed and seat, for every agent that is measured. */
  readonly seed: number;
}

/** How the agent did against one family. */
export interface GauntletRow {
  /** The family; null at the mixed table. */
  readonly family: string | null;
  /** Of the agent that is measured. */
  readonly standing: AgentStanding;
}

/** How a gauntlet went. */
export interface GauntletResult {
  /** Those with games, the worst score first. */
  readonly rows: readonly GauntletRow[];
  /** Games played. */
  readonly games: number;
}

/** The arenas of a gauntlet: one for each family and, if there are several, the mixed table. */
export const gauntletArenas = (spec: GauntletSpec): ArenaSpec[] => {
  const { agent, families, ...rest } = spec;
  const arenas = families.map((family): ArenaSpec => ({ ...rest, agents: [agent, family], protocol: '1v6' }));
  return families.length < 2 ? arenas : [...arenas, { ...rest, agents: [agent, ...families], protocol: 'mixed' }];
};

/** Sums up the games of a gauntlet, by arena. */
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
 * Plays a gauntlet. The result is the same for any number of workers, unless an agent's budget is in
 * milliseconds.
 * @throws LepantoError for no family; LepantoError as runArena() does
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

/** What a seat is worth on average if all agents are alike, by scores that sum to 1. */
export const parityOf = ({ map }: GauntletSpec): number => 1 / loadMap(map).powerCount;
