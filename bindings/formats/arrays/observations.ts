// Encodes net inputs for the batch server and for folders of tensors.
import { board, packedOrder } from '../../../engine/adjudicate/movement/index.js';
import { adjustmentsDue, type CompiledMap, type Game, vocabulary } from '../../../engine/internal.js';
import { played } from '../../../engine/play/step.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import {
  listPlaces,
  PreviousOrdersEncoder,
  previousOrderColumns,
  places as unitPlaces,
} from '../../../selfplay/nets/dipnet-orders.js';
import { boardLayout } from '../tensors/board.js';
import { deepmindActions, deepmindEncoder, deepmindSeason } from '../tensors/deepmind.js';
import { dipnetEncoder } from '../tensors/dipnet.js';
import { DipnetPlayEncoder, PLAY_POWERS } from '../tensors/dipnet-play.js';
import { maxOrdersOf } from './legal-lists.js';
import type { ArrayRow, SharedArrays } from './shared-arrays.js';

export const observationKinds = ['none', 'dipnet', 'deepmind'] as const;
export type ObservationKind = (typeof observationKinds)[number];

/** Maximum number of games in a chunk, the games that a thread of the batch server handles at a time. */
export const CHUNK_GAMES = 64;

/**
 * Returns the arrays, for placeArrays(), that a kind of observations needs.
 * @param games number of games, which have a final observation
 * @param all number of all rows, for games and children
 */
export const observationRows = (map: CompiledMap, kind: ObservationKind, games: number, all: number): ArrayRow[] => {
  if (kind === 'none') return [];
  const { rows, columns } = boardLayout(map);
  const shared: ArrayRow[] = [
    ['observation', 'u1', [all, rows, columns]],
    ['final_observation', 'u1', [games, rows, columns]],
  ];
  if (kind === 'dipnet') {
    const columnsBefore = previousOrderColumns(map);
    return [
      ...shared,
      ['previous_orders', 'u1', [all, rows, columnsBefore], 'kept'],
      ['final_previous_orders', 'u1', [games, rows, columnsBefore]],
    ];
  }
  const orders = map.powerCount * maxOrdersOf(map);
  return [
    ...shared,
    ['deepmind_season', 'i1', [all]],
    ['deepmind_builds', 'i1', [all, map.powerCount], 'kept'],
    ['last_actions', 'i8', [all, orders], 'kept'],
    ['last_action_count', 'i4', [all], 'kept'],
  ];
};

/** Encoders for random play, which read the board of play/step.ts instead of a game. */
export interface PlayTensors {
  /**
   * Writes the orders of a movement phase. Call it between begin() and finish(), before the units move.
   * @param units number of units on the board
   */
  writeOrders(row: number, units: number): void;
  /**
   * Writes the same as Tensors.write(). Call it before a movement phase or after a solo.
   * @param units number of units on the board
   */
  writeBoard(row: number, units: number): void;
}

/** Encoder of observations. Each method writes the row of one game. */
export interface Tensors {
  /** True if afterStep() must be called for every random step; false if the last of several is enough. */
  readonly isCumulative: boolean;
  /** Forgets the phases that the game of a row has played, whose orders or builds its observations contain. */
  clear(row: number): void;
  /** Records the orders of a phase before they are played. */
  beforePhase(row: number, game: Game, orders: Int32Array): void;
  /**
   * Records a random step. Its orders are on the board (engine/play/step.ts); the game is still at the position before
   * it.
   */
  afterStep(row: number, game: Game): void;
  /** Encoder to call for random steps instead of afterStep(). Null if afterStep() is needed. */
  readonly play: PlayTensors | null;
  /**
   * Writes the observation of a position.
   * @param builds builds (> 0) or removals (< 0) due, indexed by row * powers + power
   */
  write(row: number, game: Game, builds: Int8Array): void;
  /** Writes the final observation of a game that has ended. */
  writeFinal(row: number, game: Game): void;
  /** Copies the orders or builds of a game's earlier phases, which its observations contain, to another row. */
  copy(from: number, to: number): void;
}

