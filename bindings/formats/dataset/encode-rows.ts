// Writes samples of a dataset as rows of a batch, in a worker.

import { fateIn, resultIn } from '../../../engine/adjudicate/order-results.js';
import {
  ADJUSTMENT,
  adjustmentDue,
  adjustmentsDue,
  type CompiledMap,
  Game,
  MOVEMENT,
  ordererOf,
  type Rules,
  SUCCEEDS,
  type Vocabulary,
  vocabulary,
} from '../../../engine/internal.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import * as O from '../../../engine/rules/order.js';
import { Lists, NO_SLOT } from '../arrays/legal-lists.js';
import { makeTensors, type Tensors } from '../arrays/observations.js';
import { SharedArrays } from '../arrays/shared-arrays.js';
import { DipccEncoder } from '../tensors/dipcc.js';
import { filesOf, rulesOfFile, SampleFilter } from './decode-games.js';
import type { Files } from './find-games.js';
import { GameBlock, type WeighedChoice } from './game-block.js';
import type { ReaderConfig } from './reader-config.js';
import { DIPCC_VERSION, layOutRows, ROWS_A_TASK, type RowLayout } from './row-layout.js';

/** Rows to be written. */
export interface EncodeTask {
  readonly config: ReaderConfig;
  /** The memory that threads share where the file is not mapped. */
  readonly copy: SharedArrayBuffer | null;
  readonly slot: number;
  /** First row in the batch: a multiple of ROWS_A_TASK. */
  readonly first: number;
  readonly blocks: readonly SharedArrayBuffer[];
  /** For each sample its block, its phase in it, and its power or -1. */
  readonly samples: Int32Array;
}

/** Writes dipcc's boards, as Tensors writes those of others. */
class DipccTensors implements Tensors {
  readonly isCumulative: boolean = false;
  declare private readonly encoder: DipccEncoder;
  declare private readonly boards: Float32Array;

  constructor(map: CompiledMap, memory: SharedArrays) {
    this.encoder = new DipccEncoder(map, DIPCC_VERSION);
    this.boards = memory.float32('observation');
  }
  clear(): void {}
  restart(): void {}
  beforePhase(): void {}
  afterStep(): void {}
  readonly play = null;
  write(row: number, game: Game, builds: Int8Array): void {
    const { rows, columns } = this.encoder;
    const { powerCount } = game.map;
    const due = builds.subarray(row * powerCount, (row + 1) * powerCount);
    this.encoder.encode(game, this.boards, row * rows * columns, due);
  }
  writeFinal(): void {}
  copy(): void {}
}

const waiveBit = (order: O.Order): number => (O.orderType(order) === O.WAIVE ? 1 : 0);

/** The arrays of rows; those that a reader does not ask for are empty. */
const rowArrays = (memory: SharedArrays) => {
  const integers = (name: string): Int32Array => (memory.has(name) ? memory.int32(name) : new Int32Array(0));
  const floats = (name: string): Float32Array => (memory.has(name) ? memory.float32(name) : new Float32Array(0));
  return {
    game: memory.int32('game'),
    file: memory.int32('file'),
    phaseIndex: memory.int32('phase_index'),
    year: memory.int16('year'),
    season: memory.bytes('season'),
    phase: memory.bytes('phase'),
    power: memory.int8('power'),
    winner: memory.int8('winner'),
    agents: memory.int16('agents'),
    acting: memory.bytes('acting'),
    builds: memory.int8('build_numbers'),
    centerCounts: memory.bytes('center_counts'),
    returns: memory.float32('returns'),
    orderCounts: memory.bytes('order_counts'),
    orderable: memory.int16('orderable'),
    orderIds: memory.int32('order_ids'),
    results: memory.int8('results'),
    fates: memory.int8('fates'),
    actions: integers('actions'),
    legalOffsets: integers('legal_offsets'),
    legalIds: integers('legal_ids'),
    policy: floats('policy'),
    values: floats('values'),
    targeted: memory.has('targeted') ? memory.bytes('targeted') : new Uint8Array(0),
    rewards: floats('rewards'),
    discounts: floats('discounts'),
    steps: integers('steps'),
  };
};
type RowArrays = ReturnType<typeof rowArrays>;

