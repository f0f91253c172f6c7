// Tests maps from files: those of other programs are read, wrong ones are refused by name, and every command plays on them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatMapFile, parseMapFile } from '../../../bindings/formats/maps/map-file.js';
import { openMap, readMapFile } from '../../../bindings/formats/maps/open-map.js';
import { addMap, compileMap, loadMap, type MapRows, mapNames, standard } from '../../../engine/internal.js';
import { type Ended, makeFolder, runLepanto } from '../../tools/command.js';
import { errorOf, saying } from '../../tools/errors.js';
import { linesIn } from '../../tools/running.js';

const scratch = makeFolder('maps');
const at = (name: string): string => join(scratch, name);
const put = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const lepanto = (args: readonly string[], input = ''): Ended => runLepanto(args, { input });
/** Two powers on six provinces: a sea, a coast of two coasts, a port by land and by sea, an inland one. */
const DUEL = `# a map for tests
BEGIN SPRING 1901 MOVEMENT
VICTORY 3
RED   (RED:R)   AAA
A AAA
BLUE  (BLUISH)  BBB
F BBB/NC
UNOWNED CCC
Aarhus          = aaa aar aarhus+town
Bergen          = bbb ber?
Bergen (north coast) = bbb/nc bbb(nc)
Bergen (south coast) = bbb/sc
Calais          = ccc
Dutch Sea       = dsa
East Sea        = esa
Alps            = alp
COAST AAA ABUTS BBB ccc DSA Esa
COAST bbb ABUTS AAA CCC DSA ESA
COAST BBB/NC ABUTS DSA
COAST BBB/SC ABUTS ESA
LAND  CCC ABUTS aaa bbb ALP
WATER DSA ABUTS AAA BBB/NC ESA
WATER ESA ABUTS AAA BBB/SC DSA
SHUT  ALP ABUTS CCC
`;
const duel: MapRows = {
  name: 'duel',
  start: 'S1901M',
  victory: 3,
  powers: [
    { name: 'RED', homes: 'AAA', units: 'A AAA' },
    { name: 'BLUE', homes: 'BBB', units: 'F BBB/NC' },
  ],
  provinces: [
    {
      tag: 'AAA',
      name: 'Aarhus',
      kind: 'coast',
      center: true,
      army: 'BBB CCC',
      fleet: 'DSA ESA',
      aliases: ['aar', 'aarhus town'],
    },
    {
      tag: 'BBB',
      name: 'Bergen',
      kind: 'coast',
      center: true,
      army: 'AAA CCC',
      fleet: { NC: 'DSA', SC: 'ESA' },
      aliases: ['ber'],
    },
    { tag: 'CCC', name: 'Calais', kind: 'land', center: true, army: 'AAA BBB' },
    { tag: 'DSA', name: 'Dutch Sea', kind: 'sea', fleet: 'AAA BBB/NC ESA' },
    { tag: 'ESA', name: 'East Sea', kind: 'sea', fleet: 'AAA BBB/SC DSA' },
  ],
};

// ---- reading ----

const reading = suite('maps: files of other programs');

reading('a .map of the DPjudge gives rows: case and terrain say who crosses a border', () => {
  const { rows, notes } = readMapFile(put('duel.map', DUEL));
  assert.equal(rows, duel);
  assert.equal(notes, ['ALP: impassable, not on the map']);
  const port = readMapFile(put('port.map', DUEL.replace('COAST AAA', 'PORT AAA')), { name: 'duel' });
  assert.equal(port.rows, { ...duel, convoyable: 'AAA' }, 'fleets in a port convoy');
});

reading('a .map may build on another, take powers and places away, and say what is ignored', () => {
  put('base.map', DUEL);
  const text = `MAP base.map
UNPLAYED ALL EXCEPT RED
DROP ESA
AMEND AAA ABUTS -DSA
AMEND DSA ABUTS -AAA
DUMMY RED
RULES BUILD_ANY NO_CHEATING
GREEN BBB
A BBB
OWNS CCC
`;
  const { rows, notes } = readMapFile(put('child.map', text), { name: 'child' });
  assert.is(rows.name, 'child');
  assert.is(rows.buildAnywhere, true);
  assert.equal(rows.powers, [
    { name: 'RED', homes: 'AAA', units: 'A AAA' },
    { name: 'GREEN', homes: 'BBB', units: 'A BBB', owns: 'CCC' },
  ]);
  assert.equal(
    rows.provinces.map(({ tag, fleet }) => [tag, fleet]),
    [
      ['AAA', undefined],
      ['BBB', { NC: 'DSA', SC: '' }],
      ['CCC', undefined],
      ['DSA', 'BBB/NC'],
    ],
  );
  assert.equal(notes, [
    'DUMMY: unplayed powers are powers like any other here',
    'RULE NO_CHEATING: ignored, see "lepanto rules"',
    'ALP: impassable, not on the map',
  ]);
});

