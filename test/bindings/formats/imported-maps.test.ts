// Tests what readers of maps make of other programs' spellings: all of a file is in the rows, in a note, or refused by name.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFile, openMap, readMapFile } from '../../../bindings/formats/maps/open-map.js';
import type { ReadMap } from '../../../bindings/formats/maps/read-map.js';
import type { MapRows, PowerRow, ProvinceRow } from '../../../engine/internal.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { errorOf, saying } from '../../tools/errors.js';

const scratch = makeFolder('imported-maps');
const at = (name: string): string => join(scratch, name);
const put = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};

const province = (rows: MapRows, tag: string): ProvinceRow | undefined => rows.provinces.find((row) => row.tag === tag);
const power = (rows: MapRows, name: string): PowerRow | undefined => rows.powers.find((row) => row.name === name);
/** A text in place of another. */
type Change = readonly [from: string | RegExp, to: string];

/** Changes texts. Each change must change one of them. */
const changed = <T extends readonly string[]>(texts: T, changes: readonly Change[]): T =>
  changes.reduce((before, [from, to]) => {
    const after = before.map((text) => text.replace(from, to));
    assert.not.equal(after, before, `nothing to change: ${from}`);
    return after as unknown as T;
  }, texts);

// ---- jDip ----

const jdip = suite('maps of jDip');

const VARIANTS = `<VARIANTS>
  <VARIANT name="Small" aliases="tiny, little one">
    <MAP adjacencyURI="small_adjacency.xml"/>
    <STARTINGTIME turn="Spring, 1901, Movement"/>
    <VICTORYCONDITIONS><WINNING_SUPPLY_CENTERS value="2"/></VICTORYCONDITIONS>
    <POWER name="One" altnames="Uno, Number One"/><POWER name="Two"/>
    <SUPPLYCENTER province="aaa" homepower="one" owner="one"/>
    <SUPPLYCENTER province="bbb" homepower="Two" owner="Two"/>
    <INITIALSTATE province="aaa" power="one" unit="army"/>
    <INITIALSTATE province="bbb" power="Two" unit="fleet"/>
  </VARIANT>
</VARIANTS>`;
const ADJACENCIES = `<PROVINCES>
  <BORDER_DEFINITIONS><BORDER id="rule" description="a rule" season="fall"/></BORDER_DEFINITIONS>
  <PROVINCE shortname="aaa" fullname="Alpha"><ADJACENCY type="mv" refs="bbb"/><ADJACENCY type="xc" refs="sea bbb"/></PROVINCE>
  <PROVINCE shortname="bbb" fullname="Beta"><ADJACENCY type="mv" refs="aaa"/><ADJACENCY type="xc" refs="sea aaa"/></PROVINCE>
  <PROVINCE shortname="isl" fullname="Isle"><ADJACENCY type="mv" refs="isl"/><ADJACENCY type="xc" refs="sea"/></PROVINCE>
  <PROVINCE shortname="sea" fullname="Sea"><ADJACENCY type="xc" refs="aaa bbb isl"/></PROVINCE>
</PROVINCES>`;

const readVariant = (variant: string | undefined, changes: readonly Change[]): ReadMap => {
  const [variants, adjacencies] = changed([VARIANTS, ADJACENCIES] as const, changes);
  put('small_adjacency.xml', adjacencies);
  return readMapFile(put('variants.xml', variants), { variant });
};
const read = (...changes: readonly Change[]): ReadMap => readVariant(undefined, changes);
const readError = (...changes: readonly Change[]): string => errorOf(() => read(...changes));

jdip('an island is a coast without borders of armies', () => {
  const { rows, notes } = read();
  assert.equal(province(rows, 'ISL'), { tag: 'ISL', name: 'Isle', kind: 'coast', fleet: 'SEA' });
  assert.equal(notes, []);
  assert.is(rows.name, 'small', 'named after the variant');
  compileFile(rows);
});

jdip('a power is found by its other names, in any spelling', () => {
  for (const name of ['Uno', 'UNO', 'number one', 'Number-One', ' one ']) {
    const owner: Change = ['homepower="one" owner="one"', `homepower="${name}" owner="${name}"`];
    const { rows } = read(owner, ['power="one" unit', `power="${name}" unit`]);
    assert.equal(power(rows, 'ONE'), { name: 'ONE', homes: 'AAA', units: 'A AAA' }, name);
  }
});

