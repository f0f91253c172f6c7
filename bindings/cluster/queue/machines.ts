// Tells who plays: every worker says each second that it is alive, how fast it plays, and what troubles it.
//
//   lepanto:workers        ids of workers
//   lepanto:worker:ID      its report, for ten seconds
import { fields, listOf, numberIn, orElse, text, wholeNumber } from '../../../engine/rules/shape.js';
import { KEY_PREFIX } from './redis-link.js';

/** What is needed of a connection. Not a RedisLink: its types are those of ioredis, which programs need not have installed. */
interface Connection {
  readonly command: (name: string, ...rest: readonly (string | number)[]) => Promise<unknown>;
  readonly texts: (name: string, ...rest: readonly (string | number)[]) => Promise<string[]>;
}

const WORKERS_KEY = `${KEY_PREFIX}:workers`;
const LIFETIME_SECONDS = 10;

const keyOf = (id: string): string => `${KEY_PREFIX}:worker:${id}`;

/** What a worker says about itself. */
export interface MachineReport {
  /** Of this worker alone. */
  readonly id: string;
  /** Name of the host. */
  readonly machine: string;
  /** Worker threads. */
  readonly threads: number;
  /** Of Lepanto. */
  readonly version: string;
  /** Hash of the code that plays. */
  readonly code: string;
  /** Queues that it serves. */
  readonly queues: readonly string[];
  /** Tasks that it plays or has taken. */
  readonly playing: number;
  /** Games that it has played. */
  readonly games: number;
  /** Over its last seconds. */
  readonly gamesPerSecond: number;
  /** Why it takes no tasks; null if nothing is wrong. */
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

/** A report as it was written; nothing for what is none. */
const readReport = (content: string | null): MachineReport[] => {
  try {
    return content === null ? [] : [machineReport(JSON.parse(content), 'machine')];
  } catch {
    return [];
  }
};

/** The workers that are alive, by name. Those that have fallen silent are forgotten. */
export const readMachines = async (link: Connection): Promise<MachineReport[]> => {
  const ids = await link.texts('SMEMBERS', WORKERS_KEY);
  if (ids.length === 0) return [];
  const answers = (await link.command('MGET', ...ids.map(keyOf))) as (string | null)[];
  const silent = ids.filter((_, i) => answers[i] === null);
  if (silent.length > 0) await link.command('SREM', WORKERS_KEY, ...silent);
  return answers.flatMap(readReport).sort((a, b) => (a.id < b.id ? -1 : 1));
};