const VARIANTS = `<?xml version="1.0"?>
<!DOCTYPE VARIANTS>
<VARIANTS>
  <VARIANT name="Other"><MAP adjacencyURI="duel_adjacency.xml"/></VARIANT>
  <VARIANT name="Duel" default="true">
    <MAP adjacencyURI="duel_adjacency.xml"><MAP_GRAPHIC ref="x"/></MAP>
    <STARTINGTIME turn="Spring, 1901, Movement"/>
    <VICTORYCONDITIONS><WINNING_SUPPLY_CENTERS value="3"/></VICTORYCONDITIONS>
    <POWER name="Red" active="true" adjective="Red"/><POWER name="Blue"/>
    <SUPPLYCENTER province="aaa" homepower="red" owner="red"/>
    <SUPPLYCENTER province="bbb" homepower="Blue" owner="Blue"/>
    <SUPPLYCENTER province="ccc" homepower="none"/>
    <INITIALSTATE province="aaa" power="red" unit="army"/>
    <INITIALSTATE province="bbb" power="Blue" unit="fleet" unitcoast="nc"/>
    <RULEOPTIONS><RULEOPTION name="OPTION_WINGS" value="VALUE_WINGS_DISABLED"/></RULEOPTIONS>
  </VARIANT>
</VARIANTS>`;
const ADJACENCIES = `<PROVINCES>
  <PROVINCE shortname="aaa aar" fullname="Aarhus"><UNIQUENAME name="aarhus town"/>
    <ADJACENCY type="mv" refs="bbb ccc"/><ADJACENCY type="xc" refs="dsa esa"/></PROVINCE>
  <PROVINCE shortname="bbb ber" fullname="Bergen"><ADJACENCY type="mv" refs="aar ccc"/>
    <ADJACENCY type="nc" refs="dsa"/><ADJACENCY type="sc" refs="esa"/></PROVINCE>
  <PROVINCE shortname="ccc" fullname="Calais"><ADJACENCY type="mv" refs="aaa bbb"/></PROVINCE>
  <PROVINCE shortname="dsa" fullname="Dutch Sea"><ADJACENCY type="xc" refs="aaa bbb-nc esa"/></PROVINCE>
  <PROVINCE shortname="esa" fullname="East Sea"><ADJACENCY type="xc" refs="aaa bbb(sc) dsa"/></PROVINCE>
  <PROVINCE shortname="alp" fullname="Alps"><ADJACENCY type="mv" refs="alp"/></PROVINCE>
</PROVINCES>`;

reading('a variant of jDip gives the same rows', () => {
  put('duel_adjacency.xml', ADJACENCIES);
  const path = put('variants.xml', VARIANTS);
  const { rows, notes } = readMapFile(path, { variant: 'duel' });
  assert.equal(rows, duel);
  assert.equal(notes, [
    'ALP: impassable, not on the map',
    'rule option OPTION_WINGS=VALUE_WINGS_DISABLED: ignored, see "lepanto rules"',
  ]);
  assert.throws(() => readMapFile(path), saying(/^variants.xml: got 2 variants, wanted one of Other, Duel$/));
  const other = saying(/^variants.xml: got the variant "x", wanted one of Other, Duel$/);
  assert.throws(() => readMapFile(path, { variant: 'x' }), other);
});

reading('every map that ships is the same after it was written and read', () => {
  for (const name of mapNames) {
    const { rows, id } = loadMap(name);
    assert.equal(parseMapFile(name, formatMapFile(rows)), rows, name);
    assert.is(compileMap(parseMapFile(name, formatMapFile(rows))).id, id, name);
  }
});

reading('the maps of the package diplomacy that ship have its openings', () => {
  const units = (name: string): string =>
    loadMap(name)
      .rows.powers.map((power) => power.units)
      .join('; ');
  assert.is(units('pure'), 'A VIE; A LON; A PAR; A BER; A ROM; A MOS; A CON');
  assert.is(loadMap('pure').victoryCenters, 4);
  assert.match(units('standard_fleet_rome'), 'F NAP, F ROM, A VEN');
  assert.is(units('standard_age_of_empires_2'), 'A VIE; F LON; A PAR; F BER; F ROM; A MOS; F CON');
  assert.equal(loadMap('standard_france_austria').powerNames, ['AUSTRIA', 'FRANCE']);
  assert.is(loadMap('standard_germany_italy').victoryCenters, 18);
});
reading.run();