jdip('a power that no <POWER> names is refused by name', () => {
  // biome-ignore format: from, to, message
  const wrong: [string, string, string][] = [
    ['homepower="one"', 'homepower="nobody"', 'variants.xml: got homepower="nobody" of aaa, wanted one of ONE, TWO'],
    ['owner="one"', 'owner="nobody"', 'variants.xml: got owner="nobody" of aaa, wanted one of ONE, TWO'],
    ['power="one" unit', 'power="nobody" unit', 'variants.xml: got power="nobody" of aaa, wanted one of ONE, TWO'],
    ['power="one" unit', 'unit', 'variants.xml: got the unit A AAA without a power'],
  ];
  for (const [from, to, message] of wrong) assert.is(readError([from, to]), message);
  assert.is(power(read(['homepower="one"', 'homepower="none"']).rows, 'ONE')?.homes, '');
});

const RULE_OF_BBB: Change = ['shortname="bbb"', 'shortname="bbb" borders="rule"'];

jdip('ice, difficult borders and convoyable coasts are those of the map format', () => {
  const ice = read(['shortname="sea"', 'shortname="sea" borders="rule"']).rows;
  assert.equal([ice.ice, ice.options], ['SEA', ['ice']]);
  const difficult: Change = ['season="fall"', 'from="aaa" baseMoveModifier="-1"'];
  const one = read(difficult, RULE_OF_BBB);
  assert.equal([one.rows.difficult, one.rows.options], ['AAA-BBB', ['difficult']]);
  assert.equal(one.notes, [
    'difficult border from AAA to BBB: in both directions here',
    'difficult border between AAA and BBB: for armies alone here, not for fleets',
  ]);
  const sea = read(difficult, ['shortname="isl"', 'shortname="isl" borders="rule"']);
  assert.is(sea.rows.difficult, undefined);
  assert.equal(sea.notes, ['difficult border from AAA to ISL: no army crosses it, ignored']);
  const port = read(['shortname="isl"', 'shortname="isl" isConvoyableCoast="true"']).rows;
  assert.is(port.convoyable, 'ISL');
  for (const rows of [one.rows, sea.rows, ice, port]) compileFile(rows);
});

jdip('a rule of a border that no map holds is refused by name', () => {
  for (const rule of ['year="odd"', 'from="aaa" season="spring"', 'unitTypes="Fleet"', 'orderTypes="dip.order.Move"'])
    assert.match(
      readError(['season="fall"', rule], RULE_OF_BBB),
      /^small_adjacency.xml: got the border "rule" of BBB with .*; a map here holds ice/,
      rule,
    );
  // Ice on land.
  assert.match(readError(RULE_OF_BBB), 'got the border "rule" of BBB with season="fall"');
  const none: Change = ['shortname="bbb"', 'shortname="bbb" borders="none"'];
  assert.match(readError(none), 'got the border "none" of BBB, which has no <BORDER>');
  const wing = 'got the unit "wing", wanted army or fleet: other units have no rules here';
  assert.match(readError(['unit="army"', 'unit="wing"']), wing);
});

jdip('options of rules, ends of games and powers that take no part are held or noted', () => {
  const option = (value: string): Change => [
    '<VICTORYCONDITIONS>',
    `<RULEOPTIONS><RULEOPTION name="OPTION_BUILDS" value="${value}"/></RULEOPTIONS><VICTORYCONDITIONS><GAME_LENGTH value="35"/>`,
  ];
  const length = 'GAME_LENGTH 35: ignored, see --until';
  const home = read(option('VALUE_BUILDS_HOME_ONLY'));
  assert.equal([home.rows.buildAnywhere, home.notes], [undefined, [length]]);
  const any = read(option('VALUE_BUILDS_ANY_OWNED'));
  assert.equal([any.rows.buildAnywhere, any.notes], [true, [length]]);
  const some = read(option('VALUE_BUILDS_ANY_IF_HOME_OWNED'));
  assert.is(some.rows.buildAnywhere, true);
  assert.match(some.notes[0], 'builds in any owned centre, also for a power that owns no home centre');
  const { notes: idle } = read(['<POWER name="Two"', '<POWER name="Two" active="false"']);
  assert.equal(idle, ['power Two: active="false", a power like any other here']);
  const { notes: fog } = read(['<POWER name="Two"/>', '<POWER name="Two"/><FOG value="yes"/>']);
  assert.equal(fog, ['variants.xml, <FOG>: ignored']);
});

