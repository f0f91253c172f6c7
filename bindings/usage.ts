// Arguments of the commands: refusals, and numbers read from text.

/** A command that was called wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A whole number in a range. @throws UsageError that names the option, what was given and what was wanted */
export const parseWhole = (option: string, text: string, least: number, most: number): number => {
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${option}: got "${text}", wanted a whole number from ${least} to ${most}`);
};

/** Runs a check of outside input whose refusal is one of usage. */
export const orUsage = <T>(option: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`--${option}: ${(error as Error).message}`);
  }
};

/** The word of an option that takes one of a few. @throws UsageError that lists them */
export const oneOf = <T extends string>(option: string, got: string, words: readonly T[]): T => {
  const found = words.find((word) => word === got);
  if (found === undefined) throw new UsageError(`--${option}: got "${got}", wanted one of ${words.join(', ')}`);
  return found;
};