// ---- refusals ----

const refusals = suite('maps: refused by name');

/** What is done to the text of DUEL, and what is said of it. */
// biome-ignore format: from, to, message
const wrong: [string | RegExp, string, string][] = [
  [/^BEGIN.*$/m, 'BEGIN', 'duel.map, line 2: got the phase "", wanted one like SPRING 1901 MOVEMENT'],
  ['SPRING 1901', 'SUMMER 1901', 'duel.map, line 2: got the phase "SUMMER 1901 MOVEMENT", wanted one like SPRING 1901 MOVEMENT'],
  ['VICTORY 3', 'VICTORY many', 'duel.map, line 3: got VICTORY many, wanted a number of centres'],
  ['VICTORY 3', 'VICTORY 9', 'map duel, victory: got 9 centres, wanted 1 to the 3 that exist'],
  ['A AAA', 'A AAA BBB', 'duel.map, line 5: got the unit "A AAA BBB", wanted A or F and a place, below the line of its power'],
  ['A AAA', 'A ZZZ', 'map duel, power RED: unknown province ZZZ'],
  ['UNOWNED CCC', 'UNOWNED CCC XYZ', 'duel.map: got the centre XYZ, which is no place of this map'],
  ['COAST AAA ABUTS', 'COAST AAA NEAR', 'duel.map, line 17: got "NEAR", wanted ABUTS'],
  ['COAST AAA ABUTS', 'COAST AAAA ABUTS', 'duel.map, line 17: got the place "AAAA", wanted three letters, or three and a coast like SPA/NC'],
  ['WATER DSA ABUTS AAA', 'WATER DSA ABUTS', 'map duel, province AAA: fleet border from AAA to DSA is one-way'],
  ['LAND  CCC ABUTS aaa bbb', 'LAND  CCC ABUTS aaa', 'map duel, province BBB: army border from BBB to CCC is one-way'],
  ['BEGIN', 'MAP other.map\nBEGIN', 'duel.map, line 2: got the file "other.map", wanted one in the same directory'],
  ['BEGIN', 'MAP ../duel.map\nBEGIN', 'duel.map, line 2: got the file "../duel.map", wanted a name without a directory'],
  ['BEGIN', 'MAP duel.map\nBEGIN', 'duel.map, line 2: duel.map is named twice'],
  ['UNOWNED', 'UNPLAYED GREEN\nUNOWNED', 'duel.map, line 8: got UNPLAYED GREEN, which is no power'],
];

refusals('of a .map file, the line and what is wrong with it', () => {
  for (const [from, to, message] of wrong) {
    const path = put('duel.map', DUEL.replace(from, to));
    assert.is(
      errorOf(() => compileMap(readMapFile(path).rows)),
      message,
    );
  }
});

const many = Array.from({ length: 1296 }, (_, i) => `A${i.toString(36).toUpperCase().padStart(2, '0')}`);
const deep = 'deep.xml: got more than 32 levels of elements';
const others: readonly (readonly [what: string, file: string, text: string, message: string | RegExp])[] = [
  ['files that name one another in a circle', 'one.map', 'MAP two.map\n', /^two.map, line 1: one.map is named twice$/],
  [
    'a thousand provinces',
    'many.map',
    `BEGIN SPRING 1901 MOVEMENT\nRED\n${many.map((tag) => `LAND ${tag} ABUTS`).join('\n')}\n`,
    'got 1296 locations, wanted 1 to 256',
  ],
  ['very many lines', 'long.map', '#\n'.repeat(30_000), 'long.map: got 30001 lines'],
  ['very many bytes', 'big.json', ' '.repeat(2 ** 21), 'got 2097152 bytes, wanted at most'],
  ['another kind of file', 'map.txt', '', 'wanted one that ends in .json, .map or .xml'],
  ['open tags', 'bad.xml', '<VARIANTS><VARIANT>', 'bad.xml: not XML'],
  ['entities', 'bomb.xml', '<!DOCTYPE a [<!ENTITY b "cc">]><VARIANT name="&b;"/>', 'bomb.xml: not XML'],
  ['33 levels', 'deep.xml', '<a>'.repeat(33) + '</a>'.repeat(33), deep],
  ['3,000 levels', 'deep.xml', '<a>'.repeat(3000) + '</a>'.repeat(3000), deep],
  ['100,000 levels', 'deep.xml', '<a>'.repeat(100_000) + '</a>'.repeat(100_000), deep],
  ['very many brackets, in few words', 'wide.map', '('.repeat(9999), /^.{1,199}$/],
];

