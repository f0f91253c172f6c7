// Compares games of other programs with their replays. Large files of JSON lines are split into chunks that worker
// threads read and replay. Results are returned in the order of the file.
import { statSync } from 'node:fs';
import { loadMap } from '../../../engine/internal.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { fittingRules } from './fitting-rules.js';
import { type PlayedGame, playedGames, playFound } from './played-games.js';
import { type GameLine, gameLines, gameOfLine } from './read.js';
import type { Disagreement, UncountedOrder } from './replay-raw.js';

/** Differences between a game and its replay. */
export interface Misfit {
  /** Place of the game: 'line 3'. */
  readonly where: string;
  /** Id of the game; '' if it has none. */
  readonly id: string;
  /** Differences between the game and the replay. Empty if the invalid orders change nothing. */
  readonly disagreements: readonly Disagreement[];
  /** Recorded orders that have no effect under the rules. */
  readonly uncounted: readonly UncountedOrder[];
  /** Names of other rules under which the game has no disagreements. Empty if it has none under these rules. */
  readonly fits: readonly string[];
  /** Rules of the package `diplomacy` that the game names and that Lepanto cannot play. */
  readonly unplayed: readonly string[];
}

/**
 * Compares a game with its replay. Returns null if they agree and every order has an effect, or if it was not replayed.
 */
export const misfitOf = ({ where, raw, map, replayed }: PlayedGame, rules: RuleSet): Misfit | null => {
  if (raw === null || replayed === null) return null;
  const { disagreements, uncounted } = replayed;
  if (disagreements.length + uncounted.length === 0) return null;
  const { id, unplayed = [] } = raw;
  const fits = unplayed.length > 0 ? [] : fittingRules(map, raw, rules);
  return { where, id, disagreements, uncounted, fits, unplayed };
};

/** Joins names of rules by ' or ', because the options of one name are joined by commas. */
const listRules = (names: readonly string[]): string => names.join(' or ');

const andMore = (count: number): string => (count > 1 ? `, and ${count - 1} more` : '');

/**
 * Formats the differences of a game:
 * 'line 3: F1902M A PAR: unit: recorded FRANCE, here none, and 2 more; it fits the rules 1971 or dptg', or
 * 'line 3: 2 recorded orders do not count: W1901A FRANCE "A PAR B" (no build left), and 1 more'
 */
export const formatMisfit = ({ where, disagreements, uncounted, fits, unplayed }: Misfit): string => {
  const parts: string[] = [];
  const [first] = disagreements;
  if (first !== undefined) {
    const { phase, unit, what } = first;
    parts.push(`${phase}${unit === '' ? '' : ` ${unit}`}: ${what}${andMore(disagreements.length)}`);
  }
  const [order] = uncounted;
  if (order !== undefined) {
    const orders = uncounted.length === 1 ? '1 recorded order does' : `${uncounted.length} recorded orders do`;
    const shown = `${order.phase} ${order.power} ${JSON.stringify(order.order)} (${order.reason})`;
    parts.push(`${orders} not count: ${shown}${andMore(uncounted.length)}`);
  }
  if (unplayed.length > 0)
    parts.push(`it was played by ${unplayed.join(', ')}, and adjudicated again by the usual rules`);
  if (fits.length > 0) parts.push(`it fits the rules ${listRules(fits)}`);
  return `${where}: ${parts.join('; ')}`;
};

/**
 * Formats skipped messages: 'line 3: a message is left out: S1901M, message 2: sender: got nothing, wanted text, and 2
 * more'.
 * @param where place of the game: 'line 3'
 * @param leftOut description of each skipped message, at least one
 */
export const formatLeftOut = (where: string, leftOut: readonly string[]): string =>
  `${where}: a message is left out: ${leftOut[0]}${andMore(leftOut.length)}`;

