// Tests what games that other programs have recorded do otherwise, each found in an archive of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatMisfit } from '../../../bindings/formats/games/checked-games.js';
import { parseSavedGame } from '../../../bindings/formats/games/read.js';
import { MIXED_AGENTS, playSaved, replay, type SavedPhase } from '../../tools/saved-games.js';

const solo = await playSaved({ until: 1925, agents: 'hold,hold,hold,hold,hold,greedy,hold' });

/** A copy of a phase without orders, under another name. */
const emptied = (phase: SavedPhase, name: string): SavedPhase => ({
  ...{ name, orders: {}, results: {}, messages: [] },
  state: { ...structuredClone(phase.state), name },
});

const outside = suite('games of others');

outside('an empty winter after a solo leaves the solo', () => {
  const { record, disagreements } = replay(solo);
  assert.equal(disagreements, []);
  assert.is(record.scores.draw_size[5], 1);
  const saved = structuredClone(solo);
  const last = saved.phases.length - 1;
  const winter = saved.phases[last - 1].name.replace(/^.(\d+).$/, 'W$1A');
  saved.phases.splice(last, 0, emptied(saved.phases[last], winter));
  const again = replay(saved);
  assert.equal(again.disagreements, []);
  assert.equal(again.record.scores, record.scores);
  assert.not.ok(again.unfinished);
});

outside('a winter in which nobody can act is no difference', async () => {
  const saved = await playSaved({ until: 1903, agents: 'hold' });
  const at = saved.phases.findIndex(({ name }, i) => name.startsWith('S') && saved.phases[i - 1]?.name.startsWith('F'));
  assert.ok(at > 0);
  const { name } = saved.phases[at];
  const winter = emptied(saved.phases[at], `W${Number(name.slice(1, -1)) - 1}A`);
  saved.phases.splice(at, 0, { ...winter, orders: { FRANCE: [], RUSSIA: ['WAIVE'] } });
  assert.equal(replay(saved).disagreements, []);
  // With another board it is one.
  winter.state.units.RUSSIA.pop();
  assert.ok(replay(saved).disagreements.length > 0);
});

outside('a result of the fall for a unit of the other type is none of the winter', () => {
  const units = { AUSTRIA: ['A GRE', 'A SER'] };
  const winter = { name: 'W1901A', state: { units, centers: { AUSTRIA: ['SER'] } } };
  const spring = { name: 'S1902M', state: { units: { AUSTRIA: ['A SER'] }, centers: { AUSTRIA: ['SER'] } } };
  const disagreements = (results: object): readonly unknown[] =>
    replay({ phases: [{ ...winter, orders: { AUSTRIA: ['A GRE D'] }, results }, spring] }).disagreements;
  assert.equal(disagreements({ 'A GRE': [''], 'F GRE': ['disband'] }), []);
  assert.is(disagreements({ 'A GRE': ['void'] }).length, 1);
});

outside('one bad retreat where the boards differ costs no game', async () => {
  const saved = await playSaved({ until: 1905, agents: MIXED_AGENTS });
  const [{ units, retreats }] = saved.phases.filter(({ name }) => name.endsWith('R')).map(({ state }) => state);
  const power = Object.keys(retreats).find((one) => Object.keys(retreats[one]).length > 0) ?? '';
  const [unit] = Object.keys(retreats[power]);
  retreats[power][unit] = ['LVN', 'NOWHERE'];
  const other = Object.keys(units).find((one) => one !== power && units[one].length > 1) ?? '';
  units[other] = units[other].slice(1);
  const { disagreements, record } = replay(saved);
  assert.ok(disagreements.some(({ unit: of, what }) => of === unit && what.startsWith('retreats: ')));
  assert.is(record.phases.at(-1)?.phase, 'COMPLETED');
});

outside('a unit without a retreat is called destroyed, whatever it is ordered', () => {
  const russia = ['A RUM', 'A SER', 'A VIE', 'A TRI'];
  const before = { AUSTRIA: ['A BUD'], RUSSIA: [...russia, 'A GAL'], GERMANY: ['A MUN'], FRANCE: ['A BUR', 'A RUH'] };
  const after = { RUSSIA: [...russia, 'A BUD'], FRANCE: ['A MUN', 'A RUH'] };
  const attacks = {
    RUSSIA: ['A GAL - BUD', 'A RUM S A GAL - BUD'],
    FRANCE: ['A BUR - MUN', 'A RUH S A BUR - MUN'],
  };
  const { uncounted } = replay({
    phases: [
      { name: 'S1901M', state: { units: before }, orders: attacks },
      {
        name: 'S1901R',
        state: { units: { ...after, AUSTRIA: ['*A BUD'], GERMANY: ['*A MUN'] } },
        orders: { AUSTRIA: ['A BUD R GAL'], GERMANY: ['A MUN R TYR'] },
      },
      { name: 'F1901M', state: { units: { ...after, GERMANY: ['A TYR'] } } },
    ],
  });
  const reason = 'destroyed: it had no retreat';
  assert.equal(uncounted, [{ phase: 'S1901R', power: 'AUSTRIA', order: 'A BUD R GAL', reason }]);
});

outside('names of maps and rules that dipcc has are known, and rules that are not played are told', () => {
  assert.is(parseSavedGame(JSON.stringify({ ...solo, map: 'fva' })).map, 'standard_france_austria');
  const welfare = parseSavedGame(JSON.stringify({ ...solo, map: 'standard_welfare' }));
  assert.equal([welfare.map, welfare.unplayed], ['standard', ['WELFARE']]);
  const named = parseSavedGame(JSON.stringify({ ...solo, rules: ['NO_PRESS', 'WELFARE', 'HOLD_WIN'] }));
  assert.equal(named.unplayed, ['WELFARE', 'HOLD_WIN']);
  const misfit = { where: 'line 1', id: '', uncounted: [], fits: [], unplayed: ['WELFARE'] };
  const disagreements = [{ phase: 'S1902M', unit: 'A VIE', what: 'unit: recorded none, adjudicated AUSTRIA' }];
  assert.is(
    formatMisfit({ ...misfit, disagreements }),
    'line 1: S1902M A VIE: unit: recorded none, adjudicated AUSTRIA; it was played by WELFARE, and adjudicated again by the usual rules',
  );
  assert.is(parseSavedGame(JSON.stringify({ ...solo, map: '__proto__' })).map, '__proto__');
});

outside.run();
