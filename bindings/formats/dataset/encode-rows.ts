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
  vocabulary,
} from '../../../engine/internal.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import * as O from '../../../engine/rules/order.js';
import { Lists, NO_SLOT } from '../arrays/legal-lists.js';
import { makeTensors, type Tensors } from '../arrays/observations.js';
import { SharedArrays } from '../arrays/shared-arrays.js';
import { DipccEncoder } from '../tensors/dipcc.js';
import { filesOf, rulesOfFile, SampleFilter } from './decode-games.js';
import { GameBlock, type WeighedChoice } from './game-block.js';
import type { ReaderConfig } from './reader-config.js';
import {
  type ColumnArrays,
  columnArrays,
  DIPCC_VERSION,
  LATER,
  layOutRows,
  ROWS_A_TASK,
  type RowLayout,
} from './row-layout.js';

/** Rows to be written. */
export interface EncodeTask {
  readonly config: ReaderConfig;
  /** The memory that threads share where the file is not mapped. */
  readonly copy: SharedArrayBuffer | null;
  readonly slot: number;
  /** First row in the batch: a multiple of ROWS_A_TASK. */
  readonly first: number;
  readonly blocks: readonly SharedArrayBuffer[];
  /** For each sample the index of its block, its phase in the block, and its power or -1. */
  readonly samples: Int32Array;
}

/** What is asked of the arrays that nets read. */
type View = Pick<Tensors, 'clear' | 'beforePhase' | 'write'>;

/** Writes dipcc's boards, as Tensors writes those of others. */
class DipccTensors implements View {
  private readonly encoder = new DipccEncoder(this.map, DIPCC_VERSION);
  private readonly boards = this.memory.float32('observation');

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: SharedArrays,
  ) {}

  clear(): void {}
  beforePhase(): void {}
  write(row: number, game: Game, builds: Int8Array): void {
    const { rows, columns } = this.encoder;
    const { powerCount } = game.map;
    const due = builds.subarray(row * powerCount, (row + 1) * powerCount);
    this.encoder.encode(game, this.boards, row * rows * columns, due);
  }
}

const waiveBit = (order: O.Order): number => (O.orderType(order) === O.WAIVE ? 1 : 0);

/** Writes rows into memory; one thread has one of them for its files. */
export class RowEncoder {
  private readonly config = this.task.config;
  private readonly files = filesOf(this.config);
  private readonly map = this.files.map;
  readonly layout: RowLayout = layOutRows(this.map, this.config);
  readonly memory: SharedArrays = new SharedArrays(this.layout, this.config.fd, this.task.copy);
  private readonly filter = new SampleFilter(this.files, this.config);
  /** Games by rules: one for the position of a sample, one for those before it. */
  private readonly present: Map<Rules, Game> = new Map();
  private readonly past: Map<Rules, Game> = new Map();
  private readonly words = vocabulary(this.map);
  private readonly lists = new Lists(this.map);
  /** Write the observations of samples, and those nStep phases later. */
  private readonly tensors: View | null = this.viewIn(this.memory);
  private readonly laterTensors: View | null = this.config.nStep > 0 ? this.viewIn(this.laterMemory()) : null;
  /** Builds and removals nStep phases later, by row and power. */
  private readonly laterBuilds = new Int8Array(
    this.config.nStep > 0 ? this.config.slots * this.config.batchSize * this.map.powerCount : 0,
  );
  private readonly centers = new Int32Array(this.map.powerCount);
  /** By province: place of its order in the phase + 1; 0 for none. */
  private readonly orderIn = new Int32Array(this.map.provinceCount);
  private readonly arrays: ColumnArrays = columnArrays(this.memory);
  /** Where the entries of legal_ids for this task end. */
  private limit = 0;

  constructor(private readonly task: Pick<EncodeTask, 'config' | 'copy'>) {}

  private viewIn(arrays: SharedArrays): View | null {
    const { observations } = this.config;
    return observations === 'dipcc' ? new DipccTensors(this.map, arrays) : makeTensors(this.map, arrays, observations);
  }

