// Checks the Node that `lepanto bench --node PATH` measures with.
import { execFile } from 'node:child_process';

/** A Node whose processes are measured. */
export interface MeasuredNode {
  /** Its executable. */
  readonly path: string;
  /** As `process.version` has it: 'v22.20.0'. */
  readonly version: string;
}

/** The Node that runs this process. */
export const thisNode: MeasuredNode = { path: process.execPath, version: process.version };

/** Oldest Node that Lepanto runs on: major and minor version, as package.json has them. */
const LEAST = [20, 19] as const;
const WANTED = `wanted Node ${LEAST.join('.')} or later`;

/** A Node prints its version in some milliseconds. */
const ANSWER_MS = 10_000;
const MOST_BYTES = 4096;
const SHOWN = 40;

/**
 * Returns the first line that a program prints when it is asked for its version.
 * @throws Error that says why it has none
 */
const versionOf = (path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: ANSWER_MS, maxBuffer: MOST_BYTES, killSignal: 'SIGKILL' } as const;
    execFile(path, ['--version'], options, (error, output) => {
      if (error === null) resolve(output.split('\n')[0].trim());
      else if (error.killed) reject(new Error(`no answer within ${ANSWER_MS / 1000} s`));
      else reject(new Error(typeof error.code === 'number' ? `exit code ${error.code}` : String(error.code)));
    });
  });

/**
 * Asks a program for its version.
 * @throws Error "got X, wanted Y" unless it is a Node that Lepanto runs on
 */
export const nodeAt = async (path: string): Promise<MeasuredNode> => {
  const version = await (path === '' ? Promise.reject(new Error('no name')) : versionOf(path)).catch((error: Error) => {
    throw new Error(`got "${path}" (${error.message}), ${WANTED}`);
  });
  const found = /^v(\d+)\.(\d+)\.\d+(?:-[\w.+-]+)?$/.exec(version);
  if (found === null) throw new Error(`got "${path}", which is "${version.slice(0, SHOWN)}", ${WANTED}`);
  const [major, minor] = [Number(found[1]), Number(found[2])];
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
    throw new Error(`got Node ${version} at "${path}", ${WANTED}`);
  return { path, version };
};
