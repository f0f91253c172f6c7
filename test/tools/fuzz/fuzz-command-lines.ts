// Command lines: the options of every command with the values that people type, mistype and paste. Nothing here asks for
// more than a second of work, or writes outside the session's directory.
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import type { Campaign, Round } from './campaign.js';
import { chance, changeText, pick } from './draw.js';

const COMMANDS = 12;

/** Values that no option takes. */
const wrong = [
  '',
  ' ',
  '-1',
  '0.5',
  '1e3',
  '0x10',
  'NaN',
  'Infinity',
  '99999999999999999999',
  '1,2',
  '1/0',
  '--',
  '-',
  '__proto__',
  'ё',
  '\u202e',
  "'",
  '$(true)',
  'x'.repeat(3000),
  '../..',
];
const numbers = ['1', '2', '0', '3', ' 2', '+2', '007'];
const years = ['1901', '1902', '1900', '1', '99999'];
const maps = ['standard', 'ancmed', 'moon', 'STANDARD', 'toString'];
const rules = [
  'datc-3.2',
  'strict-2003',
  '1971',
  '2000,paradox=allHold',
  'paradox=',
  'a=b',
  ',',
  'twoOrders',
  'x'.repeat(500),
];
const agents = [
  'random',
  'hold',
  'random,hold',
  'policy:',
  'greedy:x=1',
  './nothing.mjs',
  ',',
  'search:ms=1',
  'hold,'.repeat(7).slice(0, -1),
  'toString',
  'random:__proto__=1',
];
const words = [
  'json',
  'dipcc',
  'diplomacy',
  'datc',
  '1v6',
  'round-robin',
  'greedy',
  'random',
  'regret',
  'sum_of_squares',
  'all',
  'FRANCE',
  'france,ITALY',
];

type Values = readonly string[] | null;

/** Options by command, with values that may be right; null for one without a value. */
const options: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  adjudicate: { map: maps, rules, format: words, quiet: null },
  legal: { map: maps, rules, quiet: null },
  selfplay: {
    games: numbers,
    until: years,
    stalemate: numbers,
    chance: ['0', '1', '0.5'],
    seed: numbers,
    workers: ['1', '2'],
    agents,
    map: maps,
    rules,
    shard: ['1/1', '1/2', '2/2', '0/1', 'auto', 'auto/2', '3/2'],
    resume: null,
    json: null,
    quiet: null,
  },
  replay: { game: numbers, verify: null, rules, map: maps, json: null, quiet: null },
  convert: { to: words, map: maps, rules, json: null, quiet: null },
  stats: { json: null, quiet: null },
  search: {
    start: null,
    power: words,
    rollouts: ['30', '90'],
    ms: ['1', '50'],
    depth: numbers,
    value: words,
    playout: words,
    method: words,
    opponents: words,
    candidates: ['30', '40', '29'],
    workers: ['1', '2'],
    seed: numbers,
    top: numbers,
    map: maps,
    rules,
    json: null,
    quiet: null,
  },
  arena: {
    agents,
    protocol: words,
    games: numbers,
    until: years,
    scoring: words,
    seed: numbers,
    workers: ['1', '2'],
    map: maps,
    rules,
    json: null,
    quiet: null,
  },
  rules: { json: null },
  bench: { json: null, quick: null, full: null, smoke: null, quiet: null },
};

/** What a command needs so that it does little where its options are right. */
const needed: Readonly<Record<string, readonly string[]>> = {
  selfplay: ['--games', '2', '--until', '1901', '--workers', '1'],
  search: ['--start', '--rollouts', '30', '--workers', '1'],
  arena: ['--agents', 'random,hold', '--games', '1', '--until', '1901', '--workers', '1'],
  // Never measured: two sizes at once are refused.
  bench: ['--quick', '--smoke'],
};

const drawOption = (random: Random, of: Readonly<Record<string, Values>>): string[] => {
  const [name, values] = pick(random, Object.entries(of));
  const option = chance(random, 92) ? `--${name}` : `--${changeText(random, name).replaceAll('\u0000', '')}`;
  if (values === null) return [chance(random, 95) ? option : `${option}=${pick(random, wrong)}`];
  const value = pick(random, chance(random, 60) ? values : wrong);
  return chance(random, 30) ? [`${option}=${value}`] : [option, value];
};

const drawPaths = async (round: Round, command: string): Promise<string[]> => {
  const { random, session } = round;
  const { run } = await baseGames(session);
  const place = round.place();
  const paths = [
    run,
    join(run, 'games-00000.lep'),
    join(run, 'manifest.json'),
    join(place, 'none'),
    place,
    '',
    '-',
    '/dev/null',
    '/proc/self/none',
    'x'.repeat(300),
  ];
  const outputs = [
    '-',
    join(place, 'out.jsonl'),
    join(place, 'out.json'),
    join(place, 'out.lep'),
    join(place, 'out.txt'),
    '/proc/self/x.lep',
    join(place, 'none', 'x.lep'),
    '',
  ];
  if (command === 'convert') return [pick(random, paths), ...(chance(random, 60) ? [pick(random, outputs)] : [])];
  if (command === 'selfplay')
    return [
      '--out',
      chance(random, 85)
        ? join(place, `run-${random.below(1e9)}`)
        : pick(random, ['', '/proc/self/run', join(run, 'manifest.json'), run]),
    ];
  if (command === 'stats' && chance(random, 30))
    return [
      pick(random, paths),
      '--svg',
      pick(random, ['', join(place, 'svg'), '/proc/self', join(run, 'manifest.json')]),
    ];
  return chance(random, 80) ? [pick(random, paths)] : [];
};

const drawCommand = async (round: Round): Promise<string[]> => {
  const { random } = round;
  const name = pick(random, Object.keys(options));
  if (chance(random, 4)) return [changeText(random, name).replaceAll('\u0000', '')];
  if (chance(random, 4)) return [name, pick(random, ['--help', '-h', 'help'])];
  const paths =
    name === 'rules' ? [pick(random, rules)] : name === 'bench' || name === 'arena' ? [] : await drawPaths(round, name);
  // What is needed comes last: of an option that is given twice the last one counts.
  const given = Array.from({ length: random.below(4) }, () => drawOption(random, options[name])).flat();
  const all = [...given, ...(needed[name] ?? [])];
  const own = chance(random, 10) ? ['--', ...paths] : paths;
  return [name, ...(chance(random, 50) ? [...all, ...own] : [...own, ...all])];
};

export const commandLineCampaign: Campaign = {
  name: 'command-lines',
  about: 'command lines of every command',
  play: async (round) => {
    for (; round.tries < COMMANDS; round.tries++)
      await round.run(await drawCommand(round), [0, 1, 2], { feed: ({ stdin }) => stdin?.end() });
  },
};