put('two.map', 'MAP one.map\n');
for (const [what, file, text, message] of others)
  refusals(`of ${what}`, () => {
    assert.throws(() => compileMap(readMapFile(put(file, text)).rows), saying(message));
  });

refusals('of a path without a file and of a directory, what was wanted', () => {
  assert.throws(() => readMapFile(at('none.json')), saying('there is no such file'));
  assert.throws(() => readMapFile(scratch), saying('wanted one that ends in .json, .map or .xml'));
});

refusals('of a map file, the field', () => {
  const good = JSON.parse(formatMapFile(duel));
  // biome-ignore format: fields, message
  const fields: [object, string][] = [
    [{ format: 'x' }, 'm.json, format: got "x", wanted "lepanto-map"'],
    [{ version: 2 }, 'm.json, version: got 2, wanted 1'],
    [{ name: 7 }, 'm.json, name: got 7, wanted text'],
    [{ extra: 1 }, 'm.json: got "extra", wanted one of format, version, name, start, victory'],
    [{ powers: [] }, 'm.json, powers: got 0, wanted 1 to 1024'],
    [{ powers: [{ name: 'RED', homes: 'AAA' }] }, 'm.json, powers, entry 1, units: got nothing, wanted text'],
    [{ provinces: [{ tag: 'AAA', name: 'A', kind: 'moon' }] }, 'm.json, provinces, entry 1, kind: got "moon", wanted one of land, coast, sea'],
    [{ provinces: [{ tag: 'AAA', name: 'A', kind: 'coast', fleet: { NC: 1 } }] }, 'm.json, provinces, entry 1, fleet, NC: got 1, wanted text'],
  ];
  for (const [change, message] of fields)
    assert.throws(() => parseMapFile('m.json', JSON.stringify({ ...good, ...change })), saying(message));
});

refusals('of a map file, what an option needs, though none is in force', () => {
  const good = JSON.parse(formatMapFile(loadMap('colonial').rows));
  const { line, power } = good.railroad;
  const { ends, control } = good.canal;
  // biome-ignore format: fields, message
  const fields: [object, string][] = [
    [{ railroad: { line: `${line} XXX`, power } }, 'map colonial, railroad: unknown province XXX'],
    [{ railroad: { line: 'MOS VLA', power } }, 'map colonial, railroad: no army moves from MOS to VLA'],
    [{ railroad: { line: `${line} MOS`, power } }, 'map colonial, railroad: MOS is on the line twice'],
    [{ railroad: { line, power: 'MARS' } }, 'map colonial, railroad: unknown power MARS'],
    [{ canal: { ends: 'MED', control } }, 'map colonial, canal: got ends "MED", wanted two provinces'],
    [{ canal: { ends: 'MED MOS', control } }, 'map colonial, canal: MOS is no sea'],
    [{ canal: { ends, control: 'XXX' } }, 'map colonial, canal: unknown province XXX'],
    [{ uncounted: { center: 'MED', power } }, 'map colonial, uncounted: MED is no centre'],
    [{ ice: 'MOS' }, 'map colonial, ice: got MOS, wanted a sea'],
    [{ difficult: 'MOS-VLA' }, 'map colonial, difficult: no army moves between MOS and VLA'],
    // Not the map of that name, nor its railroad.
    [{ name: 'standard' }, 'map: got the name standard, which another map has'],
    [{ railroad: { line: 'MOS PRM OMS', power } }, 'map: got the name colonial, which another map has'],
  ];
  for (const [i, [change, message]] of fields.entries()) {
    const path = put(`special-${i}.json`, JSON.stringify({ ...good, ...change }));
    assert.is(
      errorOf(() => openMap(path)),
      message,
    );
    if (i !== 0 && i < fields.length - 2) continue;
    const checked = lepanto(['map', 'check', path]);
    assert.equal([checked.code, checked.out.includes(message)], [1, true], message);
    const out = at(`special-${i}`);
    const { code, err } = lepanto(['selfplay', '--games', '1', '--map', path, '--out', out, '--quiet']);
    assert.equal([code, existsSync(out)], [2, false], message);
    assert.ok(err.includes(message), err);
  }
});

