// Code of users in a worker thread. What the thread asks it for is noted in shared memory, so that others can say so if the
// thread hangs or ends there: its heartbeat. What the code does outside its answers is collected as warnings.
//
//   word 0    counted up when such code begins, and when it has come back: odd while it runs
//   word 1    bytes of the text behind it: 'agent ./mine.mjs for FRANCE in S1901M of game 12'
//   word 2    number of the thread
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { threadId } from 'node:worker_threads';
import { printToStderr } from './streams.js';

const BEAT = 0;
const LENGTH = 1;
const THREAD = 2;
const WORDS = 3;
const TEXT = 4 * WORDS;
const SIZE = 1024;

export type Heartbeat = SharedArrayBuffer;

export const makeHeartbeat = (): Heartbeat => new SharedArrayBuffer(SIZE);

/** A task that has not begun has thread 0, one that has run no code of a user the text ''. */
export const readHeartbeat = (heartbeat: Heartbeat) => {
  const words = new Int32Array(heartbeat, 0, WORDS);
  const beat = Atomics.load(words, BEAT);
  const text = Buffer.from(heartbeat, TEXT, words[LENGTH]).toString();
  return { text, isRunning: (beat & 1) === 1, beat, thread: words[THREAD] };
};

/** What choices of code of a user gave and took. Times are by the clock: they depend on the machine. */
export interface Use {
  /** Orders given, whether they counted or not. */
  readonly orders: number;
  /** What the choices cost, as far as the bot says; null if it never does. */
  readonly cost: number | null;
  /** In what that is counted; '' if the bot does not say. */
  readonly unit: string;
  /** Tokens that language models read and wrote, as far as the bot says; null if it never does. */
  readonly tokens: number | null;
  /** Seconds of all choices. */
  readonly seconds: number;
  /** Seconds of the slowest one. */
  readonly slowest: number;
}

const addAmounts = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

export const addUse = (a: Use, b: Use): Use => ({
  orders: a.orders + b.orders,
  cost: addAmounts(a.cost, b.cost),
  tokens: addAmounts(a.tokens, b.tokens),
  unit: a.unit === '' ? b.unit : a.unit,
  seconds: a.seconds + b.seconds,
  slowest: Math.max(a.slowest, b.slowest),
});

/** Something that code of a user did outside what it was asked for. */
export interface AgentWarning {
  /** Name of the agent, as it was given. */
  readonly agent: string;
  /**
   * It threw where nothing could catch it, left a rejected promise without a handler, or drew from Math.random. A bot in a process of
   * its own gave an order that does not count, did not answer in time, ended, or answered something else. No fault is
   * 'asked': a choice of such a bot, whose name for itself is `what`, or of a module.
   */
  readonly kind: 'thrown' | 'rejected' | 'chance' | 'illegal' | 'unsaid' | 'silent' | 'ended' | 'garbled' | 'asked';
  /** How often. */
  readonly count: number;
  /** The first one. */
  readonly what: string;
  /** Of 'asked'. */
  readonly use?: Use;
}

/** Warnings of one kind, of one agent. */
export const joinWarnings = (a: AgentWarning, b: AgentWarning): AgentWarning => ({
  ...a,
  count: a.count + b.count,
  ...(a.use !== undefined && b.use !== undefined && { use: addUse(a.use, b.use) }),
});

let words: Int32Array | null = null;
let text: Buffer = Buffer.alloc(0);
/** Agents whose code this thread has loaded, and the one that it is asking. */
const loaded: string[] = [];
let asked: string | null = null;
const warnings = new Map<string, AgentWarning>();

/** In a thread, when a task begins: what it asks code of users for will be seen here. */
export const openHeartbeat = (heartbeat: Heartbeat): void => {
  words = new Int32Array(heartbeat, 0, WORDS);
  text = Buffer.from(heartbeat, TEXT);
  words[THREAD] = threadId;
};

