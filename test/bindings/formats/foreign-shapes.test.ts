// Tests games in the shapes that webDiplomacy and dipcc write, of which this project includes no real files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSavedGame, readGames } from '../../../bindings/formats/games/read.js';
import { Random } from '../../../engine/internal.js';
import { hasCode } from '../../../engine/rules/error.js';
import { makeFolder } from '../../tools/command.js';
import { dataPath } from '../../tools/data.js';
import { saying } from '../../tools/errors.js';
import { asFirstDipcc, asWebDiplomacy, webShapes } from '../../tools/foreign-shapes.js';
import { type Lists, MIXED_AGENTS, playSaved, replay, type Saved } from '../../tools/saved-games.js';

const data = (name: string): string => readFileSync(dataPath(`formats/${name}`), 'utf8');

const GAMES = 12;
const games = await Promise.all(
  Array.from({ length: GAMES }, (_, seed) => playSaved({ agents: MIXED_AGENTS, until: 1906, seed })),
);

const shapes = suite('shapes');

shapes('games of webDiplomacy in both shapes are played without a disagreement', () => {
  let results = 0;
  let retreats = 0;
  for (const game of games)
    for (const shape of webShapes) {
      const text = JSON.stringify(asWebDiplomacy(game, shape));
      const { record, disagreements } = replay(text);
      assert.equal(disagreements, [], `${game.id} as ${shape}`);
      assert.equal(
        record.phases.slice(0, -1).map(({ phase }) => phase),
        game.phases.slice(0, -1).map(({ name }) => name),
      );
      results += parseSavedGame(text).phases.reduce((sum, phase) => sum + phase.results.length, 0);
      retreats += game.phases.filter(({ name }) => name.endsWith('R')).length;
    }
  assert.ok(results > 8_000, `${results} results`);
  assert.ok(retreats > 40, `${retreats} retreat phases`);
});

shapes('what the shapes of webDiplomacy say differently is read as the same', () => {
  const [game] = games;
  const [history, status] = webShapes.map((shape) => parseSavedGame(JSON.stringify(asWebDiplomacy(game, shape))));
  assert.equal(history.phases, status.phases);
  assert.equal(status.id, '407459');
  assert.is(status.phases.at(-1)?.name, 'COMPLETED');
  assert.is(status.phases.at(-1)?.centers, null, 'the centres there are those of the phase before');
  assert.ok(history.phases[0].units?.RUSSIA.includes('F STP/SC'));
  assert.not.match(JSON.stringify(history.phases[0].centers), 'BUR', 'no centre');
});

/** A game of webDiplomacy with one flag of its first order of a type turned round, and that phase; null without one. */
const turned = (game: Pick<Saved, 'phases'>, type: string, field: string): [object, string] | null => {
  const json = asWebDiplomacy(game, 'history') as { phases: { orders: Record<string, unknown>[] }[] };
  for (const [i, { orders }] of json.phases.entries()) {
    const order = orders.find((one) => one.type === type);
    if (order === undefined) continue;
    order[field] = !order[field];
    return [json, game.phases[i].name];
  }
  return null;
};

const flags = [
  ['Move', 'success'],
  ['Support move', 'success'],
  ['Support hold', 'dislodged'],
  ['Hold', 'dislodged'],
  ['Convoy', 'dislodged'],
  ['Build Army', 'success'],
  ['Retreat', 'success'],
];

shapes('a recorded flag that is not so is named with phase and unit', () => {
  const found = games.flatMap((game) => flags.map(([type, field]) => turned(game, type, field)));
  for (const one of found) {
    if (one === null) continue;
    const [first] = replay(one[0]).disagreements;
    assert.is(first.phase, one[1]);
    assert.match(first.what, /^result: recorded (success|failure)(, dislodged)?, adjudicated [a-z]+(, [a-z]+)?$/);
  }
  assert.ok(found.filter((one) => one !== null).length > 5 * GAMES);
});

/** Some phases of a saved game, each with its units, orders and results. */
const savedOf = (...phases: (readonly [name: string, units: Lists, orders: Lists, results?: Lists])[]) => ({
  phases: phases.map(([name, units, orders, results = {}]) => ({
    ...{ name, orders, results, messages: [] },
    state: { name, units, centers: { ENGLAND: ['LON'] }, retreats: {}, builds: {}, homes: {}, zobrist_hash: '' },
  })),
});