/** Summary of the check of one game, without the game itself. */
export interface CheckedGame {
  /** Place of the game: 'line 3'. */
  readonly where: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
  /** Number of replayed phases; null if the game could not be replayed. */
  readonly phases: number | null;
  /** Differences of the game. Null if it agrees and every order has an effect, or if it was not replayed. */
  readonly misfit: Misfit | null;
  /** Reason why the game could not be replayed; null if it was. */
  readonly error: string | null;
}

/** Returns the summary of a game that was replayed under these rules. */
export const checkedOf = (played: PlayedGame, rules: RuleSet): CheckedGame => {
  const { where, bytes, replayed, error } = played;
  const phases = replayed === null ? null : replayed.record.phases.length - 1;
  return { where, bytes, phases, misfit: misfitOf(played, rules), error };
};

/** How to distribute the games of a file over threads. */
export interface Sharing {
  /** Number of worker threads, from 1. With 1 the current thread does all the work. */
  readonly workers: number;
  /**
   * Size in bytes below which a file is checked in the current thread, because workers take time to start. Default: 128
   * MB divided by `workers`.
   */
  readonly smallest?: number;
  /** Size in bytes of the chunks into which the file is split, at least one line each. Default: 256 KB. */
  readonly chunk?: number;
}

/**
 * Size in bytes from which workers pay off, times their number. Two workers gain nothing on a file of 44 MB, and save a
 * quarter of the time on one of 177 MB.
 */
const WORTH_IT = 1 << 27;
/** Default of Sharing.chunk, in bytes. */
const CHUNK = 1 << 18;
/** Number of chunks per worker that are read before their results are needed. */
const AHEAD = 2;

/** Task of a worker: lines of a file to check. */
interface Lines {
  /** Name of the rules, for ruleSetByName(). */
  readonly rules: string;
  readonly lines: readonly GameLine[];
}

/** Returns the summaries of the games of some lines, one per line. Called in a worker. */
export const checkLines = ({ rules: name, lines }: Lines): CheckedGame[] => {
  const rules = ruleSetByName(name);
  const by = { map: loadMap('standard'), rules };
  return lines.map((line) => checkedOf(playFound(gameOfLine(line), by), rules));
};

function* chunksOf(lines: Iterable<GameLine>, most: number): Generator<GameLine[]> {
  let chunk: GameLine[] = [];
  let length = 0;
  for (const line of lines) {
    chunk.push(line);
    length += line.text?.length ?? 0;
    if (length < most) continue;
    yield chunk;
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield chunk;
}

const checkHere = function* (path: string, rules: RuleSet): Generator<CheckedGame> {
  for (const played of playedGames(path, { map: loadMap('standard'), rules })) yield checkedOf(played, rules);
};

async function* checkOn(pool: Pool, chunks: Iterable<GameLine[]>, rules: RuleSet): AsyncGenerator<CheckedGame> {
  const waiting: Promise<CheckedGame[]>[] = [];
  for (const lines of chunks) {
    const data: Lines = { rules: rules.name, lines };
    const label = `games from ${lines[0].where}`;
    const checked = pool.call<CheckedGame[]>({ module: import.meta.url, name: 'checkLines', data }, { label });
    // Prevents an unhandled rejection. The error is thrown below, in the order of the file.
    checked.catch(() => {});
    waiting.push(checked);
    if (waiting.length > AHEAD * pool.workers) yield* (await waiting.shift()) ?? [];
  }
  for (const checked of waiting) yield* await checked;
}

/**
 * Checks all games in a file and yields them in its order. The result is the same for any number of workers. Only a few
 * chunks of the file are in memory.
 * @throws LepantoError if the file does not exist
 */
export async function* checkedGames(path: string, rules: RuleSet, sharing: Sharing): AsyncGenerator<CheckedGame> {
  const { workers, smallest = WORTH_IT / workers, chunk = CHUNK } = sharing;
  const lines = workers > 1 && statSync(path).size >= smallest ? gameLines(path) : null;
  if (lines === null) {
    yield* checkHere(path, rules);
    return;
  }
  const pool = makePool({ workers });
  try {
    yield* checkOn(pool, chunksOf(lines, chunk), rules);
  } finally {
    await pool.close();
  }
}
