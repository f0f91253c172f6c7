// Measures how much slower the resolver is for a mixture of families of order sets, as in play and search, than for one
// family, and how much of this is due to V8, which optimises a function for the inputs that it has seen.
//
//   node dist/bench/mixture.js --node PATH --starts 5
//
// Each process warms up, by processor time, on other sets than it measures. The figures, in nanoseconds per set:
//
//   alone      one family, in a process that sees no other family
//   crowded    the same process and sets, but with four times as many other sets of the family between two rounds.
//              Caches and branch predictors retain as little as for "in turn", but V8 has seen one family only
//   in turn    4,000 sets of each of the five families, and the sets of "mixed", in a process that sees all families
//   mixed      one set of each family in turn, in the same process: mean over the sets
//
// "in turn" compared with "crowded" shows the effect of V8. "mixed" compared with the mean of "in turn", which runs the
// same machine code, shows the effect of predictors and caches. Because the machine may be busy, sets are timed in
// chunks of 250, and the fastest round of each chunk counts. The table has the minimum and the median over several
// processes.
import { makeTable, numbers, renderText, words } from '../bindings/reports/table.js';
import { quietOption } from '../bindings/terminal/options.js';
import { withProgress } from '../bindings/terminal/progress.js';
import { type ValuesOf, wholeIn } from '../selfplay/question/option.js';
import { type FamilyName, familyNames, makeCorpus, type PackedSet } from './corpus/families.js';
import { runMain, runScript } from './run/child.js';
import { runProgram } from './run/program.js';
import { prepareBoard, resolveAll } from './run/resolving.js';
import { median } from './run/statistics.js';
import { startTimer } from './run/timer.js';

const SEED = 20_251_121;
const WARM_SEED = 7;
const WARM_SETS = 1000;
const CHUNK = 250;
/**
 * Number of order sets resolved between two rounds of a timed set in the figure "crowded", as a multiple of the timed
 * ones: the number of families.
 */
const TIMES = familyNames.length;
/** Processor time of the warm-up, as a multiple of the time for a figure. It includes the compilation by V8. */
const WARM_UP = 3;
/** Argument of a process that measures all families. The other processes get the name of their only family. */
const ALL = 'all';
const MIXED = 'mixed';

/** Nanoseconds for an order set, keyed by name of the figure. */
type Times = Readonly<Record<string, number>>;

/** Effort of a measurement. */
interface Size {
  /** Number of timed order sets of a family. */
  readonly sets: number;
  /** Processor time for a figure, in milliseconds. */
  readonly time: number;
}

let sink = 0;

const repeat = (milliseconds: number, work: () => void): void => {
  const spent = startTimer();
  do work();
  while (spent() < milliseconds);
};

const run = (sets: readonly PackedSet[]): void => {
  sink = (sink + resolveAll(sets)) | 0;
};

/** Times order sets in chunks, and keeps the least time of each chunk over all rounds. */
class Clock {
  private readonly chunks: PackedSet[][] = [];
  private readonly least: Float64Array;

  constructor(private readonly sets: readonly PackedSet[]) {
    for (let i = 0; i < sets.length; i += CHUNK) this.chunks.push(sets.slice(i, i + CHUNK));
    this.least = new Float64Array(this.chunks.length).fill(Number.POSITIVE_INFINITY);
  }

  round(): void {
    for (const [i, chunk] of this.chunks.entries()) {
      const begin = performance.now();
      run(chunk);
      this.least[i] = Math.min(this.least[i], performance.now() - begin);
    }
  }

  get nanoseconds(): number {
    return (this.least.reduce((sum, time) => sum + time) * 1e6) / this.sets.length;
  }
}

const interleave = (lists: readonly (readonly PackedSet[])[]): PackedSet[] =>
  lists[0].flatMap((_, k) => lists.map((list) => list[k]));

/** Measures one family in a process that sees no other family. Returns the figures `alone` and `crowded`. */
const measureOne = (name: FamilyName, { sets: count, time }: Size): Times => {
  const warm = makeCorpus(WARM_SEED, WARM_SETS).sets[name];
  const sets = makeCorpus(SEED, TIMES * count).sets[name];
  prepareBoard();
  repeat(WARM_UP * time, () => run(warm));
  const alone = new Clock(sets.slice(0, count));
  repeat(time, () => alone.round());
  const crowded = new Clock(sets.slice(0, count));
  const others = sets.slice(count);
  repeat(TIMES * time, () => {
    run(others);
    crowded.round();
  });
  return { alone: alone.nanoseconds, crowded: crowded.nanoseconds };
};

