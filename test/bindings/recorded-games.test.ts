// Tests what games recorded by people's programs have and Lepanto's own do not: retreat phases in which nobody can
// retreat, results left over from other units, later starts, messages.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSavedGame } from '../../bindings/games/parse-saved.js';
import { type Disagreement, replayRaw } from '../../bindings/games/replay-raw.js';
import { DEFAULT_RULES } from '../../bindings/text/rule-set.js';
import { standard } from '../../engine/internal.js';

const temporary = mkdtempSync(join(tmpdir(), 'lepanto-recorded-'));
const entry = fileURLToPath(new URL('../../bindings/lepanto.js', import.meta.url));
const lepanto = (...args: string[]): { status: number | null; out: string; err: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
};

type Lists = Readonly<Record<string, readonly string[]>>;

interface Recorded {
  readonly name: string;
  readonly state: { readonly units: Lists; readonly retreats?: Readonly<Record<string, Lists>> };
  readonly orders: Lists;
  readonly results?: Lists;
  readonly messages?: readonly object[];
}

const replay = (...phases: readonly Recorded[]): readonly Disagreement[] =>
  replayRaw(standard, DEFAULT_RULES, parseSavedGame(JSON.stringify({ phases }))).disagreements;

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
const bothRetreats: Recorded = {
  ...withMore(
    retreats,
    { GERMANY: ['*A RUH'], ITALY: ['A RUH', 'A BUR'] },
    { GERMANY: ['A RUH R HOL'] },
    { 'A RUH': [] },
  ),
};
const bothAfter = withMore(after, { GERMANY: ['A HOL'], ITALY: ['A RUH', 'A BUR'] }, {});

const recorded = suite('recorded games');
recorded.after(() => rmSync(temporary, { recursive: true, force: true }));

recorded('a retreat phase in which no unit can retreat is no disagreement', () => {
  assert.equal(replay(moves, after), []);
  assert.equal(replay(moves, retreats, after), []);
  assert.equal(replay(moves, { ...retreats, orders: {} }, after), []);
  // Where others can, the phase is here too, without the unit that cannot.
  assert.equal(replay(bothMoves, bothRetreats, bothAfter), []);
});

recorded('one with a unit that was not dislodged, or in another place, is one', () => {
  const other = withMore(retreats, { FRANCE: ['*A POR', '*A GAS'] }, {});
  assert.is(replay(moves, other, after)[0].what, 'recorded S1902R, here F1902M');
  const elsewhere = withMore(retreats, { ENGLAND: ['A SPA', 'F MAO'] }, {});
  assert.is(replay(moves, elsewhere, after)[0].what, 'recorded S1902R, here F1902M');
  const late: Recorded = { ...retreats, name: 'F1902R' };
  assert.is(replay(moves, late)[0].what, 'recorded F1902R, here F1902M');
});

recorded('recorded retreats are compared', () => {
  const withRetreats = (places: readonly string[]): readonly Disagreement[] =>
    replay(
      bothMoves,
      { ...bothRetreats, state: { ...bothRetreats.state, retreats: { GERMANY: { 'A RUH': places } } } },
      bothAfter,
    );
  const here = 'BEL HOL KIE';
  // dipcc lists provinces with a unit too.
  for (const places of [
    ['BEL', 'HOL', 'KIE'],
    ['KIE', 'HOL', 'BEL'],
    ['BEL', 'BUR', 'HOL', 'KIE'],
  ])
    assert.equal(withRetreats(places), []);
  for (const places of [[], ['HOL'], ['BEL', 'HOL', 'KIE', 'MUN']]) {
    const what = `retreats: recorded ${places.join(' ') || 'none'}, here ${here}`;
    assert.equal(withRetreats(places), [{ phase: 'S1902R', unit: 'A RUH', what }]);
  }
});

recorded('a result that another unit left in a province is not taken for that of the unit there', () => {
  const fleet = (results: Lists): readonly Disagreement[] =>
    replay({ name: 'S1902M', state: { units: { RUSSIA: ['F FIN'] } }, orders: { RUSSIA: ['F FIN - BOT'] }, results });
  assert.equal(fleet({ 'F FIN': [] }), []);
  assert.equal(fleet({ 'F FIN': [], 'A FIN': ['bounce'] }), []);
  assert.equal(fleet({ 'A FIN': ['bounce'], 'F FIN': [] }), []);
  const what = 'result: recorded bounce, here succeeds';
  assert.equal(fleet({ 'F FIN': ['bounce'], 'A FIN': [] }), [{ phase: 'S1902M', unit: 'F FIN', what }]);
});

/** Saved games as a file of records. */
const converted = (name: string, ...games: readonly (readonly Recorded[])[]): string => {
  const path = join(temporary, `${name}.jsonl`);
  writeFileSync(path, games.map((phases) => JSON.stringify({ phases })).join('\n'));
  const { status, err } = lepanto('convert', path, join(temporary, `${name}.lep`), '--quiet');
  assert.is(status, 0, err);
  return join(temporary, `${name}.lep`);
};

recorded('games that start late, and games of one phase, are verified and counted as records too', () => {
  const path = converted('late', [moves, after], [after], [{ ...after, orders: {} }]);
  const verified = lepanto('replay', path, '--verify', '--quiet');
  assert.equal([verified.status, verified.out, verified.err], [0, '3 games, 3 phases: no difference\n', '']);
  const { status, out } = lepanto('stats', path, '--json', '--quiet');
  assert.is(status, 0);
  const { games, lengths } = JSON.parse(out);
  assert.equal([games, lengths], [3, { 0: 1, 1: 2 }]);
});

recorded('convert says how many messages it leaves out', () => {
  const path = join(temporary, 'press.json');
  const message = { sender: 'FRANCE', recipient: 'ENGLAND', message: 'Peace?' };
  writeFileSync(
    path,
    JSON.stringify({
      phases: [
        { ...moves, messages: [message, message] },
        { ...after, messages: [message] },
      ],
    }),
  );
  assert.match(lepanto('convert', path).err, /^1 games, 1 without an end \(written as draws\), 3 messages left out$/m);
});
recorded.run();
