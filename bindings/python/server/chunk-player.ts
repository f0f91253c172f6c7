// Performs the work of a batch in one thread, chunk by chunk: on games of its rows, or rollouts.
import { AgentReport } from '../../../selfplay/crew/agent-report.js';
import type { Player } from '../../../selfplay/crew/claims.js';
import { crashAt, type Faults } from '../../../selfplay/crew/faults.js';
import { takeWarnings } from '../../../selfplay/crew/user-code.js';
import { type Core, type Work, work } from './core.js';
import type { Memory } from './memory.js';

/**
 * Indices in the arguments of a round. WORK: kind of work. FIRST, END: rows first .. end - 1. A, B: arguments of the
 * work.
 */
const WORK = 0;
const FIRST = 1;
const END = 2;
const A = 3;
const B = 4;

/**
 * Returns the arguments of a round, in which all threads perform one kind of work.
 * @param first first row
 * @param end row after the last one; 0 for work without rows
 * @param a first argument of the work
 * @param b second argument of the work
 */
export const roundOf = (what: Work, first: number, end: number, a: number, b: number): number[] => [
  work.indexOf(what),
  first,
  end,
  a,
  b,
];

/**
 * Returns the rows of a chunk in a round, as [first row, row after the last one].
 * @param chunk index of the chunk in the round
 * @param args arguments of the round
 * @param size number of rows in a chunk
 */
export const rowsOf = (chunk: number, args: ArrayLike<number>, size: number): [first: number, end: number] => {
  const first = args[FIRST] + chunk * size;
  return [first, Math.min(first + size, args[END])];
};

const stepping: readonly Work[] = ['apply', 'random', 'agents'];

/**
 * True if the work of a round overwrites the rows that it reads. These rows are saved before the work begins, and
 * restored if the thread crashes. All other work can be repeated without restoring.
 * @param args arguments of the round
 */
export const isStepping = (args: ArrayLike<number>): boolean => stepping.includes(work[args[WORK]]);

/**
 * `ofClient`: arrays that only the client writes (apart from loaded positions). `inputs`: the client's arrays that each
 * kind of work reads.
 */
const ofClient = ['mask', 'seeds', 'parents', 'actions', 'seats', 'wanted'];
const inputs: Partial<Record<Work, readonly string[]>> = {
  describe: ['seats'],
  choose: ['wanted'],
  reset: ['mask', 'seeds', 'seats'],
  check: ['mask', 'seeds', 'seats'],
  copy: ['parents', 'seeds'],
  decode: ['mask', 'actions'],
  reseed: ['mask', 'seeds'],
};
/** `masked`: work on games with a set `mask` alone. `hidden`: work whose results are not shown to the client. */
const masked: readonly Work[] = ['reset', 'check', 'reseed'];
const hidden: readonly Work[] = ['copy', 'decode'];
/** Work that does not change the legal lists. */
const unlisted: readonly Work[] = ['random', 'choose', 'reseed'];
/** Arrays of legal lists. They have a row for each chunk instead of a row for each game. */
const lists = ['legal_ids', 'text_keys'];

const report = new AgentReport(0, (sentence) => process.stderr.write(`lepanto server: ${sentence}\n`), true);

/** Performs the chunks of one thread, and copies arrays from and to the file where the memory is not mapped. */
export class ChunkPlayer implements Player {
  declare private readonly faults: Faults | undefined;

  constructor(
    private readonly core: Core,
    private readonly memory: Memory,
    /**
     * Index of this thread among the threads that are replaced after a crash; null for the server's first thread, which
     * is not.
     */
    private readonly thread: number | null,
    faults?: Faults,
  ) {
    this.faults = faults;
  }

  readonly keep = (chunk: number, args: Int32Array): void => {
    const { memory, thread } = this;
    if (thread !== null && isStepping(args)) memory.keepRows(thread, ...rowsOf(chunk, args, memory.layout.chunk));
  };

  readonly play = (chunk: number, args: Int32Array): number | Promise<number> => {
    const { core, memory } = this;
    const what = work[args[WORK]];
    // Work without rows, such as rollouts.
    if (args[END] === 0) return core.perform(what, chunk, chunk + 1, args[A], args[B]);
    const [first, end] = rowsOf(chunk, args, memory.layout.chunk);
    this.pull(what, first, end);
    const result = core.perform(what, first, end, args[A], args[B]);
    if (typeof result !== 'number') return this.finishLater(what, first, end, result);
    this.finish(what, first, end);
    return result;
  };

  private finish(what: Work, first: number, end: number): void {
    this.push(what, first, end);
    // Simulate a crash at the worst moment: the chunk is played, but not yet marked as done.
    if (this.faults !== undefined) crashAt(this.faults, `${what} ${first / this.memory.layout.chunk}`);
  }

  private async finishLater(what: Work, first: number, end: number, result: Promise<number>): Promise<number> {
    const value = await result;
    this.finish(what, first, end);
    takeWarnings().forEach(report.onWarning);
    return value;
  }

  /**
   * Copies the arrays that a kind of work reads, in rows first .. end - 1, from the client's file. Does nothing if the
   * memory is mapped.
   */
  private pull(what: Work, first: number, end: number): void {
    const { memory } = this;
    if (memory.isMapped) return;
    // Children have no row in arrays that only games have.
    for (const { name, shape } of memory.layout.sections)
      if (inputs[what]?.includes(name) === true && first < shape[0]) memory.pull(name, first, end);
    if (what !== 'check' || !memory.isMasked(first, end)) return;
    for (const { name, kept } of memory.layout.sections) if (kept) memory.pull(name, first, end);
  }

  /**
   * Copies the results of a kind of work on rows first .. end - 1 to the client's file. Does nothing if the memory is
   * mapped.
   */
  private push(what: Work, first: number, end: number): void {
    const { memory } = this;
    const { description } = this.core;
    if (memory.isMapped || hidden.includes(what) || (masked.includes(what) && !memory.isMasked(first, end))) return;
    for (const { name, shape } of memory.layout.sections)
      if (first < shape[0] && !ofClient.includes(name) && !lists.includes(name)) memory.push(name, first, end);
    if (unlisted.includes(what)) return;
    const begin = 4 * memory.layout.chunkIds * description.chunkOf(first);
    for (const name of lists) if (memory.has(name)) memory.pushBytes(name, begin, 4 * description.listed);
  }
}
