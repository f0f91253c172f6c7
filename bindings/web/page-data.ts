// Types of the plain data that the server and its pages exchange.

import type { MapRows } from '../../engine/internal.js';
import type { ByPower } from '../../engine/notation/json/position.js';
import type { Message, Said } from '../../selfplay/question/message.js';
import type { DrawnPhase } from '../draw/drawn-phase.js';
import type { GeometryData } from '../draw/geometry.js';
import type { PowerOpenings } from '../find/search-results.js';
import type { Table } from '../reports/table.js';
import type { AskedGame, AskedOrders, OwnMap } from './orders/asked-game.js';
import type { Placed } from './orders/written-position.js';

/**
 * Orders of all units of a power that a search considered together: their probability (0 to 1), their value to the
 * power and its standard error; value and error are null if unknown.
 */
export interface ShownCandidate {
  readonly orders: readonly string[];
  readonly probability: number;
  readonly value: number | null;
  readonly error: number | null;
}

/** A phase of a replay, with the agents' searches and messages. */
export interface ReplayPhase extends DrawnPhase {
  /** Order sets that the agents' searches weighed, keyed by power. Empty if the record has none. */
  readonly search: Readonly<Record<string, readonly ShownCandidate[]>>;
  readonly messages?: readonly Message[];
}

export interface ReplayData {
  readonly end: string;
  /** `map`, `rules`: names for links to the board page. `rows`: the map itself. */
  readonly map: string;
  readonly rules: string;
  readonly rows: MapRows;
  readonly geometry: GeometryData;
  /** Names of agents, indexed by power; null if they are unknown. */
  readonly agents: readonly (string | null)[];
  /** Names shown next to the powers, without default options; null if they are unknown or all the same. */
  readonly briefs: readonly (string | null)[];
  readonly phases: readonly ReplayPhase[];
}

export interface RankedCandidate extends ShownCandidate {
  readonly rollouts: number;
}

/** Data of the board page. */
export interface PositionPageData {
  /** Name of the run that the page was opened from; null for none. */
  readonly run: string | null;
  /** Map of the run; null if it is one of Lepanto's maps. */
  readonly own: OwnMap | null;
  /** Position and orders to show if the address has none; null for the initial position of the map. */
  readonly position: (Placed & { readonly map: string; readonly rules: string; readonly orders?: ByPower }) | null;
  /** Names of agents that the page's worker plays. */
  readonly ownAgents: readonly string[];
  /** Names of agents that the server plays. */
  readonly agents: readonly string[];
  /** True if the server saves games of the page among its runs. */
  readonly saves: boolean;
  /** True for a page of static files, which has no server and also works offline. */
  readonly isStatic: boolean;
  /** Result of a search in the position, for a self-contained page without server and agents. Default: none. */
  readonly found?: {
    readonly powers: Readonly<Record<string, readonly RankedCandidate[]>>;
    readonly replies: Readonly<Record<string, readonly RankedCandidate[]>>;
  };
}

export interface ComparedPhase {
  readonly game: number;
  /** Name of the phase, such as 'S1901M'. */
  readonly phase: string;
  /**
   * How far the orders of the two agents are apart: total variation distance, mean over the units of all powers, 0 to
   * 1.
   */
  readonly distance: number;
  /** Power for whose orders the distance is greatest. */
  readonly power: string;
}

/** Phases of a run in which two agents differ most, from `lepanto compare`. */
export interface ComparedAgents {
  readonly agents: readonly string[];
  readonly games: number;
  /** The phases, each with the address of a page that compares both agents in it. */
  readonly phases: readonly (ComparedPhase & { readonly page: string })[];
}

/** Request of a page for the values of a power's order sets in the current position of a game. */
export interface AskedValues {
  readonly game: AskedGame;
  readonly power: string;
  readonly sets: readonly (readonly string[])[];
}

export interface FoundValues {
  /**
   * Value of each order set, in the order of the request: the power's expected share of the score, and its standard
   * error.
   */
  readonly values: readonly { readonly value: number; readonly error: number }[];
  /** Most probable orders of each power, keyed by power. */
  readonly expected: ByPower;
}

/**
 * Question of a page to its worker. Besides `id`, one field is given: `check` (is this an agent's name?), `asked`
 * (orders of agents), `save` (a saved game), `worth` (values of orders) or `explore` (a search).
 */
export interface PlayQuestion {
  readonly id: number;
  readonly check?: string;
  readonly asked?: AskedOrders;
  readonly save?: AskedGame;
  readonly worth?: AskedValues;
  /** Request for a search. `own`: the map; null if it is one of Lepanto's maps. */
  readonly explore?: SearchQuestion & { readonly own: OwnMap | null };
}

export interface PlayAnswer {
  readonly id: number;
  readonly found: unknown;
  /** Error message; null if there is an answer. */
  readonly error: string | null;
  /** True for a partial result, which others follow. Default: false. */
  readonly isPart?: boolean;
}

