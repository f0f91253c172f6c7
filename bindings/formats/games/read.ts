// Reads games of any format from a file, one at a time.

import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_GAME, MAX_VALUES, parseStrict } from '../../../engine/notation/json/untrusted.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { asObject } from '../../../engine/rules/shape.js';
import { ARENA_FILE, MANIFEST, shardNumber } from '../../../selfplay/records/manifest.js';
import type { GamePlace } from '../../../selfplay/records/record.js';
import { readPlace } from '../../../selfplay/records/shard-file.js';
import type { RawGame } from './raw.js';
import { MAX_PHASES, phasesOf, readSavedGame } from './saved-game.js';
import { isWebDiplomacy, readWebDiplomacy } from './webdiplomacy.js';

/**
 * Parses a saved game of the package `diplomacy` or of dipcc (also its older format), or a history of webDiplomacy. The
 * format is detected. Orders remain text until replayGame() replays them.
 * @param text JSON
 * @throws LepantoError that describes the invalid value and its place
 */
export const parseSavedGame = (text: string): RawGame => {
  const value = asObject(parseStrict(text), 'game');
  if (value.arenas !== undefined) throw new LepantoError('record', ARENA_ENDS);
  return isWebDiplomacy(value) ? readWebDiplomacy(value, phasesOf(value)) : readSavedGame(value);
};

/** Error message for the results file of an arena, which holds no games. */
export const ARENA_ENDS = 'got how the games of an arena ended, wanted the games, which lepanto arena --out DIR keeps';

/** One game of a file, or the reason why it cannot be read. */
export interface Found {
  /** Place of the game: 'line 3' or 'file'. */
  readonly where: string;
  /** The parsed game; null if the game cannot be read. */
  readonly game: RawGame | null;
  /** Reason why the game cannot be read; null if it can be read. */
  readonly error: string | null;
  /** Bytes of the file read so far. */
  readonly bytes: number;
}

/** Limits on games of other programs, as text for people. */
export const GAME_LIMITS = `Limits of a game of another program: ${MAX_GAME >> 20} MB, ${MAX_PHASES} phases, ${MAX_VALUES} values of JSON.`;

const READ_SIZE = 1 << 20;
const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns UTF-8 bytes as text, without a byte order mark. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const found = (where: string, text: Uint8Array, bytes: number): Found => {
  try {
    return { where, game: parseSavedGame(textOf(text)), error: null, bytes };
  } catch (error) {
    return { where, game: null, error: (error as Error).message, bytes };
  }
};

/** Yields the lines of a file, each with the offset of its end. The line is null if it is longer than MAX_GAME. */
function* linesOf(fd: number): Generator<[Buffer | null, number]> {
  const chunk = Buffer.alloc(READ_SIZE);
  let parts: Buffer[] = [];
  let size = 0;
  let bytes = 0;
  const take = (): Buffer | null => {
    const line = size > MAX_GAME ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  const add = (part: Buffer): void => {
    size += part.length;
    if (size > MAX_GAME) parts = [];
    else parts.push(Buffer.from(part));
  };
  for (let n = readSync(fd, chunk, 0, READ_SIZE, null); n > 0; n = readSync(fd, chunk, 0, READ_SIZE, null)) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < n; end = chunk.indexOf(NEWLINE, begin)) {
      add(chunk.subarray(begin, end));
      bytes += end + 1 - begin;
      begin = end + 1;
      yield [take(), bytes];
    }
    add(chunk.subarray(begin, n));
    bytes += n - begin;
  }
  if (size > 0) yield [take(), bytes];
}

const isBlankByte = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Returns a line without the blanks at its ends and without a byte order mark. */
const trimmed = (line: Buffer): Buffer => {
  let begin = line.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  let end = line.length;
  while (begin < end && isBlankByte(line[begin])) begin++;
  while (end > begin && isBlankByte(line[end - 1])) end--;
  return line.subarray(begin, end);
};

/** True if a line has the braces of a whole JSON object. Then the file is JSON lines. */
const isOneLine = (line: Uint8Array): boolean => line.at(0) === OPEN_BRACE && line.at(-1) === CLOSE_BRACE;

/** A non-blank line of a file of JSON lines. */
export interface GameLine {
  /** Place of the line: 'line 3'. */
  readonly where: string;
  /** Bytes of the line without blanks at its ends. Null if it is longer than MAX_GAME. */
  readonly text: Uint8Array | null;
  /** Offset in the file where the line begins. */
  readonly begin: number;
  /** Offset in the file where the line ends. */
  readonly end: number;
}

