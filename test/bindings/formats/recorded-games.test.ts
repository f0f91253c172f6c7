// Tests what games recorded by people's programs have and Lepanto's own do not: retreat phases in which nobody can
// retreat, results left over from other units, later starts, messages, orders that do not count; and the rules that fit.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fittingRules, PACKAGE_RULES } from '../../../bindings/formats/games/fitting-rules.js';
import { parseSavedGame } from '../../../bindings/formats/games/read.js';
import type { Disagreement, Replayed } from '../../../bindings/formats/games/replay-raw.js';
import { presetNames, Random, standard } from '../../../engine/internal.js';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { type Ended, makeFolder, runLepanto } from '../../tools/command.js';
import { asWebDiplomacy } from '../../tools/foreign-shapes.js';
import { type Lists, playSaved, replay, type Saved } from '../../tools/saved-games.js';

const temporary = makeFolder('recorded');
const lepanto = (...args: string[]): Ended => runLepanto(args);

interface Recorded {
  readonly name: string;
  readonly state: { readonly units: Lists; readonly centers?: Lists; readonly retreats?: Record<string, Lists> };
  readonly orders: Lists;
  readonly results?: Lists;
  readonly messages?: readonly object[];
}

const disagreements = (...phases: readonly Recorded[]): readonly Disagreement[] => replay({ phases }).disagreements;

/** The army in Portugal can go nowhere once Spain attacks it; the one in the Ruhr has open provinces. */
const moves: Recorded = {
  name: 'S1902M',
  state: { units: { ENGLAND: ['A SPA', 'F MAO'], FRANCE: ['A POR'] } },
  orders: { ENGLAND: ['A SPA - POR', 'F MAO S A SPA - POR'], FRANCE: ['A POR H'] },
  results: { 'A SPA': [], 'F MAO': [], 'A POR': ['dislodged'] },
};
const retreats: Recorded = {
  name: 'S1902R',
  state: { units: { ENGLAND: ['A POR', 'F MAO'], FRANCE: ['*A POR'] }, retreats: { FRANCE: { 'A POR': [] } } },
  orders: { FRANCE: ['A POR D'] },
  results: { 'A POR': ['disband'] },
};
const after: Recorded = {
  name: 'F1902M',
  state: { units: { ENGLAND: ['A POR', 'F MAO'], FRANCE: [] } },
  orders: { ENGLAND: ['A POR - SPA'] },
  results: { 'A POR': [], 'F MAO': [] },
};

/** With units to each list of a phase. */
const withMore = (phase: Recorded, units: Lists, orders: Lists, results: Lists = {}): Recorded => ({
  ...phase,
  state: { ...phase.state, units: { ...phase.state.units, ...units } },
  orders: { ...phase.orders, ...orders },
  results: { ...phase.results, ...results },
});

const bothMoves = withMore(
  moves,
  { GERMANY: ['A RUH'], ITALY: ['A MUN', 'A BUR'] },
  { ITALY: ['A MUN - RUH', 'A BUR S A MUN - RUH'], GERMANY: ['A RUH H'] },
  { 'A RUH': ['dislodged'], 'A MUN': [], 'A BUR': [] },
);
const bothRetreats = withMore(
  retreats,
  { GERMANY: ['*A RUH'], ITALY: ['A RUH', 'A BUR'] },
  { GERMANY: ['A RUH R HOL'] },
  { 'A RUH': [] },
);
const bothAfter = withMore(after, { GERMANY: ['A HOL'], ITALY: ['A RUH', 'A BUR'] }, {});

const recorded = suite('recorded games');

recorded('a retreat phase in which no unit can retreat is no disagreement', () => {
  assert.equal(disagreements(moves, after), []);
  assert.equal(disagreements(moves, retreats, after), []);
  assert.equal(disagreements(moves, { ...retreats, orders: {} }, after), []);
  // Where others can, the phase is here too, without the unit that cannot.
  assert.equal(disagreements(bothMoves, bothRetreats, bothAfter), []);
});

recorded('a retreat phase with a unit that was not dislodged, or in another place, is a disagreement', () => {
  const other = withMore(retreats, { FRANCE: ['*A POR', '*A GAS'] }, {});
  assert.is(disagreements(moves, other, after)[0].what, 'recorded S1902R, adjudicated F1902M');
  const elsewhere = withMore(retreats, { ENGLAND: ['A SPA', 'F MAO'] }, {});
  assert.is(disagreements(moves, elsewhere, after)[0].what, 'recorded S1902R, adjudicated F1902M');
  const late: Recorded = { ...retreats, name: 'F1902R' };
  assert.is(disagreements(moves, late)[0].what, 'recorded F1902R, adjudicated F1902M');
});

