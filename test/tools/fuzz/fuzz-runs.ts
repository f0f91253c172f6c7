// Runs of several shards that are not whole: files deleted, cut, doubled, swapped, added, flipped. All readers must say so,
// and the command of the run makes it whole again.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { removeTable, tablePath } from '../../../selfplay/records/game-table.js';
import { shardName } from '../../../selfplay/records/manifest.js';
import { shuffled } from '../families.js';
import { type Campaign, oncePerSession, readersOf } from './campaign.js';
import { changeBytes, pick } from './random-input.js';

const SHARDS = 3;

const specOf = (seed: number): string[] => ['--games', '600', '--until', '1901', '--seed', String(seed)];

const wholeRun = oncePerSession(async (session) => {
  const whole = join(session.place('runs'), 'whole');
  const options = [...specOf(session.seed), '--out', whole, '--quiet'];
  if (!existsSync(whole)) await session.run(['selfplay', ...options], { seconds: 120 });
  return whole;
});

/** Damages one or two shards of a run, given by their paths. Returns what it did, or null if nothing. */
type Harm = (random: Random, shard: string, other: string) => string | null;

const sometimes = (random: Random, act: () => void): void => {
  if (random.below(2) === 0) act();
};

/** What every reader must find. */
const harms: readonly Harm[] = [
  (random, shard) => {
    rmSync(shard);
    sometimes(random, () => removeTable(shard));
    return 'deleted';
  },
  (random, shard) => {
    truncateSync(shard, random.below(Math.max(1, statSync(shard).size)));
    sometimes(random, () => removeTable(shard));
    return 'cut';
  },
  (random, shard, other) => {
    cpSync(shard, other);
    sometimes(random, () => cpSync(tablePath(shard), tablePath(other)));
    return 'copied over another';
  },
  (_, shard, other) => {
    const bytes = readFileSync(shard);
    cpSync(other, shard);
    writeFileSync(other, bytes);
    return 'swapped with another';
  },
  (random, shard) => {
    cpSync(shard, shard.replace(/\d+(?=\.lep$)/, String(SHARDS + random.below(5)).padStart(5, '0')));
    return 'added';
  },
  (random, shard) => {
    const bytes = readFileSync(shard);
    const changed = changeBytes(random, bytes, 1 + random.below(3));
    writeFileSync(shard, changed);
    return changed.equals(bytes) ? null : 'flipped';
  },
];

/** What readers need not find, but the next start makes good. */
const hidden: readonly Harm[] = [
  (random, shard) => {
    const bytes = readFileSync(shard);
    bytes[random.below(bytes.length)] ^= 1 << random.below(8);
    writeFileSync(shard, bytes);
    removeTable(shard);
    return 'flipped, without its table';
  },
  (_, shard) => {
    removeTable(shard);
    return 'left without its table';
  },
  (random, shard) => {
    writeFileSync(tablePath(shard), pick(random, ['', '{', '7', '{"games": 256}']));
    return 'left with a table that is none';
  },
  (_, shard) => {
    writeFileSync(`${shard}.part`, 'half of it');
    return 'left with a part of a file';
  },
  (_, shard) => {
    rmSync(join(dirname(shard), 'manifest.json'), { force: true });
    return 'left without the manifest';
  },
];

/** Damages the run up to twice. Picks shards that still exist with their tables. Returns what was done. */
const harm = (random: Random, directory: string, list: readonly Harm[]): string[] => {
  const done: string[] = [];
  for (let n = random.below(3); n > 0; n--) {
    const whole = shuffled(random, [...Array(SHARDS).keys()])
      .map((shard) => join(directory, shardName(shard)))
      .filter((path) => existsSync(path) && existsSync(tablePath(path)) && statSync(path).size > 0);
    const what = whole.length < 2 ? null : pick(random, list)(random, whole[0], whole[1]);
    if (what !== null) done.push(`${basename(whole[0])} ${what}`);
  }
  return done;
};

/** Files of a run that are not as in the whole one. */
const differing = (whole: string, directory: string): string[] => {
  const names = new Set([...readdirSync(whole), ...readdirSync(directory)]);
  const bytesOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'latin1') : null);
  return [...names].filter(
    (name) => !/^games-0000[3-7]\.lep$/.test(name) && bytesOf(join(whole, name)) !== bytesOf(join(directory, name)),
  );
};

export const brokenRunCampaign: Campaign = {
  name: 'runs',
  about: 'runs that are not whole into replay, convert, stats, and selfplay that goes on with them',
  play: async (round) => {
    const { random, session } = round;
    const whole = await wholeRun(session);
    const directory = join(round.place(), 'run');
    rmSync(directory, { recursive: true, force: true });
    cpSync(whole, directory, { recursive: true });
    const done = harm(random, directory, harms);
    const isRefused = done.length > 0 && differing(whole, directory).length > 0;
    const isAdded = done.some((what) => what.endsWith('added'));
    await round.read(readersOf(directory), () => isRefused || isAdded);
    done.push(...harm(random, directory, hidden));
    const again = ['selfplay', ...specOf(session.seed), '--out', directory, '--quiet'];
    // Where no shard is left nothing shows whose the directory is.
    const isRefusable = !existsSync(join(directory, 'manifest.json'));
    const ended = await round.run(again, isRefusable ? [0, 1] : [0]);
    const left = ended?.code === 0 ? differing(whole, directory) : [];
    if (left.length > 0) round.found('kept', again, left.join(', '));
    round.keep('.txt', done.join('\n'));
  },
};
