// Formats numbers for reports.

/** Formats a number, rounded to a whole one, with commas: '12,345'. */
export const group = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Formats `n` as a percentage of `of`: '12.5 %'. '-' if `of` is 0. @param digits digits after the point */
export const percent = (n: number, of: number, digits = 1): string =>
  of === 0 ? '-' : `${((100 * n) / of).toFixed(digits)} %`;

/**
 * Formats a mean with its standard error: '4.21 +- 0.05'. Only the mean if the error is null or NaN.
 * @param least minimum number of digits after the point; a small error gets as many digits as it needs
 */
export const plusMinus = (mean: number, error: number | null, least = 3): string => {
  if (error === null || Number.isNaN(error)) return mean.toFixed(least);
  const digits = error > 0 ? Math.min(12, Math.max(least, Math.ceil(-Math.log10(error) - 0.02))) : least;
  return `${mean.toFixed(digits)} +- ${error.toFixed(digits)}`;
};

/** Formats a range: '0.120 to 0.250'. '-' for null. @param digits digits after the point */
export const rangeText = (range: readonly [number, number] | null, digits: number): string =>
  range === null ? '-' : range.map((end) => end.toFixed(digits)).join(' to ');

/** Returns a noun in the form for a count: 'game' for 1, 'games' for all others. */
export const plural = (count: number, noun: string): string => (count === 1 ? noun : `${noun}s`);

/** Formats a count with its noun: '1 game', '1200 games'. */
export const counted = (count: number, noun: string): string => `${count} ${plural(count, noun)}`;
