// What tests of commands need: the compiled command line, and folders that go when the process ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The compiled `lepanto`. */
export const entry = fileURLToPath(new URL('../../bindings/cli/lepanto.js', import.meta.url));

/** A new folder; it is removed when the process ends. */
export const makeFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `lepanto-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
