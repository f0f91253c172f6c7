// What nets read, written by the batch server beside its games.
import { ADJUSTMENT, balances, type CompiledMap, type Game, MOVEMENT, vocabulary } from '../engine/index.js';
import { board } from '../engine/resolve.js';
import type { ObservationKind } from './server-layout.js';
import type { Memory } from './server-memory.js';
import type { BoardEncoder } from './tensors/board.js';
import { type DeepmindActions, deepmindActions, deepmindBoard, deepmindSeason } from './tensors/deepmind.js';
import { dipnetBoard, PreviousOrdersEncoder } from './tensors/dipnet.js';

export interface Tensors {
  /** Forgets the past of a game. */
  clear(row: number): void;
  /** Told of the orders before they are played. */
  beforePhase(row: number, game: Game, orders: Int32Array): void;
  /** Told of a random step: its moves are on the board, and the game is still the position before them. */
  afterMoves(row: number, game: Game): void;
  write(row: number, game: Game, builds: Int8Array): void;
  writeFinal(row: number, game: Game): void;
  copy(from: number, to: number): void;
}

/** Null for no observations. */
export const makeTensors = (map: CompiledMap, memory: Memory, kind: ObservationKind): Tensors | null => {
  if (kind === 'none') return null;
  return kind === 'dipnet' ? new DipnetTensors(map, memory) : new DeepmindTensors(map, memory);
};

const NO_BUILDS = new Int8Array(64);

class DipnetTensors implements Tensors {
  declare private readonly board: BoardEncoder;
  declare private readonly previous: PreviousOrdersEncoder;
  declare private readonly boards: Uint8Array;
  declare private readonly finals: Uint8Array;
  declare private readonly orders: Uint8Array;
  declare private readonly nothing: Uint8Array;
  declare private readonly powers: number;

  constructor(map: CompiledMap, memory: Memory) {
    this.board = dipnetBoard(map);
    this.previous = new PreviousOrdersEncoder(map);
    this.boards = memory.bytes('observation');
    this.finals = memory.bytes('final_observation');
    this.orders = memory.bytes('previous_orders');
    this.nothing = new Uint8Array(this.previous.size);
    this.powers = map.powerCount;
  }
  clear(row: number): void {
    this.orders.set(this.nothing, row * this.previous.size);
  }
  beforePhase(row: number, game: Game, orders: Int32Array): void {
    if (game.phase === MOVEMENT)
      this.previous.encode(game, orders, orders.length, this.orders, row * this.previous.size);
  }
  afterMoves(row: number, game: Game): void {
    this.previous.encodeBoard(game, board.order, this.orders, row * this.previous.size);
  }
  write(row: number, game: Game, builds: Int8Array): void {
    this.board.encode(game, this.boards, row * this.board.size, builds, row * this.powers);
  }
  writeFinal(row: number, game: Game): void {
    this.board.encode(game, this.finals, row * this.board.size, NO_BUILDS);
  }
  copy(from: number, to: number): void {
    const { size } = this.previous;
    this.orders.copyWithin(to * size, from * size, (from + 1) * size);
  }
}

class DeepmindTensors implements Tensors {
  declare private readonly board: BoardEncoder;
  declare private readonly boards: Uint8Array;
  declare private readonly finals: Uint8Array;
  declare private readonly season: Int8Array;
  /** Builds as their nets know them: outside build phases the removals of the last one stay. */
  declare private readonly builds: Int8Array;
  declare private readonly lastActions: Int32Array;
  declare private readonly lastCount: Int32Array;
  declare private readonly actions: DeepmindActions;
  declare private readonly idOf: (order: number) => number;
  declare private readonly powers: number;
  declare private readonly perGame: number;

  constructor(map: CompiledMap, memory: Memory) {
    this.board = deepmindBoard(map);
    this.boards = memory.bytes('observation');
    this.finals = memory.bytes('final_observation');
    this.season = memory.int8('deepmind_season');
    this.builds = memory.int8('deepmind_builds');
    this.lastActions = memory.int32('last_actions');
    this.lastCount = memory.int32('last_action_count');
    this.actions = deepmindActions(map);
    this.idOf = vocabulary(map).indexOf;
    this.powers = map.powerCount;
    this.perGame = map.powerCount * memory.layout.maxOrders;
  }
  clear(row: number): void {
    for (let q = 0; q < this.powers; q++) this.builds[row * this.powers + q] = 0;
    this.lastCount[row] = 0;
  }
  beforePhase(row: number, game: Game, orders: Int32Array): void {
    let at = 2 * row * this.perGame;
    for (const order of orders) {
      // A support that names a coast has no entry of its own, and never comes from a list.
      const index = this.actions.indexOf[this.idOf(order)];
      this.lastActions[at++] = this.actions.bits[index] | 0;
      this.lastActions[at++] = index << 16;
    }
    this.lastCount[row] = orders.length;
    if (game.phase !== ADJUSTMENT) return;
    balances(game, this.builds, row * this.powers);
    for (let q = 0; q < this.powers; q++)
      this.builds[row * this.powers + q] = Math.min(0, this.builds[row * this.powers + q]);
  }
  afterMoves(row: number): void {
    // A random step plays several phases; what was ordered in the last of them is not kept.
    this.lastCount[row] = 0;
  }
  write(row: number, game: Game, builds: Int8Array): void {
    this.season[row] = deepmindSeason(game.season, game.phase);
    this.board.encode(game, this.boards, row * this.board.size, builds, row * this.powers);
    if (game.phase !== ADJUSTMENT) return;
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
