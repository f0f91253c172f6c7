// Starts `lepanto` in the background, and waits for what must happen.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { entry } from './command.js';

/** Long enough for any machine: only a fault takes longer. */
const PATIENCE_MS = 300_000;

/** Resolves once a condition holds. @throws Error that names it if it never does */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await setTimeout(20))
    if (await holds()) return;
  throw new Error(`waited ${PATIENCE_MS} ms for ${what}`);
};

/** A command at work. */
export interface Running {
  readonly child: ChildProcess;
  out: string;
  err: string;
  /** Its exit code, or the name of the signal that has ended it. */
  readonly ended: Promise<number | string>;
}

/** Commands that have not ended. */
export const running = new Set<ChildProcess>();

/** Starts `lepanto` with these arguments. @param wrap a command that runs it, with its own arguments */
export const start = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  { wrap = [], cwd = process.cwd() }: { readonly wrap?: readonly string[]; readonly cwd?: string } = {},
): Running => {
  const [command = '', ...rest] = [...wrap, process.execPath, entry, ...args];
  const env = { ...process.env, ...environment };
  const child = spawn(command, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal ?? '');
    });
  });
  const one: Running = { child, out: '', err: '', ended };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    one.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    one.err += text;
  });
  return one;
};

/** Waits for a condition while a command runs. @throws AssertionError if the command ends before it holds */
export const during = async (holds: () => boolean, one: Running): Promise<void> => {
  await until('a command', () => holds() || one.child.exitCode !== null);
  assert.ok(holds(), `exit code ${one.child.exitCode}: ${one.err}`);
};

/** The lines of an output, the last of which may lack its end. */
export const linesIn = (out: string): string[] => out.trim().split('\n');

/** Starts a command that serves pages, and waits for the address that it prints: ['view', 'runs']. */
export const startServer = async (
  args: readonly string[],
  cwd: string,
): Promise<{ readonly child: ChildProcess; readonly address: string }> => {
  const one = start(args, {}, { cwd });
  await until('an address', () => one.out.includes('\n'));
  return { child: one.child, address: one.out.trim() };
};

/** Ends all commands that have not ended. */
export const killRunning = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
