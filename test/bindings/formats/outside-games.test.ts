// Tests what games that other programs have recorded do otherwise, each found in an archive of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatMisfit } from '../../../bindings/formats/games/checked-games.js';
import { parseSavedGame } from '../../../bindings/formats/games/read.js';
import { type Replayed, replayGame } from '../../../bindings/formats/games/replay-raw.js';
import { makeFolder, runLepanto } from '../../tools/command.js';

interface Phase {
  name: string;
  state: Record<string, Record<string, unknown> | string> & { units: Record<string, string[]> };
  orders: Record<string, string[] | null>;
  results: Record<string, string[]>;
}
interface Saved {
  map: string;
  phases: Phase[];
}

const folder = makeFolder('outside');
const played = (name: string, ...args: readonly string[]): Saved[] => {
  const run = join(folder, name);
  for (const words of [
    ['selfplay', ...args, '--out', run],
    ['convert', run, `${run}.jsonl`],
  ]) {
    const { code, err } = runLepanto([...words, '--quiet']);
    assert.is(code, 0, err);
  }
  return readFileSync(`${run}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};
const hold = 'hold,hold,hold,hold,hold,greedy,hold';
const solo = played('solo', '--games', '1', '--until', '1925', '--agents', hold)[0];
const [still] = played('still', '--games', '1', '--until', '1903', '--agents', 'hold');
const wild = played('wild', '--games', '12', '--until', '1905', '--agents', 'policy');

const replayed = (saved: Saved): Replayed => replayGame(parseSavedGame(JSON.stringify(saved)));
const copyOf = (saved: Saved): Saved => JSON.parse(JSON.stringify(saved));

/** A copy of a phase without orders, under another name. */
const emptied = (phase: Phase, name: string): Phase => ({
  name,
  state: { ...phase.state, name },
  orders: {},
  results: {},
});

/** The first phase of the games that a condition holds for. */
const find = (holds: (phase: Phase) => boolean): { saved: Saved; phase: Phase; at: number } => {
  for (const one of wild) {
    const at = one.phases.findIndex(holds);
    if (at < 0) continue;
    const saved = copyOf(one);
    return { saved, phase: saved.phases[at], at };
  }
  throw new Error('no such phase');
};

const outside = suite('games of others');

outside('an empty winter after a solo leaves the solo', () => {
  const { record, disagreements } = replayed(solo);
  assert.equal(disagreements, []);
  assert.is(record.scores.draw_size[5], 1);
  const saved = copyOf(solo);
  const last = saved.phases.length - 1;
  const winter = saved.phases[last - 1].name.replace(/^.(\d+).$/, 'W$1A');
  saved.phases.splice(last, 0, emptied(saved.phases[last], winter));
  const again = replayed(saved);
  assert.equal(again.disagreements, []);
  assert.equal(again.record.scores, record.scores);
  assert.not.ok(again.unfinished);
});

outside('a winter in which nobody can act is no difference', () => {
  const saved = copyOf(still);
  const at = saved.phases.findIndex(({ name }, i) => name.startsWith('S') && saved.phases[i - 1]?.name.startsWith('F'));
  assert.ok(at > 0);
  const { name } = saved.phases[at];
  const winter = emptied(saved.phases[at], `W${Number(name.slice(1, -1)) - 1}A`);
  saved.phases.splice(at, 0, { ...winter, orders: { FRANCE: [], RUSSIA: ['WAIVE'] } });
  assert.equal(replayed(saved).disagreements, []);
  // With another board it is one.
  winter.state.units.RUSSIA.pop();
  assert.ok(replayed(saved).disagreements.length > 0);
});

outside('a result of the fall for a unit of the other type is none of the winter', () => {
  const units = { AUSTRIA: ['A GRE', 'A SER'] };
  const winter = { name: 'W1901A', state: { name: 'W1901A', units, centers: { AUSTRIA: ['SER'] } } };
  const spring = {
    name: 'S1902M',
    state: { name: 'S1902M', units: { AUSTRIA: ['A SER'] }, centers: { AUSTRIA: ['SER'] } },
  };
  const orders = { AUSTRIA: ['A GRE D'] };
  const disagreements = (results: object): readonly unknown[] => {
    const phases = [
      { ...winter, orders, results },
      { ...spring, orders: {}, results: {} },
    ];
    return replayGame(parseSavedGame(JSON.stringify({ map: 'standard', phases }))).disagreements;
  };
  assert.equal(disagreements({ 'A GRE': [''], 'F GRE': ['disband'] }), []);
  assert.is(disagreements({ 'A GRE': ['void'] }).length, 1);
});

outside('one bad retreat where the boards differ costs no game', () => {
  const { saved, phase } = find(({ name }) => name.endsWith('R'));
  const retreats = phase.state.retreats as Record<string, Record<string, string[]>>;
  const power = Object.keys(retreats).find((one) => Object.keys(retreats[one]).length > 0) ?? '';
  const [unit] = Object.keys(retreats[power]);
  retreats[power][unit] = ['LVN', 'NOWHERE'];
  const other = Object.keys(phase.state.units).find((one) => one !== power && phase.state.units[one].length > 1) ?? '';
  phase.state.units[other].splice(
    phase.state.units[other].findIndex((one) => !one.startsWith('*')),
    1,
  );
  const { disagreements, record } = replayed(saved);
  assert.ok(disagreements.some(({ unit: of, what }) => of === unit && what.startsWith('retreats: ')));
  assert.is(record.phases.at(-1)?.phase, 'COMPLETED');
});

outside('a unit without a retreat is called destroyed, whatever it is ordered', () => {
  const phase = (name: string, units: object, orders: object = {}) => ({
    name,
    state: { name, units },
    orders,
    results: {},
  });
  const russia = ['A RUM', 'A SER', 'A VIE', 'A TRI'];
  const before = { AUSTRIA: ['A BUD'], RUSSIA: [...russia, 'A GAL'], GERMANY: ['A MUN'], FRANCE: ['A BUR', 'A RUH'] };
  const after = { RUSSIA: [...russia, 'A BUD'], FRANCE: ['A MUN', 'A RUH'] };
  const phases = [
    phase('S1901M', before, {
      RUSSIA: ['A GAL - BUD', 'A RUM S A GAL - BUD'],
      FRANCE: ['A BUR - MUN', 'A RUH S A BUR - MUN'],
    }),
    phase(
      'S1901R',
      { ...after, AUSTRIA: ['*A BUD'], GERMANY: ['*A MUN'] },
      {
        AUSTRIA: ['A BUD R GAL'],
        GERMANY: ['A MUN R TYR'],
      },
    ),
    phase('F1901M', { ...after, GERMANY: ['A TYR'] }),
  ];
  const { uncounted } = replayGame(parseSavedGame(JSON.stringify({ map: 'standard', phases })));
  assert.equal(uncounted, [
    { phase: 'S1901R', power: 'AUSTRIA', order: 'A BUD R GAL', reason: 'destroyed: it had no retreat' },
  ]);
});

outside('the map that dipcc calls fva', () => {
  assert.is(parseSavedGame(JSON.stringify({ ...solo, map: 'fva' })).map, 'standard_france_austria');
  const welfare = parseSavedGame(JSON.stringify({ ...solo, map: 'standard_welfare' }));
  assert.equal([welfare.map, welfare.unplayed], ['standard', ['WELFARE']]);
  const named = parseSavedGame(JSON.stringify({ ...solo, rules: ['NO_PRESS', 'WELFARE', 'HOLD_WIN'] }));
  assert.equal(named.unplayed, ['WELFARE', 'HOLD_WIN']);
  const misfit = { where: 'line 1', id: '', uncounted: [], fits: [], unplayed: ['WELFARE'] };
  const disagreements = [{ phase: 'S1902M', unit: 'A VIE', what: 'unit: recorded none, here AUSTRIA' }];
  assert.is(
    formatMisfit({ ...misfit, disagreements }),
    'line 1: S1902M A VIE: unit: recorded none, here AUSTRIA; it was played by WELFARE, and replayed by the usual rules',
  );
  assert.is(parseSavedGame(JSON.stringify({ ...solo, map: '__proto__' })).map, '__proto__');
});

outside.run();
