// A command in a process of its own, and the most memory that it had.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { entry } from './command.js';

export interface Watched {
  /** Null if it was ended by a signal, or by the limit. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
  /** Resident, as the system counts it; 0 where there is no /proc. */
  readonly megabytes: number;
}

export interface WatchOptions {
  readonly cwd?: string;
  /** The compiled command; default: the one of this tree. */
  readonly lepanto?: string;
  /** After this it is killed. Default: 300. */
  readonly seconds?: number;
  /** Writes its input, and ends it. Default: there is none. */
  readonly feed?: (child: ChildProcess) => void;
  /** Bytes of output that are kept. */
  readonly keep?: number;
  /** A full disk, or a pipe that nobody reads, in place of one that is read. */
  readonly output?: 'full' | 'closed';
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const LOOK_MS = 20;

/** Most resident memory that a process has had, in MB; 0 where there is no /proc. */
export const peakOf = (pid: number): number => {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
};

/** Runs lepanto, and looks at it every few milliseconds. */
export const runWatched = async (args: readonly string[], options: WatchOptions = {}): Promise<Watched> => {
  const { cwd, lepanto = entry, seconds = 300, feed, keep = 1 << 24, output, env = {} } = options;
  const full = output === 'full' ? openSync('/dev/full', 'w') : null;
  const begin = performance.now();
  const child = spawn(process.execPath, [lepanto, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    stdio: [feed === undefined ? 'ignore' : 'pipe', full ?? 'pipe', 'pipe'],
  });
  if (full !== null) closeSync(full);
  if (output === 'closed') child.stdout?.destroy();
  let out = '';
  let err = '';
  let megabytes = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (out.length < keep) out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (err.length < keep) err += text;
  });
  const look = setInterval(() => {
    megabytes = Math.max(megabytes, peakOf(child.pid ?? 0));
  }, LOOK_MS);
  const limit = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
  // A command that has read enough closes its input.
  child.stdin?.on('error', () => {});
  feed?.(child);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(look);
  clearTimeout(limit);
  return { code, out, err, seconds: (performance.now() - begin) / 1000, megabytes };
};
