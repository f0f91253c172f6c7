// Plays games in which agents of one sampler have all seats. Agents asked one by one would draw power by power; here they
// draw a whole phase-step at once from the stream of the game, like Batch and the recorder of runs
// (records/sampled-record.ts). So a seed gives the same game in all of them.

import { board, packedOrder } from '../../engine/adjudicate/movement/index.js';
import { type CompiledMap, Game, hashSeed, MOVEMENT, RETREAT, type Rules } from '../../engine/internal.js';
import * as Step from '../../engine/play/step.js';
import type { Agent } from '../question/agent.js';

// Rebound, so that V8 folds them like constants of this module.
const { boardLocation, boardPower, boardUnits, played } = Step;

const { places, order } = board;
const { retreats, open, adjustments, counts } = played;

/** True if the engine's steps follow these rules: they do not support expedited removal. */
const areStepped = (rules: Rules): boolean => rules.expedited === 0;

/** The sampler that all of some agents draw by; undefined if they must be asked one by one. */
export const commonSampler = (agents: readonly Agent[], rules: Rules): number | undefined => {
  const [{ sampler }] = agents;
  return areStepped(rules) && agents.every((agent) => agent.sampler === sampler) ? sampler : undefined;
};

export class SampledSteps {
  private readonly stream: Int32Array;
  private readonly after: Game;
  /** Provinces of the units in the order in which the board has them: records list orders in it. */
  private places = new Int32Array(0);
  /** Orders drawn for the phases after the moves. */
  private retreats = new Int32Array(0);
  private adjustments = new Int32Array(0);
  private begun = false;
  private readonly onBoard = new Step.RandomGame();

  constructor(
    map: CompiledMap,
    rules: Rules,
    private readonly sampler: number,
    seed: number,
  ) {
    this.stream = Int32Array.of(hashSeed(seed, 1), hashSeed(seed, 2));
    this.after = new Game(map, rules);
  }

  /** The orders of all powers for the game's current phase. */
  next(game: Game): Int32Array {
    if (game.phase === MOVEMENT) return this.begin(game);
    // Some maps begin with builds.
    if (!this.begun) {
      this.onBoard.load(game, this.stream);
      this.onBoard.playOpen(this.sampler);
      this.keep();
    }
    return game.phase === RETREAT ? this.retreats : this.adjustments;
  }

  private begin(game: Game): Int32Array {
    const { sampler, onBoard } = this;
    const out = new Int32Array(game.map.provinceCount);
    onBoard.load(game, this.stream);
    places.set(this.places);
    onBoard.begin(sampler);
    let n = 0;
    for (let q = 1; q <= game.map.powerCount; q++) {
      const end = n + boardUnits[q];
      for (let i = 0; n < end; i++)
        if (boardPower(places[i]) === q) out[n++] = packedOrder(order[places[i]], boardLocation(places[i]));
    }
    onBoard.finish(sampler);
    this.keep();
    return out.slice(0, n);
  }

  /** Reads what a step has left on the board. Units that could not retreat do not cause a retreat phase. */
  private keep(): void {
    this.retreats = retreats.slice(0, counts[0]).filter((_, i) => open[i] > 0);
    this.adjustments = adjustments.slice(0, counts[1]);
    this.onBoard.store(this.after, this.stream);
    this.places = places.slice(0, this.onBoard.count);
    this.begun = true;
  }
}