function* fullLines(path: string): Generator<GameLine> {
  const fd = openSync(path, 'r');
  try {
    let line = 0;
    let begin = 0;
    for (const [bytes, end] of linesOf(fd)) {
      line++;
      const text = bytes === null ? null : trimmed(bytes);
      if (text?.length !== 0) yield { where: `line ${line}`, text, begin, end };
      begin = end;
    }
  } finally {
    closeSync(fd);
  }
}

/** True if the extension of a file says that it is JSON lines. */
const isNamedLines = (path: string): boolean => /\.(jsonl|ndjson)$/i.test(path);
const isGame = ({ text }: GameLine): boolean => text !== null && isOneLine(text);
const OPEN_LIST = 0x5b;

/**
 * Returns the non-blank lines of a file of JSON lines, or null if the file is one document. It is one document if it
 * has no extension of JSON lines and neither of its first two lines is a whole object. The second line counts because
 * the first may be truncated; that line is then reported as an error.
 */
export const gameLines = (path: string): Iterable<GameLine> | null => {
  const lines = fullLines(path);
  const first = lines.next();
  if (first.done === true) return [];
  const begun = [first.value];
  if (!isNamedLines(path) && !isGame(first.value)) {
    const second = lines.next();
    // A JSON list with one game per line is one document.
    if (second.done === true || !isGame(second.value) || first.value.text?.at(0) === OPEN_LIST) {
      lines.return(undefined);
      return null;
    }
    begun.push(second.value);
  }
  // The lines read so far are yielded again, because a pipe can be read only once.
  const all = function* (): Generator<GameLine> {
    yield* begun;
    yield* lines;
  };
  return all();
};

/** Parses the game of a line. An invalid game is returned as an `error`. */
export const gameOfLine = ({ where, text, end }: GameLine): Found =>
  text === null ? { where, game: null, error: `got more than ${MAX_GAME} bytes`, bytes: end } : found(where, text, end);

/** Returns the places in a file of its games, without parsing them: the non-blank lines, or the whole file. */
export const placesOfGames = (path: string): GamePlace[] => {
  const lines = gameLines(path);
  if (lines === null) return [{ offset: 0, length: statSync(path).size }];
  return Array.from(lines, ({ begin, end }) => ({ offset: begin, length: end - begin }));
};

/** Reads the game at a place in a file. @throws LepantoError if it is invalid */
export const readGameIn = (path: string, place: GamePlace): RawGame => {
  if (place.length > MAX_GAME) throw new LepantoError('json', `got ${place.length} bytes, wanted at most ${MAX_GAME}`);
  return parseSavedGame(textOf(readPlace(path, place)));
};

const readWhole = (path: string): Found => {
  const { size } = statSync(path);
  if (size > MAX_GAME)
    return { where: 'file', game: null, error: `got ${size} bytes, wanted at most ${MAX_GAME}`, bytes: size };
  return found('file', readFileSync(path), size);
};

/** Yields the games of a file: one document, or one game per line. */
export function* readGames(path: string): Generator<Found> {
  const lines = gameLines(path);
  if (lines === null) yield readWhole(path);
  else for (const line of lines) yield gameOfLine(line);
}

export const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Returns the error for a directory without shards, which names the path. */
export const noShards = (path: string): LepantoError => {
  const runs = readdirSync(path).filter((name) => existsSync(join(path, name, MANIFEST)));
  const got =
    existsSync(join(path, ARENA_FILE)) && runs.length > 0
      ? `got the directory of an arena, wanted one of its ${runs.length} runs: ${join(path, runs.sort()[0])}`
      : 'got no games-*.lep, wanted at least one';
  return new LepantoError('file', `${path}: ${got}`);
};

/**
 * Returns the paths of Lepanto's shards: the path itself if it ends in .lep, or all shards in a directory, by number.
 * Empty if there are none.
 */
export const shardsOf = (path: string): string[] => {
  if (!isDirectory(path)) return path.endsWith('.lep') ? [path] : [];
  return readdirSync(path)
    .map((name): [string, number | null] => [name, shardNumber(name)])
    .filter(([, shard]) => shard !== null)
    .sort(([a, i], [b, j]) => Number(i) - Number(j) || (a < b ? -1 : 1))
    .map(([name]) => join(path, name));
};
