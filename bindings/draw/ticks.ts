// Computes round numbers for the axes of plots.

/**
 * Returns the multiples of a step from `least` to `most`, ascending. The step is 1, 2 or 5 times a power of ten.
 * @param parts maximum number of steps in the range
 * @param leastStep minimum step: 1 for an axis of whole numbers
 */
export const roundTicks = (least: number, most: number, parts: number, leastStep = 0): number[] => {
  const rough = (most - least) / parts || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fitting = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999) ?? power;
  const step = Math.max(leastStep, fitting);
  const first = Math.ceil(least / step - 1e-9);
  const count = Math.max(0, Math.floor(most / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
};
