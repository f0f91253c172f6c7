// What each thread of a batch does: it takes chunks of a command, one after the other, until none is left.
//
// Words that the threads share (int32):
//
//   GENERATION   counted up to wake the threads         COMMAND    index into `work`
//   OPEN         1 while chunks may be taken            FIRST, END rows of the command
//   LEFT         counted up when a thread is through    ARGUMENT   two arguments of the command
//   NEXT         next chunk to take
//
// and for each thread, SLOT_WORDS of its own:
//
//   ACTIVE   1 while the thread may be at a chunk      READY   1 once it has started
//   KEPT     chunk + 1 of which it has kept the rows    DISMISSED  1 to end the thread
import { AgentReport } from '../../../selfplay/crew/agent-report.js';
import { crashAt, type Faults, orderedTime } from '../../../selfplay/crew/faults.js';
import { settleCode, takeWarnings } from '../../../selfplay/crew/user-code.js';
import { ActionError } from './action-decoder.js';
import type { ServerConfig } from './config.js';
import { type Core, type Work, work } from './core.js';
import type { SharedWords } from './games.js';
import type { Memory } from './memory.js';
import { makeAgentTexts } from './named-agents.js';
import { MOST_TASKS, makeRolloutMemory } from './rollout-tasks.js';

const GENERATION = 0;
export const OPEN = 1;
export const LEFT = 2;
export const NEXT = 3;
const COMMAND = 4;
const FIRST = 5;
const END = 6;
const ARGUMENT = 7;
const SLOTS = 16;
export const SLOT_WORDS = 16;

export const ACTIVE = 0;
export const READY = 1;
export const KEPT = 2;
export const DISMISSED = 3;

/** States of a chunk; thread + 1 of the one that plays it in between. The first thread of all is thread -1. */
const OPEN_CHUNK = 0;
export const DONE = -1;
export const FAILED = -2;

const ERROR_BYTES = 4096;
/** Of the numbers before the text of an error. */
const HEAD_BYTES = 12;

/** What is done, the rows first .. end that it is done with, and two arguments. */
export type Command = readonly [what: Work, first: number, end: number, a: number, b: number];

/**
 * Work that reads what it writes. Its rows are kept before it begins, and put back if the thread ends in the middle of it.
 * All other work writes what follows from rows that it leaves alone: done again, it comes to the same.
 */
const stepping: readonly Work[] = ['apply', 'random', 'agents'];
export const isStepping = (what: Work): boolean => stepping.includes(what);

/** What the threads of a batch share, apart from its games. */
export interface ThreadMemory extends Required<SharedWords> {
  readonly words: Int32Array;
  /** State by chunk of the command. */
  readonly states: Int32Array;
  /** What each chunk has returned. */
  readonly sums: Float64Array;
  /** Milliseconds that each thread has spent on the command, and the rows that it has played; the first thread first. */
  readonly spent: Float64Array;
  /** ERROR_BYTES for each thread: game + 2 of an ActionError, 1 of another error, 0 for none; length; place; text. */
  readonly errors: Uint8Array;
}

export const makeThreadMemory = (threads: number, chunks: number, given: number, log = 0, past = 0): ThreadMemory => ({
  words: new Int32Array(new SharedArrayBuffer(4 * (SLOTS + SLOT_WORDS * threads))),
  states: new Int32Array(new SharedArrayBuffer(4 * Math.max(chunks, MOST_TASKS))),
  sums: new Float64Array(new SharedArrayBuffer(8 * Math.max(chunks, MOST_TASKS))),
  spent: new Float64Array(new SharedArrayBuffer(16 * (threads + 1))),
  errors: new Uint8Array(new SharedArrayBuffer(ERROR_BYTES * threads)),
  given: new Int32Array(new SharedArrayBuffer(4 * given)),
  agentTexts: makeAgentTexts(),
  log: new Int32Array(new SharedArrayBuffer(4 * log)),
  rollouts: makeRolloutMemory(),
  past: new Int32Array(new SharedArrayBuffer(4 * past)),
});

/** Ends a thread between two commands. */
export const dismiss = ({ words }: ThreadMemory, thread: number): void => {
  Atomics.store(words, slotAt(thread) + DISMISSED, 1);
  Atomics.add(words, GENERATION, 1);
  Atomics.notify(words, GENERATION);
};

/** Where the words of a thread begin. */
export const slotAt = (thread: number): number => SLOTS + SLOT_WORDS * thread;

const errorHead = (errors: Uint8Array, thread: number): Int32Array =>
  new Int32Array(errors.buffer, errors.byteOffset + thread * ERROR_BYTES, 3);

