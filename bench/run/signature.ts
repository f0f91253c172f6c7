// Computes one number from everything that random play depends on: rules, samplers and random streams.
//
//   node dist/bench/run/signature.js       npm run signature
//
// A commit that changes the number changes play, and must state the new number. test/data/signature.json contains it;
// --update writes it there.
import { writeFileSync } from 'node:fs';
import { mix } from '../../engine/rules/random.js';
import { runMain } from './child.js';
import { makePlay } from './playing.js';

/** Number of playouts with each of the two samplers of the engine. */
export const SIGNATURE_GAMES = 2000;
const SEED = 1571;

/**
 * Plays SIGNATURE_GAMES games to 1910 with each sampler and hashes their final positions. Returns an integer from 0 to
 * 2^32 - 1, always the same for the same program.
 */
export const signature = (): number => {
  const policy = makePlay('policy', SIGNATURE_GAMES, SEED).check();
  const uniform = makePlay('uniform', SIGNATURE_GAMES, SEED).check();
  return mix(Math.imul(policy, 31) + uniform) >>> 0;
};

const main = (args: readonly string[]): void => {
  const value = signature();
  console.log(value);
  if (!args.includes('--update')) return;
  const file = new URL('../../../test/data/signature.json', import.meta.url);
  const about = `Of bench/run/signature.ts. A commit that changes play runs "npm run signature -- --update" and states it.`;
  writeFileSync(file, `${JSON.stringify({ about, signature: value }, null, 2)}\n`);
};

await runMain(import.meta.url, main);
