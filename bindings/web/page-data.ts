// What the server and its pages tell each other, as plain data: types alone.

import type { MapRows } from '../../engine/internal.js';
import type { ByPower } from '../../engine/notation/json/position.js';
import type { Message, Said } from '../../selfplay/question/message.js';
import type { DrawnPhase } from '../draw/drawn-phase.js';
import type { GeometryData } from '../draw/geometry.js';
import type { PowerOpenings } from '../find/search-results.js';
import type { Table } from '../reports/table.js';
import type { AskedGame, AskedOrders, OwnMap } from './orders/asked-game.js';
import type { Placed } from './orders/written-position.js';

/** An order set that a search has weighed: how often it would play it (0 to 1), its value and the error of that. */
export interface ShownCandidate {
  readonly orders: readonly string[];
  readonly probability: number;
  readonly value: number | null;
  readonly error: number | null;
}

/** A phase of a replay. */
export interface ReplayPhase extends DrawnPhase {
  /** Order sets that the agents' searches found, by power, where the record has them. */
  readonly search: Readonly<Record<string, readonly ShownCandidate[]>>;
  readonly messages?: readonly Message[];
}

export interface ReplayData {
  readonly end: string;
  /** Names of the map and the rules, as the board page reads them. */
  readonly map: string;
  readonly rules: string;
  readonly rows: MapRows;
  readonly geometry: GeometryData;
  /** Agents by power; null where they are unknown, or all the same. */
  readonly agents: readonly (string | null)[];
  /** Agents without options that have their defaults. */
  readonly briefs: readonly (string | null)[];
  readonly phases: readonly ReplayPhase[];
}

export interface RankedCandidate extends ShownCandidate {
  readonly rollouts: number;
}

/** What the page of a position has of its server. */
export interface PositionPageData {
  /** The run that the page was opened from; null for none. */
  readonly run: string | null;
  /** Its map, if that is none that ships: its name with options, and its rows. */
  readonly own: OwnMap | null;
  /** The position that it begins with where its address has none, and orders for it; null for the start of the map. */
  readonly position: (Placed & { readonly map: string; readonly rules: string; readonly orders?: ByPower }) | null;
  /** Agents that its worker plays. */
  readonly ownAgents: readonly string[];
  /** Agents that its server plays, which a browser cannot. */
  readonly agents: readonly string[];
  /** Whether its server saves games among its runs. */
  readonly saves: boolean;
  /** Whether it is a page of files, which its browser keeps for times without a network. */
  readonly isStatic: boolean;
  /** What a search found in this position, for a page in one file: it has no server and no agents. */
  readonly found?: {
    readonly powers: Readonly<Record<string, readonly RankedCandidate[]>>;
    readonly replies: Readonly<Record<string, readonly RankedCandidate[]>>;
  };
}

export interface ComparedPhase {
  readonly game: number;
  /** 'S1901M' */
  readonly phase: string;
  /** How far their orders are apart: total variation, the mean over the units of all powers, 0 to 1. */
  readonly distance: number;
  /** The power whose orders are furthest apart. */
  readonly power: string;
}

/** Phases of a run in which two agents differ most, as `lepanto compare` has found them. */
export interface ComparedAgents {
  readonly agents: readonly string[];
  readonly games: number;
  /** Each with the address of a page that shows both agents there. */
  readonly phases: readonly (ComparedPhase & { readonly page: string })[];
}

/** Order sets of a power in a game, for what they are worth. */
export interface AskedValues {
  readonly game: AskedGame;
  readonly power: string;
  readonly sets: readonly (readonly string[])[];
}

export interface FoundValues {
  /** By set: the mean share of the score that the search expects, and its standard error. */
  readonly values: readonly { readonly value: number; readonly error: number }[];
  /** The likeliest orders of every power. */
  readonly expected: ByPower;
}

/** What a page asks its worker: the agent of a name, orders, a saved game, what orders are worth, or a search. */
export interface PlayQuestion {
  readonly id: number;
  readonly check?: string;
  readonly asked?: AskedOrders;
  readonly save?: AskedGame;
  readonly worth?: AskedValues;
  /** A search of the page itself, on a map of its own where it does not ship. */
  readonly explore?: SearchQuestion & { readonly own: OwnMap | null };
}

