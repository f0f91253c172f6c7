// What a training run has written so far: metrics.jsonl of `python -m lepanto.train`, one object a line.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { LepantoError } from '../../engine/rules/error.js';
import type { TrainingGate, TrainingProgress } from './page-data.js';

/** The files by which a training run is known, and its curves. */
export const METRICS = 'metrics.jsonl';
export const TRAINING_CONFIG = 'config.toml';
export const CURVES = 'curves.svg';
/** More than these are not read. */
const MOST_BYTES = 256 << 20;
const MOST_CURVES = 8 << 20;
const CHUNK = 1 << 20;
const MOST_TEXT = 200;
/** Bytes before the place that was read up to: if others are there, the file was cut, and is read anew. */
const MARK = 256;

type Entry = Readonly<Record<string, unknown>>;

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
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
  games: 0,
  ended: false,
  measured: [],
  gates: [],
};

const COUNTS = new Set(['seconds', 'positions', 'games']);

const gateOf = (entry: Entry): TrainingGate => {
  const errors = isEntry(entry.errors) ? entry.errors : {};
  const shares = Object.entries(isEntry(entry.shares) ? entry.shares : {}).flatMap(([anchor, share]) => {
    const value = numberIn(share);
    return value === null ? [] : [[anchor.slice(0, MOST_TEXT), value, numberIn(errors[anchor])] as const];
  });
  return {
    net: textIn(entry.gate),
    seconds: numberIn(entry.seconds) ?? 0,
    passed: entry.passed === true,
    reason: textIn(entry.reason),
    shares,
  };
};

/** The progress after one more line. */
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
  if (typeof entry.gate === 'string') return { ...now, gates: [...before.gates, gateOf(entry)] };
  const measured = Object.entries(entry).flatMap(([name, value]) => {
    const number = numberIn(value);
    return COUNTS.has(name) || number === null ? [] : [[name.slice(0, MOST_TEXT), number] as const];
  });
  return { ...now, measured: measured.length > 0 ? measured : before.measured };
};

/** Opens a file that is no link. @throws LepantoError if there is none, or if it is too large */
const openPlain = (path: string, most: number): readonly [file: number, size: number, changed: number] => {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const found = fstatSync(file);
  if (found.isFile() && found.size <= most) return [file, found.size, found.mtimeMs];
  closeSync(file);
  throw new LepantoError(
    'file',
    `${path}: got ${found.isFile() ? `${found.size} bytes` : 'no file'}, wanted a file of at most ${most}`,
  );
};

const readAt = (file: number, at: number, count: number): Buffer => {
  const bytes = Buffer.alloc(count);
  return bytes.subarray(0, readSync(file, bytes, 0, count, at));
};

/** The picture of the curves of a run; null if there is none. */
export const readCurves = (directory: string): Buffer | null => {
  try {
    const [file, size] = openPlain(join(directory, CURVES), MOST_CURVES);
    try {
      return readAt(file, 0, size);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
};

/** Follows one run: what was read is not read again. */
export class TrainingLog {
  declare private readonly path: string;
  declare private progress: TrainingProgress;
  /** Bytes of whole lines that were read. */
  declare private end: number;
  declare private mark: Buffer;
  /** Milliseconds since 1970 of the last change. */
  changed = 0;

  constructor(directory: string) {
    this.path = join(directory, METRICS);
    this.begin();
  }

  private begin(): void {
    this.progress = NO_PROGRESS;
    this.end = 0;
    this.mark = Buffer.alloc(0);
  }

  /**
   * The progress of the run.
   * @throws LepantoError if the file cannot be read, or has a line that is no JSON object
   */
  read(): TrainingProgress {
    const [file, size, changed] = openPlain(this.path, MOST_BYTES);
    try {
      this.changed = changed;
      const { mark, end } = this;
      if (size < end || !readAt(file, end - mark.length, mark.length).equals(mark)) this.begin();
      for (let part = this.readLines(file); part !== null; part = this.readLines(file)) this.add(part);
    } finally {
      closeSync(file);
    }
    return this.progress;
  }

  /** The next whole lines; null if there are none. */
  private readLines(file: number): Buffer | null {
    const part = readAt(file, this.end, CHUNK);
    const whole = part.subarray(0, part.lastIndexOf(0x0a) + 1);
    if (whole.length === 0) {
      if (part.length === CHUNK) throw new LepantoError('file', `${METRICS}: got a line of more than ${CHUNK} bytes`);
      return null;
    }
    return whole;
  }

  private add(lines: Buffer): void {
    for (const line of lines.toString('utf8').split('\n').slice(0, -1)) {
      let entry: unknown;
      try {
        entry = JSON.parse(line);
      } catch {
        entry = null;
      }
      if (!isEntry(entry))
        throw new LepantoError('file', `${METRICS}: got ${JSON.stringify(line.slice(0, 40))}, wanted a JSON object`);
      this.progress = after(this.progress, entry);
    }
    this.end += lines.length;
    this.mark = Buffer.concat([this.mark, lines]).subarray(-MARK);
  }
}
