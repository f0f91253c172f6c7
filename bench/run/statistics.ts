// Computes medians and the Mann-Whitney test.

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Returns the number of rankings of two samples for each value u of the Mann-Whitney statistic, indexed by u.
 * @param a size of the first sample
 * @param b size of the second sample
 */
const countRankings = (a: number, b: number): number[] => {
  // ways(i, j)[u]: rankings of i and j values. The greatest value is from the first sample (u grows by j) or the
  // second.
  let row: number[][] = Array.from({ length: b + 1 }, () => [1]);
  for (let i = 1; i <= a; i++) {
    const next: number[][] = [[1]];
    for (let j = 1; j <= b; j++) {
      const ways = new Array<number>(i * j + 1).fill(0);
      for (const [u, n] of row[j].entries()) ways[u + j] += n;
      for (const [u, n] of next[j - 1].entries()) ways[u] += n;
      next.push(ways);
    }
    row = next;
  }
  return row[b];
};

/**
 * Performs the exact two-sided Mann-Whitney test. Returns the probability that two samples of one distribution differ
 * in ranks at least as much as these; 1 if a sample is empty. Equal values count half for each sample.
 */
export const mannWhitney = (a: readonly number[], b: readonly number[]): number => {
  if (a.length === 0 || b.length === 0) return 1;
  let u = 0;
  for (const x of a) for (const y of b) u += x > y ? 1 : x === y ? 0.5 : 0;
  const least = Math.floor(Math.min(u, a.length * b.length - u));
  const counts = countRankings(a.length, b.length);
  const all = counts.reduce((sum, n) => sum + n, 0);
  const tail = counts.slice(0, least + 1).reduce((sum, n) => sum + n, 0);
  return Math.min(1, (2 * tail) / all);
};