/** Returns the encoder for a kind of observations, or null for 'none'. */
export const makeTensors = (map: CompiledMap, memory: SharedArrays, kind: ObservationKind): Tensors | null => {
  if (kind === 'none') return null;
  return kind === 'dipnet' ? new DipnetTensors(map, memory) : new DeepmindTensors(map, memory);
};

/**
 * Returns the power of the unit in a province after the moves and retreats of a random step.
 * @throws LepantoError if no unit is there
 */
const powerAfterMoves = (game: Game, province: T.Province): T.Power => {
  const { counts, retreats, met } = played;
  const { locationProvince } = game.map;
  const n = listPlaces(game);
  for (let i = 0; i < n; i++) {
    const p = unitPlaces[i];
    if (board.dislodgedBy[p] !== 0) continue;
    const type = O.orderType(board.order[p]);
    const moves = (type === O.MOVE || type === O.RAIL) && board.success[p] === 1;
    if ((moves ? board.destination[p] : p) === province) return T.unitPower(game.unitAt(p));
  }
  for (let i = 0; i < counts[0]; i++)
    if (
      O.orderType(retreats[i]) === O.RETREAT_TO &&
      met[i] === 0 &&
      locationProvince[O.orderTarget(retreats[i])] === province
    )
      return T.unitPower(game.unitAt(locationProvince[O.orderLocation(retreats[i])]));
  throw new LepantoError('argument', `removal in ${game.map.provinceTags[province]}: got no unit there`);
};

const NO_BUILDS = new Int8Array(64);

class DipnetTensors implements Tensors, PlayTensors {
  readonly isCumulative: boolean = false;
  private readonly board = dipnetEncoder(this.map);
  private readonly previous = new PreviousOrdersEncoder(this.map);
  private readonly boards = this.memory.bytes('observation');
  private readonly finals = this.memory.bytes('final_observation');
  private readonly orders = this.memory.bytes('previous_orders');
  private readonly finalOrders = this.memory.bytes('final_previous_orders');
  private readonly powers: number = this.map.powerCount;
  /** Encoder for random play; null on a map that it does not support. */
  private readonly player = this.powers === PLAY_POWERS ? new DipnetPlayEncoder(this.map) : null;
  readonly play: PlayTensors | null = this.player === null ? null : this;
  /** Row whose board the encoder for random play has already written; -1 for none. */
  private shown = -1;

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: SharedArrays,
  ) {}

  clear(row: number): void {
    const { size } = this.previous;
    this.orders.fill(0, row * size, (row + 1) * size);
    this.shown = -1;
  }
  beforePhase(row: number, game: Game, orders: Int32Array): void {
    if (game.phase === T.MOVEMENT)
      this.previous.encode(game, orders, orders.length, this.orders, row * this.previous.size);
  }
  afterStep(row: number, game: Game): void {
    this.previous.encodeBoard(game, board.order, this.orders, row * this.previous.size);
  }
  write(row: number, game: Game, builds: Int8Array): void {
    if (this.shown !== row) this.board.encode(game, this.boards, row * this.board.size, builds, row * this.powers);
    this.shown = -1;
  }
  writeFinal(row: number, game: Game): void {
    const at = row * this.board.size;
    if (this.shown === row) this.finals.set(this.boards.subarray(at, at + this.board.size), at);
    else this.board.encode(game, this.finals, at, NO_BUILDS);
    const { size } = this.previous;
    this.finalOrders.set(this.orders.subarray(row * size, (row + 1) * size), row * size);
  }
  copy(from: number, to: number): void {
    const { size } = this.previous;
    this.orders.copyWithin(to * size, from * size, (from + 1) * size);
  }
  writeOrders(row: number, units: number): void {
    this.player?.writeOrders(this.orders, row * this.previous.size, units);
  }
  writeBoard(row: number, units: number): void {
    this.player?.writeBoard(this.boards, row * this.board.size, units);
    this.shown = row;
  }
}