  /** The arrays of the later observations, under the names of those of the sample. */
  private laterMemory(): SharedArrays {
    const { sections, size } = this.layout;
    const later = sections
      .filter(({ name }) => name.startsWith(LATER))
      .map((section) => ({ ...section, name: section.name.slice(LATER.length) }));
    return new SharedArrays({ sections: later, size }, this.config.fd, this.task.copy);
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
      const row = slot * batchSize + first + i;
      const block = views[samples[3 * i]];
      const phase = samples[3 * i + 1];
      next = this.writeRow(row, block, phase, samples[3 * i + 2], next);
      this.writeView(this.tensors, this.arrays.build_numbers, row, block, phase);
      this.writeView(this.laterTensors, this.laterBuilds, row, block, this.later(block, phase));
    }
    return next - begin;
  }

  private writeRow(row: number, block: GameBlock, phase: number, power: number, next: number): number {
    const game = this.load(block, phase, this.present);
    const g = block.gameOf(phase);
    this.arrays.game[row] = block.number(g);
    this.arrays.file[row] = block.file(g);
    this.arrays.phase_index[row] = phase - block.firstPhase(g);
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
    this.countBuilds(game, this.arrays.build_numbers, at);
    game.countCenters(this.centers);
    for (let q = 0; q < powerCount; q++) {
      this.arrays.center_counts[at + q] = this.centers[q];
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
    lists.list(game, this.arrays.build_numbers, row * powerCount);
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
      this.arrays.order_counts[row * orderers + (power >= 0 ? 0 : q)] = due;
      const adjustments = game.phase === ADJUSTMENT ? this.adjustmentsOf(game, q, orders) : [];
      for (let s = 0; s < maxOrders; s++, slot++, offset++) {
        if (config.legal) this.arrays.legal_offsets[offset] = next;
        if (s >= due) {
          this.writeOrder(slot, NO_SLOT, null, 0, next, next);
          continue;
        }
        const location = lists.locationOf(q, s);
        const i = location < 0 ? (adjustments[s] ?? -1) : this.orderIn[map.locationProvince[location]] - 1;
        const from = next;
        if (config.legal)
          next = lists.writeIds(lists.first(q, s), lists.end(q, s), this.arrays.legal_ids, next, this.limit);
        if (i >= 0) this.writeOrder(slot, location, orders[i], results[i], from, next);
        // A build that nobody ordered is waived, whether the record says so or not.
        else if (this.arrays.build_numbers[row * powerCount + q] > 0)
          this.writeOrder(slot, location, O.waive(q), SUCCEEDS, from, next);
        else this.writeOrder(slot, location, null, 0, from, next);
        if (!config.targets) continue;
        const orderIn = (orders: Int32Array): O.Order | null => this.orderOf(game, q, s, location, orders);
        this.writePolicy(weighed[q], orderIn, this.arrays.actions[slot], from, next);
      }
    }
    if (config.legal) this.arrays.legal_offsets[offset] = next;
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
    this.arrays.order_ids[slot] = id;
    this.arrays.results[slot] = order === null ? -1 : resultIn(outcome);
    this.arrays.fates[slot] = order === null ? -1 : fateIn(outcome);
    if (!this.config.legal) return;
    let found = -1;
    for (let k = from; k < end && found < 0; k++) if (this.arrays.legal_ids[k] === id) found = k - from;
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
    const { policy, legal_ids } = this.arrays;
    policy.fill(0, from, end);
    if (weighed === undefined && action >= 0) policy[from + action] = 1;
    for (const { probability, orders } of weighed?.sets ?? []) {
      const order = orderIn(orders);
      if (order === null) continue;
      const place = legal_ids.subarray(from, end).indexOf(this.words.indexOf(withoutCoast(this.map, order)));
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

  /** @param builds builds and removals by row and power: written here for the row */
  private writeView(tensors: View | null, builds: Int8Array, row: number, block: GameBlock, phase: number): void {
    if (tensors === null) return;
    const game = this.load(block, phase, this.present);
    this.countBuilds(game, builds, row * this.map.powerCount);
    tensors.clear(row);
    for (const past of this.pastOf(block, phase))
      tensors.beforePhase(row, this.load(block, past, this.past), block.orders(past));
    tensors.write(row, game, builds);
  }

  private countBuilds(game: Game, into: Int8Array, at: number): void {
    if (game.phase === ADJUSTMENT) adjustmentsDue(game, into, at);
    else into.fill(0, at, at + this.map.powerCount);
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
  const chunk = slot * layout.chunks + first / ROWS_A_TASK;
  for (const { name, rowBytes } of layout.shown)
    if (layout.lists.includes(name)) memory.pushBytes(name, rowBytes * chunk, (rowBytes / layout.chunkIds) * ids);
    else memory.push(name, row, row + count);
};

/** Called in a worker: writes rows. */
export const encodeRows = (task: EncodeTask): void => {
  encoder ??= new RowEncoder(task);
  push(encoder, task, encoder.write(task));
};
