// Runs models in ONNX format with the package onnxruntime-node, which users install.
//
// A model must have the following inputs and outputs. B is the number of positions (any from 1), L of locations, Q of
// powers, V of vocabulary ids. n is the length of a vector in `heads`, 1 to 1024. Other names and shapes are rejected.
//
//   input   boards   uint8 or float32 [B, L, 35]   DipNet's boards (bindings/formats/tensors), 14 + 3 Q columns
//           phases   int64 [B]                     0 to 4: spring moves, fall moves, their retreats, adjustments
//           previous_orders uint8 or float32 [B, L, 40]   optional: the orders of the last movement phase
//                                                  (dipnet-orders.ts), 8 + 4 (Q + 1) columns, 0 if there is none
//   output  heads    float32 [B, L, 14 n + 8]      heads as in the graph net (heads.ts), by location of the map; or
//           scores   float32 [B, V]                by vocabulary id: logarithm of the probability of an order, up to a
//                                                  constant for each unit
//           values   float32 [B, Q]                logits; their softmax is each power's share of the final score
//
// GraphNet.export_onnx() of lepanto.train.model writes such a model, with heads.
import { type CompiledMap, vocabulary } from '../../engine/internal.js';
import { loadPackage } from '../packages.js';
import { PreviousOrdersEncoder } from './dipnet-orders.js';
import { dipnetLocations } from './dipnet-rows.js';
import type { Evaluator, Position, PositionScores } from './evaluator.js';
import { Features, PHASES, SLOTS } from './features.js';
import { HEADS_WANTED, Heads, headWidthOf } from './heads.js';
import { isWidth, refuse } from './net-shape.js';

/** The part of onnxruntime-node's Tensor used here. */
export interface OnnxTensor {
  /** Type of an element, such as 'float32'. */
  readonly type: string;
  /** Lengths of the dimensions. */
  readonly dims: readonly number[];
  /** Typed array of the elements. */
  readonly data: unknown;
}

/** The part of onnxruntime-node's InferenceSession used here: a loaded model. */
export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Types of the inputs. Undefined in older versions of onnxruntime-node. */
  readonly inputMetadata?: readonly { readonly name: string; readonly type?: string }[];
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

/** The part of the package onnxruntime-node used here. */
export interface OnnxLibrary {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<OnnxSession> };
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => OnnxTensor;
}

/** Loads the package onnxruntime-node. @throws LepantoError with installation instructions if it is missing */
export const loadOnnx = (): OnnxLibrary => loadPackage('onnxruntime-node', 'a model in ONNX');

// One thread, because each worker thread has its own session, and so that a model's results are the same everywhere on
// one machine.
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 };

const INPUTS = ['boards', 'phases'];
const PREVIOUS = 'previous_orders';
const SCORES = ['heads', 'scores'];

/**
 * Checks the names of a model's inputs and outputs.
 * @throws LepantoError if they are not the names listed at the head of this file
 */
const checkNames = ({ inputNames, outputNames }: OnnxSession): void => {
  if (
    inputNames
      .filter((name) => name !== PREVIOUS)
      .sort()
      .join() !== INPUTS.join()
  )
    refuse(
      `a model with the inputs ${inputNames.join(', ')}`,
      `${INPUTS.join(' and ')}, and ${PREVIOUS} if it reads them`,
    );
  const scores = outputNames.filter((name) => SCORES.includes(name));
  if (!outputNames.includes('values') || scores.length !== 1)
    refuse(`a model with the outputs ${outputNames.join(', ')}`, `values and one of ${SCORES.join(' and ')}`);
};

/**
 * Returns the numbers of an output of a model.
 * @param name name of the output, for error messages
 * @param shape expected lengths of the dimensions; null for any length
 * @throws LepantoError if the output has another type or shape, or numbers that are not finite
 */
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

/** A net for one map, computed by an ONNX model. The model runs in another thread, so evaluate() returns a promise. */
export class OnnxNet implements Evaluator {
  private readonly features = new Features(this.map);
  private readonly boardColumns = this.features.columns - PHASES;
  private readonly orders = new PreviousOrdersEncoder(this.map);
  private session: Promise<OnnxSession> | null = null;

