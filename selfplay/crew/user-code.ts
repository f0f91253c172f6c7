// Runs user code (agent modules and bots) in a worker thread under observation.
//
// The thread writes its current call of user code to shared memory, the heartbeat. If the thread hangs or ends there,
// the main thread can name the code. Invalid answers are collected as warnings. Layout of a heartbeat, in int32 words:
//
//   word 0    incremented when user code begins and when it returns: odd while it runs
//   word 1    length of the text in bytes
//   word 2    number of the thread
//   then      the call as UTF-8 text: 'agent ./mine.mjs for FRANCE in S1901M of game 12'
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

/** Shared memory in which a thread writes its current call of user code. */
export type Heartbeat = SharedArrayBuffer;

/** Makes the shared memory in which the thread of one task will write its calls of user code. */
export const makeHeartbeat = (): Heartbeat => new SharedArrayBuffer(SIZE);

/**
 * Reads a heartbeat. `text`: name of the current or last call of user code; '' before the first call. `isRunning`: true
 * if this call is running. `beat`: counter of begun and ended calls. `thread`: number of the thread; 0 before the task
 * begins.
 */
export const readHeartbeat = (heartbeat: Heartbeat) => {
  const words = new Int32Array(heartbeat, 0, WORDS);
  const beat = Atomics.load(words, BEAT);
  const text = Buffer.from(heartbeat, TEXT, words[LENGTH]).toString();
  return { text, isRunning: (beat & 1) === 1, beat, thread: words[THREAD] };
};

/**
 * Totals over the choices of a user's agent: orders, cost and time. Times are wall-clock times and depend on the
 * machine.
 */
export interface Use {
  /** Number of orders given, including rejected ones. */
  readonly orders: number;
  /** Total cost that the bot has reported, in `unit`. Null if it never reported a cost. */
  readonly cost: number | null;
  /** Unit of the cost, such as a currency; '' if the bot does not report one. */
  readonly unit: string;
  /**
   * Number of tokens of a language model, read and written together, as reported by the bot. Null if never reported.
   */
  readonly tokens: number | null;
  /** Total time of all choices, in seconds. */
  readonly seconds: number;
  /** Time of the slowest choice, in seconds. */
  readonly slowest: number;
}

const addAmounts = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

/** Returns the sum of two totals. Null amounts count as 0 unless both are null. */
export const addUse = (a: Use, b: Use): Use => ({
  orders: a.orders + b.orders,
  cost: addAmounts(a.cost, b.cost),
  tokens: addAmounts(a.tokens, b.tokens),
  unit: a.unit === '' ? b.unit : a.unit,
  seconds: a.seconds + b.seconds,
  slowest: Math.max(a.slowest, b.slowest),
});

/** Faults of one kind, or choices, of a user's agent during a task. */
export interface AgentWarning {
  /** Name of the agent, as the user wrote it. */
  readonly agent: string;
  /**
   * Kind of the fault. 'illegal': an order was rejected. 'unsaid': a message was rejected. 'silent': a bot did not
   * answer in time. 'ended': a bot's process ended twice at the same question. 'garbled': a bot's answer was invalid.
   * 'failed': an agent threw an error, looped or ended its thread, and its powers hold (only in games of a page; other
   * commands end with the error). 'asked' is no fault: it counts choices.
   */
  readonly kind: 'illegal' | 'unsaid' | 'silent' | 'ended' | 'garbled' | 'failed' | 'asked';
  /** Number of faults, or of choices. */
  readonly count: number;
  /** Description of the first fault. For 'asked', the name that a bot gives itself. */
  readonly what: string;
  /** Totals over the choices. Only for 'asked'. */
  readonly use?: Use;
}

/** Merges two warnings of the same kind and agent. Adds their counts and totals, and keeps the first description. */
export const joinWarnings = (a: AgentWarning, b: AgentWarning): AgentWarning => ({
  ...a,
  count: a.count + b.count,
  ...(a.use !== undefined && b.use !== undefined && { use: addUse(a.use, b.use) }),
});

let words: Int32Array | null = null;
let text: Buffer = Buffer.alloc(0);
/** True once the output of this thread is redirected to stderr. */
let isQuiet = false;
const warnings = new Map<string, AgentWarning>();

/** Sets the heartbeat that this thread writes to. Called in a worker thread when a task begins. */
export const openHeartbeat = (heartbeat: Heartbeat): void => {
  words = new Int32Array(heartbeat, 0, WORDS);
  text = Buffer.from(heartbeat, TEXT);
  words[THREAD] = threadId;
};

/** Writes to the heartbeat that user code begins. @param what name of the call: 'agent x for FRANCE in S1901M' */
export const enterCode = (what: string): void => {
  if (words === null) return;
  words[LENGTH] = text.write(what);
  Atomics.store(words, BEAT, (words[BEAT] + 1) | 1);
};

/** Writes to the heartbeat that user code has returned. */
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

/**
 * Describes any thrown value in at most about 300 characters, for a message. Never throws, not even if reading the
 * value does.
 */
export const describeThrown = (thrown: unknown): string => {
  try {
    if (thrown instanceof Error) return describeError(thrown);
    if (typeof thrown === 'string') return cut(JSON.stringify(thrown));
    return typeof thrown === 'object' && thrown !== null ? 'an object' : cut(String(thrown));
  } catch {
    return 'something that cannot be described';
  }
};

/**
 * Returns the place in a module's file where an error was thrown, as ' (mine.mjs:12:5)'; '' if unknown.
 * @param module path of the module
 */
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

/**
 * Adds a warning for the current task. Merges it with earlier warnings of the same kind and agent.
 * @param what description
 * @param use totals, only for 'asked'
 */
export const warn = (kind: AgentWarning['kind'], agent: string, what: string, use?: Use): void => {
  const key = `${kind} ${agent}`;
  const known = warnings.get(key);
  const one: AgentWarning = { agent, kind, count: 1, what, ...(use !== undefined && { use }) };
  warnings.set(key, known === undefined ? one : joinWarnings(known, one));
};

/** Returns the warnings collected in this thread, and clears them. */
export const takeWarnings = (): AgentWarning[] => {
  const taken = [...warnings.values()];
  warnings.clear();
  return taken;
};

/**
 * Redirects the output of this worker thread to stderr, if a task is under observation. Must be called before a user
 * module is loaded, because standard output is reserved for the command.
 */
export const expectCode = (): void => {
  if (words === null || isQuiet) return;
  isQuiet = true;
  printToStderr();
};