/** Writes rows into memory; one thread has one of them for its files. */
export class RowEncoder {
  declare readonly memory: SharedArrays;
  declare readonly layout: RowLayout;
  declare private readonly config: ReaderConfig;
  declare private readonly files: Files;
  declare private readonly map: CompiledMap;
  declare private readonly filter: SampleFilter;
  /** Games by rules: one for the position of a sample, one for those before it. */
  private readonly present: Map<Rules, Game> = new Map();
  private readonly past: Map<Rules, Game> = new Map();
  declare private readonly words: Vocabulary;
  declare private readonly lists: Lists;
  declare private readonly tensors: Tensors | null;
  /** Builds and removals by row of observations; the tensors read them. */
  declare private readonly viewBuilds: Int8Array;
  declare private readonly centers: Int32Array;
  /** By province: place of its order in the phase + 1; 0 for none. */
  declare private readonly orderIn: Int32Array;
  /** Where the entries of legal_ids for this task end. */
  private limit = 0;
  declare private readonly arrays: RowArrays;

  constructor({ config, copy }: Pick<EncodeTask, 'config' | 'copy'>) {
    const files = filesOf(config);
    const { map } = files;
    const layout = layOutRows(map, config);
    const memory = new SharedArrays(layout, config.fd, copy);
    this.config = config;
    this.files = files;
    this.map = map;
    this.layout = layout;
    this.memory = memory;
    this.filter = new SampleFilter(files, config);
    this.words = vocabulary(map);
    this.lists = new Lists(map);
    this.tensors =
      config.observations === 'dipcc' ? new DipccTensors(map, memory) : makeTensors(map, memory, config.observations);
    this.viewBuilds = new Int8Array(config.slots * layout.viewRows * map.powerCount);
    this.centers = new Int32Array(map.powerCount);
    this.orderIn = new Int32Array(map.provinceCount);
    this.arrays = rowArrays(memory);
  }

  /** A position of a block, in one of some games that are there for that. */
  private load(block: GameBlock, phase: number, into: Map<Rules, Game>): Game {
    const rules = rulesOfFile(this.files, this.files.files[block.file(block.gameOf(phase))]);
    const game = into.get(rules) ?? new Game(this.map, rules);
    into.set(rules, game);
    block.load(phase, game);
    return game;
  }

  /** Writes the samples of a task. @returns entries of legal_ids that were written */
  write({ slot, first, blocks, samples }: Pick<EncodeTask, 'slot' | 'first' | 'blocks' | 'samples'>): number {
    const { batchSize } = this.config;
    const { chunks, chunkIds } = this.layout;
    const views = blocks.map((memory) => new GameBlock(memory));
    const begin = (slot * chunks + first / ROWS_A_TASK) * chunkIds;
    this.limit = begin + chunkIds;
    let next = begin;
    for (let i = 0; 3 * i < samples.length; i++) {
      const block = views[samples[3 * i]];
      next = this.writeRow(slot * batchSize + first + i, block, samples[3 * i + 1], samples[3 * i + 2], next);
      this.writeViews(slot * this.layout.viewRows + first + i, block, samples[3 * i + 1]);
    }
    return next - begin;
  }

  private writeRow(row: number, block: GameBlock, phase: number, power: number, next: number): number {
    const game = this.load(block, phase, this.present);
    const g = block.gameOf(phase);
    this.arrays.game[row] = block.number(g);
    this.arrays.file[row] = block.file(g);
    this.arrays.phaseIndex[row] = phase - block.firstPhase(g);
    this.arrays.year[row] = game.year;
    this.arrays.season[row] = game.season;
    this.arrays.phase[row] = game.phase;
    this.arrays.power[row] = power;
    this.arrays.winner[row] = block.winner(g);
    this.describePowers(row, block, g, game);
    if (this.config.nStep > 0) this.writeStep(row, block, phase);
    return this.writeOrders(row, block, phase, power, game, next);
  }

  private describePowers(row: number, block: GameBlock, g: number, game: Game): void {
    const { powerCount } = this.map;
    const at = row * powerCount;
    if (game.phase === ADJUSTMENT) adjustmentsDue(game, this.arrays.builds, at);
    else this.arrays.builds.fill(0, at, at + powerCount);
    game.countCenters(this.centers);
    for (let q = 0; q < powerCount; q++) {
      this.arrays.centerCounts[at + q] = this.centers[q];
      this.arrays.returns[at + q] = block.score(g, q);
      this.arrays.agents[at + q] = block.agent(g, q);
      this.arrays.acting[at + q] = this.filter.takesPower(q, block.winner(g), block.agent(g, q)) ? 1 : 0;
    }
  }

  // ---- orders ----