jdip('tags, names of powers and turns are read in any shape', () => {
  const renamed = (tag: string): ReadMap => read([/bbb/g, tag]);
  const short = renamed('b');
  assert.equal(short.notes, ['short names that are not three letters have a tag: b = BBE']);
  assert.equal(power(short.rows, 'TWO'), { name: 'TWO', homes: 'BBE', units: 'F BBE' });
  const long = renamed('beta1');
  assert.equal([long.notes.length, power(long.rows, 'TWO')?.units], [1, 'F BE1']);
  const digit = read([/"Two"/g, '"2nd-Two"']);
  assert.equal([digit.notes, digit.rows.powers[1].name], [['power 2nd-Two: named P2ND_TWO'], 'P2ND_TWO']);
  // biome-ignore format: turn, start
  const turns: [string, string][] = [
    ['Spring 1901 Movement', 'S1901M'], ['fall, 01, movement', 'F1M'], ['Fall, 1900, Adjustment', 'W1900A'],
    ['Winter, 1900, Build', 'W1900A'], ['Movement, Autumn, 400', 'F400M'],
  ];
  for (const [turn, start] of turns) assert.is(read(['Spring, 1901, Movement', turn]).rows.start, start, turn);
  for (const turn of ['Spring, 100 BC, Movement', 'Winter, 1900, Movement', 'Spring', 'Spring, 1901, Retreat', ''])
    assert.match(readError(['Spring, 1901, Movement', turn]), `got the turn "${turn}", `);
});

jdip('a variant is found by its other names, and what is left out is said', () => {
  for (const name of ['small', 'Tiny', 'little one']) assert.is(readVariant(name, []).rows.name, 'small');
  const alps: Change = [
    '</PROVINCES>',
    '<PROVINCE shortname="alp" fullname="Alps"><ADJACENCY type="mv" refs="alp"/></PROVINCE></PROVINCES>',
  ];
  const { rows, notes } = read(alps);
  assert.equal([province(rows, 'ALP'), notes], [undefined, ['ALP: impassable, not on the map']]);
  const center = read(['<SUPPLYCENTER', '<SUPPLYCENTER province="alp" owner="two"/><SUPPLYCENTER'], alps).rows;
  assert.is(province(center, 'ALP')?.kind, 'land', 'a centre that nobody reaches is kept');
  compileFile(center);
  const twice = read(['fullname="Isle">', 'fullname="Isle"><UNIQUENAME name="Beta"/>']);
  assert.equal(twice.notes, ['ISL: the name "Beta" means BBB, not ISL']);
  const own = read(['refs="sea bbb"', 'refs="sea bbb aaa"']);
  assert.equal(own.notes, ['AAA: a border of type xc with itself: ignored']);
});
jdip.run();

// ---- the DPjudge and diplomacy ----

const dpjudge = suite('maps of the DPjudge and of diplomacy');

const MAP = `ONE (UNITARY) AAA
A AAA
TWO BBB
F BBB
Alpha = aaa alf
Beta = bbb
Sea = sea
COAST AAA ABUTS BBB SEA
COAST BBB ABUTS AAA SEA
WATER SEA ABUTS AAA BBB
`;
const readText = (text: string): ReadMap => readMapFile(put('small.map', text));

/** Tests what is said of the map with a line more. */
const checkErrors = (lines: readonly (readonly [line: string, message: string])[]): void => {
  for (const [line, message] of lines) assert.throws(() => readText(`${MAP}${line}\n`), saying(message));
};

