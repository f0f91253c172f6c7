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

export interface ThreadData {
  readonly index: number;
  readonly warmUp: number;
}

const playFor = (play: Play, milliseconds: number): ThreadResult => {
  const begin = performance.now();
  let steps = 0;
  let games = 0;
  let spent = 0;
  do {
    steps += play.run();
    games += play.games;
    spent = performance.now() - begin;
  } while (spent < milliseconds);
  return { steps, games, seconds: spent / 1000, checksum: play.check() };
};

const serve = (port: NonNullable<typeof parentPort>, data: ThreadData): void => {
  for (const name of playNames) warmUp(name, data.warmUp / playNames.length);
  const make = (name: PlayName): Play => makePlay(name, chunkOf(name), hashSeed(0x7468_7264, data.index));
  const plays = { policy: make('policy'), uniform: make('uniform'), year: make('year') };
  port.on('message', (task: ThreadTask) => port.postMessage(playFor(plays[task.play], task.milliseconds)));
  port.postMessage('ready');
};

if (parentPort !== null) serve(parentPort, workerData as ThreadData);