shapes('the flag of a fleet says whether its army has arrived by the convoy', () => {
  const orders = { ENGLAND: ['A LON - BEL VIA', 'F NTH C A LON - BEL'] };
  const game = savedOf(
    ['S1901M', { ENGLAND: ['A LON', 'F NTH'] }, orders, { 'A LON': [], 'F NTH': [] }],
    ['F1901M', { ENGLAND: ['A BEL', 'F NTH'] }, {}],
  );
  assert.equal(replay(asWebDiplomacy(game, 'history')).disagreements, []);
  const [first, ...others] = replay(turned(game, 'Convoy', 'success')?.[0] ?? {}).disagreements;
  assert.equal([first.phase, first.unit, others], ['S1901M', 'F NTH', []]);
});

shapes('a game may begin with retreats that its file does not list: those that are ordered are possible', () => {
  const units = { FRANCE: ['A BUR', 'A MUN'], GERMANY: ['*A BUR', '*A MUN'] };
  const game = savedOf(
    ['S1901R', units, { GERMANY: ['A BUR D', 'A MUN R BER'] }, { 'A BUR': [], 'A MUN': [] }],
    ['F1901M', { FRANCE: ['A BUR', 'A MUN'], GERMANY: ['A BER'] }, {}],
  );
  const { disagreements, record } = replay(asWebDiplomacy(game, 'history'));
  assert.equal([disagreements, record.phases[0].phase], [[], 'S1901R']);
});

shapes('a recorded word of the package that is not so is named with phase and unit', () => {
  const random = new Random(4);
  const words = [[], ['bounce'], ['cut'], ['no convoy'], ['disrupted'], ['dislodged'], ['void'], ['bounce', 'disband']];
  let told = 0;
  for (const game of games) {
    const copy = structuredClone(game);
    const { results } = copy.phases[random.below(game.phases.length - 1)];
    const units = Object.keys(results);
    if (units.length === 0) continue;
    const unit = units[random.below(units.length)];
    const isOther = (list: string[]) =>
      !list.some((word) => results[unit].includes(word)) && `${list}` !== `${results[unit]}`;
    results[unit] = words.find(isOther) ?? [];
    const { disagreements } = replay(copy);
    assert.ok(disagreements.length <= 1);
    for (const one of disagreements) assert.equal([one.unit, one.what.startsWith('result: recorded')], [unit, true]);
    told += disagreements.length;
  }
  assert.ok(told >= GAMES / 2, `${told} of ${GAMES}`);
});

shapes('a waive too many is a difference, a second order for a unit does not count', () => {
  const state = { units: { FRANCE: ['A PAR', 'A BRE'] }, centers: { FRANCE: ['PAR', 'BRE', 'MAR', 'SPA'] } };
  const builds = { name: 'W1901A', state, orders: { FRANCE: ['A MAR B', 'WAIVE'] } };
  assert.equal(replay({ phases: [builds, { name: 'S1902M', state }] }).disagreements.length, 1);
  const after = { ...state, units: { FRANCE: ['A PAR', 'A BRE', 'A MAR'] } };
  assert.equal(replay({ phases: [builds, { name: 'S1902M', state: after }] }).disagreements, []);
  const twice = { name: 'S1902M', state: after, orders: { FRANCE: ['A PAR - BUR', 'A PAR - GAS'] } };
  const { disagreements, uncounted, record } = replay({ phases: [twice] });
  assert.equal(disagreements, []);
  assert.equal(uncounted, [{ phase: 'S1902M', power: 'FRANCE', order: 'A PAR - GAS', reason: 'already ordered' }]);
  assert.is(record.phases[0].orders.length, 1);
  const wrong = { phases: [{ ...twice, orders: { FRANK: ['A PAR H'] } }] };
  assert.throws(() => replay(wrong), /phase 0 \(S1902M\): orders: got power "FRANK"/);
});

shapes('the first form of dipcc is read', () => {
  for (const game of games) {
    const { record, disagreements } = replay(asFirstDipcc(game));
    assert.equal(disagreements, []);
    assert.is(record.phases.length, game.phases.length);
  }
});

shapes('dipcc lists retreats that are none, and a game may begin with them', () => {
  const json = JSON.parse(data('dipcc.json')) as { phases: { name: string }[] };
  const whole = replay(json);
  assert.equal(whole.disagreements, []);
  const from = json.phases.findIndex(({ name }) => name.endsWith('R'));
  assert.ok(from > 0);
  const part = replay({ ...json, phases: json.phases.slice(from) });
  assert.equal(part.disagreements, []);
  assert.is(part.record.phases[0].phase, json.phases[from].name);
});