dpjudge('a file without BEGIN begins in spring 1901, the last BEGIN counts', () => {
  assert.is(readText(MAP).rows.start, 'S1901M');
  assert.is(readText(`BEGIN FALL 1900 MOVEMENT\nBEGIN WINTER 1900 ADJUSTMENTS\n${MAP}`).rows.start, 'W1900A');
  const before = 'got the phase "B.C. 273 MOVEMENT": years before Christ, which count down, are no years here';
  assert.throws(() => readText(`BEGIN B.C. 273 MOVEMENT\n${MAP}`), saying(`small.map, line 1: ${before}`));
});

dpjudge('places and powers are renamed in any sequence of lines', () => {
  const { rows, notes } = readText(`${MAP}AAA -> Gamma = gam al\nONE -> THIRD-ONE (TERTIARY)\n`);
  assert.equal(notes, []);
  const gamma = {
    tag: 'GAM',
    name: 'Gamma',
    kind: 'coast',
    center: true,
    army: 'BBB',
    fleet: 'BBB SEA',
    aliases: ['al'],
  };
  assert.equal(province(rows, 'GAM'), gamma);
  assert.equal([province(rows, 'AAA'), province(rows, 'SEA')?.fleet], [undefined, 'BBB GAM']);
  assert.equal(rows.powers[0], { name: 'THIRDONE', homes: 'GAM', units: 'A GAM' });
  const [coasts] = changed(
    [MAP],
    [
      ['COAST BBB ABUTS AAA SEA', 'COAST bbb ABUTS AAA\nCOAST BBB/NC ABUTS SEA'],
      ['F BBB', 'F BBB/NC'],
      ['AAA BBB\n', 'AAA BBB/NC\n'],
      ['AAA ABUTS BBB SEA', 'AAA ABUTS bbb SEA'],
    ],
  );
  const renames = ['BBB/NC -> Gamma (north) = gam/nk', 'BBB -> Gamma = gam'];
  for (const lines of [renames, renames.toReversed()]) {
    const other = readText(`${coasts}${lines.join('\n')}\n`).rows;
    assert.equal([power(other, 'TWO')?.units, province(other, 'GAM')?.fleet], ['F GAM/NK', { NK: 'SEA' }], `${lines}`);
    compileFile(other);
  }
  checkErrors([
    ['XXX -> Gamma = gam', 'got XXX -> gam, wanted a place before the arrow'],
    ['AAA -> Gamma = bbb', 'got AAA -> bbb, which is another place'],
    ['FOUR -> FIVE AAA', 'got FOUR -> FIVE, wanted a power before the arrow'],
    ['A -> B -> C = ddd', 'wanted NAME = TAG ALIAS ... or OLD -> NAME = TAG ALIAS ...'],
  ]);
});

dpjudge('directives that no map needs are named and ignored', () => {
  // biome-ignore format: line, note
  const lines: [string, string][] = [
    ['NOTIFY somebody@example.org', 'NOTIFY: ignored'],
    ['FLAG blue', 'FLAG: ignored'],
    ['FLAGS one two', 'FLAGS: ignored'],
    ['TEAMS ONE-TWO', 'TEAMS: ignored'],
    ['PAYOLA DIRECTIVES\nBEGIN FALL 1950 MOVEMENT\nEND DIRECTIVES', 'PAYOLA DIRECTIVES: rules for some games, ignored'],
    ['FOG of war', 'small.map, line 11: "FOG of war" is neither a directive nor a power, ignored'],
    ['FOG', 'small.map, line 11: "FOG" is neither a directive nor a power with homes or units, ignored'],
    ['THREE *SEA', '*SEA: a partisan home is no home here'],
    ['SHUT ALP ABUTS AAA', 'ALP: impassable, not on the map'],
    ['AMEND AAA ABUTS AAA', 'borders of a place with itself are ignored: AAA'],
    ['Gulf = sea alf', 'SEA: the name "alf" means AAA, not SEA'],
  ];
  for (const [line, note] of lines) {
    const { rows, notes } = readText(`${MAP}${line}\n`);
    assert.ok(notes.includes(note), `${line}: ${notes}`);
    assert.is(rows.start, 'S1901M');
    const names = rows.powers.map(({ name }) => name).join(' ');
    assert.is(names, line.startsWith('THREE') ? 'ONE TWO THREE' : 'ONE TWO', line);
    compileFile(rows);
  }
});

