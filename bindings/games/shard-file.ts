// Reads the games of a shard one at a time: a converted file may hold more than fit into memory.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { encodeShard, splitShard } from '../../selfplay/records/record.js';

const HEADER_SIZE = encodeShard([]).length;
const LENGTH_SIZE = 4;
/** A game of a thousand years has a few megabytes. */
const MAX_GAME = 1 << 26;

/** A game as decodeGame() reads it. */
export interface ShardGame {
  readonly bytes: Uint8Array;
  /** 'games-00000.lep at offset 8' */
  readonly where: string;
  /** Offset of the next game. */
  readonly end: number;
}

const readAt = (fd: number, offset: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const n = readSync(fd, bytes, done, size - done, offset + done);
    if (n === 0) break;
    done += n;
  }
  return bytes.subarray(0, done);
};

/** @throws RangeError as splitShard() does, with the offset, after yielding the games before it */
export function* gamesOfShard(path: string): Generator<ShardGame> {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    splitShard(readAt(fd, 0, HEADER_SIZE), path);
    for (let offset = HEADER_SIZE; offset < size; ) {
      const where = `${path} at offset ${offset}`;
      const head = readAt(fd, offset, LENGTH_SIZE);
      const rest = size - offset - LENGTH_SIZE;
      const length = head.length === LENGTH_SIZE ? head.readUInt32LE() : 0;
      const most = Math.min(rest, MAX_GAME);
      if (length === 0 || length > most)
        throw new RangeError(`${where}, length of a game: got ${length}, wanted 1 to ${Math.max(1, most)}`);
      const bytes = readAt(fd, offset + LENGTH_SIZE, length);
      offset += LENGTH_SIZE + length;
      yield { bytes, where, end: offset };
    }
  } finally {
    closeSync(fd);
  }
}