  private writeOrders(row: number, block: GameBlock, phase: number, power: number, game: Game, begin: number): number {
    const { lists, layout, config, map } = this;
    const { orderers, maxOrders } = layout;
    const { powerCount } = map;
    lists.list(game, this.arrays.builds, row * powerCount);
    const orders = block.orders(phase);
    const results = block.results(phase);
    const weighed = config.targets ? block.weighed(phase) : [];
    if (config.targets) this.writeValues(row * powerCount, weighed);
    this.placeOrders(orders);
    let next = begin;
    let slot = row * orderers * maxOrders;
    let offset = row * (orderers * maxOrders + 1);
    for (let q = 0; q < powerCount; q++) {
      const due = lists.due(q);
      if (due === 0 || (power >= 0 && q !== power)) this.arrays.acting[row * powerCount + q] = 0;
      if (power >= 0 && q !== power) continue;
      this.arrays.orderCounts[row * orderers + (power >= 0 ? 0 : q)] = due;
      const adjustments = game.phase === ADJUSTMENT ? this.adjustmentsOf(game, q, orders) : [];
      for (let s = 0; s < maxOrders; s++, slot++, offset++) {
        if (config.legal) this.arrays.legalOffsets[offset] = next;
        if (s >= due) {
          this.writeOrder(slot, NO_SLOT, null, 0, next, next);
          continue;
        }
        const location = lists.locationOf(q, s);
        const i = location < 0 ? (adjustments[s] ?? -1) : this.orderIn[map.locationProvince[location]] - 1;
        const from = next;
        if (config.legal)
          next = lists.writeIds(lists.first(q, s), lists.end(q, s), this.arrays.legalIds, next, this.limit);
        if (i >= 0) this.writeOrder(slot, location, orders[i], results[i], from, next);
        // A build that nobody ordered is waived, whether the record says so or not.
        else if (this.arrays.builds[row * powerCount + q] > 0)
          this.writeOrder(slot, location, O.waive(q), SUCCEEDS, from, next);
        else this.writeOrder(slot, location, null, 0, from, next);
        if (!config.targets) continue;
        const orderIn = (orders: Int32Array): O.Order | null => this.orderOf(game, q, s, location, orders);
        this.writePolicy(weighed[q], orderIn, this.arrays.actions[slot], from, next);
      }
    }
    if (config.legal) this.arrays.legalOffsets[offset] = next;
    return next;
  }

  /** Places of the adjustments of a power: ascending by order, waives last, so that equal builds are equal rows. */
  private adjustmentsOf(game: Game, power: number, orders: Int32Array): number[] {
    const found: number[] = [];
    for (let i = 0; i < orders.length; i++) if (ordererOf(game, orders[i]) === power) found.push(i);
    return found.sort((a, b) => waiveBit(orders[a]) - waiveBit(orders[b]) || orders[a] - orders[b]);
  }

  private placeOrders(orders: Int32Array): void {
    const { orderIn, map } = this;
    orderIn.fill(0);
    for (let i = 0; i < orders.length; i++) orderIn[map.locationProvince[O.orderLocation(orders[i])]] = i + 1;
  }

  /** @param order null for none; its legal orders are legal_ids[from .. end) */
  private writeOrder(
    slot: number,
    location: number,
    order: O.Order | null,
    outcome: number,
    from: number,
    end: number,
  ): void {
    this.arrays.orderable[slot] = location;
    const id = order === null ? -1 : this.words.indexOf(withoutCoast(this.map, order));
    this.arrays.orderIds[slot] = id;
    this.arrays.results[slot] = order === null ? -1 : resultIn(outcome);
    this.arrays.fates[slot] = order === null ? -1 : fateIn(outcome);
    if (!this.config.legal) return;
    let found = -1;
    for (let k = from; k < end && found < 0; k++) if (this.arrays.legalIds[k] === id) found = k - from;
    this.arrays.actions[slot] = found;
  }

  // ---- what agents weighed ----

  /** @param at of the first power */
  private writeValues(at: number, weighed: readonly (WeighedChoice | undefined)[]): void {
    for (let q = 0; q < this.map.powerCount; q++) {
      this.arrays.values[at + q] = weighed[q]?.value ?? Number.NaN;
      this.arrays.targeted[at + q] = weighed[q] === undefined ? 0 : 1;
    }
  }

