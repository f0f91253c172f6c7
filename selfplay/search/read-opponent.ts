// Reads files of named opponents (opponent-file.ts) from the disk.
import { readFileSync, statSync } from 'node:fs';
import { LepantoError } from '../../engine/rules/error.js';
import { fileHash } from '../question/file-hash.js';
import { parseOpponent } from './opponent-file.js';
import type { NamedOpponent } from './opponent-parameters.js';

/** Maximum size of a file in bytes. Usual files have a few thousand. */
const MOST_BYTES = 1 << 16;

/** The contents and hash of a file of a named opponent. */
export interface OpponentFile {
  /** Parameters of the opponent. */
  readonly opponent: NamedOpponent;
  /** First 12 hexadecimal digits of the SHA-256 of the file. */
  readonly hash: string;
}

const WANTED = 'wanted a file of bench/strength/fit-opponent';

const bytesOf = (path: string): Buffer => {
  const refuse = (got: string): never => {
    throw new LepantoError('file', `${path}: got ${got}, ${WANTED}`);
  };
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return refuse('no file');
  // Devices and pipes may never end.
  if (!found.isFile()) return refuse('no regular file');
  if (found.size > MOST_BYTES) return refuse(`${found.size} bytes`);
  try {
    return readFileSync(path);
  } catch (error) {
    return refuse(`the error ${(error as NodeJS.ErrnoException).code}`);
  }
};

/**
 * Reads a file of a named opponent.
 * @param path path of the file
 * @param hash hash that the file must have; '' for any
 * @throws LepantoError with the path if the file is missing, unreadable or invalid, or has another hash
 */
export const readOpponent = (path: string, hash = ''): OpponentFile => {
  const bytes = bytesOf(path);
  const found = fileHash(bytes);
  if (hash !== '' && hash !== found)
    throw new LepantoError('file', `${path}: got a file with hash ${found}, wanted ${JSON.stringify(hash)}`);
  return { opponent: parseOpponent(bytes.toString('utf8'), path), hash: found };
};
