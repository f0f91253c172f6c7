// Plays the chunks of a batch in one thread: games of its rows, or rollouts.
import { AgentReport } from '../../../selfplay/crew/agent-report.js';
import { type ClaimMemory, makeClaims, type Player } from '../../../selfplay/crew/claims.js';
import { crashAt, type Faults } from '../../../selfplay/crew/faults.js';
import { takeWarnings } from '../../../selfplay/crew/user-code.js';
import { type Core, type Work, work } from './core.js';
import type { SharedWords } from './games.js';
import type { Memory } from './memory.js';
import { makeAgentTexts } from './named-agents.js';
import { MOST_TASKS, makeRolloutMemory } from './rollout-tasks.js';

/** Arguments of a round: the work, the rows first .. end that it is done with, and two arguments of the work. */
const WORK = 0;
const FIRST = 1;
const END = 2;
const A = 3;
const B = 4;

/** Arguments of a round. @param end for work without rows: 0 */
export const roundOf = (what: Work, first: number, end: number, a: number, b: number): number[] => [
  work.indexOf(what),
  first,
  end,
  a,
  b,
];

/**
 * Work that reads what it writes. Its rows are kept before it begins, and put back if the thread ends in the middle of it.
 * All other work writes only what follows from rows that it leaves alone, so it can simply be done again.
 */
const stepping: readonly Work[] = ['apply', 'random', 'agents'];
export const isStepping = (what: Work): boolean => stepping.includes(what);

/** What the threads of a batch share, apart from its games. */
export interface ThreadMemory extends Required<SharedWords> {
  readonly claims: ClaimMemory;
  /** Chunk + 1 whose rows a thread has kept, at KEPT_STRIDE * thread. */
  readonly kept: Int32Array;
}

/** Far enough apart that no two threads write to the same cache line. */
export const KEPT_STRIDE = 16;

/** @param threads that can be replaced; one more is the first thread */
export const makeThreadMemory = (threads: number, chunks: number, given: number, log = 0, past = 0): ThreadMemory => ({
  claims: makeClaims(threads + 1, Math.max(chunks, MOST_TASKS)),
  kept: new Int32Array(new SharedArrayBuffer(4 * KEPT_STRIDE * (threads + 1))),
  given: new Int32Array(new SharedArrayBuffer(4 * given)),
  agentTexts: makeAgentTexts(),
  log: new Int32Array(new SharedArrayBuffer(4 * log)),
  rollouts: makeRolloutMemory(),
  past: new Int32Array(new SharedArrayBuffer(4 * past)),
});

/** Arrays that only the client writes, except positions that it loads. */
const ofClient = ['mask', 'seeds', 'parents', 'actions', 'seats', 'wanted'];
/** Arrays that describe() writes. */
const described = ['build_numbers', 'center_counts', 'order_counts', 'orderable', 'legal_offsets', 'legal_mask'];

/** Names of the arrays that cross between a thread and the client where the memory is no mapping, chunk by chunk. */
interface Crossing {
  /** Arrays of the client that the work reads, by work. */
  readonly inputs: Partial<Record<Work, readonly string[]>>;
  /** Arrays that the work writes for the client, by work; without legal_ids and text_keys. */
  readonly outputs: Partial<Record<Work, readonly string[]>>;
  /** Arrays that are written only for games that have ended. */
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

/** True for work on the games of `mask` alone. */
const isByMask = (what: Work): boolean => what === 'reset' || what === 'check' || what === 'reseed';

const report = new AgentReport(0, (sentence) => process.stderr.write(`lepanto server: ${sentence}\n`), true);

/** Plays chunks in one thread. */
export class ChunkPlayer {
  declare private readonly faults: Faults | undefined;
  private readonly crossing: Crossing = crossingOf(this.memory);

  constructor(
    private readonly core: Core,
    private readonly memory: Memory,
    private readonly shared: ThreadMemory,
    /** Place of the thread among those that can be replaced; null for the first thread. */
    private readonly thread: number | null,
    faults?: Faults,
  ) {
    this.faults = faults;
  }

  readonly play: Player = (chunk, args) => {
    const what = work[args[WORK]];
    // Rollouts and the like have no rows.
    if (args[END] === 0) return this.core.perform(what, chunk, chunk + 1, args[A], args[B]);
    const size = this.memory.layout.chunk;
    const first = args[FIRST] + chunk * size;
    const end = Math.min(first + size, args[END]);
    if (this.thread !== null && isStepping(what)) this.keep(this.thread, chunk, first, end);
    this.pull(what, first, end);
    this.core.endings.hasEnded = false;
    const result = this.core.perform(what, first, end, args[A], args[B]);
    if (typeof result !== 'number') return this.finishLater(what, first, end, result);
    this.finish(what, first, end);
    return result;
  };

  /** Keeps the rows of a chunk in case the thread ends in the middle of it. */
  private keep(thread: number, chunk: number, first: number, end: number): void {
    const { kept } = this.shared;
    Atomics.store(kept, KEPT_STRIDE * thread, 0);
    this.memory.keepRows(thread, first, end);
    Atomics.store(kept, KEPT_STRIDE * thread, chunk + 1);
  }

  private finish(what: Work, first: number, end: number): void {
    this.push(what, first, end);
    // At the worst moment: all is played, but not yet marked as done.
    if (this.faults !== undefined) crashAt(this.faults, `${what} ${first / this.memory.layout.chunk}`);
  }

  private async finishLater(what: Work, first: number, end: number, result: Promise<number>): Promise<number> {
    const value = await result;
    this.finish(what, first, end);
    takeWarnings().forEach(report.onWarning);
    return value;
  }

  /** Reads what the client has written, where the memory is no mapping. */
  private pull(what: Work, first: number, end: number): void {
    const { memory, crossing } = this;
    if (memory.isMapped) return;
    if (isByMask(what)) {
      memory.pull('mask', first, end);
      if (!memory.isMasked(first, end)) return;
    }
    for (const name of crossing.inputs[what] ?? []) memory.pull(name, first, end);
  }

  /** Writes for the client, where the memory is no mapping. */
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
}
