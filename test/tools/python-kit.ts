// Runs programs, and makes environments of Python, for tests of the Python package.
import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from './data.js';

/** How a program ended, and what it wrote. */
export type Ran = SpawnSyncReturns<string>;

/** Runs a program in the repository, or where the options say, and waits for its end. */
export const runProgram = (command: string, args: readonly string[], options: SpawnSyncOptions = {}): Ran =>
  spawnSync(command, args, { cwd: root, timeout: 500_000, maxBuffer: 1 << 28, ...options, encoding: 'utf8' });

/** The last lines that a program wrote. */
export const lastLines = ({ stdout, stderr, error }: Ran): string =>
  error?.message ?? `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-12).join('\n');

/** Standard output of a program, which must have succeeded. */
export const outputOf = (ran: Ran, about = ''): string => {
  assert.is(ran.status, 0, `${about} ${lastLines(ran)}`);
  return ran.stdout;
};

/** An environment: its Python, and how the pip of the Python that made it installs into it. */
export interface Environment {
  readonly python: string;
  /** Most of what is installed is never loaded: it is not compiled. */
  readonly pip: (...args: readonly string[]) => Ran;
}

/** Makes an environment without a pip of its own, which takes longer to install than most packages. */
export const makeEnvironment = (folder: string, maker = 'python3', options: SpawnSyncOptions = {}): Environment => {
  const made = runProgram(maker, ['-m', 'venv', '--without-pip', folder], options);
  const python = join(folder, 'bin/python');
  if (made.status !== 0 || !existsSync(python)) throw new Error(`no python3 with venv: ${lastLines(made)}`);
  const how = ['-m', 'pip', '--python', python, 'install', '--quiet', '--disable-pip-version-check', '--no-compile'];
  return { python, pip: (...args) => runProgram(maker, [...how, ...args], options) };
};

/** What a function returns, or null and the message of its error. */
export const tryTo = <T>(make: () => T): [made: T, missing: ''] | [made: null, missing: string] => {
  try {
    return [make(), ''];
  } catch (error) {
    return [null, (error as Error).message];
  }
};

/** Prints why the tests of a suite do not run: test/run.ts repeats it after all tests. */
export const skipAll = (tests: Test, what: string, missing: string): void => {
  process.stdout.write(`SKIPPED: ${what}: ${missing}\n`);
  tests('says why it was skipped', () => assert.is.not(missing, ''));
};