recorded('recorded retreats are compared', () => {
  const withRetreats = (places: string): readonly Disagreement[] => {
    const state = { ...bothRetreats.state, retreats: { GERMANY: { 'A RUH': places.split(' ').filter(Boolean) } } };
    return disagreements(bothMoves, { ...bothRetreats, state }, bothAfter);
  };
  // dipcc lists provinces with a unit too.
  for (const places of ['BEL HOL KIE', 'KIE HOL BEL', 'BEL BUR HOL KIE']) assert.equal(withRetreats(places), []);
  for (const places of ['', 'HOL', 'BEL HOL KIE MUN']) {
    const what = `retreats: recorded ${places || 'none'}, adjudicated BEL HOL KIE`;
    assert.equal(withRetreats(places), [{ phase: 'S1902R', unit: 'A RUH', what }]);
  }
});

recorded('a result that another unit left in a province is not taken for that of the unit there', () => {
  const fleet = (results: Lists): readonly Disagreement[] =>
    disagreements({
      name: 'S1902M',
      state: { units: { RUSSIA: ['F FIN'] } },
      orders: { RUSSIA: ['F FIN - BOT'] },
      results,
    });
  assert.equal(fleet({ 'F FIN': [] }), []);
  assert.equal(fleet({ 'F FIN': [], 'A FIN': ['bounce'] }), []);
  assert.equal(fleet({ 'A FIN': ['bounce'], 'F FIN': [] }), []);
  const what = 'result: recorded bounce, adjudicated succeeds';
  assert.equal(fleet({ 'F FIN': ['bounce'], 'A FIN': [] }), [{ phase: 'S1902M', unit: 'F FIN', what }]);
});

/** Saved games as a file of records. */
const converted = (name: string, ...games: readonly (readonly Recorded[])[]): string => {
  const path = join(temporary, `${name}.jsonl`);
  writeFileSync(path, games.map((phases) => JSON.stringify({ phases })).join('\n'));
  const { code, err } = lepanto('convert', path, join(temporary, `${name}.lep`), '--quiet');
  assert.is(code, 0, err);
  return join(temporary, `${name}.lep`);
};

recorded('games that start late, and games of one phase, are verified and counted as records too', () => {
  const path = converted('late', [moves, after], [after], [{ ...after, orders: {} }]);
  const out = '3 games, 3 phases: no difference\n';
  assert.equal(lepanto('replay', path, '--verify', '--quiet'), { code: 0, out, err: '' });
  const { games, lengths } = JSON.parse(lepanto('stats', path, '--json', '--quiet').out);
  assert.equal([games, lengths], [3, { 0: 1, 1: 2 }]);
});

recorded('convert keeps messages of every phase, there and back', () => {
  const path = join(temporary, 'press.json');
  const message = { sender: 'FRANCE', recipient: 'ENGLAND', message: 'Peace?' };
  const told = {
    phases: [
      { ...moves, messages: [message, message] },
      { ...after, messages: [message] },
    ],
  };
  writeFileSync(path, JSON.stringify(told));
  const kept = lepanto('convert', path, '-');
  assert.match(kept.err, /^1 game, 1 without an end \(written as draws\)$/m);
  const { phases, rules } = JSON.parse(kept.out);
  const at = (time_sent: number, phase: string): object => ({ ...message, time_sent, phase });
  assert.equal(
    phases.map(({ messages }: Recorded) => messages),
    [[at(1, 'S1902M'), at(2, 'S1902M')], [at(3, 'F1902M')], []],
  );
  assert.equal(rules, []);
  const dipcc = JSON.parse(lepanto('convert', path, '-', '--to', 'dipcc').out);
  assert.equal([dipcc.is_full_press, dipcc.phases[0].messages.length], [true, 2]);
  const record = join(temporary, 'press.lep');
  assert.match(lepanto('convert', path, record).err, /^1 game, 1 without an end \(written as draws\)$/m);
  assert.equal(JSON.parse(lepanto('convert', record, '-').out).phases, phases);
  const left = lepanto('convert', path, join(temporary, 'press'), '--to', 'parquet');
  assert.match(left.err, /^1 game, 1 without an end \(written as draws\), 3 messages left out$/m);
});

// ---- orders that do not count, and the rules that fit ----

