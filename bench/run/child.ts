// Runs processes and collects their output. Runs files of the benchmark as scripts.
import { type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasCode } from '../../engine/rules/error.js';

/**
 * Result of a process: exit code (`code`, null after a signal), signal, standard output (`output`) and standard error
 * (`errors`).
 */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a process and resolves when it has ended, whatever its exit code is.
 * @param options environment of the process, and a signal that ends it and rejects the promise
 * @throws Error if the process cannot be started
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
    // 'close' follows the end of a stopped process, but not a failed start, which must reject here.
    let trouble: Error | null = null;
    child.on('error', (error) => {
      trouble = error;
      if (child.pid === undefined) reject(error);
    });
    child.on('close', (code, signal) =>
      trouble === null ? resolve({ code, signal, output, errors }) : reject(trouble),
    );
  });

/**
 * Runs a compiled script in a separate process and resolves to the JSON that it prints. The process has its own folder
 * for temporary files, which is removed afterwards.
 * @param stop aborted to end the process and reject the promise
 * @param node path of the Node that runs the script
 * @throws Error with the output to stderr if the process fails
 */
export const runScript = async <T>(
  url: URL,
  args: readonly string[],
  stop?: AbortSignal,
  node: string = process.execPath,
): Promise<T> => {
  const script = fileURLToPath(url);
  const folder = mkdtempSync(join(tmpdir(), 'lepanto-bench-'));
  const options = { env: { ...process.env, TMPDIR: folder }, ...(stop === undefined ? {} : { signal: stop }) };
  try {
    const { code, signal, output, errors } = await runChild(node, [script, ...args], options);
    if (code === 0) return JSON.parse(output);
    throw new Error(`${basename(script)} ended with ${signal ?? `code ${code}`}: ${errors.trim().slice(-2000)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Calls main() with the command-line arguments if the module is the started script. Prints an error as one line, and
 * sets exit code 2 for wrong arguments and 1 for other errors.
 * @param url import.meta.url of the module
 */
export const runMain = async (url: string, main: (args: string[]) => unknown): Promise<void> => {
  if (url !== pathToFileURL(process.argv[1] ?? '').href) return;
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(`bench/${basename(url, '.js')}: ${(error as Error).message}`);
    process.exitCode = hasCode(error, 'usage') ? 2 : 1;
  }
};
