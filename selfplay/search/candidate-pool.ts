// Stores the growing list of candidate order sets of one power in a search, with the results of each.
import type { Power } from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import type { Sums } from './match.js';

/** Candidate order sets of one power, with their results. Arrays are indexed by candidate. */
export class CandidatePool {
  readonly power: Power;
  readonly sets: Int32Array[] = [];
  /** Probability that opponents of the power expect of the order set. By default 0 for order sets added later. */
  readonly prior: number[] = [];
  /**
   * Results of the order set's rollouts. `count`: number of rollouts. `sum`: sum of the values. `squares`: sum of the
   * squared values.
   */
  readonly count: number[] = [];
  readonly sum: number[] = [];
  readonly squares: number[] = [];
  /**
   * Sum of the values of each candidate's rollouts, less what learn() estimates that favourable samples added to the
   * values of a batch.
   */
  private readonly fair: number[] = [];
  private readonly keys = new Set<string>();

  constructor({ power, sets, prior }: Candidates) {
    this.power = power;
    for (const [c, set] of sets.entries()) this.add(set, prior[c]);
  }

  has(set: Int32Array): boolean {
    return this.keys.has(set.join());
  }

  add(set: Int32Array, prior = 0): number {
    this.keys.add(set.join());
    this.prior.push(prior);
    for (const list of [this.count, this.sum, this.squares, this.fair]) list.push(0);
    return this.sets.push(set) - 1;
  }

  /**
   * Returns some of the order sets as candidates, with priors scaled to sum to 1.
   * @param places indexes of the order sets
   */
  pick(places: readonly number[]): Candidates {
    const chosen = places.map((c) => this.prior[c]);
    const sum = chosen.reduce((total, x) => total + x, 0);
    return {
      power: this.power,
      sets: places.map((c) => this.sets[c]),
      prior: Float64Array.from(chosen, (x) => (sum > 0 ? x / sum : 1 / places.length)),
    };
  }

  /** Returns the indexes of at most `most` order sets with the highest prior, in descending order. */
  likeliest(most: number): number[] {
    return [...this.prior.keys()].sort((a, b) => this.prior[b] - this.prior[a] || a - b).slice(0, most);
  }

  /**
   * Returns the mean value of an order set, corrected for how favourable its samples were; -Infinity before its first
   * rollout.
   * @param c index of the order set
   */
  estimate(c: number): number {
    return this.count[c] === 0 ? Number.NEGATIVE_INFINITY : this.fair[c] / this.count[c];
  }

  sorted(places: readonly number[]): number[] {
    return [...places].sort((a, b) => this.estimate(b) - this.estimate(a) || a - b);
  }

  /**
   * Adds the results of a batch in which all order sets were evaluated against the same samples. How favourable these
   * samples were is estimated from the sets that have earlier results, and subtracted from the corrected values.
   * @param places indexes of the batch's order sets in this pool
   * @param batch sums in the order of `places`
   */
  learn(places: readonly number[], batch: Sums): void {
    const mean = (i: number): number => batch.sum[i] / batch.count[i];
    const known = [...places.keys()].filter((i) => this.count[places[i]] > 0 && batch.count[i] > 0);
    const luck = known.reduce((sum, i) => sum + mean(i) - this.estimate(places[i]), 0) / Math.max(1, known.length);
    for (const [i, c] of places.entries()) this.fair[c] += batch.sum[i] - luck * batch.count[i];
    this.addSums(places, batch);
  }

  addSums(places: readonly number[], batch: Sums): void {
    for (const [i, c] of places.entries()) {
      this.count[c] += batch.count[i];
      this.sum[c] += batch.sum[i];
      this.squares[c] += batch.squares[i];
    }
  }
}
