// Loads the packages that only queues need. An error says how to install a missing one. Elsewhere only types are
// imported.
import type * as S3 from '@aws-sdk/client-s3';
import type * as Bull from 'bullmq';
import type * as Redis from 'ioredis';
import { loadPackage } from '../../../selfplay/packages.js';

const QUEUE_PACKAGES = 'bullmq ioredis';

export const loadBull = (): typeof Bull => loadPackage('bullmq', 'queue', QUEUE_PACKAGES);
export const loadRedis = (): typeof Redis => loadPackage('ioredis', 'queue', QUEUE_PACKAGES);
export const loadS3 = (): typeof S3 => loadPackage('@aws-sdk/client-s3', '--store s3');
