// Plays games and replays them in the form of the package `diplomacy`, for tests of what reads and writes saved games.
import { parseSavedGame } from '../../bindings/formats/games/read.js';
import { type Replayed, replayGame } from '../../bindings/formats/games/replay-raw.js';
import { type Dialect, savedGame } from '../../bindings/formats/games/write-saved.js';
import { standard } from '../../engine/internal.js';
import { DEFAULT_RULES } from '../../engine/notation/text/rule-set.js';
import { parseAgents } from '../../selfplay/agents/registry.js';
import { type PlayGameOptions, playGame } from '../../selfplay/games/play.js';

/** Texts by power, or by unit. */
export type Lists = Record<string, string[]>;

/** A phase of a saved game, with what tests look at or change. */
export interface SavedPhase {
  name: string;
  state: {
    name: string;
    units: Lists;
    centers: Lists;
    retreats: Record<string, Lists>;
    builds: object;
    homes: Lists;
    zobrist_hash: string;
  };
  orders: Record<string, string[] | null>;
  results: Lists;
  messages: object[];
}

/** A saved game. */
export interface Saved {
  readonly id: string;
  readonly map: string;
  readonly phases: SavedPhase[];
}

/** Two kinds of players: one moves much at random, the other takes and dislodges. */
export const MIXED_AGENTS = 'random,dumbbot,dumbbot,random,dumbbot,dumbbot,random';

interface PlayOptions extends Omit<PlayGameOptions, 'agents' | 'map'> {
  /** One agent for all powers, or seven. Default: random. */
  readonly agents?: string;
  readonly dialect?: Dialect;
}

/** Plays a game on the standard map, and saves it. Its id is its seed. */
export const playSaved = async (options: PlayOptions): Promise<Saved> => {
  const { agents = 'random', rules = DEFAULT_RULES.adjudication, dialect = 'diplomacy', seed = 1 } = options;
  const record = await playGame({ ...options, seed, rules, agents: parseAgents(agents, 7) });
  return JSON.parse(JSON.stringify(savedGame(standard, rules, record, { id: `${seed}`, dialect })));
};

/** Replays a saved game, or its text, or some phases of one. */
export const replay = (saved: object | string, rules = DEFAULT_RULES): Replayed =>
  replayGame(parseSavedGame(typeof saved === 'string' ? saved : JSON.stringify(saved)), rules);
