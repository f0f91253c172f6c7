// Writes and reads reports of workers. Each worker reports its speed and any trouble every second.
//
//   lepanto:workers        ids of workers
//   lepanto:worker:ID      report of a worker, which expires after ten seconds
import { fields, listOf, numberIn, orElse, text, wholeNumber } from '../../../engine/rules/shape.js';
import { KEY_PREFIX } from './redis-link.js';

/**
 * Methods of a RedisLink that this file uses. The type RedisLink itself needs the types of ioredis, which programs may
 * not have installed.
 */
interface Connection {
  readonly command: (name: string, ...rest: readonly (string | number)[]) => Promise<unknown>;
  readonly texts: (name: string, ...rest: readonly (string | number)[]) => Promise<string[]>;
}

const WORKERS_KEY = `${KEY_PREFIX}:workers`;
const LIFETIME_SECONDS = 10;

const keyOf = (id: string): string => `${KEY_PREFIX}:worker:${id}`;

/** Report of a worker about itself. */
export interface MachineReport {
  /** Unique id of the worker. */
  readonly id: string;
  /** Host name of the worker's machine. */
  readonly machine: string;
  /** Number of worker threads. */
  readonly threads: number;
  /** Version of Lepanto that the worker runs. */
  readonly version: string;
  /** Hash of the code that plays games, from codeHash(). */
  readonly code: string;
  /** Names of the queues that the worker serves. */
  readonly queues: readonly string[];
  /** Number of tasks that the worker plays or has taken. */
  readonly playing: number;
  /** Number of games that the worker has played. */
  readonly games: number;
  /** Games per second over the last seconds. */
  readonly gamesPerSecond: number;
  /** Reason why the worker takes no tasks; null if there is no trouble. */
  readonly trouble: string | null;
}

export const reportMachine = async (link: Connection, report: MachineReport): Promise<void> => {
  await link.command('SET', keyOf(report.id), JSON.stringify(report), 'EX', LIFETIME_SECONDS);
  await link.command('SADD', WORKERS_KEY, report.id);
};

export const withdrawMachine = async (link: Connection, id: string): Promise<void> => {
  await link.command('DEL', keyOf(id));
  await link.command('SREM', WORKERS_KEY, id);
};

const machineReport = fields<MachineReport>({
  id: text,
  machine: text,
  threads: wholeNumber(0),
  version: text,
  code: text,
  queues: listOf(text, 0, 10_000),
  playing: wholeNumber(0),
  games: wholeNumber(0),
  gamesPerSecond: numberIn(0),
  trouble: orElse(text, null),
});

/** Parses a report from Redis. Returns a list with it, or an empty list if the content is not a report. */
const readReport = (content: string | null): MachineReport[] => {
  try {
    return content === null ? [] : [machineReport(JSON.parse(content), 'machine')];
  } catch {
    return [];
  }
};

/** Returns the reports of live workers, sorted by id. Removes silent workers from the list in Redis. */
export const readMachines = async (link: Connection): Promise<MachineReport[]> => {
  const ids = await link.texts('SMEMBERS', WORKERS_KEY);
  if (ids.length === 0) return [];
  const answers = (await link.command('MGET', ...ids.map(keyOf))) as (string | null)[];
  const silent = ids.filter((_, i) => answers[i] === null);
  if (silent.length > 0) await link.command('SREM', WORKERS_KEY, ...silent);
  return answers.flatMap(readReport).sort((a, b) => (a.id < b.id ? -1 : 1));
};