/** Measures all families in one process. Returns a figure for each family, and `mixed`. */
const measureAll = ({ sets: count, time }: Size): Times => {
  const warm = makeCorpus(WARM_SEED, WARM_SETS).sets;
  const { sets } = makeCorpus(SEED, count);
  const warmMixed = interleave(familyNames.map((name) => warm[name]));
  prepareBoard();
  repeat(WARM_UP * time, () => {
    for (const name of familyNames) run(warm[name]);
    run(warmMixed);
  });
  const clocks = familyNames.map((name) => new Clock(sets[name]));
  const mixed = new Clock(interleave(familyNames.map((name) => sets[name])));
  repeat(2 * TIMES * time, () => {
    for (const clock of clocks) clock.round();
    mixed.round();
  });
  return Object.fromEntries([
    ...familyNames.map((name, i) => [name, clocks[i].nanoseconds]),
    [MIXED, mixed.nanoseconds],
  ]);
};

const options = {
  node: { takes: 'PATH', default: process.execPath, help: 'path of the Node to measure (default: this one)' },
  starts: { ...wholeIn(1, 1000), default: 5, help: 'processes of each kind' },
  sets: { ...wholeIn(1, 10_000), default: 4000, help: 'timed order sets of each family' },
  time: { ...wholeIn(1, 60_000), default: 500, help: 'processor time of each figure, in milliseconds' },
  ...quietOption,
} as const;

const about = 'Measures how much a mixture of families of order sets slows the resolver.';

const show = (times: readonly number[]): string => `${Math.round(Math.min(...times))} (${Math.round(median(times))})`;
const ratio = (a: readonly number[], b: readonly number[]): string =>
  `${(Math.min(...a) / Math.min(...b)).toFixed(2)} (${(median(a) / median(b)).toFixed(2)})`;

/** Measures in this process, and prints the times as JSON. @param args kind, sets and time of a figure */
const printOne = ([kind, sets, time]: readonly string[]): void => {
  const size = { sets: Number(sets), time: Number(time) };
  process.stdout.write(JSON.stringify(kind === ALL ? measureAll(size) : measureOne(kind as FamilyName, size)));
};

const main = async ({ node, starts, sets, time, quiet }: ValuesOf<typeof options>): Promise<void> => {
  const kinds = [...familyNames, ALL];
  const measured = new Map<string, Times[]>(kinds.map((kind) => [kind, []]));
  let done = 0;
  const total = starts * kinds.length;
  await withProgress({ total, unit: 'starts', quiet, read: () => ({ done, note: '' }) }, async () => {
    for (let i = 0; i < starts; i++)
      for (const kind of kinds) {
        const call = ['--one', kind, String(sets), String(time)];
        measured.get(kind)?.push(await runScript<Times>(new URL(import.meta.url), call, undefined, node));
        done++;
      }
  });
  const of = (kind: string, figure: string): number[] => (measured.get(kind) ?? []).map((times) => times[figure]);
  const mean = (lists: readonly number[][]): number[] =>
    lists[0].map((_, i) => lists.reduce((sum, list) => sum + list[i], 0) / lists.length);
  const rows = familyNames.map((name): [string, number[], number[], number[]] => [
    name,
    of(name, 'alone'),
    of(name, 'crowded'),
    of(ALL, name),
  ]);
  const column = (k: 1 | 2 | 3): number[] => mean(rows.map((row) => row[k]));
  const all = [...rows, ['mean', column(1), column(2), column(3)] as (typeof rows)[number]];
  process.stdout.write(
    renderText([
      makeTable(all, [
        words('ns a set: least (median)', ([name]) => name),
        numbers('alone', ([, alone]) => show(alone)),
        numbers('crowded', ([, , crowded]) => show(crowded)),
        numbers('in turn', ([, , , turn]) => show(turn)),
        numbers('in turn : alone', ([, alone, , turn]) => ratio(turn, alone)),
        numbers('in turn : crowded', ([, , crowded, turn]) => ratio(turn, crowded)),
      ]),
      makeTable(
        [['mixed', of(ALL, MIXED), column(3)] as const],
        [
          words('', ([name]) => name),
          numbers('ns a set', ([, mixed]) => show(mixed)),
          numbers('mixed : mean in turn', ([, mixed, turn]) => ratio(mixed, turn)),
        ],
      ),
    ]),
  );
};

await runMain(import.meta.url, (args) =>
  args[0] === '--one' ? printOne(args.slice(1)) : runProgram(args, { about, options }, main),
);
