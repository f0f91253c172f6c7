// Runs the benchmark on every machine that serves a queue (lepanto bench --queue).
//
//   lepanto:bench            the latest request
//   lepanto:bench:ID:HOST    set by the worker of the host that has taken the request
//   lepanto:bench:ID         reports, keyed by host

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LepantoError } from '../../../engine/rules/error.js';
import { fields, listOf, oneOf, text, textLike } from '../../../engine/rules/shape.js';
import { codeHash } from './code-hash.js';
import { readMachines } from './machines.js';
import { KEY_PREFIX, type RedisLink } from './redis-link.js';

const REQUEST_KEY = `${KEY_PREFIX}:bench`;
const LIFETIME_SECONDS = 600;
const LOOK_MS = 500;
const MOST_OUTPUT = 1 << 24;

const entry = fileURLToPath(new URL('../../cli/lepanto.js', import.meta.url));

interface MeasureRequest {
  readonly id: string;
  readonly code: string;
  readonly args: readonly string[];
}

/** Options of lepanto bench that a request may use. None of them writes a file. */
const flags = ['--quick', '--full', '--smoke'] as const;

const measureRequest = fields<MeasureRequest>({
  id: textLike(/^[0-9a-f]{12}$/, '12 hexadecimal digits'),
  code: text,
  args: listOf(oneOf(flags), 0, flags.length),
});

const readRequest = (content: string): MeasureRequest | null => {
  try {
    return measureRequest(JSON.parse(content), 'request');
  } catch {
    return null;
  }
};

/**
 * Takes the benchmark request that waits for this host. Returns null if there is none for this code, or if another
 * worker of the host has taken it. Called by a worker.
 */
export const takeRequest = async (link: RedisLink, host: string): Promise<MeasureRequest | null> => {
  const text = await link.command('GET', REQUEST_KEY);
  if (typeof text !== 'string') return null;
  const request = readRequest(text);
  if (request?.code !== codeHash()) return null;
  const key = `${REQUEST_KEY}:${request.id}:${host}`;
  const isMine = (await link.command('SET', key, '1', 'NX', 'EX', LIFETIME_SECONDS)) === 'OK';
  return isMine ? request : null;
};

/**
 * Runs the benchmark on this machine and writes its report to Redis; if the benchmark fails, an error in its place.
 * Called by a worker that plays no tasks meanwhile.
 */
export const measureHere = async (link: RedisLink, host: string, { id, args }: MeasureRequest): Promise<void> => {
  const command = [entry, 'bench', ...args, '--json', '--quiet'];
  const report = await promisify(execFile)(process.execPath, command, { maxBuffer: MOST_OUTPUT }).then(
    ({ stdout }) => stdout,
    (error: Error) => JSON.stringify({ error: error.message }),
  );
  await link.command('HSET', `${REQUEST_KEY}:${id}`, host, report);
  await link.command('EXPIRE', `${REQUEST_KEY}:${id}`, LIFETIME_SECONDS);
};

export interface MachineMeasure {
  readonly machine: string;
  readonly report: unknown;
}

/**
 * Asks every host whose workers have this code to run the benchmark, and waits for the reports. Does not wait for hosts
 * whose workers end, nor after the signal is aborted.
 * @param args further options of lepanto bench
 * @param onReport called with the report of each host
 * @throws LepantoError if no worker has this code
 */
export const measureMachines = async (
  link: RedisLink,
  args: readonly string[],
  onReport: (measure: MachineMeasure) => void,
  signal: AbortSignal,
): Promise<void> => {
  const all = await readMachines(link);
  const hosts = new Set(all.filter(({ code }) => code === codeHash()).map(({ machine }) => machine));
  if (hosts.size === 0)
    throw new LepantoError('queue', `queue: got ${all.length} workers, wanted one with the code ${codeHash()}`);
  const id = randomBytes(6).toString('hex');
  const request: MeasureRequest = { id, code: codeHash(), args };
  await link.command('SET', REQUEST_KEY, JSON.stringify(request), 'EX', LIFETIME_SECONDS);
  const end = performance.now() + 1000 * LIFETIME_SECONDS;
  while (hosts.size > 0 && !signal.aborted && performance.now() < end) {
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
    const alive = new Set((await readMachines(link)).map(({ machine }) => machine));
    for (const machine of [...hosts]) {
      const text = await link.command('HGET', `${REQUEST_KEY}:${id}`, machine);
      if (typeof text === 'string') onReport({ machine, report: JSON.parse(text) });
      if (typeof text === 'string' || !alive.has(machine)) hosts.delete(machine);
    }
  }
  await link.command('DEL', REQUEST_KEY);
};
