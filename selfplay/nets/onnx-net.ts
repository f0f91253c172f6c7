// Models in ONNX, run by the package onnxruntime-node, which users install. B positions, L locations, Q powers;
// all other names and shapes are refused.
//
//   input   boards   uint8 or float32 [B, L, 35]   DipNet's boards (bindings/formats/tensors), 14 + 3 Q columns
//           phases   int64 [B]                     0 to 4: spring moves, fall moves, their retreats, adjustments
//   output  heads    float32 [B, L, 14 n + 8]      by location of the map: those of the graph net (heads.ts), or
//           scores   float32 [B, V]                by vocabulary id: the logarithm of how likely an order is, but for a
//                                                  constant of the unit
//           values   float32 [B, Q]                their softmax is the share of the final score
//
// GraphNet.export_onnx() and MlpNet.export_onnx() of lepanto.train.model write such a file, with heads.
import { createRequire } from 'node:module';
import { type CompiledMap, type Game, vocabulary } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { dipnetLocations } from './dipnet-rows.js';
import { type Evaluator, softmaxInto } from './evaluator.js';
import { Features, SLOTS } from './features.js';
import { FullHeads, PAIRS, SINGLES, scoreOrder } from './heads.js';
import { isWidth, refuse } from './net-layout.js';

const PACKAGE = 'onnxruntime-node';
const PHASES = 5;

/** An array with its shape, as onnxruntime has it. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

/** A model that is loaded. */
export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** What newer versions know of each input. */
  readonly inputMetadata?: readonly { readonly name: string; readonly type?: string }[];
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

/** What is used of onnxruntime-node. */
export interface OnnxLibrary {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<OnnxSession> };
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => OnnxTensor;
}

/** @throws LepantoError that says how to install it */
export const loadOnnx = (): OnnxLibrary => {
  try {
    return createRequire(import.meta.url)(PACKAGE) as OnnxLibrary;
  } catch (cause) {
    throw new LepantoError('file', `got no package ${PACKAGE}, wanted it for models in ONNX: npm install ${PACKAGE}`, {
      cause,
    });
  }
};

// One thread: a thread of games has its own, and the same model then says the same everywhere on one machine.
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 };

const INPUTS = ['boards', 'phases'];
const SCORES = ['heads', 'scores'];

const checkNames = ({ inputNames, outputNames }: OnnxSession): void => {
  if ([...inputNames].sort().join() !== INPUTS.join())
    refuse(`a model with the inputs ${inputNames.join(', ')}`, INPUTS.join(' and '));
  const scores = outputNames.filter((name) => SCORES.includes(name));
  if (!outputNames.includes('values') || scores.length !== 1)
    refuse(`a model with the outputs ${outputNames.join(', ')}`, `values and one of ${SCORES.join(' and ')}`);
};

/** Floats of an output, if they have the shape that is wanted; null stands for any length. */
const floatsOf = (name: string, tensor: OnnxTensor | undefined, shape: readonly (number | null)[]): Float32Array => {
  const wanted = `float32 [${shape.map((length) => length ?? 'n').join(', ')}]`;
  if (tensor === undefined || !(tensor.data instanceof Float32Array))
    return refuse(`${name} of ${tensor?.type ?? 'no type'}`, wanted);
  const { dims, data } = tensor;
  if (dims.length !== shape.length || dims.some((length, i) => shape[i] !== null && length !== shape[i]))
    return refuse(`${name} of shape [${dims.join(', ')}]`, wanted);
  const wrong = data.findIndex((value) => !Number.isFinite(value));
  return wrong < 0 ? data : refuse(`${name} with ${data[wrong]} at ${wrong}`, 'finite numbers');
};