export interface PlayAnswer {
  readonly id: number;
  readonly found: unknown;
  /** Why there is none. */
  readonly error: string | null;
  /** True for what is found before the answer. */
  readonly isPart?: boolean;
}

/** What agents answer. */
export interface GivenOrders {
  /** Orders as text by power; none in a round of press. */
  readonly orders: ByPower;
  /** What the agents got wrong in this answer, as sentences. */
  readonly faults: readonly string[];
  /** Powers whose agents failed, so that they hold. Absent if there are none. */
  readonly failed?: readonly string[];
  /** In a round of press: what each power says. */
  readonly said?: Readonly<Record<string, readonly Said[]>>;
}

/** What a search of a page asks for. */
export interface SearchQuestion {
  readonly position: unknown;
  readonly map: string;
  readonly rules: string;
  readonly rollouts: number;
  readonly seed: number;
  /** Name of the power that is searched for. Default: all. */
  readonly power?: string;
}

/** What a search of a page has found so far: the part of the record of `lepanto search` that it shows. */
export interface SearchAnswer {
  readonly rollouts: number;
  readonly depth: number;
  /** Of those asked for, as far as they are planned: 0 to 1. */
  readonly done: number;
  readonly powers: Readonly<Record<string, readonly ShownCandidate[]>>;
  /** What the powers that were not searched for are expected to do. */
  readonly replies: Readonly<Record<string, readonly ShownCandidate[]>>;
}

type RunState = 'whole' | 'running' | 'stopped' | 'damaged';

export interface RunRow {
  /** Its path below the directory; '.' for the directory itself. */
  readonly name: string;
  /** What people read: its name, or that of the directory itself. */
  readonly title: string;
  /** By power; equal ones once. */
  readonly agents: readonly string[];
  /** The same without the options that have their defaults. */
  readonly briefs: readonly string[];
  readonly map: string;
  readonly rules: string;
  readonly until: number;
  readonly seed: number | null;
  /** Null until its games were read. */
  readonly scores: Scores | null;
  readonly games: number;
  /** Games in its files. */
  readonly done: number;
  readonly state: RunState;
  /** Milliseconds since 1970 of its newest file. */
  readonly changed: number;
  readonly error: string | null;
}

/** A directory of arenas in the list. What it has of its games is null until they were read. */
export interface ArenaRow {
  readonly name: string;
  readonly title: string;
  readonly state: RunState;
  /** Milliseconds since 1970 of its last game. */
  readonly changed: number;
  /** Without options that have their defaults. */
  readonly briefs: readonly string[] | null;
  readonly games: number | null;
  /** Of its first arena. */
  readonly seed: number | null;
  readonly scores: Scores | null;
  readonly error: string | null;
}

/** Tables of an arena. */
export interface ArenaTables {
  /** Who plays whom. */
  readonly heading: string;
  /** How many games, and how they were played. */
  readonly title: string;
  readonly note: string;
  /** Links hold queries of games. */
  readonly tables: readonly Table[];
}

/** A gate, and the course of its test. */
export interface ShownGate {
  readonly agent: string;
  readonly against: string;
  /** Null before it is decided. */
  readonly passed: boolean | null;
  readonly reason: string;
  /** The scores of both in pairs of games. */
  readonly table: Table;
  /** By pairs so far: the gain, its error, and how probable a gain so high is for equal agents. */
  readonly course: readonly (readonly [pairs: number, gain: number, error: number | null, chance: number])[];
  /** Pairs of a look, and what the chance must be below. */
  readonly pairs: number;
  readonly limit: number;
  /** The query of the games of the agent, the worst first. */
  readonly lost: string;
}

/** Order of games in a list. */
export interface GameSort {
  /** 'score', 'years', 'winner', 'phases', or the name of a power: its centres. */
  readonly by: string;
  readonly isDown: boolean;
}