/** Answers of agents to a request for orders or messages. */
export interface GivenOrders {
  /** Orders as text, keyed by power; empty in a round of press. */
  readonly orders: ByPower;
  /** Faults of the agents in this answer, as sentences. */
  readonly faults: readonly string[];
  /** Powers whose agents failed, so that their units hold. Missing if there are none. */
  readonly failed?: readonly string[];
  /** Messages in a round of press, keyed by power. Missing in a request for orders. */
  readonly said?: Readonly<Record<string, readonly Said[]>>;
}

/** Request of a page for a search in a position. */
export interface SearchQuestion {
  readonly position: unknown;
  readonly map: string;
  readonly rules: string;
  readonly rollouts: number;
  readonly seed: number;
  /** Name of the power to search for. Default: all powers. */
  readonly power?: string;
}

/** Result of a search so far: the part of the record of `lepanto search` that pages show. */
export interface SearchAnswer {
  readonly rollouts: number;
  readonly depth: number;
  /** Share of the planned rollouts that are done, 0 to 1. */
  readonly done: number;
  readonly powers: Readonly<Record<string, readonly ShownCandidate[]>>;
  /** Order sets expected of the other powers, keyed by power. */
  readonly replies: Readonly<Record<string, readonly ShownCandidate[]>>;
}

type RunState = 'whole' | 'running' | 'stopped' | 'damaged';

export interface RunRow {
  /** Path of the run below the listed directory; '.' for the directory itself. */
  readonly name: string;
  /** Shown name of the run: its path, or the name of the directory itself. */
  readonly title: string;
  /** Names of agents, indexed by power; a single name if all powers have the same agent. */
  readonly agents: readonly string[];
  /** The names of `agents` without default options. */
  readonly briefs: readonly string[];
  readonly map: string;
  readonly rules: string;
  readonly until: number;
  readonly seed: number | null;
  /** Mean scores of the agents; null until games were read. */
  readonly scores: Scores | null;
  readonly games: number;
  /** Number of games in the run's files so far. (`games` is the number of the whole run.) */
  readonly done: number;
  readonly state: RunState;
  /** Time of the last change of the run's directory, in milliseconds since 1970. */
  readonly changed: number;
  readonly error: string | null;
}

/** Row of a directory of arenas in the list of runs. Facts about its games are null until they were read. */
export interface ArenaRow {
  readonly name: string;
  readonly title: string;
  readonly state: RunState;
  /** Time of the last game of the directory, in milliseconds since 1970. */
  readonly changed: number;
  /** Names of the agents without default options, each once; null until they were read. */
  readonly briefs: readonly string[] | null;
  readonly games: number | null;
  /** Seed of the first arena; null until it was read. */
  readonly seed: number | null;
  readonly scores: Scores | null;
  readonly error: string | null;
}

/** Tables of an arena or of a gauntlet, with their texts. */
export interface ArenaTables {
  /** Heading that says which agents play. */
  readonly heading: string;
  /** Line below the heading: number and conditions of the games. */
  readonly title: string;
  readonly note: string;
  /** The tables. Links in their cells are queries of games. */
  readonly tables: readonly Table[];
}

/** A gate (test whether an agent is better than another), with the course of the test. */
export interface ShownGate {
  readonly agent: string;
  readonly against: string;
  /** Whether the agent has passed; null until the gate is decided. */
  readonly passed: boolean | null;
  readonly reason: string;
  /** Table with the scores of both agents in pairs of games. */
  readonly table: Table;
  /**
   * Comparison of the first pairs of games, for growing numbers of pairs: number of pairs, gain, its standard error
   * (null if unknown), and probability of such a gain for equal agents.
   */
  readonly course: readonly (readonly [pairs: number, gain: number, error: number | null, chance: number])[];
  /**
   * `pairs`: number of pairs of games between two interim tests. `limit`: the agent passes an interim test in which
   * `chance` is below this.
   */
  readonly pairs: number;
  readonly limit: number;
  /** Query of the agent's games, those with the lowest score first. */
  readonly lost: string;
}

/** Order in which games are listed. */
export interface GameSort {
  /** Sort key of the games: 'score', 'years', 'winner', 'phases', or the name of a power for its centres. */
  readonly by: string;
  readonly isDown: boolean;
}

/** Row of an arena's game in the list of games. */
export interface ArenaGameRow {
  /** Number of the arena in the directory, from 1. */
  readonly arena: number;
  readonly game: number;
  /** Agents with their powers: 'dumbbot: FRANCE; random: the others'. */
  readonly seats: string;
  /** Mean score of the seats of the agent whose games are listed; null if it had none. */
  readonly score: number | null;
  readonly winner: string | null;
  readonly years: number;
  readonly centers: readonly number[];
  /** True if the phases of the game were kept, so that it can be replayed. */
  readonly isKept: boolean;
}

