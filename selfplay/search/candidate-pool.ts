// Keeps the growing list of order sets of one power in a search, and the results of each.
import type { Power } from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import type { Sums } from './match.js';

export class CandidatePool {
  readonly power: Power;
  readonly sets: Int32Array[] = [];
  /** Of what is expected of the power where others search; those found later have next to none. */
  readonly prior: number[] = [];
  /** By set: rollouts, and the sums of their values and of the squares. */
  readonly count: number[] = [];
  readonly sum: number[] = [];
  readonly squares: number[] = [];
  /** By set: sum of the values less the luck of the batches that they come from. */
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

  /** Some of the sets as candidates for a task; their prior sums to 1. */
  pick(places: readonly number[]): Candidates {
    const chosen = places.map((c) => this.prior[c]);
    const sum = chosen.reduce((total, x) => total + x, 0);
    return {
      power: this.power,
      sets: places.map((c) => this.sets[c]),
      prior: Float64Array.from(chosen, (x) => (sum > 0 ? x / sum : 1 / places.length)),
    };
  }

  likeliest(most: number): number[] {
    return [...this.prior.keys()].sort((a, b) => this.prior[b] - this.prior[a] || a - b).slice(0, most);
  }

  /** Mean value of a set on fair samples; the worst value before its first rollout. */
  estimate(c: number): number {
    return this.count[c] === 0 ? Number.NEGATIVE_INFINITY : this.fair[c] / this.count[c];
  }

  sorted(places: readonly number[]): number[] {
    return [...places].sort((a, b) => this.estimate(b) - this.estimate(a) || a - b);
  }

  /** Adds a batch in which some sets played the same samples. Its luck shows in the sets that have played before. */
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
