// Loads the packages that only runs over a queue need, and says how to install them. Only their types are imported.

import { createRequire } from 'node:module';
import type * as S3 from '@aws-sdk/client-s3';
import type * as Bull from 'bullmq';
import type * as Redis from 'ioredis';
import { LepantoError } from '../../../engine/rules/error.js';

const require = createRequire(import.meta.url);

/** @throws LepantoError that says how to install what is missing */
const load = <T>(name: string, flag: string, install: string): T => {
  try {
    return require(name) as T;
  } catch (cause) {
    const wanted = `wanted it installed: npm install ${install}`;
    throw new LepantoError('package', `${flag}: got no package ${name}, ${wanted}`, { cause });
  }
};

const QUEUE_PACKAGES = 'bullmq ioredis';

export const loadBull = (): typeof Bull => load('bullmq', 'queue', QUEUE_PACKAGES);
export const loadRedis = (): typeof Redis => load('ioredis', 'queue', QUEUE_PACKAGES);
export const loadS3 = (): typeof S3 => load('@aws-sdk/client-s3', '--store s3', '@aws-sdk/client-s3');
