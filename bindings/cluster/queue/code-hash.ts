// Hashes the code that plays, so that machines with different code never share a run.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RECORD_VERSION } from '../../../selfplay/records/record-writer.js';
import { lepantoVersion } from '../../../selfplay/version.js';

const built = fileURLToPath(new URL('../../../', import.meta.url));
/** Folders of the code that determines the bytes of records and of messages. */
const folders = ['engine', 'selfplay', join('bindings', 'cluster', 'queue'), join('bindings', 'protocols', 'bots')];

const filesOf = (folder: string): string[] =>
  readdirSync(join(built, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort();

let hash: string | undefined;

/**
 * Returns the first twelve hexadecimal digits of a SHA-256 over the code in `folders`, the version and the record
 * format.
 */
export const codeHash = (): string => {
  if (hash !== undefined) return hash;
  const sum = createHash('sha256').update(`${lepantoVersion} ${RECORD_VERSION}\n`);
  for (const folder of folders)
    for (const name of filesOf(folder)) sum.update(`${name}\n`).update(readFileSync(join(built, name)));
  hash = sum.digest('hex').slice(0, 12);
  return hash;
};

export const queuePrefix = (): string => `games-${lepantoVersion}-${codeHash()}`;
