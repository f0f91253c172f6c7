// Reads the file of a shard piece by piece, and compares it with the check next to it: a file may hold more games than
// fit into memory, and a damaged one may announce anything.

import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { LepantoError } from '../../engine/rules/error.js';
import { fields, text, wholeNumber } from '../../engine/rules/shape.js';
import { type GamePlace, placesIn } from './record.js';
import { LENGTH_SIZE } from './record-writer.js';
import { readError } from './whole-file.js';

/** A check has some hundred bytes. */
const MAX_CHECK = 1 << 12;
const READ_SIZE = 1 << 20;

/** Where a game lies in a file. */
export interface ShardGame {
  /** As decodeGame() reads them. */
  readonly bytes: Uint8Array;
  /** 'games-00000.lep at offset 8' */
  readonly where: string;
  /** Offset of the next game. */
  readonly end: number;
}

/** Some bytes of an open file; fewer at its end. They lie alone in their ArrayBuffer, if there are many. */
export const readAt = (fd: number, offset: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const n = readSync(fd, bytes, done, size - done, offset + done);
    if (n === 0) break;
    done += n;
  }
  return bytes.subarray(0, done);
};

const openToRead = (path: string): number => {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw readError(path, error);
  }
};

/** Opens a file for as long as something is done with it. @throws LepantoError that names the file, if it cannot be read */
const reading = <T>(path: string, run: (fd: number) => T): T => {
  const fd = openToRead(path);
  try {
    return run(fd);
  } finally {
    closeSync(fd);
  }
};

const placesOf = (fd: number, path: string): Generator<GamePlace> => {
  const found = fstatSync(fd);
  if (found.isDirectory()) throw new LepantoError('record', `${path}: got a directory, wanted a file of games`);
  return placesIn((offset, size) => readAt(fd, offset, size), found.size, path);
};

/**
 * The games of a shard as they are stored, one at a time.
 * @throws LepantoError as placesIn() does, after yielding the games before
 */
export function* gamesOfShard(path: string): Generator<ShardGame> {
  const fd = openToRead(path);
  try {
    for (const { offset, length } of placesOf(fd, path))
      yield {
        bytes: readAt(fd, offset, length),
        where: `${path} at offset ${offset - LENGTH_SIZE}`,
        end: offset + length,
      };
  } finally {
    closeSync(fd);
  }
}

/** Where the games of a shard lie, without reading them. @throws LepantoError as gamesOfShard() does */
export const placesOfShard = (path: string): GamePlace[] => reading(path, (fd) => [...placesOf(fd, path)]);

/** Some bytes of a file. @throws LepantoError that names the file, if it cannot be read or has no such bytes */
export const readPlace = (path: string, { offset, length }: GamePlace): Buffer => {
  const bytes = reading(path, (fd) => readAt(fd, offset, length));
  if (bytes.length === length) return bytes;
  throw new LepantoError('file', `${path} at offset ${offset}: got ${bytes.length} bytes, wanted ${length}`);
};

/** The check written next to a finished shard, which reveals incomplete or changed copies. */
export interface ShardCheck {
  readonly file: string;
  readonly games: number;
  readonly bytes: number;
  /**
   * CRC-32 as in gzip and zip, in eight hexadecimal digits: five times as fast as SHA-256, which would cost noticeable
   * time.
   */
  readonly crc32: string;
}

/** 'DIR/games-00003.json' */
export const checkPath = (path: string): string => path.replace(/\.lep$/, '.json');

const inDigits = (crc: number): string => crc.toString(16).padStart(8, '0');

/** The check of a shard of so many games and bytes with this CRC-32. */
export const makeCheck = (path: string, games: number, bytes: number, crc: number): ShardCheck => ({
  file: basename(path),
  games,
  bytes,
  crc32: inDigits(crc),
});

/** The check of a shard with this content. */
export const checkOf = (path: string, games: number, content: Uint8Array): ShardCheck =>
  makeCheck(path, games, content.length, crc32(content));

const shardCheck = fields<ShardCheck>({
  file: text,
  games: wholeNumber(),
  bytes: wholeNumber(),
  crc32: text,
});

/** The text of a check. @throws LepantoError that names its file */
const readCheckText = (path: string): string =>
  reading(path, (fd) => {
    if (fstatSync(fd).isFile()) return readAt(fd, 0, MAX_CHECK).toString('utf8');
    return refuseCheck(path, 'no file');
  });

const refuseCheck = (path: string, got: string): never => {
  throw new LepantoError('record', `${path}: got ${got}, wanted {"file", "games", "bytes", "crc32"}`);
};

/**
 * The check next to a shard; null if there is none. Other files have none: 'game.json' beside 'game.lep' is a file of its own.
 * @throws LepantoError that names the file of the check, if it is damaged itself
 */
export const readCheck = (shard: string): ShardCheck | null => {
  const path = checkPath(shard);
  if (shardNumber(shard) === null || !existsSync(path)) return null;
  const written = readCheckText(path);
  try {
    return shardCheck(JSON.parse(written), path);
  } catch (error) {
    return refuseCheck(path, error instanceof SyntaxError ? 'no JSON' : written.trim().slice(0, 80));
  }
};

/** CRC-32 of a file, read in pieces. */
const crcOf = (fd: number, size: number): number => {
  const chunk = Buffer.alloc(Math.min(READ_SIZE, size));
  let crc = 0;
  for (let offset = 0; offset < size; ) {
    const n = readSync(fd, chunk, 0, chunk.length, offset);
    if (n === 0) break;
    crc = crc32(chunk.subarray(0, n), crc);
    offset += n;
  }
  return crc;
};

/** What in the file of a shard is not as its check says, all but the number of its games; null if nothing is. */
export const findDamage = (path: string, check: ShardCheck): string | null => {
  const name = basename(path);
  if (check.file !== name) return `got the check of ${check.file.slice(0, 80)}, wanted that of ${name}`;
  return reading(path, (fd) => {
    const { size } = fstatSync(fd);
    if (size !== check.bytes) return `got ${size} bytes, wanted ${check.bytes} by ${basename(checkPath(path))}`;
    const crc = inDigits(crcOf(fd, size));
    return crc === check.crc32 ? null : `got crc32 ${crc}, wanted ${check.crc32} by ${basename(checkPath(path))}`;
  });
};

/** The check of a shard; null if it has none or is not there, a text that says what is wrong if the file is not as it says. */
export const soundCheck = (path: string): ShardCheck | string | null => {
  try {
    const check = readCheck(path);
    return check === null || !existsSync(path) ? null : (findDamage(path, check) ?? check);
  } catch (error) {
    return (error as Error).message;
  }
};

/** The number of a shard. Null for another name than 'games-00003.lep'. */
export const shardNumber = (path: string): number | null => {
  const [, digits] = /^games-(\d{5,15})\.lep$/.exec(basename(path)) ?? [];
  return digits === undefined ? null : Number(digits);
};