/** Opens a command to all threads, and wakes them. */
export const openCommand = (
  { words, states, spent, errors }: ThreadMemory,
  chunks: number,
  [what, first, end, a, b]: Command,
): void => {
  for (let k = 0; k < chunks; k++) states[k] = OPEN_CHUNK;
  for (let i = 0; i < spent.length; i++) spent[i] = 0;
  for (let thread = 0; thread * ERROR_BYTES < errors.length; thread++) errorHead(errors, thread)[0] = 0;
  words[NEXT] = 0;
  words[COMMAND] = work.indexOf(what);
  words[FIRST] = first;
  words[END] = end;
  words[ARGUMENT] = a;
  words[ARGUMENT + 1] = b;
  Atomics.store(words, OPEN, 1);
  Atomics.add(words, GENERATION, 1);
  Atomics.notify(words, GENERATION);
};

/** Game that an error names; -1 for none. */
export const gameOfError = (error: Error): number => (error instanceof ActionError ? error.game : -1);

const writeError = (errors: Uint8Array, thread: number, error: Error, place: number): void => {
  const head = errorHead(errors, thread);
  const text = Buffer.from(error.message).subarray(0, ERROR_BYTES - HEAD_BYTES);
  errors.set(text, thread * ERROR_BYTES + HEAD_BYTES);
  head[1] = text.length;
  head[0] = gameOfError(error) + 2;
  head[2] = place;
};

/** Where the error of a thread lies among others: its game, or the first of the chunk that it ended. */
export const placeOfError = ({ errors }: ThreadMemory, thread: number): number => errorHead(errors, thread)[2];

/** The error that a thread has met; null for none. */
export const readError = ({ errors }: ThreadMemory, thread: number): Error | null => {
  const [mark, length] = errorHead(errors, thread);
  if (mark === 0) return null;
  const begin = thread * ERROR_BYTES + HEAD_BYTES;
  const text = Buffer.from(errors.slice(begin, begin + length)).toString('utf8');
  return mark > 1 ? new ActionError(mark - 2, text) : new Error(text);
};

/** Arrays that the client alone writes, but for positions that it loads. */
const ofClient = ['mask', 'seeds', 'parents', 'actions', 'seats', 'wanted'];
/** What describe() writes. */
const described = ['build_numbers', 'center_counts', 'order_counts', 'orderable', 'legal_offsets', 'legal_mask'];

/** Names of the arrays that cross between a thread and the client where the memory is no mapping, chunk by chunk. */
interface Crossing {
  /** By the work that reads what the client has written. */
  readonly inputs: Partial<Record<Work, readonly string[]>>;
  /** By the work that writes what the client reads; legal_ids and text_keys are apart. */
  readonly outputs: Partial<Record<Work, readonly string[]>>;
  /** What is written of games that have ended. */
  readonly finals: readonly string[];
}

const crossingOf = ({ layout }: Memory): Crossing => {
  const names = layout.sections.map(({ name }) => name);
  const kept = layout.sections.filter((section) => section.kept).map(({ name }) => name);
  const finals = names.filter((name) => name.startsWith('final_'));
  const apart = [...ofClient, ...finals, 'chosen', 'legal_ids', 'text_keys'];
  const all = names.filter((name) => !apart.includes(name));
  return {
    inputs: {
      describe: ['seats'],
      choose: ['wanted'],
      reset: ['seeds', 'seats'],
      check: ['seats', 'seeds', ...kept],
      copy: ['parents'],
      decode: ['actions', 'mask'],
      reseed: ['seeds'],
    },
    outputs: {
      random: all.filter((name) => !described.includes(name)),
      choose: ['chosen'],
      reseed: ['episode_seed', 'streams'],
      ...{ apply: all, agents: all, describe: all, reset: all, check: all },
    },
    finals,
  };
};

/** Work on the games of `mask` alone. */
const isByMask = (what: Work): boolean => what === 'reset' || what === 'check' || what === 'reseed';

/** Does its share of a command in one thread. */
export class ThreadShare {
  declare private readonly faults: Faults | undefined;
  /** The error of the lowest game, that of a thread that has met several. */
  error: Error | null = null;
  /** See placeOfError(). */
  errorPlace = 0;
  private readonly crossing: Crossing = crossingOf(this.memory);

  constructor(
    readonly core: Core,
    readonly memory: Memory,
    readonly shared: ThreadMemory,
    /** -1 for the first thread, which cannot be replaced. */
    readonly thread: number,
    faults?: Faults,
  ) {
    this.faults = faults;
  }

  /** Takes over what the client has written, where the memory is no mapping. */
  private pull(what: Work, first: number, end: number): void {
    const { memory, crossing } = this;
    if (memory.isMapped) return;
    if (isByMask(what)) {
      memory.pull('mask', first, end);
      if (!memory.isMasked(first, end)) return;
    }
    for (const name of crossing.inputs[what] ?? []) memory.pull(name, first, end);
  }

