// Makes the rows that are measured on one thread. A row repeats a fixed chunk of some milliseconds, without its set-up.
// A hash of the results shows that only the speed has changed.

import { allLegalOrders, countLegalOrders, MAX_ORDERS_PER_PROVINCE } from '../../engine/legal/lists.js';
import { legalMask, vocabulary } from '../../engine/legal/vocabulary.js';
import { loadMap, mapNames } from '../../engine/map/index.js';
import { standard } from '../../engine/map/standard.js';
import { Batch } from '../../engine/play/batch.js';
import { POLICY } from '../../engine/play/step.js';
import { type Game, hashGame } from '../../engine/position/game.js';
import { DATC_3_2, rulesByName } from '../../engine/rules/options.js';
import { mix } from '../../engine/rules/random.js';
import { presetNames } from '../../engine/rules/rule-text.js';
import { MAX_LOCATIONS } from '../../engine/rules/types.js';
import { type Corpus, familyNames, makeCorpus, type PackedSet } from '../corpus/families.js';
import type { Row, RowPath } from './measured-row.js';
import { chunkOf, makePlay, makePlayouts, type PlayName, type Setting, warmUp } from './playing.js';
import { checkByRecursion, checkSets, prepareBoard, resolveAll } from './resolving.js';
import { searchRows } from './searching.js';
import { type JobName, RECORDED } from './threads.js';
import { startTimer } from './timer.js';

export const ONE_THREAD = '1 thread';
export const ALL_THREADS = 'all threads';

const SEED = 20_251_121;
const WARM_SEED = 7;
const nothing = (): void => {};

/**
 * Names of the fields of BenchResult for each kind of random play. `steps`: field for phase-steps per second, null if
 * these are not reported. `games`: field for games or rollouts per second.
 */
export const playKeys: Readonly<Record<JobName, { readonly steps: string | null; readonly games: string }>> = {
  policy: { steps: 'phase_steps_per_second', games: 'playouts_per_second' },
  uniform: { steps: 'uniform_phase_steps_per_second', games: 'uniform_playouts_per_second' },
  year: { steps: null, games: 'rollouts_per_second' },
  [RECORDED]: { steps: null, games: 'recorded_playouts_per_second' },
};

const playRow = (name: PlayName): Row => {
  const play = makePlay(name, chunkOf(name), SEED);
  const { steps, games } = playKeys[name];
  const counts: { path: RowPath; operations: number }[] = [{ path: [games, ONE_THREAD], operations: play.games }];
  if (steps !== null) counts.push({ path: [steps, ONE_THREAD], operations: play.run() });
  return { counts, prepare: nothing, run: play.run, check: play.check };
};

const resolveRow = (name: string, sets: readonly PackedSet[]): Row => ({
  counts: [{ path: ['resolves_per_second', name], operations: sets.length }],
  prepare: prepareBoard,
  run: () => resolveAll(sets),
  check: () => checkSets(sets),
});

const LISTS = 1000;

const addTo = (sum: number, values: ArrayLike<number>, count: number): number => {
  let all = sum;
  for (let i = 0; i < count; i++) all = (Math.imul(all, 31) + values[i]) | 0;
  return all;
};

/**
 * Makes the rows for the legal orders of mid-game positions: lists of orders, numbers of orders, and masks over the
 * vocabulary.
 */
const legalRows = (all: readonly Game[]): Row[] => {
  const positions = all.slice(0, LISTS);
  const list = new Int32Array(4 * MAX_ORDERS_PER_PROVINCE);
  const offsets = new Int32Array(MAX_LOCATIONS + 1);
  const words = vocabulary(standard);
  const mask = new Uint8Array(words.size);
  const row = (name: string, ask: (game: Game) => number, hash: (sum: number, asked: number) => number): Row => ({
    counts: [{ path: [name], operations: positions.length }],
    prepare: nothing,
    run: () => {
      let sum = 0;
      for (const game of positions) sum = (sum + ask(game)) | 0;
      return sum;
    },
    check: () => mix(positions.reduce((sum, game) => hash(sum, ask(game)), 0)) >>> 0,
  });
  return [
    row(
      'legal_lists_per_second',
      (game) => offsets[allLegalOrders(game, list, offsets)],
      (sum, count) => addTo(sum, list, count),
    ),
    row(
      'legal_counts_per_second',
      (game) => countLegalOrders(game, offsets),
      (sum, provinces) => addTo(sum, offsets, provinces + 1),
    ),
    row(
      'legal_masks_per_second',
      (game) => {
        legalMask(game, words, mask);
        return mask[words.size - 1];
      },
      (sum) => addTo(sum, mask, words.size),
    ),
  ];
};