dpjudge('a rule that no map holds is refused by name', () => {
  checkErrors([
    ['AMEND AAA ABUTS *SEA', 'got the border "*SEA" of AAA: not all units cross it'],
    ['AMEND AAA ABUTS ONE:SEA', 'got the border "ONE:SEA" of AAA: not all units cross it'],
    ['AMEND AAA ABUTS SEA(BBB)', 'got the border "SEA(BBB)" of AAA: not all units cross it'],
    ['IN SPRING: SHUT SEA', 'a map here is the same in all phases of a game'],
    ['FROM F1905M', 'a map here is the same in all phases of a game'],
    ['FLOW SUMMER:MOVEMENT', 'got FLOW "SUMMER:MOVEMENT": a year here has spring and fall with retreats, and winter'],
  ]);
  const flow = 'FLOW LENTE:MOVEMENT,RETREATS HERFST:MOVEMENT,RETREATS\nFLOW KOUDE:ADJUSTMENTS\n';
  const { start } = readText(`${MAP}${flow}BEGIN HERFST 1905 MOVEMENT\n`).rows;
  assert.is(start, 'F1905M', 'other words for the seasons');
});

dpjudge('powers are named as the package diplomacy names them', () => {
  const named = (name: string): string => changed([MAP], [['ONE (UNITARY)', name]])[0];
  assert.equal(readText(named('NEW-YORK (New+Yorker:Y)')).rows.powers[0].name, 'NEWYORK');
  put('small.json', runLepanto(['map', 'import', put('small.map', named('NEW-YORK'))]).out);
  const units = { NEWYORK: ['A AAA'], TWO: ['F BBB'] };
  const orders = { NEWYORK: ['A AAA H'], TWO: ['F BBB - SEA'] };
  const state = { name: 'S1901M', units, centers: { NEWYORK: ['AAA'], TWO: ['BBB'] } };
  const game = { id: 'one', map: 'small', rules: [], phases: [{ name: 'S1901M', state, orders, results: {} }] };
  const args = ['convert', put('game.json', JSON.stringify(game)), at('game.jsonl'), '--map', at('small.json')];
  const { code, err } = runLepanto([...args, '--quiet']);
  assert.is(code, 0, err);
});

dpjudge('a file that imports is usable at once', () => {
  const imported = runLepanto(['map', 'import', put('standard.map', MAP), '--out', at('imported.json')]);
  assert.is(imported.code, 0, imported.err);
  assert.match(imported.err, 'note: named standard-imported: another map, which ships, is named standard');
  for (const path of ['imported.json', 'standard.map']) {
    const input = '{"phase":"S1901M","units":{"ONE":["A AAA"],"TWO":["F BBB"]}}\n';
    const listed = runLepanto(['legal', '--map', at(path)], { input });
    assert.match(listed.out, 'A AAA - BBB', listed.err);
    assert.is(openMap(at(path)).name, 'standard-imported');
  }
  // Latin-1, a name without letters of a map's name.
  writeFileSync(at('Ö.map'), Buffer.from(MAP.replace('Alpha', 'Älpha'), 'latin1'));
  const latin = readMapFile(at('Ö.map')).rows;
  assert.equal([latin.name, province(latin, 'AAA')?.name], ['o', 'Älpha']);
});

dpjudge('long lists are refused, not read for minutes', () => {
  const tags = Array.from({ length: 40_000 }, (_, i) => `X${(i % 1296).toString(36).padStart(2, '0')}`).join(' ');
  const renames = Array.from({ length: 15_000 }, () => 'AAA -> Alpha = aaa').join('\n');
  checkErrors([
    [`UNOWNED ${tags}`, 'got more than 2048 homes and centres'],
    [`TWO ${tags}`, 'got more than 2048 homes and centres'],
    [`DROP ${tags}`, 'got more than 2048 places renamed or dropped'],
    [`AMEND AAA ABUTS ${tags}`, 'got more than 2048 borders of AAA'],
    [renames, 'got more than 2048 places renamed or dropped'],
    ['FLOW A:B C:D\n'.repeat(15_000), 'got more than 2048 phases of a year'],
  ]);
});
dpjudge.run();
