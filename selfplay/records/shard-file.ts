// Reads shards piece by piece, because a shard may be larger than memory, and a damaged one may state any length.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { LepantoError } from '../../engine/rules/error.js';
import { type GamePlace, placesIn } from './record.js';
import { LENGTH_SIZE } from './record-writer.js';
import { readError } from './whole-file.js';

const READ_SIZE = 1 << 20;

/** Reads `size` bytes of an open file at an offset, or fewer at the end of the file. @param fd file descriptor */
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

/**
 * Opens a file, calls `run` with the descriptor, closes the file and returns the result of `run`.
 * @throws LepantoError that names the file, if it cannot be opened
 */
export const reading = <T>(path: string, run: (fd: number) => T): T => {
  const fd = openToRead(path);
  try {
    return run(fd);
  } finally {
    closeSync(fd);
  }
};

/** Reads byte ranges of a file through a buffer. Fast if most ranges are read in ascending order. */
class ForwardReader {
  private start = 0;
  private bytes: Buffer = Buffer.alloc(0);

  constructor(private readonly fd: number) {}

  /** Reads `size` bytes at an offset, or fewer at the end of the file. Later calls do not change the returned bytes. */
  read(offset: number, size: number): Buffer {
    const at = offset - this.start;
    if (at >= 0 && at + size <= this.bytes.length) return this.bytes.subarray(at, at + size);
    if (size >= READ_SIZE) return readAt(this.fd, offset, size);
    this.start = offset;
    this.bytes = readAt(this.fd, offset, READ_SIZE);
    return this.bytes.subarray(0, size);
  }
}

const placesOf = (fd: number, path: string, reader = new ForwardReader(fd)): Generator<GamePlace> => {
  const found = fstatSync(fd);
  if (found.isDirectory()) throw new LepantoError('record', `${path}: got a directory, wanted a file of games`);
  return placesIn((offset, size) => reader.read(offset, size), found.size, path);
};

/**
 * Yields the games of a shard, one at a time. `bytes`: the game, for decodeGame(). `where`: name of the game for error
 * messages ('games-00000.lep at offset 8'). `end`: offset after the game.
 * @param path path of the shard
 * @throws LepantoError if the file cannot be opened; or, after yielding the games before the fault, for a wrong magic
 *   number, version or length
 */
export function* gamesOfShard(path: string) {
  const fd = openToRead(path);
  try {
    const reader = new ForwardReader(fd);
    for (const { offset, length } of placesOf(fd, path, reader))
      yield {
        bytes: reader.read(offset, length),
        where: `${path} at offset ${offset - LENGTH_SIZE}`,
        end: offset + length,
      };
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the byte ranges of the games of a shard, without decoding them.
 * @param path path of the shard
 * @throws LepantoError if the file cannot be opened, or for a wrong magic number, version or length
 */
export const placesOfShard = (path: string): GamePlace[] => reading(path, (fd) => [...placesOf(fd, path)]);

/** Reads a byte range of a file. @throws LepantoError that names the file, if it cannot be read or is too short */
export const readPlace = (path: string, { offset, length }: GamePlace): Buffer => {
  const bytes = reading(path, (fd) => readAt(fd, offset, length));
  if (bytes.length === length) return bytes;
  throw new LepantoError('file', `${path} at offset ${offset}: got ${bytes.length} bytes, wanted ${length}`);
};

/** Computes the CRC-32 of the first `size` bytes of an open file, piece by piece. @param fd file descriptor */
export const crcOf = (fd: number, size: number): number => {
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