/** A page of the list of games of a directory of arenas. */
export interface ArenaGames {
  /** Description of the filter in words, such as 'games of dumbbot as France'. */
  readonly about: string;
  /** Name of the agent whose scores are listed, without default options. */
  readonly agent: string;
  readonly scoring: string;
  /** Query of the games that pass the filter, without sorting and start of the page. */
  readonly query: string;
  readonly sort: GameSort | null;
  readonly games: number;
  readonly from: number;
  readonly powers: readonly string[];
  readonly rows: readonly ArenaGameRow[];
}

export interface ArenaPageData {
  readonly name: string;
  readonly rows: number;
}

export interface ArenaAnswer {
  readonly arenas: readonly ArenaTables[];
  readonly gates: readonly ShownGate[];
  readonly games: ArenaGames;
  /** CSS with the colours of the powers of the first arena's map. */
  readonly style: string;
}

/**
 * Deflated data of a page, in base64. `links`: addresses of links that the page did not know before, keyed by element
 * id.
 */
export interface Deflated {
  readonly deflated: string;
  readonly links?: Readonly<Record<string, string>>;
}

/** Row of imported games in the list of runs: saved games of other programs, or records without a run's manifest. */
export interface ImportRow {
  readonly name: string;
  readonly title: string;
  /** 'JSON' for saved games of other programs, 'records' for Lepanto's records. */
  readonly kind: string;
  /** Size in bytes; null for a directory. */
  readonly bytes: number | null;
  readonly changed: number;
}

/** Mean score per seat of each agent, by sum of squares. Names of agents are without default options. */
export type Scores = readonly (readonly [agent: string, score: number])[];

export interface RunList {
  readonly runs: readonly RunRow[];
  readonly arenas: readonly ArenaRow[];
  readonly imports: readonly ImportRow[];
  /** True if the search for runs ended early at one of its limits. */
  readonly cut: boolean;
}

/** Selects games of a run. A game must match all fields that are given. */
export interface GameFilter {
  /** Name of the power that won; 'solo' for any power, 'draw' for draws. */
  readonly winner?: string;
  /** Name of the agent that won, as in the run's manifest. */
  readonly agent?: string;
  /** Least and greatest number of years of a game, the last one included. */
  readonly years?: readonly [least: number, most: number];
  /** Index of a power (-1: at least one power), and least and greatest number of its centres at the end. */
  readonly centers?: readonly [power: number, least: number, most: number];
}

export interface GameRow {
  readonly game: number;
  /** Name of the power that won; null if none did. */
  readonly winner: string | null;
  readonly years: number;
  readonly phases: number;
  /** Number of centres at the end, indexed by power. */
  readonly centers: readonly number[];
}

/** A mean and its standard error, which is null for fewer than two games. */
export type Mean = readonly [mean: number, error: number | null];

export interface PowerTally {
  readonly power: string;
  readonly agent: string;
  readonly solos: number;
  readonly survived: number;
  readonly centers: Mean;
  readonly score: Mean;
  /** Number of games in which the power had n centres at the end, indexed by n. */
  readonly distribution: readonly number[];
}

export interface GamesFound {
  /** `games`: number of games that pass the filter. `draws`: number of draws among them. */
  readonly games: number;
  readonly draws: number;
  readonly powers: readonly PowerTally[];
  /** Number of games of each length in years, the shortest first. */
  readonly lengths: readonly (readonly [years: number, games: number])[];
  /** Games on the requested page. */
  readonly rows: readonly GameRow[];
}

/** Progress of a run, for its page while the run grows or is indexed. */
export interface RunProgress {
  readonly run: RunRow;
  /** `indexed`: number of games that were read into the index. `left`: number of shards that were not. */
  readonly indexed: number;
  readonly left: number;
  /** Increases with each change of the index, so that the page knows when to ask again. */
  readonly version: number;
  readonly faults: readonly string[];
}

export interface GamesAnswer extends GamesFound {
  readonly from: number;
  readonly progress: RunProgress;
}

/** Result of searching the games of a run that were read into the index. */
export interface FindAnswer {
  /**
   * `games`: number of games searched. `left`: number of files that are not indexed yet. `found`: number of games with
   * the condition.
   */
  readonly games: number;
  readonly left: number;
  readonly found: number;
  /**
   * The first games with the condition, each with the phase in which it first holds (null for a condition on the whole
   * game).
   */
  readonly hits: readonly { readonly game: number; readonly phase: string | null }[];
  /** Openings of each power if the query asks for them; null for a search of games. */
  readonly openings: readonly PowerOpenings[] | null;
}

export interface RunPageData {
  readonly run: RunRow;
  readonly powers: readonly string[];
  readonly rows: number;
  readonly compared: readonly ComparedAgents[];
}
