// Checks the Node given by `lepanto bench --node PATH`.
import { execFile } from 'node:child_process';

/** A Node to measure. */
export interface MeasuredNode {
  /** Path of the executable. */
  readonly path: string;
  /** Version, as in `process.version`: 'v22.20.0'. */
  readonly version: string;
}

/** The Node that runs this process. */
export const thisNode: MeasuredNode = { path: process.execPath, version: process.version };

/** Oldest supported Node, as major and minor version. Must agree with package.json. */
const LEAST = [20, 19] as const;
const WANTED = `wanted Node ${LEAST.join('.')} or later`;

/** Time limit for printing the version, in milliseconds. Node takes a few. */
const ANSWER_MS = 10_000;
const MOST_BYTES = 4096;
const SHOWN = 40;

/**
 * Returns the first line that a program prints for --version. Rejects with an Error that gives the reason if the
 * program fails.
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
 * Returns a Node after checking its version.
 * @param path path of its executable
 * @throws Error "got X, wanted Y" unless the program is a supported Node
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
