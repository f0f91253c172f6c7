// What tests of commands need: the compiled command line, a run of it, and folders that go when the process ends.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

/** Makes up names of folders that are not there yet, in one that is removed when the process ends. */
export const makePlaces = (name: string): (() => string) => {
  const root = makeFolder(name);
  let made = 0;
  return () => join(root, String(made++));
};

/** How a command ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `lepanto`, and waits for its end. */
export const runLepanto = (args: readonly string[], options: SpawnSyncOptions = {}): Ended => {
  const all = { timeout: 600_000, maxBuffer: 1 << 28, ...options, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], all);
  return { code: status, out: stdout, err: stderr };
};

/** The bytes of the files in a folder by name. @param but is left out: a manifest, which names a version of Node */
export const contentsOf = (folder: string, but?: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== but)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