/** A game of an arena in the list. */
export interface ArenaGameRow {
  /** Of the directory, from 1. */
  readonly arena: number;
  readonly game: number;
  /** Who sat where: 'random: FRANCE', the power of one seat or 'the others'. */
  readonly seats: string;
  /** Of the agent that is looked at; null where it had no seat. */
  readonly score: number | null;
  readonly winner: string | null;
  readonly years: number;
  readonly centers: readonly number[];
  /** Whether it can be replayed. */
  readonly isKept: boolean;
}

/** Games of a directory of arenas, and which of them are shown. */
export interface ArenaGames {
  /** What they have in common, in words. */
  readonly about: string;
  /** The agent whose scores are shown. */
  readonly agent: string;
  readonly scoring: string;
  /** The query of these games, without their order and where the page begins. */
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

/** Data of a page in fewer bytes. With addresses of its links by their ids, where they were not known before. */
export interface Deflated {
  readonly deflated: string;
  readonly links?: Readonly<Record<string, string>>;
}

/** Games that were not played here, in the list: of other programs, or records without the manifest of a run. */
export interface ImportRow {
  readonly name: string;
  readonly title: string;
  /** 'JSON', 'records' */
  readonly kind: string;
  /** Null for a directory. */
  readonly bytes: number | null;
  readonly changed: number;
}

/** Mean scores by agent, without options that have their defaults, by sum of squares. */
export type Scores = readonly (readonly [agent: string, score: number])[];

export interface RunList {
  readonly runs: readonly RunRow[];
  readonly arenas: readonly ArenaRow[];
  readonly imports: readonly ImportRow[];
  /** True if there is more than was looked at. */
  readonly cut: boolean;
}

export interface GameFilter {
  /** Name of the power that won; 'solo': any, 'draw': none. */
  readonly winner?: string;
  /** The agent that won, as the manifest names it. */
  readonly agent?: string;
  /** Years begun, from and to. */
  readonly years?: readonly [least: number, most: number];
  /** Centres of a power at the end, from and to; of any power for -1. */
  readonly centers?: readonly [power: number, least: number, most: number];
}

export interface GameRow {
  readonly game: number;
  /** Name of the power that won; null if none did. */
  readonly winner: string | null;
  readonly years: number;
  readonly phases: number;
  /** By power, at the end. */
  readonly centers: readonly number[];
}

/** A mean and its standard error; null of less than two games. */
export type Mean = readonly [mean: number, error: number | null];

export interface PowerTally {
  readonly power: string;
  readonly agent: string;
  readonly solos: number;
  readonly survived: number;
  readonly centers: Mean;
  readonly score: Mean;
  /** Games by centres at the end, from 0. */
  readonly distribution: readonly number[];
}

export interface GamesFound {
  /** Games that pass the filter. */
  readonly games: number;
  readonly draws: number;
  readonly powers: readonly PowerTally[];
  /** Games by years begun, from the shortest. */
  readonly lengths: readonly (readonly [years: number, games: number])[];
  /** The page asked for. */
  readonly rows: readonly GameRow[];
}

/** What a page hears of its run. */
export interface RunProgress {
  readonly run: RunRow;
  /** Games that are indexed, and shards that are still to be. */
  readonly indexed: number;
  readonly left: number;
  /** Changes with what is known of its games. */
  readonly version: number;
  readonly faults: readonly string[];
}

export interface GamesAnswer extends GamesFound {
  readonly from: number;
  readonly progress: RunProgress;
}

/** What a search of a run found, as far as it is indexed. */
export interface FindAnswer {
  /** Games that were searched, and files that are still to be. */
  readonly games: number;
  readonly left: number;
  readonly found: number;
  /** The first games, each with the phase in which the condition first holds. */
  readonly hits: readonly { readonly game: number; readonly phase: string | null }[];
  /** Null where games are asked for. */
  readonly openings: readonly PowerOpenings[] | null;
}

export interface RunPageData {
  readonly run: RunRow;
  readonly powers: readonly string[];
  readonly rows: number;
  readonly compared: readonly ComparedAgents[];
}
