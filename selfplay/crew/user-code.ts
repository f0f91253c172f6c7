// Code of users in a worker thread. What the thread asks it for is noted in shared memory, so that others can say so if the
// thread hangs or ends there: its heartbeat. What is wrong with its answers is collected as warnings.
//
//   word 0    counted up when such code begins, and when it has come back: odd while it runs
//   word 1    bytes of the text behind it: 'agent ./mine.mjs for FRANCE in S1901M of game 12'
//   word 2    number of the thread
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** What is to be known about agents of users after a task. */
export interface AgentWarning {
  /** Name of the agent, as it was given. */
  readonly agent: string;
  /**
   * A bot in a process of its own, or a module, gave an order or a message that does not count; a bot did not answer in
   * time, ended, or answered something else. No fault is 'asked': a choice of such a bot, whose name for itself is
   * `what`, or of a module.
   */
  readonly kind: 'illegal' | 'unsaid' | 'silent' | 'ended' | 'garbled' | 'asked';
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
/** True once what this thread prints goes to stderr. */
let isQuiet = false;
const warnings = new Map<string, AgentWarning>();

/** In a thread, when a task begins: what it asks code of users for will be seen here. */
export const openHeartbeat = (heartbeat: Heartbeat): void => {
  words = new Int32Array(heartbeat, 0, WORDS);
  text = Buffer.from(heartbeat, TEXT);
  words[THREAD] = threadId;
};

/** Before code of a user is asked for something. @param what as a message names it: 'agent x for FRANCE in S1901M' */
export const enterCode = (what: string): void => {
  if (words === null) return;
  words[LENGTH] = text.write(what);
  Atomics.store(words, BEAT, (words[BEAT] + 1) | 1);
};

export const leaveCode = (): void => {
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

/** Before a module of a user is loaded. Standard output belongs to the command: what the module prints goes to stderr. */
export const expectCode = (): void => {
  if (words === null || isQuiet) return;
  isQuiet = true;
  printToStderr();
};
