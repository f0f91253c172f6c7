// Numbers as reports show them.

/** '12,345': rounded to a whole number. */
export const group = (value: number): string => Math.round(value).toLocaleString('en-US');

/** '12.5 %'; '-' if `of` is 0. */
export const percent = (n: number, of: number, digits = 1): string =>
  of === 0 ? '-' : `${((100 * n) / of).toFixed(digits)} %`;

/**
 * '4.21 +- 0.05'. Without an error (null or NaN) the mean alone.
 * @param least digits after the point; a smaller error gets as many as show it
 */
export const plusMinus = (mean: number, error: number | null, least = 3): string => {
  if (error === null || Number.isNaN(error)) return mean.toFixed(least);
  const digits = error > 0 ? Math.min(12, Math.max(least, Math.ceil(-Math.log10(error) - 0.02))) : least;
  return `${mean.toFixed(digits)} +- ${error.toFixed(digits)}`;
};

/** '0.120 to 0.250'; '-' for null. */
export const rangeText = (range: readonly [number, number] | null, digits: number): string =>
  range === null ? '-' : range.map((end) => end.toFixed(digits)).join(' to ');

/** Returns a noun for so many things: 'game' for 1, else 'games'. */
export const plural = (count: number, noun: string): string => (count === 1 ? noun : `${noun}s`);
