// The forward pass of a multilayer perceptron: the whole board in one vector.
//
//   h      = max(0, input[location x columns + column, for all columns that are 1] + phase[phase] + bias)     [width]
//   h      = h + max(0, h weight + bias)                                                                      each layer
//   places = h place                                                                      [locations, place width]
//   heads  = places heads                                                                 [locations, pairs ...]
//
// Scores follow from heads as those of the graph net do. Few columns of a position are not those of an empty board, so
// that the input's table is kept as differences from an empty board's, and an input is a sum of about a hundred rows.
import type { CompiledMap, Game } from '../../engine/internal.js';
import { columnsOf, PHASES, SLOTS } from './features.js';
import {
  type AddressPlan,
  checkWidth,
  FLOAT,
  LocalNet,
  lastShapes,
  type NetShape,
  ROW_STEP,
  readShape,
  type Shapes,
  widthsOf,
} from './local-net.js';
import type { TensorFile } from './safetensors.js';

/** What the metadata of its files call it. */
export const MLP_FORMAT = 'lepanto mlp 1';
const NAME = 'a multilayer perceptron';

/** Shapes of all tensors of a net for a map. @param board columns of a location, without those of the phase */
const shapesOf = (map: CompiledMap, board: number, width: number, shape: NetShape): Shapes => {
  const layers = Array.from({ length: shape.layers }, (_, i): [string, number[]][] => [
    [`layers.${i}.weight`, [width, width]],
    [`layers.${i}.bias`, [width]],
  ]);
  return new Map([
    // Input, phases and what an empty board comes to: one table, whose rows a position adds up.
    ['input.weight', [map.locationCount * board, width]],
    ['phase.weight', [PHASES, width]],
    ['input.bias', [width]],
    ...layers.flat(),
    ['place.weight', [width, map.locationCount * shape.inner]],
    ['place.bias', [map.locationCount * shape.inner]],
    ...lastShapes(map, width, shape),
  ]);
};

/** One row of each matrix is used: the kernels multiply so many. */
const planWork = (plan: AddressPlan, { locationCount }: CompiledMap, width: number, inner: number) => ({
  // What differs from an empty board, the phase, and the empty board.
  list: {
    offsets: plan.take(ROW_STEP + 1),
    indices: plan.take(locationCount * (SLOTS - 2) + 2),
    scales: plan.take(ROW_STEP),
  },
  zeros: plan.take(ROW_STEP * width),
  input: plan.take(ROW_STEP * width),
  states: [plan.take(ROW_STEP * width), plan.take(ROW_STEP * width)] as const,
  places: plan.take(ROW_STEP * locationCount * inner),
});

/** A multilayer perceptron of one map. */
export class MlpNet extends LocalNet<ReturnType<typeof planWork>> {
  private readonly board = columnsOf(this.map) - PHASES;
  private readonly slots = new Int32Array(this.map.locationCount * SLOTS);
  private readonly width: number;

  /** @param file weights, as readTensors() gives them @throws LepantoError if it is no such net for this map */
  constructor(map: CompiledMap, file: TensorFile, { plain = false } = {}) {
    const [, width] = widthsOf(file, 'phase.weight', NAME);
    checkWidth('width', width);
    const shape = readShape(file, NAME);
    const shapes = shapesOf(map, columnsOf(map) - PHASES, width, shape);
    super(map, file, { net: NAME, shapes, shape, work: (plan) => planWork(plan, map, width, shape.inner) }, plain);
    this.width = width;
    this.floats[this.at.list.scales / FLOAT] = 1;
    this.subtractBlanks();
  }

  /** Makes rows of the input differences from those of an empty board, whose sum the bias takes. */
  private subtractBlanks(): void {
    const { board, features, floats, map, width } = this;
    const table = floats.subarray(this.addressOf('input.weight') / FLOAT);
    const bias = floats.subarray(this.addressOf('input.bias') / FLOAT);
    for (let l = 0; l < map.locationCount; l++) {
      const row = (column: number): number => (l * board + column) * width;
      const blanks = new Set<number>();
      for (let c = 0; c < board; c++) {
        const blank = features.blankOf(l, c);
        if (blank >= board) continue;
        blanks.add(blank);
        if (c !== blank) for (let i = 0; i < width; i++) table[row(c) + i] -= table[row(blank) + i];
      }
      for (const blank of blanks) for (let i = 0; i < width; i++) bias[i] += table[row(blank) + i];
    }
  }

  evaluate(game: Game): void {
    const { at, kernels, map, shape, width } = this;
    this.listInputs(game);
    const size = { rows: ROW_STEP, inner: width, width };
    kernels.gather(size, at.input, at.list, this.addressOf('input.weight'));
    let [now, next] = at.states;
    kernels.join(size, now, at.zeros, at.input, at.zeros, at.zeros);
    for (let i = 0; i < shape.layers; i++) {
      const start = { at: this.addressOf(`layers.${i}.bias`), old: now };
      kernels.multiply(size, next, now, this.addressOf(`layers.${i}.weight`), start);
      [now, next] = [next, now];
    }
    const places = { ...size, width: map.locationCount * shape.inner };
    kernels.multiply(places, at.places, now, this.addressOf('place.weight'), { at: this.addressOf('place.bias') });
    this.readHeads(at.places);
  }

  private listInputs(game: Game): void {
    const { at, board, features, map, slots, words } = this;
    const begin = at.list.indices / FLOAT;
    features.list(game, slots);
    let next = begin + features.listOwn(slots, board, words, begin);
    words[next++] = map.locationCount * board + features.phaseOf(slots);
    words[next++] = map.locationCount * board + PHASES;
    words.fill(next - begin, at.list.offsets / FLOAT + 1, at.list.offsets / FLOAT + ROW_STEP + 1);
  }
}