/** France may build one unit in the winter; two are recorded. */
const surplus = (next: Lists): Recorded[] => {
  const centers = { FRANCE: ['PAR', 'BRE', 'MAR'] };
  return [
    {
      name: 'W1901A',
      state: { units: { FRANCE: ['A BUR', 'F MAO'] }, centers },
      orders: { FRANCE: ['A PAR B', 'F BRE B', 'A XXX B'] },
      results: {},
    },
    { name: 'S1902M', state: { units: next, centers }, orders: { FRANCE: ['A BUR - RUH'] }, results: {} },
  ];
};
recorded('orders that do not count are listed apart, and are no disagreement', () => {
  const phases = surplus({ FRANCE: ['A BUR', 'A PAR', 'F MAO'] });
  const found = replay({ phases });
  assert.equal(found.disagreements, []);
  const of = { phase: 'W1901A', power: 'FRANCE' };
  const uncounted = [
    { ...of, order: 'F BRE B', reason: 'no build left' },
    { ...of, order: 'A XXX B', reason: 'got "XXX", wanted a province' },
  ];
  assert.equal(found.uncounted, uncounted);
  const path = join(temporary, 'surplus.json');
  writeFileSync(path, JSON.stringify({ phases }));
  const text = '2 recorded orders do not count: W1901A FRANCE "F BRE B" (no build left), and 1 more';
  assert.equal(lepanto('replay', path, '--verify', '--quiet'), {
    code: 0,
    out: '1 game, 2 phases: no difference, 1 with orders that do not count\n',
    err: `lepanto: line 1: ${text}\n`,
  });
  const [misfit, all] = lepanto('replay', path, '--verify', '--json', '--quiet').out.trim().split('\n');
  assert.equal(JSON.parse(misfit), { where: 'line 1', id: '', disagreements: [], uncounted, fits: [], unplayed: [] });
  assert.is(JSON.parse(all).difference, null);
  const { code, err } = lepanto('convert', path, '--quiet');
  assert.equal([code, err], [0, `line 1: ${text}\n`]);
});

recorded('where no build counts that is recorded as made, the position says so', () => {
  const found = replay({ phases: surplus({ FRANCE: ['A BUR', 'F BRE', 'F MAO'] }) });
  assert.equal(
    found.disagreements.map(({ unit, what }) => `${unit} ${what}`),
    ['F BRE unit: recorded FRANCE, adjudicated none', 'A PAR unit: recorded none, adjudicated FRANCE'],
  );
  assert.is(found.uncounted.length, 2);
});

recorded('a word that only an order that counts can have is a disagreement where it does not', () => {
  const game = (...words: string[]): Replayed =>
    replay({
      phases: [{ ...moves, orders: { ...moves.orders, FRANCE: ['A POR - BUR'] }, results: { 'A POR': words } }],
    });
  for (const words of [['dislodged'], ['void', 'dislodged'], ['no convoy', 'dislodged']])
    assert.equal(game(...words).disagreements, [], words.join());
  const of = (words: string) => ({
    phase: 'S1902M',
    unit: 'A POR',
    what: `result: recorded ${words}, adjudicated illegal`,
  });
  assert.equal(game('bounce', 'dislodged').disagreements, [of('bounce, dislodged')]);
  assert.equal(game().disagreements, [of('success')]);
  assert.is(game('void', 'dislodged').uncounted.length, 0, 'the record says so too');
  assert.is(game('dislodged').uncounted.length, 1);
});

recorded('more disagreements than are kept do not keep a replay from the recorded positions', () => {
  const phases = Array.from({ length: 150 }, (_, i) => {
    const unit = i % 2 === 0 ? 'A PAR' : 'A BUR';
    return { name: `S${1902 + i}M`, state: { units: { FRANCE: [unit] } }, orders: { FRANCE: [`${unit} H`] } };
  });
  const found = replay({ phases });
  assert.equal([found.disagreements.length, found.record.phases.at(-2)?.phase], [100, 'S2051M']);
});

/** Some rules of every kind, each of which plays some games as no other does. */
const everyRule = [...presetNames, PACKAGE_RULES];

recorded('the rules that fit are those under which the whole game agrees, whatever it was played by', async () => {
  const random = new Random(31);
  let fitting = 0;
  let disagreeing = 0;
  for (const [index, played] of everyRule.entries()) {
    for (let seed = 1; seed <= 6; seed++) {
      const { adjudication: rules } = ruleSetByName(played);
      const game = await playSaved({ until: 1904, seed, rules, dialect: seed % 2 === 0 ? 'dipcc' : 'diplomacy' });
      if (seed % 3 === 0) disturb(game, random);
      // In the shape of webDiplomacy too.
      const shaped = seed === 5 ? asWebDiplomacy(game, 'history') : game;
      const tried = ruleSetByName(everyRule[(index + seed) % everyRule.length]);
      const agrees = (name: string): boolean => replay(shaped, ruleSetByName(name)).disagreements.length === 0;
      if (agrees(tried.name)) continue;
      disagreeing++;
      const wanted = everyRule.filter((name) => name !== tried.name && agrees(name));
      const found = fittingRules(standard, parseSavedGame(JSON.stringify(shaped)), tried);
      assert.equal(found, wanted, `${played}, seed ${seed}, by ${tried.name}`);
      fitting += wanted.length;
    }
  }
  assert.ok(disagreeing > 10 && fitting > 20, `${disagreeing} games, ${fitting} rules that fit`);
});

/** Changes a recorded order or position. */
const disturb = ({ phases }: Saved, random: Random): void => {
  const { state, orders } = phases[random.below(phases.length - 1)];
  const power = Object.keys(state.units).find((name) => state.units[name].length > 1) ?? '';
  if (random.below(2) === 0) orders[power]?.push('A PAR - NWY');
  else state.units[power].pop();
};
recorded.run();