for (const name of ['webdiplomacy-history.json', 'webdiplomacy-status.json', 'dipcc.json'])
  shapes(`${name} is read as it stands`, () => {
    const [game, ...others] = readGames(dataPath(`formats/${name}`));
    assert.equal([game.error, others], [null, []]);
    assert.equal(replay(data(name)).disagreements, []);
  });

shapes('games that are cut, broken or hostile are refused with a place, in every shape', () => {
  const random = new Random(8);
  const junk = ['null', '-1', '1e99', '"x"', '[]', '{}', '[[1]]', 'true', '9007199254740993'];
  const files = ['webdiplomacy-history.json', 'webdiplomacy-status.json', 'dipcc.json'].map(data);
  for (const text of [JSON.stringify(games[0]), ...files.map((one) => one.trim())]) {
    for (let i = 0; i < 60; i++) {
      assert.throws(
        () => parseSavedGame(text.slice(0, random.below(text.length - 1))),
        (error: unknown) => hasCode(error, 'json') && error.message.startsWith('not JSON: '),
      );
      const at = text.indexOf(':', random.below(text.length - 200)) + 1;
      const end = at + text.slice(at).search(/[,}\]]/);
      try {
        replay(text.slice(0, at) + junk[i % junk.length] + text.slice(end));
      } catch (error) {
        assert.ok(hasCode(error, 'json') || hasCode(error, 'record') || /^map: got/.test((error as Error).message));
        if (hasCode(error, 'record'))
          assert.match(error.message, /map|phase|phases|variantID|state|units|centers|orders/);
      }
    }
    const nested = text.replace(/"centers":/, `"centers":${'['.repeat(10_000)}`);
    assert.throws(() => parseSavedGame(nested), /got more than/);
    assert.throws(() => parseSavedGame(text.replace('"phases":', '"phases":[],"phases":')), /got a key twice/);
  }
});

shapes('a million phases, orders or units, and numbers that stand for nothing, are refused in bounded memory', () => {
  const refused = (value: object, wanted: RegExp): void =>
    assert.throws(() => parseSavedGame(JSON.stringify(value)), saying(wanted));
  const many = new Array(1_000_000).fill(0);
  const phase = { turn: 0, phase: 'Diplomacy' };
  refused({ phases: [phase, ...many] }, /phases: got 1000001, wanted 1 to/);
  refused({ phases: [{ ...phase, units: many }] }, /phase 0, units: got 1000000, wanted at most/);
  refused({ phases: [{ ...phase, orders: many }] }, /phase 0, orders: got 1000000, wanted at most/);
  const wrong = { countryID: 9, type: 'Army', terrID: 1 };
  refused({ phases: [{ ...phase, units: [wrong] }] }, /countryID: got 9, wanted 1 to 7/);
  refused({ variantID: 15, phases: [phase] }, /variantID: got 15, wanted 1/);
  refused({ phases: [{ ...phase, turn: 1e9 }] }, /turn: got 1000000000/);
  refused(
    { phases: [{ ...phase, units: [{ ...wrong, countryID: 1, terrID: 99 }] }] },
    /terrID: got 99, wanted 1 to 81/,
  );
  const state = { units: { FRANCE: many.map(() => 'A PAR') } };
  refused({ phases: [{ name: 'S1901M', state }] }, /units of FRANCE: got 1000000, wanted at most/);
  const results = Object.fromEntries(many.slice(0, 5000).map((_, i) => [`A ${i}`, []]));
  refused({ phases: [{ name: 'S1901M', state: { units: {} }, results }] }, /results: got 5000, wanted at most/);
  const path = join(makeFolder('shapes'), 'endless.jsonl');
  writeFileSync(path, `{"phases":[]}\n${'x'.repeat((1 << 26) + 10)}\n`);
  const before = process.memoryUsage().rss;
  const [, long, ...others] = readGames(path);
  assert.match(`${long.where}: ${long.error}`, /^line 2: got more than \d+ bytes/);
  assert.is(others.length, 0);
  assert.ok(process.memoryUsage().rss - before < 4 * (1 << 26), 'a line that is too long is not kept');
});

shapes.run();
