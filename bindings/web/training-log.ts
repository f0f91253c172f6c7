// What a training run has written so far: metrics.jsonl of `python -m lepanto.train`, one object a line.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import { isObject } from '../../engine/rules/shape.js';
import { isAlive } from '../../selfplay/records/whole-file.js';
import type {
  CurveName,
  TrainingCurves,
  TrainingGate,
  TrainingPlace,
  TrainingPoint,
  TrainingProgress,
} from './page-data.js';

/** The files by which a training run is known, and its curves. */
export const METRICS = 'metrics.jsonl';
export const TRAINING_CONFIG = 'config.toml';
export const CURVES = 'curves.svg';
const MOST_BYTES = 256 << 20;
const MOST_CURVES = 8 << 20;
const MOST_CONFIG = 1 << 20;
const MOST_TEXT = 200;
/** Says which process has the directory, or had it last. */
const HELD = 'lock';
const MOST_HELD = 1 << 12;

type Entry = Readonly<Record<string, unknown>>;

const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const textIn = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MOST_TEXT) : '');

/** The progress of a run without a line. */
export const NO_PROGRESS: TrainingProgress = {
  stage: '',
  seconds: 0,
  limit: null,
  rounds: null,
  positions: 0,
  speed: null,
  games: 0,
  ended: false,
  measured: [],
  gates: [],
};

const COUNTS = new Set(['seconds', 'positions', 'games']);

const gateOf = (entry: Entry): TrainingGate => {
  const errors = isObject(entry.errors) ? entry.errors : {};
  const shares = Object.entries(isObject(entry.shares) ? entry.shares : {}).flatMap(([anchor, share]) => {
    const value = numberIn(share);
    return value === null ? [] : [[anchor.slice(0, MOST_TEXT), value, numberIn(errors[anchor])] as const];
  });
  return {
    net: textIn(entry.gate),
    seconds: numberIn(entry.seconds) ?? 0,
    passed: entry.passed === true,
    reason: textIn(entry.reason),
    arena: null,
    shares,
  };
};

/** The progress after one more line, but for its gates. */
const after = (before: TrainingProgress, entry: Entry): TrainingProgress => {
  const now = {
    ...before,
    stage: textIn(entry.stage),
    seconds: numberIn(entry.seconds) ?? before.seconds,
    positions: numberIn(entry.positions) ?? before.positions,
    games: numberIn(entry.games) ?? before.games,
    ended: entry.ended === true,
  };
  if ('limit' in entry) return { ...now, limit: numberIn(entry.limit), rounds: numberIn(entry.rounds) };
  if (typeof entry.gate === 'string') return now;
  const measured = Object.entries(entry).flatMap(([name, value]) => {
    const number = numberIn(value);
    return COUNTS.has(name) || number === null ? [] : [[name.slice(0, MOST_TEXT), number] as const];
  });
  return { ...now, measured: measured.length > 0 ? measured : before.measured };
};

const curveNames: readonly CurveName[] = ['policy', 'value', 'same', 'entropy', 'score', 'staleness'];
/** Points of a stage that a page is told at most. */
const MOST_POINTS = 1000;

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Means over so many neighbours that few enough are left. */
const thinned = (points: readonly TrainingPoint[]): TrainingPoint[] => {
  const size = Math.ceil(points.length / MOST_POINTS);
  if (size <= 1) return [...points];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const some = points.slice(i * size, (i + 1) * size);
    const values = [...curveNames, 'speed' as const].flatMap((name) => {
      const known = some.flatMap((point) => point.values[name] ?? []);
      return known.length === 0 ? [] : [[name, meanOf(known)] as const];
    });
    return { ...some[some.length - 1], values: Object.fromEntries(values) };
  });
};

