// Reads which part of its work a task of a job array has.
import type { Share } from '../../selfplay/records/run.js';
import { UsageError } from './usage.js';

/** A whole number from the environment. */
const fromEnvironment = (name: string): number => {
  const text = process.env[name] ?? '';
  if (!/^\d+$/.test(text)) throw new UsageError(`--shard: got ${name}="${text}", wanted a whole number`);
  return Number(text);
};

const checkShare = (text: string, index: number, count: number): Share => {
  if (count >= 1 && index >= 0 && index < count) return { index, count };
  throw new UsageError(`--shard: got "${text}", which is part ${index + 1} of ${count}, wanted 1/N to N/N`);
};

/** The part that an array job has, from what Slurm or Kubernetes tell it. */
const shareOfArray = (text: string, given: number): Share => {
  if (process.env.SLURM_ARRAY_TASK_ID === undefined)
    return checkShare(text, fromEnvironment('JOB_COMPLETION_INDEX'), given);
  const least = process.env.SLURM_ARRAY_TASK_MIN === undefined ? 0 : fromEnvironment('SLURM_ARRAY_TASK_MIN');
  const step = process.env.SLURM_ARRAY_TASK_STEP === undefined ? 1 : fromEnvironment('SLURM_ARRAY_TASK_STEP');
  const index = (fromEnvironment('SLURM_ARRAY_TASK_ID') - least) / Math.max(1, step);
  return checkShare(text, index, given > 0 ? given : fromEnvironment('SLURM_ARRAY_TASK_COUNT'));
};

/** @param text of --shard: I/N, auto or auto/N; undefined for all @throws UsageError */
export const readShare = (text: string | undefined): Share => {
  if (text === undefined) return { index: 0, count: 1 };
  const [, first = '', count = '0'] = /^(auto|\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (first === '' || (first !== 'auto' && count === '0'))
    throw new UsageError(`--shard: got "${text}", wanted I/N, auto or auto/N`);
  return first === 'auto' ? shareOfArray(text, Number(count)) : checkShare(text, Number(first) - 1, Number(count));
};
