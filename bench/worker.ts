// One thread of the rows over all threads: plays chunks of its own seeds for the time that it is told.
import { parentPort, workerData } from 'node:worker_threads';
import { hashSeed } from '../engine/random.js';
import { chunkOf, makePlay, type Play, type PlayName, playNames, warmUp } from './playing.js';

/** To the worker. */
export interface ThreadTask {
  readonly play: PlayName;
  readonly milliseconds: number;
}

/** From the worker: what it played in how many seconds. */
export interface ThreadResult {
  readonly steps: number;
  readonly games: number;
  readonly seconds: number;
  /** Hash of the results of its chunk. */
  readonly checksum: number;
}

/** What a worker says of itself once it is warm: policy phase-steps a second. */
export interface ThreadReady {
  readonly stepsPerSecond: number;
}

export interface ThreadData {
  readonly index: number;
  readonly warmUp: number;
}

/** Whole chunks for at least so long, and the hash of one. */
const playFor = (play: Play, milliseconds: number, hashed: boolean): ThreadResult => {
  const begin = performance.now();
  let steps = 0;
  let games = 0;
  let spent = 0;
  do {
    steps += play.run();
    games += play.games;
    spent = performance.now() - begin;
  } while (spent < milliseconds);
  return { steps, games, seconds: spent / 1000, checksum: hashed ? play.check() : 0 };
};

/** Chunks by which a worker knows its own speed; the best counts, as the others may have been interrupted. */
const CHECKS = 6;

const ownSpeed = (play: Play): ThreadReady => {
  const rates = Array.from({ length: CHECKS }, () => {
    const { steps, seconds } = playFor(play, 0, false);
    return steps / seconds;
  });
  return { stepsPerSecond: Math.max(...rates) };
};

const serve = (port: NonNullable<typeof parentPort>, data: ThreadData): void => {
  for (const name of playNames) warmUp(name, data.warmUp / playNames.length);
  const make = (name: PlayName): Play => makePlay(name, chunkOf(name), hashSeed(0x7468_7264, data.index));
  const plays = { policy: make('policy'), uniform: make('uniform'), year: make('year') };
  port.on('message', (task: ThreadTask) => port.postMessage(playFor(plays[task.play], task.milliseconds, true)));
  port.postMessage(ownSpeed(plays.policy));
};

if (parentPort !== null) serve(parentPort, workerData as ThreadData);