/** A model in ONNX, for one map. It runs elsewhere: evaluate() returns a promise. */
export class OnnxNet implements Evaluator {
  readonly values = new Float32Array(this.room * this.map.powerCount);
  private readonly features = new Features(this.map);
  private readonly slots = new Int32Array(this.map.locationCount * SLOTS);
  /** By location, its row of a board. */
  private readonly rowOf = new Int32Array(this.map.locationCount);
  private session: Promise<OnnxSession> | null;
  /** What was said last: heads, or scores. */
  private heads: FullHeads | null;
  private scores: Float32Array;

  /**
   * @param model the bytes of a file
   * @param room the most positions of one evaluate()
   */
  constructor(
    readonly map: CompiledMap,
    private readonly model: Uint8Array,
    readonly room = 1,
    private readonly library: OnnxLibrary = loadOnnx(),
  ) {
    for (const [row, location] of dipnetLocations(map).entries()) this.rowOf[location] = row;
    this.session = null;
    this.heads = null;
    this.scores = new Float32Array(0);
  }

  private async open(): Promise<OnnxSession> {
    const session = await this.library.InferenceSession.create(this.model, SESSION);
    checkNames(session);
    return session;
  }

  /** @throws LepantoError (in the promise) for a model of other inputs or outputs, or of another map */
  async evaluate(games: readonly Game[]): Promise<void> {
    // Before anything is awaited: the game may change then.
    const boards = this.boardsOf(games);
    const { Tensor } = this.library;
    const { columns } = this.features;
    const shape = [games.length, this.map.locationCount, columns - PHASES];
    this.session ??= this.open();
    const session = await this.session;
    const type = session.inputMetadata?.find(({ name }) => name === 'boards')?.type ?? 'uint8';
    const seen =
      type === 'float32'
        ? new Tensor('float32', Float32Array.from(boards.columns), shape)
        : new Tensor('uint8', boards.columns, shape);
    const said = await session.run({ boards: seen, phases: new Tensor('int64', boards.phases, [games.length]) });
    this.read(games.length, said);
  }

  private boardsOf(games: readonly Game[]): { columns: Uint8Array; phases: BigInt64Array } {
    const { features, map, rowOf, slots } = this;
    const width = features.columns - PHASES;
    const columns = new Uint8Array(games.length * map.locationCount * width);
    const phases = new BigInt64Array(games.length);
    for (const [position, game] of games.entries()) {
      features.list(game, slots);
      phases[position] = BigInt(features.phaseOf(slots));
      for (let l = 0; l < map.locationCount; l++) {
        const row = (position * map.locationCount + rowOf[l]) * width;
        for (let i = l * SLOTS; i < (l + 1) * SLOTS; i++) if (slots[i] < width) columns[row + slots[i]] = 1;
      }
    }
    return { columns, phases };
  }

  private read(count: number, said: Readonly<Record<string, OnnxTensor>>): void {
    const { map, values } = this;
    const { locationCount, powerCount } = map;
    const shares = floatsOf('values', said.values, [count, powerCount]);
    for (let position = 0; position < count; position++) {
      const value = shares.slice(position * powerCount, (position + 1) * powerCount);
      softmaxInto(value, powerCount, 1);
      values.set(value, position * powerCount);
    }
    if (said.heads === undefined) {
      this.heads = null;
      this.scores = floatsOf('scores', said.scores, [count, vocabulary(map).size]);
      return;
    }
    const floats = floatsOf('heads', said.heads, [count, locationCount, null]);
    const columns = said.heads.dims[2];
    const headWidth = (columns - SINGLES) / (2 * PAIRS);
    if (!isWidth(headWidth, 1)) refuse(`heads of ${columns} columns`, `14 x n + ${SINGLES}`);
    this.heads = new FullHeads(floats, locationCount, locationCount, headWidth);
  }

  scoreOrders(position: number, orders: Int32Array, count: number, out: Float32Array): void {
    const { heads, map, scores } = this;
    const { indexOf, size } = vocabulary(map);
    for (let i = 0; i < count; i++)
      out[i] = heads === null ? scores[position * size + indexOf(orders[i])] : scoreOrder(heads, position, orders[i]);
  }
}
