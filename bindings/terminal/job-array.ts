// Determines the share of a run that a task of a job array plays.
import type { Share } from '../../selfplay/records/run.js';
import { UsageError } from './usage.js';

/** Returns the whole number in an environment variable. @throws UsageError if it is not set or has any other text */
const fromEnvironment = (name: string): number => {
  const text = process.env[name] ?? '';
  if (!/^\d+$/.test(text)) throw new UsageError(`--shard: got ${name}="${text}", wanted a whole number`);
  return Number(text);
};

/**
 * Returns the share of a run with an index, after checking it.
 * @param text value of --shard, for the error
 * @param index index of the share, from 0
 * @param count number of shares
 * @throws UsageError if the index is out of range
 */
const checkShare = (text: string, index: number, count: number): Share => {
  if (count >= 1 && index >= 0 && index < count) return { index, count };
  throw new UsageError(`--shard: got "${text}", which is part ${index + 1} of ${count}, wanted 1/N to N/N`);
};

/**
 * Returns the share of this task in a job array of Slurm or Kubernetes, from environment variables.
 * @param text value of --shard, for errors
 * @param given number of shares; 0 to use the size of the array, which only Slurm tells
 * @throws UsageError for a variable that is missing or invalid, or an index out of range
 */
const shareOfArray = (text: string, given: number): Share => {
  if (process.env.SLURM_ARRAY_TASK_ID === undefined)
    return checkShare(text, fromEnvironment('JOB_COMPLETION_INDEX'), given);
  const least = process.env.SLURM_ARRAY_TASK_MIN === undefined ? 0 : fromEnvironment('SLURM_ARRAY_TASK_MIN');
  const step = process.env.SLURM_ARRAY_TASK_STEP === undefined ? 1 : fromEnvironment('SLURM_ARRAY_TASK_STEP');
  const index = (fromEnvironment('SLURM_ARRAY_TASK_ID') - least) / Math.max(1, step);
  return checkShare(text, index, given > 0 ? given : fromEnvironment('SLURM_ARRAY_TASK_COUNT'));
};

/**
 * Parses the value of --shard to a share of the run.
 * @param text I/N with I from 1, auto or auto/N (share of a job array); undefined for the whole run
 * @throws UsageError for any other text, or outside a job array for auto
 */
export const readShare = (text: string | undefined): Share => {
  if (text === undefined) return { index: 0, count: 1 };
  const [, first = '', count = '0'] = /^(auto|\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (first === '' || (first !== 'auto' && count === '0'))
    throw new UsageError(`--shard: got "${text}", wanted I/N, auto or auto/N`);
  return first === 'auto' ? shareOfArray(text, Number(count)) : checkShare(text, Number(first) - 1, Number(count));
};
