// Computes the hash of a file that an agent reads, for the option `hash=` of the agent.
import { createHash } from 'node:crypto';

const DIGITS = 12;

/** Returns the first 12 hexadecimal digits of the SHA-256 of a file's bytes. */
export const fileHash = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, DIGITS);
