// Computes short hashes of content, such as a file that an agent reads (option `hash=` of the agent).
import { createHash } from 'node:crypto';

/** Returns the first hexadecimal digits of the SHA-256 of some content. @param digits number of digits, at most 64 */
export const contentHash = (content: string | Uint8Array, digits = 16): string =>
  createHash('sha256').update(content).digest('hex').slice(0, digits);

/** Returns the first 12 hexadecimal digits of the SHA-256 of a file's bytes. */
export const fileHash = (bytes: Uint8Array): string => contentHash(bytes, 12);