refusals('options by the command line, by name, and nothing is left behind', () => {
  // biome-ignore format: options, message
  const options: [string[], string][] = [
    [['--map', 'colonial', '--map-options', 'fog'], 'got option "fog", wanted one of tsr, suez, hongKong'],
    [['--map', 'colonial,tsr=maybe'], 'got "tsr=maybe", wanted each option once, as tsr or tsr=no'],
    [['--map', 'standard,difficult=BER-LON'], 'no army moves between BER and LON'],
  ];
  for (const [given, message] of options) {
    const out = at('refused-options');
    const { code, err } = lepanto(['selfplay', '--games', '1', ...given, '--out', out, '--quiet']);
    assert.equal([code, existsSync(out)], [2, false], message);
    assert.ok(err.includes(message), err);
  }
});

refusals('a map by the name of another', () => {
  assert.is(addMap(standard.rows), standard);
  assert.throws(() => addMap({ ...duel, name: 'standard' }), saying('got the name standard, which another map has'));
  assert.throws(() => addMap({ ...duel, name: 'My Map' }), saying('got the name "My Map", wanted small letters'));
  const wanted = /got "nowhere", wanted one of standard, .*, or the path of a map file$/;
  assert.throws(() => openMap('nowhere'), saying(wanted));
});
refusals.run();

// ---- commands ----

const commands = suite('maps: lepanto map, and --map FILE');

commands('a map is imported, checked, listed and shown', () => {
  const imported = lepanto(['map', 'import', put('duel.map', DUEL), '--out', at('duel.json')]);
  assert.is(imported.code, 0, imported.err);
  assert.equal(parseMapFile('duel.json', readFileSync(at('duel.json'), 'utf8')), duel);
  const shown = lepanto(['map', 'show', at('duel.json')]);
  assert.is(shown.out, readFileSync(at('duel.json'), 'utf8'));
  const bad = put('bad.map', DUEL.replace('BEGIN', 'MAP none.map\nBEGIN'));
  const checked = lepanto(['map', 'check', at('duel.json'), bad]);
  assert.is(checked.code, 1);
  assert.equal(checked.out.split('\n').slice(0, 2), [
    `${at('duel.json')}: duel, 2 powers, 5 provinces, 3 centres`,
    `${bad}: bad.map, line 2: got the file "none.map", wanted one in the same directory`,
  ]);
  const listed = lepanto(['map', 'list', '--json']);
  assert.equal(
    linesIn(listed.out).map((line) => JSON.parse(line).name),
    [...mapNames],
  );
});

commands('a run on a map of a file says so in its manifest, and is read without the file', () => {
  const map = put('duel.json', formatMapFile(duel));
  const out = at('run');
  const options = '--games 40 --until 1904 --agents dumbbot --quiet'.split(' ');
  const played = lepanto(['selfplay', '--map', map, '--out', out, ...options]);
  assert.is(played.code, 0, played.err);
  assert.equal(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).map, {
    name: 'duel',
    id: compileMap(duel).id,
    rows: duel,
  });
  rmSync(map);
  for (const args of [
    ['replay', out, '--verify'],
    ['stats', out],
    ['convert', out, at('saved.jsonl'), '--quiet'],
  ]) {
    const read = lepanto(args);
    assert.is(read.code, 0, `${args[0]}: ${read.err}`);
  }
  assert.ok(existsSync(at('saved.jsonl')));
  writeFileSync(map, formatMapFile(duel));
  const verified = lepanto(['replay', at('saved.jsonl'), '--verify', '--map', map]);
  assert.match(verified.out, '40 games');
  assert.is(verified.code, 0, verified.err);
});

commands('positions, search and arena take a file', () => {
  const map = put('duel.json', formatMapFile(duel));
  const line =
    '{"phase":"S1901M","units":{"RED":["A AAA"],"BLUE":["F BBB/NC"]},"orders":{"RED":["A AAA - CCC"],"BLUE":["F BBB/NC - DSA"]}}\n';
  const answer = lepanto(['adjudicate', '--map', map], line);
  assert.equal(JSON.parse(answer.out).units, { RED: ['A CCC'], BLUE: ['F DSA'] });
  const found = lepanto(['search', '--map', map, '--start', '--power', 'RED', '--rollouts', '50', '--quiet']);
  assert.match(found.out, 'A AAA');
  const games = '--agents dumbbot,random --games 4 --until 1903 --quiet --json'.split(' ');
  const arena = lepanto(['arena', '--map', map, ...games]);
  assert.is(arena.code, 0, arena.err);
});

commands.run();
