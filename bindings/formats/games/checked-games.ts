// Compares games of others with their replays, those of large files of JSON lines on several threads: this one splits
// the file into chunks of lines, workers read and play them, and what they find comes back in the order of the file.
import { statSync } from 'node:fs';
import { loadMap } from '../../../engine/internal.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { fittingRules } from './fitting-rules.js';
import { type PlayedGame, playedGames, playFound } from './played-games.js';
import { type GameLine, gameLines, gameOfLine } from './read.js';
import type { Disagreement, UncountedOrder } from './replay-raw.js';

/** What a game and its replay do not have in common. */
export interface Misfit {
  readonly where: string;
  readonly id: string;
  /** None if all orders that do not count change nothing. */
  readonly disagreements: readonly Disagreement[];
  /** Recorded orders that do not count. */
  readonly uncounted: readonly UncountedOrder[];
  /** If there are disagreements: names of rules under which there are none. */
  readonly fits: readonly string[];
  /** Rules that the game names, and that no replay plays. */
  readonly unplayed: readonly string[];
}

/** Null if the game agrees and all its orders count, or if it was not played. */
export const misfitOf = ({ where, raw, map, replayed }: PlayedGame, rules: RuleSet): Misfit | null => {
  if (raw === null || replayed === null) return null;
  const { disagreements, uncounted } = replayed;
  if (disagreements.length + uncounted.length === 0) return null;
  const { id, unplayed = [] } = raw;
  const fits = unplayed.length > 0 ? [] : fittingRules(map, raw, rules);
  return { where, id, disagreements, uncounted, fits, unplayed };
};

/** Joins rules by ' or ', because the options of one are joined by commas. */
const listRules = (names: readonly string[]): string => names.join(' or ');

const andMore = (count: number): string => (count > 1 ? `, and ${count - 1} more` : '');

/**
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
  if (unplayed.length > 0) parts.push(`it was played by ${unplayed.join(', ')}, and replayed by the usual rules`);
  if (fits.length > 0) parts.push(`it fits the rules ${listRules(fits)}`);
  return `${where}: ${parts.join('; ')}`;
};

/** 'line 3: a message is left out: S1901M, message 2: sender: got nothing, wanted text, and 2 more' */
export const formatLeftOut = (where: string, leftOut: readonly string[]): string =>
  `${where}: a message is left out: ${leftOut[0]}${andMore(leftOut.length)}`;

/** What came of a game and its replay, without either. */
export interface CheckedGame {
  /** Its place: 'line 3'. */
  readonly where: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
  /** Phases that were played; null if the game could not be played. */
  readonly phases: number | null;
  /** Null if the game agrees and all its orders count, or if it was not played. */
  readonly misfit: Misfit | null;
  /** Why it could not be played. */
  readonly error: string | null;
}

/** What remains of a game that was played by these rules. */
export const checkedOf = (played: PlayedGame, rules: RuleSet): CheckedGame => {
  const { where, bytes, replayed, error } = played;
  const phases = replayed === null ? null : replayed.record.phases.length - 1;
  return { where, bytes, phases, misfit: misfitOf(played, rules), error };
};

/** How the games of a file are shared out. */
export interface Sharing {
  /** Threads, from 1. With one, all is done in this one. */
  readonly workers: number;
  /** Files of fewer bytes are done in this thread. Default: 128 MB by the number of workers, as they take time to start. */
  readonly smallest?: number;
  /** Bytes of a chunk, at least one line. Default: a quarter of a million. */
  readonly chunk?: number;
}

/** Bytes for all workers: two of them gain nothing on a file of 44 MB, and a quarter of the time on one of 177 MB. */
const WORTH_IT = 1 << 27;
const CHUNK = 1 << 18;
/** Chunks that are read ahead for each worker. */
const AHEAD = 2;

interface Lines {
  /** Name of the rules. */
  readonly rules: string;
  readonly lines: readonly GameLine[];
}

/** In a worker: checks the games of some lines. */
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
    // An error is met when its turn comes, or not at all if an earlier one ends everything.
    checked.catch(() => {});
    waiting.push(checked);
    if (waiting.length > AHEAD * pool.workers) yield* (await waiting.shift()) ?? [];
  }
  for (const checked of waiting) yield* await checked;
}

/**
 * Checks all games of others in a file, in its order. What comes does not depend on the number of workers; no more than
 * some chunks of the file are in memory.
 * @throws LepantoError if there is no such file
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
