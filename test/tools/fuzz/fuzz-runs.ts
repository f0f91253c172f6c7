// Runs of several shards that are not whole: files deleted, cut, doubled, swapped, added, flipped. All readers must say so,
// and the command of the run makes it whole again.
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { type Campaign, oncePerSession } from './campaign.js';
import { changeBytes, pick } from './random-input.js';

const SHARDS = 3;

const specOf = (seed: number): string[] => ['--games', '600', '--until', '1901', '--seed', String(seed)];

const wholeRun = oncePerSession(async (session) => {
  const whole = join(session.place('runs'), 'whole');
  const options = [...specOf(session.seed), '--out', whole, '--quiet'];
  if (!existsSync(whole)) await session.run(['selfplay', ...options], { seconds: 120 });
  return whole;
});

const shardPath = (directory: string, shard: number, ending = 'lep'): string =>
  join(directory, `games-${String(shard).padStart(5, '0')}.${ending}`);

/** Does something to a run, and says what. */
type Harm = (random: Random, directory: string) => string;

const anyShard = (random: Random): number => random.below(SHARDS);
const twoShards = (random: Random): [number, number] => {
  const first = anyShard(random);
  return [first, (first + 1 + random.below(SHARDS - 1)) % SHARDS];
};
const isThere = (directory: string, ...shards: number[]): boolean =>
  shards.every((shard) => existsSync(shardPath(directory, shard)));

/** What every reader must find. */
const harms: readonly Harm[] = [
  (random, directory) => {
    const shard = anyShard(random);
    rmSync(shardPath(directory, shard), { force: true });
    if (random.below(2) === 0) rmSync(shardPath(directory, shard, 'json'), { force: true });
    return `shard ${shard} deleted`;
  },
  (random, directory) => {
    const shard = anyShard(random);
    if (!isThere(directory, shard)) return 'nothing';
    const { length } = readFileSync(shardPath(directory, shard));
    truncateSync(shardPath(directory, shard), random.below(Math.max(1, length)));
    if (random.below(2) === 0) rmSync(shardPath(directory, shard, 'json'), { force: true });
    return `shard ${shard} cut`;
  },
  (random, directory) => {
    const [from, to] = twoShards(random);
    if (!isThere(directory, from)) return 'nothing';
    cpSync(shardPath(directory, from), shardPath(directory, to));
    if (random.below(2) === 0 && existsSync(shardPath(directory, from, 'json')))
      cpSync(shardPath(directory, from, 'json'), shardPath(directory, to, 'json'));
    return `shard ${from} in place of ${to}`;
  },
  (random, directory) => {
    const [one, other] = twoShards(random);
    if (!isThere(directory, one, other)) return 'nothing';
    renameSync(shardPath(directory, one), join(directory, 'swap'));
    renameSync(shardPath(directory, other), shardPath(directory, one));
    renameSync(join(directory, 'swap'), shardPath(directory, other));
    return `shards ${one} and ${other} swapped`;
  },
  (random, directory) => {
    const from = anyShard(random);
    if (!isThere(directory, from)) return 'nothing';
    cpSync(shardPath(directory, from), shardPath(directory, SHARDS + random.below(5)));
    return `shard ${from} added`;
  },
  (random, directory) => {
    const shard = anyShard(random);
    if (!isThere(directory, shard) || !existsSync(shardPath(directory, shard, 'json'))) return 'nothing';
    const bytes = readFileSync(shardPath(directory, shard));
    const changed = changeBytes(random, bytes, 1 + random.below(3));
    writeFileSync(shardPath(directory, shard), changed);
    return changed.equals(bytes) ? 'nothing' : `shard ${shard} flipped`;
  },
  (random, directory) => {
    const shard = anyShard(random);
    if (!isThere(directory, shard)) return 'nothing';
    writeFileSync(shardPath(directory, shard, 'json'), pick(random, ['', '{', '7', '{"games": 256}']));
    return `check ${shard} damaged`;
  },
];

/** What readers need not find, but the next start makes good. */
const hidden: readonly Harm[] = [
  (random, directory) => {
    const shard = anyShard(random);
    if (!isThere(directory, shard)) return 'nothing';
    const bytes = readFileSync(shardPath(directory, shard));
    if (bytes.length === 0) return 'nothing';
    bytes[random.below(bytes.length)] ^= 1 << random.below(8);
    writeFileSync(shardPath(directory, shard), bytes);
    rmSync(shardPath(directory, shard, 'json'), { force: true });
    return `shard ${shard} flipped, without a check`;
  },
  (random, directory) => {
    rmSync(shardPath(directory, anyShard(random), 'json'), { force: true });
    return 'a check deleted';
  },
  (random, directory) => {
    writeFileSync(`${shardPath(directory, anyShard(random))}.part`, 'half of it');
    return 'a part left over';
  },
  (_, directory) => {
    rmSync(join(directory, 'manifest.json'), { force: true });
    return 'the manifest deleted';
  },
];

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
    const done = Array.from({ length: random.below(3) }, () => pick(random, harms)(random, directory));
    const isRefused = done.some((what) => what !== 'nothing') && differing(whole, directory).length > 0;
    const commands = [
      ['replay', directory, '--verify', '--quiet'],
      ['convert', directory, '--quiet'],
      ['stats', directory, '--quiet'],
    ];
    const isAdded = done.some((what) => what.endsWith('added'));
    await round.read(commands, () => isRefused || isAdded);
    done.push(...Array.from({ length: random.below(3) }, () => pick(random, hidden)(random, directory)));
    const again = ['selfplay', ...specOf(session.seed), '--out', directory, '--quiet'];
    // Where no shard is left nothing shows whose the directory is.
    const isRefusable = !existsSync(join(directory, 'manifest.json'));
    const ended = await round.run(again, isRefusable ? [0, 1] : [0]);
    const left = ended?.code === 0 ? differing(whole, directory) : [];
    if (left.length > 0) round.found('kept', again, left.join(', '));
    round.keep('.txt', done.join('\n'));
    round.tries = 1;
  },
};