/** Before code of a user is asked for something. @param what as a message names it: 'agent x for FRANCE in S1901M' */
export const enterCode = (agent: string, what: string): void => {
  asked = agent;
  if (words === null) return;
  words[LENGTH] = text.write(what);
  Atomics.store(words, BEAT, (words[BEAT] + 1) | 1);
};

export const leaveCode = (): void => {
  asked = null;
  if (words !== null) Atomics.store(words, BEAT, (words[BEAT] | 1) + 1);
};

const MOST_LETTERS = 300;

const cut = (message: string): string =>
  message.length > MOST_LETTERS ? `${message.slice(0, MOST_LETTERS)}...` : message;

const describeError = (error: Error): string => {
  const message = String(error.message);
  return cut(message === '' ? String(error.name) : `${String(error.name)}: ${message}`);
};

/** Anything that can be thrown, for a message. It may be made to throw when it is looked at. */
export const describeThrown = (thrown: unknown): string => {
  try {
    if (thrown instanceof Error) return describeError(thrown);
    if (typeof thrown === 'string') return cut(JSON.stringify(thrown));
    return typeof thrown === 'object' && thrown !== null ? 'an object' : cut(String(thrown));
  } catch {
    return 'something that cannot be described';
  }
};

/** ' (mine.mjs:12:5)': where in a module an error comes from; '' if that cannot be seen. */
export const placeIn = (module: string, thrown: unknown): string => {
  try {
    const { stack } = thrown as Error;
    const { href } = pathToFileURL(module);
    const [, place] = String(stack).split(`${href}:`);
    return place === undefined ? '' : ` (${basename(module)}:${/^[\d:]+/.exec(place)?.[0] ?? ''})`;
  } catch {
    return '';
  }
};

const originOf = (thrown: unknown): string =>
  loaded.find((agent) => placeIn(agent, thrown) !== '') ?? asked ?? loaded.join(' or ');

/** @param use of 'asked' */
export const warn = (kind: AgentWarning['kind'], agent: string, what: string, use?: Use): void => {
  const key = `${kind} ${agent}`;
  const known = warnings.get(key);
  const one: AgentWarning = { agent, kind, count: 1, what, ...(use !== undefined && { use }) };
  warnings.set(key, known === undefined ? one : joinWarnings(known, one));
};

export const takeWarnings = (): AgentWarning[] => {
  const taken = [...warnings.values()];
  warnings.clear();
  return taken;
};

/** Timers that were set for no time at all are due after this. */
const SOON_MS = 2;

/** Lets code of users come to what it has put off, as far as that is due: between tasks a thread sleeps. */
export const settleCode = (): Promise<void> | null => {
  if (loaded.length === 0) return null;
  const hasTimers = process.getActiveResourcesInfo().includes('Timeout');
  return new Promise((resolve) => (hasTimers ? setTimeout(resolve, SOON_MS) : setImmediate(resolve)));
};

const draw = Math.random;

const watchChance = (): void => {
  Math.random = () => {
    // Once is enough, and after it the function is as fast as ever.
    Math.random = draw;
    warn('chance', originOf(new Error('Math.random')), '');
    return draw();
  };
};

const guardThread = (): void => {
  printToStderr();
  process.on('uncaughtException', (thrown) => warn('thrown', originOf(thrown), describeThrown(thrown)));
  process.on('unhandledRejection', (thrown) => warn('rejected', originOf(thrown), describeThrown(thrown)));
};

/** Before a module of a user is loaded. Where a heartbeat is kept, what it prints and throws does no harm. */
export const expectCode = (agent: string): void => {
  if (words === null || loaded.includes(agent)) return;
  if (loaded.length === 0) guardThread();
  loaded.push(agent);
  watchChance();
};

/** Share of the memory of a thread from which on it is full. */
const FULL = 0.8;

/** What is wrong with the memory that a thread uses; null if nothing is. V8 ends the whole process for some of it. */
export const memoryTrouble = (): string | null => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > FULL * limit
    ? `got ${Math.floor(used / 2 ** 20)} MB of memory in use, wanted at most ${Math.floor((FULL * limit) / 2 ** 20)}`
    : null;
};