const SLOTS = 1024;
const ROUNDS = 100;

/** Makes the row that copies games of a batch, each with its random stream, over other games. */
const copyRow = (): Row => {
  const batch = new Batch(standard, DATC_3_2, 2 * SLOTS, { until: 1902 });
  batch.reset(SEED);
  batch.playout(0);
  const run = (): number => {
    for (let round = 0; round < ROUNDS; round++)
      for (let i = 0; i < SLOTS; i++) batch.copy(i, SLOTS + ((i + round) & (SLOTS - 1)));
    return batch.bytes[batch.bytes.length - 1];
  };
  const check = (): number => {
    run();
    let sum = 0;
    for (let i = SLOTS; i < 2 * SLOTS; i++) sum = mix(Math.imul(sum, 31) + hashGame(batch.game(i))[0]);
    return sum >>> 0;
  };
  return { counts: [{ path: ['copies_per_second'], operations: SLOTS * ROUNDS }], prepare: nothing, run, check };
};

/** Number of games in a chunk of a row for other rules or another map. Small, because such games may be slow. */
const OTHER_GAMES = 64;

const settingRow = (path: RowPath, setting: Setting): Row => {
  const play = makePlayouts(POLICY, OTHER_GAMES, SEED, setting);
  return { counts: [{ path, operations: play.run() }], prepare: nothing, run: play.run, check: play.check };
};

/**
 * Makes the rows for phase-steps with the heuristic sampler, one for every preset of rules and every map. These rows
 * must run last, because V8 may compile worse code for other rows after seeing them.
 */
export const makeOtherRows = (): Row[] => [
  ...presetNames.map((name) =>
    settingRow(['preset_phase_steps_per_second', name], { map: standard, rules: rulesByName(name) }),
  ),
  ...mapNames.map((name) => settingRow(['map_phase_steps_per_second', name], { map: loadMap(name), rules: DATC_3_2 })),
];

/**
 * Makes the rows for one thread, and the positions and order sets that they use.
 * @param size number of order sets of each family
 */
export const makeRows = (size: number): { rows: Row[]; corpus: Corpus } => {
  const corpus = makeCorpus(SEED, size);
  const resolving = familyNames.map((name) => resolveRow(name, corpus.sets[name]));
  const rows = [
    playRow('policy'),
    playRow('uniform'),
    playRow('year'),
    ...resolving,
    ...legalRows(corpus.positions),
    copyRow(),
    ...searchRows(corpus.positions),
  ];
  return { rows, corpus };
};

/** Runs the rows on other seeds for the given time, long enough for V8 to have seen every branch. */
export const warmRows = (milliseconds: number): void => {
  const { sets, positions } = makeCorpus(WARM_SEED, 500);
  const others = [
    ...familyNames.map((name) => resolveRow(name, sets[name])),
    ...legalRows(positions),
    copyRow(),
    ...searchRows(positions),
  ];
  const spent = startTimer();
  while (spent() < milliseconds / 2)
    for (const row of others) {
      row.prepare();
      row.run();
    }
  // The passes leave few sets to the recursion, which would not be warm. It gets all sets here.
  while (spent() < (3 * milliseconds) / 4) for (const name of familyNames) checkByRecursion(sets[name]);
  for (const name of ['policy', 'uniform', 'year'] as const) warmUp(name, milliseconds / 12);
};
