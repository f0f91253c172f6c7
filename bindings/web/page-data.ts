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

/** An order set of a search: its probability (0 to 1), its value and the value's standard error; null if unknown. */
export interface ShownCandidate {
  readonly orders: readonly string[];
  readonly probability: number;
  readonly value: number | null;
  readonly error: number | null;
}

/** A phase of a replay. */
export interface ReplayPhase extends DrawnPhase {
  /** Order sets of the agents' searches, keyed by power. Empty if the record has none. */
  readonly search: Readonly<Record<string, readonly ShownCandidate[]>>;
  readonly messages?: readonly Message[];
}

export interface ReplayData {
  readonly end: string;
  /** Names of the map and the rules, for the board page. */
  readonly map: string;
  readonly rules: string;
  readonly rows: MapRows;
  readonly geometry: GeometryData;
  /** Names of agents, indexed by power; null if they are unknown. */
  readonly agents: readonly (string | null)[];
  /** The names beside the powers, without default options; null if they are unknown or all the same. */
  readonly briefs: readonly (string | null)[];
  readonly phases: readonly ReplayPhase[];
}

export interface RankedCandidate extends ShownCandidate {
  readonly rollouts: number;
}

/** Data of the page of a position. */
export interface PositionPageData {
  /** The run that the page was opened from; null for none. */
  readonly run: string | null;
  /** Map of the run, unless it is one of Lepanto's; else null. */
  readonly own: OwnMap | null;
  /** Position and orders to show if the address has none; null for the initial position of the map. */
  readonly position: (Placed & { readonly map: string; readonly rules: string; readonly orders?: ByPower }) | null;
  /** Agents that the page's worker plays. */
  readonly ownAgents: readonly string[];
  /** Agents that the server plays. */
  readonly agents: readonly string[];
  /** True if the server saves games among its runs. */
  readonly saves: boolean;
  /** True for a page of static files, which also works offline. */
  readonly isStatic: boolean;
  /** Result of a search in the position, for a self-contained page without server and agents. */
  readonly found?: {
    readonly powers: Readonly<Record<string, readonly RankedCandidate[]>>;
    readonly replies: Readonly<Record<string, readonly RankedCandidate[]>>;
  };
}

export interface ComparedPhase {
  readonly game: number;
  /** Name of the phase, such as 'S1901M'. */
  readonly phase: string;
  /** Distance between their orders: total variation, mean over the units of all powers, 0 to 1. */
  readonly distance: number;
  /** Power with the greatest distance. */
  readonly power: string;
}

/** Phases of a run in which two agents differ most, from `lepanto compare`. */
export interface ComparedAgents {
  readonly agents: readonly string[];
  readonly games: number;
  /** Phases, each with the address of a page that compares both agents in it. */
  readonly phases: readonly (ComparedPhase & { readonly page: string })[];
}

/** Order sets of a power to value in the current position of a game. */
export interface AskedValues {
  readonly game: AskedGame;
  readonly power: string;
  readonly sets: readonly (readonly string[])[];
}

export interface FoundValues {
  /** Value of each set, in the order of `sets`: expected share of the score, and its standard error. */
  readonly values: readonly { readonly value: number; readonly error: number }[];
  /** Most probable orders of each power. */
  readonly expected: ByPower;
}

/**
 * Question of a page to its worker: to check an agent's name, for orders, a saved game, values of orders, or a search.
 */
export interface PlayQuestion {
  readonly id: number;
  readonly check?: string;
  readonly asked?: AskedOrders;
  readonly save?: AskedGame;
  readonly worth?: AskedValues;
  /** A search. `own` is the map unless it is one of Lepanto's; else null. */
  readonly explore?: SearchQuestion & { readonly own: OwnMap | null };
}

export interface PlayAnswer {
  readonly id: number;
  readonly found: unknown;
  /** Error message if there is no answer; else null. */
  readonly error: string | null;
  /** True for a partial result before the answer. */
  readonly isPart?: boolean;
}

/** Answers of agents. */
export interface GivenOrders {
  /** Orders as text, keyed by power; empty in a round of press. */
  readonly orders: ByPower;
  /** Faults of the agents in this answer, as sentences. */
  readonly faults: readonly string[];
  /** Powers whose agents failed, so that they hold. Absent if there are none. */
  readonly failed?: readonly string[];
  /** In a round of press: messages, keyed by power. */
  readonly said?: Readonly<Record<string, readonly Said[]>>;
}

/** Request of a page for a search. */
export interface SearchQuestion {
  readonly position: unknown;
  readonly map: string;
  readonly rules: string;
  readonly rollouts: number;
  readonly seed: number;
  /** Name of the power to search for. Default: all. */
  readonly power?: string;
}

/** Result of a search so far: the shown part of the record of `lepanto search`. */
export interface SearchAnswer {
  readonly rollouts: number;
  readonly depth: number;
  /** Share of the planned rollouts that are done, 0 to 1. */
  readonly done: number;
  readonly powers: Readonly<Record<string, readonly ShownCandidate[]>>;
  /** Expected order sets of the other powers. */
  readonly replies: Readonly<Record<string, readonly ShownCandidate[]>>;
}

type RunState = 'whole' | 'running' | 'stopped' | 'damaged';

export interface RunRow {
  /** Path below the directory; '.' for the directory itself. */
  readonly name: string;
  /** Shown name: the path, or the name of the directory itself. */
  readonly title: string;
  /** Names of agents, indexed by power; a single name if all are equal. */
  readonly agents: readonly string[];
  /** The same names without default options. */
  readonly briefs: readonly string[];
  readonly map: string;
  readonly rules: string;
  readonly until: number;
  readonly seed: number | null;
  /** Mean scores; null until games were read. */
  readonly scores: Scores | null;
  readonly games: number;
  /** Number of games in its files. */
  readonly done: number;
  readonly state: RunState;
  /** Time of the last change, in milliseconds since 1970. */
  readonly changed: number;
  readonly error: string | null;
}