  /**
   * How likely each legal order of a slot was: legal_ids[from .. end).
   * @param orderIn the order that a set has for the slot; null for none
   */
  private writePolicy(
    weighed: WeighedChoice | undefined,
    orderIn: (orders: Int32Array) => O.Order | null,
    action: number,
    from: number,
    end: number,
  ): void {
    const { policy, legalIds } = this.arrays;
    policy.fill(0, from, end);
    if (weighed === undefined && action >= 0) policy[from + action] = 1;
    for (const { probability, orders } of weighed?.sets ?? []) {
      const order = orderIn(orders);
      if (order === null) continue;
      const place = legalIds.subarray(from, end).indexOf(this.words.indexOf(withoutCoast(this.map, order)));
      if (place >= 0) policy[from + place] += probability;
    }
  }

  /** The order that a set of a power has for one of its slots; null for none. */
  private orderOf(game: Game, power: number, slot: number, location: number, orders: Int32Array): O.Order | null {
    const { locationProvince } = this.map;
    if (location < 0) {
      const found = this.adjustmentsOf(game, power, orders);
      if (slot < found.length) return orders[found[slot]];
      return adjustmentDue(game, power) > 0 ? O.waive(power) : null;
    }
    const province = locationProvince[location];
    return orders.find((order) => locationProvince[O.orderLocation(order)] === province) ?? null;
  }

  // ---- what nets read ----

  /** Observations of a position, and of the one nStep phases later. */
  private writeViews(view: number, block: GameBlock, phase: number): void {
    if (this.tensors === null) return;
    this.writeView(view, block, phase, this.tensors);
    const { nStep, batchSize } = this.config;
    if (nStep > 0) this.writeView(view + batchSize, block, this.later(block, phase), this.tensors);
  }

  private writeView(view: number, block: GameBlock, phase: number, tensors: Tensors): void {
    const game = this.load(block, phase, this.present);
    const at = view * this.map.powerCount;
    if (game.phase === ADJUSTMENT) adjustmentsDue(game, this.viewBuilds, at);
    else this.viewBuilds.fill(0, at, at + this.map.powerCount);
    tensors.clear(view);
    for (const past of this.pastOf(block, phase))
      tensors.beforePhase(view, this.load(block, past, this.past), block.orders(past));
    tensors.write(view, game, this.viewBuilds);
  }

  /** The phases whose orders an observation may show: the last moves, the last adjustments, the last of all. */
  private pastOf(block: GameBlock, phase: number): number[] {
    const first = block.firstPhase(block.gameOf(phase));
    const wanted = new Set([MOVEMENT, ADJUSTMENT]);
    const found: number[] = [];
    for (let past = phase - 1; past >= first && wanted.size > 0; past--) {
      const kind = block.kindOf(past);
      if (past === phase - 1 || wanted.has(kind)) found.push(past);
      wanted.delete(kind);
    }
    return found.reverse();
  }

  private later(block: GameBlock, phase: number): number {
    return Math.min(phase + this.config.nStep, block.lastPhase(block.gameOf(phase)));
  }

  private writeStep(row: number, block: GameBlock, phase: number): void {
    const { discount } = this.config;
    const { powerCount } = this.map;
    const g = block.gameOf(phase);
    const later = this.later(block, phase);
    const steps = later - phase;
    const isEnd = later === block.lastPhase(g);
    this.arrays.steps[row] = steps;
    this.arrays.discounts[row] = isEnd ? 0 : discount ** steps;
    for (let q = 0; q < powerCount; q++)
      this.arrays.rewards[row * powerCount + q] = isEnd ? discount ** (steps - 1) * block.score(g, q) : 0;
  }
}

let encoder: RowEncoder | undefined;

/** Shows the client the rows of a task; with a mapping it sees them anyway. */
const push = ({ memory, layout }: RowEncoder, { config, slot, first, samples }: EncodeTask, ids: number): void => {
  if (memory.isMapped) return;
  const count = samples.length / 3;
  const row = slot * config.batchSize + first;
  const view = slot * layout.viewRows + first;
  for (const { name, shape } of layout.sections) {
    if (name === 'legal_ids' || name === 'policy') {
      const chunk = slot * layout.chunks + first / ROWS_A_TASK;
      memory.pushBytes(name, 4 * chunk * layout.chunkIds, 4 * ids);
    } else if (!layout.views.has(name)) memory.push(name, row, row + count);
    else if (shape[0] > 0) {
      memory.push(name, view, view + count);
      if (config.nStep > 0) memory.push(name, view + config.batchSize, view + config.batchSize + count);
    }
  }
};

/** Called in a worker: writes rows. */
export const encodeRows = (task: EncodeTask): void => {
  encoder ??= new RowEncoder(task);
  push(encoder, task, encoder.write(task));
};
