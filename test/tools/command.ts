// What tests of commands need: the compiled command line, a run of it, and folders that go when the process ends.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';

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

/** Runs a program of dist/ by its path there, and waits for its end. */
export const runScript = (path: string, args: readonly string[], options: SpawnSyncOptions = {}): Ended => {
  const script = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const all = { timeout: 600_000, maxBuffer: 1 << 28, ...options, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], all);
  return { code: status, out: stdout, err: stderr };
};

/** Runs `lepanto`, and waits for its end. */
export const runLepanto = (args: readonly string[], options: SpawnSyncOptions = {}): Ended =>
  runScript('bindings/cli/lepanto.js', args, options);

/** The words of a command as a shell reads it; quotes are single. */
export const wordsOf = (command: string): string[] =>
  Array.from(command.matchAll(/'([^']*)'|([^\s']+)/g), ([, quoted, plain]) => quoted ?? plain);

let calls = 0;

/**
 * Runs `lepanto` in this process, one command at a time: the same code and exit code without the start of a process,
 * which takes longer than most commands. Not for what ends the process, or keeps it running.
 */
export const callLepanto = async (args: readonly string[], input = ''): Promise<Ended> => {
  const { argv, exitCode, stdin, stdout, stderr } = process;
  const writes = [stdout.write, stderr.write];
  const written: Buffer[][] = [[], []];
  const keep = (into: Buffer[]) => (chunk: string | Uint8Array) => into.push(Buffer.from(chunk)) > 0;
  const known = [stdout, stderr].map((stream) => stream.listeners('error'));
  process.argv = [process.execPath, entry, ...args];
  Object.defineProperty(process, 'stdin', { value: new PassThrough().end(input), configurable: true });
  [stdout.write, stderr.write] = written.map(keep);
  try {
    await import(`${pathToFileURL(entry)}?${calls++}`);
    const [out, err] = written.map((chunks) => Buffer.concat(chunks).toString());
    return { code: Number(process.exitCode), out, err };
  } finally {
    [stdout.write, stderr.write] = writes;
    for (const [i, stream] of [stdout, stderr].entries())
      for (const listener of stream.listeners('error'))
        if (!known[i].includes(listener)) stream.off('error', listener as () => void);
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    process.argv = argv;
    process.exitCode = exitCode;
  }
};

/** The bytes of the files in a folder by name. @param but is left out: a manifest, which names a version of Node */
export const contentsOf = (folder: string, but?: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== but)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