/** What a run has measured, line by line. */
const curvesOf = (entries: readonly Entry[]): Pick<TrainingCurves, 'points' | 'gates'> => {
  const points: TrainingPoint[] = [];
  const gates: (TrainingGate & TrainingPlace)[] = [];
  let [batches, iterations] = [0, 0];
  let before: TrainingPlace = { seconds: 0, steps: 0, games: 0, positions: 0 };
  for (const entry of entries) {
    batches = numberIn(entry.batch) ?? batches;
    iterations = numberIn(entry.iteration) ?? iterations;
    const place = {
      seconds: numberIn(entry.seconds) ?? before.seconds,
      steps: batches + iterations,
      games: numberIn(entry.games) ?? before.games,
      positions: numberIn(entry.positions) ?? before.positions,
    };
    const isGate = typeof entry.gate === 'string';
    if (isGate) gates.push({ ...gateOf(entry), ...place });
    const known = isGate
      ? []
      : curveNames.flatMap((name) => {
          const value = numberIn(entry[name]);
          return value === null ? [] : [[name, value] as const];
        });
    if (known.length > 0) {
      const seconds = place.seconds - before.seconds;
      const learned = place.positions - before.positions;
      const speed = seconds > 0 && learned > 0 ? [['speed', learned / seconds] as const] : [];
      points.push({ ...place, stage: textIn(entry.stage), values: Object.fromEntries([...known, ...speed]) });
    }
    before = place;
  }
  const stages = [...new Set(points.map(({ stage }) => stage))];
  return { points: stages.flatMap((one) => thinned(points.filter(({ stage }) => stage === one))), gates };
};

/** The bytes of a file that is no link. @throws LepantoError if there is none, or if it is too large */
const readPlain = (path: string, most: number): Buffer => {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (found.isFile() && found.size <= most) return readFileSync(file);
    const got = found.isFile() ? `${found.size} bytes` : 'no file';
    throw new LepantoError('file', `${path}: got ${got}, wanted a file of at most ${most}`);
  } finally {
    closeSync(file);
  }
};

/** The picture of the curves of a run; null if there is none. */
export const readCurves = (directory: string): Buffer | null => {
  try {
    return readPlain(join(directory, CURVES), MOST_CURVES);
  } catch {
    return null;
  }
};

/** The seed of a run by its config.toml; null where that does not say. */
const readSeed = (directory: string): number | null => {
  try {
    const [text] = readPlain(join(directory, TRAINING_CONFIG), MOST_CONFIG)
      .toString('utf8')
      .split(/^\s*\[/m);
    const found = /^\s*seed\s*=\s*(-?\d{1,15})\s*(#.*)?$/m.exec(text);
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
};

/** True if the process that trained last was one of this machine, and has ended. */
const hasStopped = (directory: string): boolean => {
  try {
    const [, pid, host] =
      /^process (\d{1,9}) on (.+)$/m.exec(readPlain(join(directory, HELD), MOST_HELD).toString()) ?? [];
    return host === hostname() && !isAlive(Number(pid));
  } catch {
    return false;
  }
};

/** A line as an object. @throws LepantoError if it is none */
const entryIn = (line: string): Entry => {
  try {
    const entry: unknown = JSON.parse(line);
    if (isObject(entry)) return entry;
  } catch {}
  throw new LepantoError('file', `${METRICS}: got ${JSON.stringify(line.slice(0, 40))}, wanted a JSON object`);
};

/** Follows one run: the file is read again only when it has changed. */
export class TrainingLog {
  private readonly path: string;
  private progress = NO_PROGRESS;
  /** As of the last read(). */
  curves: Pick<TrainingCurves, 'points' | 'gates'> = { points: [], gates: [] };
  private size = -1;
  readonly seed: number | null;
  /** Milliseconds since 1970 of the last change. */
  changed = 0;

  constructor(private readonly directory: string) {
    this.path = join(directory, METRICS);
    this.seed = readSeed(directory);
  }

  get hasStopped(): boolean {
    return hasStopped(this.directory);
  }

  /**
   * The progress of the run, as far as its lines are whole.
   * @throws LepantoError if the file cannot be read, or has a line that is no JSON object
   */
  read(): TrainingProgress {
    const { size, mtimeMs } = lstatSync(this.path);
    if (size === this.size && mtimeMs === this.changed) return this.progress;
    const lines = readPlain(this.path, MOST_BYTES).toString('utf8').split('\n').slice(0, -1);
    const entries = lines.map(entryIn);
    const gates = entries.filter(({ gate }) => typeof gate === 'string').map(gateOf);
    this.curves = curvesOf(entries);
    const speed = this.curves.points.findLast(({ values }) => values.speed !== undefined)?.values.speed ?? null;
    this.progress = { ...entries.reduce(after, NO_PROGRESS), speed, gates };
    this.size = size;
    this.changed = mtimeMs;
    return this.progress;
  }
}