/** A directory of arenas in the list. Facts about its games are null until they were read. */
export interface ArenaRow {
  readonly name: string;
  readonly title: string;
  readonly state: RunState;
  /** Time of the last game, in milliseconds since 1970. */
  readonly changed: number;
  /** Names of the agents without default options. */
  readonly briefs: readonly string[] | null;
  readonly games: number | null;
  /** Seed of its first arena. */
  readonly seed: number | null;
  readonly scores: Scores | null;
  readonly error: string | null;
}

/** Tables of an arena. */
export interface ArenaTables {
  /** The agents that meet. */
  readonly heading: string;
  /** Number and conditions of the games. */
  readonly title: string;
  readonly note: string;
  /** Tables, whose links are queries of games. */
  readonly tables: readonly Table[];
}

/** A gate, with the course of its test. */
export interface ShownGate {
  readonly agent: string;
  readonly against: string;
  /** Null until the gate is decided. */
  readonly passed: boolean | null;
  readonly reason: string;
  /** Scores of both agents in pairs of games. */
  readonly table: Table;
  /** After each look: number of pairs, gain, its standard error, and probability of such a gain for equal agents. */
  readonly course: readonly (readonly [pairs: number, gain: number, error: number | null, chance: number])[];
  /** Number of pairs per look, and limit of the probability below which the agent passes. */
  readonly pairs: number;
  readonly limit: number;
  /** Query of the agent's games, the worst first. */
  readonly lost: string;
}

/** Order of games in a list. */
export interface GameSort {
  /** 'score', 'years', 'winner', 'phases', or the name of a power to sort by its centres. */
  readonly by: string;
  readonly isDown: boolean;
}

/** A game of an arena in the list. */
export interface ArenaGameRow {
  /** Number of the arena in the directory, from 1. */
  readonly arena: number;
  readonly game: number;
  /** Agents with their powers: 'dumbbot: FRANCE; random: the others'. */
  readonly seats: string;
  /** Mean score of the shown agent's seats; null if it had none. */
  readonly score: number | null;
  readonly winner: string | null;
  readonly years: number;
  readonly centers: readonly number[];
  /** True if the game can be replayed. */
  readonly isKept: boolean;
}

/** A page of the games of a directory of arenas. */
export interface ArenaGames {
  /** Description of the filter. */
  readonly about: string;
  /** Agent whose scores are shown. */
  readonly agent: string;
  readonly scoring: string;
  /** Query of these games, without sorting and start of the page. */
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
  /** Style of the powers of the first map. */
  readonly style: string;
}

/** Deflated data of a page. `links`: addresses of links that the page could not know before, keyed by element id. */
export interface Deflated {
  readonly deflated: string;
  readonly links?: Readonly<Record<string, string>>;
}

/** Imported games in the list: saved games of other programs, or records without a run's manifest. */
export interface ImportRow {
  readonly name: string;
  readonly title: string;
  /** 'JSON' or 'records'. */
  readonly kind: string;
  /** Size in bytes; null for a directory. */
  readonly bytes: number | null;
  readonly changed: number;
}

/** Mean scores per seat by sum of squares, with names of agents without default options. */
export type Scores = readonly (readonly [agent: string, score: number])[];

export interface RunList {
  readonly runs: readonly RunRow[];
  readonly arenas: readonly ArenaRow[];
  readonly imports: readonly ImportRow[];
  /** True if the search for runs reached its limits. */
  readonly cut: boolean;
}

export interface GameFilter {
  /** Name of the power that won; 'solo': any, 'draw': none. */
  readonly winner?: string;
  /** Name of the winning agent, as in the manifest. */
  readonly agent?: string;
  /** Least and greatest number of years begun. */
  readonly years?: readonly [least: number, most: number];
  /** Index of a power (-1: any), and least and greatest number of its centres at the end. */
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

/** A mean and its standard error; the error is null for fewer than two games. */
export type Mean = readonly [mean: number, error: number | null];

export interface PowerTally {
  readonly power: string;
  readonly agent: string;
  readonly solos: number;
  readonly survived: number;
  readonly centers: Mean;
  readonly score: Mean;
  /** Number of games, indexed by number of centres at the end. */
  readonly distribution: readonly number[];
}

export interface GamesFound {
  /** Number of games that pass the filter. */
  readonly games: number;
  readonly draws: number;
  readonly powers: readonly PowerTally[];
  /** Number of games of each length, the shortest first. */
  readonly lengths: readonly (readonly [years: number, games: number])[];
  /** Games on the requested page. */
  readonly rows: readonly GameRow[];
}

/** News for the page of a run. */
export interface RunProgress {
  readonly run: RunRow;
  /** Number of indexed games, and of shards that are not indexed yet. */
  readonly indexed: number;
  readonly left: number;
  /** Changes with the index. */
  readonly version: number;
  readonly faults: readonly string[];
}

export interface GamesAnswer extends GamesFound {
  readonly from: number;
  readonly progress: RunProgress;
}

/** Result of a search in the indexed games of a run. */
export interface FindAnswer {
  /** Number of games searched, and of files that are not indexed yet. */
  readonly games: number;
  readonly left: number;
  readonly found: number;
  /** The first games, each with the phase in which the condition first holds. */
  readonly hits: readonly { readonly game: number; readonly phase: string | null }[];
  /** Openings, if requested; null for a search of games. */
  readonly openings: readonly PowerOpenings[] | null;
}

export interface RunPageData {
  readonly run: RunRow;
  readonly powers: readonly string[];
  readonly rows: number;
  readonly compared: readonly ComparedAgents[];
}