  /**
   * Makes a net. The model is loaded at the first call of evaluate().
   * @param model bytes of an ONNX file
   * @param library package that runs the model
   */
  constructor(
    readonly map: CompiledMap,
    private readonly model: Uint8Array,
    private readonly library: OnnxLibrary = loadOnnx(),
  ) {}

  private async open(): Promise<OnnxSession> {
    const session = await this.library.InferenceSession.create(this.model, SESSION);
    checkNames(session);
    return session;
  }

  /**
   * Returns the scores of the orders of each position (Evaluator.evaluate()). Rejects with a LepantoError if the model
   * has other inputs or outputs, or is for another map.
   */
  async evaluate(positions: readonly Position[]): Promise<PositionScores[]> {
    const { library, map, orders } = this;
    // Reads the positions before the first await, because the games may change during it.
    const inputs = this.inputsOf(positions);
    this.session ??= this.open();
    const session = await this.session;
    const bytes = (name: string, data: Uint8Array, columns: number): OnnxTensor => {
      const type = session.inputMetadata?.find((input) => input.name === name)?.type ?? 'uint8';
      const floats = type === 'float32';
      const shape = [positions.length, map.locationCount, columns];
      return new library.Tensor(floats ? type : 'uint8', floats ? Float32Array.from(data) : data, shape);
    };
    const tensors = {
      boards: bytes('boards', inputs.boards, this.boardColumns),
      phases: new library.Tensor('int64', inputs.phases, [positions.length]),
      ...(session.inputNames.includes(PREVIOUS) && { [PREVIOUS]: bytes(PREVIOUS, inputs.previous, orders.columns) }),
    };
    const scorers = this.read(await session.run(tensors), positions.length);
    return positions.map(({ lists }, i) => lists.map(scorers[i]));
  }

  /**
   * Encodes positions as the inputs of a model: boards, phases, and the orders of the last movement phases
   * (`previous`).
   */
  private inputsOf(positions: readonly Position[]) {
    const { boardColumns, features, map, orders } = this;
    const size = map.locationCount * boardColumns;
    const boards = new Uint8Array(positions.length * size);
    const phases = new BigInt64Array(positions.length);
    const previous = new Uint8Array(positions.length * orders.size);
    const slots = new Int32Array(map.locationCount * SLOTS);
    for (const [i, { game, past }] of positions.entries()) {
      features.list(game, slots);
      for (const [row, l] of dipnetLocations(map).entries())
        for (const column of slots.subarray(l * SLOTS, (l + 1) * SLOTS))
          if (column < boardColumns) boards[i * size + row * boardColumns + column] = 1;
      phases[i] = BigInt(features.phaseOf(slots));
      if (past !== null) orders.encode(past.game, past.orders, past.orders.length, previous, i * orders.size);
    }
    return { boards, phases, previous };
  }

  /**
   * Reads the outputs of a model. Returns for each position a function that scores packed orders.
   * @param count number of positions
   * @throws LepantoError for an output of another type or shape than the model must have
   */
  private read(outputs: Readonly<Record<string, OnnxTensor>>, count: number): ((orders: Int32Array) => Float32Array)[] {
    const { heads, scores, values } = outputs;
    const { locationCount, powerCount } = this.map;
    floatsOf('values', values, [count, powerCount]);
    const positions = Array.from({ length: count }, (_, i) => i);
    if (heads === undefined) {
      const { size, indexOf } = vocabulary(this.map);
      const floats = floatsOf('scores', scores, [count, size]);
      return positions.map((i) => (orders) => Float32Array.from(orders, (order) => floats[i * size + indexOf(order)]));
    }
    const floats = floatsOf('heads', heads, [count, locationCount, null]);
    const columns = heads.dims[2];
    const headWidth = headWidthOf(columns);
    if (!isWidth(headWidth, 1)) refuse(`heads of ${columns} columns`, HEADS_WANTED);
    return positions.map((i) => {
      const ofPosition = new Heads(floats.subarray(i * locationCount * columns), locationCount, headWidth);
      return (orders) => ofPosition.scores(orders);
    });
  }
}
