// Command lines: the options of every command with the values that people type, mistype and paste. Nothing here asks for
// more than a second of work, or writes outside the session's directory.
import { join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { baseGames } from './base-games.js';
import type { Campaign, Round } from './campaign.js';
import { chance, changeText, pick } from './random-input.js';

const COMMANDS = 6;

/** Values that no option takes. */
const wrong = [
  '',
  ' ',
  ...'-1 0.5 1e3 0x10 NaN Infinity 99999999999999999999 1,2 1/0 -- - __proto__ ё'.split(' '),
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
  ...'datc-3.2 strict-2003 1971 2000,paradox=allHold paradox= a=b , twoOrders'.split(' '),
  'x'.repeat(500),
];
const agents = [
  ...'random hold random,hold policy: greedy:x=1 ./nothing.mjs , search:ms=1'.split(' '),
  'hold,'.repeat(7).slice(0, -1),
  'toString',
  'random:__proto__=1',
];
const words =
  'json dipcc diplomacy datc 1v6 round-robin greedy random regret sum_of_squares all FRANCE france,ITALY'.split(' ');

/** Values that may be right, by option; an option that is not here has none. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  agents,
  candidates: ['30', '40', '29'],
  chance: ['0', '1', '0.5'],
  depth: numbers,
  format: words,
  game: numbers,
  games: numbers,
  map: maps,
  method: words,
  ms: ['1', '50'],
  opponents: words,
  playout: words,
  power: words,
  protocol: words,
  rollouts: ['30', '90'],
  rules,
  scoring: words,
  seed: numbers,
  shard: ['1/1', '1/2', '2/2', '0/1', 'auto', 'auto/2', '3/2'],
  stalemate: numbers,
  to: words,
  top: numbers,
  until: years,
  value: words,
  workers: ['1', '2'],
};

/** Options by command. */
const options: Readonly<Record<string, string>> = {
  adjudicate: 'map rules format quiet',
  legal: 'map rules quiet',
  selfplay: 'games until stalemate chance seed workers agents map rules shard resume json quiet',
  replay: 'game verify rules map json quiet',
  convert: 'to map rules json quiet',
  stats: 'json quiet',
  search:
    'start power rollouts ms depth value playout method opponents candidates workers seed top map rules json quiet',
  arena: 'agents protocol games until scoring seed workers map rules json quiet',
  rules: 'json',
  bench: 'json quick full smoke quiet',
};

/** What a command needs so that it does little where its options are right. */
const needed: Readonly<Record<string, readonly string[]>> = {
  selfplay: ['--games', '2', '--until', '1901', '--workers', '1'],
  search: ['--start', '--rollouts', '30', '--workers', '1'],
  arena: ['--agents', 'random,hold', '--games', '1', '--until', '1901', '--workers', '1'],
  // Never measured: two sizes at once are refused.
  bench: ['--quick', '--smoke'],
};

const drawOption = (random: Random, command: string): string[] => {
  const name = pick(random, options[command].split(' '));
  const values = valuesOf[name];
  const option = chance(random, 92) ? `--${name}` : `--${changeText(random, name).replaceAll('\u0000', '')}`;
  if (values === undefined) return [chance(random, 95) ? option : `${option}=${pick(random, wrong)}`];
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
  const given = Array.from({ length: random.below(4) }, () => drawOption(random, name)).flat();
  const all = [...given, ...(needed[name] ?? [])];
  const own = chance(random, 10) ? ['--', ...paths] : paths;
  return [name, ...(chance(random, 50) ? [...all, ...own] : [...own, ...all])];
};

export const commandLineCampaign: Campaign = {
  name: 'command-lines',
  about: 'command lines of every command',
  play: async (round) => {
    for (let i = 0; i < COMMANDS; i++)
      await round.run(await drawCommand(round), [0, 1, 2], { feed: ({ stdin }) => stdin?.end() });
    round.tries = COMMANDS;
  },
};
