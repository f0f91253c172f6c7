// Runs a process to its end and collects what it prints.
import { type SpawnOptions, spawn } from 'node:child_process';

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Resolves when the process has ended, however it did.
 * @param options its environment, and a signal that ends it and rejects the promise
 * @throws Error if it cannot be started
 */
export const runChild = (
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'env' | 'signal'> = {},
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, output, errors }));
  });