  /** Shows the client what was written. */
  private push(what: Work, first: number, end: number): void {
    const { memory, crossing, core } = this;
    const names = crossing.outputs[what];
    if (names === undefined || memory.isMapped || (isByMask(what) && !memory.isMasked(first, end))) return;
    for (const name of names) memory.push(name, first, end);
    const { description, endings } = core;
    const begin = 4 * memory.layout.chunkIds * description.chunkOf(first);
    if (what !== 'random' && what !== 'choose' && what !== 'reseed')
      for (const name of ['legal_ids', 'text_keys'])
        if (memory.has(name)) memory.pushBytes(name, begin, 4 * description.listed);
    if (endings.hasEnded) for (const name of crossing.finals) memory.push(name, first, end);
  }

  private keep(thrown: unknown, first: number): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const place = Math.max(first, gameOfError(error));
    if (this.error !== null && this.errorPlace <= place) return;
    this.error = error;
    this.errorPlace = place;
  }

  /** From here on the chunk is this thread's: if it ends before the chunk is done, that can be told. */
  private claim(chunk: number, what: Work, first: number, end: number): void {
    const { thread } = this;
    if (thread < 0) return;
    const { words, states } = this.shared;
    Atomics.store(words, slotAt(thread) + KEPT, 0);
    Atomics.store(states, chunk, thread + 1);
    if (!isStepping(what)) return;
    this.memory.keepRows(thread, first, end);
    Atomics.store(words, slotAt(thread) + KEPT, chunk + 1);
  }

  /** What comes of a chunk is shown, and then it is done. */
  private finish(chunk: number, what: Work, first: number, end: number, sum: number): void {
    const { memory, shared } = this;
    shared.sums[chunk] = sum;
    this.push(what, first, end);
    // At the worst moment: all is played, but not yet marked as done.
    if (this.faults !== undefined) crashAt(this.faults, `${what} ${first / memory.layout.chunk}`);
    Atomics.store(shared.states, chunk, DONE);
  }

  /** Plays chunks until none is left; returns the number of their rows. */
  private async takeChunks(): Promise<number> {
    const { memory, shared } = this;
    const { words } = shared;
    const { chunk } = memory.layout;
    const what = work[words[COMMAND]];
    const begin = words[FIRST];
    const end = words[END];
    for (let rows = 0; ; ) {
      const claimed = Atomics.add(words, NEXT, 1);
      const first = begin + claimed * chunk;
      if (first >= end) return rows;
      const last = Math.min(first + chunk, end);
      this.claim(claimed, what, first, last);
      try {
        this.pull(what, first, last);
        this.core.endings.hasEnded = false;
        const result = this.core.perform(what, first, last, words[ARGUMENT], words[ARGUMENT + 1]);
        // Without agents nothing is waited for.
        this.finish(claimed, what, first, last, typeof result === 'number' ? result : await result);
      } catch (error) {
        this.keep(error, first);
        Atomics.store(shared.states, claimed, FAILED);
      }
      rows += last - first;
    }
  }

  async run(): Promise<void> {
    const { spent, errors } = this.shared;
    const started = performance.now();
    this.error = null;
    const rows = await this.takeChunks();
    const at = 2 * (this.thread + 1);
    const ordered = orderedTime(this.faults);
    spent[at] = ordered === null ? performance.now() - started : ordered * rows;
    spent[at + 1] = rows;
    if (this.error !== null && this.thread >= 0) writeError(errors, this.thread, this.error, this.errorPlace);
  }
}

/** What a thread is given. */
export interface ThreadData {
  readonly config: ServerConfig;
  /** The copy of the games that all threads share; null if their memory is mapped. */
  readonly copy: SharedArrayBuffer | null;
  readonly shared: ThreadMemory;
  readonly thread: number;
  readonly faults: Faults | undefined;
}

/** The loop of a thread: it sleeps until a command is open, does its share, and sleeps again. It has no end. */
export const serveThread = async (share: ThreadShare): Promise<never> => {
  const { words } = share.shared;
  const report = new AgentReport(0, (sentence) => process.stderr.write(`lepanto server: ${sentence}\n`), true);
  const at = slotAt(share.thread);
  const leave = (): void => {
    Atomics.store(words, at + ACTIVE, 0);
    Atomics.add(words, LEFT, 1);
    Atomics.notify(words, LEFT);
  };
  Atomics.store(words, at + READY, 1);
  leave();
  for (let seen = 0; ; ) {
    Atomics.wait(words, GENERATION, seen);
    seen = Atomics.load(words, GENERATION);
    if (Atomics.load(words, at + DISMISSED) === 1) process.exit(0);
    // First active, then the look whether it is open: the first thread closes it, and then looks who is active.
    Atomics.store(words, at + ACTIVE, 1);
    if (Atomics.load(words, OPEN) === 1) {
      await share.run();
      await settleCode();
      takeWarnings().forEach(report.onWarning);
    }
    leave();
  }
};