class DeepmindTensors implements Tensors {
  // Later observations contain the removals of the last build phase, so no step may be skipped.
  readonly isCumulative: boolean = true;
  readonly play: null = null;
  private readonly board = deepmindEncoder(this.map);
  private readonly boards = this.memory.bytes('observation');
  private readonly finals = this.memory.bytes('final_observation');
  private readonly season = this.memory.int8('deepmind_season');
  /** Builds as in DeepMind's observations: outside build phases, the removals of the last build phase. */
  private readonly builds = this.memory.int8('deepmind_builds');
  private readonly lastActions = this.memory.int32('last_actions');
  private readonly lastCount = this.memory.int32('last_action_count');
  private readonly actions = deepmindActions(this.map);
  private readonly idOf = vocabulary(this.map).indexOf;
  private readonly powers: number = this.map.powerCount;
  private readonly perGame = this.powers * maxOrdersOf(this.map);

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: SharedArrays,
  ) {}

  clear(row: number): void {
    for (let q = 0; q < this.powers; q++) this.builds[row * this.powers + q] = 0;
    this.lastCount[row] = 0;
  }
  beforePhase(row: number, game: Game, orders: Int32Array): void {
    this.lastCount[row] = 0;
    for (let i = 0; i < orders.length; i++) this.add(row, orders[i]);
    if (game.phase !== T.ADJUSTMENT) return;
    const at = row * this.powers;
    adjustmentsDue(game, this.builds, at);
    for (let q = at; q < at + this.powers; q++) this.builds[q] = Math.min(0, this.builds[q]);
  }

  /** Adds an order of the game in a row to the orders of its last phase. */
  private add(row: number, order: O.Order): void {
    const at = 2 * (row * this.perGame + this.lastCount[row]++);
    // Legal lists contain no support with a coast, which has no action.
    const index = this.actions.indexOf[this.idOf(order)];
    this.lastActions[at] = this.actions.bits[index] | 0;
    this.lastActions[at + 1] = index << 16;
  }

  /** Stores the orders of the last phase of a random step, sorted by power, as if a client had given them. */
  afterStep(row: number, game: Game): void {
    const { counts, open } = played;
    this.lastCount[row] = 0;
    if (counts[1] > 0) this.addAdjustments(row, game);
    else if (open.subarray(0, counts[0]).some((n) => n > 0)) this.addRetreats(row, game);
    else this.addMoves(row, game);
  }

  private addMoves(row: number, game: Game): void {
    const n = listPlaces(game);
    for (let q = 0; q < this.powers; q++)
      for (let i = 0; i < n; i++) {
        const p = unitPlaces[i];
        if (T.unitPower(game.unitAt(p)) === q) this.add(row, packedOrder(board.order[p], game.unitLocation(p)));
      }
  }

  private addRetreats(row: number, game: Game): void {
    const { counts, open, retreats } = played;
    for (let q = 0; q < this.powers; q++)
      for (let i = 0; i < counts[0]; i++) {
        const province = game.map.locationProvince[O.orderLocation(retreats[i])];
        if (open[i] > 0 && T.unitPower(game.unitAt(province)) === q) this.add(row, retreats[i]);
      }
  }

  private addAdjustments(row: number, game: Game): void {
    const { counts, adjustments } = played;
    const at = row * this.powers;
    for (let q = at; q < at + this.powers; q++) this.builds[q] = 0;
    for (let i = 0; i < counts[1]; i++) {
      const order = adjustments[i];
      this.add(row, order);
      if (O.orderType(order) === O.REMOVE)
        this.builds[at + powerAfterMoves(game, game.map.locationProvince[O.orderLocation(order)])]--;
    }
  }
  write(row: number, game: Game, builds: Int8Array): void {
    this.season[row] = deepmindSeason(game);
    this.board.encode(game, this.boards, row * this.board.size, builds, row * this.powers);
    if (game.phase !== T.ADJUSTMENT) return;
    for (let q = 0; q < this.powers; q++) this.builds[row * this.powers + q] = builds[row * this.powers + q];
  }
  writeFinal(row: number, game: Game): void {
    this.board.encode(game, this.finals, row * this.board.size, NO_BUILDS);
  }
  copy(from: number, to: number): void {
    const { powers, perGame } = this;
    this.builds.copyWithin(to * powers, from * powers, (from + 1) * powers);
    this.lastActions.copyWithin(2 * to * perGame, 2 * from * perGame, 2 * (from + 1) * perGame);
    this.lastCount[to] = this.lastCount[from];
  }
}
